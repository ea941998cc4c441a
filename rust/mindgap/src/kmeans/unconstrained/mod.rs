//! Exact k-means without a constraint: the cheapest partition of sorted points into `k` runs.
//!
//! Costs of runs are Monge, so a penalty per cluster replaces the number of clusters ([`penalty`]) and one pass over
//! the candidate boundaries finds the optimum for a penalty ([`chain`]), at a cost that does not grow with `k`. The
//! candidates are at first the edges of a few cells ([`grid`]); cells that provably hold no boundary of an optimum are
//! closed and the rest split ([`pruning`]), until every open cell is gone and the optimum of the candidates is that of
//! the points. Few levels see more than a small part of the points unless `k²` is of the order of their number; then
//! the last one sees most. O(N) memory; O(N log N) time a trial of a penalty at worst, with few trials on the last
//! level because the levels before have found the penalty.

mod candidates;
mod chain;
mod grid;
mod penalty;
mod pruning;
mod splice;

use super::solution::Solution;
use crate::error::KMeansError;
use crate::progress::{Progress, Watch, report};
use crate::sample::{Prefixes, Sample};
use candidates::Candidates;
use grid::Grid;

/// Cells a level has at least: so many a cluster, and some more.
const CELLS_PER_CLUSTER: usize = 16;
const CELLS: usize = 256;

/// Pieces an open cell is split into when there are many of them.
const PIECES: usize = 8;

/// The optimal partition into `k` clusters, `1 <= k <=` the number of distinct values.
pub(super) fn solve(sample: &Sample, k: usize, mut watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let values = sample.values();
    if k == 1 {
        return Ok(Solution::optimal(vec![values.len()]));
    }
    let prefixes = Prefixes::new(sample);
    let budget = CELLS_PER_CLUSTER * k + CELLS;
    let mut grid = if values.len() <= 4 * budget { Grid::finest(values) } else { first_grid(&prefixes, budget) };
    let mut guess = None;
    let mut progress = Progress::Search { cost: f64::INFINITY, lower_bound: 0.0 };
    loop {
        let candidates = Candidates::gather(&prefixes, grid.edges());
        let cells = candidates.cells();
        if grid.is_closed() && cells == k {
            return Ok(Solution::optimal(ends(&grid, 1..=cells)));
        }
        let spreads = pruning::spreads(&candidates);
        if cells <= k {
            grid = grid.refined(&vec![true; cells + 1], &spreads, 2 * budget);
            continue;
        }
        let start = guess.unwrap_or_else(|| smooth_penalty(&candidates, k));
        let found = penalty::search(&candidates, k, start, || {
            report(&mut watch, progress).map_err(|_| KMeansError::Interrupted)
        })?;
        if grid.is_closed() {
            return Ok(Solution::optimal(ends(&grid, found.path[1..].iter().map(|&node| node as usize))));
        }
        let pruned = pruning::prune(sample, &grid, &candidates, &spreads, &found, k);
        let outside = |cost: f64| sample.frame().leave_square(cost);
        progress = Progress::Search { cost: outside(found.cost), lower_bound: outside(pruned.lower_bound.max(0.0)) };
        let alive = pruned.alive.iter().filter(|&&alive| alive).count();
        guess = Some(found.penalty);
        grid = grid.refined(&pruned.alive, &spreads, budget.max(PIECES * alive));
    }
}

/// About `budget` cells of even spread.
fn first_grid<'a>(prefixes: &Prefixes<'a>, budget: usize) -> Grid<'a> {
    let even = Grid::even(prefixes.sample().values(), CELLS);
    let spreads = pruning::spreads(&Candidates::gather(prefixes, even.edges()));
    even.refined(&vec![true; even.edges().len()], &spreads, budget)
}

/// The penalty of smooth data. Where cells are narrow, k clusters of the best sizes cost (Σ cell cost^⅓)³ / k²
/// (Panter and Dite), and the penalty is what one more would save.
fn smooth_penalty(candidates: &Candidates<'_>, k: usize) -> f64 {
    let roots: f64 = pruning::cell_costs(candidates).iter().map(|cost| cost.cbrt()).sum();
    2.0 * (roots / k as f64).powi(3)
}

fn ends(grid: &Grid<'_>, edges: impl IntoIterator<Item = usize>) -> Vec<usize> {
    edges.into_iter().map(|edge| grid.edges()[edge] as usize).collect()
}
