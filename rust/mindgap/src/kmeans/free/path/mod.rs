//! Free centres with the same bounds on all gaps: a shortest path with k links, found through a penalty per cluster.
//!
//! For neighbouring centres v < u the cost of the points between them is Monge, and stays so if it is infinite for gaps
//! out of bounds. So the optimum is convex in the number of clusters: there is a penalty per cluster for which the best
//! number of clusters is k (docs/mathematics.md). A [`sweep`] solves the penalised problem exactly, for any k; for
//! every penalty its value minus k penalties is a lower bound. Sweeps over coarse runs of points find a first penalty
//! ([`penalty`]). If no penalty gives k clusters, because the bounds are too wide for so many, a sweep keeps one curve
//! for each number of clusters ([`levels`]).

mod forced;
mod levels;
mod nodes;
mod outer;
mod penalty;
mod piece;
mod queue;
mod remaining;
mod runs;
mod segments;
mod sweep;

use super::Problem;
use super::Stop;
use super::budget::Budget;
use super::chain::{self, Target};
use super::incumbent::FreeSolution;
use crate::constraint::Rows;
use crate::kmeans::rounding::CLEAR;
use crate::monitor::DEFAULT_TOL;
use levels::{LOW_SHARE, SHARES, UNAIDED_STEPS};
use nodes::PathNodes;
use penalty::PenaltyFound;
use runs::Runs;

/// Runs per cluster in the search for a first penalty: enough to find it within a percent, about the difference between
/// the penalties of neighbouring numbers of clusters if there are a few hundred.
const RUNS_A_CLUSTER: usize = 16;

/// The relative change in the number of clusters of the grids that estimate, within a few percent, what a cluster
/// saves.
const GRIDS_APART: usize = 16;

/// The factor by which the number of runs grows in the next search.
const FINER: usize = 8;

/// The largest number of penalties tried: each but the first few halves the remaining interval.
const TRIALS: usize = 60;

/// Paths within this relative distance of the best cost are kept: far more than rounding can explain.
const NO_LESS: f64 = 1e-9;

/// A proof to this relative accuracy may fail because of rounding alone.
const NEARLY: f64 = 1e-5;

/// The largest number of refinements of runs: then single points are about as many.
const GRADINGS: usize = 8;

/// At first runs beside a boundary are at most this share of the distance to it.
const FIRST_SHARE: f64 = 0.25;

/// The factor by which that share falls. With other factors searches among a million points take longer.
const FINER_SHARE: f64 = 0.4;

/// The steps of a search for a reward: some seconds.
const REWARD_STEPS: u64 = 1 << 27;

/// The steps of a search with levels under a low limit, before one for a reward: half a second.
const BRIEF_STEPS: u64 = 1 << 24;

/// If at most this many centres can be at one position, on average, levels come before penalties under an upper bound,
/// which take some dozen sweeps.
const FIRST_LEVELS: f64 = 4.0;

/// If at most this many centres, or this share of them, can be at one position, on average, levels come before rewards,
/// which are faster only if the data have wide spaces: then windows overlap more (measured on twelve kinds of data).
const FEW_LEVELS: (f64, f64) = (16.0, 0.25);

/// The steps of a search under an upper bound, per cluster and in total: some seconds. For few clusters the search over
/// cells is faster.
const MOST_STEPS: (u64, u64) = (1 << 20, 1 << 28);

/// Steps per point that it may take in any case: a dozen sweeps.
const STEPS_A_POINT: u64 = 1 << 8;

/// A search for the best path.
struct PathSearch<'a> {
    problem: &'a Problem<'a>,
    /// The lower and the upper bound of every gap.
    bounds: (f64, f64),
    best: FreeSolution,
    /// A lower bound on every solution.
    floor: f64,
    /// The numbers of clusters and the costs of the paths found.
    paths: Vec<(usize, f64)>,
    /// The penalty that gives the lower bound, if it is not a reward.
    penalty: f64,
    /// Whether the penalty is a reward.
    rewarded: bool,
    /// The cost of the best solution that a search with levels up to that cost began with.
    tried: f64,
    /// The steps of a sweep with levels before lower bounds on the remaining costs are computed.
    unaided: u64,
}

/// The best centres found from `start` on, and a lower bound on every solution; `relaxed` is the optimum without
/// bounds, or zero. The search may run out of budget before the two meet. Applies only if all gaps have the same
/// bounds.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: FreeSolution,
    relaxed: f64,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, f64), Stop> {
    let Some(bounds) = problem.gaps.shared_bounds() else { return Ok((start, 0.0)) };
    let lower = (bounds.0, f64::INFINITY);
    let mut search = PathSearch { bounds: lower, ..PathSearch::new(problem, start) };
    match search.run(relaxed, bounds.1, budget) {
        Ok(()) | Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(stop) => Err(stop),
    }
}

