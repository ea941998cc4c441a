//! Bounds that are too wide for K clusters: a sweep with one curve for each number of clusters.
//!
//! If bounds are so wide that clusters hold points nearer to another centre, the optimum is not convex in the number of
//! clusters, and no penalty proves it. A sweep with one curve per cluster finds the optimum. Two things limit it to
//! solutions that cost at most a given limit: a window for each centre ([`super::outer`]), and the cost that the
//! remaining points have in any case.

use super::forced::{ForcedRanges, ForcedRules};
use super::nodes::{Meaning, PathNodes};
use super::outer::{BISECTIONS, OuterPoints, reached};
use super::runs::Runs;
use super::sweep::{Sweep, SweepOptimum};
use super::{FINER_SHARE, FIRST_SHARE, GRADINGS, NO_LESS, PathSearch, RUNS_A_CLUSTER};
use crate::kmeans::free::Problem;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::{CLEAR, of_addition, of_path, of_place, of_sum};
use crate::monitor::DEFAULT_TOL;
use crate::partition::Partition;
use std::ops::Range;

/// The limits of successive searches, as shares of the way from the lower bound to the best known cost. Under a low
/// limit few paths are kept, and the best of them is a good solution.
pub(super) const SHARES: [f64; 2] = [0.125, 1.0];

/// The share of a brief search, for data on which the best known cost may be several times the optimum. It proves three
/// of four log-normal samples, 1/1024 followed by 1/256 fewer.
pub(super) const LOW_SHARE: f64 = 1.0 / 256.0;

/// The steps of a sweep before lower bounds on the remaining costs are computed, which takes about as long as half of
/// these steps: most sweeps need fewer. Where windows overlap a lot sweeps are long, and the bounds come first.
pub(super) const UNAIDED_STEPS: u64 = 1 << 23;

/// The least number of runs in a length of one lower bound.
const RUNS_A_GAP: f64 = 8.0;

/// This many neighbours of a point that must not be in a run are kept out of runs too, so that rounding does not
/// matter.
const BESIDE: usize = 3;

