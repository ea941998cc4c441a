//! Lower bounds on the cost of the clusters of a state.
//!
//! A cluster that starts in one cell and ends in another contains the points between the cells (its core) and some of
//! the points of the cells. The core costs at least its own sum of squares. A point of a boundary's cell belongs to the
//! cluster on one side or the other, and costs at least its squared distance to the nearer of the two intervals where
//! these clusters can have their centres: the cell's charge, the same for all states that share the cell.
//!
//! Under a Lagrangian, a cluster of weight w and mean c costs `Σ(x-c)² + κc = min_z [Σ(x-z)² + κz] + κ²/4w`, with the
//! minimum at `z = c - κ/2w`. The bracket is a sum over points. `1/w` is at least its tangent at the largest possible
//! weight, which is also linear in the points. So the same argument applies to the centres z, with `(κ/2w)²` subtracted
//! for each point.

use super::cells::BoundaryCell;
use crate::data::sample::{Prefixes, Sample};
use crate::kmeans::rounding::of_squares;
use crate::numeric::first_false;

/// The bounds of one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The cluster's mean lies between these.
    pub(super) low: f64,
    pub(super) high: f64,
    /// A lower bound on the cost of the cluster without the points of its cells.
    pub(super) cost: f64,
    /// The centres for the charges of the cells; `None` if the cells may overlap.
    pub(super) centers: Option<CenterRange>,
}

/// The range of a cluster's centre z, and the term to subtract from a point's squared distance to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterRange {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) excess: f64,
}

/// The bounds of the cluster from `start` to `end` under a Lagrangian of `kappa`.
#[inline(always)]
pub(super) fn state(prefixes: &Prefixes<'_>, start: &BoundaryCell, end: &BoundaryCell, kappa: f64) -> State {
    if start.high < end.low {
        let core = start.at_high.until(&end.at_low);
        if start.is_single() && end.is_single() {
            let cost = core.cost + kappa * core.mean;
            let centers = Some(CenterRange { low: core.mean, high: core.mean, excess: 0.0 });
            return State { low: core.mean, high: core.mean, cost, centers };
        }
        let low = start.at_low.mean_until(&end.at_low);
        let high = start.at_high.mean_until(&end.at_high);
        let whole = start.at_low.weight_until(&end.at_high);
        let (most, least) = (0.5 * kappa / core.weight, 0.5 * kappa / whole);
        let centers = CenterRange { low: low - most.max(least), high: high - most.min(least), excess: least * least };
        // Not `clamp`, which panics if rounding has made the ends cross.
        let z = (core.mean - most).max(centers.low).min(centers.high);
        let tangent = 0.25 * kappa * kappa * (2.0 - core.weight / whole) / whole;
        let cost = core.cost + core.weight * (z - core.mean).powi(2) + kappa * z + tangent;
        return State { low, high, cost, centers: Some(centers) };
    }
    let sample = prefixes.sample();
    let low = if end.low > start.low { start.at_low.mean_until(&end.at_low) } else { sample.framed_lowest(start.low) };
    let high = if end.high > start.high {
        start.at_high.mean_until(&end.at_high)
    } else {
        sample.framed_highest(end.high - 1)
    };
    State { low, high, cost: (kappa * low).min(kappa * high), centers: None }
}

/// The centres on either side of a boundary's cell, over all states with the cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    left: f64,
    left_excess: f64,
    right: f64,
    right_excess: f64,
}

/// A lower bound on the cost of the points of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charge {
    /// The charge if the clusters on both sides have a core.
    pub(super) both: f64,
    /// The correction for a cluster on one side without a core.
    pub(super) without: f64,
}

impl Sides {
    /// No cluster on either side.
    pub(super) const NONE: Self =
        Self { left: f64::NEG_INFINITY, left_excess: 0.0, right: f64::INFINITY, right_excess: 0.0 };

