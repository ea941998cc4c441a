//! Bounds that are too wide for K clusters: a sweep with one curve for each number of clusters.
//!
//! If bounds are so wide that clusters hold points nearer to another centre, the optimum is not convex in the number of
//! clusters, and no penalty proves it. But such bounds leave each centre little freedom: the first i + 1 points are in
//! the first i + 1 clusters, so point i costs its squared distance to centre i if that centre lies to its left, and
//! likewise from the other end. With centre m at u, the others are at least as far from it as the lower bounds say. An
//! upper limit on the cost thus gives a window for every centre, and a sweep with one curve per cluster, within the
//! windows, finds the optimum.

use super::forced::{ForcedRanges, ForcedRules};
use super::nodes::{Meaning, PathNodes};
use super::runs::Runs;
use super::sweep::{Sweep, SweepOptimum};
use super::{FINER_SHARE, FIRST_SHARE, GRADINGS, NO_LESS, PathSearch, RUNS_A_CLUSTER};
use crate::kmeans::alternation::nearest;
use crate::kmeans::free::Problem;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::{CLEAR, of_addition, of_path, of_place, of_sum};
use crate::monitor::DEFAULT_TOL;
use crate::partition::Partition;
use std::ops::Range;

/// Bisections for the end of a window: its relative accuracy is then 1e-12.
const BISECTIONS: usize = 40;

/// The limits of successive searches, as shares of the way from the cost of the first and last points to the best known
/// cost: a low limit makes windows narrow, and the best path within them is a good solution.
const SHARES: [f64; 2] = [0.125, 1.0];

/// Windows are widened by this share of the lower bound, so that rounding does not matter.
const MARGIN: f64 = 1e-6;

/// The least number of runs in a length of one lower bound.
const RUNS_A_GAP: f64 = 8.0;

/// The number of offsets, within the lower bound, at which grids of centres are tried.
const SHIFTS: usize = 8;

/// This many neighbours of a point that must not be in a run are kept out of runs too, so that rounding does not
/// matter.
const BESIDE: usize = 3;

/// A lower bound on the cost of the first and last points, as a function of the position of one centre.
struct OuterPoints<'a> {
    problem: &'a Problem<'a>,
    lower: f64,
    /// The number of first and of last points counted.
    counts: (usize, usize),
    /// The first centre of the grid with gaps at the lower bound that minimises this cost.
    first: f64,
}

impl<'a> OuterPoints<'a> {
    /// All points that contribute to the cost of the best grid.
    fn new(problem: &'a Problem<'a>, lower: f64) -> Self {
        let k = problem.k;
        let mut outer = Self { problem, lower, counts: (k, k), first: 0.0 };
        let (from, to) = problem.reach[0];
        outer.first = bisect(from, to, |place| outer.chain(place, 0..k).1 > 0.0).0;
        let center = |i: usize| outer.first + i as f64 * lower;
        let shift = problem.len() - k;
        let x = |i: usize| problem.prefixes.sample().framed(i);
        let before = (0..k).rev().find(|&i| x(i) > center(i)).map_or(0, |i| i + 1);
        let after = (0..k).find(|&i| center(i) > x(shift + i)).map_or(0, |i| k - i);
        Self { counts: (before, after), ..outer }
    }

    /// The best of some grids with gaps at the lower bound, near the best position for these points.
    fn best_grid(&self) -> FreeSolution {
        let grid = |shift: usize| {
            let first = self.first + self.lower * (shift as f64 / SHIFTS as f64 - 0.5);
            let centers: Vec<f64> = (0..self.problem.k).map(|i| first + i as f64 * self.lower).collect();
            FreeSolution::of_partition(self.problem, nearest(self.problem.prefixes.sample(), &centers))
        };
        (1..=SHIFTS)
            .map(grid)
            .reduce(FreeSolution::or_better)
            .map_or_else(|| grid(0), |best| best.improved(self.problem))
    }

    /// The weight of these points.
    fn weight(&self) -> f64 {
        let n = self.problem.len();
        self.problem.weight(0, self.counts.0) + self.problem.weight(n - self.counts.1, n)
    }

