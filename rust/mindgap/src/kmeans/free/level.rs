//! One level of the search: cells of equal width for every centre, with bounds on all chains of cells.
//!
//! Bounds are sums over neighbouring pairs of cells, so a forward and a backward pass bound the best chain through
//! every cell and every pair. Those that cannot beat the incumbent are dropped, the others halved.

use crate::kmeans::rounding::of_place;
use std::ops::Range;
use std::rc::Rc;

use super::bound::{Gap, Half, Outmost};
use super::budget::Budget;
use super::grid::{CenterGrid, Nodes};
use super::{Problem, Stop};

/// Steps of the budget for the bound of a pair of cells.
const PAIR_STEPS: u64 = 4;

/// The cells of one centre.
#[derive(Clone, Debug)]
pub(super) struct CenterCell {
    pub(super) index: i64,
    /// The slope added to the left half of the centre's cost; the right half has the opposite.
    pub(super) slope: f64,
    /// The range of its partners in the next centre's list of cells.
    pub(super) partners: Range<usize>,
}

/// The cells of all centres.
pub(super) struct CenterLevel {
    pub(super) grid: CenterGrid,
    pub(super) cells: Vec<Vec<CenterCell>>,
    /// Whether all centres have the same cells and partners, and no slopes.
    pub(super) uniform: bool,
}

/// The input of the bounds on pairs.
struct Scope {
    lower: f64,
    upper: f64,
    /// The points whose side is open.
    points: Range<usize>,
    /// The last point before them and the first after them, whose sides are certain.
    outmost: [Option<usize>; 2],
}

/// The bounds of a level.
pub(super) struct ChainBounds {
    /// The minimum cost of everything left of a cell's middle.
    pub(super) forward: Vec<Vec<f64>>,
    /// The minimum cost of everything right of a cell's middle.
    pub(super) backward: Vec<Vec<f64>>,
    /// The positions of the best neighbours of each cell.
    pub(super) before: Vec<Vec<usize>>,
    pub(super) after: Vec<Vec<usize>>,
    pub(super) pairs: Vec<Rc<Vec<f64>>>,
    /// A lower bound on every solution in these cells.
    pub(super) least: f64,
    /// The middles of the cells of the chain with the lowest bound.
    pub(super) chain: Vec<f64>,
}

impl CenterLevel {
    /// `count` cells for every centre, without slopes.
    pub(super) fn uniform(k: usize, grid: CenterGrid, count: usize) -> Self {
        let cell = |j: usize| CenterCell { index: j as i64, slope: 0.0, partners: j..count };
        let cells: Vec<CenterCell> = (0..count).map(cell).collect();
        Self { grid, cells: vec![cells; k], uniform: true }
    }

    /// The steps that bounding the level takes.
    pub(super) fn steps(&self) -> u64 {
        let pairs = |cells: &Vec<CenterCell>| cells.iter().map(|cell| cell.partners.len() as u64).sum::<u64>();
        let all: u64 = self.cells[..self.cells.len() - 1].iter().map(pairs).sum();
        if self.uniform { all / 4 + PAIR_STEPS * pairs(&self.cells[0]) } else { all * PAIR_STEPS }
    }

    /// The memory of the bounds of all pairs of cells.
    pub(super) fn bytes(&self) -> usize {
        self.cells.iter().flatten().fold(0, |bytes, cell| bytes + cell.partners.len() * size_of::<f64>())
    }

    /// Bounds every chain of cells that may cost less than `threshold`.
    pub(super) fn bound(
        &self,
        problem: &Problem<'_>,
        threshold: f64,
        budget: &mut Budget<'_>,
    ) -> Result<ChainBounds, Stop> {
        let gaps = self.cells.len() - 1;
        // Without slopes every part has a cost of at least zero, so one part above the threshold rules out the chain.
        let limit = if self.uniform { threshold } else { f64::INFINITY };
        let mut forward = vec![self.outer(problem, 0, limit)];
        let mut before = vec![vec![0; self.cells[0].len()]];
        let mut pairs: Vec<Rc<Vec<f64>>> = Vec::with_capacity(gaps);
        for gap in 0..gaps {
            let here = match pairs.last() {
                Some(same) if self.uniform => Rc::clone(same),
                _ => Rc::new(self.pairs(problem, gap, budget)?),
            };
            let (values, from) = self.advance(problem, gap, &here, &forward[gap], limit, budget)?;
            forward.push(values);
            before.push(from);
            pairs.push(here);
        }
        let mut backward = vec![self.outer(problem, gaps, limit)];
        let mut after = vec![vec![0; self.cells[gaps].len()]];
        for gap in (0..gaps).rev() {
            let (values, to) = self.retreat(problem, gap, &pairs[gap], &backward[gaps - 1 - gap], limit);
            backward.push(values);
            after.push(to);
        }
        backward.reverse();
        after.reverse();
        let (least, chain) = self.best_chain(&forward, &backward, &before);
        Ok(ChainBounds { forward, backward, before, after, pairs, least, chain })
    }

