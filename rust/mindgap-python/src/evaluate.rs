//! A mixture's density and memberships at any values.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::mixture::Parameters;

/// The most likely component of each value.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    parameters: Parameters<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let (start, values) = (parameters.start(py)?, values.as_slice()?);
    let labels = py.detach(|| start.predict(values));
    Ok(PyArray1::from_iter(py, labels.into_iter().map(|label| label as i32)))
}

/// The probability of each component (columns) at each value (rows).
#[pyfunction]
pub(crate) fn predict_proba<'py>(
    py: Python<'py>,
    parameters: Parameters<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (start, values) = (parameters.start(py)?, values.as_slice()?);
    let numbers = values.len().saturating_mul(start.k());
    // An allocation that fails later would end the process.
    if std::hint::black_box(Vec::<f64>::new()).try_reserve_exact(numbers).is_err() {
        return Err(out_of_memory(py, numbers));
    }
    let rows = py.detach(|| start.predict_proba(values));
    PyArray1::from_vec(py, rows).reshape([values.len(), start.k()])
}

/// The log density at each value.
#[pyfunction]
pub(crate) fn score_samples<'py>(
    py: Python<'py>,
    parameters: Parameters<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (start, values) = (parameters.start(py)?, values.as_slice()?);
    let densities = py.detach(|| start.score_samples(values));
    Ok(PyArray1::from_vec(py, densities))
}
