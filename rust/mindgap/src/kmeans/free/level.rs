//! One level of the search: cells of equal width for every centre, with bounds on all chains of cells.
//!
//! Bounds are sums over neighbouring pairs of cells, so a forward and a backward pass bound the best chain through every
//! cell and every pair. Those that cannot beat the incumbent go; the others are halved.

use std::ops::Range;
use std::rc::Rc;

use super::bound::{Half, Left};
use super::budget::Budget;
use super::grid::{Grid, Moments, Nodes};
use super::incumbent::Incumbent;
use super::{Problem, Stop};

/// Steps of the budget that a pair of cells takes to be bounded.
const PAIR_STEPS: u64 = 4;

/// Where one centre may be.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) index: i64,
    /// The slope added to the left half of the centre's cost; the right half has the opposite.
    slope: f64,
    /// Which cells of the next centre, by their place in its list, this one may pair with.
    partners: Range<usize>,
}

/// The cells of all centres.
pub(super) struct Level {
    pub(super) grid: Grid,
    pub(super) cells: Vec<Vec<Cell>>,
    /// Whether all centres have the same cells, slopes and partners.
    uniform: bool,
}

/// The bounds of a level.
pub(super) struct Bounds {
    /// Least cost of what lies left of a cell's middle.
    forward: Vec<Vec<f64>>,
    /// Least cost of what lies right of a cell's middle.
    backward: Vec<Vec<f64>>,
    /// The best neighbours of each cell, by place.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    pairs: Vec<Rc<Vec<f64>>>,
    /// What no solution in these cells costs less than.
    pub(super) least: f64,
    /// The middles of the chain of cells with the least bound.
    pub(super) chain: Vec<f64>,
}

impl Level {
    /// `count` cells for every centre, without slopes.
    pub(super) fn uniform(k: usize, grid: Grid, count: usize) -> Self {
        let cell = |j: usize| Cell { index: j as i64, slope: 0.0, partners: j..count };
        let cells: Vec<Cell> = (0..count).map(cell).collect();
        Self { grid, cells: vec![cells; k], uniform: true }
    }

    /// What it takes to bound the level, in steps.
    pub(super) fn steps(&self) -> u64 {
        let pairs = |cells: &Vec<Cell>| cells.iter().map(|cell| cell.partners.len() as u64).sum::<u64>();
        let all: u64 = self.cells[..self.cells.len() - 1].iter().map(pairs).sum();
        if self.uniform { all / 4 + PAIR_STEPS * pairs(&self.cells[0]) } else { all * PAIR_STEPS }
    }

    /// Bounds every chain of cells that may cost less than `threshold`.
    pub(super) fn bound(&self, problem: &Problem<'_>, threshold: f64, budget: &mut Budget<'_>) -> Result<Bounds, Stop> {
        let gaps = self.cells.len() - 1;
        let mut forward = vec![self.outer(problem, 0, threshold)];
        let mut before = vec![vec![0; self.cells[0].len()]];
        let mut pairs: Vec<Rc<Vec<f64>>> = Vec::with_capacity(gaps);
        for gap in 0..gaps {
            let here = match pairs.last() {
                Some(same) if self.uniform => Rc::clone(same),
                _ => Rc::new(self.pairs(problem, gap, budget)?),
            };
            let (values, from) = self.advance(problem, gap, &here, &forward[gap], threshold, budget)?;
            forward.push(values);
            before.push(from);
            pairs.push(here);
        }
        let mut backward = vec![self.outer(problem, gaps, threshold)];
        let mut after = vec![vec![0; self.cells[gaps].len()]];
        for gap in (0..gaps).rev() {
            let (values, to) = self.retreat(problem, gap, &pairs[gap], &backward[gaps - 1 - gap], threshold);
            backward.push(values);
            after.push(to);
        }
        backward.reverse();
        after.reverse();
        let (least, chain) = self.best_chain(&forward, &backward, &before);
        Ok(Bounds { forward, backward, before, after, pairs, least, chain })
    }

    /// The first centre's left halves, or the last one's right halves.
    fn outer(&self, problem: &Problem<'_>, k: usize, threshold: f64) -> Vec<f64> {
        let first = k == 0;
        let radius = self.grid.radius();
        let bound = |cell: &Cell| {
            let middle = self.grid.middle(cell.index);
            if !problem.in_reach(k, middle, radius) {
                return f64::INFINITY;
            }
            let edge = self.grid.node(2 * cell.index + if first { 0 } else { 2 });
            let at = problem.points_until(edge, 0..problem.len());
            let (start, end) = if first { (0, at) } else { (at, problem.len()) };
            let (second, slope, weight) = problem.quadratic(start, end, middle);
            let points = Moments { weight, first: -0.5 * slope, second };
            Half::new(&points, if first { cell.slope } else { -cell.slope }).least(radius)
        };
        self.cells[k].iter().map(|cell| Some(bound(cell)).filter(|&b| b < threshold).unwrap_or(f64::INFINITY)).collect()
    }

