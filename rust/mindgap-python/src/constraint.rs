//! Constraints arrive as arrays: bounds for each gap, or linear rows.

use mindgap::{GapBounds, LinearRows, Rows};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// `(lower, upper)` for gaps, or `(matrix, lower, upper)` for rows.
#[derive(FromPyObject)]
pub(crate) enum Bounds<'py> {
    Rows(PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    Gaps(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
}

impl Bounds<'_> {
    /// The rows on `k` centres that the arrays spell out.
    pub(crate) fn rows(&self, py: Python<'_>, k: usize) -> PyResult<Rows> {
        let rows = match self {
            Self::Gaps(lower, upper) => {
                GapBounds::per_gap(lower.as_slice()?, upper.as_slice()?).and_then(|bounds| bounds.rows(k))
            }
            Self::Rows(matrix, lower, upper) => {
                // By index: the slice of a matrix that lies column after column would be its transpose.
                let coefficients: Vec<f64> = matrix.as_array().iter().copied().collect();
                LinearRows::new(matrix.shape()[1], &coefficients, lower.as_slice()?, upper.as_slice()?)
                    .and_then(|rows| rows.rows(k))
            }
        };
        rows.map_err(|error| error.into_py_err(py))
    }
}
