//! Climbs on the log-likelihood from given parameters, independent of data and units.
//!
//! [`ascend`] reaches a local maximum by Newton steps under the rows, with the decrement as its stopping rule;
//! [`iterate`] is the published EM.

mod ascent;
mod certainty;
mod em;
mod model;
mod rows;
mod step;

pub(super) use ascent::{Workspace, ascend};
pub(super) use certainty::Certainty;
pub(super) use em::{StoppingRule, iterate, step_of_em};
pub(super) use model::Model;

use super::m_step::MStep;
use super::parameters::Parameters;
use super::status::Status;
use super::surface::Surface;
use crate::error::MixtureError;
use rows::LEAST_WEIGHT;

/// The limits of a climb.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClimbLimits {
    /// EM steps before the first Newton step; at least one if the start may violate a row.
    pub(super) em_steps: usize,
    /// The most passes over the data.
    pub(super) passes: usize,
    /// The decrement at which the climb ends, in log units.
    pub(super) tolerance: f64,
}

impl ClimbLimits {
    /// The default tolerance: statistically negligible, and far above rounding even for a billion points.
    pub(super) const TOLERANCE: f64 = 1e-8;
}

/// The result of a climb.
#[derive(Clone, Debug)]
pub(super) struct Ascent {
    pub(super) parameters: Parameters,
    /// The parameters before the last Newton step, which gains less than the tolerance and was not evaluated.
    pub(super) before: Parameters,
    /// The log-likelihood of the parameters before the last step.
    pub(super) log_likelihood: f64,
    /// The log-likelihood of each iterate.
    pub(super) history: Vec<f64>,
    /// The predicted gain of the next step; infinite before the first.
    pub(super) decrement: f64,
    pub(super) ending: Ending,
    pub(super) passes: usize,
    /// The model at the last iterate, from which standard errors follow.
    pub(super) model: Option<Model>,
}

/// The reason why a climb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The decrement is below the tolerance.
    Arrived,
    /// The limit on passes was reached, or rounding stopped it.
    Stuck,
    /// The time limit passed.
    OutOfTime,
}

/// The state of a climb between steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) log_likelihood: f64,
    /// The gain that the model predicts for the next step, or predicted for the last one.
    pub(super) decrement: f64,
    /// Passes so far.
    pub(super) passes: usize,
    /// Where the next step leads, if it is known and the model has a maximum; its pass has not been made.
    pub(super) next: Option<&'a Parameters>,
}

/// Decides whether to abandon a climb: after each step, and before the pass of the next.
pub(super) type Leave<'a> = &'a dyn Fn(Reached<'_>) -> bool;

/// The options of a climb.
#[derive(Clone, Copy)]
pub(super) struct ClimbOptions<'a> {
    pub(super) limits: ClimbLimits,
    /// A first model for an engine that returns moments alone.
    pub(super) guess: Option<&'a Model>,
    pub(super) leave: Leave<'a>,
}

impl From<ClimbLimits> for ClimbOptions<'_> {
    fn from(limits: ClimbLimits) -> Self {
        Self { limits, guess: None, leave: &|_| false }
    }
}

/// The result of a climb after the last pass.
#[derive(Clone, Debug)]
pub(super) struct Climbed {
    pub(super) parameters: Parameters,
    /// The log-likelihood of the parameters that enter each iteration, and of those returned.
    pub(super) history: Vec<f64>,
    pub(super) classification: Option<f64>,
    pub(super) status: Status,
    /// The predicted gain of the next Newton step, in log units; `None` for EM.
    pub(super) decrement: Option<f64>,
    /// Passes over the data.
    pub(super) passes: usize,
    /// How well the data determine the maximum, if the engine returns second derivatives.
    pub(super) certainty: Option<Certainty>,
}

/// The last Newton step is undone if the log-likelihood falls by more than this fraction of it: rounding.
const LARGEST_FALL: f64 = 1e-13;

/// Makes the last pass and sets the status. Empty components lose the rest of their weight.
pub(super) fn finish(surface: &mut Surface<'_>, m_step: &MStep, ascent: Ascent) -> Result<Climbed, MixtureError> {
    let Ascent { parameters, before, log_likelihood, mut history, decrement, ending, passes, model } = ascent;
    let certainty = model.filter(Model::is_exact).map(|model| Certainty::new(m_step, &before, &model));
    if parameters == before {
        // There was no last step: the last iterate is returned.
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
    Ok(Climbed { parameters, history, classification, status, decrement: Some(decrement.max(0.0)), passes, certainty })
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

#[cfg(test)]
mod tests;
