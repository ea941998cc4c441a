//! Progress out, Ctrl-C in: what runs between the steps of a fit.

use std::ops::ControlFlow;
use std::time::Duration;

use mindgap::Progress;
use pyo3::prelude::*;

/// Seconds as a time limit; none where they are more than can be told.
pub(crate) fn duration(seconds: Option<f64>) -> Option<Duration> {
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// Passes progress to a Python callable, notices signals, and remembers the exception that either raised.
pub(crate) struct Watcher {
    callback: Option<Py<PyAny>>,
    pub(crate) raised: Option<PyErr>,
}

impl Watcher {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, raised: None }
    }

    /// Called by the fit, which runs detached from the interpreter.
    pub(crate) fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => tell(py, callback, progress),
                None => Ok(()),
            }
        });
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

fn tell(py: Python<'_>, callback: &Py<PyAny>, progress: &Progress) -> PyResult<()> {
    match *progress {
        Progress::Search { cost, lower_bound } => callback.call1(py, ("search", cost, lower_bound))?,
        Progress::Iteration { iteration, log_likelihood, movement } => {
            callback.call1(py, ("iteration", iteration, log_likelihood, movement))?
        }
        Progress::Certificate { nodes, open, epsilon, log_likelihood } => {
            callback.call1(py, ("certificate", nodes, open, epsilon, log_likelihood))?
        }
        _ => py.None(),
    };
    Ok(())
}