    /// The first centre's left halves, or the last one's right halves.
    fn outer(&self, problem: &Problem<'_>, k: usize, limit: f64) -> Vec<f64> {
        let first = k == 0;
        let radius = self.grid.radius();
        let bound = |cell: &CenterCell| {
            let middle = self.grid.middle(cell.index);
            if !problem.in_reach(k, middle, radius) {
                return f64::INFINITY;
            }
            let edge = self.grid.node(2 * cell.index + if first { 0 } else { 2 });
            let n = problem.len();
            let at = problem.points_until(edge, 0..n);
            let (start, end) = match first {
                true if problem.empty => (0, at),
                true => (0, at.min(n - problem.k + 1)),
                false if problem.empty => (at, n),
                false => (at.max(problem.k - 1), n),
            };
            let points = problem.moments(start, end, middle);
            Half::new(&points, if first { cell.slope } else { -cell.slope }).least(radius)
        };
        self.cells[k].iter().map(|cell| Some(bound(cell)).filter(|&b| b < limit).unwrap_or(f64::INFINITY)).collect()
    }

    /// The input of the pairs of a gap; for a uniform level, of those of every gap.
    fn scope(&self, problem: &Problem<'_>, gap: usize) -> Scope {
        let (first, last) = if self.uniform { (0, problem.k - 2) } else { (gap, gap) };
        let over = |bounds: &[f64], pick: fn(f64, f64) -> f64| bounds[first..=last].iter().copied().reduce(pick);
        let (start, end) = (problem.boundaries(last).start, problem.boundaries(first).end);
        let alone = first == last && !problem.empty;
        Scope {
            lower: over(&problem.gaps.lower, f64::min).unwrap_or(0.0),
            upper: over(&problem.gaps.upper, f64::max).unwrap_or(f64::INFINITY),
            points: start..end.max(start),
            outmost: [alone.then(|| start - 1), alone.then_some(end)],
        }
    }

    /// The bounds of all pairs of a gap, cell by cell.
    fn pairs(&self, problem: &Problem<'_>, gap: usize, budget: &mut Budget<'_>) -> Result<Vec<f64>, Stop> {
        let (here, there) = (&self.cells[gap], &self.cells[gap + 1]);
        let Scope { lower, upper, points, outmost } = self.scope(problem, gap);
        let runs = runs(there);
        let parts = |cell: &CenterCell| {
            let partners = cell.partners.clone();
            let first = runs.partition_point(|run| run.end <= partners.start);
            let overlapping = runs[first..].iter().take_while(move |run| run.start < partners.end);
            let partners = cell.partners.clone();
            overlapping.map(move |run| run.start.max(partners.start)..run.end.min(partners.end))
        };
        let mut wanted = Vec::new();
        for cell in here {
            wanted.push((2 * cell.index + 2, 2 * cell.index + 2));
            for part in parts(cell) {
                let (first, last) = (there[part.start].index, there[part.end - 1].index);
                wanted.push((cell.index + first, cell.index + last + 2));
            }
        }
        wanted.extend(runs.iter().map(|run| (2 * there[run.start].index, 2 * there[run.end - 1].index)));
        let radius = self.grid.radius();
        let origins = [self.center(gap), self.center(gap + 1)];
        let nodes = Nodes::new(problem, &self.grid, wanted, points, origins);
        let zeros = origins.map(|origin| self.grid.middle(0) - origin);
        let [before, after] = outmost;
        let outmost = [(before, origins[0]), (after, origins[1])]
            .map(|(point, origin)| point.map(|i| Outmost::new(problem, i, origin)));
        let bounds = Gap { nodes, radius, zeros, lower, upper, outmost };
        let mut out = Vec::new();
        for cell in here {
            for part in parts(cell) {
                budget.spend(PAIR_STEPS * part.len() as u64)?;
                let first = there[part.start].index;
                bounds.pairs((cell.index, -cell.slope), first, there[part].iter().map(|cell| cell.slope), &mut out);
            }
        }
        Ok(out)
    }

