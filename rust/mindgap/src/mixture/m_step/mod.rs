//! The M step in three blocks: weights, then means, then spreads about the new means, each with rows of its own.
//!
//! Each block is solved exactly with the others held, so the likelihood never falls.

mod band;
mod means;
mod precisions;
mod weights;

pub(super) use means::MeanBlock;
pub(super) use precisions::PrecisionBlock;
pub use precisions::VarianceModel;
pub(super) use weights::WeightBlock;

use super::engine::Moments;
use super::parameters::Parameters;
use crate::monitor::Watch;
use crate::qp::Failure;

/// The blocks and their rows.
pub(super) struct MStep {
    pub(super) weights: WeightBlock,
    pub(super) means: MeanBlock,
    pub(super) precisions: PrecisionBlock,
}

/// Where each component would go on its own.
struct Targets {
    /// The way from each mean to the average of its points.
    steps: Vec<f64>,
    means: Vec<f64>,
}

impl Targets {
    /// A component without weight stays where it is.
    fn new(parameters: &Parameters, moments: &Moments) -> Self {
        let step = |(&a, &n): (&f64, &f64)| if n > 0.0 { a / n } else { 0.0 };
        let steps: Vec<f64> = moments.first.iter().zip(&moments.weight).map(step).collect();
        let means = parameters.means().iter().zip(&steps).map(|(mean, step)| mean + step).collect();
        Self { steps, means }
    }
}

impl MStep {
    /// The parameters that follow.
    ///
    /// # Errors
    /// What kept a block's program from an answer.
    pub(super) fn run(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        watch: &mut Option<Watch<'_>>,
    ) -> Result<Parameters, Failure> {
        let targets = Targets::new(parameters, moments);
        let weights = self.weights.best(moments);
        let means = self.means.best(parameters, moments, &targets, watch)?;
        let variances = self.precisions.best(parameters, moments, &targets, &means);
        Ok(Parameters::sound(weights, means, variances))
    }
}
