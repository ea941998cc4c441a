//! Conversion of constraints from arrays: bounds for each gap, or linear rows.

use mindgap::{BoxError, Constraint, ConstraintError, GapBounds, LinearRows, PrecisionRows, Rows};
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
    /// Converts the arrays to rows on `k` centres.
    pub(crate) fn rows(&self, py: Python<'_>, k: usize) -> PyResult<Rows> {
        let rows = match self {
            Self::Gaps(lower, upper) => {
                GapBounds::per_gap(lower.as_slice()?, upper.as_slice()?).and_then(|bounds| bounds.rows(k))
            }
            Self::Rows(matrix, lower, upper) => linear(matrix, lower, upper)?.and_then(|rows| rows.rows(k)),
        };
        rows.map_err(|error| error.into_py_err(py))
    }
}

/// `(matrix, lower, upper)`.
#[derive(FromPyObject)]
pub(crate) struct RowArrays<'py>(PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

fn linear(
    matrix: &PyReadonlyArray2<'_, f64>,
    lower: &PyReadonlyArray1<'_, f64>,
    upper: &PyReadonlyArray1<'_, f64>,
) -> PyResult<Result<LinearRows, ConstraintError>> {
    // By index, because the slice of a column-major matrix would be its transpose.
    let coefficients: Vec<f64> = matrix.as_array().iter().copied().collect();
    Ok(LinearRows::new(matrix.shape()[1], &coefficients, lower.as_slice()?, upper.as_slice()?))
}

/// The rows of a constraint on the means, the weights and the precisions of a mixture.
#[derive(Debug)]
pub(crate) struct MixtureRows {
    rows: Rows,
    weights: Option<LinearRows>,
    precisions: Option<PrecisionRows>,
}

impl MixtureRows {
    /// Converts arrays, the largest ratio of two standard deviations, and the coefficient of variation (infinite to
    /// estimate it).
    pub(crate) fn new(
        py: Python<'_>,
        k: usize,
        bounds: Option<Bounds<'_>>,
        [weights, precisions]: [Option<RowArrays<'_>>; 2],
        [spread_ratio, variation]: [Option<f64>; 2],
    ) -> PyResult<Self> {
        let rows = bounds.map_or_else(|| Ok(Rows::none(k)), |bounds| bounds.rows(py, k))?;
        let read = |arrays: Option<RowArrays<'_>>| {
            let read = |RowArrays(matrix, lower, upper)| {
                linear(&matrix, &lower, &upper)?.map_err(|error| error.into_py_err(py))
            };
            arrays.map(read).transpose()
        };
        let ratio = spread_ratio.map(PrecisionRows::ratio).transpose().map_err(|error| error.into_py_err(py))?;
        let tied = variation.map(|c| PrecisionRows::constant_variation(Some(c).filter(|c| *c != f64::INFINITY)));
        let tied = tied.transpose().map_err(|error| error.into_py_err(py))?;
        let asked = [read(precisions)?.map(PrecisionRows::linear), ratio, tied];
        let precisions = asked.into_iter().flatten().reduce(|all, rows| all.and(&rows));
        Ok(Self { rows, weights: read(weights)?, precisions })
    }
}

impl Constraint for MixtureRows {
    fn rows(&self, _k: usize) -> Result<Rows, BoxError> {
        Ok(self.rows.clone())
    }

    fn weight_rows(&self, _k: usize) -> Result<Option<LinearRows>, BoxError> {
        Ok(self.weights.clone())
    }

    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        Ok(self.precisions.clone())
    }
}
