//! Data elsewhere that Python can look at more closely.

use std::sync::{Mutex, PoisonError};

use mindgap::{BoxError, Source, Summary};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::summary::Summary as PySummary;

/// A Python callable that summarises the points in windows of data that only it sees.
pub(crate) struct PythonSource {
    callable: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonSource {
    pub(crate) fn new(callable: Py<PyAny>) -> Self {
        Self { callable, raised: Mutex::new(None) }
    }

    /// What the callable raised, if it did; it is told once.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(&self, py: Python<'_>, windows: &[(f64, f64)]) -> PyResult<Vec<Summary>> {
        let numbers = windows.iter().flat_map(|&(low, high)| [low, high]);
        let array = PyArray1::from_iter(py, numbers).reshape([windows.len(), 2])?;
        let found: Vec<Bound<'_, PySummary>> = self.callable.bind(py).call1((array,))?.extract()?;
        Ok(found.iter().map(|summary| summary.get().now(py)).collect())
    }
}

impl Source for PythonSource {
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
        Python::attach(|py| self.ask(py, windows)).map_err(|error| {
            let what = error.to_string();
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            what.into()
        })
    }
}
