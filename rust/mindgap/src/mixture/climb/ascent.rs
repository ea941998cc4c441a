//! The climb to the top of a hill: a few EM steps, then Newton steps on the rows, by Levenberg and Marquardt's rule.
//!
//! Each step maximises the log-likelihood's second-order model minus `τ` times EM's own metric: with a large `τ` it is a
//! short EM step, with none a Newton step. `τ` falls while the model predicts well and grows where it does not; a step is
//! kept only if the likelihood does not fall. The model's gain without `τ` is the Newton decrement: how much likelihood is
//! left. A pass over the data a step, and O(K³) beside it. On the paper's models a climb takes 8 to 27 passes in the median,
//! where EM takes 500 to 3,300.

use super::model::{BLOCK, Model};
use super::program::Program;
use super::quasi_newton::QuasiNewton;
use super::rows::{self, LEAST_WEIGHT, RowKind};
use super::step::{ratios, stepped};
use crate::error::MixtureError;
use crate::mixture::engine::Moments;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::mixture::surface::Surface;
use crate::monitor::{Halt, Monitor, Progress};
use crate::qp::dense::SparseRows;

/// Where `τ` starts: EM's metric counts for a hundredth of the model's.
const FIRST_DAMPING: f64 = 1e-2;

/// A `τ` below this counts as none, and is replaced by `LEAST_DAMPING`.
const UNDAMPED: f64 = 1e-7;

/// The least `τ`, which keeps steps in flat directions finite.
pub(super) const LEAST_DAMPING: f64 = 1e-10;

/// The least `τ` that is tried where the model has no maximum.
pub(super) const CONVEX_DAMPING: f64 = 1e-6;

/// The least `τ` after a step that failed.
const FAILED_DAMPING: f64 = 1e-4;

/// Beyond this `τ` steps are shorter than rounding.
pub(super) const MOST_DAMPING: f64 = 1e12;

/// What of the predicted gain must come true for `τ` to fall.
const GOOD: f64 = 0.75;

/// What of it must come true for `τ` to stay.
const FAIR: f64 = 0.25;

/// By what `τ` falls after a first good step; squared after each further one.
const FALL: f64 = 0.3;

/// By what `τ` falls after a good step that followed a failed one.
const CAUTIOUS_FALL: f64 = 0.6;

/// `τ` falls by no more than this in one step.
const STEEPEST_FALL: f64 = 1e-4;

/// How much longer a step is at first where the model has no maximum: the damping that it then needs shortens steps in all directions.
const FIRST_LONGEST: f64 = 4.0;

/// How much longer at most.
const LONGEST: f64 = 1e6;

/// Falls of the log-likelihood below this fraction of it are rounding, where no more than `ROUNDING_GAIN` was predicted.
const ROUNDING_FALL: f64 = 1e-13;

/// Predicted gains below this may be lost to rounding.
const ROUNDING_GAIN: f64 = 1e-6;

/// At a decrement below the tolerance, a damped climb tries so often to do without damping.
const UNDAMPING_TRIES: usize = 3;

/// A component of less weight counts as having none: the decrement does not see what it would gain.
const NEXT_TO_NOTHING: f64 = 1e-8;

/// Such a component is wanted back if its density at the points exceeds the fit's by this share on average.
const WANTED: f64 = 1e-6;

/// The largest weight that it gets back.
const MOST_REVIVED: f64 = 0.3;
/// How many weights are tried, each a quarter of the one before.
const REVIVALS: usize = 4;

/// How far to climb.
#[derive(Clone, Copy, Debug)]
pub(in crate::mixture) struct ClimbLimits {
    /// EM steps before the first Newton step; at least one where the start may miss a row.
    pub(in crate::mixture) em_steps: usize,
    /// Passes over the data at most.
    pub(in crate::mixture) passes: usize,
    /// The decrement to be reached, in log units.
    pub(in crate::mixture) tolerance: f64,
}

impl ClimbLimits {
    /// The decrement at which a climb has arrived: no statistician could tell parameters apart that differ by so little
    /// likelihood, and rounding is still far below for a billion points.
    pub(in crate::mixture) const TOLERANCE: f64 = 1e-8;
}

