//! The components as the E step sees them: concave parabolas, the binary logarithms of weighted densities.
//!
//! On sorted data a run of points is an interval, and a parabola's bounds over an interval cost O(1): components that
//! cannot matter there are left out, and one shared reference keeps every power of two in range.

use crate::mixture::parameters::Parameters;
use crate::numeric::portable::log2;
use std::f64::consts::{LOG2_E, PI};

/// No logarithm of a density is less: what squares overflow to stays finite.
pub(in crate::mixture) const LEAST: f64 = -1e290;

/// Components below the largest by this many bits (a factor of 6e-33) do not touch any sum's last bit: a component
/// that keeps a weight of 1e-16, the least that a fit goes on with, loses less than one part in 1e16 by it.
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
            height: (log2(weight) - 0.5 * log2(2.0 * PI * variance)).max(LEAST),
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

    /// The smallest value in `[a, b]`, which a concave function takes at an end.
    fn smallest(&self, a: f64, b: f64) -> f64 {
        self.at(a).min(self.at(b))
    }
}

/// What matters in an interval.
pub(in crate::mixture) struct Relevant {
    /// The components that are not negligible everywhere in it.
    pub(in crate::mixture) components: Vec<usize>,
    /// No component is larger anywhere in it.
    pub(in crate::mixture) high: f64,
    /// Everywhere in it some component is at least as large.
    pub(in crate::mixture) low: f64,
}

impl Relevant {
    pub(in crate::mixture) fn none() -> Self {
        Self { components: Vec::new(), high: 0.0, low: 0.0 }
    }

    /// Finds what matters in `[a, b]`.
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
