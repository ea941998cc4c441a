//! A constraint as an iteration needs it: rows in its units, and which of them are active in the end.

use crate::constraint::Restriction;
use crate::error::{ConstraintError, KMeansError, MixtureError};
use crate::frame::Frame;
use crate::kmeans::Active;
use crate::qp::{Failure, MeanProgram, Rows};

/// A row within this fraction of the data's scale of its bound counts as being at it.
const AT_BOUND: f64 = 1e-9;

/// Why no means hold the rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unheld {
    /// These rows of the constraint clash, with the ascending order of the means or without.
    Clash { rows: Vec<usize>, ordering: bool },
    /// None were found, which exact arithmetic rules out.
    NotFound,
}

const NOT_FOUND: &str = "no means that hold the rows were found";

impl From<Unheld> for MixtureError {
    fn from(unheld: Unheld) -> Self {
        match unheld {
            Unheld::Clash { rows, ordering } => Self::Infeasible { rows, ordering },
            Unheld::NotFound => Self::Solver { iteration: 0, what: NOT_FOUND.to_owned() },
        }
    }
}

impl From<Unheld> for KMeansError {
    fn from(unheld: Unheld) -> Self {
        match unheld {
            Unheld::Clash { rows, ordering } => Self::InfeasibleRows { rows, ordering },
            Unheld::NotFound => Self::Solver(NOT_FOUND.to_owned()),
        }
    }
}

/// The rows that the means (or centres) hold, in the units of the fit.
pub(crate) struct Restraint {
    rows: Rows,
    /// Nothing is asked: the means may even cross.
    trivial: bool,
}

impl Restraint {
    /// What `restriction` asks of `k` means, none of which has any business farther than `reach` from the data (in
    /// frame units).
    pub(crate) fn new(restriction: &Restriction, k: usize, frame: &Frame, reach: f64) -> Result<Self, ConstraintError> {
        match restriction {
            Restriction::Gaps(bounds) => {
                let gaps = bounds.resolve(k)?;
                gaps.check_scale(frame, reach)?;
                Ok(Self { rows: Rows::from_gaps(&gaps, frame), trivial: gaps.are_trivial() })
            }
            Restriction::Rows(rows) if rows.k() == k => {
                let restraint = Self { rows: Rows::from_linear(rows, frame), trivial: rows.is_empty() };
                match restraint.rows.beyond(reach) {
                    Some(index) => {
                        let (lower, upper) = (rows.lower()[index], rows.upper()[index]);
                        Err(ConstraintError::OffScale { what: "row", index, lower, upper })
                    }
                    None => Ok(restraint),
                }
            }
            Restriction::Rows(rows) => {
                let what = format!("they are about {} means", rows.k());
                Err(ConstraintError::RowShape { k, what })
            }
        }
    }

    /// The quadratic program of the means; `None` where nothing is asked.
    ///
    /// # Errors
    /// The rows that cannot be held together.
    pub(crate) fn program(&self) -> Result<Option<MeanProgram>, Unheld> {
        if self.trivial {
            return Ok(None);
        }
        MeanProgram::new(self.rows.clone()).map(Some).map_err(|failure| match failure {
            Failure::Clash(rows) => {
                let (given, order): (Vec<_>, Vec<_>) = rows.into_iter().partition(|&row| row < self.rows.given());
                Unheld::Clash { rows: given, ordering: !order.is_empty() }
            }
            Failure::NoEnd => Unheld::NotFound,
        })
    }

    /// Which bound each given row is at, where the data are of this scale.
    pub(crate) fn active(&self, means: &[f64], scale: f64) -> Vec<Active> {
        (0..self.rows.given())
            .map(|row| {
                let (lower, upper) = self.rows.bounds(row);
                let lower = if self.trivial { f64::NEG_INFINITY } else { lower };
                Active::of(self.rows.value(row, means), lower, upper, AT_BOUND * scale)
            })
            .collect()
    }
}
