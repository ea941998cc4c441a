//! A constraint as an iteration needs it: rows in its units, and which of them are active in the end.

use crate::constraint::Restriction;
use crate::data::frame::Frame;
use crate::error::{ConstraintError, KMeansError, MixtureError};
use crate::kmeans::Active;
use crate::memory::check_memory;
use crate::monitor::Watch;
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
    /// The search for them was stopped.
    Interrupted,
}

const NOT_FOUND: &str = "no means that hold the rows were found";

impl From<Unheld> for MixtureError {
    fn from(unheld: Unheld) -> Self {
        match unheld {
            Unheld::Clash { rows, ordering } => Self::Infeasible { rows, ordering },
            Unheld::NotFound => Self::Solver { iteration: 0, what: NOT_FOUND.to_owned() },
            Unheld::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Unheld> for KMeansError {
    fn from(unheld: Unheld) -> Self {
        match unheld {
            Unheld::Clash { rows, ordering } => Self::InfeasibleRows { rows, ordering },
            Unheld::NotFound => Self::Solver(NOT_FOUND.to_owned()),
            Unheld::Interrupted => Self::Interrupted,
        }
    }
}

/// The rows that the means (or centres) hold, in the units of the fit.
pub(crate) struct Restraint {
    rows: Rows,
    /// Where nothing is asked and the means may even cross: how many gaps are free.
    free: Option<usize>,
}

impl Restraint {
    /// What `restriction` asks of `k` means, none of which has any business farther than `reach` from the data (in
    /// frame units).
    pub(crate) fn new(restriction: &Restriction, k: usize, frame: &Frame, reach: f64) -> Result<Self, ConstraintError> {
        match restriction {
            Restriction::Gaps(bounds) => {
                let gaps = bounds.resolve(k)?;
                gaps.check_scale(frame, reach)?;
                if gaps.are_trivial() {
                    return Ok(Self { rows: Rows::default(), free: Some(gaps.lower.len()) });
                }
                check_memory("the means' quadratic program", Rows::bytes(k, gaps.lower.len()))?;
                Ok(Self { rows: Rows::from_gaps(&gaps, frame), free: None })
            }
            Restriction::Rows(rows) if rows.is_empty() && rows.k() == k => {
                Ok(Self { rows: Rows::default(), free: Some(0) })
            }
            Restriction::Rows(rows) if rows.k() == k => {
                check_memory("the means' quadratic program", Rows::bytes(k, rows.len() + k))?;
                let restraint = Self { rows: Rows::from_linear(rows, frame), free: None };
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

    /// Whether any means will do, even means that cross.
    pub(crate) fn asks_nothing(&self) -> bool {
        self.free.is_some()
    }

    /// The quadratic program of the means; `None` where nothing is asked.
    ///
    /// # Errors
    /// The rows that cannot be held together.
    pub(crate) fn program(&self, watch: &mut Option<Watch<'_>>) -> Result<Option<MeanProgram>, Unheld> {
        if self.asks_nothing() {
            return Ok(None);
        }
        MeanProgram::new(self.rows.clone(), watch).map(Some).map_err(|failure| match failure {
            Failure::Clash(rows) => {
                let (given, order): (Vec<_>, Vec<_>) = rows.into_iter().partition(|&row| row < self.rows.given());
                Unheld::Clash { rows: given, ordering: !order.is_empty() }
            }
            Failure::NoEnd => Unheld::NotFound,
            Failure::Interrupted => Unheld::Interrupted,
        })
    }

    /// Which bound each given row is at, where the data are of this scale.
    pub(crate) fn active(&self, means: &[f64], scale: f64) -> Vec<Active> {
        if let Some(gaps) = self.free {
            return vec![Active::Free; gaps];
        }
        (0..self.rows.given())
            .map(|row| {
                let (lower, upper) = self.rows.bounds(row);
                Active::of(self.rows.value(row, means), lower, upper, AT_BOUND * scale)
            })
            .collect()
    }
}
