//! The edges of a grid that the boundaries of an optimal partition may be at, or be moved to. O(M).
//!
//! *Moving a boundary to an edge.* Let an optimal partition have a boundary strictly inside a cell, between clusters of
//! means c < c', g = c' - c. No point gains by changing sides, so the midpoint of c and c' lies between the two points
//! at the boundary, hence within the cell. Moving the points left of the boundary to the right cluster costs, about the
//! old means, 2g·Σw(midpoint - x); moving those right of it to the left costs 2g·Σw(x - midpoint). The first grows with
//! the midpoint and the second falls; they are equal if the midpoint is the cell's mean. So the lesser is at most
//! g·Σw|x - mean| <= g·√(weight·cost) = g·spread. (Boundaries in one cell keep their order, because the side depends on
//! the midpoint alone, and their costs add; an empty cluster saves a penalty.)
//!
//! *All boundaries together.* Σg is at most the range. Also, g is limited by the widths of its two clusters: neither
//! can cost more than a known solution, and dividing one cannot save more than the penalty plus the excess of the moved
//! partition above the bound F(n) - k·penalty. (In the chains, F(a) + cost(a, m) + cost(m, b) + 2·penalty + G(b) >=
//! F(n) for every m; with cost(a, b) + penalty instead, it is at most the cost of the moved partition plus k
//! penalties.) Either limit gives a bound `slack` on the cost of moving all boundaries. If several boundaries lie in
//! one cell, the sum of their gaps has the bound of one gap.
//!
//! *The test.* Under any penalty >= 0, F(p) + G(p) - k·penalty is at most the cost of every partition of the grid into
//! at most k clusters with a boundary at p (F and G are the chains of prefixes and suffixes). So if it exceeds best +
//! slack, no optimum has a boundary at p, nor one in a cell beside p that could be moved to p.

use super::candidates::{Candidates, CostTask, Costs};
use super::chain::Digits;
use super::grid::EdgeGrid;
use super::penalty::{PenaltyOptimum, backward};
use crate::data::sample::Sample;
use crate::kmeans::rounding::CLEAR;
use std::ops::Range;

/// A lower bound on partitions into `k` clusters, and the edges that survive the test.
pub(super) struct EdgePruning {
    pub(super) lower_bound: f64,
    pub(super) alive: Vec<bool>,
    /// The largest excess of a surviving edge above the best, and the part of it for the rounding of chains.
    limit: f64,
    lost: f64,
}

/// The largest part of a limit for the rounding of chains, so that it keeps few edges alive.
const MOST_LOST: f64 = 1.0 / 16.0;

impl EdgePruning {
    /// Whether the precision of the chains was sufficient.
    pub(super) fn is_exact_enough(&self) -> bool {
        self.lost <= MOST_LOST * self.limit
    }
}

/// Another test is worth its time only if closed cells reduce the slack below this fraction of itself.
const WORTHWHILE: f64 = 0.75;

/// Tests every edge; repeats while the cells that close reduce the slack.
pub(super) fn prune<D: Digits>(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    found: &PenaltyOptimum<D>,
    k: usize,
) -> EdgePruning {
    let best = found.cost * (1.0 + CLEAR);
    let (surplus, lost) = surplus(candidates, found);
    let dual = D::less_penalties(found.chain.values[candidates.cells()], found.penalty, k) - lost;
    let mut spreads = grid.spreads().to_vec();
    let ends = |points: Range<usize>| (sample.framed_lowest(points.start), sample.framed_highest(points.end - 1));
    let extents: Vec<(f64, f64)> = (0..spreads.len()).map(|cell| ends(grid.points(cell))).collect();
    let mut lower_bound = f64::NEG_INFINITY;
    let (mut last, mut most_saved) = (f64::INFINITY, f64::INFINITY);
    loop {
        let slack = candidates.with_costs(CellSlack { extents: &extents, spreads: &spreads, best, most_saved, k });
        lower_bound = lower_bound.max(dual - slack);
        let limit = (best - dual).max(0.0) + slack + CLEAR * (best + found.penalty);
        let is_worthwhile = slack < WORTHWHILE * last;
        if !is_worthwhile {
            let alive = surplus.iter().map(|&surplus| surplus <= limit).collect();
            return EdgePruning { lower_bound, alive, limit, lost };
        }
        for cell in 0..spreads.len() {
            if surplus[cell] > limit && surplus[cell + 1] > limit {
                spreads[cell] = 0.0;
            }
        }
        (last, most_saved) = (slack, found.penalty + limit);
    }
}

