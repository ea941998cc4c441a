//! Constraints arrive as arrays: bounds for each gap, or linear rows.

use mindgap::{ConstraintError, GapBounds, LinearRows, Restriction};
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
    /// The restriction that the arrays spell out.
    pub(crate) fn restriction(&self, py: Python<'_>) -> PyResult<Restriction> {
        let checked: Result<Restriction, ConstraintError> = match self {
            Self::Gaps(lower, upper) => GapBounds::per_gap(lower.as_slice()?, upper.as_slice()?).map(Restriction::Gaps),
            Self::Rows(matrix, lower, upper) => {
                // By index: the slice of a matrix that lies column after column would be its transpose.
                let coefficients: Vec<f64> = matrix.as_array().iter().copied().collect();
                LinearRows::new(matrix.shape()[1], &coefficients, lower.as_slice()?, upper.as_slice()?)
                    .map(Restriction::Rows)
            }
        };
        checked.map_err(|error| error.into_py_err(py))
    }
}
