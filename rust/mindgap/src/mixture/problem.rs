//! The builder of a mixture, and the road of a fit from data to result.

use super::climb::{
    Ascent, ClimbLimits, Climbed, Ending, LEAST_WEIGHT, Model, StoppingRule, Sureness, ascend, iterate,
};
use super::e_step::{IntervalEngine, LocalEngine, Observed, Truncated};
use super::engine::{Data, Engine};
use super::findings::findings;
use super::fit::{Facts, MixtureFit};
use super::inference::StandardErrors;
use super::m_step::{FLOOR, MStep, MeanBlock, PrecisionBlock, VarianceModel, WeightBlock};
use super::parameters::Parameters;
use super::search::{Found, Initializer, PaperStart, Search};
use super::status::Status;
use super::surface::Surface;
use crate::constraint::{Constraint, GapBounds, PrecisionRows, Rows, Unconstrained, resolve, resolve_blocks};
use crate::data::frame::FARTHEST;
use crate::data::sample::Sample;
use crate::error::{Cause, ConstraintError, MixtureError};
use crate::memory::product;
use crate::monitor::{Monitor, SpendingLimits};
use crate::qp::MeanProgram;
use std::sync::Arc;
use std::time::Duration;

/// The default floor of the standard deviations where points lie in intervals, as a fraction of the narrowest: within an interval the
/// likelihood no longer tells smaller ones apart.
const NARROWEST: f64 = 0.05;

/// Standard deviations of points seen within a support are at most so many times the data's range: without a bound, data that
/// fall off steadily or not at all are fitted ever better by ever wider components.
const WIDEST: f64 = 2.0;

/// No floor is lower, in frame units: far below what doubles tell apart, far above what they cannot square.
const LEAST_FLOOR: f64 = 1e-100;

/// No floor is higher, as a multiple of the data's variance: beyond it the data are one point to doubles.
const LARGEST_FLOOR: f64 = 1e12;

/// Where a sample has fewer distinct values than its points divided by this, they are summed up before the first pass: that
/// costs about as much as the passes that it then saves.
const COLLAPSE: usize = 4;

/// The default bound on the ratio of standard deviations, where variances are free: without one the likelihood has no maximum, as a
/// component on a single point makes it infinite.
const SPREAD_RATIO: f64 = 10.0;

/// The default least standard deviation of a component, in steps of data that look rounded. From half a step on, the densities
/// at the grid sum to one within 1.4 % (2·exp(-π²/2)), so that they are probabilities of the recorded values in all but name;
/// narrower components gain likelihood from the ties alone.
const LEAST_STEPS: f64 = 0.5;

/// The tolerance of the published EM, in units of the data.
const PAPER_TOLERANCE: f64 = 1e-3;

/// Passes over the data at most, by default: forty times the median of a climb.
const MAX_ITER: usize = 1000;

/// What is left to gain cannot be told from rounding below this, in log units.
const LEAST_TOLERANCE: f64 = 1e-12;

/// EM steps from a start that the caller brings: they bring it to the rows, and weights and spreads to scale.
const FIRST_EM_STEPS: usize = 3;

/// A last Newton step is taken back if the log-likelihood falls by more than this fraction of it.
const LARGEST_FALL: f64 = 1e-13;

/// What Newton steps need for a pair of components, each of three parameters: the sums of the second derivatives, the model of
/// the likelihood, its program, and the program's factor.
const BYTES_A_PAIR: usize = 4 * 9 * size_of::<f64>();

/// How a mixture is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MixtureMethod {
    /// A search for the highest likelihood, climbed by Newton steps until less than the tolerance in log units is left to gain.
    #[default]
    Best,
    /// The published EM to the letter: its start, plain iterations, until no parameter moves by more than the tolerance; no
    /// bound on the ratio of spreads.
    Paper,
}

/// What the tolerance of [`MixtureMethod::Paper`] is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToleranceScale {
    /// Means and variances in the units of the data, as in the paper.
    #[default]
    Absolute,
    /// Means in standard deviations of the data, variances in the data's variance: units do not matter.
    Data,
}

/// A mixture to be fitted.
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
    k: usize,
    constraint: Arc<dyn Constraint>,
    method: MixtureMethod,
    init: Option<Arc<dyn Initializer>>,
    search: Search,
    tol: Option<f64>,
    tol_scale: ToleranceScale,
    max_iter: usize,
    variances: VarianceModel,
    min_variance: Option<f64>,
    spread_ratio: Option<f64>,
    resolution: Option<f64>,
    support: Option<[f64; 2]>,
    pub(super) limits: SpendingLimits,
}

