//! [`Tie`]: spreads proportional to the means, `σ = c·μ`, so that both move together.
//!
//! The objective is not concave in the means. A step of Fisher scoring under the rows on the means is shortened until
//! the objective does not fall; the coefficient then has a closed form. So the likelihood never falls. Newton steps of
//! a climb stay on the same surface (`climb`); its second derivatives are in `docs/mathematics.md`.

use super::{MeanBlock, Targets, about, pull};
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;
use crate::monitor::Monitor;
use crate::numeric::portable::ln;
use crate::qp::Failure;

/// The largest relative step of a mean towards zero: it keeps its sign.
const LARGEST_FALL: f64 = 0.9;

/// The most halvings of a step; a shorter one is rounding.
const HALVINGS: usize = 40;

/// The least distance of a mean from zero, in frame units, in which the data's range is about one.
const LEAST_SIZE: f64 = 1e-9;

/// One coefficient of variation for all components, in frame units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mixture) struct Tie {
    /// The coefficient, if it is given.
    pub(in crate::mixture) given: Option<f64>,
    /// The data's zero.
    pub(in crate::mixture) origin: f64,
}

impl Tie {
    /// The distance of a mean from zero.
    pub(in crate::mixture) fn size(&self, mean: f64) -> f64 {
        (mean - self.origin).max(LEAST_SIZE)
    }

    /// The variances of components with these means.
    pub(in crate::mixture) fn variances(&self, means: &[f64], coefficient: f64) -> Vec<f64> {
        let spread = |mean: &f64| coefficient * self.size(*mean);
        means.iter().map(|mean| spread(mean) * spread(mean)).collect()
    }

    /// Returns the next means and variances; no variance is below `floor`.
    ///
    /// # Errors
    /// A failure of the program of the means.
    pub(super) fn best(
        &self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        block: &mut MeanBlock,
        floor: f64,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>), Failure> {
        let weight = &moments.weight;
        let pull = pull(parameters, moments);
        // A start may violate the rows; later means satisfy them.
        let mut means = block.nearest(parameters.means(), &pull, monitor)?;
        let judge = |means: &[f64]| self.judge(weight, &about(parameters, moments, targets, means), means, floor);
        let (mut coefficient, height) = judge(&means);
        let (mut wanted, mut stiffness) = (means.clone(), pull);
        for k in 0..means.len() {
            let (n, size, off) = (weight[k], self.size(means[k]), targets.means[k] - means[k]);
            let spread = (moments.second[k] / n - targets.steps[k] * targets.steps[k]).max(0.0) + off * off;
            let square = coefficient * coefficient * size * size;
            stiffness[k] = n * (1.0 / square + 2.0 / (size * size));
            let slope = off / square + spread / (square * size) - 1.0 / size;
            if n > 0.0 {
                wanted[k] += slope / (1.0 / square + 2.0 / (size * size));
            }
        }
        let there = block.nearest(&wanted, &stiffness, monitor)?;
        let falls = (0..means.len()).map(|k| (means[k] - there[k]) / self.size(means[k]));
        let mut share = falls.filter(|fall| *fall > LARGEST_FALL).map(|fall| LARGEST_FALL / fall).fold(1.0, f64::min);
        for _ in 0..HALVINGS {
            let next: Vec<f64> = means.iter().zip(&there).map(|(a, b)| a + share * (b - a)).collect();
            let (better, reached) = judge(&next);
            if reached >= height {
                (means, coefficient) = (next, better);
                break;
            }
            share *= 0.5;
        }
        let variances = self.variances(&means, coefficient);
        Ok((means, variances))
    }

    /// The best coefficient for components with these means and `spreads` about them, and the M step's objective there.
    fn judge(&self, weight: &[f64], spreads: &[f64], means: &[f64], floor: f64) -> (f64, f64) {
        let total: f64 = weight.iter().sum();
        let size = |k: usize| self.size(means[k]);
        let shares: f64 = (0..means.len()).map(|k| weight[k] * spreads[k] / (size(k) * size(k))).sum();
        let smallest = (0..means.len()).map(size).fold(f64::INFINITY, f64::min);
        let square = self.given.map_or((shares / total).max(floor / (smallest * smallest)), |c| c * c);
        let sizes: f64 = (0..means.len()).map(|k| weight[k] * ln(size(k))).sum();
        (square.sqrt(), -sizes - 0.5 * (total * ln(square) + shares / square))
    }
}
