//! Applies a scaled step to the parameters.

use super::model::BLOCK;
use super::rows::LEAST_WEIGHT;
use crate::mixture::m_step::{MStep, Tie};
use crate::mixture::parameters::Parameters;
use crate::numeric::portable::exp2;
use std::f64::consts::LOG2_E;

/// The largest relative fall of a precision in one step: it stays positive.
const LARGEST_FALL: f64 = 0.9;

/// Returns the parameters after a step, shortened so that no precision falls by more than [`LARGEST_FALL`], and the
/// fraction of the step taken.
pub(super) fn stepped(parameters: &Parameters, m_step: &MStep, step: &[f64]) -> (Parameters, f64) {
    let k = parameters.k();
    let falls = (0..k).map(|c| -step[BLOCK * c + 2]);
    let mut share = falls.filter(|&fall| fall > LARGEST_FALL).map(|fall| LARGEST_FALL / fall).fold(1.0, f64::min);
    let tie = m_step.precisions.tie();
    if let Some(tie) = &tie {
        let falls = ratios(tie, parameters).into_iter().enumerate().map(|(c, r)| -r * step[BLOCK * c + 1]);
        share = falls.filter(|&fall| fall > LARGEST_FALL).map(|fall| LARGEST_FALL / fall).fold(share, f64::min);
    }
    let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
    // Equal variances take equal steps only up to rounding.
    let shared = m_step.precisions.is_equal();
    let u = |c: usize, which: usize| share * step[BLOCK * c + which];
    let weights =
        (0..k).map(|c| between(weights[c] * (1.0 + u(c, 0)), m_step.weights.bounds(c)).max(LEAST_WEIGHT)).collect();
    let moved: Vec<f64> = (0..k).map(|c| means[c] + variances[c].sqrt() * u(c, 1)).collect();
    let spread = |c: usize| {
        let variance = variances[c] / (1.0 + u(if shared { 0 } else { c }, 2));
        between(variance, m_step.precisions.bounds(c))
    };
    let variances = match tie {
        None => (0..k).map(spread).collect(),
        Some(tie) => {
            let ratio = variances[0].sqrt() / tie.size(means[0]);
            let growth = -(0.5 * u(0, 2) + ratio * u(0, 1));
            let coefficient = tie.given.unwrap_or_else(|| ratio * exp2(LOG2_E * growth));
            tie.variances(&moved, coefficient)
        }
    };
    (Parameters::sound(weights, moved, variances), share)
}

/// The coefficient of variation of each component.
pub(super) fn ratios(tie: &Tie, parameters: &Parameters) -> Vec<f64> {
    let parts = parameters.means().iter().zip(parameters.variances());
    parts.map(|(&mean, variance)| variance.sqrt() / tie.size(mean)).collect()
}

/// Clamps a value that rounding has moved out of its bounds, so that a fixed one keeps its bits.
fn between(value: f64, [lower, upper]: [f64; 2]) -> f64 {
    value.max(lower).min(upper)
}
