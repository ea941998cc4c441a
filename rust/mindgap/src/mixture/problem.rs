//! The builder of a mixture, and the road of a fit from data to result.

use super::climb::{StoppingRule, climb};
use super::e_step::LocalEngine;
use super::engine::Data;
use super::fit::{Facts, MixtureFit};
use super::m_step::{MStep, MeanBlock, PrecisionBlock, VarianceModel, WeightBlock};
use super::parameters::Parameters;
use super::search::{Auto, Initializer};
use super::surface::Surface;
use crate::constraint::{Constraint, GapBounds, PrecisionRows, Rows, Unconstrained, resolve, resolve_blocks};
use crate::data::frame::FARTHEST;
use crate::data::sample::Sample;
use crate::error::{Cause, MixtureError};
use crate::memory::check_memory;
use crate::monitor::{Watch, again};
use crate::qp::MeanProgram;
use std::sync::Arc;

/// The default floor of the variances, as a fraction of the data's variance. Measured: spreads of real components stay far
/// above it, and squares of residuals keep their digits.
pub(super) const FLOOR: f64 = 1e-10;

/// No floor is lower, in frame units: far below what doubles tell apart, far above what they cannot square.
const LEAST_FLOOR: f64 = 1e-100;

/// No floor is higher, as a multiple of the data's variance: beyond it the data are one point to doubles.
const LARGEST_FLOOR: f64 = 1e12;

/// Where a sample has fewer distinct values than its points divided by this, they are summed up before the first pass: that
/// costs about as much as the passes that it then saves.
const COLLAPSE: usize = 4;

/// What the tolerance is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToleranceScale {
    /// Means in standard deviations of the data, variances in the data's variance: units do not matter.
    #[default]
    Data,
    /// Means and variances in the units of the data, as in the paper.
    Absolute,
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
    init: Arc<dyn Initializer>,
    tol: f64,
    tol_scale: ToleranceScale,
    max_iter: usize,
    variances: VarianceModel,
    min_variance: Option<f64>,
    spread_ratio: Option<f64>,
}

