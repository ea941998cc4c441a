//! Errors of a mixture.

use super::{BoxError, Cause, ConstraintError, KMeansError, OutOfMemory, clash};
use thiserror::Error;

/// Errors of a mixture fit.
///
/// ```
/// use mindgap::{MixtureError, Parameters};
///
/// let refused = Parameters::new(&[0.5, 0.4], &[0.0, 1.0], &[1.0, 1.0]).unwrap_err();
/// assert_eq!(refused, MixtureError::ParametersWeights { sum: 0.9 });
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MixtureError {
    /// `k` is zero.
    #[error("k is 0; give at least 1 component")]
    NoComponents,
    /// More components than distinct values.
    #[error("k is {k}, but the number of distinct values (of positive weight) is {distinct}; ask for fewer components")]
    TooManyComponents {
        /// The number of components.
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
    /// Values that were not recorded to the given resolution.
    #[error(
        "the values {first:?} and {second:?} are closer than half the resolution {resolution:?}, so they were not recorded to that step; \
         give the step they were recorded to"
    )]
    NotRounded {
        /// The step.
        resolution: f64,
        /// A value.
        first: f64,
        /// The next one.
        second: f64,
    },
    /// A value outside the support.
    #[error("the value {value:?} lies outside the support from {low:?} to {high:?}; widen it or drop the value")]
    OutsideSupport {
        /// The value, or a bin's edge.
        value: f64,
        /// The lower end of the support.
        low: f64,
        /// The upper end of the support.
        high: f64,
    },
    /// The numbers of weights, means and variances of a start differ or are zero.
    #[error(
        "a start with {weights} weights, {means} means and {variances} variances; give one of each for every component"
    )]
    ParametersShape {
        /// The number of weights.
        weights: usize,
        /// The number of means.
        means: usize,
        /// The number of variances.
        variances: usize,
    },
    /// A start for another number of components.
    #[error("the start has {given} components, but k is {k}; give a start for k components")]
    ParametersCount {
        /// The number of components of the fit.
        k: usize,
        /// The number of components of the start.
        given: usize,
    },
    /// An invalid number in a start.
    #[error("the start's {what} {component} is {value:?}; {}", start_expects(.what))]
    BadParameter {
        /// "weight", "mean" or "variance".
        what: &'static str,
        /// The component, from 0.
        component: usize,
        /// Its value.
        value: f64,
    },
    /// A mean or standard deviation of a start that is far beyond the data's range.
    #[error(
        "the start's {what} {component} is {value:?}, over a million times the data's range off; start nearer to the data"
    )]
    ParametersOffScale {
        /// "mean" or "variance".
        what: &'static str,
        /// The component, from 0.
        component: usize,
        /// Its value.
        value: f64,
    },
    /// The weights of a start do not sum to one.
    #[error("the start's weights sum to {sum:?}; they must sum to 1")]
    ParametersWeights {
        /// Their sum.
        sum: f64,
    },
    /// The constraint is invalid.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// No means satisfy all rows.
    #[error("no {}; widen or drop one of them", clash(.rows, *.ordering, "means"))]
    Infeasible {
        /// Rows that contradict each other; without any one of them the others can be satisfied.
        rows: Vec<usize>,
        /// Whether the contradiction involves the ascending order of the means.
        ordering: bool,
    },
    /// No weights, or no spreads, satisfy all rows on them.
    #[error("no {block} satisfy {what}; widen or drop one of them")]
    InfeasibleBlock {
        /// "weights" or "spreads".
        block: &'static str,
        /// The contradiction.
        what: String,
    },
    /// The squared distances from the data to means that satisfy the constraint are out of range.
    #[error("the constraint puts the means so far from the data that variances are out of range; give smaller bounds")]
    OutOfRange,
    /// The k-means fit of the start failed.
    #[error("the k-means start failed: {0}; give a start of your own, or start from Ckmeans")]
    KMeansStart(#[source] KMeansError),
    /// The quadratic program of the means was not solved.
    #[error("the means' quadratic program was not solved at iteration {iteration}: {what}")]
    Solver {
        /// The iteration, from 1.
        iteration: usize,
        /// The failure.
        what: String,
    },
    /// The engine failed or returned an invalid answer.
    #[error("the engine failed: {0}")]
    Engine(#[source] Cause),
    /// The caller's own initializer returned an error.
    #[error("{0}")]
    Refused(#[source] Cause),
    /// The work needs more memory than there is.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The stored form is not that of a fit.
    #[error("this is not the fit of a mixture: {what}")]
    BadFit {
        /// The reason.
        what: &'static str,
    },
    /// The likelihood of this mixture cannot be bounded.
    #[error("this mixture cannot be certified: {reason}")]
    NotCertifiable {
        /// The reason, and a problem that can be certified.
        reason: &'static str,
    },
    /// The caller stopped the fit.
    #[error("the fit was interrupted")]
    Interrupted,
    /// The time limit passed before there was a result.
    #[error("the time limit passed before there was a result; allow more time")]
    TimeLimit,
}

/// Keeps a [`MixtureError`]; any other error becomes [`MixtureError::Refused`].
impl From<BoxError> for MixtureError {
    fn from(error: BoxError) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Refused(Cause::new(error)),
        }
    }
}

fn start_expects(what: &str) -> &'static str {
    match what {
        "weight" => "weights must be finite and not negative",
        "mean" => "means must be finite",
        _ => "variances must be finite and positive",
    }
}
