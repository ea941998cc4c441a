//! The means: `min Σ (n_k/v_k)(μ_k - m_k)²` under rows, a quadratic program.

use super::Targets;
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;
use crate::monitor::Monitor;
use crate::qp::{Failure, MeanProgram, Objective};

/// A component's pull on the means is never less than this fraction of the strongest, so that one without weight still has a
/// place. The program is exact over eighteen orders of magnitude; beyond them the place does not matter.
const LEAST_PULL: f64 = 1e-24;

/// The means' block of the M step.
pub(in crate::mixture) struct MeanBlock {
    /// `None` where every vector of means will do.
    pub(in crate::mixture) program: Option<MeanProgram>,
}

impl MeanBlock {
    /// The best means, the variances being those of `parameters`.
    ///
    /// # Errors
    /// What kept the program from an answer.
    pub(super) fn best(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<f64>, Failure> {
        let Some(program) = &mut self.program else {
            return Ok(targets.means.clone());
        };
        let pull = moments.weight.iter().zip(parameters.variances()).map(|(n, v)| n / v);
        let mut stiffness: Vec<f64> = pull.collect();
        let strongest = stiffness.iter().fold(0.0, |strongest: f64, g| strongest.max(*g));
        stiffness.iter_mut().for_each(|g| *g = g.max(LEAST_PULL * strongest));
        program.solve(Objective { targets: &targets.means, stiffness: &stiffness }, monitor)
    }
}
