//! Exact k-means without a constraint: the partition of sorted points into `k` runs that costs least.
//!
//! Costs of runs are Monge, so a penalty per cluster replaces the number of clusters ([`penalty`]) and one pass over
//! the candidate boundaries finds the optimum for a penalty ([`chain`]), at a cost that does not grow with `k`. The
//! candidates are at first the edges of a few cells ([`grid`]); cells that provably have no boundary of an optimum inside are
//! closed and the rest split ([`pruning`]), until every open cell is gone and the optimum of the candidates is that of
//! the points. What is known of data elsewhere are atoms: those that an optimum may cut stay open, and the caller looks into
//! them. Few levels see more than a small part of the points unless `k²` is of the order of their number; then
//! the last one sees most. O(N) memory; O(N log N) time a trial of a penalty at worst, with few trials on the last
//! level because the levels before have found the penalty.

mod candidates;
mod chain;
mod grid;
mod penalty;
mod pruning;
mod splice;

pub(super) use splice::splice;

use super::solution::Solution;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::{Halt, Monitor};
use crate::partition::Partition;
use crate::proof::Proof;
use candidates::Candidates;
use chain::{All, Digits, Rough};
use grid::EdgeGrid;
use penalty::PenaltyOptimum;
use pruning::EdgePruning;

/// Cells that a level has at least for each cluster.
const CELLS_PER_CLUSTER: usize = 16;

/// Cells that a level has beside those. Fewer leave a third level, more take longer: measured at 1e3 and 1e4 points, k = 2 and 5.
const CELLS: usize = 64;

/// Cells of the first look at the data: enough to tell how dense they are where.
const FIRST_CELLS: usize = 32;

/// Clusters for each further cell of the first look.
const CLUSTERS_A_FIRST_CELL: usize = 4;

/// Where more than three quarters of the edges survive, more cells would prove no more until there are k² of them: straight
/// to the points, if these are not far more.
const MOST_ALIVE: (usize, usize) = (3, 4);

/// How open cells are split: the pieces of each, and how many times as many single values as pieces are taken instead. The
/// second pair is for levels that closed few cells. Measured at 1e4 points, k = 16 and 50.
const SPLITS: [(usize, usize); 2] = [(4, 2), (8, 4)];

/// All single values are taken at once if they are at most so many times the cells of a level.
const FINISH: usize = 4;

/// Where there are at most so many values for each cluster and no level before, several penalties have to be tried, and plain
/// doubles find the last one sooner. Measured at 1e3 and 1e4 points.
const VALUES_A_CLUSTER: usize = 48;

/// With more comparisons that plain doubles cannot decide, all digits are sooner done than the test of what was lost.
const MOST_UNSURE: usize = 16;

/// Up to so many times as many points as cells, most sums are asked for, and all are stored.
const MOST_DENSE: usize = 32;

/// Cells for each cluster of a grid that only tells the penalty.
const COARSE_PER_CLUSTER: usize = 6;

/// So many times fewer cells than points are worth a search of their own.
const COARSE: usize = 4;

/// Up to so many atoms are all candidates where the penalty is known but for a little.
const MOST_AT_ONCE: usize = 1 << 16;

/// The optimal partition into `k` clusters, `1 <= k <=` the number of distinct values.
pub(super) fn solve(sample: &Sample, k: usize, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    Ok(solve_in_cells(sample, k, &[], None, budget(k), monitor)?.solution)
}

/// The cells that a level has at least.
fn budget(k: usize) -> usize {
    CELLS_PER_CLUSTER.saturating_mul(k).saturating_add(CELLS)
}

/// The least cost of the points before each of `positions`, which ascend, and of those from it on, in clusters that begin and end there and cost
/// a penalty each.
pub(super) fn rest_costs(prefixes: &Prefixes<'_>, positions: &[u32], penalty: f64) -> [Vec<f64>; 2] {
    let candidates = Candidates::gather(prefixes, positions);
    let before = penalty::forward(&candidates, penalty).values.iter().map(|value| value.value()).collect();
    let after = penalty::backward::<All>(&candidates, penalty);
    [before, after.values.iter().rev().map(|value| value.value()).collect()]
}

/// The best partition of atoms, and what it says of their points.
pub(super) struct OfAtoms {
    /// The partition, with a bound that is true of the points.
    pub(super) solution: Solution,
    /// Which atoms an optimum of the points may cut.
    pub(super) open: Vec<bool>,
    /// Before which atoms an optimum of the points may have a boundary.
    pub(super) before: Vec<bool>,
    /// The penalty at which the partition is the best.
    pub(super) penalty: f64,
}