    /// The cost of the points of the clusters `range` on the grid with gaps at the lower bound whose first centre is at
    /// `first`, and half its slope.
    fn chain(&self, first: f64, range: Range<usize>) -> (f64, f64) {
        self.costs(first, range.clone(), range)
    }

    /// The same, for the first points of the clusters `before` and the last points of the clusters `after`.
    fn costs(&self, first: f64, before: Range<usize>, after: Range<usize>) -> (f64, f64) {
        let (sample, k) = (self.problem.prefixes.sample(), self.problem.k);
        let shift = self.problem.len() - k;
        let center = |i: usize| first + i as f64 * self.lower;
        let (mut cost, mut slope) = (0.0, 0.0);
        for i in before.start..before.end.min(self.counts.0) {
            let off = (sample.framed(i) - center(i)).max(0.0);
            cost += sample.weight(i) * off * off;
            slope -= sample.weight(i) * off;
        }
        for i in after.start.max(k - self.counts.1)..after.end {
            let off = (center(i) - sample.framed(shift + i)).max(0.0);
            cost += sample.weight(shift + i) * off * off;
            slope += sample.weight(shift + i) * off;
        }
        (cost, slope)
    }

    /// A lower bound on the cost of the points of the clusters `range`, wherever the centres are.
    fn least(&self, range: Range<usize>) -> f64 {
        let sample = self.problem.prefixes.sample();
        let shift = self.problem.len() - self.problem.k;
        let (from, to) = self.problem.reach[0];
        let (from, to) = bisect(from, to, |place| self.chain(place, range.clone()).1 > 0.0);
        // The grid with gaps at the lower bound is optimal if the points of its first centres push the others to the
        // right.
        let mut force = 0.0;
        for i in range.clone() {
            let center = from + i as f64 * self.lower;
            let charged = |is_charged: bool, point: usize, off: f64| {
                if is_charged { sample.weight(point) * off.max(0.0) } else { 0.0 }
            };
            force += charged(i < self.counts.0, i, sample.framed(i) - center);
            let last = shift + i;
            force -= charged(i + self.counts.1 >= self.problem.k, last, center - sample.framed(last));
            if force < 0.0 {
                return 0.0;
            }
        }
        let (cost, slope) = self.chain(from, range);
        (cost + 2.0 * slope * (to - from)).max(0.0)
    }

    /// The window of centre `m` if these points cost at most `most`; `None` if they cost more everywhere.
    fn window(&self, m: usize, most: f64) -> Option<(f64, f64)> {
        let k = self.problem.k;
        let (from, to) = self.problem.reach[m];
        let at = |place: f64, before, after| self.costs(place - m as f64 * self.lower, before, after);
        let best = bisect(from, to, |place| at(place, 0..m + 1, m..k).1 > 0.0).0;
        if at(best, 0..m + 1, m..k).0 > most {
            return None;
        }
        let (first, last) = (self.least(0..m), self.least(m + 1..k));
        let is_before = |place: f64| at(place, 0..m + 1, m..k).0.max(at(place, 0..m + 1, 0..0).0 + last) > most;
        let is_after = |place: f64| at(place, 0..m + 1, m..k).0.max(at(place, 0..0, m..k).0 + first) > most;
        let start = if is_before(from) { bisect(from, best, |place| !is_before(place)).0 } else { from };
        let end = if is_after(to) { bisect(best, to, is_after).1 } else { to };
        let margin = MARGIN * self.lower + of_place(from.abs().max(to.abs()));
        Some((start - margin, end + margin))
    }
}