    /// The bounds of all pairs of a gap, cell by cell.
    fn pairs(&self, problem: &Problem<'_>, gap: usize, budget: &mut Budget<'_>) -> Result<Vec<f64>, Stop> {
        let (here, there) = (&self.cells[gap], &self.cells[gap + 1]);
        let (lower, upper) = (problem.gaps.lower[gap], problem.gaps.upper[gap]);
        let runs = runs(there);
        let parts = |cell: &Cell| {
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
        let nodes = Nodes::new(problem, &self.grid, wanted);
        let zero = self.grid.middle(0) - nodes.origin;
        let radius = self.grid.radius();
        let mut out = Vec::new();
        for cell in here {
            let left = Left { index: cell.index, slope: -cell.slope, nodes: &nodes, radius, zero, lower, upper };
            for part in parts(cell) {
                budget.spend(PAIR_STEPS * part.len() as u64)?;
                let first = there[part.start].index;
                left.pairs(first, there[part].iter().map(|cell| cell.slope), &mut out);
            }
        }
        Ok(out)
    }

    /// The partners of a cell whose gap to it can hold its bounds.
    fn partners(&self, problem: &Problem<'_>, gap: usize, cell: &Cell) -> Range<usize> {
        let there = &self.cells[gap + 1];
        let width = 2.0 * self.grid.radius();
        let cells_apart = |bound: f64, by: f64| {
            let apart = bound / width;
            cell.index as f64 + apart + by * (1.0 + 1e-6 + 8.0 * f64::EPSILON * apart.abs())
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
        threshold: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<f64>, Vec<usize>), Stop> {
        let (here, there) = (&self.cells[gap], &self.cells[gap + 1]);
        let mut values = vec![f64::INFINITY; there.len()];
        let mut from = vec![0; there.len()];
        let mut place = 0;
        for (u, cell) in here.iter().enumerate() {
            if forward[u] < threshold {
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
        threshold: f64,
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
            if best.0 < threshold { best } else { (f64::INFINITY, best.1) }
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

    /// Drops what cannot cost less than `threshold` and halves the rest; `None` if nothing is left.
    pub(super) fn halved(
        &self,
        problem: &Problem<'_>,
        bounds: &Bounds,
        threshold: f64,
        incumbent: &Incumbent,
    ) -> Option<Level> {
        let kept = self.kept(problem, bounds, threshold);
        let grid = self.grid.halved();
        let mut cells: Vec<Vec<Cell>> = Vec::with_capacity(kept.len());
        for (k, kept_here) in kept.iter().enumerate() {
            // The place of the first child of each partner among the children of the next centre.
            let places = first_children(kept.get(k + 1).map_or(&[][..], |next| next));
            let forces = incumbent.forces(k);
            let mut children = Vec::new();
            for (u, partners) in kept_here.iter().enumerate() {
                let Some(partners) = partners else { continue };
                let partners = places[partners.start]..places[partners.end];
                let neighbors = self.neighbors(bounds, k, u);
                for index in [2 * self.cells[k][u].index, 2 * self.cells[k][u].index + 1] {
                    let slope = balance(problem, grid.middle(index), neighbors, forces);
                    children.push(Cell { index, slope, partners: partners.clone() });
                }
            }
            if children.is_empty() {
                return None;
            }
            cells.push(children);
        }
        Some(Level { grid, cells, uniform: false })
    }

    /// For each cell that may be part of a chain better than `threshold`, the partners that it may have in one.
    fn kept(&self, problem: &Problem<'_>, bounds: &Bounds, threshold: f64) -> Vec<Vec<Option<Range<usize>>>> {
        let last = self.cells.len() - 1;
        let alive = |k: usize, u: usize| bounds.forward[k][u] + bounds.backward[k][u] < threshold;
        let mut kept = vec![(0..self.cells[last].len()).map(|u| alive(last, u).then_some(0..0)).collect::<Vec<_>>()];
        for k in (0..last).rev() {
            let onward: Vec<f64> = kept[kept.len() - 1]
                .iter()
                .zip(&bounds.backward[k + 1])
                .map(|(kept, &value)| kept.as_ref().map_or(f64::INFINITY, |_| value))
                .collect();
            let mut place = 0;
            let partners = |(u, cell): (usize, &Cell)| {
                let pairs = &bounds.pairs[k][place..place + cell.partners.len()];
                place += cell.partners.len();
                let survives =
                    |v: &usize| bounds.forward[k][u] + pairs[v - cell.partners.start] + onward[*v] < threshold;
                let mut partners = if alive(k, u) { self.partners(problem, k, cell) } else { 0..0 };
                let first = partners.clone().find(survives)?;
                Some(first..partners.rfind(survives)? + 1)
            };
            kept.push(self.cells[k].iter().enumerate().map(partners).collect());
        }
        kept.reverse();
        kept
    }

    /// The middles of the best neighbours of a cell.
    fn neighbors(&self, bounds: &Bounds, k: usize, u: usize) -> (Option<f64>, Option<f64>) {
        let middle = |k: usize, place: usize| self.grid.middle(self.cells[k][place].index);
        let left = (k > 0).then(|| middle(k - 1, bounds.before[k][u]));
        let right = (k + 1 < self.cells.len()).then(|| middle(k + 1, bounds.after[k][u]));
        (left, right)
    }
}

/// For each cell, how many children the kept cells before it have; and how many there are in all.
fn first_children(kept: &[Option<Range<usize>>]) -> Vec<usize> {
    let mut count = 0;
    let mut places = vec![0];
    for cell in kept {
        count += 2 * usize::from(cell.is_some());
        places.push(count);
    }
    places
}

/// The runs of neighbouring cells in a list.
fn runs(cells: &[Cell]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if cells[place - 1].index + 1 == cell.index => run.end = place + 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}

/// The slope that leaves each half of a centre's cost with the force of the gap on its side, and with half of what the
/// neighbours of the best chain leave unbalanced.
fn balance(
    problem: &Problem<'_>,
    middle: f64,
    (left, right): (Option<f64>, Option<f64>),
    (before, after): (f64, f64),
) -> f64 {
    let n = problem.len();
    let at = problem.points_until(middle, 0..n);
    let start = left.map_or(0, |left| problem.points_until(0.5 * (left + middle), 0..at));
    let end = right.map_or(n, |right| problem.points_until(0.5 * (middle + right), at..n));
    let (_, rising, _) = problem.quadratic(start, at, middle);
    let (_, falling, _) = problem.quadratic(at, end, middle);
    0.5 * (falling - rising + before + after)
}
