//! Exact k-means without a constraint: the partition of sorted points into `k` runs of least cost.
//!
//! Costs of runs are Monge, so a penalty per cluster replaces the number of clusters ([`penalty`]), and one pass over
//! the candidate boundaries finds the optimum for a penalty ([`chain`]), at a cost independent of `k`. The first
//! candidates are the edges of a few cells ([`grid`]). Cells that provably have no boundary of an optimum inside are
//! closed and the rest split ([`pruning`]), until no cell is open and the optimum of the candidates is that of the
//! points. Atoms of a summary that an optimum may cut stay open, for the caller to refine. Levels see a small part of
//! the points, unless `k²` is of the order of their number; then the last one sees most. O(N) memory. A trial of a
//! penalty takes O(N log N) time at worst; the last level needs few trials, because the levels before have found the
//! penalty.
//!
//! For two clusters of few points a scan of all boundaries comes first ([`two`]).

mod candidates;
mod chain;
mod grid;
mod penalty;
mod pruning;
mod two;

pub(super) use penalty::splice;

use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::{Halt, Monitor};
use crate::partition::{Partition, Solution};
use crate::proof::Proof;
use candidates::Candidates;
use chain::{Digits, Precise, Rough};
use grid::EdgeGrid;
use penalty::PenaltyOptimum;
use pruning::EdgePruning;

/// The least number of a level's cells per cluster.
const CELLS_PER_CLUSTER: usize = 16;

/// Further cells of a level. Fewer lead to a third level, more take longer (measured at 1e3 and 1e4 points, k = 2 and
/// 5).
const CELLS: usize = 64;

/// Cells of the first grid: enough to estimate the density of the data.
const FIRST_CELLS: usize = 32;

/// Clusters per further cell of the first grid.
const CLUSTERS_A_FIRST_CELL: usize = 4;

/// If more than three quarters of the edges survive, more cells prove nothing further until there are k² of them: the
/// next level has the points, unless these are far more.
const MOST_ALIVE: (usize, usize) = (3, 4);

/// How open cells are split: the pieces of each, and the ratio of single values to pieces up to which single values are
/// used instead. The second pair is for levels that closed few cells. Measured at 1e4 points, k = 16 and 50, and at 1e6,
/// k = 256.
const SPLITS: [(usize, usize); 2] = [(4, 2), (5, 4)];

/// All single values are candidates at once if they are at most this many times the cells of a level.
const FINISH: usize = 4;

/// With at most this many values per cluster and no level before, several penalties have to be tried, and plain doubles
/// find the last one faster. Measured at 1e3 and 1e4 points.
const VALUES_A_CLUSTER: usize = 48;

/// With more unsure comparisons in plain doubles, double-double is faster than bounding the error.
const MOST_UNSURE: usize = 16;

/// Up to this many points per cell most sums are needed, so all are stored.
const MOST_DENSE: usize = 32;

/// Cells per cluster of a grid that only estimates the penalty.
const COARSE_PER_CLUSTER: usize = 6;

/// A coarse grid is searched first if it has this many times fewer cells than points.
const COARSE: usize = 4;

/// Up to this many atoms are all candidates at once if the penalty is nearly known.
const MOST_AT_ONCE: usize = 1 << 16;

/// Finds the optimal partition into `k` clusters, `1 <= k <=` the number of distinct values.
pub(super) fn solve(sample: &Sample, k: usize, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    if k == 2
        && let Some(boundary) = two::only_boundary(sample)
    {
        monitor.report()?;
        return Ok(Solution::of_means(Partition::new(vec![boundary, sample.len()]), Proof::Optimal));
    }
    Ok(solve_in_cells(sample, k, &[], None, budget(k), monitor)?.solution)
}

/// The least number of a level's cells.
fn budget(k: usize) -> usize {
    CELLS_PER_CLUSTER.saturating_mul(k).saturating_add(CELLS)
}

/// The least penalised costs of the points before each of the ascending `positions`, and of those from it on, in any
/// number of clusters between these positions, in frame units.
pub(super) fn rest_costs(prefixes: &Prefixes<'_>, positions: &[u32], penalty: f64) -> [Vec<f64>; 2] {
    let candidates = Candidates::gather(prefixes, positions);
    let before = penalty::forward(&candidates, penalty).values.iter().map(|value| value.value()).collect();
    let after = penalty::backward::<Precise>(&candidates, penalty);
    [before, after.values.iter().rev().map(|value| value.value()).collect()]
}

