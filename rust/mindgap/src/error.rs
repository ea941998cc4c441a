//! What can be wrong, one enum a concern, with the facts in fields.

use thiserror::Error;

/// Anything that can go wrong in this crate, for callers that need no finer distinction.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The data.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The constraint.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A k-means fit.
    #[error(transparent)]
    KMeans(#[from] KMeansError),
    /// A mixture fit.
    #[error(transparent)]
    Mixture(#[from] MixtureError),
}

/// Faults in the data or their weights.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// There are no points.
    #[error("the data are empty; give at least one value")]
    Empty,
    /// More points than an index of 32 bits can number.
    #[error("the data have {len} points; at most {max} fit one sample", max = u32::MAX)]
    TooMany {
        /// How many there are.
        len: usize,
    },
    /// A NaN or an infinity.
    #[error("the data hold {value:?} at index {index}; drop or replace values that are not finite")]
    NotFinite {
        /// Where the first one is.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// The range of the data cannot be squared.
    #[error(
        "the data span {range:e}, whose square is out of range; change the units so that the span is between 1e-140 and 1e140"
    )]
    RangeNotSquarable {
        /// Largest minus smallest value.
        range: f64,
    },
    /// Not as many weights as points.
    #[error("{weights} weights were given for {points} points; give one weight a point")]
    WeightCount {
        /// How many points there are.
        points: usize,
        /// How many weights were given.
        weights: usize,
    },
    /// A weight is negative, NaN or infinite.
    #[error("the weight at index {index} is {value:?}; weights must be finite and not negative")]
    BadWeight {
        /// Where the first one is.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// No weight is positive.
    #[error("the weights sum to zero; at least one must be positive")]
    NoWeight,
    /// The weights, or what they make of the data's squares, overflow.
    #[error("the weights sum to {total:e}, too large for the sums of squares; divide them by a constant")]
    WeightOverflow {
        /// Their sum.
        total: f64,
    },
}

/// Faults in a constraint, found before any fit.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A lower bound that is negative, NaN or infinite.
    #[error("the lower bound of {gap} is {value:?}; it must be finite and not negative", gap = gap_name(*.gap))]
    BadLower {
        /// Which gap (0-based), or `None` for all.
        gap: Option<usize>,
        /// The bound.
        value: f64,
    },
    /// An upper bound that is negative or NaN.
    #[error("the upper bound of {gap} is {value:?}; it must be a number that is not negative, or infinity", gap = gap_name(*.gap))]
    BadUpper {
        /// Which gap (0-based), or `None` for all.
        gap: Option<usize>,
        /// The bound.
        value: f64,
    },
    /// A lower bound above its upper bound.
    #[error("the lower bound {lower:?} of {gap} is above its upper bound {upper:?}", gap = gap_name(*.gap))]
    Crossed {
        /// Which gap (0-based), or `None` for all.
        gap: Option<usize>,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// Bounds for another number of gaps.
    #[error("{k} clusters have {expected} gaps, but {which} has {given} bounds", expected = .k.saturating_sub(1))]
    GapCount {
        /// The number of clusters.
        k: usize,
        /// "lower" or "upper".
        which: &'static str,
        /// How many bounds were given.
        given: usize,
    },
    /// Rows for another number of means, or vectors of other lengths.
    #[error("the rows do not fit {k} means: {what}")]
    RowShape {
        /// The number of clusters.
        k: usize,
        /// What does not fit.
        what: String,
    },
    /// A row with a coefficient or bound that makes no sense.
    #[error("row {row} is not a constraint: {what}")]
    BadRow {
        /// Which row (0-based).
        row: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A bound that only centres far from all data could hold.
    #[error(
        "the bounds of {what} {index} are {lower:?} and {upper:?}, which only centres over a million times the data's range away could hold; check its units"
    )]
    OffScale {
        /// "gap" or "row".
        what: &'static str,
        /// Which (0-based).
        index: usize,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// A constraint of the caller's own refused.
    #[error("{0}")]
    Refused(String),
}

fn gap_name(gap: Option<usize>) -> String {
    gap.map_or_else(|| "every gap".to_owned(), |gap| format!("gap {gap}"))
}

