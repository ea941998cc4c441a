//! A mixture's density and memberships at any values.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::memory::check_memory;
use crate::mixture::ParameterArrays;

/// Values classified together: their results in double precision stay in cache.
const BLOCK: usize = 1 << 13;

/// The most likely component of each value.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    parameters: ParameterArrays<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let (mixture, values) = (parameters.parameters(py)?, values.as_slice()?);
    let labels = py.detach(|| mixture.predict(values));
    Ok(PyArray1::from_iter(py, labels.into_iter().map(|label| label as i32)))
}

/// The probability of each component (columns) at each value (rows).
#[pyfunction]
pub(crate) fn predict_proba<'py>(
    py: Python<'py>,
    parameters: ParameterArrays<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (mixture, values) = (parameters.parameters(py)?, values.as_slice()?);
    let (count, k) = (values.len(), mixture.k());
    let bytes = count.saturating_mul(k).saturating_mul(size_of::<f64>());
    check_memory(py, &format!("the probabilities of {k} components at {count} values"), bytes)?;
    let rows = py.detach(|| mixture.predict_proba(values));
    PyArray1::from_vec(py, rows).reshape([values.len(), mixture.k()])
}

/// The most likely component of each value, and its probability in single precision.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn classify<'py>(
    py: Python<'py>,
    parameters: ParameterArrays<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>)> {
    let (mixture, values) = (parameters.parameters(py)?, values.as_slice()?);
    let (labels, probabilities) = py.detach(|| {
        let (mut labels, mut probabilities) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        for block in values.chunks(BLOCK) {
            let (components, shares) = mixture.classify(block);
            labels.extend(components.into_iter().map(|component| component as i32));
            probabilities.extend(shares.into_iter().map(|share| share as f32));
        }
        (labels, probabilities)
    });
    Ok((PyArray1::from_vec(py, labels), PyArray1::from_vec(py, probabilities)))
}

/// The log density at each value.
#[pyfunction]
pub(crate) fn score_samples<'py>(
    py: Python<'py>,
    parameters: ParameterArrays<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (mixture, values) = (parameters.parameters(py)?, values.as_slice()?);
    let densities = py.detach(|| mixture.score_samples(values));
    Ok(PyArray1::from_vec(py, densities))
}