impl<'a> PathSearch<'a> {
    fn new(problem: &'a Problem<'a>, best: FreeSolution) -> Self {
        let bounds = (0.0, f64::INFINITY);
        Self {
            problem,
            bounds,
            best,
            floor: 0.0,
            paths: Vec::new(),
            penalty: 0.0,
            rewarded: false,
            tried: f64::INFINITY,
            unaided: UNAIDED_STEPS,
        }
    }

    /// Searches under the lower bound alone, and then under the `upper` bound too. The incumbent satisfies both, so the
    /// search ends early if the upper bound has no effect.
    fn run(&mut self, relaxed: f64, upper: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let mut penalty = self.run_lower(relaxed, upper, budget)?;
        if self.is_within(0.5 * DEFAULT_TOL) {
            return Ok(());
        }
        if upper == f64::INFINITY {
            let nearly = self.is_within(NEARLY) && self.penalty > 0.0;
            return if nearly { self.bound_segments(budget) } else { Ok(()) };
        }
        self.bounds.1 = upper;
        self.paths.clear();
        self.tried = f64::INFINITY;
        if super::is_compared(self.problem.k) {
            // Under upper bounds that bite everywhere little else comes near the optimum.
            self.adopt(FreeSolution::on_grid(self.problem), budget);
            penalty = penalty.max(self.grid_penalty());
        }
        let steps = (MOST_STEPS.0 * self.problem.k as u64).max(STEPS_A_POINT * self.problem.len() as u64);
        budget.limited(steps.min(MOST_STEPS.1), |budget| self.run_between(penalty, budget)).map(|_| ())
    }

    /// Searches under the lower bound alone, which may be useless if the `upper` bound is active. Returns the last
    /// penalty.
    fn run_lower(&mut self, relaxed: f64, upper: f64, budget: &mut Budget<'_>) -> Result<f64, Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        // If costs fall with the square of the number of clusters. Without bounds they do so more evenly.
        let mut guess = 2.0 * if relaxed > 0.0 { relaxed } else { self.best.cost } / k as f64;
        let runs = RUNS_A_CLUSTER * k;
        if prefixes.sample().distinct() > 4 * runs {
            let found = self.find_by_runs(&Runs::coarse(prefixes, runs), guess, budget)?;
            guess = found.penalty;
            if upper == f64::INFINITY {
                self.levels_if_vanished(&found, budget)?;
            }
            if self.is_within(0.5 * DEFAULT_TOL) || upper < f64::INFINITY {
                return Ok(guess);
            }
        }
        budget.has_memory(PathNodes::bytes(PathNodes::count(prefixes, false)))?;
        let found = self.find_penalty(&PathNodes::all(prefixes, false), guess, budget)?;
        if upper == f64::INFINITY {
            self.reward_if_vanished(&found, budget)?;
        }
        Ok(found.penalty)
    }

    /// The saving by one more cluster on even grids: if the upper bound is active, far more than under the lower bound
    /// alone.
    fn grid_penalty(&self) -> f64 {
        let (problem, k) = (self.problem, self.problem.k);
        let apart = (k / GRIDS_APART).max(1);
        let (few, many) = (k - apart, (k + apart).min(problem.len()));
        let cost = |k: usize| FreeSolution::on_grid(&problem.resized(self.bounds, k)).cost;
        (cost(few) - cost(many)) / (many - few) as f64
    }

    /// Searches under both bounds.
    fn run_between(&mut self, mut guess: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        if super::is_compared(k) {
            budget.limited(REWARD_STEPS, |budget| self.run_levels(FIRST_LEVELS, &SHARES, budget))?;
            if self.is_within(0.5 * DEFAULT_TOL) {
                return Ok(());
            }
        }
        let mut runs = RUNS_A_CLUSTER * k;
        while prefixes.sample().distinct() > 4 * runs {
            let nodes = PathNodes::coarse(prefixes, &Runs::coarse(prefixes, runs));
            let found = self.find_penalty(&nodes, guess, budget)?;
            self.levels_if_vanished(&found, budget)?;
            if self.is_within(0.5 * DEFAULT_TOL) {
                return Ok(());
            }
            guess = found.penalty;
            runs *= FINER;
        }
        // Clusters of one point may separate equal points.
        budget.has_memory(PathNodes::bytes(PathNodes::count(prefixes, true)))?;
        let found = self.find_penalty(&PathNodes::all(prefixes, true), guess, budget)?;
        self.reward_if_vanished(&found, budget)
    }