/// Where a climb has arrived.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct Ascent {
    pub(in crate::mixture) parameters: Parameters,
    /// The parameters before the last Newton step, which gains less than the tolerance and was not evaluated.
    pub(in crate::mixture) before: Parameters,
    /// The log-likelihood of the parameters before the last step.
    pub(in crate::mixture) log_likelihood: f64,
    /// The log-likelihood of each iterate.
    pub(in crate::mixture) history: Vec<f64>,
    /// What the next step would gain; infinite before the first.
    pub(in crate::mixture) decrement: f64,
    pub(in crate::mixture) ending: Ending,
    pub(in crate::mixture) passes: usize,
    /// The model at the last iterate, from which standard errors follow.
    pub(in crate::mixture) model: Option<Model>,
}

/// Why a climb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mixture) enum Ending {
    /// The decrement is below the tolerance.
    Arrived,
    /// The passes ran out, or rounding stopped it.
    Stuck,
    /// The time limit passed.
    OutOfTime,
}

/// Where a climb is under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::mixture) struct Reached<'a> {
    pub(in crate::mixture) parameters: &'a Parameters,
    pub(in crate::mixture) log_likelihood: f64,
    /// Passes so far.
    pub(in crate::mixture) passes: usize,
}

/// Says of what a climb has reached whether it need not go on.
pub(in crate::mixture) type Leave<'a> = &'a dyn Fn(Reached<'_>) -> bool;

/// Climbs from `start`, until `leave` says that there is no need. `guess` is a guess of the model for an engine that answers moments alone.
///
/// # Errors
/// An engine that fails, a program that is not solved, and an interruption.
pub(in crate::mixture) fn ascend(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    start: Parameters,
    limits: ClimbLimits,
    guess: Option<&Model>,
    leave: Leave<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Ascent, MixtureError> {
    let mut parameters = start;
    let mut history = Vec::new();
    for _ in 0..limits.em_steps {
        let moments = surface.at(&parameters)?;
        history.push(moments.log_likelihood);
        parameters = step_of_em(m_step, &parameters, &moments, history.len(), &mut monitor.untimed())?;
    }
    let passes = limits.em_steps + 1;
    let here = surface.curved(&parameters)?;
    history.push(here.log_likelihood);
    let mut climber = Climber {
        surface,
        m_step,
        before: parameters.clone(),
        parameters,
        here,
        quasi: None,
        rows: SparseRows::default(),
        kinds: Vec::new(),
        damping: FIRST_DAMPING,
        fall: FALL,
        longest: FIRST_LONGEST,
        passes,
        history,
        decrement: f64::INFINITY,
        model: None,
    };
    let ending = climber.run(limits, guess, leave, monitor)?;
    let Climber { parameters, before, here, history, decrement, passes, model, .. } = climber;
    let log_likelihood = here.log_likelihood;
    Ok(Ascent { parameters, before, log_likelihood, history, decrement, ending, passes, model })
}

/// By what factor, at most `reach`, a step gains most according to the model.
fn longer(model: &Model, step: &[f64], reach: f64) -> f64 {
    let (slope, gain) = (model.slope(step), model.gain(step));
    let bend = 2.0 * (slope - gain);
    let best = if bend > 0.0 { slope / bend } else { f64::INFINITY };
    best.min(reach).max(1.0)
}

/// The M step, with weights that a climb can go on from.
fn step_of_em(
    m_step: &mut MStep,
    parameters: &Parameters,
    moments: &Moments,
    iteration: usize,
    monitor: &mut Monitor<'_>,
) -> Result<Parameters, MixtureError> {
    let next = m_step.run(parameters, moments, monitor).map_err(|failure| failure.in_iteration(iteration))?;
    if !next.is_finite() {
        return Err(MixtureError::OutOfRange);
    }
    let weights = next.weights().iter().map(|weight| weight.max(LEAST_WEIGHT)).collect();
    Ok(Parameters::sound(weights, next.means().to_vec(), next.variances().to_vec()))
}

/// A climb under way.
struct Climber<'a, 'b> {
    surface: &'a mut Surface<'b>,
    m_step: &'a MStep,
    parameters: Parameters,
    before: Parameters,
    here: Moments,
    quasi: Option<QuasiNewton>,
    rows: SparseRows,
    kinds: Vec<RowKind>,
    damping: f64,
    fall: f64,
    /// How much longer a step may be than the damping makes it that a model without a maximum needs.
    longest: f64,
    passes: usize,
    history: Vec<f64>,
    decrement: f64,
    model: Option<Model>,
}

/// How a round of a climb ended.
enum Round {
    Moved,
    Ended(Ending),
}

impl Climber<'_, '_> {
    /// Climbs until the decrement is below the tolerance, or something else ends it.
    fn run(
        &mut self,
        limits: ClimbLimits,
        guess: Option<&Model>,
        leave: Leave<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Ending, MixtureError> {
        loop {
            self.before.clone_from(&self.parameters);
            let model = self.model(guess);
            let round = self.round(&model, limits, monitor)?;
            self.model = Some(model);
            match round {
                Round::Moved if leave(self.reached()) => {
                    self.before.clone_from(&self.parameters);
                    return Ok(Ending::Stuck);
                }
                Round::Moved => {}
                Round::Ended(Ending::Arrived) if self.revive(limits)? => {}
                Round::Ended(ending) => return Ok(ending),
            }
        }
    }

    fn reached(&self) -> Reached<'_> {
        Reached { parameters: &self.parameters, log_likelihood: self.here.log_likelihood, passes: self.passes }
    }

    /// Gives weight back to a component that has next to none, if that raises the likelihood: at a weight of zero the decrement
    /// does not see what the component would gain. The derivative there is `N(D - 1)` with `D = n_k/(N w_k)`, the second one
    /// `-Σ (φ/f - 1)²`.
    fn revive(&mut self, limits: ClimbLimits) -> Result<bool, MixtureError> {
        let weights = self.before.weights();
        let total: f64 = self.here.weight.iter().sum();
        let density = |c: usize| self.here.weight[c] / (total * weights[c]);
        let free = |c: usize| self.m_step.weights.rows().is_none() && self.m_step.weights.bounds(c) == [0.0, 1.0];
        let wanted = (0..weights.len())
            .filter(|&c| weights[c] < NEXT_TO_NOTHING && free(c) && density(c) > 1.0 + WANTED)
            .reduce(|a, b| if density(b) > density(a) { b } else { a });
        let (Some(c), Some(curvature)) = (wanted, &self.here.curvature) else {
            return Ok(false);
        };
        let n = BLOCK * weights.len();
        let squares = curvature.outer[BLOCK * c * (n + 1)] / (weights[c] * weights[c]);
        let bend = squares - total * (2.0 * density(c) - 1.0);
        let mut share = (total * (density(c) - 1.0) / bend.max(f64::MIN_POSITIVE)).min(MOST_REVIVED);
        for _ in 0..REVIVALS {
            if self.passes >= limits.passes {
                return Ok(false);
            }
            let shares = (0..weights.len()).map(|i| if i == c { share } else { weights[i] * (1.0 - share) }).collect();
            let next = Parameters::sound(shares, self.before.means().to_vec(), self.before.variances().to_vec());
            let there = self.surface.curved(&next)?;
            self.passes += 1;
            if there.log_likelihood > self.here.log_likelihood + limits.tolerance {
                self.history.push(there.log_likelihood);
                (self.parameters, self.here) = (next, there);
                (self.damping, self.fall) = (FIRST_DAMPING, FALL);
                return Ok(true);
            }
            share *= 0.25;
        }
        Ok(false)
    }

    /// The model at the present parameters, with what can be known of its curvature.
    fn model(&mut self, guess: Option<&Model>) -> Model {
        let mut model = match &self.here.curvature {
            Some(curvature) => Model::new(&self.parameters, &self.here, curvature),
            None => {
                let mut model = Model::of_moments(&self.parameters, &self.here);
                match &mut self.quasi {
                    Some(quasi) => quasi.learn(&self.parameters, &mut model),
                    none => {
                        if let Some(guess) = guess {
                            model.information.clone_from(&guess.information);
                        }
                        *none = Some(QuasiNewton::new(&self.parameters, &model));
                    }
                }
                model
            }
        };
        if let Some(tie) = self.m_step.precisions.tie() {
            model.tie(&ratios(&tie, &self.parameters));
        }
        let weights = self.parameters.weights();
        (0..weights.len()).filter(|&c| weights[c] <= 2.0 * LEAST_WEIGHT).for_each(|c| model.isolate(c));
        model
    }

    /// Takes one step, with as much damping as it needs.
    fn round(&mut self, model: &Model, limits: ClimbLimits, monitor: &mut Monitor<'_>) -> Result<Round, MixtureError> {
        rows::write(self.m_step, &self.parameters, &mut self.rows, &mut self.kinds);
        let mut program = Program::new(model, &mut self.rows);
        let mut damping = if self.damping < UNDAMPED { LEAST_DAMPING } else { self.damping };
        let (mut tries, mut convex, mut longest) = (0, true, self.longest);
        loop {
            let Some(optimum) = program.solve(&self.rows, damping) else {
                if program.stiffen(&self.rows) {
                    continue;
                }
                convex = false;
                damping = (4.0 * damping).max(CONVEX_DAMPING);
                if damping > MOST_DAMPING {
                    return Ok(Round::Ended(Ending::Stuck));
                }
                continue;
            };
            let mut step: Vec<f64> = optimum.point.iter().zip(&program.units).map(|(u, unit)| u * unit).collect();
            let factor = if convex { 1.0 } else { longer(model, &step, self.rows.reach(&optimum.point)).min(longest) };
            step.iter_mut().for_each(|u| *u *= factor);
            self.decrement = model.gain(&step);
            let (next, share) = stepped(&self.parameters, self.m_step, &step);
            if self.decrement < limits.tolerance {
                if damping <= UNDAMPED {
                    self.parameters = next;
                    return Ok(Round::Ended(Ending::Arrived));
                }
                tries += 1;
                if tries > UNDAMPING_TRIES {
                    // The model has no maximum nearby; what the damped step gains is all there is to be seen.
                    return Ok(Round::Ended(Ending::Arrived));
                }
                damping = if damping < FIRST_DAMPING { LEAST_DAMPING } else { FIRST_DAMPING * damping };
                continue;
            }
            if self.passes >= limits.passes {
                return Ok(Round::Ended(Ending::Stuck));
            }
            let there = self.surface.curved(&next)?;
            self.passes += 1;
            let short: Vec<f64> = step.iter().map(|u| u * share).collect();
            let predicted = model.gain(&short);
            let gained = there.log_likelihood - self.here.log_likelihood;
            let rounding = ROUNDING_FALL * self.here.log_likelihood.abs();
            let kept = gained > 0.0 || (gained.abs() <= rounding && predicted < ROUNDING_GAIN);
            let reached =
                if kept { (&next, there.log_likelihood) } else { (&self.parameters, self.here.log_likelihood) };
            let told = self.tell(reached, monitor);
            let ratio = gained / predicted;
            if kept {
                self.parameters = next;
                self.here = there;
                self.history.push(self.here.log_likelihood);
                self.damp(damping, ratio, share);
                self.longest = if ratio > GOOD { (4.0 * longest).min(LONGEST) } else { longest };
            }
            match told {
                // What was kept is where the climb ends.
                Err(Halt::TimeLimit) => {
                    self.before.clone_from(&self.parameters);
                    return Ok(Round::Ended(Ending::OutOfTime));
                }
                told => told?,
            }
            if kept {
                return Ok(Round::Moved);
            }
            self.fall = CAUTIOUS_FALL;
            if factor > 1.0 {
                longest = (0.25 * factor).max(1.0);
                continue;
            }
            // The farther from the prediction, the shorter the next.
            damping = (damping * (0.5 * (1.0 - ratio)).clamp(3.0, 10.0)).max(FAILED_DAMPING);
            if damping > MOST_DAMPING {
                return Ok(Round::Ended(Ending::Stuck));
            }
        }
    }

    /// Reports where the climb is.
    fn tell(&self, (parameters, log_likelihood): (&Parameters, f64), monitor: &mut Monitor<'_>) -> Result<(), Halt> {
        if monitor.counts() {
            return monitor.send(&Progress::Working);
        }
        monitor.send(&Progress::Iteration {
            iteration: self.history.len(),
            log_likelihood,
            movement: self.decrement,
            parameters: parameters.outside(self.surface.frame()),
        })
    }

    /// The damping of the next step, after one of which `ratio` of the prediction came true.
    fn damp(&mut self, damping: f64, ratio: f64, share: f64) {
        (self.damping, self.fall) = if ratio > GOOD {
            (damping * self.fall, (self.fall * self.fall).max(STEEPEST_FALL))
        } else if ratio > FAIR {
            (damping, FALL)
        } else {
            (damping * 3.0, FALL)
        };
        if share < 1.0 {
            self.damping = self.damping.max(FAILED_DAMPING);
        }
    }
}