impl Mixture {
    /// A mixture of `k` components without a constraint: the highest likelihood that a search finds, climbed until less than
    /// 1e-8 log units are left, in at most 1000 passes; free variances, whose standard deviations differ at most tenfold.
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

    /// Sets what the means, the weights and the spreads must hold. If the constraint does not apply to `k` components, the fit says so.
    #[must_use]
    pub fn constraint(mut self, constraint: impl Constraint + 'static) -> Self {
        self.constraint = Arc::new(constraint);
        self
    }

    /// Sets how the mixture is fitted.
    #[must_use]
    pub fn method(mut self, method: MixtureMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets where to start: one climb from there, by an initializer or from [`Parameters`], takes the place of the search.
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

    /// Sets the tolerance; `None` for the default. [`MixtureMethod::Best`] has converged when less than this is left to gain, in log units
    /// (1e-8); [`MixtureMethod::Paper`] when no parameter moves by more than this (1e-3), and 0 asks it for a fixed point.
    #[must_use]
    pub fn tol(mut self, tol: impl Into<Option<f64>>) -> Self {
        self.tol = tol.into();
        self
    }

    /// Sets how many times larger the largest standard deviation may be than the smallest, where the constraint says nothing of
    /// spreads: infinity for any, `None` for the default (10; none for [`MixtureMethod::Paper`]).
    #[must_use]
    pub fn spread_ratio(mut self, ratio: impl Into<Option<f64>>) -> Self {
        self.spread_ratio = ratio.into();
        self
    }

    /// Sets what the tolerance of [`MixtureMethod::Paper`] is measured in.
    #[must_use]
    pub fn tol_scale(mut self, scale: ToleranceScale) -> Self {
        self.tol_scale = scale;
        self
    }

    /// Sets the largest number of iterations, at least 1; for [`MixtureMethod::Best`], of passes over the data by a climb.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.max_iter = max_iter;
        self
    }

    /// Ends the fit after `limit` with the best found by then and [`Status::TimeLimit`] (default and `None`: no limit).
    ///
    /// A climb that has begun is always good for a result. It is an error, [`MixtureError::TimeLimit`], if none has: if the time
    /// went into a start by k-means, or into finding means that hold the rows.
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

