//! `Summary`: data of any size in a few thousand cells.

use std::sync::Arc;

use mindgap::SummaryColumns;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{IntoPyErr, invalid};
use crate::sample::Sample;
use crate::source::PythonSource;

/// Counts, sums and squares on cells that all summaries have in common.
#[pyclass(module = "mindgap._core")]
#[derive(Clone)]
pub(crate) struct Summary {
    pub(crate) inner: mindgap::Summary,
}

/// The limit, whether there are weights, and the exponent; index and count; weight, low, high, offset and within: one row each.
type Columns<'py> = (usize, bool, i32, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Summary {
    #[new]
    fn new(limit: usize) -> Self {
        Self { inner: mindgap::Summary::with_cells(limit) }
    }

    /// Takes in values, with weights or each of weight one.
    #[pyo3(signature = (values, weights=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let values = values.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let added = py.detach(|| match weights {
            Some(weights) => self.inner.add_weighted(values, weights),
            None => self.inner.add(values),
        });
        added.map_err(|error| error.into_py_err(py))
    }

    /// Takes in the points of another summary.
    fn merge(&mut self, py: Python<'_>, other: &Summary) -> PyResult<()> {
        self.inner.merge(&other.inner).map_err(|error| error.into_py_err(py))
    }

    fn copy(&self) -> Self {
        self.clone()
    }

    /// The most cells.
    #[getter]
    fn limit(&self) -> usize {
        self.inner.limit()
    }

    /// The number of points.
    #[getter]
    fn count(&self) -> u64 {
        self.inner.count()
    }

    /// The sum of the weights.
    #[getter]
    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    /// The smallest and the largest value.
    #[getter]
    fn extent(&self) -> Option<(f64, f64)> {
        self.inner.low().zip(self.inner.high())
    }

    /// The mean and the variance.
    #[getter]
    fn mean_and_variance(&self) -> Option<(f64, f64)> {
        self.inner.mean_and_variance()
    }

    /// The cells that hold points as a sample; `zoom` is asked for a closer look at some of them.
    #[pyo3(signature = (zoom=None))]
    fn sample(&self, py: Python<'_>, zoom: Option<Py<PyAny>>) -> PyResult<Sample> {
        let source = zoom.map(|callable| Arc::new(PythonSource::new(callable)));
        let sample = match &source {
            Some(source) => self.inner.sample_of(Arc::<PythonSource>::clone(source)),
            None => self.inner.sample(),
        };
        sample.map(|inner| Sample::of_source(inner, source)).map_err(|error| error.into_py_err(py))
    }

    /// The cells that hold points, to be written or sent.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let columns = SummaryColumns::from(self.inner.clone());
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

    /// The summary whose columns these are, after checks.
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
        Ok(Self { inner })
    }

    /// The summaries of the points in each of some windows.
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
        Ok(found.into_iter().map(|inner| Self { inner }).collect())
    }
}
