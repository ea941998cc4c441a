//! [`MeanBlock`]: minimises `Σ (n_k/v_k)(μ_k - m_k)²` over the means under rows, a quadratic program.

use super::Targets;
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;
use crate::monitor::Monitor;
use crate::qp::{Failure, MeanProgram, Objective, equality_rank};

/// The least pull of a component, as a fraction of the strongest, so that one without weight keeps a finite place. The
/// program is exact over eighteen orders of magnitude; beyond them the place does not matter.
const LEAST_PULL: f64 = 1e-24;

/// The pull of each component on its mean, `n/v`: the stiffness of the program.
pub(super) fn pull(parameters: &Parameters, moments: &Moments) -> Vec<f64> {
    moments.weight.iter().zip(parameters.variances()).map(|(n, v)| n / v).collect()
}

/// The means' block of the M step.
pub(in crate::mixture) struct MeanBlock {
    /// `None` if there are no rows.
    pub(in crate::mixture) program: Option<MeanProgram>,
}

impl MeanBlock {
    /// The number of free means: the others follow from equalities.
    pub(super) fn free_count(&self, k: usize) -> usize {
        k - self.program.as_ref().map_or(0, |program| equality_rank(program.rows()))
    }

    /// Returns the best means for the variances of `parameters`.
    ///
    /// # Errors
    /// A failure of the program.
    pub(super) fn best(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<f64>, Failure> {
        self.nearest(&targets.means, &pull(parameters, moments), monitor)
    }

    /// Returns the means nearest to `wanted` that satisfy the rows, with the stiffness `pull`.
    ///
    /// # Errors
    /// A failure of the program.
    pub(super) fn nearest(
        &mut self,
        wanted: &[f64],
        pull: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<f64>, Failure> {
        let Some(program) = &mut self.program else {
            return Ok(wanted.to_vec());
        };
        let strongest = pull.iter().fold(0.0, |strongest: f64, g| strongest.max(*g));
        let stiffness: Vec<f64> = pull.iter().map(|g| g.max(LEAST_PULL * strongest)).collect();
        program.solve(Objective { targets: wanted, stiffness: &stiffness }, monitor)
    }
}