    /// Refuses work that is known to need more than `bytes` of memory beside the data, with [`MixtureError::OutOfMemory`]
    /// (default and `None`: as much as the machine gives).
    #[must_use]
    pub fn memory_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.limits.memory = bytes.into();
        self
    }

    /// Sets which variances the components may have.
    #[must_use]
    pub fn variances(mut self, variances: VarianceModel) -> Self {
        self.variances = variances;
        self
    }

    /// Sets the floor of the variances in squared data units; `None` for 1e-10 of the data's variance (of one, where the
    /// data are all equal). A component whose variance reaches it has collapsed; starts below it are raised to it. Without a
    /// floor, a constraint or a ratio of the caller's, spreads are also at least half the step of data that look rounded
    /// ([`Sample::rounding_step`]).
    #[must_use]
    pub fn min_variance(mut self, floor: impl Into<Option<f64>>) -> Self {
        self.min_variance = floor.into();
        self
    }

    /// Says that the values were recorded to steps of this size: each stands for the interval of half a step on either side, and the
    /// likelihood is that of the intervals' probabilities. `None` for exact values.
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

    /// Says that nothing outside `[low, high]` was recorded, such as beyond a detector's range: the likelihood is that of
    /// the mixture given that a point lies within. Weights, means and variances are those of the whole mixture, the standard
    /// deviations at most twice the range of the data. `None` where everything was seen.
    #[must_use]
    pub fn support(mut self, ends: impl Into<Option<[f64; 2]>>) -> Self {
        self.support = ends.into();
        self
    }

    /// The number of components.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// The bounds of the gaps, and those of the variances for data like `sample`; `None` if linear rows are asked for too.
    pub(super) fn gaps_and_spreads(&self, sample: &Sample) -> Result<Option<(Rows, SpreadBounds)>, MixtureError> {
        self.check()?;
        if self.resolution.is_some() || self.support.is_some() {
            let reason = "it is fitted to intervals or to a support; certify a fit to the values themselves";
            return Err(MixtureError::NotCertifiable { reason });
        }
        let rows = resolve(&*self.constraint, self.k)?;
        let (weights, precisions) = resolve_blocks(&*self.constraint, self.k)?;
        let linear = rows.linear().is_some() || weights.is_some();
        if linear || precisions.as_ref().is_some_and(|p| p.rows().is_some() || p.variation().is_some()) {
            return Ok(None);
        }
        let ratio = match (self.variances, &precisions) {
            (VarianceModel::Equal, _) => 1.0,
            (_, Some(precisions)) => precisions.largest_ratio(),
            (_, None) => self.default_ratio().unwrap_or(f64::INFINITY),
        };
        let [_, variance] = LocalEngine::framed(sample).scale();
        let least = self.default_least(sample, variance, precisions.is_some());
        let given = self.min_variance.map_or(0.0, |floor| sample.frame().enter_square(floor));
        Ok(Some((rows, SpreadBounds { ratio: ratio * ratio, least: least.max(given) })))
    }

    /// Fits the mixture to a `&Sample`, or to what a `&mut Engine` holds: [`Chunked`](crate::Chunked) data, or an engine of
    /// the caller's own. A fit by an engine has no [`labels`](MixtureFit::labels).
    ///
    /// # Errors
    /// Settings, starts and constraints that make no sense for these data, rows that no means hold, and engines and
    /// solvers that fail.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<MixtureFit, MixtureError> {
        self.fit_with(data, &mut Monitor::default())
    }

    /// The same, reporting to `monitor`, which may stop the search for a start and, between iterations, the fit.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); also [`MixtureError::Interrupted`].
    pub fn fit_with<'a>(
        &self,
        data: impl Into<Data<'a>>,
        monitor: &mut Monitor<'_>,
    ) -> Result<MixtureFit, MixtureError> {
        let monitor = &mut monitor.within(&self.limits);
        match data.into() {
            Data::Sample(sample) => {
                monitor.check_memory("the mixture", LocalEngine::bytes(sample.len(), self.k))?;
                // Few distinct values: the same sums in fewer terms.
                let many = if self.resolution.is_some() { sample.len() } else { sample.len() / COLLAPSE };
                let collapsed = (sample.distinct() < many).then(|| sample.collapsed().0);
                let points = collapsed.as_ref().unwrap_or(sample);
                let observed = Observed::values(points, self.resolution, self.support)?;
                let plan = self.plan(sample, monitor)?;
                Ok(self.run_observed(points, &observed, plan, monitor)?.label(sample))
            }
            Data::Binned(binned) => {
                if let Some(value) = self.resolution {
                    let expected = "bins have widths of their own; leave it out";
                    return Err(MixtureError::BadSetting { name: "resolution", value, expected });
                }
                let observed = Observed::bins(binned, self.support)?;
                let plan = self.plan(binned.sample(), monitor)?;
                Ok(self.run_observed(binned.sample(), &observed, plan, monitor)?.label(binned.sample()))
            }
            Data::Engine(engine) => {
                let asked = [("resolution", self.resolution), ("support", self.support.map(|ends| ends[0]))];
                if let Some((name, value)) = asked.into_iter().find_map(|(name, value)| Some((name, value?))) {
                    let expected = "only data in memory can have one";
                    return Err(MixtureError::BadSetting { name, value, expected });
                }
                let sample = engine.load().map_err(|error| MixtureError::Engine(Cause::new(error)))?.into_owned();
                let plan = self.plan(&sample, monitor)?;
                let scale = LocalEngine::framed(&sample).scale();
                let surface = Surface::new(engine, *sample.frame(), false, scale);
                self.run(surface, &sample, &Observed::default(), plan, monitor)
            }
        }
    }

    /// Fits data in memory, each value of `points` as it was observed.
    fn run_observed(
        &self,
        points: &Sample,
        observed: &Observed,
        plan: Plan,
        monitor: &mut Monitor<'_>,
    ) -> Result<MixtureFit, MixtureError> {
        let mut local = LocalEngine::framed(points);
        let mut scale = local.scale();
        let mut within;
        let engine: &mut dyn Engine = match &observed.intervals {
            None => &mut local,
            Some(intervals) => {
                if let (1, Some(width)) = (points.distinct(), observed.narrowest()) {
                    // One interval is all that is known of the scale.
                    scale[1] = width * width;
                }
                within = IntervalEngine::new(points, intervals);
                &mut within
            }
        };
        let mut truncated;
        let engine: &mut dyn Engine = match observed.support {
            None => engine,
            Some(support) => {
                truncated = Truncated { engine, support, total: scale[0] };
                &mut truncated
            }
        };
        let surface = Surface::new(engine, *points.frame(), true, scale);
        let surface = if observed.intervals.is_some() { surface.of_probabilities() } else { surface };
        self.run(surface, points, observed, plan, monitor)
    }

    /// Checks the settings, and finds the rows and the start for data like `sample`.
    fn plan(&self, sample: &Sample, monitor: &mut Monitor<'_>) -> Result<Plan, MixtureError> {
        self.check()?;
        let (k, distinct) = (self.k, sample.distinct());
        if k > distinct {
            return Err(MixtureError::TooManyComponents { k, distinct });
        }
        if self.method == MixtureMethod::Best {
            monitor.check_memory("the Newton steps of the mixture", product(&[k, k, BYTES_A_PAIR]))?;
        }
        let rows = resolve(&*self.constraint, k)?;
        let (weight_rows, precision_rows) = resolve_blocks(&*self.constraint, k)?;
        if precision_rows.as_ref().is_some_and(|rows| rows.variation().is_some()) && sample.values()[0] <= 0.0 {
            let what = format!(
                "a constant coefficient of variation needs positive data, but the smallest value is {:?}",
                sample.values()[0]
            );
            return Err(ConstraintError::BadSpreads { what }.into());
        }
        let weights = WeightBlock::new(weight_rows.as_ref(), k, monitor)?;
        let spreads_asked = precision_rows.is_some();
        let precision_rows = match (precision_rows, self.default_ratio()) {
            (None, Some(ratio)) => Some(PrecisionRows::ratio(ratio)?),
            (rows, _) => rows,
        };
        // Rows on single components are about those by ascending mean, so the means must not cross.
        let counted = weight_rows.is_some() || precision_rows.as_ref().is_some_and(|rows| rows.rows().is_some());
        let ordered = if counted && rows.is_empty() && k > 1 { GapBounds::lower(0.0).rows(k)? } else { rows.clone() };
        let means = MeanBlock { program: MeanProgram::of(&ordered, sample.frame(), FARTHEST, monitor)? };
        let start = match (&self.init, self.method) {
            (Some(init), _) => Some(init.start(sample, k, &rows, monitor)?),
            (None, MixtureMethod::Paper) => Some(PaperStart.start(sample, k, &rows, monitor)?),
            (None, MixtureMethod::Best) => None,
        };
        if let Some(start) = &start {
            start.check_count(k)?;
            start.check_scale(sample.frame())?;
        }
        Ok(Plan { start, rows, weights, means, precision_rows, spreads_asked })
    }

    /// The bound on the ratio of spreads where the constraint says nothing of them.
    fn default_ratio(&self) -> Option<f64> {
        let default = if self.method == MixtureMethod::Best { SPREAD_RATIO } else { f64::INFINITY };
        Some(self.spread_ratio.unwrap_or(default)).filter(|ratio| ratio.is_finite())
    }

    /// The least variance where nothing was said of the spreads, in frame units: on data that look rounded, components narrower
    /// than [`LEAST_STEPS`] would stand on ties. Never above the data's own variance, so that one component is as it was.
    fn default_least(&self, sample: &Sample, variance: f64, asked: bool) -> f64 {
        let asked = asked || self.spread_ratio.is_some() || self.min_variance.is_some();
        if asked || self.method == MixtureMethod::Paper || self.variances == VarianceModel::Equal {
            return 0.0;
        }
        let width = |step: f64| sample.frame().enter_length(LEAST_STEPS * step);
        sample.rounding_step().map_or(0.0, |step| width(step).powi(2).min(variance))
    }

    fn check(&self) -> Result<(), MixtureError> {
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

    /// Climbs, and brings what was found into the units of the data. `sample` is what a search looks at.
    fn run(
        &self,
        mut surface: Surface<'_>,
        sample: &Sample,
        observed: &Observed,
        Plan { start, rows, weights, means, precision_rows, spreads_asked }: Plan,
        monitor: &mut Monitor<'_>,
    ) -> Result<MixtureFit, MixtureError> {
        let floor = self.floor(&surface, observed)?;
        let frame = *surface.frame();
        let scale = [floor, surface.variance()];
        let precisions = PrecisionBlock::new(self.variances, self.k, precision_rows.as_ref(), &frame, scale, monitor)?;
        let precisions = match observed.support {
            Some(_) => precisions.capped((WIDEST * sample.framed_range().max(surface.variance().sqrt())).powi(2)),
            None => precisions,
        };
        let least = self.default_least(sample, surface.variance(), spreads_asked || observed.intervals.is_some());
        let precisions = precisions.at_least(least);
        let mut m_step = MStep { weights, means, precisions };
        let start = start.map(|start| start.enter(&frame).raised(floor));
        let (mut climbed, tally) = match (self.method, start) {
            (MixtureMethod::Paper, Some(start)) => {
                let rule = self.stopping_rule(&surface);
                (iterate(&mut surface, &mut m_step, rule, start, monitor)?, Tally::of_one())
            }
            (_, Some(start)) => {
                let ascent = ascend(
                    &mut surface,
                    &mut m_step,
                    start,
                    self.climb_limits(FIRST_EM_STEPS.min(self.max_iter)),
                    None,
                    monitor,
                )?;
                (finish(&mut surface, &m_step, ascent)?, Tally::of_one())
            }
            (_, None) => {
                let found = self.search.run(sample, observed, self.k, &mut m_step, monitor)?;
                self.climb_again(&mut surface, &mut m_step, &found, monitor)?
            }
        };
        let origins;
        (climbed.parameters, origins) = climbed.parameters.sorted();
        climbed.status = climbed.status.renumbered(&origins);
        if let Some(sureness) = &mut climbed.sureness {
            sureness.reorder(&origins);
        }
        let rival = tally.runner_up.as_ref().map(|(_, height)| *height);
        let findings = match self.method {
            MixtureMethod::Best => findings(&climbed, sample, observed, surface.total_weight(), rival),
            MixtureMethod::Paper => Vec::new(),
        };
        if climbed.status == Status::Converged && !findings.is_empty() {
            climbed.status = Status::Doubtful;
        }
        let means = climbed.parameters.means();
        let facts = Facts {
            gaps: means.windows(2).map(|pair| frame.leave_length(pair[1] - pair[0])).collect(),
            active: rows.active(means, &frame, surface.variance().sqrt()),
            origins,
            total_weight: surface.total_weight(),
            variance_count: match m_step.precisions.tie() {
                Some(tie) => usize::from(tie.given.is_none()),
                None if m_step.precisions.is_equal() => 1,
                None => self.k,
            },
            starts: tally.starts,
            at_best: tally.at_best,
            errors: climbed.sureness.take().map(|sureness| StandardErrors::new(&frame, &sureness, &findings)),
            findings,
            runner_up: tally.runner_up.map(|(parameters, height)| (parameters.sorted().0.leave(&frame), height)),
        };
        climbed.parameters = climbed.parameters.leave(&frame);
        if !climbed.parameters.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        Ok(MixtureFit::new(climbed, facts))
    }

    /// Climbs on the points from the hills of a search that may be the highest there.
    fn climb_again(
        &self,
        surface: &mut Surface<'_>,
        m_step: &mut MStep,
        found: &Found,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Climbed, Tally), MixtureError> {
        let mut hills: Vec<Ascent> = Vec::new();
        let mut passes = 0;
        let mut out_of_time = false;
        for (parameters, model) in found.worth(surface.is_local()) {
            let guess: Option<&Model> = model;
            let ascent = ascend(surface, m_step, parameters.clone(), self.climb_limits(0), guess, monitor)?;
            passes += ascent.passes;
            out_of_time |= ascent.ending == Ending::OutOfTime;
            hills.push(ascent);
            if out_of_time {
                break;
            }
        }
        hills.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
        let best = hills.swap_remove(0);
        let others = hills.into_iter().map(|hill| (hill.parameters, hill.log_likelihood));
        let runner_up = found.runner_up(&best, others);
        let mut climbed = finish(surface, m_step, best)?;
        if (out_of_time || found.out_of_time) && climbed.status == Status::Converged {
            // The top of a hill, but not all hills were looked for.
            climbed.status = Status::TimeLimit;
        }
        climbed.passes = passes + 1;
        Ok((climbed, Tally { starts: found.starts, at_best: found.at_best, runner_up }))
    }

    fn climb_limits(&self, em_steps: usize) -> ClimbLimits {
        let tolerance = self.tol.map_or(ClimbLimits::TOLERANCE, |tol| tol.max(LEAST_TOLERANCE));
        ClimbLimits { em_steps, passes: self.max_iter, tolerance }
    }

    /// The least variance, in frame units.
    fn floor(&self, surface: &Surface<'_>, observed: &Observed) -> Result<f64, MixtureError> {
        let variance = surface.variance();
        let narrowest = observed.narrowest().filter(|width| width.is_finite()).unwrap_or(0.0);
        let default = (FLOOR * variance).max((NARROWEST * narrowest).powi(2));
        let floor = self.min_variance.map_or(default, |floor| surface.frame().enter_square(floor));
        let floor = floor.max(LEAST_FLOOR);
        if floor > LARGEST_FLOOR * variance {
            let value = self.min_variance.unwrap_or(floor);
            let expected = "it must not be more than 1e12 times the data's variance";
            return Err(MixtureError::BadSetting { name: "min_variance", value, expected });
        }
        Ok(floor)
    }

    fn stopping_rule(&self, surface: &Surface<'_>) -> StoppingRule {
        let (mean_unit, variance_unit) = match self.tol_scale {
            ToleranceScale::Data => (surface.variance().sqrt(), surface.variance()),
            ToleranceScale::Absolute => (surface.frame().enter_length(1.0), surface.frame().enter_square(1.0)),
        };
        StoppingRule { tol: self.tol.unwrap_or(PAPER_TOLERANCE), max_iter: self.max_iter, mean_unit, variance_unit }
    }
}

