//! `Sample`: the data, checked and sorted once.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// Finite data in ascending order, with weights.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct Sample {
    pub(crate) inner: Arc<mindgap::Sample>,
}

#[pymethods]
impl Sample {
    #[new]
    #[pyo3(signature = (values, weights=None))]
    fn new(
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let values = values.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let inner = py.detach(|| match weights {
            Some(weights) => mindgap::Sample::weighted(values, weights),
            None => mindgap::Sample::new(values),
        });
        inner.map(|inner| Self { inner: Arc::new(inner) }).map_err(|error| error.into_py_err(py))
    }

    /// The values, ascending, those of weight zero left out. Read-only.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        read_only(self.inner.values().to_vec().into_pyarray(py))
    }

    /// The weights in the order of `values`, or None if every point weighs one. Read-only.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        self.inner.weights().map(|weights| read_only(weights.to_vec().into_pyarray(py))).transpose()
    }

    /// The sum of the weights.
    #[getter]
    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    /// The number of distinct values.
    #[getter]
    fn distinct(&self) -> usize {
        self.inner.distinct()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }
}

fn read_only<'py>(array: Bound<'py, PyArray1<f64>>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    array.call_method1("setflags", (false,))?;
    Ok(array)
}
