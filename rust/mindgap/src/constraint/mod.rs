//! Constraints on the centres: bounds on the gaps between neighbours, or any linear rows.

mod gap_bounds;
mod linear_rows;
pub(crate) mod resolved;
#[cfg(feature = "serde")]
mod serde_form;

pub use gap_bounds::GapBounds;
pub(crate) use gap_bounds::Gaps;
pub use linear_rows::LinearRows;

use crate::error::ConstraintError;

/// What a constraint asks of `k` ascending centres.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Restriction {
    /// Bounds on the gaps between neighbours. Exact k-means takes these.
    Gaps(GapBounds),
    /// Linear rows on the centres. Mixtures take these; k-means does by alternation.
    Rows(LinearRows),
}

/// A constraint on the centres; implement it to bring your own.
pub trait Constraint: Send + Sync {
    /// What the constraint asks of `k` centres.
    ///
    /// # Errors
    /// If it does not apply to `k` centres.
    fn restriction(&self, k: usize) -> Result<Restriction, ConstraintError>;
}

/// No constraint at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unconstrained;

impl Constraint for Unconstrained {
    fn restriction(&self, _k: usize) -> Result<Restriction, ConstraintError> {
        Ok(Restriction::Gaps(GapBounds::none()))
    }
}

impl Constraint for Restriction {
    fn restriction(&self, _k: usize) -> Result<Restriction, ConstraintError> {
        Ok(self.clone())
    }
}

impl Constraint for GapBounds {
    fn restriction(&self, _k: usize) -> Result<Restriction, ConstraintError> {
        Ok(Restriction::Gaps(self.clone()))
    }
}

impl Constraint for LinearRows {
    fn restriction(&self, _k: usize) -> Result<Restriction, ConstraintError> {
        Ok(Restriction::Rows(self.clone()))
    }
}
