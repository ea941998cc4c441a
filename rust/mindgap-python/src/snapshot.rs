//! Copies of arrays that another thread may write to.

use numpy::ndarray::Dimension;
use numpy::{Element, PyReadonlyArray, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::out_of_memory;

/// Copies values and their weights, if they have any.
pub(crate) fn snapshots(
    py: Python<'_>,
    values: &PyReadonlyArray1<'_, f64>,
    weights: Option<&PyReadonlyArray1<'_, f64>>,
) -> PyResult<(Vec<f64>, Option<Vec<f64>>)> {
    Ok((snapshot(py, values)?, weights.map(|weights| snapshot(py, weights)).transpose()?))
}

/// Copies an array. Python can write to a borrowed array at any time, but data must not change after the core has
/// checked them.
pub(crate) fn snapshot<T, D>(py: Python<'_>, array: &PyReadonlyArray<'_, T, D>) -> PyResult<Vec<T>>
where
    T: Element + Copy,
    D: Dimension,
{
    let values = array.as_slice()?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).map_err(|_| out_of_memory(py, "a copy of the data", size_of_val(values)))?;
    py.detach(|| copy.extend_from_slice(values));
    Ok(copy)
}
