//! The directional derivative D of the likelihood, rounded up, and allowances for rounding, for truncated tails and for
//! nodes in place of points. The roundings are counted in docs/mathematics.md.

use super::coupling::Divisor;
use super::kernels::LARGEST;
use super::points::{NEGLIGIBLE, Points};
use super::weights::Workspace;
use crate::monitor::StopFlag;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::{LN_2, LOG2_E, TAU};

/// Sums with a term of 2^[`LARGEST`] exceed every level by so many powers of two: more than the rounding of an
/// expansion, 2^-41 of them, and divisors can take away.
const OFF_LARGEST: f64 = 100.0;

/// The share of the level that may be allowed for nodes in place of points.
const QUADRATURE: f64 = 0.05;

/// The allowance in log units that is granted in any case.
const LEAST_SHARE: f64 = 1e-4;

/// The mixture f, and allowances for the rounding of sums over it.
pub(super) struct WeighedMixture<'a> {
    pub(super) points: &'a Points,
    pub(super) logs: &'a [f64],
    largest_log: f64,
    /// Relative error of a sum of positive terms.
    pub(super) rounding: f64,
    /// Says when to give up a bound over a cell.
    pub(super) stop: &'a StopFlag,
    /// An upper limit of what sums may leave out.
    pub(super) left_out: f64,
    /// The same two for sums over the nodes, without the difference between nodes and points.
    of_nodes: [f64; 2],
    /// ln N + ½ ln 2π.
    normalisation: f64,
}

impl<'a> WeighedMixture<'a> {
    /// For variances from `least` on and proofs that D is at most e^level.
    pub(super) fn new(points: &'a Points, workspace: &'a Workspace, least: f64, level: f64) -> Self {
        let (logs, largest_log) = (&workspace.logs, workspace.largest_log);
        let n = points.padded() as f64;
        // Each exponent has an error of at most 2^-53·(8·(its size) + its logarithm's size), for terms that matter at
        // most 2^-53·(9·largest + 8·NEGLIGIBLE); powers of two 4 units; sums n/8 + 8; N n units.
        let rounding = f64::EPSILON * (16.0 * largest_log + 2.0 * n + 2048.0);
        let left_out = n * exp2(-NEGLIGIBLE + 1.0);
        let share = (QUADRATURE * level).max(LEAST_SHARE / points.total());
        let (relative, amount) = points.quadrature_error(&workspace.shapes, least, share, level);
        Self {
            points,
            logs,
            largest_log,
            stop: &workspace.stop,
            rounding: rounding + relative,
            left_out: left_out + amount,
            of_nodes: [rounding, left_out],
            normalisation: ln(points.total()) + 0.5 * ln(TAU),
        }
    }

    /// Without the allowance for nodes in place of points: a point above the level is still worth an atom, but nothing
    /// is proven.
    pub(super) fn forget_quadrature(&mut self) {
        [self.rounding, self.left_out] = self.of_nodes;
    }

    /// Whether the terms left out alone exceed the level, for variances up to `most`; or the weights are so large that
    /// a sum with clamped powers of two might be below it.
    pub(super) fn is_hopeless(&self, most: f64, level: f64) -> bool {
        let above = |sum_log: f64| sum_log - 0.5 * ln(most) - self.normalisation > level;
        above(ln(self.left_out)) || !above((LARGEST - OFF_LARGEST) * LN_2)
    }

    /// ln D, rounded up.
    fn log_derivative(&self, mean: f64, variance: f64) -> f64 {
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let curvature = 0.5 * LOG2_E / variance;
        let reach = ((self.largest_log + NEGLIGIBLE) / curvature).sqrt();
        let sum = self.points.sum(self.logs, mean, curvature, reach) + self.left_out;
        ln(sum) - 0.5 * ln(variance) - self.normalisation + self.rounding
    }

    /// Whether D is above the level at a point, without allowances.
    pub(super) fn reaches(&self, divisor: &Divisor, mean: f64, variance: f64, level: f64) -> bool {
        let curvature = 0.5 * LOG2_E / variance;
        let reach = ((self.largest_log + NEGLIGIBLE) / curvature).sqrt();
        let sum = self.points.sum(self.logs, mean, curvature, reach);
        ln(sum) - 0.5 * ln(variance) - self.normalisation - ln(divisor.at(mean, variance)) > level
    }

    /// ln(D/divisor), rounded up.
    pub(super) fn log_ratio(&self, divisor: &Divisor, mean: f64, variance: f64) -> f64 {
        self.log_derivative(mean, variance) - ln(divisor.at(mean, variance)) + 4.0 * f64::EPSILON
    }

    /// The distance up to which points matter in sums of 2^logs·exp(-z²/4).
    pub(super) fn reach(&self, precision_root: f64) -> f64 {
        ((self.largest_log + NEGLIGIBLE) / (0.25 * LOG2_E)).sqrt() / precision_root
    }
}
