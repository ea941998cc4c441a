//! The climb to a local maximum: a few EM steps, then Newton steps under the rows, damped as by Levenberg and
//! Marquardt.
//!
//! Each step maximises the log-likelihood's second-order model minus `τ` times EM's metric: with a large `τ` it is a
//! short EM step, with `τ = 0` a Newton step. `τ` falls while the model predicts well and grows otherwise; a step is
//! kept only if the likelihood does not fall. The model's gain with `τ = 0` is the Newton decrement, an estimate of the
//! gain that is left. A step costs a pass over the data and O(K³). On the paper's models the median climb takes 8 to 27
//! passes; EM takes 500 to 3,300.

use super::em::step_of_em;
use super::model::{BLOCK, Model, QuasiNewton};
use super::rows::{self, LEAST_WEIGHT, RowKind};
use super::step::{Program, ratios, stepped};
use super::{Ascent, ClimbLimits, ClimbOptions, Ending, Leave, Reached};
use crate::error::MixtureError;
use crate::mixture::engine::Moments;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::mixture::surface::Surface;
use crate::monitor::{Halt, Monitor, Progress};
use crate::qp::dense::SparseRows;

/// The first `τ`: EM's metric counts a hundredth of the model's.
const FIRST_DAMPING: f64 = 1e-2;

/// A `τ` below this is replaced by `LEAST_DAMPING`.
const UNDAMPED: f64 = 1e-7;

/// The least `τ`, which keeps steps in flat directions finite.
pub(super) const LEAST_DAMPING: f64 = 1e-10;

/// The least `τ` for a model without a maximum.
pub(super) const CONVEX_DAMPING: f64 = 1e-6;

/// The least `τ` after a failed step.
const FAILED_DAMPING: f64 = 1e-4;

/// Beyond this `τ` steps are shorter than rounding.
pub(super) const MOST_DAMPING: f64 = 1e12;

/// The least ratio of actual to predicted gain at which `τ` falls.
const GOOD: f64 = 0.75;

/// The least ratio at which `τ` stays.
const FAIR: f64 = 0.25;

/// The factor of `τ` after a first good step; squared after each further one.
const FALL: f64 = 0.3;

/// The factor of `τ` after a good step that followed a failed one.
const CAUTIOUS_FALL: f64 = 0.6;

/// The smallest factor of `τ` in one step.
const STEEPEST_FALL: f64 = 1e-4;

/// The first limit on lengthening a step if the model has no maximum: the damping that it then needs shortens steps in
/// all directions.
const FIRST_LONGEST: f64 = 4.0;

/// The largest such limit.
const LONGEST: f64 = 1e6;

/// A fall of the log-likelihood below this fraction of it is rounding, if at most `ROUNDING_GAIN` was predicted.
const ROUNDING_FALL: f64 = 1e-13;

/// Predicted gains below this may be lost to rounding.
const ROUNDING_GAIN: f64 = 1e-6;

/// The most attempts of a damped climb, at a decrement below the tolerance, to continue without damping.
const UNDAMPING_TRIES: usize = 3;

/// A component of less weight counts as empty: the decrement does not include its possible gain.
const NEXT_TO_NOTHING: f64 = 1e-8;

/// An empty component is revived if its density at the points exceeds the fit's by this fraction on average.
const WANTED: f64 = 1e-6;

/// The largest weight of a revived component.
const MOST_REVIVED: f64 = 0.3;

/// The number of weights tried, each a quarter of the one before.
const REVIVALS: usize = 4;

/// The memory of a climb's steps, which the next climb may use again.
#[derive(Default)]
pub(in crate::mixture) struct Workspace {
    program: Program,
    rows: SparseRows,
    kinds: Vec<RowKind>,
}

/// Climbs from `start`, unless the options say to abandon it.
///
/// # Errors
/// An engine that fails, a program that is not solved, and an interruption.
pub(in crate::mixture) fn ascend(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    start: Parameters,
    options: ClimbOptions<'_>,
    workspace: &mut Workspace,
    monitor: &mut Monitor<'_>,
) -> Result<Ascent, MixtureError> {
    let ClimbOptions { limits, guess, leave } = options;
    let mut parameters = start;
    let mut history = Vec::new();
    for _ in 0..limits.em_steps {
        let moments = surface.at(&parameters)?;
        history.push(moments.log_likelihood);
        parameters = step_of_em(m_step, &parameters, &moments, history.len(), &mut monitor.untimed())?;
    }
    let Workspace { mut program, rows, kinds } = std::mem::take(workspace);
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
        rows,
        kinds,
        damping: FIRST_DAMPING,
        fall: FALL,
        longest: FIRST_LONGEST,
        passes,
        history,
        decrement: f64::INFINITY,
        model: None,
    };
    let ending = climber.run(limits, guess, leave, &mut program, monitor)?;
    let Climber { parameters, before, here, rows, kinds, history, decrement, passes, model, .. } = climber;
    *workspace = Workspace { program, rows, kinds };
    let log_likelihood = here.log_likelihood;
    Ok(Ascent { parameters, before, log_likelihood, history, decrement, ending, passes, model })
}

