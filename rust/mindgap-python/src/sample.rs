//! `Sample`: the data, checked once and sorted on first use.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;
use crate::snapshot::snapshots;

/// Finite data in ascending order, with weights.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct Sample {
    pub(crate) inner: Arc<mindgap::Sample>,
}

impl Sample {
    pub(crate) fn new(inner: mindgap::Sample) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

#[pymethods]
impl Sample {
    #[new]
    #[pyo3(signature = (values, weights=None))]
    fn sorted(
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let (values, weights) = snapshots(py, &values, weights.as_ref())?;
        let inner = py.detach(|| match weights {
            Some(weights) => mindgap::Sample::weighted_from_vec(values, weights),
            None => mindgap::Sample::from_vec(values),
        });
        inner.map(Self::new).map_err(|error| error.into_py_err(py))
    }

    /// The values of positive weight, ascending. Read-only.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        // The first call may sort the data.
        self.inner.check_sortable().map_err(|error| mindgap::SampleError::from(error).into_py_err(py))?;
        read_only(py.detach(|| self.inner.values().to_vec()).into_pyarray(py))
    }

    /// The weights in the order of `values`, or None if every point weighs one. Read-only.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let weights = py.detach(|| self.inner.weights().map(<[f64]>::to_vec));
        weights.map(|weights| read_only(weights.into_pyarray(py))).transpose()
    }

    /// The values and the weights in input order, points of weight zero included.
    fn given<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>) {
        let (values, weights) = self.inner.given();
        (values.into_pyarray(py), weights.map(|weights| weights.into_pyarray(py)))
    }

    /// The sum of the weights.
    #[getter]
    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    /// The number of distinct values.
    #[getter]
    fn distinct(&self, py: Python<'_>) -> usize {
        py.detach(|| self.inner.distinct())
    }

    /// The step that the values look rounded to, or None.
    #[getter]
    fn rounding_step(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.inner.rounding_step())
    }

    /// The number of points behind the values.
    #[getter]
    fn points(&self) -> u64 {
        self.inner.points()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }
}

fn read_only<'py>(array: Bound<'py, PyArray1<f64>>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    array.call_method1("setflags", (false,))?;
    Ok(array)
}
