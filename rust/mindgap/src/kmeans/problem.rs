//! The k-means problem and its settings.

use super::sizes::Sizes;
use crate::constraint::{Constraint, Unconstrained};
use crate::data::sample::Sample;
use crate::error::KMeansError;
use crate::monitor::{DEFAULT_TOL, SpendingLimits};
use std::sync::Arc;
use std::time::Duration;

/// Whether a centre must be its cluster's mean. Linear rows, which cluster means cannot satisfy in general, always have
/// free centres.
///
/// ```
/// use mindgap::{Centers, GapBounds, KMeans, Sample};
///
/// let sample = Sample::new(&[0.0, 1.0, 2.0])?;
/// let kmeans = KMeans::new(2).constraint(GapBounds::lower(1.75));
/// assert_eq!(kmeans.clone().fit(&sample)?.gaps(), [1.75]);
/// assert!(kmeans.centers(Centers::Means).fit(&sample).is_err());
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Centers {
    /// Each centre is the mean of its cluster, and the means satisfy the bounds (the paper's program). A bound that is
    /// too large for the data leads to clusters of few points, or cannot be satisfied.
    Means,
    /// Centres are any numbers that satisfy the bounds (the paper's statement). Points belong to the nearest centre.
    #[default]
    Free,
}

/// How the problem is solved.
///
/// ```
/// use mindgap::{Centers, GapBounds, KMeans, KMeansMethod, Sample};
///
/// // The paper's tables miss the optimum here.
/// let sample = Sample::new(&[0.0, 2.0, 2.0, 5.0, 6.0])?;
/// let kmeans = KMeans::new(3).centers(Centers::Means).constraint(GapBounds::lower(2.5));
/// assert_eq!(kmeans.clone().fit(&sample)?.inertia(), 6.0);
/// assert_eq!(kmeans.method(KMeansMethod::Paper).fit(&sample)?.inertia(), 6.5);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KMeansMethod {
    /// Finds and proves the optimum; under linear rows, the best result of alternation with a bound on the optimum.
    #[default]
    Exact,
    /// Runs the published program, which misses the optimum on some data; for comparison.
    Paper,
}

/// Whether equal points may be in different clusters. Points of different weights never are: choosing which go to
/// either side would be a subset-sum problem.
///
/// ```
/// use mindgap::{Centers, GapBounds, KMeans, Sample, Ties};
///
/// let sample = Sample::new(&[0.0, 1.0, 1.0, 2.0])?;
/// let near = KMeans::new(2).centers(Centers::Means).constraint(GapBounds::between(0.0, 1.1)?);
/// assert_eq!(near.clone().fit(&sample)?.labels(), [0, 0, 1, 1]);
/// assert!(near.ties(Ties::Together).fit(&sample).is_err());
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ties {
    /// They may fall into neighbouring clusters, as in the paper.
    #[default]
    Split,
    /// They stay in one cluster.
    Together,
}

/// A k-means problem.
///
/// Under bounds on gaps ([`GapBounds`](crate::GapBounds)) the fit is optimal; [`Centers`] selects one of two problems.
/// Under [`LinearRows`](crate::LinearRows) the fit is the best of several alternations between assigning points to
/// centres and moving the centres, which satisfy the rows but need not be cluster means.
/// [`KMeansFit::lower_bound`](crate::KMeansFit::lower_bound) is then the optimum under the rows that bound gaps, or
/// under none. The fit is optimal if it reaches this bound, as it does when no other row is active.
///
/// Data in chunks or behind an engine are fitted through their sample, [`Chunked::sample`](crate::Chunked::sample) or
/// [`Engine::load`](crate::Engine::load). If it is a summary, the fit reads the data again near the boundaries.
///
/// ```
/// use mindgap::{GapBounds, KMeans, Sample};
///
/// let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0])?;
/// let fit = KMeans::new(5).constraint(GapBounds::lower(1.75)).fit(&sample)?;
/// assert_eq!(fit.labels(), [0, 1, 1, 2, 3, 3, 4, 4]);
/// assert!((fit.inertia() - 1.5416667).abs() < 1e-7);
/// assert!(fit.gaps().iter().all(|&gap| gap >= 1.75 - 1e-12) && fit.is_optimal());
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KMeans {
    pub(super) k: usize,
    pub(super) constraint: Arc<dyn Constraint>,
    pub(super) centers: Centers,
    pub(super) method: KMeansMethod,
    pub(super) ties: Ties,
    pub(super) min_size: Option<f64>,
    pub(super) max_size: Option<f64>,
    pub(super) limits: SpendingLimits,
    pub(super) tol: f64,
    pub(super) labels: bool,
}

