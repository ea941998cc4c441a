//! One cell of a summary: sums of the points in it, about its lower edge and in units of its width.

use super::grid::Grid;
use crate::sample::Blob;

/// What is known of the points of a cell. `z` is a point's distance from the lower edge in widths, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) count: u64,
    /// Σw.
    pub(super) weight: f64,
    /// Σwz.
    pub(super) first: f64,
    /// Σwz².
    pub(super) second: f64,
    /// The smallest and the largest value.
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Cell {
    pub(super) const EMPTY: Self =
        Self { count: 0, weight: 0.0, first: 0.0, second: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Takes in a point.
    #[inline(always)]
    pub(super) fn add(&mut self, x: f64, z: f64, weight: f64) {
        let first = weight * z;
        self.count += 1;
        self.weight += weight;
        self.first += first;
        self.second += first * z;
        self.low = self.low.min(x);
        self.high = self.high.max(x);
    }

    /// Takes in the points of the same cell elsewhere.
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// The same points in a wider cell: this one is `scale` times as wide and begins at `offset` of its width.
    pub(super) fn widened(&self, offset: f64, scale: f64) -> Self {
        let Self { weight, first, second, .. } = *self;
        Self {
            first: scale * first + offset * weight,
            second: scale * scale * second + offset * (2.0 * scale * first + offset * weight),
            ..*self
        }
    }

    /// Whether these can be the sums of points of cell `index`, up to rounding.
    pub(super) fn is_sound(&self, grid: Grid, index: i64) -> bool {
        let Self { count, weight, first, second, low, high } = *self;
        let slack = 1e-9 * weight;
        let numbers = [weight, first, second, low, high];
        count > 0
            && numbers.iter().all(|value| value.is_finite())
            && weight > 0.0
            && low <= high
            && grid.index(low) == index
            && grid.index(high) == index
            && first >= 0.0
            && first <= weight + slack
            && second >= first * (first / weight) - slack
            && second <= first + slack
    }

    /// The points as one; `even` says whether all of them weigh the same.
    pub(super) fn blob(&self, grid: Grid, index: i64, even: bool) -> Blob {
        let Self { count, weight, first, second, low, high } = *self;
        if low == high {
            return Blob { mean: low, rest: 0.0, weight, within: 0.0, low, high, count, even };
        }
        let (edge, offset) = (grid.edge(index), first / weight * grid.width());
        let mean = (edge + offset).clamp(low, high);
        let rest = offset - (mean - edge);
        let within = (second - first * (first / weight)).max(0.0) * grid.width() * grid.width();
        Blob { mean, rest, weight, within, low, high, count, even }
    }
}
