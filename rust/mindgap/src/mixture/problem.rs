//! [`Mixture`]: the builder of a mixture fit, and its settings.

use super::m_step::VarianceModel;
use super::search::{Initializer, Search};
use crate::constraint::{Constraint, Unconstrained};
use crate::error::MixtureError;
use crate::monitor::SpendingLimits;
use std::sync::Arc;
use std::time::Duration;

/// The default limit on passes over the data: forty times the median of a climb.
const MAX_ITER: usize = 1000;

/// How a mixture is fitted.
///
/// ```
/// use mindgap::{Mixture, MixtureMethod, Sample};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
/// let sample = Sample::new(&x)?;
/// let best = Mixture::new(2).fit(&sample)?;
/// let paper = Mixture::new(2).method(MixtureMethod::Paper).fit(&sample)?;
/// assert!(best.log_likelihood() >= paper.log_likelihood() - 1e-6);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MixtureMethod {
    /// A search for the highest likelihood, with Newton steps until the predicted gain is below the tolerance, in log
    /// units.
    #[default]
    Best,
    /// The published EM, for comparison: its start, plain iterations until no parameter moves by more than the
    /// tolerance, and no bound on the ratio of spreads.
    Paper,
}

/// The units of the tolerance of [`MixtureMethod::Paper`].
///
/// ```
/// use mindgap::{Mixture, MixtureMethod, Sample, ToleranceScale};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
/// let paper = Mixture::new(2).method(MixtureMethod::Paper).tol_scale(ToleranceScale::Data);
/// let iterations = |scale: f64| {
///     let scaled: Vec<f64> = x.iter().map(|x| x * scale).collect();
///     Ok::<_, mindgap::Error>(paper.fit(&Sample::new(&scaled)?)?.n_iter())
/// };
/// assert_eq!(iterations(1.0)?, iterations(1024.0)?);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToleranceScale {
    /// Means and variances in the units of the data, as in the paper.
    #[default]
    Absolute,
    /// Means in standard deviations of the data, variances in the data's variance: independent of units.
    Data,
}

/// A builder of a mixture fit, which [`fit`](Self::fit) runs.
///
/// ```
/// use mindgap::{GapBounds, Mixture, Parameters, Sample};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 2) * 4.0 + f64::from(i % 10) * 0.1).collect();
/// let sample = Sample::new(&x)?;
/// let start = Parameters::new(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 1.0])?;
/// let fit = Mixture::new(2).constraint(GapBounds::lower(4.5)).init(start).fit(&sample)?;
/// assert!(fit.converged());
/// assert!((fit.gaps()[0] - 4.5).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mixture {
    pub(super) k: usize,
    pub(super) constraint: Arc<dyn Constraint>,
    pub(super) method: MixtureMethod,
    pub(super) init: Option<Arc<dyn Initializer>>,
    pub(super) search: Search,
    pub(super) tol: Option<f64>,
    pub(super) tol_scale: ToleranceScale,
    pub(super) max_iter: usize,
    pub(super) variances: VarianceModel,
    pub(super) min_variance: Option<f64>,
    pub(super) spread_ratio: Option<f64>,
    pub(super) resolution: Option<f64>,
    pub(super) support: Option<[f64; 2]>,
    pub(super) limits: SpendingLimits,
}

