//! The weights: `max Σ n_k log w_k` over the simplex, whose answer is each component's share.

use crate::mixture::engine::Moments;

/// The weights' block of the M step.
#[derive(Clone, Debug, Default)]
pub(in crate::mixture) struct WeightBlock;

impl WeightBlock {
    /// The best weights.
    pub(super) fn best(&self, moments: &Moments) -> Vec<f64> {
        let total: f64 = moments.weight.iter().sum();
        moments.weight.iter().map(|n| n / total).collect()
    }
}