/// The window of the first centre if all gaps are at the `upper` bound and the points outside the centres cost at most
/// `most`; `None` if they cost more everywhere. Shifted by as many upper bounds it contains every other centre,
/// whatever the gaps.
fn reached(problem: &Problem<'_>, upper: f64, most: f64) -> Option<(f64, f64)> {
    let (n, k) = (problem.len(), problem.k);
    if upper == f64::INFINITY {
        return Some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let at = |first: f64| {
        let last = first + (k - 1) as f64 * upper;
        let before = problem.quadratic(0, problem.points_until(first, 0..n), first);
        let after = problem.quadratic(problem.points_until(last, 0..n), n, last);
        (before.0 + after.0, before.1 + after.1)
    };
    let (from, to) = (problem.reach[k - 1].0 - k as f64 * upper, problem.reach[0].1 + upper);
    let best = bisect(from, to, |first| at(first).1 > 0.0).0;
    if at(best).0 > most {
        return None;
    }
    let start = if at(from).0 > most { bisect(from, best, |first| at(first).0 <= most).0 } else { f64::NEG_INFINITY };
    let end = if at(to).0 > most { bisect(best, to, |first| at(first).0 > most).1 } else { f64::INFINITY };
    let margin = MARGIN * upper + of_place(from.abs().max(to.abs()));
    Some((start - margin, end + margin))
}

/// The ends of a short interval in which `is_after` becomes true.
fn bisect(mut from: f64, mut to: f64, is_after: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (from + to);
        *(if is_after(middle) { &mut to } else { &mut from }) = middle;
    }
    (from, to)
}

impl PathSearch<'_> {
    /// Searches for the optimum of exactly k clusters, with a window for each centre that contains it in every better
    /// solution. Does nothing if on average the windows of more than `most_levels` centres overlap at a position, or if
    /// the best solution is the one that an earlier search began with.
    pub(super) fn run_levels(&mut self, most_levels: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        if self.bounds.0 <= 0.0 || self.best.cost >= self.tried {
            return Ok(());
        }
        let outer = OuterPoints::new(problem, self.bounds.0);
        self.adopt(outer.best_grid(), budget);
        let Some(windows) = self.windows(&outer, self.best.cost, budget)? else { return Ok(()) };
        let (first, last) = (problem.reach[k - 1].0, problem.reach[0].1);
        let inside = |window: &(f64, f64)| (window.1.min(last) - window.0.max(first)).max(0.0);
        if windows.iter().map(inside).sum::<f64>() > most_levels * (last - first) {
            return Ok(());
        }
        self.tried = self.best.cost;
        for share in SHARES {
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
        let least = outer.chain(outer.first, 0..self.problem.k).0;
        if share < 1.0 { least + share * (self.best.cost - least).max(0.0) } else { self.best.cost }
    }

    /// The windows of the centres of all solutions that cost at most `limit`; `None` if there are none.
    fn windows(
        &mut self,
        outer: &OuterPoints<'_>,
        limit: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<(f64, f64)>>, Stop> {
        let (lower, k) = (self.bounds.0, self.problem.k);
        budget.spend((BISECTIONS * k * k) as u64)?;
        // Optimal centres for the other points become a solution for all if each point too far from them gets a centre
        // of its own.
        let inside = (self.inside - lower * lower * outer.weight()).max(0.0);
        // The square root of a cost is a norm of distances, each of which has the rounding error of a position.
        let (sample, reach) = (self.problem.prefixes.sample(), &self.problem.reach);
        let far = reach[0].0.abs().max(reach[k - 1].1.abs()).max(1.0);
        let root = limit.sqrt() + of_place(far) * sample.total_weight().sqrt();
        let most = root * root * (1.0 + CLEAR) + of_sum(k, limit);
        let reached = reached(self.problem, self.bounds.1, most);
        let window = |m: usize| {
            let (window, by_reach) = (outer.window(m, most - inside)?, reached?);
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
        let enough = (self.best.cost + less) * (1.0 + NO_LESS);
        let sweep = Sweep {
            nodes,
            lower: self.bounds.0,
            upper: self.bounds.1,
            penalty: 0.0,
            domain: (windows[0].0, windows[windows.len() - 1].1),
            enough,
            unbounded: [&[], &[]],
            rewarded: true,
            windows,
        };
        let optimum = sweep.run(budget)?;
        let far = sweep.domain.0.abs().max(sweep.domain.1.abs());
        let value = optimum.value.min(enough);
        let rounding = of_path(problem.k, value, nodes.weight(), far) + of_addition(value) + of_runs;
        self.floor = self.floor.max((value - less).min(limit) - rounding);
        if optimum.value > enough {
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

#[cfg(test)]
mod tests;