impl OfAtoms {
    /// A partition that is proven to be the best of the points.
    fn optimal(ends: Vec<usize>, atoms: usize) -> Self {
        let solution = Solution::of_means(Partition::new(ends), Proof::Optimal);
        Self { solution, open: vec![false; atoms], before: vec![true; atoms], penalty: 0.0 }
    }
}

/// The best partition of the atoms of `sample` into `k` clusters, at most their number, where an optimum of the points may `cut`
/// some atoms. A `guess` at the penalty, of a search on coarser atoms, saves the levels of cells.
pub(super) fn solve_atoms(
    sample: &Sample,
    k: usize,
    cut: &[bool],
    guess: Option<f64>,
    monitor: &mut Monitor<'_>,
) -> Result<OfAtoms, KMeansError> {
    solve_in_cells(sample, k, cut, guess, budget(k), monitor)
}

/// As [`solve_atoms`], with at least about `budget` cells a level.
fn solve_in_cells(
    sample: &Sample,
    k: usize,
    cut: &[bool],
    guess: Option<f64>,
    budget: usize,
    monitor: &mut Monitor<'_>,
) -> Result<OfAtoms, KMeansError> {
    let n = sample.len();
    if k == 1 {
        return Ok(OfAtoms::optimal(vec![n], n));
    }
    let dense = n <= MOST_DENSE * budget && !sample.has_widths();
    let prefixes = if dense { Prefixes::dense(sample) } else { Prefixes::new(sample) };
    let even = EdgeGrid::even(&prefixes, cut, FIRST_CELLS.max(k / CLUSTERS_A_FIRST_CELL).min(n / 8 + 1));
    let at_once = n <= FINISH.saturating_mul(budget) || (guess.is_some() && n <= MOST_AT_ONCE);
    let mut monitor = monitor.part().in_frame(sample.frame());
    let mut guess = match guess {
        Some(guess) => guess,
        None => first_guess(&prefixes, &even, k, at_once, &mut monitor)?,
    };
    let mut grid = if at_once { EdgeGrid::finest(&prefixes, cut) } else { even.refined(|_| true, budget, FINISH) };
    let mut known: Option<Vec<usize>> = None;
    loop {
        let candidates = Candidates::gather(&prefixes, grid.edges());
        if candidates.cells() <= k {
            if grid.is_closed() {
                return Ok(OfAtoms::optimal(ends(&grid, 1..=candidates.cells()), n));
            }
            if !grid.is_finest() {
                grid = grid.refined(|_| true, 2 * budget, FINISH);
                continue;
            }
        }
        let level = match (level(sample, &grid, &candidates, k, guess, &mut monitor), known) {
            (Ok(level), _) => level,
            // Out of time: the best partition of the last grid, and what it proved.
            (Err(Halt::TimeLimit), Some(ends)) => {
                let solution = Solution::of_means(Partition::new(ends), Proof::AtLeast(monitor.lower_bound));
                return Ok(OfAtoms { solution, open: cut.to_vec(), before: vec![true; n], penalty: guess });
            }
            (Err(halt), _) => return Err(halt.into()),
        };
        let path = ends(&grid, level.path[1..].iter().map(|&node| node as usize));
        let Some(pruned) = level.pruned else { return Ok(OfAtoms::optimal(path, n)) };
        guess = level.next_guess;
        if grid.is_finest() {
            return Ok(grid.judged(path, &pruned, guess));
        }
        monitor.found(level.cost);
        monitor.proved(pruned.lower_bound);
        known = Some(path);
        let alive = pruned.alive.iter().filter(|&&alive| alive).count();
        let many = MOST_ALIVE.1 * alive > MOST_ALIVE.0 * candidates.cells();
        let (pieces, finish) = SPLITS[usize::from(many)];
        grid = grid.refined(|edge| pruned.alive[edge], budget.max(pieces * alive), finish);
    }
}

/// The best partition of the edges of a grid.
struct LevelResult {
    /// Nodes, from 0 to the last edge.
    path: Vec<u32>,
    cost: f64,
    next_guess: f64,
    /// What survives of the edges; nothing where no cell is open.
    pruned: Option<EdgePruning>,
}

/// Solves the problem on the edges of a grid. While cells are open, plain doubles do wherever what they lose is little beside
/// what the cells do.
fn level(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    k: usize,
    guess: f64,
    monitor: &mut Monitor<'_>,
) -> Result<LevelResult, Halt> {
    let mut guess = guess;
    let rough = candidates.blur() < f64::INFINITY
        && (!grid.is_closed() || candidates.cells() <= VALUES_A_CLUSTER.saturating_mul(k));
    if rough {
        let found = penalty::search::<Rough, _>(candidates, k, guess, || monitor.report())?;
        guess = found.penalty;
        if !grid.is_closed() && found.chain.unsure <= MOST_UNSURE {
            let level = LevelResult::new(sample, grid, candidates, found, k);
            if level.pruned.as_ref().is_some_and(EdgePruning::is_exact_enough) {
                return Ok(level);
            }
        }
    }
    let found = penalty::search::<All, _>(candidates, k, guess, || monitor.report())?;
    Ok(LevelResult::new(sample, grid, candidates, found, k))
}

