//! The end of a climb: a last pass over the data, and the status.

use super::Climbed;
use super::ascent::{Ascent, Ending};
use super::model::Model;
use super::rows::LEAST_WEIGHT;
use super::sureness::Sureness;
use crate::error::MixtureError;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::mixture::status::Status;
use crate::mixture::surface::Surface;

/// The last Newton step is undone if the log-likelihood falls by more than this fraction of it: rounding.
const LARGEST_FALL: f64 = 1e-13;

/// Makes the last pass and sets the status. Empty components lose the rest of their weight.
pub(in crate::mixture) fn finish(
    surface: &mut Surface<'_>,
    m_step: &MStep,
    ascent: Ascent,
) -> Result<Climbed, MixtureError> {
    let Ascent { parameters, before, log_likelihood, mut history, decrement, ending, passes, model } = ascent;
    let sureness = model.filter(Model::is_exact).map(|model| Sureness::new(m_step, &before, &model));
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