    #[inline]
    pub(super) fn add_left(&mut self, centers: &CenterRange) {
        self.left = self.left.max(centers.high);
        self.left_excess = self.left_excess.max(centers.excess);
    }

    #[inline]
    pub(super) fn add_right(&mut self, centers: &CenterRange) {
        self.right = self.right.min(centers.low);
        self.right_excess = self.right_excess.max(centers.excess);
    }

    /// The charge of the points of `cell`.
    pub(super) fn charge(&self, prefixes: &Prefixes<'_>, cell: &BoundaryCell) -> Charge {
        if cell.is_single() {
            return Charge::default();
        }
        let weight = cell.at_low.weight_until(&cell.at_high);
        let excess = -weight * self.left_excess.max(self.right_excess);
        let both = match self.left.is_finite() && self.right.is_finite() {
            true => self.shared(prefixes, cell),
            false => excess,
        };
        Charge { both, without: excess - both.max(0.0) }
    }

    /// The sum over the points of the lesser of their costs on the left and on the right. From point to point the left
    /// cost is nondecreasing and the right one nonincreasing, so the points that cost less on the left come first. An
    /// atom on one side of the crossing is charged as a whole; at most one atom lies on both.
    fn shared(&self, prefixes: &Prefixes<'_>, cell: &BoundaryCell) -> f64 {
        let sample = prefixes.sample();
        let (first, last) = (|i: usize| sample.framed_lowest(i), |i: usize| sample.framed_highest(i));
        let left = |x: f64| (x - self.left).max(0.0).powi(2) - self.left_excess;
        let right = |x: f64| (self.right - x).max(0.0).powi(2) - self.right_excess;
        let turn = first_false(cell.low, cell.high, |i| left(last(i)) <= right(last(i)));
        let both = turn < cell.high && left(first(turn)) < right(first(turn));
        let after = turn + usize::from(both);
        let outside_left = first_false(cell.low, turn, |i| first(i) <= self.left);
        let outside_right = first_false(after, cell.high, |i| last(i) < self.right);
        let (at_turn, at_after) = (prefixes.at(turn), prefixes.at(after));
        let squares = prefixes.at(outside_left).cost_about(&at_turn, self.left)
            + at_after.cost_about(&prefixes.at(outside_right), self.right);
        let divided = if both { self.divided(sample, turn, left(first(turn)).min(right(last(turn)))) } else { 0.0 };
        squares + divided
            - self.left_excess * cell.at_low.weight_until(&at_turn)
            - self.right_excess * at_after.weight_until(&cell.at_high)
    }

    /// A lower bound on the cost of an atom's points, each on its cheaper side, where no point costs less than `least`.
    /// Between the centres the lesser cost is x² plus the minimum of two lines, a concave function. For a given mean it
    /// is least with all points at the ends of the atom, and it differs from its value at the mean by at most what the
    /// difference of slopes allows.
    fn divided(&self, sample: &Sample, atom: usize, least: f64) -> f64 {
        let (low, high) = (sample.framed_lowest(atom), sample.framed_highest(atom));
        let (mean, weight, within) = (sample.framed(atom), sample.weight(atom), sample.framed_within(atom));
        let plain = weight * least;
        if low < self.left || high > self.right {
            return plain;
        }
        // Relative to the mean, so that no digits cancel.
        let (left, right) = (self.left - mean, self.right - mean);
        let line = |center: f64, excess: f64, y: f64| center * center - 2.0 * center * y - excess;
        let lesser = |y: f64| line(left, self.left_excess, y).min(line(right, self.right_excess, y));
        let (low, high) = (low - mean, high - mean);
        let chord = (lesser(low) * high - lesser(high) * low) / (high - low);
        let bend = lesser(0.0) - (right - left) * (within / weight).sqrt();
        let bound = weight * chord.max(bend) + within;
        // Minus the rounding error: the bound must not be too large.
        plain.max(bound - of_squares(weight * (left * left + right * right)))
    }
}