/// For each edge the least penalised cost of a partition with a boundary there, minus the least of all; and the largest
/// rounding error of a chain, which is subtracted.
fn surplus<D: Digits>(candidates: &Candidates<'_>, found: &PenaltyOptimum<D>) -> (Vec<f64>, f64) {
    let backward = backward::<D>(candidates, found.penalty);
    let (prefixes, suffixes) = (&found.chain.values, &backward.values);
    let whole = prefixes[candidates.cells()];
    let lost = D::lost(candidates, found.penalty, whole, found.chain.unsure.max(backward.unsure));
    let mut surplus: Vec<f64> =
        prefixes.iter().zip(suffixes.iter().rev()).map(|(&f, &g)| D::surplus(f, g, whole) - 2.0 * lost).collect();
    // A boundary moved to an end of the data leaves its cluster empty, which saves at most a penalty.
    surplus[0] = found.penalty;
    surplus[candidates.cells()] = found.penalty;
    (surplus, lost)
}

/// The bound on the cost of moving all boundaries of an optimum to edges.
struct CellSlack<'a> {
    /// The lowest and the highest point of each cell.
    extents: &'a [(f64, f64)],
    /// The spreads of the cells that are still open.
    spreads: &'a [f64],
    best: f64,
    /// The most that dividing a cluster of the moved partition can save.
    most_saved: f64,
    k: usize,
}

impl CellSlack<'_> {
    /// Whether a cluster from `start` to `end` costs too much, or dividing it saves too much, to be in an optimum.
    #[inline(always)]
    fn exceeds<C: Costs>(&self, costs: &C, start: usize, end: usize) -> bool {
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let middle = start + (end - start) / 2;
        let divides = start < middle && self.most_saved < f64::INFINITY;
        let blur = 2.0 * costs.blur();
        if blur == f64::INFINITY {
            let whole = costs.cost(start, end);
            let saved = |middle| whole - costs.cost(start, middle) - costs.cost(middle, end);
            return whole > self.best || (divides && saved(middle) > self.most_saved);
        }
        // Rough costs may keep a cluster that is too wide, which is safe. Both sides are multiplied by the weights,
        // which saves divisions.
        let whole = costs.rough(start, end);
        if whole.square * whole.weight - whole.sum * whole.sum > (self.best + blur) * whole.weight {
            return true;
        }
        if !divides {
            return false;
        }
        // Dividing saves the weighted square of the distance between the means of the halves.
        let (a, b) = (costs.rough(start, middle), costs.rough(middle, end));
        let apart = a.sum * b.weight - b.sum * a.weight;
        apart * apart > (self.most_saved + blur) * (a.weight * b.weight * whole.weight)
    }
}

impl CostTask for CellSlack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> f64 {
        let (extents, spreads, last) = (self.extents, self.spreads, costs.last());
        let mut widest = 0.0_f64;
        let mut slacks = Vec::new();
        // A cluster that ends inside a cell starts after the edge before `left`, or it would cost more than the best
        // solution. One that starts inside it ends before `right`.
        let (mut left, mut right) = (0, 0);
        for cell in (0..last).filter(|&cell| spreads[cell] > 0.0) {
            while left < cell && self.exceeds(costs, left, cell) {
                left += 1;
            }
            right = right.max(cell + 2);
            while right <= last && !self.exceeds(costs, cell + 1, right) {
                right += 1;
            }
            let first = if left > 0 && spreads[left - 1] > 0.0 { left - 1 } else { left };
            let end = match right {
                right if right > last => last - 1,
                right if spreads[right - 1] > 0.0 => right - 1,
                right => right - 2,
            };
            let (lowest, highest) = (extents[first].0, extents[end].1);
            let (low, high) = extents[cell];
            // The midpoint of the two means lies within the cell.
            let gap = (highest - lowest).min(2.0 * (high - lowest)).min(2.0 * (highest - low));
            widest = widest.max(spreads[cell]);
            slacks.push(gap * spreads[cell]);
        }
        let range = extents[last - 1].1 - extents[0].0;
        let cuts = slacks.len().min(self.k - 1);
        if cuts < slacks.len() {
            slacks.select_nth_unstable_by(cuts, |a, b| b.total_cmp(a));
        }
        (range * widest).min(slacks[..cuts].iter().sum::<f64>()) * (1.0 + CLEAR)
    }
}

#[cfg(test)]
mod tests;
