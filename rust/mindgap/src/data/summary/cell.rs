//! One cell of a summary: sums over its points, relative to the smallest of them.
//!
//! A cell may be far wider than the range of its points, so that sums of squares about its edge would lose all digits
//! of those about the mean.

use super::grid::Grid;
use crate::data::sample::Atom;

/// The sums over the points of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SummaryCell {
    pub(super) count: u64,
    /// Σw.
    pub(super) weight: f64,
    /// The smallest and the largest value.
    pub(super) low: f64,
    pub(super) high: f64,
    /// The mean minus the smallest value.
    pub(super) offset: f64,
    /// Σw(x - mean)².
    pub(super) within: f64,
}

impl SummaryCell {
    /// The cell of no points.
    pub(super) const EMPTY: Self =
        Self { count: 0, weight: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY, offset: 0.0, within: 0.0 };

    /// Adds the points of another cell.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.count == 0 || other.count == 0 {
            if self.count == 0 {
                *self = *other;
            }
            return;
        }
        let (low, weight) = (self.low.min(other.low), self.weight + other.weight);
        let (mine, theirs) = (self.low - low + self.offset, other.low - low + other.offset);
        let share = other.weight / weight;
        let apart = theirs - mine;
        *self = Self {
            count: self.count.saturating_add(other.count),
            weight,
            low,
            high: self.high.max(other.high),
            offset: mine + apart * share,
            within: self.within + other.within + apart * apart * (self.weight * share),
        };
    }

    /// Whether these can be sums over points of cell `index`, up to rounding.
    pub(super) fn is_sound(&self, grid: Grid, index: i64) -> bool {
        let Self { count, weight, low, high, offset, within } = *self;
        let spread = high - low;
        let slack = 1.0 + 1e-9;
        // Squares below this have no relative precision.
        let vanishing = weight.max(count as f64) * f64::MIN_POSITIVE;
        count > 0
            && [weight, low, high, offset, within].iter().all(|value| value.is_finite())
            && weight > 0.0
            && low <= high
            && (count > 1 || low == high)
            && grid.index(low) == index
            && grid.index(high) == index
            && (0.0..=spread * slack).contains(&offset)
            && (0.0..=0.25 * weight * spread * spread * slack + vanishing).contains(&within)
    }

    /// The points as an atom; `even`: all of them weigh the same.
    pub(super) fn atom(&self, even: bool) -> Atom {
        let Self { count, weight, low, high, offset, within } = *self;
        let mean = (low + offset).clamp(low, high);
        Atom { mean, rest: offset - (mean - low), weight, within, low, high, count, even }
    }
}