impl Mixture {
    /// A mixture of `k` components without a constraint: a search for the highest likelihood, to a predicted gain below
    /// 1e-8 log units, in at most 1000 passes; free variances, whose standard deviations differ at most tenfold.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            constraint: Arc::new(Unconstrained),
            method: MixtureMethod::default(),
            init: None,
            search: Search::default(),
            tol: None,
            tol_scale: ToleranceScale::default(),
            max_iter: MAX_ITER,
            variances: VarianceModel::default(),
            min_variance: None,
            spread_ratio: None,
            resolution: None,
            support: None,
            limits: SpendingLimits::default(),
        }
    }

    /// Sets the constraint on the means, weights and spreads (default: none). A fit refuses a constraint that does not
    /// apply to `k` components.
    #[must_use]
    pub fn constraint(mut self, constraint: impl Constraint + 'static) -> Self {
        self.constraint = Arc::new(constraint);
        self
    }

    /// Sets how the mixture is fitted (default: [`MixtureMethod::Best`]).
    #[must_use]
    pub fn method(mut self, method: MixtureMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets the start, an initializer or [`Parameters`](super::Parameters): one climb from there replaces the search.
    #[must_use]
    pub fn init(mut self, init: impl Initializer + 'static) -> Self {
        self.init = Some(Arc::new(init));
        self
    }

    /// Sets how the search draws its random starts.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Sets the tolerance; `None` for the default. [`MixtureMethod::Best`] converges when the predicted gain is below
    /// it, in log units (1e-8); [`MixtureMethod::Paper`] when no parameter moves by more than it (1e-3; 0 requires a
    /// fixed point).
    #[must_use]
    pub fn tol(mut self, tol: impl Into<Option<f64>>) -> Self {
        self.tol = tol.into();
        self
    }

    /// Sets the largest ratio of two standard deviations, unless the constraint bounds the spreads: infinity for no
    /// bound, `None` for the default (10; no bound for [`MixtureMethod::Paper`]).
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let sample = Sample::new(&[0.0, 1.0, 2.0, 3.0, 8.0, 8.01, 8.02, 8.03])?;
    /// let fit = Mixture::new(2).spread_ratio(2.0).fit(&sample)?;
    /// assert!((fit.variances()[0] / fit.variances()[1] - 4.0).abs() < 1e-6);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn spread_ratio(mut self, ratio: impl Into<Option<f64>>) -> Self {
        self.spread_ratio = ratio.into();
        self
    }

    /// Sets the units of the tolerance of [`MixtureMethod::Paper`].
    #[must_use]
    pub fn tol_scale(mut self, scale: ToleranceScale) -> Self {
        self.tol_scale = scale;
        self
    }

    /// Sets the largest number of iterations, at least 1; for [`MixtureMethod::Best`], of passes over the data per
    /// climb.
    ///
    /// ```
    /// use mindgap::{Mixture, MixtureMethod, Sample, Status};
    ///
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
    /// let fit = Mixture::new(2).method(MixtureMethod::Paper).max_iter(2).tol(1e-9).fit(&Sample::new(&x)?)?;
    /// assert_eq!((fit.n_iter(), fit.status()), (2, &Status::MaxIterations));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.max_iter = max_iter;
        self
    }

    /// Ends the fit after `limit` with the best result so far and [`Status::TimeLimit`](super::Status::TimeLimit)
    /// (default and `None`: no limit).
    ///
    /// Before the first climb, in a start by k-means or the search for means that satisfy the rows, there is no result:
    /// the fit returns [`MixtureError::TimeLimit`].
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    /// use std::time::Duration;
    ///
    /// let x: Vec<f64> = (0..900).map(|i| f64::from(i % 30).powi(2)).collect();
    /// let fit = Mixture::new(4).time_limit(Duration::from_micros(1)).fit(&Sample::new(&x)?)?;
    /// assert!(!fit.converged() && fit.means().is_sorted());
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.time = limit.into();
        self
    }

    /// Refuses work that needs more than `bytes` of memory besides the data, with [`MixtureError::OutOfMemory`]
    /// (default and `None`: the memory of the machine).
    #[must_use]
    pub fn memory_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.limits.memory = bytes.into();
        self
    }

    /// Sets whether the components share one variance (default: [`VarianceModel::Free`]).
    #[must_use]
    pub fn variances(mut self, variances: VarianceModel) -> Self {
        self.variances = variances;
        self
    }

    /// Sets the floor of the variances in squared data units; `None` for 1e-10 of the data's variance (of one, if the
    /// data are all equal). A component whose variance reaches it has collapsed; starts below it are raised to it. If
    /// the caller sets no floor, constraint or ratio of spreads, standard deviations are also at least half the step of
    /// data that look rounded ([`Sample::rounding_step`](crate::Sample::rounding_step)).
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let sample = Sample::new(&[0.0, 1.0, 2.0, 3.0, 8.0, 8.01, 8.02, 8.03])?;
    /// let fit = Mixture::new(2).min_variance(0.25).fit(&sample)?;
    /// assert!(fit.variances()[1] >= 0.25);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn min_variance(mut self, floor: impl Into<Option<f64>>) -> Self {
        self.min_variance = floor.into();
        self
    }

    /// Declares that the values were rounded to multiples of a step: each is the interval of half a step on either
    /// side, and the likelihood is that of the intervals' probabilities. `None` for exact values.
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let inches: Vec<f64> = [60., 61., 62., 63., 64., 66., 67., 68., 69., 70.].repeat(9);
    /// let fit = Mixture::new(2).resolution(1.0).fit(&Sample::new(&inches)?)?;
    /// assert!(fit.log_likelihood() < 0.0);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn resolution(mut self, step: impl Into<Option<f64>>) -> Self {
        self.resolution = step.into();
        self
    }

    /// Declares that nothing outside `[low, high]` was recorded, such as beyond a detector's range: the likelihood is
    /// conditional on that interval. Weights, means and variances are those of the whole mixture; standard deviations
    /// are at most twice the range of the data. `None` if everything was recorded.
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// // Only values above zero were recorded.
    /// let seen: Vec<f64> = (0..300).map(|i| f64::from(i % 100) * 0.03).collect();
    /// let fit = Mixture::new(1).support([0.0, f64::INFINITY]).fit(&Sample::new(&seen)?)?;
    /// assert!(fit.means()[0] < 1.485);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    #[must_use]
    pub fn support(mut self, ends: impl Into<Option<[f64; 2]>>) -> Self {
        self.support = ends.into();
        self
    }

    /// Refuses settings that are out of range.
    pub(super) fn check(&self) -> Result<(), MixtureError> {
        let bad = |name, value, expected| Err(MixtureError::BadSetting { name, value, expected });
        if self.k == 0 {
            return Err(MixtureError::NoComponents);
        }
        if let Some(tol) = self.tol.filter(|tol| !(tol.is_finite() && *tol >= 0.0)) {
            return bad("tol", tol, "it must be finite and not negative");
        }
        if let Some(ratio) = self.spread_ratio.filter(|ratio| ratio.is_nan() || *ratio < 1.0) {
            return bad("spread_ratio", ratio, "it must be at least 1");
        }
        if self.max_iter == 0 {
            return bad("max_iter", 0.0, "it must be at least 1");
        }
        match self.min_variance {
            Some(floor) if !(floor.is_finite() && floor > 0.0) => {
                bad("min_variance", floor, "it must be finite and positive")
            }
            _ => Ok(()),
        }
    }
}