    /// The middle of the cells of centre `k`.
    fn center(&self, k: usize) -> f64 {
        let cells = &self.cells[k];
        self.grid.node(cells[0].index + cells[cells.len() - 1].index + 1)
    }

    /// The partners of a cell whose gap to it can satisfy its bounds.
    pub(super) fn partners(&self, problem: &Problem<'_>, gap: usize, cell: &CenterCell) -> Range<usize> {
        let there = &self.cells[gap + 1];
        let width = 2.0 * self.grid.radius();
        let cells_apart = |bound: f64, by: f64| {
            let apart = bound / width;
            cell.index as f64 + apart + by * (1.0 + 1e-6 + of_place(apart.abs()))
        };
        let from = cells_apart(problem.gaps.lower[gap], -1.0);
        let to = cells_apart(problem.gaps.upper[gap], 1.0);
        let partners = &there[cell.partners.clone()];
        let start = partners.partition_point(|partner| (partner.index as f64) < from);
        let end = partners.partition_point(|partner| partner.index as f64 <= to);
        cell.partners.start + start..cell.partners.start + end.max(start)
    }

    fn advance(
        &self,
        problem: &Problem<'_>,
        gap: usize,
        pairs: &[f64],
        forward: &[f64],
        limit: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<f64>, Vec<usize>), Stop> {
        let (here, there) = (&self.cells[gap], &self.cells[gap + 1]);
        let mut values = vec![f64::INFINITY; there.len()];
        let mut from = vec![0; there.len()];
        let mut place = 0;
        for (u, cell) in here.iter().enumerate() {
            if forward[u] < limit {
                let partners = self.partners(problem, gap, cell);
                budget.spend(partners.len() as u64 / 8)?;
                let skipped = partners.start - cell.partners.start;
                for (v, &pair) in partners.clone().zip(&pairs[place + skipped..]) {
                    if forward[u] + pair < values[v] {
                        values[v] = forward[u] + pair;
                        from[v] = u;
                    }
                }
            }
            place += cell.partners.len();
        }
        for (value, cell) in values.iter_mut().zip(there) {
            let reachable = problem.in_reach(gap + 1, self.grid.middle(cell.index), self.grid.radius());
            if !reachable {
                *value = f64::INFINITY;
            }
        }
        Ok((values, from))
    }

    fn retreat(
        &self,
        problem: &Problem<'_>,
        gap: usize,
        pairs: &[f64],
        backward: &[f64],
        limit: f64,
    ) -> (Vec<f64>, Vec<usize>) {
        let mut place = 0;
        let best = self.cells[gap].iter().map(|cell| {
            let partners = self.partners(problem, gap, cell);
            let skipped = partners.start - cell.partners.start;
            let mut best = (f64::INFINITY, partners.start);
            if problem.in_reach(gap, self.grid.middle(cell.index), self.grid.radius()) {
                for (v, &pair) in partners.zip(&pairs[place + skipped..]) {
                    if backward[v] + pair < best.0 {
                        best = (backward[v] + pair, v);
                    }
                }
            }
            place += cell.partners.len();
            if best.0 < limit { best } else { (f64::INFINITY, best.1) }
        });
        best.unzip()
    }

    fn best_chain(&self, forward: &[Vec<f64>], backward: &[Vec<f64>], before: &[Vec<usize>]) -> (f64, Vec<f64>) {
        let last = self.cells.len() - 1;
        let totals = forward[last].iter().zip(&backward[last]).map(|(f, b)| f + b);
        let Some((mut place, least)) = totals.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return (f64::INFINITY, Vec::new());
        };
        if least == f64::INFINITY {
            return (least, Vec::new());
        }
        let mut chain = vec![0.0; last + 1];
        for k in (0..=last).rev() {
            chain[k] = self.grid.middle(self.cells[k][place].index);
            place = before[k][place];
        }
        (least, chain)
    }
}

/// The runs of neighbouring cells in a list.
fn runs(cells: &[CenterCell]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if cells[place - 1].index + 1 == cell.index => run.end = place + 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}
