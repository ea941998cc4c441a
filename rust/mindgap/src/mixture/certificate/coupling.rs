//! The Lagrangian: adds the constraints that couple components to the relaxation.
//!
//! After relaxation to measures on boxes the components are independent: a gap, a ratio of spreads or a common variance
//! is lost to first order. Multipliers restore it: they add a function T of component and parameters to the likelihood,
//! with ∫ T dG ≥ 0 for every admissible mixture G. See "A certificate for mixtures" in docs/mathematics.md.

use super::node::LocalMaximum;
use super::region::{Cell, Constraints, Region};

/// Multipliers are rounded to multiples of 1/this, so that their sums and differences are exact.
const MULTIPLIER_GRID: f64 = 1_048_576.0; // 2^20

/// Multipliers at least this large are not used.
const MAX_MULTIPLIER: f64 = 1_073_741_824.0; // 2^30: exact on the grid

/// A relative allowance for the rounding of a few sums and products.
const PRODUCT_ROUNDING: f64 = 1.0 / 281_474_976_710_656.0; // 2^-48

/// Bounds of a weight that differ by more than this factor put T's zero in the middle of the cell. Measured: with 1.1 a
/// tree over 100,000 points (ratio 5 at its bound) has twice as many regions; without a limit trees over 200 points
/// (two-sided gaps) have four times as many.
const WIDE_RANGE: f64 = 1.3;

/// Σ_k mean_k·μ_k + precision_k/v_k ≥ bound for all admissible parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Multipliers {
    pub(super) mean: Vec<f64>,
    pub(super) precision: Vec<f64>,
    pub(super) bound: f64,
}

impl Multipliers {
    /// Combines multipliers of the gaps (positive for a lower bound, negative for an upper one) and the required slopes
    /// in the precisions. `None` if all of them are negligible.
    pub(super) fn new(constraints: &Constraints, gaps: &[f64], slopes: &[f64]) -> Option<Self> {
        let k = slopes.len();
        let round =
            |x: f64| if x.abs() < MAX_MULTIPLIER { (x * MULTIPLIER_GRID).round() / MULTIPLIER_GRID } else { 0.0 };
        let (mut mean, mut bound) = (vec![0.0; k], 0.0);
        for (g, &gap) in gaps.iter().enumerate() {
            let mut gap = round(gap);
            let side = if gap > 0.0 { constraints.lower[g] } else { constraints.upper[g] };
            if !side.is_finite() {
                gap = 0.0;
            }
            mean[g] -= gap;
            mean[g + 1] += gap;
            if gap != 0.0 {
                bound += gap * side - PRODUCT_ROUNDING * (gap * side).abs();
            }
        }
        // Σ over pairs of m·(ratio·p_i - p_j), m ≥ 0, with the sums over j equal to those over i: the smallest
        // variances give up an amount, the largest get `ratio` times it. Rounded, so that a component without weight,
        // whose slopes are rounding errors, does not take part.
        let given: Vec<f64> = slopes.iter().map(|&slope| round((-slope).max(0.0))).collect();
        let taken: Vec<f64> = slopes.iter().map(|&slope| round(slope.max(0.0))).collect();
        let (sum_given, sum_taken): (f64, f64) = (given.iter().sum(), taken.iter().sum());
        let mut precision = vec![0.0; k];
        if sum_given > 0.0 && sum_taken > 0.0 {
            for j in 0..k {
                let share = taken[j] / sum_taken;
                precision[j] = sum_given * constraints.ratio * share * (1.0 + PRODUCT_ROUNDING) - given[j];
            }
        }
        let matters = |values: &[f64]| values.iter().any(|value| value.abs() > 1e-3);
        (matters(&mean) || matters(&precision)).then_some(Self { mean, precision, bound })
    }

    /// Whether T depends on the parameters of component `k`.
    pub(super) fn concerns(&self, k: usize) -> bool {
        self.mean[k] != 0.0 || self.precision[k] != 0.0
    }
}

/// `1 + (T̄ - T)/N` of one component: the smaller of two functions `constant + mean·μ + precision/v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Divisor {
    pub(super) pieces: [[f64; 3]; 2],
}