/// Faults of a k-means fit.
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
    #[error("k is {k}, but the data have only {distinct} distinct values")]
    TooFewDistinct {
        /// The number of clusters.
        k: usize,
        /// The number of distinct values.
        distinct: usize,
    },
    /// Weights so far apart that a sum over all points does not show the smallest.
    #[error(
        "the smallest weight is {smallest:e}, and all weights sum to {total:e}: too far apart for sums over all points; make weights below 1e-18 of the sum zero"
    )]
    WeightsTooUneven {
        /// The smallest positive weight.
        smallest: f64,
        /// The sum of all weights.
        total: f64,
    },
    /// The constraint makes no sense.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// No partition holds the bounds.
    #[error("no partition into {k} clusters holds the gap bounds {lower:?} to {upper:?}{}", largest_lower(.largest))]
    Infeasible {
        /// The number of clusters.
        k: usize,
        /// The lower bounds of the gaps.
        lower: Vec<f64>,
        /// Their upper bounds.
        upper: Vec<f64>,
        /// Where one lower bound serves all gaps: the largest that some partition holds.
        largest: Option<f64>,
    },
    /// No centres hold all rows.
    #[error("no ascending centres hold {}; widen or drop one of them", clash(.rows, *.ordering, "centres"))]
    InfeasibleRows {
        /// Rows of the constraint that clash: drop any one and the others can be held.
        rows: Vec<usize>,
        /// Whether the clash also needs the centres to ascend.
        ordering: bool,
    },
    /// The quadratic program of the centres was not solved.
    #[error("the centres' quadratic program was not solved: {0}")]
    Solver(String),
    /// Free centres that hold the constraint are too far from the data for squares of the distances.
    #[error("the constraint puts the centres so far from the data that their cost is out of range; ask for less")]
    OutOfRange,
    /// The search ended before it found a partition that holds the bounds, or proved that there is none.
    #[error(
        "no partition that holds the bounds was found within the search's limits, and none was ruled out; widen the bounds or round the data"
    )]
    Undecided,
    /// A setting that this method does not take.
    #[error("{0}")]
    Unsupported(String),
    /// The paper's program found no solution (which does not prove that there is none).
    #[error(
        "the paper's program finds no solution for k = {k}, δ = {delta:?}; method \"exact\" decides whether there is one"
    )]
    PaperFailed {
        /// The number of clusters.
        k: usize,
        /// The separation.
        delta: f64,
    },
    /// The watcher stopped the fit.
    #[error("the fit was interrupted")]
    Interrupted,
}

fn largest_lower(largest: &Option<f64>) -> String {
    largest.map_or_else(String::new, |delta| format!("; the largest feasible lower bound is {delta:?}"))
}

/// Faults of a mixture fit.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MixtureError {
    /// `k` is zero.
    #[error("k is 0; give at least 1 component")]
    NoComponents,
    /// More components than distinct values.
    #[error("k is {k}, but the data have only {distinct} distinct values (of positive weight)")]
    TooManyComponents {
        /// The number of components.
        k: usize,
        /// The number of distinct values.
        distinct: usize,
    },
    /// A setting out of its range.
    #[error("{name} is {value:?}; {expected}")]
    BadSetting {
        /// Which setting.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// The lengths of a start's parts differ, or there are none.
    #[error(
        "a start with {weights} weights, {means} means and {variances} variances; give one of each for every component"
    )]
    StartShape {
        /// How many weights.
        weights: usize,
        /// How many means.
        means: usize,
        /// How many variances.
        variances: usize,
    },
    /// A start for another number of components.
    #[error("the start has {given} components, but k is {k}")]
    StartCount {
        /// The number of components wanted.
        k: usize,
        /// The number of components of the start.
        given: usize,
    },
    /// A number in a start that makes no sense.
    #[error("the start's {what} {component} is {value:?}; {}", start_expects(.what))]
    BadStart {
        /// "weight", "mean" or "variance".
        what: &'static str,
        /// Which component (0-based).
        component: usize,
        /// What it is.
        value: f64,
    },
    /// A mean or variance of a start that has nothing to do with the data.
    #[error(
        "the start's {what} {component} is {value:?}, over a million times the data's range off; start nearer to the data"
    )]
    StartOffScale {
        /// "mean" or "variance" (whose root is meant).
        what: &'static str,
        /// Which component (0-based).
        component: usize,
        /// What it is.
        value: f64,
    },
    /// The weights of a start do not sum to one.
    #[error("the start's weights sum to {sum:?}; they must sum to 1")]
    StartWeights {
        /// Their sum.
        sum: f64,
    },
    /// The constraint makes no sense.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// No means hold all rows.
    #[error("no ascending means hold {}; widen or drop one of them", clash(.rows, *.ordering, "means"))]
    Infeasible {
        /// Rows of the constraint that clash: drop any one and the others can be held.
        rows: Vec<usize>,
        /// Whether the clash also needs the means to ascend.
        ordering: bool,
    },
    /// The means that hold the constraint are too far from the data for squares of the distances.
    #[error("the constraint puts the means so far from the data that variances are out of range; ask for less")]
    OutOfRange,
    /// The k-means that gives the start failed.
    #[error("the k-means start failed: {0}; give a start of your own, or start from \"ckmeans\"")]
    KMeansStart(#[source] KMeansError),
    /// The quadratic program of the means was not solved.
    #[error("the means' quadratic program was not solved at iteration {iteration}: {what}")]
    Solver {
        /// The iteration, from 1.
        iteration: usize,
        /// What happened.
        what: String,
    },
    /// The engine failed or answered nonsense.
    #[error("the engine failed: {0}")]
    Engine(String),
    /// An initializer of the caller's own refused.
    #[error("{0}")]
    Refused(String),
    /// The watcher stopped the fit.
    #[error("the fit was interrupted")]
    Interrupted,
}

fn start_expects(what: &str) -> &'static str {
    match what {
        "weight" => "weights must be finite and not negative",
        "mean" => "means must be finite",
        _ => "variances must be finite and positive",
    }
}

fn clash(rows: &[usize], ordering: bool, what: &str) -> String {
    let order = if ordering { format!(" with the {what} in ascending order") } else { String::new() };
    match rows {
        [row] => format!("row {row}{order}"),
        rows => format!("rows {rows:?} together{order}"),
    }
}
