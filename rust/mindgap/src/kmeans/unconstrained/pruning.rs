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
//! penalties.) A mean grows with both ends of its cluster; so the leftmost start gives the least mean on the left, and
//! the farthest end the largest on the right. Either limit gives a bound `slack` on the cost of moving all boundaries. If
//! several boundaries lie in one cell, the sum of their gaps has the bound of one gap.
//!
//! *One boundary in a run of open cells.* Likewise, joining two neighbours (a, b) and (b, c) of the moved partition
//! cannot cost less than the penalty less that excess, as F(a) + cost(a, c) + penalty + G(c) >= F(n); and it costs at
//! most the weight of (a, b) times the square of the distance of their means. If this is too little for all clusters
//! inside a run, and no cluster can be empty, since the excess is below the penalty, then the run has at most one
//! boundary, and the slack counts only the largest of its moves.
//!
//! *The test.* Under any penalty >= 0, F(p) + G(p) - k·penalty is at most the cost of every partition of the grid into
//! at most k clusters with a boundary at p (F and G are the chains of prefixes and suffixes). So if it exceeds best +
//! slack, no optimum has a boundary at p, nor one in a cell beside p that could be moved to p.

use super::candidates::{Candidates, CostTask, Costs, RoughSums};
use super::chain::{Digits, Rough};
use super::grid::EdgeGrid;
use super::penalty::{PenaltyOptimum, backward};
use crate::data::sample::Sample;
use crate::kmeans::rounding::{CLEAR, of_place};
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

/// Whether the precision of a chain in plain doubles may be sufficient: whether its error is small compared with what
/// moving all boundaries of its best path costs, if gaps are of about equal width.
pub(super) fn may_be_exact_enough(
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    found: &PenaltyOptimum<Rough>,
) -> bool {
    let (cells, links) = (candidates.cells(), found.path.len() - 1);
    let lost = Rough::lost(candidates, found.penalty, found.chain.values[cells], found.chain.unsure);
    let spread = |&node: &u32| grid.spreads()[node as usize - 1].max(grid.spreads()[node as usize]);
    let moved: f64 = found.path[1..links].iter().map(spread).sum();
    lost <= MOST_LOST * moved / links as f64
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
    let limit_of = |slack: f64| (best - dual).max(0.0) + slack + CLEAR * (best + found.penalty);
    let range = extents[extents.len() - 1].1 - extents[0].0;
    let mut slack = range * spreads.iter().copied().fold(0.0, f64::max) * (1.0 + CLEAR);
    let mut alive = surplus.iter().map(|&surplus| surplus <= limit_of(slack)).collect::<Vec<bool>>();
    let mut most = f64::INFINITY;
    while slack < WORTHWHILE * most {
        most = slack;
        let known = KnownBounds { best, most_saved: found.penalty + limit_of(slack) };
        let mut moves = candidates.with_costs(CellMoves { extents: &extents, spreads: &spreads, alive: &alive, known });
        // The bounds on gaps take longest; so what is left open is first tested with the same ones.
        let mut last = f64::INFINITY;
        while slack < WORTHWHILE * last {
            last = slack;
            slack = slack.min(moves.slack(found.penalty - limit_of(slack), k));
            alive.iter_mut().zip(&surplus).for_each(|(alive, &surplus)| *alive = surplus <= limit_of(slack));
            moves.cells.retain(|one| alive[one.cell] || alive[one.cell + 1]);
        }
        let closes = |cell: usize| !alive[cell] && !alive[cell + 1];
        (0..spreads.len()).filter(|&cell| closes(cell)).for_each(|cell| spreads[cell] = 0.0);
    }
    EdgePruning { lower_bound: dual - slack, alive, limit: limit_of(slack), lost }
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

/// What is known of the clusters of the moved partition.
#[derive(Clone, Copy)]
struct KnownBounds {
    /// The cost of a solution.
    best: f64,
    /// The most that dividing a cluster can save.
    most_saved: f64,
}

/// A boundary inside an open cell that is moved to an edge.
struct Move {
    cell: usize,
    /// The most that it costs.
    cost: f64,
    /// The lowest point of the cell, and the largest mean of the cluster after the boundary.
    lowest: f64,
    highest: f64,
    /// The weights before and after the cell.
    before: f64,
    after: f64,
}

/// One for each open cell.
struct Moves {
    cells: Vec<Move>,
    /// The error of differences of weights.
    blur: f64,
}

impl Moves {
    /// A bound on the cost of moving all boundaries of an optimum to edges. `least_saved` is the least that dividing two
    /// joined neighbours can save; if it is not positive, clusters may be empty.
    fn slack(&self, least_saved: f64, k: usize) -> f64 {
        let mut together = Vec::with_capacity(self.cells.len());
        for run in self.cells.chunk_by(|a, b| a.cell + 1 == b.cell) {
            let each = run.iter().map(|one| one.cost);
            match self.has_one_boundary(run, least_saved) {
                true => together.push(each.fold(0.0, f64::max)),
                false => together.extend(each),
            }
        }
        let cuts = together.len().min(k - 1);
        if cuts < together.len() {
            together.select_nth_unstable_by(cuts, |a, b| b.total_cmp(a));
        }
        together[..cuts].iter().sum::<f64>() * (1.0 + CLEAR)
    }

    /// Whether at most one boundary lies in a run of open cells. Two would have a cluster between them; to join it with
    /// the cluster after it would cost at most its weight times the square of the distance of their means.
    fn has_one_boundary(&self, run: &[Move], least_saved: f64) -> bool {
        let (first, last) = (&run[0], &run[run.len() - 1]);
        let weight = last.after - first.before + self.blur;
        let apart = last.highest - first.lowest + of_place(1.0);
        weight * apart * apart < least_saved * (1.0 - CLEAR)
    }
}

/// Finds the moves and bounds their costs.
struct CellMoves<'a> {
    /// The lowest and the highest point of each cell.
    extents: &'a [(f64, f64)],
    /// The spreads of the cells that are still open.
    spreads: &'a [f64],
    /// Whether the moved partition may have a boundary at each edge.
    alive: &'a [bool],
    known: KnownBounds,
}

