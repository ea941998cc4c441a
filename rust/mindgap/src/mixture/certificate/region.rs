//! Boxes of parameters, one for each component, and how constraints shrink them.

use crate::mixture::spread_defaults::SpreadBounds;

/// The bounds on the parameters that are certified.
#[derive(Clone, Debug)]
pub(super) struct Constraints {
    /// Lower bounds of the gaps between neighbouring means.
    pub(super) lower: Vec<f64>,
    /// Upper bounds of these gaps.
    pub(super) upper: Vec<f64>,
    /// The largest ratio of two variances; 1 if all are equal.
    pub(super) ratio: f64,
    /// The smallest variance allowed; zero if there is no such bound.
    pub(super) least: f64,
}

/// The box of one component: a mean between `low` and `high`, a variance between `least` and `most`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Cell {
    /// Moves means into `[first, last]` as far as the cell allows: at points in that range densities only rise.
    pub(super) fn within(&self, first: f64, last: f64) -> Self {
        Self { low: self.low.max(first.min(self.high)), high: self.high.min(last.max(self.low)), ..*self }
    }

    pub(super) fn contains(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high && self.least <= other.least && other.most <= self.most
    }

    pub(super) fn holds(&self, mean: f64, variance: f64) -> bool {
        self.low <= mean && mean <= self.high && self.least <= variance && variance <= self.most
    }
}

/// A box of parameters: the product of one cell for each component.
pub(super) type Region = Vec<Cell>;

/// The parameter that a region is split at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// The component's mean.
    Mean,
    /// Its variance.
    Variance,
}

/// A cut of a region: the component, its parameter and the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) component: usize,
    pub(super) axis: Axis,
    pub(super) at: f64,
}

impl Cut {
    /// The part of the region at most (or at least) at the cut.
    pub(super) fn side(&self, region: &Region, above: bool) -> Region {
        let mut part = region.clone();
        let cell = &mut part[self.component];
        match (self.axis, above) {
            (Axis::Mean, false) => cell.high = self.at,
            (Axis::Mean, true) => cell.low = self.at,
            (Axis::Variance, false) => cell.most = self.at,
            (Axis::Variance, true) => cell.least = self.at,
        }
        part
    }
}

impl Constraints {
    /// Bounds of the `k - 1` gaps (free if the vectors are empty) and of the variances.
    pub(super) fn new(mut lower: Vec<f64>, mut upper: Vec<f64>, spreads: &SpreadBounds, k: usize) -> Self {
        lower.resize(k - 1, 0.0);
        upper.resize(k - 1, f64::INFINITY);
        lower.iter_mut().for_each(|lower| *lower = lower.max(0.0));
        Self { lower, upper, ratio: spreads.ratio, least: spreads.least }
    }

    /// Shrinks the region to the part that the constraints allow, rounded outward. Returns false if that is empty.
    pub(super) fn propagate(&self, region: &mut Region) -> bool {
        let k = region.len();
        for g in 0..k.saturating_sub(1) {
            region[g + 1].low = region[g + 1].low.max((region[g].low + self.lower[g]).next_down());
            region[g + 1].high = region[g + 1].high.min((region[g].high + self.upper[g]).next_up());
        }
        for g in (0..k.saturating_sub(1)).rev() {
            region[g].high = region[g].high.min((region[g + 1].high - self.lower[g]).next_up());
            region[g].low = region[g].low.max((region[g + 1].low - self.upper[g]).next_down());
        }
        let largest_least = region.iter().map(|cell| cell.least).fold(0.0, f64::max);
        let smallest_most = region.iter().map(|cell| cell.most).fold(f64::INFINITY, f64::min);
        let (least, most) = if self.ratio == 1.0 {
            (largest_least, smallest_most)
        } else {
            ((largest_least / self.ratio).next_down(), (smallest_most * self.ratio).next_up())
        };
        for cell in region.iter_mut() {
            cell.least = cell.least.max(least);
            cell.most = cell.most.min(most);
        }
        region.iter().all(|cell| cell.low <= cell.high && cell.least <= cell.most)
    }
}
