//! [`Watcher`]: passes progress to Python and signals to the fit.

use std::ops::ControlFlow;
use std::time::Duration;

use mindgap::{Halt, Progress};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// Converts seconds to a time limit; `None` if they overflow.
pub(crate) fn duration(seconds: Option<f64>) -> Option<Duration> {
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// Passes progress to a Python callable, checks for signals, and stores the exception that either raised.
pub(crate) struct Watcher {
    callback: Option<Py<PyAny>>,
    /// Whether the callback has stopped the fit; parts that a time limit does not end ask again.
    stopped: bool,
    pub(crate) raised: Option<PyErr>,
}

impl Watcher {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, stopped: false, raised: None }
    }

    /// Returns the result of the fit, or the exception that the callback or a signal raised.
    pub(crate) fn finish<T>(self, py: Python<'_>, fitted: Result<T, impl IntoPyErr>) -> PyResult<T> {
        match self.raised {
            Some(raised) => Err(raised),
            None => fitted.map_err(|error| error.into_py_err(py)),
        }
    }

    /// Called by the fit, which runs detached from the interpreter. A callback that returns True ends the fit with the
    /// best result so far; one that raises abandons it.
    pub(crate) fn observe(&mut self, progress: &Progress) -> ControlFlow<Halt> {
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) if !self.stopped => tell(py, callback, progress),
                _ => Ok(self.stopped),
            }
        });
        match outcome {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => {
                self.stopped = true;
                ControlFlow::Break(Halt::TimeLimit)
            }
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(Halt::Interrupted)
            }
        }
    }
}

/// Calls the callback with the name of the report and its numbers; returns whether it returned True.
fn tell(py: Python<'_>, callback: &Py<PyAny>, progress: &Progress) -> PyResult<bool> {
    let answer = match progress {
        &Progress::Search { cost, lower_bound } => {
            callback.call1(py, ("search", cost.unwrap_or(f64::INFINITY), lower_bound))?
        }
        Progress::Iteration { iteration, log_likelihood, movement, parameters } => {
            let [weights, means, variances] = parameters.each_ref().map(|values| PyArray1::from_slice(py, values));
            callback.call1(py, ("iteration", *iteration, *log_likelihood, *movement, weights, means, variances))?
        }
        &Progress::Certificate { nodes, open, epsilon, log_likelihood } => {
            callback.call1(py, ("certificate", nodes, open, epsilon, log_likelihood))?
        }
        _ => return Ok(false),
    };
    Ok(answer.bind(py).is(pyo3::types::PyBool::new(py, true)))
}
