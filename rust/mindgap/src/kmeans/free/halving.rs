//! Refines a level: drops the cells and pairs that cannot beat the incumbent, halves the others, and gives each child
//! the slope that makes its bounds exact to first order near the best chain through it.

use std::ops::Range;

use super::Problem;
use super::incumbent::FreeSolution;
use super::level::{CenterCell, CenterLevel, ChainBounds};

impl CenterLevel {
    /// Drops what cannot cost less than `threshold` and halves the rest; `None` if nothing is left.
    pub(super) fn halved(
        &self,
        problem: &Problem<'_>,
        bounds: &ChainBounds,
        threshold: f64,
        incumbent: &FreeSolution,
    ) -> Option<CenterLevel> {
        let kept = self.kept(problem, bounds, threshold);
        let grid = self.grid.halved();
        let mut cells: Vec<Vec<CenterCell>> = Vec::with_capacity(kept.len());
        for (k, kept_here) in kept.iter().enumerate() {
            // The position of each partner's first child among the children of the next centre.
            let places = first_children(kept.get(k + 1).map_or(&[][..], |next| next));
            let forces = incumbent.forces(k);
            let mut children = Vec::new();
            for (u, partners) in kept_here.iter().enumerate() {
                let Some(partners) = partners else { continue };
                let partners = places[partners.start]..places[partners.end];
                let neighbors = self.neighbors(bounds, k, u);
                for index in [2 * self.cells[k][u].index, 2 * self.cells[k][u].index + 1] {
                    let slope = balance(problem, k, grid.middle(index), neighbors, forces);
                    children.push(CenterCell { index, slope, partners: partners.clone() });
                }
            }
            if children.is_empty() {
                return None;
            }
            cells.push(children);
        }
        Some(CenterLevel { grid, cells, uniform: false })
    }

    /// For each cell that may be part of a chain better than `threshold`, its partners in such chains.
    fn kept(&self, problem: &Problem<'_>, bounds: &ChainBounds, threshold: f64) -> Vec<Vec<Option<Range<usize>>>> {
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
            let partners = |(u, cell): (usize, &CenterCell)| {
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
    fn neighbors(&self, bounds: &ChainBounds, k: usize, u: usize) -> (Option<f64>, Option<f64>) {
        let middle = |k: usize, place: usize| self.grid.middle(self.cells[k][place].index);
        let left = (k > 0).then(|| middle(k - 1, bounds.before[k][u]));
        let right = (k + 1 < self.cells.len()).then(|| middle(k + 1, bounds.after[k][u]));
        (left, right)
    }
}

/// The number of children of the kept cells before each cell, and the total.
fn first_children(kept: &[Option<Range<usize>>]) -> Vec<usize> {
    let mut count = 0;
    let mut places = vec![0];
    for cell in kept {
        count += 2 * usize::from(cell.is_some());
        places.push(count);
    }
    places
}

/// The slope that gives each half of a centre's cost the multiplier of the gap on its side, and half of what the
/// neighbours in the best chain leave unbalanced.
fn balance(
    problem: &Problem<'_>,
    k: usize,
    middle: f64,
    (left, right): (Option<f64>, Option<f64>),
    (before, after): (f64, f64),
) -> f64 {
    let n = problem.len();
    let at = problem.points_until(middle, 0..n);
    let start = left.map_or(0, |left| problem.points_until(0.5 * (left + middle), 0..at));
    let end = right.map_or(n, |right| problem.points_until(0.5 * (middle + right), at..n));
    // Points that only this cluster can have belong to it wherever they are.
    let (first, last) = (k, n - problem.k + k);
    let (_, rising, _) = problem.quadratic(start.min(last), at, middle);
    let (_, falling, _) = problem.quadratic(at, end.max(first + 1), middle);
    0.5 * (falling - rising + before + after)
}