/// The best partition of atoms, and its consequences for their points.
pub(super) struct OfAtoms {
    /// The partition, with a bound that is valid for the points.
    pub(super) solution: Solution,
    /// Whether an optimum of the points may cut each atom.
    pub(super) open: Vec<bool>,
    /// Whether an optimum of the points may have a boundary before each atom.
    pub(super) before: Vec<bool>,
    /// The penalty under which the partition is the best.
    pub(super) penalty: f64,
}

impl OfAtoms {
    /// A partition that is proven optimal for the points.
    fn optimal(ends: Vec<usize>, atoms: usize) -> Self {
        let solution = Solution::of_means(Partition::new(ends), Proof::Optimal);
        Self { solution, open: vec![false; atoms], before: vec![true; atoms], penalty: 0.0 }
    }
}

/// Finds the best partition of the atoms of `sample` into `k` clusters, at most their number; an optimum of the points
/// may `cut` some atoms. A `guess` of the penalty, from coarser atoms, saves the levels of cells.
pub(super) fn solve_atoms(
    sample: &Sample,
    k: usize,
    cut: &[bool],
    guess: Option<f64>,
    monitor: &mut Monitor<'_>,
) -> Result<OfAtoms, KMeansError> {
    solve_in_cells(sample, k, cut, guess, budget(k), monitor)
}

/// As [`solve_atoms`], with at least about `budget` cells per level.
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
        let first = known.is_none();
        let level = match (level(sample, &grid, &candidates, k, (guess, first), &mut monitor), known) {
            (Ok(level), _) => level,
            // At the time limit: the best partition of the last grid, and its bound.
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
    /// The edges that survive; `None` if no cell is open.
    pruned: Option<EdgePruning>,
}

/// Solves the problem on the edges of a grid, from a guess at the penalty, which is far off only at the `first` level.
/// While cells are open, plain doubles are enough if their error is small compared with that of the cells.
fn level(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    k: usize,
    (mut guess, first): (f64, bool),
    monitor: &mut Monitor<'_>,
) -> Result<LevelResult, Halt> {
    let rough = candidates.blur() < f64::INFINITY
        && (!grid.is_closed() || (first && candidates.cells() <= VALUES_A_CLUSTER.saturating_mul(k)));
    if rough {
        let found = penalty::search::<Rough, _>(candidates, k, guess, || trial(candidates, monitor))?;
        guess = found.penalty;
        if !grid.is_closed() && found.chain.unsure <= MOST_UNSURE {
            let level = LevelResult::new(sample, grid, candidates, found, k);
            if level.pruned.as_ref().is_some_and(EdgePruning::is_exact_enough) {
                return Ok(level);
            }
        }
    }
    let found = penalty::search::<Precise, _>(candidates, k, guess, || trial(candidates, monitor))?;
    Ok(LevelResult::new(sample, grid, candidates, found, k))
}

/// Reports before a trial of a penalty, whose work is linear in the number of candidates.
fn trial(candidates: &Candidates<'_>, monitor: &mut Monitor<'_>) -> Result<(), Halt> {
    monitor.spend(candidates.cells() as u64)?;
    monitor.report()
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

/// The first penalty: that of smooth data or, if all candidates are tried `at_once`, that of a coarse grid.
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
    Ok(penalty::search::<Rough, _>(&candidates, k, guess, || trial(&candidates, monitor))?.next_guess)
}

/// The penalty of smooth data. With narrow cells, k clusters of the best sizes cost (Σ cell cost^⅓)³ / k² (Panter and
/// Dite), and the penalty is the saving of one more.
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

/// The cube root of a nonnegative number, to a thousandth.
fn cube_root(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 0.0;
    }
    // A third of the bits approximates the root; then one Newton step.
    let root = f64::from_bits(x.to_bits() / 3 + ((1023 * 2 / 3) << 52));
    root - (root - x / (root * root)) / 3.0
}

impl EdgeGrid<'_> {
    /// The result for atoms, none of which can be split here, from the test of edges.
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
