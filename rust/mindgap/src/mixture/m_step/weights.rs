//! [`WeightBlock`]: maximises `Σ n_k log w_k` over the weights under rows.
//!
//! The optimum is `n_k/n` for free weights. `shares` solves bounds, a `LogProgram` other rows.

use super::shares::Shares;
use super::single_bounds;
use crate::constraint::LinearRows;
use crate::error::MixtureError;
use crate::mixture::engine::Moments;
use crate::monitor::Monitor;
use crate::qp::{Failure, LogProgram, NoInterior, RowMatrix, equality_rank};

/// The weights' block of the M step.
pub(in crate::mixture) enum WeightBlock {
    /// No rows.
    Free,
    /// Bounds on single weights.
    Shares(Shares),
    /// Any rows.
    Rows(Box<LogProgram>),
}

impl WeightBlock {
    /// Makes the block of `k` weights under `rows`.
    ///
    /// # Errors
    /// Rows that no positive weights satisfy.
    pub(in crate::mixture) fn new(
        rows: Option<&LinearRows>,
        k: usize,
        monitor: &mut Monitor<'_>,
    ) -> Result<Self, MixtureError> {
        let Some(rows) = rows else {
            return Ok(Self::Free);
        };
        let none = |what: String| MixtureError::InfeasibleBlock { block: "weights", what };
        if let Some([lower, upper]) = single_bounds(rows, [0.0, 1.0]) {
            if let Some(c) = (0..k).find(|&c| lower[c] > upper[c] || upper[c] <= 0.0) {
                return Err(none(format!("the bounds {:?} and {:?} of component {c}", lower[c], upper[c])));
            }
            let (least, most): (f64, f64) = (lower.iter().sum(), upper.iter().sum());
            // The rounding error of a caller's division by a sum.
            let rounding = 4.0 * f64::EPSILON * k as f64;
            if least > 1.0 + rounding {
                return Err(none(format!("lower bounds that sum to {least:?}, which is more than 1")));
            }
            if most < 1.0 - rounding {
                return Err(none(format!("upper bounds that sum to {most:?}, which is less than 1")));
            }
            return Ok(Self::Shares(Shares { lower, upper }));
        }
        let given = (0..rows.len()).map(|row| (rows.row(row).to_vec(), rows.lower()[row], rows.upper()[row]));
        let matrix = RowMatrix::plain(k, given.chain([(vec![1.0; k], 1.0, 1.0)]));
        LogProgram::new(matrix, 1.0 / k as f64, monitor).map(|program| Self::Rows(Box::new(program))).map_err(|error| {
            match error {
                NoInterior::Vanishes(c) => none(format!("the rows, unless component {c} vanishes")),
                NoInterior::Failure(Failure::Clash(clash)) => {
                    none(format!("rows {:?} and a sum of 1", named(&clash, rows.len())))
                }
                NoInterior::Failure(other) => other.in_iteration(0),
            }
        })
    }

    /// The least and the largest weight of a component.
    pub(in crate::mixture) fn bounds(&self, component: usize) -> [f64; 2] {
        match self {
            Self::Shares(shares) => [shares.lower[component], shares.upper[component]],
            Self::Free | Self::Rows(_) => [0.0, 1.0],
        }
    }

    /// The rows that are more than bounds on single weights.
    pub(in crate::mixture) fn rows(&self) -> Option<&RowMatrix> {
        match self {
            Self::Rows(program) => Some(program.rows()),
            Self::Free | Self::Shares(_) => None,
        }
    }

    /// The number of free weights: the others follow from the sum and from equalities.
    pub(super) fn free_count(&self, k: usize) -> usize {
        match self {
            Self::Free => k - 1,
            Self::Shares(shares) => (0..k).filter(|&c| shares.lower[c] < shares.upper[c]).count().saturating_sub(1),
            Self::Rows(program) => k - equality_rank(program.rows()),
        }
    }

    /// Returns the best weights.
    ///
    /// # Errors
    /// A failure of the program.
    pub(super) fn best(&mut self, moments: &Moments, monitor: &mut Monitor<'_>) -> Result<Vec<f64>, Failure> {
        match self {
            Self::Free => {
                let total: f64 = moments.weight.iter().sum();
                Ok(moments.weight.iter().map(|n| n / total).collect())
            }
            Self::Shares(shares) => Ok(shares.best(&moments.weight)),
            Self::Rows(program) => program.solve(&moments.weight, &vec![0.0; moments.weight.len()], monitor),
        }
    }
}

/// The rows of the constraint among the contradictory ones.
pub(super) fn named(clash: &[usize], given: usize) -> Vec<usize> {
    clash.iter().copied().filter(|&row| row < given).collect()
}
