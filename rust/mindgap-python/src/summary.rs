//! `Summary`: data of any size in a few thousand cells.

use std::sync::{Arc, Mutex, PoisonError};

use mindgap::SummaryColumns;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{IntoPyErr, invalid};
use crate::sample::Sample;
use crate::snapshot::snapshots;
use crate::source::PythonSource;

/// Counts, sums and squares on cells that all summaries share. Threads that share a summary take turns.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct Summary {
    inner: Mutex<mindgap::Summary>,
}

impl Summary {
    fn of(inner: mindgap::Summary) -> Self {
        Self { inner: Mutex::new(inner) }
    }

    /// Runs work with exclusive access to the summary, detached from the interpreter while it waits.
    fn alone<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut mindgap::Summary) -> T + Send) -> T {
        py.detach(|| work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Copies the current summary.
    pub(crate) fn now(&self, py: Python<'_>) -> mindgap::Summary {
        self.alone(py, |summary| summary.clone())
    }
}

/// The limit, whether there are weights, and the exponent; index and count; weight, low, high, offset and within: one
/// row each.
type Columns<'py> = (usize, bool, i32, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Summary {
    #[new]
    fn new(limit: usize) -> Self {
        Self::of(mindgap::Summary::with_cells(limit))
    }

    /// Adds values, with weights or each of weight one.
    #[pyo3(signature = (values, weights=None))]
    fn add(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let (values, weights) = snapshots(py, &values, weights.as_ref())?;
        let added = self.alone(py, |summary| match weights {
            Some(weights) => summary.add_weighted(&values, &weights),
            None => summary.add(&values),
        });
        added.map_err(|error| error.into_py_err(py))
    }

    /// Adds the points of another summary, or its own once more.
    fn merge(&self, py: Python<'_>, other: &Summary) -> PyResult<()> {
        // One lock at a time: two threads that merge two summaries into each other would deadlock.
        let other = other.now(py);
        self.alone(py, |summary| summary.merge(&other)).map_err(|error| error.into_py_err(py))
    }

    fn copy(&self, py: Python<'_>) -> Self {
        Self::of(self.now(py))
    }

    /// The limit on the number of cells.
    #[getter]
    fn limit(&self, py: Python<'_>) -> usize {
        self.alone(py, |summary| summary.limit())
    }

    /// The number of points.
    #[getter]
    fn count(&self, py: Python<'_>) -> u64 {
        self.alone(py, |summary| summary.count())
    }

    /// The sum of the weights.
    #[getter]
    fn total_weight(&self, py: Python<'_>) -> f64 {
        self.alone(py, |summary| summary.total_weight())
    }

    /// The smallest and the largest value.
    #[getter]
    fn extent(&self, py: Python<'_>) -> Option<(f64, f64)> {
        self.alone(py, |summary| summary.low().zip(summary.high()))
    }

    /// The mean and the variance.
    #[getter]
    fn mean_and_variance(&self, py: Python<'_>) -> Option<(f64, f64)> {
        self.alone(py, |summary| summary.mean_and_variance())
    }

    /// The occupied cells as a sample; `zoom` reads some of them again in finer cells.
    #[pyo3(signature = (zoom=None))]
    fn sample(&self, py: Python<'_>, zoom: Option<Py<PyAny>>) -> PyResult<Sample> {
        let summary = self.now(py);
        let sample = match zoom {
            Some(callable) => summary.sample_of(Arc::new(PythonSource(callable))),
            None => summary.sample(),
        };
        sample.map(Sample::new).map_err(|error| error.into_py_err(py))
    }

    /// The occupied cells, to be stored or sent.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let columns = SummaryColumns::from(self.now(py));
        let floats = [&columns.weight, &columns.low, &columns.high, &columns.offset, &columns.within];
        Ok((
            columns.limit,
            columns.weighted,
            columns.exponent,
            PyArray1::from_slice(py, &columns.index),
            PyArray1::from_slice(py, &columns.count),
            PyArray1::from_iter(py, floats.into_iter().flatten().copied()).reshape([5, columns.index.len()])?,
        ))
    }

    /// Checks columns and makes a summary of them.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn from_columns(
        py: Python<'_>,
        limit: usize,
        weighted: bool,
        exponent: i32,
        index: PyReadonlyArray1<'_, i64>,
        count: PyReadonlyArray1<'_, u64>,
        floats: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Self> {
        if floats.shape() != [5, index.len()] {
            return Err(invalid(py, "the columns of a summary differ in length"));
        }
        let floats = floats.as_slice()?;
        let column = |i: usize| floats[i * index.len()..(i + 1) * index.len()].to_vec();
        let mut columns = SummaryColumns::new();
        columns.limit = limit;
        columns.weighted = weighted;
        columns.exponent = exponent;
        columns.index = index.as_slice()?.to_vec();
        columns.count = count.as_slice()?.to_vec();
        [columns.weight, columns.low, columns.high, columns.offset, columns.within] = [0, 1, 2, 3, 4].map(column);
        let inner = mindgap::Summary::try_from(columns).map_err(|error| error.into_py_err(py))?;
        Ok(Self::of(inner))
    }

    /// Summarises the points in each window.
    #[staticmethod]
    #[pyo3(signature = (values, weights, windows, limit=None))]
    fn of_windows(
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        windows: PyReadonlyArray2<'_, f64>,
        limit: Option<usize>,
    ) -> PyResult<Vec<Self>> {
        if windows.shape()[1] != 2 {
            return Err(invalid(py, "windows are pairs: smallest and largest value"));
        }
        let values = values.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let windows: Vec<(f64, f64)> = windows.as_slice()?.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let limit = limit.unwrap_or_else(|| mindgap::Summary::cells_of_windows(windows.len()));
        let found = py.detach(|| mindgap::Summary::of_windows(values, weights, &windows, limit));
        let found = found.map_err(|error| error.into_py_err(py))?;
        Ok(found.into_iter().map(Self::of).collect())
    }
}
