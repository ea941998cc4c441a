//! Errors of k-means.

use super::{Cause, ConstraintError, OutOfMemory, clash};
use crate::shortened::Shortened;
use thiserror::Error;

/// Errors of a k-means fit.
///
/// ```
/// use mindgap::{KMeans, KMeansError, Sample};
///
/// let refused = KMeans::new(3).fit(&Sample::new(&[1.0, 1.0, 2.0])?).unwrap_err();
/// assert_eq!(refused, KMeansError::TooFewDistinct { k: 3, distinct: 2 });
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum KMeansError {
    /// `k` is zero.
    #[error("k is 0; give at least 1 cluster")]
    NoClusters,
    /// More clusters than points of positive weight.
    #[error("k is {k}, but there are only {points} points (of positive weight); every cluster needs one")]
    TooManyClusters {
        /// The number of clusters.
        k: usize,
        /// The number of points.
        points: usize,
    },
    /// More clusters than distinct values.
    #[error("k is {k}, but the number of distinct values is {distinct}; ask for fewer clusters")]
    TooFewDistinct {
        /// The number of clusters.
        k: usize,
        /// The number of distinct values.
        distinct: usize,
    },
    /// A setting out of its range.
    #[error("{name} is {value:?}; {expected}")]
    BadSetting {
        /// The name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The values that it may have.
        expected: &'static str,
    },
    /// The smallest weight vanishes in a sum over all points.
    #[error(
        "the smallest weight is {smallest:e}, and all weights sum to {total:e}: too far apart for sums over all points; make weights below 1e-18 of the sum zero"
    )]
    WeightsTooUneven {
        /// The smallest positive weight.
        smallest: f64,
        /// The sum of all weights.
        total: f64,
    },
    /// The constraint is invalid.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// No partition satisfies the bounds.
    #[error("no partition into {k} clusters satisfies the gap bounds {:?} to {:?}{}", Shortened(.lower), Shortened(.upper), largest_lower(.largest))]
    Infeasible {
        /// The number of clusters.
        k: usize,
        /// The lower bounds of the gaps.
        lower: Vec<f64>,
        /// Their upper bounds.
        upper: Vec<f64>,
        /// If all gaps have the same lower bound: the largest one that some partition satisfies.
        largest: Option<f64>,
    },
    /// A bound on sizes is out of range, or the smallest size is above the largest.
    #[error(
        "min_size is {} and max_size is {}; give a min_size of at least 0, and a max_size above 0 and not below min_size",
        given(.min), given(.max)
    )]
    InvalidSizes {
        /// The least size.
        min: Option<f64>,
        /// The largest size.
        max: Option<f64>,
    },
    /// No partition satisfies the bounds on sizes.
    #[error(
        "no partition into {k} clusters has {}{}{}", sizes(*.min, *.max),
        if *.gaps { " and satisfies the gap bounds" } else { "" }, nearest_sizes(.largest_min, .smallest_max)
    )]
    InfeasibleSizes {
        /// The number of clusters.
        k: usize,
        /// The least size; 0 if none was given.
        min: f64,
        /// The largest size; infinite if none was given.
        max: f64,
        /// Whether the partition must also satisfy bounds on gaps.
        gaps: bool,
        /// The largest `min_size` that is feasible with this `max_size`, if there is one and it is known.
        largest_min: Option<f64>,
        /// If there is none: the smallest feasible `max_size`, if it is known.
        smallest_max: Option<f64>,
    },
    /// No centres satisfy all rows.
    #[error("no {}; widen or drop one of them", clash(.rows, *.ordering, "centres"))]
    InfeasibleRows {
        /// Rows that contradict each other; without any one of them the others can be satisfied.
        rows: Vec<usize>,
        /// Whether the contradiction involves the ascending order of the centres.
        ordering: bool,
    },
    /// The quadratic program of the centres was not solved.
    #[error("the centres' quadratic program was not solved: {0}")]
    Solver(String),
    /// The squared distances from the data to centres that satisfy the constraint are out of range.
    #[error(
        "the constraint puts the centres so far from the data that their cost is out of range; give smaller bounds"
    )]
    OutOfRange,
    /// The search ended before it found a partition that satisfies the bounds, or proved that there is none.
    #[error(
        "the search reached its limits before it found a partition that satisfies the bounds or proved that there is none; widen the bounds or round the data"
    )]
    Undecided,
    /// A summary with fewer cells than clusters.
    #[error("k is {k}, but the data are known in only {cells} cells; summarise them in finer ones")]
    TooCoarse {
        /// The number of clusters.
        k: usize,
        /// The number of cells.
        cells: usize,
    },
    /// The source of the data failed, or returned other points than before.
    #[error("the data could not be read again: {0}")]
    Source(#[source] Cause),
    /// A setting that this method does not support.
    #[error("{0}")]
    Unsupported(String),
    /// The paper's program found no solution (which does not prove that there is none).
    #[error(
        "the paper's program finds no solution for k = {k}, δ = {delta:?}; the exact method decides whether there is one"
    )]
    PaperFailed {
        /// The number of clusters.
        k: usize,
        /// The separation.
        delta: f64,
    },
    /// The stored form is not that of a fit.
    #[error("this is not a k-means fit: {what}")]
    BadFit {
        /// The reason.
        what: &'static str,
    },
    /// The work needs more memory than there is.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The caller stopped the fit.
    #[error("the fit was interrupted")]
    Interrupted,
    /// The time limit passed before there was a result.
    #[error("the time limit passed before there was a result; allow more time")]
    TimeLimit,
}

fn given(size: &Option<f64>) -> String {
    size.map_or_else(|| "not given".to_owned(), |size| size.to_string())
}

fn sizes(min: f64, max: f64) -> String {
    match (min > 0.0, max < f64::INFINITY) {
        (true, true) => format!("sizes from {min} to {max}"),
        (true, false) => format!("sizes of at least {min}"),
        (false, _) => format!("sizes of at most {max}"),
    }
}

fn nearest_sizes(largest_min: &Option<f64>, smallest_max: &Option<f64>) -> String {
    match (largest_min, smallest_max) {
        (Some(size), _) => format!("; the largest feasible min_size is {size}"),
        (None, Some(size)) => format!("; the smallest feasible max_size is {size}"),
        (None, None) => String::new(),
    }
}

fn largest_lower(largest: &Option<f64>) -> String {
    largest.map_or_else(String::new, |delta| format!("; the largest feasible lower bound is {delta:?}"))
}
