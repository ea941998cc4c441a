//! The precisions `p = 1/v`: `max Σ n_k log p_k - s_k p_k`, where `s_k` is the sum of squares about the new mean.
//!
//! Free precisions have the answer `v_k = s_k/n_k`, equal ones the pooled variance, and those in a band that of `band`.

use super::Targets;
use super::band::Band;
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;

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

/// The precisions' block of the M step.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct PrecisionBlock {
    model: VarianceModel,
    floor: f64,
    band: Band,
}

impl PrecisionBlock {
    /// Variances of `k` components that are at least `floor`, with standard deviations of which none is more than
    /// `spread_ratio` times another.
    pub(in crate::mixture) fn new(model: VarianceModel, k: usize, floor: f64, spread_ratio: Option<f64>) -> Self {
        let ratio = spread_ratio.map_or(f64::INFINITY, |ratio| ratio * ratio);
        Self { model, floor, band: Band { ratio, ..Band::above(floor, k) } }
    }

    /// No variance is smaller; a component that reaches it has collapsed.
    pub(in crate::mixture) fn floor(&self) -> f64 {
        self.floor
    }

    /// The best variances about `means`.
    pub(super) fn best(
        &self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        means: &[f64],
    ) -> Vec<f64> {
        let mut variances = about(parameters, moments, targets, means);
        if self.model == VarianceModel::Equal {
            let total: f64 = moments.weight.iter().sum();
            let pooled = variances.iter().zip(&moments.weight).map(|(v, n)| v * n).sum::<f64>() / total;
            variances.fill(pooled);
        }
        self.band.best(&moments.weight, &variances)
    }
}

/// The variances about new means: `Σ w r (x-μ')² / n = b/n - (a/n)² + (μ' - μ - a/n)²`.
fn about(parameters: &Parameters, moments: &Moments, targets: &Targets, means: &[f64]) -> Vec<f64> {
    let variance = |k: usize| {
        let n = moments.weight[k];
        if n <= 0.0 {
            return parameters.variances()[k];
        }
        let step = targets.steps[k];
        let missed = means[k] - parameters.means()[k] - step;
        (moments.second[k] / n - step * step).max(0.0) + missed * missed
    };
    (0..means.len()).map(variance).collect()
}