impl CostTask for CellMoves<'_> {
    type Output = Moves;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> Moves {
        let Self { extents, spreads, alive, .. } = self;
        let last = costs.last();
        let possible = |edge: usize| alive[edge] || edge == 0 || edge == last;
        // A cluster that ends inside a cell starts at the edge `left` or later, or it would cost more than the best
        // solution. One that starts inside it ends at `farthest` or before, which is before `right`.
        let (mut left, mut farthest, mut right) = (0, 0, 0);
        let mut cells = Vec::new();
        for cell in (0..last).filter(|&cell| spreads[cell] > 0.0 && (alive[cell] || alive[cell + 1])) {
            while left < cell && (!possible(left) || self.exceeds(costs, left, cell)) {
                left += 1;
            }
            right = right.max(cell + 2);
            while right <= last && (!possible(right) || !self.exceeds(costs, cell + 1, right)) {
                farthest = if possible(right) { right } else { farthest };
                right += 1;
            }
            let (first, end) = (self.before(left), self.after(farthest.max(cell + 1)));
            let (lowest, highest) = (self.mean(costs, first, cell).0, self.mean(costs, cell + 1, end).1);
            let (low, high) = extents[cell];
            // The midpoint of the two means lies within the cell.
            let gap = (highest - lowest).min(2.0 * (high - lowest)).min(2.0 * (highest - low)) + of_place(1.0);
            let (before, after) = (costs.rough_sums(cell).weight, costs.rough_sums(cell + 1).weight);
            cells.push(Move { cell, cost: gap * spreads[cell], lowest: low, highest, before, after });
        }
        Moves { cells, blur: costs.blur() }
    }
}

impl CellMoves<'_> {
    /// Whether a cluster from `start` to `end` costs too much, or dividing it saves too much, to be in an optimum.
    #[inline(always)]
    fn exceeds<C: Costs>(&self, costs: &C, start: usize, end: usize) -> bool {
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let KnownBounds { best, most_saved, .. } = self.known;
        let middle = start + (end - start) / 2;
        let divides = start < middle && most_saved < f64::INFINITY;
        let blur = 2.0 * costs.blur();
        if blur == f64::INFINITY {
            let whole = costs.cost(start, end);
            let saved = |middle| whole - costs.cost(start, middle) - costs.cost(middle, end);
            return whole > best || (divides && saved(middle) > most_saved);
        }
        // Rough costs may keep a cluster that is too wide, which is safe. Both sides are multiplied by the weights,
        // which saves divisions.
        let whole = costs.rough(start, end);
        if whole.square * whole.weight - whole.sum * whole.sum > (best + blur) * whole.weight {
            return true;
        }
        if !divides {
            return false;
        }
        // Dividing saves the weighted square of the distance between the means of the halves.
        let (a, b) = (costs.rough(start, middle), costs.rough(middle, end));
        let apart = a.sum * b.weight - b.sum * a.weight;
        apart * apart > (most_saved + blur) * (a.weight * b.weight * whole.weight)
    }

    /// Where a boundary that was moved to `edge` can have been: at or after the edge that this returns.
    #[inline(always)]
    fn before(&self, edge: usize) -> usize {
        if edge > 0 && self.spreads[edge - 1] > 0.0 { edge - 1 } else { edge }
    }

    /// As [`before`](Self::before): at or before the edge that this returns.
    #[inline(always)]
    fn after(&self, edge: usize) -> usize {
        if edge < self.spreads.len() && self.spreads[edge] > 0.0 { edge + 1 } else { edge }
    }

    /// The mean of the points between two edges, at least and at most; if there are none, the cell beside them.
    #[inline(always)]
    fn mean<C: Costs>(&self, costs: &C, start: usize, end: usize) -> (f64, f64) {
        let outer = (self.extents[start.min(self.extents.len() - 1)].0, self.extents[end.max(1) - 1].1);
        if start == end || costs.blur() == f64::INFINITY {
            return outer;
        }
        let RoughSums { weight, sum, .. } = costs.rough(start, end);
        (outer.0.max((sum - costs.blur()) / weight), outer.1.min((sum + costs.blur()) / weight))
    }
}

#[cfg(test)]
mod tests;