    /// Searches with one curve for each number of clusters if no penalty gives k of them and few centres can be at one
    /// position.
    fn levels_if_vanished(&mut self, found: &PenaltyFound, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let k = self.problem.k;
        if !found.vanished || self.is_within(0.5 * DEFAULT_TOL) || !super::is_compared(k) {
            return Ok(());
        }
        budget.limited(REWARD_STEPS, |budget| self.run_levels(self.few_levels(), &SHARES, budget)).map(|_| ())
    }

    /// The number of levels up to which they come before rewards.
    fn few_levels(&self) -> f64 {
        FEW_LEVELS.0.max(FEW_LEVELS.1 * self.problem.k as f64)
    }

    /// Searches for a reward if no penalty gives k clusters.
    fn reward_if_vanished(&mut self, found: &PenaltyFound, budget: &mut Budget<'_>) -> Result<(), Stop> {
        self.levels_if_vanished(found, budget)?;
        if !found.vanished || self.is_within(DEFAULT_TOL) {
            return Ok(());
        }
        if super::is_compared(self.problem.k) {
            budget.limited(BRIEF_STEPS, |budget| self.run_levels(f64::INFINITY, &[LOW_SHARE], budget))?;
            if self.is_within(DEFAULT_TOL) {
                return Ok(());
            }
        }
        let nodes = PathNodes::all(self.problem.prefixes, true);
        let links = found.paths.iter().map(Vec::len).max().unwrap_or(1);
        budget.limited(REWARD_STEPS, |budget| self.find_reward(&nodes, links, budget))?;
        if self.is_within(DEFAULT_TOL) || !super::is_compared(self.problem.k) {
            return Ok(());
        }
        budget.limited(REWARD_STEPS, |budget| self.run_levels(f64::INFINITY, &SHARES, budget)).map(|_| ())
    }

    /// Searches for the penalty on runs of points, which are refined at the boundaries of the best paths until these
    /// divide no run. Returns the result of the last search.
    fn find_by_runs(&mut self, coarse: &Runs, penalty: f64, budget: &mut Budget<'_>) -> Result<PenaltyFound, Stop> {
        let prefixes = self.problem.prefixes;
        let mut nodes = PathNodes::spread(prefixes, coarse);
        let (mut share, mut boundaries) = (FIRST_SHARE, Vec::new());
        let mut found = self.find_penalty(&nodes, penalty, budget)?;
        for _ in 1..GRADINGS {
            if self.is_within(CLEAR) || !found.cuts || self.exceeds_upper(&found.paths) {
                break;
            }
            // Including those of earlier rounds: chains of active gaps move together, to and fro.
            boundaries.extend(self.best.partition.boundaries());
            found.paths.iter().for_each(|centers| boundaries.extend(self.boundaries(centers)));
            boundaries.sort_unstable();
            boundaries.dedup();
            let graded = coarse.graded(&boundaries, share);
            budget.has_memory(PathNodes::bytes(2 * graded.len()))?;
            if 2 * graded.len() > prefixes.sample().distinct() {
                break;
            }
            nodes = PathNodes::spread(prefixes, &Runs::ending_at(prefixes, graded));
            share *= FINER_SHARE;
            found = self.find_penalty(&nodes, found.penalty, budget)?;
        }
        Ok(found)
    }

    /// Whether paths found under the lower bound alone violate the upper bound, as finer ones then will.
    fn exceeds_upper(&self, paths: &[Vec<f64>]) -> bool {
        let upper = self.problem.gaps.upper[0];
        paths.iter().any(|centers| centers.windows(2).any(|pair| pair[1] - pair[0] > upper))
    }

    /// The number of points before each boundary of clusters with these centres.
    fn boundaries(&self, centers: &[f64]) -> Vec<usize> {
        let midpoints = centers.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        midpoints.map(|midpoint| self.problem.points_until(midpoint, 0..self.problem.len())).collect()
    }

    /// Whether the best solution is proven to this relative accuracy.
    fn is_within(&self, part: f64) -> bool {
        self.floor >= self.best.cost * (1.0 - part)
    }

    /// The best centres of clusters that begin at these nodes.
    fn centers(&self, nodes: &PathNodes, starts: &[usize]) -> Vec<f64> {
        let ends = starts[1..].iter().copied().chain([nodes.len()]);
        let targets: Vec<Target> = starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| nodes.block(start, end))
            .map(|block| Target { weight: block.weight, mean: block.mean })
            .collect();
        let gaps = targets.len() - 1;
        chain::solve(&targets, &Rows::of_gaps(vec![self.bounds.0; gaps], vec![self.bounds.1; gaps])).centers
    }

    fn adopt(&mut self, found: FreeSolution, budget: &mut Budget<'_>) {
        if found.cost < self.best.cost {
            self.best = found;
        }
        budget.monitor.found(self.best.cost);
    }
}

#[cfg(test)]
mod tests;
