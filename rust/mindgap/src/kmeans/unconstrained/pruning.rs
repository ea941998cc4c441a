//! Which edges of a grid the boundaries of an optimal partition may be at, or be moved to. O(M).
//!
//! *Moving a boundary to an edge.* Let an optimal partition have a boundary strictly inside a cell, between
//! clusters of means c < c', g = c' - c. No point can gain by changing sides, so the middle between c and c' lies
//! between the two points at the boundary, hence within the cell. Moving the points left of the boundary to the right
//! cluster costs, about the old means, 2g·Σw(middle - x); moving those right of it to the left 2g·Σw(x - middle). The
//! first grows with the middle and the second falls; they meet where the middle is the cell's mean. So the lower
//! costs at most g·Σw|x - mean| <= g·√(weight·cost) = g·spread. (Boundaries in one cell keep their order, since the
//! side depends on the middle alone, and their costs add up; a cluster left empty saves a penalty.)
//!
//! *All boundaries together.* Σg is at most the range, and g at most what its two clusters can reach before one of them
//! alone costs more than a known solution, or before dividing it would save more than the penalty and what the moved partition
//! costs above the bound F(n) - k·penalty: in the chains, F(a) + cost(a, m) + cost(m, b) + 2·penalty + G(b) >= F(n) for every m, and
//! with cost(a, b) + penalty instead it is at most the cost of the moved partition and k penalties. Either gives a bound `slack` on what moving all boundaries costs. Several
//! boundaries may lie in one cell: the sum of their gaps is bounded as one gap is.
//!
//! *The test.* Under any penalty >= 0, F(p) + G(p) - k·penalty is at most the cost of every partition of the grid into
//! at most k clusters with a boundary at p (F and G are the chains of prefixes and suffixes). So where it exceeds
//! best + slack, no optimum has a boundary at p, nor one in a cell beside p that could be moved to p.

use super::candidates::{Candidates, CostTask, Costs};
use super::chain::Digits;
use super::grid::EdgeGrid;
use super::penalty::{PenaltyOptimum, backward};
use crate::data::sample::Sample;
use crate::kmeans::rounding::CLEAR;

/// What no partition into `k` clusters can cost less than, and the edges that survive the test.
pub(super) struct EdgePruning {
    pub(super) lower_bound: f64,
    pub(super) alive: Vec<bool>,
    /// What an edge may cost above the best, and how much of that is for the rounding of chains.
    limit: f64,
    lost: f64,
}

/// The rounding of chains takes this part of a limit at most, so that it keeps few edges alive.
const MOST_LOST: f64 = 1.0 / 16.0;

impl EdgePruning {
    /// Whether the digits of the chains were enough.
    pub(super) fn is_exact_enough(&self) -> bool {
        self.lost <= MOST_LOST * self.limit
    }
}

/// Unless cells that close make the slack smaller than this part of itself, another test is more work than finer cells.
const WORTHWHILE: f64 = 0.75;

/// Applies the test to every edge, again as long as cells that it closes make the slack smaller.
pub(super) fn prune<D: Digits>(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    found: &PenaltyOptimum<D>,
    k: usize,
) -> EdgePruning {
    let best = found.cost * (1.0 + CLEAR);
    let backward = backward::<D>(candidates, found.penalty);
    let (prefixes, suffixes) = (&found.chain.values, &backward.values);
    let whole = prefixes[candidates.cells()];
    let lost = D::lost(candidates, found.penalty, whole, found.chain.unsure.max(backward.unsure));
    let dual = D::less_penalties(whole, found.penalty, k) - lost;
    let mut surplus: Vec<f64> =
        prefixes.iter().zip(suffixes.iter().rev()).map(|(&f, &g)| D::surplus(f, g, whole) - 2.0 * lost).collect();
    // A boundary moved to an end of the data leaves its cluster empty, which saves a penalty at most.
    surplus[0] = found.penalty;
    surplus[candidates.cells()] = found.penalty;
    let mut spreads = grid.spreads().to_vec();
    let mut lower_bound = f64::NEG_INFINITY;
    let (mut last, mut most_saved) = (f64::INFINITY, f64::INFINITY);
    loop {
        let slack = candidates.with_costs(CellSlack { sample, grid, spreads: &spreads, best, most_saved, k });
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

/// The bound on what moving all boundaries of an optimum to edges costs.
struct CellSlack<'a> {
    sample: &'a Sample,
    grid: &'a EdgeGrid<'a>,
    /// Those of the cells that are still open.
    spreads: &'a [f64],
    best: f64,
    /// What dividing a cluster of the moved partition saves at most.
    most_saved: f64,
    k: usize,
}

impl CostTask for CellSlack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> f64 {
        let (sample, spreads, last) = (self.sample, self.spreads, costs.last());
        let low = |cell: usize| sample.framed_lowest(self.grid.points(cell).start);
        let high = |cell: usize| sample.framed_highest(self.grid.points(cell).end - 1);
        let mut widest = 0.0_f64;
        let mut slacks = Vec::new();
        // Rough costs where they are of use: a cluster that is not seen to be too wide may be one.
        let rough = costs.blur() < f64::INFINITY;
        let cost = |start, end| if rough { costs.rough(start, end).cost() } else { costs.cost(start, end) };
        let blur = if rough { 2.0 * costs.blur() } else { 0.0 };
        let exceeds = |start: usize, end: usize| {
            let whole = cost(start, end) - blur;
            let middle = start + (end - start) / 2;
            whole > self.best || (start < middle && whole - cost(start, middle) - cost(middle, end) > self.most_saved)
        };
        // A cluster that ends inside a cell begins after the edge before `left`: else it would cost more than the best
        // solution. One that begins inside it ends before `right`.
        let (mut left, mut right) = (0, 0);
        for cell in (0..last).filter(|&cell| spreads[cell] > 0.0) {
            while left < cell && exceeds(left, cell) {
                left += 1;
            }
            right = right.max(cell + 2);
            while right <= last && !exceeds(cell + 1, right) {
                right += 1;
            }
            let first = if left > 0 && spreads[left - 1] > 0.0 { left - 1 } else { left };
            let end = match right {
                right if right > last => last - 1,
                right if spreads[right - 1] > 0.0 => right - 1,
                right => right - 2,
            };
            let (lowest, highest) = (low(first), high(end));
            // The middle between the two means lies within the cell.
            let gap = (highest - lowest).min(2.0 * (high(cell) - lowest)).min(2.0 * (highest - low(cell)));
            widest = widest.max(spreads[cell]);
            slacks.push(gap * spreads[cell]);
        }
        let range = high(last - 1) - low(0);
        let cuts = slacks.len().min(self.k - 1);
        if cuts < slacks.len() {
            slacks.select_nth_unstable_by(cuts, |a, b| b.total_cmp(a));
        }
        (range * widest).min(slacks[..cuts].iter().sum::<f64>()) * (1.0 + CLEAR)
    }
}

#[cfg(test)]
mod tests;