impl Divisor {
    pub(super) fn at(&self, mean: f64, variance: f64) -> f64 {
        let piece = |[constant, a, b]: [f64; 3]| constant + a * mean + b / variance;
        piece(self.pieces[0]).min(piece(self.pieces[1]))
    }

    /// The minimum over a cell: each piece has its minimum at a corner.
    pub(super) fn least(&self, cell: &Cell) -> f64 {
        let corners = [(cell.low, cell.least), (cell.low, cell.most), (cell.high, cell.least), (cell.high, cell.most)];
        corners.iter().map(|&(mean, variance)| self.at(mean, variance)).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn is_constant(&self) -> bool {
        self.pieces.iter().all(|piece| piece[1] == 0.0 && piece[2] == 0.0)
    }
}

/// T for one region: `scale·(mean·μ + precision/v - center) + constant`, with one scale where the bracket is positive
/// and another where it is negative.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coupling {
    /// For each component: the slopes in the mean and in the precision, and the bracket's `center`.
    pub(super) terms: Vec<[f64; 3]>,
    /// 1/(least weight) and 1/(largest weight) of each component.
    pub(super) scales: Vec<[f64; 2]>,
    /// The `constant` of each component.
    pub(super) constants: Vec<f64>,
}

impl Coupling {
    /// No coupling.
    pub(super) fn none(k: usize) -> Self {
        Self { terms: vec![[0.0; 3]; k], scales: vec![[1.0; 2]; k], constants: vec![0.0; k] }
    }

    /// T of a maximum's multipliers on a region in which weight `k` is within `ranges[k]`. `None` if a weight that matters
    /// may be zero.
    pub(super) fn new(maximum: &LocalMaximum, region: &Region, ranges: &[[f64; 2]]) -> Option<Self> {
        let (k, multipliers) = (region.len(), &maximum.multipliers);
        let (means, variances) = (maximum.parameters.means(), maximum.parameters.variances());
        let mut this = Self::none(k);
        let (mut constant, mut size) = (-multipliers.bound, multipliers.bound.abs());
        for (c, cell) in region.iter().enumerate() {
            let (a, b) = (multipliers.mean[c], multipliers.precision[c]);
            if !multipliers.concerns(c) {
                continue;
            }
            let [least, most] = ranges[c];
            if least <= 0.0 {
                return None;
            }
            // T is too high away from its zero, and the more so the wider the range. So the zero is put where the
            // likelihood is highest, or in the middle of the cell if the range is wide.
            let zero = if most <= WIDE_RANGE * least {
                a * means[c].clamp(cell.low, cell.high) + b / variances[c].clamp(cell.least, cell.most)
            } else {
                a * (0.5 * (cell.low + cell.high)) + b * (0.5 / cell.least + 0.5 / cell.most)
            };
            this.terms[c] = [a, b, zero];
            this.scales[c] = [(1.0 / least).next_up(), (1.0 / most).next_down()];
            constant += zero;
            size += zero.abs();
        }
        this.constants = vec![constant + PRODUCT_ROUNDING * size; k];
        Some(this)
    }

    /// T at a point of component `c`.
    pub(super) fn at(&self, c: usize, mean: f64, variance: f64) -> f64 {
        let [a, b, zero] = self.terms[c];
        let bracket = a * mean + b / variance - zero;
        self.scales[c][usize::from(bracket < 0.0)] * bracket + self.constants[c]
    }

    /// `1 + (average - T)/total` of component `c` in its cell, rounded down.
    pub(super) fn divisor(&self, c: usize, cell: &Cell, average: f64, total: f64) -> Divisor {
        let [a, b, zero] = self.terms[c];
        let farthest = cell.low.abs().max(cell.high.abs());
        let piece = |scale: f64| {
            let constant = 1.0 + (average - self.constants[c] + scale * zero) / total;
            let size = 1.0
                + (average.abs()
                    + self.constants[c].abs()
                    + scale * (zero.abs() + a.abs() * farthest + b.abs() / cell.least))
                    / total;
            [constant - PRODUCT_ROUNDING * size, -scale * a / total, -scale * b / total]
        };
        Divisor { pieces: self.scales[c].map(piece) }
    }
}

#[cfg(test)]
mod tests;
