//! A constraint as the EM needs it: rows in its units, and which of them are active in the end.

use super::qp::{Failure, MeanProgram, Rows};
use crate::constraint::Restriction;
use crate::error::{ConstraintError, MixtureError};
use crate::frame::Frame;
use crate::kmeans::Active;

/// A row within this fraction of the data's standard deviation of its bound counts as being at it.
const AT_BOUND: f64 = 1e-9;

/// The rows that the means hold, in the units of the fit.
pub(super) struct Restraint {
    rows: Rows,
    /// Nothing is asked: the means may even cross.
    trivial: bool,
}

impl Restraint {
    /// What `restriction` asks of `k` means.
    pub(super) fn new(restriction: &Restriction, k: usize, frame: &Frame) -> Result<Self, MixtureError> {
        match restriction {
            Restriction::Gaps(bounds) => {
                let gaps = bounds.resolve(k)?;
                Ok(Self { rows: Rows::from_gaps(&gaps, frame), trivial: gaps.are_trivial() })
            }
            Restriction::Rows(rows) if rows.k() == k => {
                Ok(Self { rows: Rows::from_linear(rows, frame), trivial: rows.is_empty() })
            }
            Restriction::Rows(rows) => {
                let what = format!("they are about {} means", rows.k());
                Err(ConstraintError::RowShape { k, what }.into())
            }
        }
    }

    /// The quadratic program of the means; `None` where nothing is asked.
    ///
    /// # Errors
    /// The rows that cannot be held together.
    pub(super) fn program(&self) -> Result<Option<MeanProgram>, MixtureError> {
        if self.trivial {
            return Ok(None);
        }
        MeanProgram::new(self.rows.clone()).map(Some).map_err(|failure| match failure {
            Failure::Clash(rows) => {
                let (given, order): (Vec<_>, Vec<_>) = rows.into_iter().partition(|&row| row < self.rows.given());
                MixtureError::Infeasible { rows: given, ordering: !order.is_empty() }
            }
            Failure::NoEnd => {
                MixtureError::Solver { iteration: 0, what: "no means that hold the rows were found".to_owned() }
            }
        })
    }

    /// Which bound each given row is at, where the data have this standard deviation.
    pub(super) fn active(&self, means: &[f64], deviation: f64) -> Vec<Active> {
        (0..self.rows.given())
            .map(|row| {
                let (lower, upper) = self.rows.bounds(row);
                let lower = if self.trivial { f64::NEG_INFINITY } else { lower };
                Active::of(self.rows.value(row, means), lower, upper, AT_BOUND * deviation)
            })
            .collect()
    }
}