/// The factor, at most `reach`, by which a longer step gains most according to the model.
fn longer(model: &Model, step: &[f64], reach: f64) -> f64 {
    let (slope, gain) = (model.slope(step), model.gain(step));
    let bend = 2.0 * (slope - gain);
    let best = if bend > 0.0 { slope / bend } else { f64::INFINITY };
    best.min(reach).max(1.0)
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
    /// The current limit on lengthening a step if the model has no maximum.
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
    /// Climbs until the decrement is below the tolerance or another limit is reached.
    fn run(
        &mut self,
        limits: ClimbLimits,
        guess: Option<&Model>,
        leave: Leave<'_>,
        program: &mut Program,
        monitor: &mut Monitor<'_>,
    ) -> Result<Ending, MixtureError> {
        loop {
            self.before.clone_from(&self.parameters);
            let model = self.model(guess);
            let round = self.round(&model, program, limits, leave, monitor)?;
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
        Reached {
            parameters: &self.parameters,
            log_likelihood: self.here.log_likelihood,
            decrement: self.decrement,
            passes: self.passes,
            next: None,
        }
    }

    /// Revives an empty component if that raises the likelihood: at a weight of zero the decrement does not include its
    /// gain. The derivative there is `N(D - 1)` with `D = n_k/(N w_k)`, the second one `-Σ (φ/f - 1)²`.
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

    /// The model at the current parameters, with exact or estimated curvature.
    fn model(&mut self, guess: Option<&Model>) -> Model {
        // In the memory of the model before.
        let mut model = self.model.take().unwrap_or_default();
        match &self.here.curvature {
            Some(curvature) => model.write(&self.parameters, &self.here, curvature),
            None => {
                model.write_moments(&self.parameters, &self.here);
                match &mut self.quasi {
                    Some(quasi) => quasi.learn(&self.parameters, &mut model),
                    none => {
                        if let Some(guess) = guess {
                            model.information.clone_from(&guess.information);
                        }
                        *none = Some(QuasiNewton::new(&self.parameters, &model));
                    }
                }
            }
        }
        if let Some(tie) = self.m_step.precisions.tie() {
            model.tie(&ratios(&tie, &self.parameters));
        }
        model.isolate_empty(self.parameters.weights(), 2.0 * LEAST_WEIGHT);
        model
    }

    /// Takes one step, with as much damping as it needs.
    fn round(
        &mut self,
        model: &Model,
        program: &mut Program,
        limits: ClimbLimits,
        leave: Leave<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Round, MixtureError> {
        rows::write(self.m_step, &self.parameters, &mut self.rows, &mut self.kinds);
        program.write(model, &mut self.rows);
        let mut damping = if self.damping < UNDAMPED { LEAST_DAMPING } else { self.damping };
        let (mut tries, mut convex, mut longest) = (0, true, self.longest);
        loop {
            let Some(mut step) = program.step(&self.rows, damping) else {
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
            let factor = if convex { 1.0 } else { longer(model, &step, program.reach(&self.rows)).min(longest) };
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
                    // The model has no maximum nearby; the gain of the damped step serves as the decrement.
                    return Ok(Round::Ended(Ending::Arrived));
                }
                damping = if damping < FIRST_DAMPING { LEAST_DAMPING } else { FIRST_DAMPING * damping };
                continue;
            }
            let leads_nowhere = convex && share == 1.0 && leave(Reached { next: Some(&next), ..self.reached() });
            if leads_nowhere || self.passes >= limits.passes {
                return Ok(Round::Ended(Ending::Stuck));
            }
            let there = self.surface.tried(&next)?;
            self.passes += 1;
            let Some(there) = there else {
                (damping, longest) = ((10.0 * damping).max(FAILED_DAMPING), 1.0);
                if damping > MOST_DAMPING {
                    return Ok(Round::Ended(Ending::Stuck));
                }
                continue;
            };
            step.iter_mut().for_each(|u| *u *= share);
            let predicted = if share < 1.0 { model.gain(&step) } else { self.decrement };
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
                // The climb ends at the step that was kept.
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
            // The worse the prediction, the shorter the next step.
            damping = (damping * (0.5 * (1.0 - ratio)).clamp(3.0, 10.0)).max(FAILED_DAMPING);
            if damping > MOST_DAMPING {
                return Ok(Round::Ended(Ending::Stuck));
            }
        }
    }

    /// Reports the current iterate.
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

    /// Sets the damping of the next step, after one with this `ratio` of actual to predicted gain.
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