impl KMeans {
    /// K-means with `k` clusters, no constraint, free centres, the exact method.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            constraint: Arc::new(Unconstrained),
            centers: Centers::default(),
            method: KMeansMethod::default(),
            ties: Ties::default(),
            min_size: None,
            max_size: None,
            limits: SpendingLimits::default(),
            tol: DEFAULT_TOL,
            labels: true,
        }
    }

    /// Sets the constraint on the centres (default: none).
    #[must_use]
    pub fn constraint(mut self, constraint: impl Constraint + 'static) -> Self {
        self.constraint = Arc::new(constraint);
        self
    }

    /// Sets whether centres are cluster means or free (default: [`Centers::Free`]).
    #[must_use]
    pub fn centers(mut self, centers: Centers) -> Self {
        self.centers = centers;
        self
    }

    /// Sets how the problem is solved (default: [`KMeansMethod::Exact`]).
    #[must_use]
    pub fn method(mut self, method: KMeansMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets whether equal points may be in different clusters (default: [`Ties::Split`]).
    #[must_use]
    pub fn ties(mut self, ties: Ties) -> Self {
        self.ties = ties;
        self
    }

    /// Sets the smallest size of a cluster: its number of points, or their total weight if they have weights (default
    /// and `None`: one point).
    ///
    /// Clusters are runs of neighbouring points, and the fit is the best that satisfies the sizes. Its labels need not
    /// be the nearest centre.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let sample = Sample::new(&[0.0, 1.0, 2.0, 3.0, 100.0])?;
    /// let fit = KMeans::new(2).min_size(2.0).fit(&sample)?;
    /// assert_eq!((fit.labels(), fit.sizes()), (&[0, 0, 0, 1, 1][..], &[3, 2][..]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn min_size(mut self, size: impl Into<Option<f64>>) -> Self {
        self.min_size = size.into();
        self
    }

    /// Sets the largest size of a cluster: its number of points, or their total weight if they have weights (default
    /// and `None`: no limit).
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let sample = Sample::new(&[0.0, 1.0, 2.0, 3.0, 100.0])?;
    /// let fit = KMeans::new(2).max_size(3.0).fit(&sample)?;
    /// assert_eq!(fit.sizes(), [3, 2]);
    /// assert!(KMeans::new(2).max_size(2.0).fit(&sample).is_err());
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn max_size(mut self, size: impl Into<Option<f64>>) -> Self {
        self.max_size = size.into();
        self
    }

    /// Ends the search after `limit` with the best solution and bound so far (default and `None`: no limit).
    ///
    /// A fit that has no solution by then returns [`KMeansError::TimeLimit`].
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    /// use std::time::Duration;
    ///
    /// let x: Vec<f64> = (0..2000).map(|i| f64::from(i * i % 1999)).collect();
    /// let fit = KMeans::new(5).time_limit(Duration::from_secs(60)).tol(1e-3).fit(&Sample::new(&x)?)?;
    /// assert!(fit.inertia() - fit.lower_bound() <= 1e-3 * fit.inertia());
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.time = limit.into();
        self
    }

    /// Refuses work that needs more than `bytes` of memory besides the data, with [`KMeansError::OutOfMemory`] (default
    /// and `None`: the memory of the machine).
    ///
    /// ```
    /// use mindgap::error::ErrorKind;
    /// use mindgap::{KMeans, Sample};
    ///
    /// let refused = KMeans::new(2).memory_limit(10).fit(&Sample::new(&[1.0, 2.0, 8.0])?).unwrap_err();
    /// assert_eq!(refused.kind(), ErrorKind::OutOfMemory);
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    #[must_use]
    pub fn memory_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.limits.memory = bytes.into();
        self
    }

    /// Ends the search when the cost is proven to exceed the optimum by at most this fraction of itself (default:
    /// 1e-9). Up to the default, searches continue to the optimum itself. A fit refuses a fraction that is negative or
    /// not finite.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// Sets whether the fit has labels (default: true). They take four bytes per point; the boundaries have the same
    /// information.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let fit = KMeans::new(2).labels(false).fit(&Sample::new(&[8.0, 1.0, 2.0, 9.0])?)?;
    /// assert_eq!((fit.labels(), fit.boundaries()), (&[][..], &[5.0][..]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn labels(mut self, labels: bool) -> Self {
        self.labels = labels;
        self
    }

    /// Refuses settings that are invalid for all data.
    pub(super) fn check_settings(&self) -> Result<(), KMeansError> {
        if self.k == 0 {
            return Err(KMeansError::NoClusters);
        }
        if !(self.tol >= 0.0 && self.tol.is_finite()) {
            let expected = "it must be finite and not negative";
            return Err(KMeansError::BadSetting { name: "tol", value: self.tol, expected });
        }
        self.sizes().map(drop)
    }

    /// The bounds on the sizes of clusters.
    pub(super) fn sizes(&self) -> Result<Sizes, KMeansError> {
        Sizes::new(self.min_size, self.max_size)
    }

    /// Whether equal points of this sample may be in different clusters.
    pub(super) fn divides_ties(&self, sample: &Sample) -> bool {
        self.ties == Ties::Split && sample.weighs_evenly()
    }
}
