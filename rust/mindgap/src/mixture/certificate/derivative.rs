//! The directional derivative D of the likelihood, rounded up. Allowances cover rounding, truncated tails, and the
//! quadrature nodes that replace points. docs/mathematics.md counts the roundings.

use super::coupling::Divisor;
use super::kernels::MAX_EXPONENT;
use super::points::{NEGLIGIBLE, Points};
use super::weights::Workspace;
use crate::monitor::StopFlag;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::{LN_2, LOG2_E, TAU};

/// A sum with a term of 2^[`MAX_EXPONENT`] must exceed the level by at least this power of two: more than divisors and
/// the rounding of an expansion (2^-41 of the sum) can take away.
const EXPONENT_MARGIN: f64 = 100.0;

/// The share of the level that the quadrature error may use up.
const QUADRATURE_SHARE: f64 = 0.05;

/// The quadrature error that is accepted in any case, in log units of the whole likelihood.
const MIN_QUADRATURE_ERROR: f64 = 1e-4;

/// D for one mixture f, with the allowances for errors of sums over the data.
pub(super) struct Derivative<'a> {
    pub(super) points: &'a Points,
    pub(super) logs: &'a [f64],
    largest_log: f64,
    /// The relative error of a sum of positive terms.
    pub(super) rounding: f64,
    /// Says when to give up a bound over a cell.
    pub(super) stop: &'a StopFlag,
    /// An upper bound on what a sum leaves out.
    pub(super) left_out: f64,
    /// `rounding` and `left_out` without the quadrature error.
    without_quadrature: [f64; 2],
    /// ln N + ½ ln 2π.
    normalisation: f64,
}

impl<'a> Derivative<'a> {
    /// Prepares proofs that D ≤ e^level for variances of at least `least`.
    pub(super) fn new(points: &'a Points, workspace: &'a Workspace, least: f64, level: f64) -> Self {
        let (logs, largest_log) = (&workspace.logs, workspace.largest_log);
        let n = points.padded() as f64;
        // Errors in units of 2^-53: an exponent 8·(its size) + (its logarithm's size), which is at most
        // 9·largest + 8·NEGLIGIBLE for terms that matter; a power of two 4; a sum n/8 + 8; N n.
        let rounding = f64::EPSILON * (16.0 * largest_log + 2.0 * n + 2048.0);
        let left_out = n * exp2(-NEGLIGIBLE + 1.0);
        let share = (QUADRATURE_SHARE * level).max(MIN_QUADRATURE_ERROR / points.total());
        let (relative, amount) = points.quadrature_error(&workspace.shapes, least, share, level);
        Self {
            points,
            logs,
            largest_log,
            stop: &workspace.stop,
            rounding: rounding + relative,
            left_out: left_out + amount,
            without_quadrature: [rounding, left_out],
            normalisation: ln(points.total()) + 0.5 * ln(TAU),
        }
    }

    /// Drops the allowance for quadrature. A point above the level is still worth an atom, but nothing is proven.
    pub(super) fn drop_quadrature_error(&mut self) {
        [self.rounding, self.left_out] = self.without_quadrature;
    }

    /// Whether nothing can be proven for variances up to `most`: the terms left out alone exceed the level, or the
    /// weights are so large that a sum of clamped powers of two might be below it.
    pub(super) fn is_hopeless(&self, most: f64, level: f64) -> bool {
        let above = |sum_log: f64| sum_log - 0.5 * ln(most) - self.normalisation > level;
        above(ln(self.left_out)) || !above((MAX_EXPONENT - EXPONENT_MARGIN) * LN_2)
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

    /// Whether D/divisor is above e^level at a point, without allowances.
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

    /// The distance beyond which points are left out of sums of 2^logs·exp(-z²/4).
    pub(super) fn reach(&self, precision_root: f64) -> f64 {
        ((self.largest_log + NEGLIGIBLE) / (0.25 * LOG2_E)).sqrt() / precision_root
    }
}
