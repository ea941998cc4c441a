//! `certify` and its result.

use mindgap::{CertifyOptions, Halt, Monitor, Progress};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;
use crate::mixture::{MixtureFit, Triple, to_arrays};
use crate::sample::Sample;
use crate::watch::{Watcher, duration};

/// A proven upper bound on the likelihood of a mixture.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct Certificate {
    inner: mindgap::Certificate,
}

/// Bounds the log-likelihood of every admissible mixture, from a fit to the sample.
///
/// An interruption ends the search, which returns the bound proven so far.
#[pyfunction]
#[pyo3(signature = (fit, sample, *, epsilon, record, time_limit=None, watch=None))]
pub(crate) fn certify(
    py: Python<'_>,
    fit: &MixtureFit,
    sample: &Sample,
    epsilon: f64,
    record: bool,
    time_limit: Option<f64>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Certificate> {
    let mut watcher = Watcher::new(watch);
    let certified = py.detach(|| {
        let mut monitor = Monitor::stopping(|progress: &Progress| watcher.observe(progress));
        if let Some(limit) = duration(time_limit) {
            monitor = monitor.time_limit(limit);
        }
        fit.problem.certify(&sample.inner, &fit.inner, CertifyOptions { epsilon, record }, &mut monitor)
    });
    match watcher.raised {
        Some(raised) if !raised.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => Err(raised),
        _ => certified.map(|inner| Certificate { inner }).map_err(|error| error.into_py_err(py)),
    }
}

#[pymethods]
impl Certificate {
    /// A bound on the log-likelihood of every admissible mixture; None if none was proven.
    #[getter]
    fn upper_bound(&self) -> Option<f64> {
        self.inner.upper_bound()
    }

    /// The log-likelihood of the best mixture known.
    #[getter]
    fn log_likelihood(&self) -> f64 {
        self.inner.log_likelihood()
    }

    /// Weights, means and variances of the best mixture known.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> Triple<'py> {
        to_arrays(py, self.inner.parameters())
    }

    /// The number of regions of parameters examined.
    #[getter]
    fn nodes(&self) -> usize {
        self.inner.nodes()
    }

    /// Why the search ended early: "time-limit", "interrupted", or None.
    #[getter]
    fn halted(&self) -> Option<&'static str> {
        self.inner.halted().map(|halt| match halt {
            Halt::TimeLimit => "time-limit",
            Halt::Interrupted => "interrupted",
        })
    }

    /// The proof as JSON, if it was kept and there is one.
    #[getter]
    fn proof(&self) -> Option<&str> {
        self.inner.proof()
    }
}
