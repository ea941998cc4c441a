//! Gaussian mixtures whose neighbouring means keep a gap, fitted by EM.
//!
//! An iteration is one pass over the data, O(N·K), and a small quadratic program for the means. Nothing of the size
//! N×K is ever stored.

mod criteria;
mod density;
mod e_step;
mod em;
mod engine;
mod evaluate;
mod fit;
mod initializer;
mod local;
mod m_step;
mod moment_sums;
mod parameters;
mod scaled;
#[cfg(feature = "serde")]
mod serde_form;
mod status;

pub use engine::{Engine, Moments, Overview};
pub use fit::MixtureFit;
pub use initializer::{Auto, Ckmeans, ConstrainedKMeans, Initializer};
pub use local::LocalEngine;
pub use m_step::VarianceModel;
pub use moment_sums::MomentSums;
pub use parameters::Parameters;
pub use status::Status;

use crate::constraint::resolved::Restraint;
use crate::constraint::{Constraint, Unconstrained};
use crate::data::frame::{FARTHEST, Frame};
use crate::data::sample::Sample;
use crate::error::MixtureError;
use crate::memory::check_memory;
use crate::monitor::{Watch, again};
use crate::qp::MeanProgram;
use em::Yardstick;
use fit::Facts;
use m_step::MStep;
use scaled::Scaled;

/// The default floor of the variances, as a fraction of the data's variance.
const FLOOR: f64 = 1e-10;

/// No floor is lower, in the units of the fit: far below what doubles tell apart, far above what they cannot square.
const LEAST_FLOOR: f64 = 1e-100;

/// No floor is higher, as a multiple of the data's variance.
const LARGEST_FLOOR: f64 = 1e12;

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
/// use mindgap::{GapBounds, Mixture, Sample, Parameters};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 2) * 4.0 + f64::from(i % 10) * 0.1).collect();
/// let sample = Sample::new(&x)?;
/// let start = Parameters::new(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 1.0])?;
/// let fit = Mixture::new(2).constraint(GapBounds::lower(4.5)).init(start).fit(&sample)?;
/// assert!(fit.converged());
/// assert!((fit.gaps()[0] - 4.5).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
pub struct Mixture {
    k: usize,
    constraint: Box<dyn Constraint>,
    init: Box<dyn Initializer>,
    tol: f64,
    tol_scale: ToleranceScale,
    max_iter: usize,
    variances: VarianceModel,
    min_variance: Option<f64>,
}

