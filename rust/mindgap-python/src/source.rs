//! Sources in Python: data elsewhere that can be read again.

use mindgap::{BoxError, Source, Summary};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::summary::Summary as PySummary;

/// A source that calls Python to summarise the points in windows. An exception there becomes the source of the fit's
/// error.
pub(crate) struct PythonSource(pub(crate) Py<PyAny>);

impl PythonSource {
    fn ask(&self, py: Python<'_>, windows: &[(f64, f64)]) -> PyResult<Vec<Summary>> {
        let numbers = windows.iter().flat_map(|&(low, high)| [low, high]);
        let array = PyArray1::from_iter(py, numbers).reshape([windows.len(), 2])?;
        let found: Vec<Bound<'_, PySummary>> = self.0.bind(py).call1((array,))?.extract()?;
        Ok(found.iter().map(|summary| summary.get().now(py)).collect())
    }
}

impl Source for PythonSource {
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
        Ok(Python::attach(|py| self.ask(py, windows))?)
    }
}