impl Mixture {
    /// A mixture of `k` components: no constraint, the paper's start, tolerance 1e-6 of the data's scale, at most 1000
    /// iterations, free variances, a floor of 1e-10 of the data's variance.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            constraint: Arc::new(Unconstrained),
            init: Arc::new(Auto),
            tol: 1e-6,
            tol_scale: ToleranceScale::default(),
            max_iter: 1000,
            variances: VarianceModel::default(),
            min_variance: None,
            spread_ratio: None,
        }
    }

    /// Sets what the means, the weights and the spreads must hold. If the constraint does not apply to `k` components, the fit says so.
    #[must_use]
    pub fn constraint(mut self, constraint: impl Constraint + 'static) -> Self {
        self.constraint = Arc::new(constraint);
        self
    }

    /// Sets where to start: an initializer, or [`Parameters`].
    #[must_use]
    pub fn init(mut self, init: impl Initializer + 'static) -> Self {
        self.init = Arc::new(init);
        self
    }

    /// Sets the tolerance: the fit has converged when no parameter moves by more than this; 0 asks for a fixed point.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// Sets what the tolerance is measured in.
    #[must_use]
    pub fn tol_scale(mut self, scale: ToleranceScale) -> Self {
        self.tol_scale = scale;
        self
    }

    /// Sets the largest number of iterations, at least 1.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.max_iter = max_iter;
        self
    }

    /// Sets which variances the components may have.
    #[must_use]
    pub fn variances(mut self, variances: VarianceModel) -> Self {
        self.variances = variances;
        self
    }

    /// Sets the floor of the variances in squared data units; `None` for 1e-10 of the data's variance (of one, where the
    /// data are all equal). A component whose variance reaches it has collapsed; starts below it are raised to it.
    #[must_use]
    pub fn min_variance(mut self, floor: impl Into<Option<f64>>) -> Self {
        self.min_variance = floor.into();
        self
    }

    /// Sets how many times the smallest standard deviation the largest may be, at least 1, where the constraint says nothing of
    /// spreads; `None` for any number. With a bound the likelihood has a maximum, and no component collapses (Hathaway 1985).
    #[must_use]
    pub fn spread_ratio(mut self, ratio: impl Into<Option<f64>>) -> Self {
        self.spread_ratio = ratio.into();
        self
    }

    /// The number of components.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// The bounds of the gaps, and how many times the smallest variance the largest may be (infinite: any number); `None` if
    /// linear rows are asked for too.
    pub(super) fn gaps_and_ratio(&self) -> Result<Option<(Rows, f64)>, MixtureError> {
        self.check()?;
        let rows = resolve(&*self.constraint, self.k)?;
        let (weights, precisions) = resolve_blocks(&*self.constraint, self.k)?;
        let linear = rows.linear().is_some() || weights.is_some();
        if linear || precisions.as_ref().is_some_and(|precisions| precisions.rows().is_some()) {
            return Ok(None);
        }
        let ratio = match (self.variances, precisions) {
            (VarianceModel::Equal, _) => 1.0,
            (_, Some(precisions)) => precisions.largest_ratio(),
            (_, None) => self.spread_ratio.unwrap_or(f64::INFINITY),
        };
        Ok(Some((rows, ratio * ratio)))
    }

    /// Fits the mixture to a `&Sample`, or to what a `&mut Engine` holds: [`Chunked`](crate::Chunked) data, or an engine of
    /// the caller's own. A fit by an engine has no [`labels`](MixtureFit::labels).
    ///
    /// # Errors
    /// Settings, starts and constraints that make no sense for these data, rows that no means hold, and engines and
    /// solvers that fail.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<MixtureFit, MixtureError> {
        self.fit_with(data, None)
    }

    /// The same, reporting to `watch`, which may stop the search for a start and, between iterations, the fit.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); also [`MixtureError::Interrupted`].
    pub fn fit_with<'a>(
        &self,
        data: impl Into<Data<'a>>,
        mut watch: Option<Watch<'_>>,
    ) -> Result<MixtureFit, MixtureError> {
        match data.into() {
            Data::Sample(sample) => {
                check_memory("the mixture", LocalEngine::bytes(sample.len(), self.k))?;
                let plan = self.plan(sample, again(&mut watch))?;
                // Few distinct values: the same sums in fewer terms.
                let collapsed = (sample.distinct() < sample.len() / COLLAPSE).then(|| sample.collapsed().0);
                let mut engine = LocalEngine::framed(collapsed.as_ref().unwrap_or(sample));
                let scale = engine.scale();
                let surface = Surface::new(&mut engine, *sample.frame(), true, scale);
                Ok(self.run(surface, plan, watch)?.label(sample))
            }
            Data::Engine(engine) => {
                let (plan, frame, scale) = {
                    let sample = engine.load().map_err(|error| MixtureError::Engine(Cause::new(error)))?;
                    let plan = self.plan(&sample, again(&mut watch))?;
                    (plan, *sample.frame(), LocalEngine::framed(&sample).scale())
                };
                self.run(Surface::new(engine, frame, false, scale), plan, watch)
            }
        }
    }

    /// Checks the settings, and finds the rows and the start for data like `sample`.
    fn plan(&self, sample: &Sample, mut watch: Option<Watch<'_>>) -> Result<Plan, MixtureError> {
        self.check()?;
        let (k, distinct) = (self.k, sample.distinct());
        if k > distinct {
            return Err(MixtureError::TooManyComponents { k, distinct });
        }
        let rows = resolve(&*self.constraint, k)?;
        let (weight_rows, precision_rows) = resolve_blocks(&*self.constraint, k)?;
        let weights = WeightBlock::new(weight_rows.as_ref(), k, &mut watch)?;
        let precision_rows = match (precision_rows, self.spread_ratio) {
            (None, Some(ratio)) => Some(PrecisionRows::ratio(ratio)?),
            (rows, _) => rows,
        };
        // Rows on single components are about those by ascending mean, so the means must not cross.
        let counted = weight_rows.is_some() || precision_rows.as_ref().is_some_and(|rows| rows.rows().is_some());
        let ordered = if counted && rows.is_empty() && k > 1 { GapBounds::lower(0.0).rows(k)? } else { rows.clone() };
        let means = MeanBlock { program: MeanProgram::of(&ordered, sample.frame(), FARTHEST, &mut watch)? };
        let start = self.init.start(sample, k, &rows, watch)?;
        start.check_count(k)?;
        start.check_scale(sample.frame())?;
        Ok(Plan { start, rows, weights, means, precision_rows })
    }

    fn check(&self) -> Result<(), MixtureError> {
        let bad = |name, value, expected| Err(MixtureError::BadSetting { name, value, expected });
        if self.k == 0 {
            return Err(MixtureError::NoComponents);
        }
        if !(self.tol.is_finite() && self.tol >= 0.0) {
            return bad("tol", self.tol, "it must be finite and not negative");
        }
        if self.max_iter == 0 {
            return bad("max_iter", 0.0, "it must be at least 1");
        }
        if let Some(ratio) = self.spread_ratio.filter(|ratio| !(*ratio >= 1.0 && ratio.is_finite())) {
            return bad("spread_ratio", ratio, "it must be finite and at least 1");
        }
        match self.min_variance {
            Some(floor) if !(floor.is_finite() && floor > 0.0) => {
                bad("min_variance", floor, "it must be finite and positive")
            }
            _ => Ok(()),
        }
    }

    /// Climbs from the start, and brings what was found into the units of the data.
    fn run(
        &self,
        mut surface: Surface<'_>,
        Plan { start, rows, weights, means, precision_rows }: Plan,
        mut watch: Option<Watch<'_>>,
    ) -> Result<MixtureFit, MixtureError> {
        let floor = self.floor(&surface)?;
        let frame = *surface.frame();
        let scale = [floor, surface.variance()];
        let precisions =
            PrecisionBlock::new(self.variances, self.k, precision_rows.as_ref(), &frame, scale, &mut watch)?;
        let mut m_step = MStep { weights, means, precisions };
        let start = start.enter(&frame).raised(floor);
        let rule = self.stopping_rule(&surface);
        let mut climbed = climb(&mut surface, &mut m_step, rule, start, &mut watch)?;
        let origins;
        (climbed.parameters, origins) = climbed.parameters.sorted();
        climbed.status = climbed.status.renumbered(&origins);
        let means = climbed.parameters.means();
        let facts = Facts {
            gaps: means.windows(2).map(|pair| frame.leave_length(pair[1] - pair[0])).collect(),
            active: rows.active(means, &frame, surface.variance().sqrt()),
            origins,
            total_weight: surface.total_weight(),
            variance_count: if self.variances == VarianceModel::Equal { 1 } else { self.k },
        };
        climbed.parameters = climbed.parameters.leave(&frame);
        if !climbed.parameters.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        Ok(MixtureFit::new(climbed, facts))
    }

    /// The least variance, in frame units.
    fn floor(&self, surface: &Surface<'_>) -> Result<f64, MixtureError> {
        let variance = surface.variance();
        let floor = self.min_variance.map_or(FLOOR * variance, |floor| surface.frame().enter_square(floor));
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
        StoppingRule { tol: self.tol, max_iter: self.max_iter, mean_unit, variance_unit }
    }
}

/// Where a fit starts, and what holds on its way.
struct Plan {
    start: Parameters,
    rows: Rows,
    weights: WeightBlock,
    means: MeanBlock,
    precision_rows: Option<PrecisionRows>,
}
