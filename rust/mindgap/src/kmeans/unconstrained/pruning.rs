//! Which edges of a grid the boundaries of an optimal partition may be at, or be moved to. O(M).
//!
//! *Moving a boundary to an edge.* Let an optimal partition have a boundary strictly inside a cell, between
//! clusters of means c < c', g = c' - c. No point can gain by changing sides, so the middle between c and c' lies
//! between the two points at the boundary, hence within the cell. Moving the points left of the boundary to the right
//! cluster costs, about the old means, 2g·Σw(middle - x); moving those right of it to the left 2g·Σw(x - middle). The
//! first grows with the middle and the second falls; they meet where the middle is the cell's mean. So the lower
//! of the two is at most g·Σw|x - mean| <= g·√(weight·cost) = g·spread. (Boundaries in one cell keep their order, since the
//! side depends on the middle alone, and their costs add up; a cluster left empty saves a penalty.)
//!
//! *All boundaries together.* Σg is at most the range, and g at most what its two clusters can reach before one of them
//! alone costs more than a known solution. Either gives a bound `slack` on what moving all boundaries costs.
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

/// Applies the test to every edge.
pub(super) fn prune(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    found: &PenaltyOptimum,
    k: usize,
) -> EdgePruning {
    let best = found.cost * (1.0 + CLEAR);
    let slack = candidates.with_costs(CellSlack { sample, grid, candidates, best, k });
    let suffixes = backward(candidates, found.penalty).values;
    let prefixes = &found.chain.values;
    let whole = prefixes[candidates.cells()];
    let dual = (whole - Double::product(found.penalty, k as f64)).value();
    let limit = (best - dual).max(0.0) + slack + CLEAR * (best + found.penalty);
    let alive = prefixes.iter().zip(suffixes.iter().rev()).map(|(&f, &g)| (f + g).minus(whole) <= limit).collect();
    EdgePruning { lower_bound: dual - slack, alive }
}

/// The bound on what moving all boundaries of an optimum to edges costs.
struct CellSlack<'a> {
    sample: &'a Sample,
    grid: &'a EdgeGrid<'a>,
    candidates: &'a Candidates<'a>,
    best: f64,
    k: usize,
}

impl CostTask for CellSlack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> f64 {
        let last = costs.last();
        let point = |position: u32| self.sample.framed(position as usize);
        let positions = self.candidates.positions();
        let (mut widest, mut farthest) = (0.0_f64, 0.0_f64);
        // A cluster that ends in the cell holds the cell's first point; it would cost too much if it began at an edge
        // before `left`. One that starts in the cell holds its last point, and would cost too much if it reached `right`.
        let (mut left, mut right) = (0, 0);
        for cell in 0..last {
            let Some(spread) = self.grid.open(cell) else { continue };
            let costs_too_much = |start: usize, end: usize, position: u32| {
                let weight = self.sample.weight(position as usize);
                costs.cost_with(start, end, point(position), weight) > self.best
            };
            while left < cell && costs_too_much(left, cell, positions[cell]) {
                left += 1;
            }
            right = right.max(cell + 2);
            while right <= last && !costs_too_much(cell + 1, right, positions[cell + 1] - 1) {
                right += 1;
            }
            let lowest = if left == 0 { 0 } else { positions[left - 1] + 1 };
            let highest = if right > last { positions[last] - 1 } else { positions[right] - 2 };
            widest = widest.max(spread);
            farthest = farthest.max(spread * (point(highest) - point(lowest)));
        }
        let range = point(positions[last] - 1) - point(0);
        (range * widest).min((self.k - 1) as f64 * farthest) * (1.0 + CLEAR)
    }
}

#[cfg(test)]
mod tests;
