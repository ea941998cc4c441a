//! Fits a mixture: plan, start or search, climb, findings.

use super::climb::{Ascent, ClimbLimits, Climbed, Ending, Model, StoppingRule, ascend, finish, iterate};
use super::e_step::{IntervalEngine, LocalEngine, Truncated};
use super::engine::{Data, Engine};
use super::findings::findings;
use super::fit::MixtureFit;
use super::inference::StandardErrors;
use super::m_step::{MStep, MeanBlock, PrecisionBlock, WeightBlock};
use super::observed::Observed;
use super::parameters::Parameters;
use super::problem::{Mixture, MixtureMethod, ToleranceScale};
use super::search::{Found, Initializer, PaperStart};
use super::spread_defaults::WIDEST;
use super::status::Status;
use super::surface::Surface;
use crate::constraint::{GapBounds, PrecisionRows, Rows, resolve, resolve_blocks};
use crate::data::frame::FARTHEST;
use crate::data::sample::Sample;
use crate::error::{Cause, ConstraintError, MixtureError};
use crate::memory::product;
use crate::monitor::Monitor;
use crate::qp::MeanProgram;

/// Equal points are merged before the first pass if there are at least this many points per distinct value: merging
/// costs about as much as it saves per pass.
const COLLAPSE: usize = 4;

/// The tolerance of the published EM, in units of the data.
const PAPER_TOLERANCE: f64 = 1e-3;

/// The least tolerance, in log units: a smaller predicted gain is rounding.
const LEAST_TOLERANCE: f64 = 1e-12;

/// EM steps from the caller's start: they make it satisfy the rows, and bring weights and spreads to scale.
const FIRST_EM_STEPS: usize = 3;

/// The memory of Newton steps per pair of components, each of three parameters: the sums of the second derivatives, the
/// model of the likelihood, its program, and the program's factor.
const BYTES_A_PAIR: usize = 4 * 9 * size_of::<f64>();

