//! The k-means problem and its settings.

use super::sizes::Sizes;
use crate::constraint::{Constraint, Unconstrained};
use crate::data::sample::Sample;
use crate::error::KMeansError;
use crate::monitor::{DEFAULT_TOL, SpendingLimits};
use std::sync::Arc;
use std::time::Duration;

/// Whether a centre is its cluster's mean. Under linear rows, which cluster means cannot satisfy in general, it need not be, and
/// both settings ask for the same.
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
    /// Each centre is the mean of its cluster, and the means satisfy the bounds (the paper's program). A bound that is too
    /// large for the data leads to clusters of few points, or cannot be satisfied.
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
    /// To the optimum, with proof. Under linear rows to the best that alternation finds, with a bound on the optimum.
    #[default]
    Exact,
    /// The paper's tables to the letter, which miss the optimum on some data; for comparison.
    Paper,
}

/// Whether equal points may be in different clusters. Where weights differ, they never are: choosing which of them go to
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
/// Under bounds on gaps ([`GapBounds`](crate::GapBounds)) the fit is optimal. [`Centers`] says which of two problems is
/// solved. Under [`LinearRows`](crate::LinearRows) it is the best of several alternations between assigning points to
/// centres and moving the centres, which satisfy the rows but need not be cluster means.
/// [`KMeansFit::lower_bound`](crate::KMeansFit::lower_bound) is then the optimum with no rows, or with those that bound gaps; where
/// the fit meets it, as it does when no other row is active, it is known to be optimal.
///
/// Data that are read in chunks or kept by an engine are fitted through their sample,
/// [`Chunked::sample`](crate::Chunked::sample) or [`Engine::load`](crate::Engine::load): where it is a summary, the fit
/// reads the data again near the boundaries.
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

    /// The least size of a cluster: its number of points, or their weight where they have weights (default and `None`: one
    /// point).
    ///
    /// Clusters are runs of neighbouring points, and the fit is the best of those that have the sizes. Its labels need not be
    /// the nearest centre then.
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

    /// The largest size of a cluster: its number of points, or their weight where they have weights (default and `None`: no
    /// limit).
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

    /// Ends the search after `limit` with the best solution so far and what is proven of it (default and `None`: no limit).
    ///
    /// A fit that has found nothing by then is an error, [`KMeansError::TimeLimit`].
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

    /// Refuses work that is known to need more than `bytes` of memory beside the data, with [`KMeansError::OutOfMemory`]
    /// (default and `None`: as much as the machine gives).
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

    /// Ends the search when the cost is proven to exceed the optimum by at most this fraction of itself (default: 1e-9). Up to
    /// the default, searches go on to the optimum itself and do not end at a bound. A fit refuses a fraction that is negative
    /// or not finite.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// Sets whether the fit has labels (default: true). They take four bytes a point; the boundaries tell as much.
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

    /// Refuses settings that are out of range whatever the data.
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

    /// How large clusters may be.
    pub(super) fn sizes(&self) -> Result<Sizes, KMeansError> {
        Sizes::new(self.min_size, self.max_size)
    }

    /// Whether equal points may fall into different clusters.
    pub(super) fn divides_ties(&self, sample: &Sample) -> bool {
        self.ties == Ties::Split && sample.weighs_evenly()
    }
}
