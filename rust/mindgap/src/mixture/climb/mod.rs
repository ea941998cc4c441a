//! Climbs on the log-likelihood from given parameters. They know nothing of data or units.
//!
//! [`ascend`] goes to the top by Newton steps on the rows and knows when it is there; [`iterate`] is the published EM.

mod ascent;
mod em;
mod finish;
mod model;
mod program;
mod quasi_newton;
mod rows;
mod step;
mod sureness;

pub(super) use ascent::{Ascent, ClimbLimits, Ending, Reached, ascend};
pub(super) use em::{StoppingRule, iterate};
pub(super) use finish::finish;
pub(super) use model::Model;
pub(super) use sureness::Sureness;

use super::parameters::Parameters;
use super::status::Status;

/// What a climb ends with.
#[derive(Clone, Debug)]
pub(super) struct Climbed {
    pub(super) parameters: Parameters,
    /// The log-likelihood of the parameters that enter each iteration, and of those returned.
    pub(super) history: Vec<f64>,
    pub(super) classification: Option<f64>,
    pub(super) status: Status,
    /// What the next Newton step would gain, in log units; `None` if that was not asked.
    pub(super) decrement: Option<f64>,
    /// Passes over the data.
    pub(super) passes: usize,
    /// How well the maximum is determined, where the engine answers second derivatives.
    pub(super) sureness: Option<Sureness>,
}

#[cfg(test)]
mod tests;
