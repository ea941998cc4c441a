//! The climb: EM iterations over a surface until no parameter moves. It knows nothing of data or units.

use super::m_step::MStep;
use super::parameters::Parameters;
use super::status::Status;
use super::surface::Surface;
use crate::error::MixtureError;
use crate::monitor::{Progress, Watch, report};
use crate::qp::Failure;

/// A component of less weight is lost; the authors' program stops there too.
const LOST: f64 = 1e-16;

/// When to stop: no weight, mean or variance moves by more than `tol` of its unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoppingRule {
    pub(super) tol: f64,
    pub(super) max_iter: usize,
    pub(super) mean_unit: f64,
    pub(super) variance_unit: f64,
}

impl StoppingRule {
    /// The largest movement between two iterates.
    fn movement(&self, from: &Parameters, to: &Parameters) -> f64 {
        let largest =
            |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let weights = largest(from.weights(), to.weights());
        let means = largest(from.means(), to.means()) / self.mean_unit;
        let variances = largest(from.variances(), to.variances()) / self.variance_unit;
        weights.max(means).max(variances)
    }
}

/// What a climb ends with.
#[derive(Clone, Debug)]
pub(super) struct Climbed {
    pub(super) parameters: Parameters,
    /// The log-likelihood of the parameters that enter each iteration, and of those returned.
    pub(super) history: Vec<f64>,
    pub(super) classification: Option<f64>,
    pub(super) status: Status,
}

/// Climbs from `start`, whose variances are at or above the floor.
///
/// # Errors
/// An engine that fails, a program that is not solved, and an interruption.
pub(super) fn climb(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    rule: StoppingRule,
    start: Parameters,
    watch: &mut Option<Watch<'_>>,
) -> Result<Climbed, MixtureError> {
    let mut parameters = start;
    let mut history = Vec::new();
    let mut status = Status::MaxIterations;
    while history.len() < rule.max_iter {
        let moments = surface.at(&parameters)?;
        history.push(moments.log_likelihood);
        let iteration = history.len();
        let next = m_step.run(&parameters, &moments, watch).map_err(|failure| match failure {
            Failure::Interrupted => MixtureError::Interrupted,
            failure => MixtureError::Solver { iteration, what: failure.to_string() },
        })?;
        if !next.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        let movement = rule.movement(&parameters, &next);
        parameters = next;
        let progress = Progress::Iteration { iteration, log_likelihood: moments.log_likelihood, movement };
        report(watch, progress).map_err(|_| MixtureError::Interrupted)?;
        if let Some(component) = parameters.weights().iter().position(|&weight| weight < LOST) {
            status = Status::LostWeight { component };
            break;
        }
        if movement <= rule.tol {
            status = Status::Converged;
            break;
        }
    }
    let last = surface.finish(&parameters)?;
    history.push(last.log_likelihood);
    let floor = m_step.precisions.floor();
    let components: Vec<usize> = (0..parameters.k()).filter(|&c| parameters.variances()[c] <= floor).collect();
    if !components.is_empty() && !matches!(status, Status::LostWeight { .. }) {
        status = Status::Collapsed { components };
    }
    Ok(Climbed { parameters, history, classification: last.classification, status })
}
