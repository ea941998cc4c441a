//! Errors in a constraint.

use super::{BoxError, Cause, OutOfMemory};
use thiserror::Error;

/// Errors in a constraint, found before any fit.
///
/// ```
/// use mindgap::{ConstraintError, GapBounds};
///
/// let refused = GapBounds::between(2.0, 1.0).unwrap_err();
/// assert_eq!(refused, ConstraintError::Crossed { gap: None, lower: 2.0, upper: 1.0 });
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A lower bound that is negative, NaN or infinite.
    #[error("the lower bound of {gap} is {value:?}; it must be finite and not negative", gap = gap_name(*.gap))]
    BadLower {
        /// The gap, from 0; `None` for all.
        gap: Option<usize>,
        /// The bound.
        value: f64,
    },
    /// An upper bound that is negative or NaN.
    #[error("the upper bound of {gap} is {value:?}; it must be a number that is not negative, or infinity", gap = gap_name(*.gap))]
    BadUpper {
        /// The gap, from 0; `None` for all.
        gap: Option<usize>,
        /// The bound.
        value: f64,
    },
    /// A lower bound above its upper bound.
    #[error("the lower bound {lower:?} of {gap} is above its upper bound {upper:?}", gap = gap_name(*.gap))]
    Crossed {
        /// The gap, from 0; `None` for all.
        gap: Option<usize>,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// The number of bounds differs from the number of gaps.
    #[error("{k} clusters have {expected} gaps, but there are {given} {which} bounds; give one per gap", expected = .k.saturating_sub(1))]
    GapCount {
        /// The number of clusters.
        k: usize,
        /// "lower" or "upper".
        which: &'static str,
        /// The number of bounds given.
        given: usize,
    },
    /// Rows on another number of centres or components, or vectors of the wrong length.
    #[error("the rows do not fit k = {k}: {what}")]
    RowShape {
        /// The number of clusters.
        k: usize,
        /// The mismatch.
        what: String,
    },
    /// A row with an invalid coefficient or bound.
    #[error("row {row} is not a constraint: {what}")]
    BadRow {
        /// The row, from 0.
        row: usize,
        /// The reason.
        what: String,
    },
    /// Invalid weights, or bounds that no weights satisfy.
    #[error("{what}")]
    BadWeights {
        /// The message.
        what: String,
    },
    /// Invalid spreads, or bounds that no spreads satisfy.
    #[error("{what}")]
    BadSpreads {
        /// The message.
        what: String,
    },
    /// A constraint on weights or spreads, given to k-means.
    #[error("the constraint bounds {what}, which k-means does not have; fit a mixture, or leave it out")]
    NotOfCenters {
        /// "weights" or "spreads".
        what: &'static str,
    },
    /// A bound that only centres far from the data could satisfy.
    #[error(
        "the bounds of {what} {index} are {lower:?} and {upper:?}, which only centres more than a million times the data's range away could satisfy; check its units"
    )]
    OffScale {
        /// "gap" or "row".
        what: &'static str,
        /// The gap or row, from 0.
        index: usize,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// The rows need more memory than there is.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The caller's own constraint returned an error.
    #[error("{0}")]
    Refused(#[source] Cause),
}

/// Keeps a [`ConstraintError`]; any other error becomes [`ConstraintError::Refused`].
impl From<BoxError> for ConstraintError {
    fn from(error: BoxError) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Refused(Cause::new(error)),
        }
    }
}

fn gap_name(gap: Option<usize>) -> String {
    gap.map_or_else(|| "every gap".to_owned(), |gap| format!("gap {gap}"))
}