impl PathSearch<'_> {
    /// Searches for the optimum of exactly k clusters, with a window for each centre that contains it in every better
    /// solution, for the limits `shares`. Does nothing if on average the windows of more than `most_levels` centres
    /// overlap at a position, or if the best solution is the one that an earlier search began with.
    pub(super) fn run_levels(&mut self, most_levels: f64, shares: &[f64], budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        if self.bounds.0 <= 0.0 || self.best.cost >= self.tried {
            return Ok(());
        }
        let mut outer = OuterPoints::new(problem, self.bounds.0);
        outer.inner = self.cost_of(outer.others(), budget)?;
        self.adopt(outer.best_grid(), budget);
        let Some(windows) = self.windows(&outer, self.best.cost, budget)? else { return Ok(()) };
        if overlap(problem, &windows) > most_levels {
            return Ok(());
        }
        if shares.contains(&1.0) {
            self.tried = self.best.cost;
        }
        for &share in shares {
            if self.is_within(0.5 * DEFAULT_TOL) {
                break;
            }
            if problem.prefixes.sample().distinct() > 4 * RUNS_A_CLUSTER * k {
                self.levels_by_runs(&outer, RUNS_A_CLUSTER * k, share, budget)?;
            }
            let limit = self.limit(&outer, share);
            if self.floor >= limit * (1.0 - 0.5 * DEFAULT_TOL) {
                continue;
            }
            budget.has_memory(PathNodes::bytes(PathNodes::count(problem.prefixes, true)))?;
            if let Some(windows) = self.windows(&outer, limit, budget)? {
                self.sweep_levels(&PathNodes::all(problem.prefixes, true), &windows, limit, budget)?;
            }
        }
        Ok(())
    }

    /// The cost up to which solutions are searched for.
    fn limit(&self, outer: &OuterPoints<'_>, share: f64) -> f64 {
        let least = outer.least_of_all();
        if share < 1.0 { least + share * (self.best.cost - least).max(0.0) } else { self.best.cost }
    }

    /// A lower bound on the cost of some points, whatever the number of clusters.
    fn cost_of(&self, points: Range<usize>, budget: &mut Budget<'_>) -> Result<f64, Stop> {
        if points.is_empty() {
            return Ok(0.0);
        }
        let prefixes = self.problem.prefixes;
        let count = RUNS_A_CLUSTER * self.problem.k;
        let runs = match prefixes.sample().distinct() > 4 * count {
            true => Runs::coarse(prefixes, count),
            false => Runs::ending_at(prefixes, (1..=prefixes.len()).collect()),
        };
        let runs = runs.with(&[points.start, points.end]);
        budget.has_memory(PathNodes::bytes(4 * runs.ends.len()))?;
        let nodes = PathNodes::spread(prefixes, &runs);
        let Meaning::Bound { less, rounding } = nodes.meaning else { return Ok(0.0) };
        let optimum = Sweep::of_any_number(&nodes.part(points), self.bounds.0).run(budget)?;
        let lost = optimum.rounding + of_addition(optimum.value) + rounding;
        Ok((optimum.value - less - lost).max(0.0))
    }

    /// The windows of the centres of all solutions that cost at most `limit`; `None` if there are none.
    fn windows(
        &mut self,
        outer: &OuterPoints<'_>,
        limit: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<(f64, f64)>>, Stop> {
        let k = self.problem.k;
        budget.spend((BISECTIONS * k * k) as u64)?;
        // The square root of a cost is a norm of distances, each of which has the rounding error of a position.
        let (sample, reach) = (self.problem.prefixes.sample(), &self.problem.reach);
        let far = reach[0].0.abs().max(reach[k - 1].1.abs()).max(1.0);
        let root = limit.sqrt() + of_place(far) * sample.total_weight().sqrt();
        let most = root * root * (1.0 + CLEAR) + of_sum(k, limit);
        let reached = reached(self.problem, self.bounds.1, most);
        let window = |m: usize| {
            let (window, by_reach) = (outer.window(m, most)?, reached?);
            let stretch = if m > 0 { m as f64 * self.bounds.1 } else { 0.0 };
            let window = (window.0.max(by_reach.0 + stretch), window.1.min(by_reach.1 + stretch));
            (window.0 <= window.1).then_some(window)
        };
        let windows: Option<Vec<(f64, f64)>> = (0..k).map(window).collect();
        if windows.is_none() {
            self.floor = self.floor.max(limit);
        }
        Ok(windows)
    }

    /// Searches on about `count` runs of points, then on finer ones at the boundaries of the best paths.
    fn levels_by_runs(
        &mut self,
        outer: &OuterPoints<'_>,
        count: usize,
        share: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let prefixes = self.problem.prefixes;
        let (first, last) = (self.problem.reach[self.problem.k - 1].0, self.problem.reach[0].1);
        let (distinct, short) = (prefixes.sample().distinct(), RUNS_A_GAP * (last - first) / self.bounds.0);
        if 2.0 * short >= distinct as f64 {
            return Ok(());
        }
        let coarse = Runs::coarse(prefixes, count.max(short as usize + 1));
        let mut limit = self.limit(outer, share);
        let Some(mut windows) = self.windows(outer, limit, budget)? else { return Ok(()) };
        let alone = self.alone(&windows);
        let (mut length, mut boundaries) = (FIRST_SHARE, self.best.partition.boundaries().to_vec());
        for _ in 0..GRADINGS {
            if 2 * (coarse.ends.len() + alone.len()) > distinct {
                break;
            }
            boundaries.sort_unstable();
            boundaries.dedup();
            let runs = Runs::ending_at(prefixes, coarse.graded(&boundaries, length)).with(&alone);
            if 2 * runs.ends.len() > distinct {
                break;
            }
            budget.has_memory(PathNodes::bytes(2 * runs.ends.len()))?;
            let nodes = PathNodes::spread(prefixes, &runs);
            let Some(optimum) = self.sweep_levels(&nodes, &windows, limit, budget)? else { break };
            if self.floor >= limit * (1.0 - 0.5 * DEFAULT_TOL)
                || !optimum.starts.iter().any(|&start| nodes.cuts_run(start))
            {
                break;
            }
            boundaries.extend(self.best.partition.boundaries());
            boundaries.extend(self.boundaries(&self.centers(&nodes, &optimum.starts)));
            length *= FINER_SHARE;
            if self.limit(outer, share) < limit {
                limit = self.limit(outer, share);
                let Some(narrower) = self.windows(outer, limit, budget)? else { break };
                windows = narrower;
            }
        }
        Ok(())
    }

    /// The ends of points that must not be in runs with others: those that may belong to a cluster although another
    /// centre is nearer. Every other cluster has the end of a run inside it, because runs are shorter than half of what
    /// lies between its boundaries.
    fn alone(&self, windows: &[(f64, f64)]) -> Vec<usize> {
        let sample = self.problem.prefixes.sample();
        let x: Vec<f64> = (0..sample.len()).map(|i| sample.framed(i)).collect();
        let domain = (windows[0].0, windows[windows.len() - 1].1);
        let mut forced_ranges =
            ForcedRanges::new(&x, ForcedRules { stride: self.bounds.0, upper: self.bounds.1, ends: Some(domain) });
        let mut alone = Vec::new();
        for j in 1..x.len() {
            if forced_ranges.at(j).is_some() {
                alone.extend(j.saturating_sub(BESIDE)..=(j + BESIDE).min(x.len()));
            }
        }
        alone
    }

    /// The best path through the nodes with the centres in their windows, which contain all solutions that cost at most
    /// `limit`; `None` if none is better than the best solution.
    fn sweep_levels(
        &mut self,
        nodes: &PathNodes,
        windows: &[(f64, f64)],
        limit: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SweepOptimum>, Stop> {
        let problem = self.problem;
        let (less, of_runs) = match nodes.meaning {
            Meaning::Bound { less, rounding } => (less, rounding),
            _ => (0.0, 0.0),
        };
        let enough = (limit.min(self.best.cost) + less) * (1.0 + NO_LESS);
        let sweep = Sweep {
            nodes,
            lower: self.bounds.0,
            upper: self.bounds.1,
            penalty: 0.0,
            domain: (windows[0].0, windows[windows.len() - 1].1),
            enough,
            unbounded: [&[]; 2],
            rewarded: true,
            windows,
        };
        let unaided = if overlap(problem, windows) > self.few_levels() { 0 } else { self.unaided };
        let optimum = sweep.run_aided(unaided, budget)?;
        let far = sweep.domain.0.abs().max(sweep.domain.1.abs());
        let value = optimum.value.min(enough);
        let rounding = of_path(problem.k, value, nodes.weight(), far) + of_addition(value) + of_runs;
        self.floor = self.floor.max((value - less).min(limit) - rounding);
        if optimum.value > (self.best.cost + less) * (1.0 + NO_LESS) {
            return Ok(None);
        }
        let found = match nodes.meaning {
            Meaning::Bound { .. } => FreeSolution::from_centers(problem, &self.centers(nodes, &optimum.starts)),
            _ => {
                let ends = optimum.starts[1..].iter().map(|&start| nodes.points_before(start));
                let partition = Partition::new(ends.chain([problem.len()]).collect());
                FreeSolution::of_partition(problem, partition).improved(problem)
            }
        };
        self.adopt(found, budget);
        budget.monitor.proved(self.floor);
        budget.monitor.report()?;
        Ok(Some(optimum))
    }
}

/// How many windows overlap at a position among the points, on average.
fn overlap(problem: &Problem<'_>, windows: &[(f64, f64)]) -> f64 {
    let (first, last) = (problem.reach[problem.k - 1].0, problem.reach[0].1);
    let inside = |window: &(f64, f64)| (window.1.min(last) - window.0.max(first)).max(0.0);
    windows.iter().map(inside).sum::<f64>() / (last - first)
}

#[cfg(test)]
mod tests;
