//! Climbs on the log-likelihood from given parameters, independent of data and units.
//!
//! [`ascend`] reaches a local maximum by Newton steps under the rows, with the decrement as its stopping rule;
//! [`iterate`] is the published EM.

mod ascent;
mod em;
mod finish;
mod model;
mod program;
mod quasi_newton;
mod rows;
mod step;
mod sureness;

pub(super) use ascent::{Ascent, ClimbLimits, Ending, Reached, ascend, step_of_em};
pub(super) use em::{StoppingRule, iterate};
pub(super) use finish::finish;
pub(super) use model::Model;
pub(super) use sureness::Sureness;

use super::parameters::Parameters;
use super::status::Status;

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
    pub(super) sureness: Option<Sureness>,
}

#[cfg(test)]
mod tests;
