//! [`Parabola`]: a component in the E step, the binary logarithm of its weighted density.
//!
//! A run of sorted points is an interval, and a parabola's bounds over an interval cost O(1): negligible components are
//! left out, and one shared reference keeps every power of two in range.

use crate::mixture::parameters::Parameters;
use crate::numeric::portable::log2;
use std::f64::consts::{LOG2_E, PI};

/// The least logarithm of a density, so that overflowed squares stay finite.
pub(in crate::mixture) const LEAST: f64 = -1e290;

/// Components below the largest by this many bits (a factor of 6e-33) change no sum's last bit: even a component of
/// weight 1e-16, the least of a fit, loses less than one part in 1e16.
const NEGLIGIBLE: f64 = 107.0;

/// `log₂(π_k N(x; μ_k, v_k)) = height - curvature·(x - mean)²`.
#[derive(Clone, Copy, Debug)]
pub(in crate::mixture) struct Parabola {
    pub(in crate::mixture) mean: f64,
    pub(in crate::mixture) height: f64,
    pub(in crate::mixture) curvature: f64,
}

impl Parabola {
    /// The parabolas of a mixture, in the order of its components.
    pub(in crate::mixture) fn of(parameters: &Parameters) -> Vec<Self> {
        let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
        let parabola = |((&weight, &mean), &variance): ((&f64, &f64), &f64)| Self {
            mean,
            height: log2(weight / (2.0 * PI * variance).sqrt()).max(LEAST),
            curvature: LOG2_E / (2.0 * variance),
        };
        weights.iter().zip(means).zip(variances).map(parabola).collect()
    }

    /// The value at `x`.
    #[inline(always)]
    pub(in crate::mixture) fn at(&self, x: f64) -> f64 {
        let d = x - self.mean;
        (self.height - self.curvature * (d * d)).max(LEAST)
    }

    /// The largest value in `[a, b]`.
    fn largest(&self, a: f64, b: f64) -> f64 {
        self.at(self.mean.clamp(a, b))
    }

    /// The smallest value in `[a, b]`, which is at an end because the parabola is concave.
    fn smallest(&self, a: f64, b: f64) -> f64 {
        self.at(a).min(self.at(b))
    }
}

/// The components that matter in an interval.
pub(in crate::mixture) struct Relevant {
    /// The components that are not negligible throughout.
    pub(in crate::mixture) components: Vec<usize>,
    /// An upper bound on every component.
    pub(in crate::mixture) high: f64,
    /// A lower bound on the largest component at every point.
    pub(in crate::mixture) low: f64,
}

impl Relevant {
    pub(in crate::mixture) fn none() -> Self {
        Self { components: Vec::new(), high: 0.0, low: 0.0 }
    }

    /// Finds the components that matter in `[a, b]`.
    pub(in crate::mixture) fn find(&mut self, parabolas: &[Parabola], a: f64, b: f64) {
        self.low = parabolas.iter().map(|p| p.smallest(a, b)).fold(LEAST, f64::max);
        self.high = LEAST;
        self.components.clear();
        for (k, parabola) in parabolas.iter().enumerate() {
            let largest = parabola.largest(a, b);
            self.high = self.high.max(largest);
            if largest >= self.low - NEGLIGIBLE {
                self.components.push(k);
            }
        }
    }
}