impl Mixture {
    /// A mixture of `k` components: no constraint, the paper's start, tolerance 1e-6 of the data's scale, at most 1000
    /// iterations, free variances, a floor of 1e-10 of the data's variance.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            constraint: Box::new(Unconstrained),
            init: Box::new(Auto),
            tol: 1e-6,
            tol_scale: ToleranceScale::default(),
            max_iter: 1000,
            variances: VarianceModel::default(),
            min_variance: None,
        }
    }

    /// What the means must hold.
    #[must_use]
    pub fn constraint(mut self, constraint: impl Constraint + 'static) -> Self {
        self.constraint = Box::new(constraint);
        self
    }

    /// Where to start: an initializer, or a [`Parameters`].
    #[must_use]
    pub fn init(mut self, init: impl Initializer + 'static) -> Self {
        self.init = Box::new(init);
        self
    }

    /// The fit has converged when no parameter moves by more than this; 0 asks for a fixed point.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// What the tolerance is measured in.
    #[must_use]
    pub fn tol_scale(mut self, scale: ToleranceScale) -> Self {
        self.tol_scale = scale;
        self
    }

    /// The largest number of iterations, at least 1.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.max_iter = max_iter;
        self
    }

    /// Which variances the components may have.
    #[must_use]
    pub fn variances(mut self, variances: VarianceModel) -> Self {
        self.variances = variances;
        self
    }

    /// The floor of the variances in squared data units; `None` for 1e-10 of the data's variance (of one, where the
    /// data are all equal). A component whose variance reaches it has collapsed; starts below it are raised to it.
    #[must_use]
    pub fn min_variance(mut self, floor: impl Into<Option<f64>>) -> Self {
        self.min_variance = floor.into();
        self
    }

    /// Fits the mixture.
    ///
    /// # Errors
    /// Settings, starts and constraints that make no sense for this sample, rows that no means hold, and solvers that fail.
    pub fn fit(&self, sample: &Sample) -> Result<MixtureFit, MixtureError> {
        self.fit_watched(sample, None)
    }

    /// Fits the mixture, reporting to `watch`, which may stop its start and, between iterations, the fit.
    ///
    /// # Errors
    /// As [`Mixture::fit`]; also [`MixtureError::Interrupted`].
    pub fn fit_watched(&self, sample: &Sample, mut watch: Option<Watch<'_>>) -> Result<MixtureFit, MixtureError> {
        check_memory("the mixture", local::bytes(sample.len(), self.k))?;
        let (start, restraint, program) = self.prepare(sample, again(&mut watch))?;
        // Few distinct values: the same sums in fewer terms.
        let collapsed = (sample.distinct() < sample.len() / 4).then(|| sample.collapsed().0);
        let mut engine = LocalEngine::framed(collapsed.as_ref().unwrap_or(sample));
        let overview = overview(&mut engine)?;
        let fit = self.run(&mut engine, overview, &start, (restraint, program), sample.frame(), watch)?;
        Ok(fit.label(sample))
    }

    /// Fits data that only `engine` sees, in its own units, from `start`; the initializer is not asked. The fit has
    /// no [`labels`](MixtureFit::labels).
    ///
    /// # Errors
    /// As [`Mixture::fit_watched`]; also [`MixtureError::Engine`].
    pub fn fit_engine(
        &self,
        engine: &mut dyn Engine,
        start: &Parameters,
        mut watch: Option<Watch<'_>>,
    ) -> Result<MixtureFit, MixtureError> {
        self.check()?;
        // Before the bounds are written out for every gap: k may be any number here.
        start.check_count(self.k)?;
        let told = overview(engine)?;
        let mut engine = Scaled::new(engine, told);
        let frame = engine.frame();
        let overview = overview(&mut engine)?;
        // Of data that nobody sees here the standard deviation must do for the range.
        let reach = FARTHEST * overview.variance.sqrt();
        let restraint = Restraint::new(&self.constraint.restriction(self.k)?, self.k, &frame, reach)?;
        let program = restraint.program(&mut watch)?;
        self.run(&mut engine, overview, start, (restraint, program), &frame, watch)
    }

    /// The start that the initializer finds for `sample`, and what the means must hold, both checked.
    pub(crate) fn prepare(
        &self,
        sample: &Sample,
        mut watch: Option<Watch<'_>>,
    ) -> Result<(Parameters, Restraint, Option<MeanProgram>), MixtureError> {
        self.check()?;
        let (k, distinct) = (self.k, sample.distinct());
        if k > distinct {
            return Err(MixtureError::TooManyComponents { k, distinct });
        }
        let restriction = self.constraint.restriction(k)?;
        let restraint = Restraint::new(&restriction, k, sample.frame(), FARTHEST)?;
        let program = restraint.program(&mut watch)?;
        let start = self.init.start_watched(sample, k, &restriction, watch)?;
        start.check_count(k)?;
        start.check_scale(sample.frame())?;
        Ok((start, restraint, program))
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
        match self.min_variance {
            Some(floor) if !(floor.is_finite() && floor > 0.0) => {
                bad("min_variance", floor, "it must be finite and positive")
            }
            _ => Ok(()),
        }
    }

    /// Runs the loop in the engine's units and brings the outcome home.
    fn run(
        &self,
        engine: &mut dyn Engine,
        Overview { total_weight, variance }: Overview,
        start: &Parameters,
        (restraint, program): (Restraint, Option<MeanProgram>),
        frame: &Frame,
        watch: Option<Watch<'_>>,
    ) -> Result<MixtureFit, MixtureError> {
        let floor = self.min_variance.map_or(FLOOR * variance, |floor| frame.enter_square(floor)).max(LEAST_FLOOR);
        if floor > LARGEST_FLOOR * variance {
            let value = self.min_variance.unwrap_or(floor);
            let expected = "it must not be more than 1e12 times the data's variance";
            return Err(MixtureError::BadSetting { name: "min_variance", value, expected });
        }
        let (mean_unit, variance_unit) = match self.tol_scale {
            ToleranceScale::Data => (variance.sqrt(), variance),
            ToleranceScale::Absolute => (frame.enter_length(1.0), frame.enter_square(1.0)),
        };
        let yardstick = Yardstick { tol: self.tol, max_iter: self.max_iter, mean_unit, variance_unit };
        let offset = frame.log_density(total_weight);
        let mstep = MStep { program, variances: self.variances, floor };
        let start = start.enter(frame).raised(floor);
        let mut outcome = em::run(engine, mstep, yardstick, offset, start, watch)?;
        let origins;
        (outcome.parameters, origins) = outcome.parameters.sorted();
        outcome.status = outcome.status.renumbered(&origins);
        let means = outcome.parameters.means();
        let gaps = means.windows(2).map(|pair| frame.leave_length(pair[1] - pair[0])).collect();
        let variance_count = if self.variances == VarianceModel::Equal { 1 } else { self.k };
        let facts =
            Facts { gaps, active: restraint.active(means, variance.sqrt()), total_weight, variance_count, origins };
        outcome.parameters = outcome.parameters.leave(frame);
        if !outcome.parameters.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        Ok(MixtureFit::new(outcome, facts))
    }
}

/// What the engine says of its data as a whole, if it makes sense; data without spread count as if they had one.
fn overview(engine: &mut dyn Engine) -> Result<Overview, MixtureError> {
    let Overview { total_weight, variance } = engine.overview().map_err(MixtureError::Engine)?;
    if !(total_weight.is_finite() && total_weight > 0.0 && variance.is_finite() && variance >= 0.0) {
        let what = format!("it reports a total weight of {total_weight} and a variance of {variance}");
        return Err(MixtureError::Engine(what));
    }
    Ok(Overview { total_weight, variance: if variance > 0.0 { variance } else { 1.0 } })
}