impl Mixture {
    /// Fits the mixture to a `&Sample`, `&Binned` counts, or the data of a `&mut Engine`, such as
    /// [`Chunked`](crate::Chunked). A fit by an engine has no [`labels`](MixtureFit::labels).
    ///
    /// # Errors
    /// Settings, starts and constraints that are invalid for these data, rows that no means satisfy, and failures of
    /// engines and solvers.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<MixtureFit, MixtureError> {
        self.fit_with(data, &mut Monitor::default())
    }

    /// As [`fit`](Self::fit), reporting to `monitor`, which may stop the fit.
    ///
    /// ```
    /// use mindgap::{Mixture, MixtureMethod, Monitor, Progress, Sample};
    /// use std::ops::ControlFlow;
    ///
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
    /// let mut log_likelihoods = Vec::new();
    /// let mut monitor = Monitor::new(|progress: &Progress| {
    ///     if let Progress::Iteration { log_likelihood, .. } = progress {
    ///         log_likelihoods.push(*log_likelihood);
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// Mixture::new(2).method(MixtureMethod::Paper).fit_with(&Sample::new(&x)?, &mut monitor)?;
    /// drop(monitor);
    /// assert!(log_likelihoods.is_sorted());
    /// # Ok::<(), mindgap::Error>(())
    /// ```
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
                monitor.check_memory("a sorted copy of the data", sample.sort_bytes())?;
                monitor.check_memory("the mixture", LocalEngine::bytes(sample.len(), self.k))?;
                // Few distinct values: the same sums with fewer terms.
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

    /// Fits data in memory, whose values are points or intervals.
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
                    // With one interval, its width is the only scale.
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
        // Rows on single components number them by ascending mean, so the means must not cross.
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

    /// Climbs and converts the result to the units of the data. `sample` is the data of the search.
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
                    &|_| false,
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
        if let Some(certainty) = &mut climbed.certainty {
            certainty.reorder(&origins);
        }
        let rival = tally.runner_up.as_ref().map(|(_, log_likelihood)| *log_likelihood);
        let findings = match self.method {
            MixtureMethod::Best => findings(&climbed, sample, observed, surface.total_weight(), rival),
            MixtureMethod::Paper => Vec::new(),
        };
        if climbed.status == Status::Converged && !findings.is_empty() {
            climbed.status = Status::Doubtful;
        }
        let means = climbed.parameters.means();
        let gaps = means.windows(2).map(|pair| frame.leave_length(pair[1] - pair[0])).collect();
        let active = rows.active(means, &frame, surface.variance().sqrt());
        let leave = |parameters: &Parameters| parameters.leave(&frame);
        let parameters = leave(&climbed.parameters);
        if !parameters.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        Ok(MixtureFit {
            parameters,
            labels: Vec::new(),
            history: climbed.history,
            gaps,
            active,
            origins,
            status: climbed.status,
            total_weight: surface.total_weight(),
            classification: climbed.classification,
            parameter_count: m_step.parameter_count(self.k),
            decrement: climbed.decrement,
            passes: climbed.passes,
            starts: tally.starts,
            at_best: tally.at_best,
            runner_up: tally.runner_up.map(|(parameters, height)| (leave(&parameters.sorted().0), height)),
            errors: climbed.certainty.map(|certainty| StandardErrors::new(&frame, &certainty, &findings)),
            findings,
        })
    }

    /// Climbs on the points from the best maxima that a search found on a summary.
    fn climb_again(
        &self,
        surface: &mut Surface<'_>,
        m_step: &mut MStep,
        found: &Found,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Climbed, Tally), MixtureError> {
        let mut maxima: Vec<Ascent> = Vec::new();
        let mut passes = 0;
        let mut out_of_time = false;
        for (parameters, model) in found.starts_on_points(surface.is_local()) {
            let guess: Option<&Model> = model;
            let ascent = ascend(surface, m_step, parameters.clone(), self.climb_limits(0), guess, &|_| false, monitor)?;
            passes += ascent.passes;
            out_of_time |= ascent.ending == Ending::OutOfTime;
            maxima.push(ascent);
            if out_of_time {
                break;
            }
        }
        maxima.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
        let best = maxima.swap_remove(0);
        let others = maxima.into_iter().map(|maximum| (maximum.parameters, maximum.log_likelihood));
        let runner_up = found.runner_up(&best, others);
        let mut climbed = finish(surface, m_step, best)?;
        if (out_of_time || found.out_of_time) && climbed.status == Status::Converged {
            // A local maximum, but the search for others was cut short.
            climbed.status = Status::TimeLimit;
        }
        climbed.passes = passes + 1;
        Ok((climbed, Tally { starts: found.starts, at_best: found.at_best, runner_up }))
    }

    fn climb_limits(&self, em_steps: usize) -> ClimbLimits {
        let tolerance = self.tol.map_or(ClimbLimits::TOLERANCE, |tol| tol.max(LEAST_TOLERANCE));
        ClimbLimits { em_steps, passes: self.max_iter, tolerance }
    }

    fn stopping_rule(&self, surface: &Surface<'_>) -> StoppingRule {
        let (mean_unit, variance_unit) = match self.tol_scale {
            ToleranceScale::Data => (surface.variance().sqrt(), surface.variance()),
            ToleranceScale::Absolute => (surface.frame().enter_length(1.0), surface.frame().enter_square(1.0)),
        };
        StoppingRule { tol: self.tol.unwrap_or(PAPER_TOLERANCE), max_iter: self.max_iter, mean_unit, variance_unit }
    }
}

/// The start and the rows of a fit.
struct Plan {
    /// `None` if a search finds it.
    start: Option<Parameters>,
    rows: Rows,
    weights: WeightBlock,
    means: MeanBlock,
    precision_rows: Option<PrecisionRows>,
    /// Whether the constraint bounds spreads.
    spreads_asked: bool,
}

/// The results of a search besides the best fit.
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
