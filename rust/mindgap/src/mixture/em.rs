//! The EM loop. It knows an engine, an M step and a yardstick, and nothing of data or units.

use super::engine::{Engine, Moments};
use super::m_step::MStep;
use super::parameters::Parameters;
use super::status::Status;
use crate::error::MixtureError;
use crate::monitor::{Progress, Watch, report};
use crate::qp::Failure;

/// A component of less weight is lost; the authors' program stops there too.
const LOST: f64 = 1e-16;

/// When to stop: no weight, mean or variance moves by more than `tol` of its unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Yardstick {
    pub(super) tol: f64,
    pub(super) max_iter: usize,
    pub(super) mean_unit: f64,
    pub(super) variance_unit: f64,
}

impl Yardstick {
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

/// What the loop ends with.
pub(super) struct Outcome {
    pub(super) parameters: Parameters,
    /// The log-likelihood of the parameters that enter each iteration, and of those returned.
    pub(super) history: Vec<f64>,
    pub(super) classification: f64,
    pub(super) status: Status,
}

/// Iterates from `start`, whose variances are at or above the floor. `offset` is added to log-likelihoods: it
/// undoes the engine's units.
pub(super) fn run(
    engine: &mut dyn Engine,
    mut mstep: MStep,
    yardstick: Yardstick,
    offset: f64,
    start: Parameters,
    mut watch: Option<Watch<'_>>,
) -> Result<Outcome, MixtureError> {
    let k = start.k();
    let mut parameters = start;
    let mut history = Vec::new();
    let mut status = Status::MaxIterations;
    while history.len() < yardstick.max_iter {
        let moments = answered(engine.moments(&parameters), k)?;
        history.push(moments.log_likelihood + offset);
        let iteration = history.len();
        let next = mstep.run(&parameters, &moments, &mut watch).map_err(|failure| match failure {
            Failure::Interrupted => MixtureError::Interrupted,
            failure => MixtureError::Solver { iteration, what: failure.to_string() },
        })?;
        let movement = yardstick.movement(&parameters, &next);
        parameters = next;
        let progress = Progress::Iteration { iteration, log_likelihood: moments.log_likelihood + offset, movement };
        report(&mut watch, progress).map_err(|_| MixtureError::Interrupted)?;
        if let Some(component) = parameters.weights().iter().position(|&weight| weight < LOST) {
            status = Status::LostWeight { component };
            break;
        }
        if movement <= yardstick.tol {
            status = Status::Converged;
            break;
        }
    }
    let last = answered(engine.finish(&parameters), k)?;
    history.push(last.log_likelihood + offset);
    let components: Vec<usize> = (0..k).filter(|&c| parameters.variances()[c] <= mstep.floor).collect();
    if !components.is_empty() && !matches!(status, Status::LostWeight { .. }) {
        status = Status::Collapsed { components };
    }
    Ok(Outcome { parameters, history, classification: last.classification, status })
}

/// The engine's answer, if it is one.
fn answered(answer: Result<Moments, String>, k: usize) -> Result<Moments, MixtureError> {
    let moments = answer.map_err(MixtureError::Engine)?;
    match moments.fault(k) {
        Some(fault) => Err(MixtureError::Engine(fault)),
        None => Ok(moments),
    }
}