/// Where a fit starts, and what holds on its way.
struct Plan {
    /// `None` where a search finds it.
    start: Option<Parameters>,
    rows: Rows,
    weights: WeightBlock,
    means: MeanBlock,
    precision_rows: Option<PrecisionRows>,
    /// Whether the constraint speaks of spreads.
    spreads_asked: bool,
}

/// What the variances of a mixture must hold, in frame units.
pub(super) struct SpreadBounds {
    /// How many times the smallest the largest may be; infinite: any number.
    pub(super) ratio: f64,
    /// No variance is less; zero: no such bound.
    pub(super) least: f64,
}

/// What a search says beside the best.
struct Tally {
    starts: usize,
    at_best: usize,
    runner_up: Option<(Parameters, f64)>,
}

impl Tally {
    fn of_one() -> Self {
        Self { starts: 1, at_best: 1, runner_up: None }
    }
}

/// The last pass, and how the climb ended. Components that the data do not ask for lose the rest of their weight.
fn finish(surface: &mut Surface<'_>, m_step: &MStep, ascent: Ascent) -> Result<Climbed, MixtureError> {
    let Ascent { parameters, before, log_likelihood, mut history, decrement, ending, passes, model } = ascent;
    let sureness = model.filter(Model::is_exact).map(|model| Sureness::new(m_step, &before, &model));
    if parameters == before {
        // No step was left: the last iterate is what is returned.
        history.pop();
    }
    let mut parameters = without_lost(parameters);
    let mut last = surface.finish(&parameters)?;
    if last.log_likelihood < log_likelihood - LARGEST_FALL * log_likelihood.abs() {
        parameters = without_lost(before);
        last = surface.finish(&parameters)?;
    }
    history.push(last.log_likelihood);
    let floor = m_step.precisions.floor();
    let lost = parameters.weights().iter().position(|&weight| weight == 0.0);
    let collapsed: Vec<usize> = (0..parameters.k()).filter(|&c| parameters.variances()[c] <= floor).collect();
    let status = match lost {
        None if !collapsed.is_empty() => Status::Collapsed { components: collapsed },
        _ if ending == Ending::OutOfTime => Status::TimeLimit,
        _ if ending == Ending::Stuck => Status::MaxIterations,
        Some(component) => Status::LostWeight { component },
        None => Status::Converged,
    };
    let (classification, passes) = (last.classification, passes + 1);
    Ok(Climbed { parameters, history, classification, status, decrement: Some(decrement.max(0.0)), passes, sureness })
}

fn without_lost(parameters: Parameters) -> Parameters {
    let lost = |weight: f64| weight <= 2.0 * LEAST_WEIGHT;
    if !parameters.weights().iter().any(|&weight| lost(weight)) {
        return parameters;
    }
    let kept: f64 = parameters.weights().iter().filter(|&&weight| !lost(weight)).sum();
    let weights = parameters.weights().iter().map(|&weight| if lost(weight) { 0.0 } else { weight / kept }).collect();
    Parameters::sound(weights, parameters.means().to_vec(), parameters.variances().to_vec())
}
