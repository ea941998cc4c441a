//! The M step: weights, then means under the constraint, then variances about the new means.

use super::engine::Moments;
use super::parameters::Parameters;
use crate::monitor::Watch;
use crate::qp::{Failure, MeanProgram, Objective};

/// A component's pull on the means is never less than this fraction of the strongest: one that has lost all its
/// weight still has a place.
const LEAST_PULL: f64 = 1e-24;

/// Which variances a mixture may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VarianceModel {
    /// Each component has its own.
    #[default]
    Free,
    /// All components share one.
    Equal,
}

/// What the M step needs beside the moments.
pub(super) struct MStep {
    /// `None` where every vector of means will do.
    pub(super) program: Option<MeanProgram>,
    pub(super) variances: VarianceModel,
    pub(super) floor: f64,
}

impl MStep {
    /// The parameters that follow.
    ///
    /// # Errors
    /// What kept the means' program from an answer.
    pub(super) fn run(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        watch: &mut Option<Watch<'_>>,
    ) -> Result<Parameters, Failure> {
        let total: f64 = moments.weight.iter().sum();
        let weights = moments.weight.iter().map(|n| n / total).collect();
        let steps: Vec<f64> = moments.first.iter().zip(&moments.weight).map(|(&a, &n)| per_weight(a, n)).collect();
        let targets: Vec<f64> = parameters.means().iter().zip(&steps).map(|(mean, step)| mean + step).collect();
        let means = self.means(parameters, moments, targets, watch)?;
        let variances = self.variances(parameters, moments, &steps, &means);
        Ok(Parameters::sound(weights, means, variances))
    }

    fn means(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        targets: Vec<f64>,
        watch: &mut Option<Watch<'_>>,
    ) -> Result<Vec<f64>, Failure> {
        let Some(program) = &mut self.program else {
            return Ok(targets);
        };
        let pull = moments.weight.iter().zip(parameters.variances()).map(|(n, v)| n / v);
        let mut stiffness: Vec<f64> = pull.collect();
        let strongest = stiffness.iter().fold(0.0, |strongest: f64, g| strongest.max(*g));
        stiffness.iter_mut().for_each(|g| *g = g.max(LEAST_PULL * strongest));
        program.solve(Objective { targets: &targets, stiffness: &stiffness }, watch)
    }

    /// `Σ w r (x-μ')² / n = b/n - (a/n)² + (μ' - μ - a/n)²`.
    fn variances(&self, parameters: &Parameters, moments: &Moments, steps: &[f64], means: &[f64]) -> Vec<f64> {
        let variance = |k: usize| {
            let n = moments.weight[k];
            if n <= 0.0 {
                return parameters.variances()[k];
            }
            let missed = means[k] - parameters.means()[k] - steps[k];
            (moments.second[k] / n - steps[k] * steps[k]).max(0.0) + missed * missed
        };
        let mut variances: Vec<f64> = (0..means.len()).map(variance).collect();
        if self.variances == VarianceModel::Equal {
            let total: f64 = moments.weight.iter().sum();
            let pooled = variances.iter().zip(&moments.weight).map(|(v, n)| v * n).sum::<f64>() / total;
            variances.fill(pooled);
        }
        variances.iter_mut().for_each(|v| *v = v.max(self.floor));
        variances
    }
}

/// `a/n`; a component without weight does not move.
fn per_weight(a: f64, n: f64) -> f64 {
    if n > 0.0 { a / n } else { 0.0 }
}