impl LevelResult {
    fn new<D: Digits>(
        sample: &Sample,
        grid: &EdgeGrid<'_>,
        candidates: &Candidates<'_>,
        found: PenaltyOptimum<D>,
        k: usize,
    ) -> Self {
        let pruned = (!grid.is_closed()).then(|| pruning::prune(sample, grid, candidates, &found, k));
        let PenaltyOptimum { path, cost, next_guess, .. } = found;
        Self { path, cost, next_guess, pruned }
    }
}
/// The least costs of the points before each position, and of those from it on, when each cluster costs a penalty on top, whatever
/// the number of clusters; in frame units.
pub(super) fn penalized_costs(prefixes: &Prefixes<'_>, penalty: f64) -> (Vec<f64>, Vec<f64>) {
    let positions: Vec<u32> = (0..=prefixes.len() as u32).collect();
    let candidates = Candidates::gather(prefixes, &positions);
    let before = penalty::forward(&candidates, penalty).values;
    let after = penalty::backward::<All>(&candidates, penalty).values;
    (before.iter().map(|value| value.value()).collect(), after.iter().rev().map(|value| value.value()).collect())
}

/// The penalty to begin with: that of smooth data, or where all candidates are tried `at_once` that of a coarse grid.
fn first_guess(
    prefixes: &Prefixes<'_>,
    even: &EdgeGrid<'_>,
    k: usize,
    at_once: bool,
    monitor: &mut Monitor<'_>,
) -> Result<f64, KMeansError> {
    let guess = smooth_penalty(prefixes, even, k);
    let cells = COARSE_PER_CLUSTER * k;
    if !at_once || cells > prefixes.len() / COARSE {
        return Ok(guess);
    }
    let grid = even.refined(|_| true, cells, FINISH);
    let candidates = Candidates::gather(prefixes, grid.edges());
    if candidates.cells() <= k {
        return Ok(guess);
    }
    Ok(penalty::search::<Rough, _>(&candidates, k, guess, || monitor.report())?.next_guess)
}

/// The penalty of smooth data. Where cells are narrow, k clusters of the best sizes cost (Σ cell cost^⅓)³ / k²
/// (Panter and Dite), and the penalty is what one more would save.
fn smooth_penalty(prefixes: &Prefixes<'_>, grid: &EdgeGrid<'_>, k: usize) -> f64 {
    let mut before = prefixes.at(0).weight;
    let mut roots = 0.0;
    for (cell, &spread) in grid.spreads().iter().enumerate() {
        let after = prefixes.at(grid.points(cell).end).weight;
        roots += cube_root(spread * spread / after.minus(before));
        before = after;
    }
    2.0 * (roots / k as f64).powi(3)
}

/// The cube root of a number that is not negative, right to a thousandth.
fn cube_root(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 0.0;
    }
    // A third of the exponent, and of what is above it; one step of Newton's.
    let root = f64::from_bits(x.to_bits() / 3 + ((1023 * 2 / 3) << 52));
    root - (root - x / (root * root)) / 3.0
}

impl EdgeGrid<'_> {
    /// What the test of edges says of the atoms, none of which can be split here.
    fn judged(&self, path: Vec<usize>, pruned: &EdgePruning, penalty: f64) -> OfAtoms {
        let atoms = self.edges()[self.edges().len() - 1] as usize;
        let (mut open, mut before) = (vec![false; atoms], vec![false; atoms]);
        for cell in 0..self.spreads().len() {
            let first = self.points(cell).start;
            before[first] = pruned.alive[cell];
            open[first] = self.spreads()[cell] > 0.0 && (pruned.alive[cell] || pruned.alive[cell + 1]);
        }
        let proof = if open.contains(&true) { Proof::AtLeast(pruned.lower_bound) } else { Proof::Optimal };
        OfAtoms { solution: Solution::of_means(Partition::new(path), proof), open, before, penalty }
    }
}

fn ends(grid: &EdgeGrid<'_>, edges: impl IntoIterator<Item = usize>) -> Vec<usize> {
    edges.into_iter().map(|edge| grid.edges()[edge] as usize).collect()
}

#[cfg(test)]
pub(super) mod tests;
