//! [`Progress`], a report of a running fit, and [`Halt`], the reason why one was stopped.

use crate::error::{KMeansError, MixtureError};

/// A report of a running fit.
///
/// ```
/// use mindgap::{KMeans, Monitor, Progress, Sample};
/// use std::ops::ControlFlow;
///
/// let mut watch = |progress: &Progress| {
///     if let Progress::Search { cost, lower_bound } = progress {
///         println!("between {lower_bound} and {cost:?}");
///     }
///     ControlFlow::Continue(())
/// };
/// let fit = KMeans::new(2).fit_with(&Sample::new(&[1.0, 2.0, 8.0])?, &mut Monitor::new(&mut watch))?;
/// assert_eq!(fit.centers(), [1.5, 8.0]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A k-means search has found a solution of `cost` and proven that none costs less than `lower_bound`.
    Search {
        /// The cost of the best solution so far, in squared data units; `None` while no solution is known.
        cost: Option<f64>,
        /// A lower bound on the cost of every solution.
        lower_bound: f64,
    },
    /// An EM iteration has ended.
    Iteration {
        /// The number of iterations so far.
        iteration: usize,
        /// The log-likelihood of the iterate.
        log_likelihood: f64,
        /// The largest movement of a parameter, on the scale of the tolerance.
        movement: f64,
        /// The weights, means and variances of the iterate, in data units; a fit may start from them.
        parameters: [Vec<f64>; 3],
    },
    /// A certificate has examined more regions of parameters.
    Certificate {
        /// The number of regions examined.
        nodes: usize,
        /// The number of regions known to be left.
        open: usize,
        /// The bound being proven minus `log_likelihood`.
        epsilon: f64,
        /// The best log-likelihood known.
        log_likelihood: f64,
    },
    /// A long step goes on; the callback may stop it.
    Working,
}

/// The reason why a fit was stopped from outside. A match on it needs no wildcard.
///
/// ```
/// use mindgap::{Halt, KMeansError};
///
/// assert_eq!(KMeansError::from(Halt::Interrupted), KMeansError::Interrupted);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The callback of [`Monitor::new`](super::Monitor::new) returned
    /// [`ControlFlow::Break`](std::ops::ControlFlow::Break): the fit has no result.
    Interrupted,
    /// The time limit has passed, or the callback of [`Monitor::stopping`](super::Monitor::stopping) returned this: the
    /// fit ends with the best found so far.
    TimeLimit,
}

impl From<Halt> for KMeansError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Interrupted => Self::Interrupted,
            Halt::TimeLimit => Self::TimeLimit,
        }
    }
}

impl From<Halt> for MixtureError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Interrupted => Self::Interrupted,
            Halt::TimeLimit => Self::TimeLimit,
        }
    }
}
