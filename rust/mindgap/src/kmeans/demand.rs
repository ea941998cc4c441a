//! What the centres are asked to hold, checked, in the form that the solvers take.

use super::fit::Active;
use crate::constraint::resolved::Restraint;
use crate::constraint::{Gaps, LinearRows, Restriction};
use crate::data::frame::{FARTHEST, Frame};
use crate::error::ConstraintError;

/// A gap within this fraction of the data's range of its bound counts as being at it.
const AT_BOUND: f64 = 1e-9;

/// Bounds on the gaps, or linear rows.
pub(super) enum Demand {
    /// In data units.
    Gaps(Gaps),
    /// The rows in data units, and what becomes of them in frame units.
    Rows(LinearRows, Restraint),
}

impl Demand {
    /// What `restriction` asks of `k` centres of data in `frame`.
    pub(super) fn new(restriction: &Restriction, k: usize, frame: &Frame) -> Result<Self, ConstraintError> {
        match restriction {
            Restriction::Gaps(bounds) => bounds.resolve(k).map(Self::Gaps),
            Restriction::Rows(rows) => {
                Restraint::new(restriction, k, frame, FARTHEST).map(|restraint| Self::Rows(rows.clone(), restraint))
            }
        }
    }

    /// Which bound each gap (or row) is at, where these are the centres in frame units.
    pub(super) fn active(&self, centers: &[f64], frame: &Frame) -> Vec<Active> {
        match self {
            Self::Gaps(bounds) => {
                let bounds = bounds.enter(frame);
                let gaps = centers.windows(2).map(|pair| pair[1] - pair[0]);
                gaps.zip(bounds.lower.iter().zip(&bounds.upper))
                    .map(|(gap, (&lower, &upper))| {
                        // Ascending order alone holds nothing back.
                        let lower = if lower > 0.0 { lower } else { f64::NEG_INFINITY };
                        Active::of(gap, lower, upper, AT_BOUND)
                    })
                    .collect()
            }
            // The data's range is about one in the frame.
            Self::Rows(_, restraint) => restraint.active(centers, 1.0),
        }
    }
}
