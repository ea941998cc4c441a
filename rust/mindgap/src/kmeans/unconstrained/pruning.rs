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
//! alone costs more than a known solution. Either gives a bound `slack` on what moving all boundaries costs. Several
//! boundaries may lie in one cell: the sum of their gaps is bounded as one gap is.
//!
//! *The test.* Under any penalty >= 0, F(p) + G(p) - k·penalty is at most the cost of every partition of the grid into
//! at most k clusters with a boundary at p (F and G are the chains of prefixes and suffixes). So where it exceeds
//! best + slack, no optimum has a boundary at p, nor one in a cell beside p that could be moved to p.

use super::candidates::{Candidates, CostTask, Costs};
use super::grid::EdgeGrid;
use super::penalty::{PenaltyOptimum, backward};
use crate::data::sample::Sample;
use crate::kmeans::rounding::CLEAR;
use crate::numeric::double::Double;

/// What no partition into `k` clusters can cost less than, and the edges that survive the test.
pub(super) struct EdgePruning {
    pub(super) lower_bound: f64,
    pub(super) alive: Vec<bool>,
}

/// Unless cells that close make the slack smaller than this part of itself, another test is more work than finer cells.
const WORTHWHILE: f64 = 0.75;

/// Applies the test to every edge, again as long as cells that it closes make the slack smaller.
pub(super) fn prune(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    found: &PenaltyOptimum,
    k: usize,
) -> EdgePruning {
    let best = found.cost * (1.0 + CLEAR);
    let suffixes = backward(candidates, found.penalty).values;
    let prefixes = &found.chain.values;
    let whole = prefixes[candidates.cells()];
    let dual = (whole - Double::product(found.penalty, k as f64)).value();
    let mut surplus: Vec<f64> =
        prefixes.iter().zip(suffixes.iter().rev()).map(|(&f, &g)| (f + g).minus(whole)).collect();
    // A boundary moved to an end of the data leaves its cluster empty, which saves a penalty at most.
    surplus[0] = found.penalty;
    surplus[candidates.cells()] = found.penalty;
    let mut spreads = grid.spreads().to_vec();
    let mut lower_bound = f64::NEG_INFINITY;
    let mut last = f64::INFINITY;
    loop {
        let slack = candidates.with_costs(CellSlack { sample, grid, spreads: &spreads, best, k });
        lower_bound = lower_bound.max(dual - slack);
        let limit = (best - dual).max(0.0) + slack + CLEAR * (best + found.penalty);
        let closes = |&cell: &usize| spreads[cell] > 0.0 && surplus[cell] > limit && surplus[cell + 1] > limit;
        let closing: Vec<usize> = (0..spreads.len()).filter(closes).collect();
        if closing.is_empty() || slack > WORTHWHILE * last {
            return EdgePruning { lower_bound, alive: surplus.iter().map(|&surplus| surplus <= limit).collect() };
        }
        closing.into_iter().for_each(|cell| spreads[cell] = 0.0);
        last = slack;
    }
}

/// The bound on what moving all boundaries of an optimum to edges costs.
struct CellSlack<'a> {
    sample: &'a Sample,
    grid: &'a EdgeGrid<'a>,
    /// Those of the cells that are still open.
    spreads: &'a [f64],
    best: f64,
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
        // A cluster that ends inside a cell begins after the edge before `left`: else it would cost more than the best
        // solution. One that begins inside it ends before `right`.
        let (mut left, mut right) = (0, 0);
        for cell in (0..last).filter(|&cell| spreads[cell] > 0.0) {
            while left < cell && costs.cost(left, cell) > self.best {
                left += 1;
            }
            right = right.max(cell + 2);
            while right <= last && costs.cost(cell + 1, right) <= self.best {
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
