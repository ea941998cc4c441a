//! The EM step, and the published EM: plain iterations until no parameter moves, for comparison.

use super::Climbed;
use super::rows::LEAST_WEIGHT;
use crate::error::MixtureError;
use crate::mixture::engine::Moments;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::mixture::status::Status;
use crate::mixture::surface::Surface;
use crate::monitor::{Halt, Monitor, Progress};

/// A component of less weight is lost; the authors' program stops there, too.
const LOST: f64 = 1e-16;

/// Stops when no weight, mean or variance moves by more than `tol` of its unit.
#[derive(Clone, Copy, Debug)]
pub(in crate::mixture) struct StoppingRule {
    pub(in crate::mixture) tol: f64,
    pub(in crate::mixture) max_iter: usize,
    pub(in crate::mixture) mean_unit: f64,
    pub(in crate::mixture) variance_unit: f64,
}

impl StoppingRule {
    /// The largest movement between two iterates.
    pub(super) fn movement(&self, from: &Parameters, to: &Parameters) -> f64 {
        let largest =
            |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let weights = largest(from.weights(), to.weights());
        let means = largest(from.means(), to.means()) / self.mean_unit;
        let variances = largest(from.variances(), to.variances()) / self.variance_unit;
        weights.max(means).max(variances)
    }
}

/// The M step, with all weights positive.
///
/// # Errors
/// A program that is not solved, an interruption, and parameters that are too large.
pub(in crate::mixture) fn step_of_em(
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
    Ok(next.with_weights_above(LEAST_WEIGHT))
}

/// Climbs from `start`, whose variances are at or above the floor.
///
/// # Errors
/// An engine that fails, a program that is not solved, and an interruption.
pub(in crate::mixture) fn iterate(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    rule: StoppingRule,
    start: Parameters,
    monitor: &mut Monitor<'_>,
) -> Result<Climbed, MixtureError> {
    let mut parameters = start;
    let mut history = Vec::new();
    let mut status = Status::MaxIterations;
    while history.len() < rule.max_iter {
        let moments = surface.at(&parameters)?;
        history.push(moments.log_likelihood);
        let iteration = history.len();
        let next = m_step
            .run(&parameters, &moments, &mut monitor.untimed())
            .map_err(|failure| failure.in_iteration(iteration))?;
        if !next.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        // So that a fit started from these parameters has the same iterates, to the bit.
        let next = next.settled(surface.frame());
        let movement = rule.movement(&parameters, &next);
        parameters = next;
        let progress = Progress::Iteration {
            iteration,
            log_likelihood: moments.log_likelihood,
            movement,
            parameters: parameters.outside(surface.frame()),
        };
        let told = monitor.send(&progress);
        if let Some(component) = parameters.weights().iter().position(|&weight| weight < LOST) {
            status = Status::LostWeight { component };
            break;
        }
        if movement <= rule.tol {
            status = Status::Converged;
            break;
        }
        match told {
            Err(Halt::TimeLimit) => {
                status = Status::TimeLimit;
                break;
            }
            told => told?,
        }
    }
    let last = surface.finish(&parameters)?;
    history.push(last.log_likelihood);
    let floor = m_step.precisions.floor();
    let components: Vec<usize> = (0..parameters.k()).filter(|&c| parameters.variances()[c] <= floor).collect();
    if !components.is_empty() && !matches!(status, Status::LostWeight { .. }) {
        status = Status::Collapsed { components };
    }
    let passes = history.len();
    let classification = last.classification;
    Ok(Climbed { parameters, history, classification, status, decrement: None, passes, certainty: None })
}
