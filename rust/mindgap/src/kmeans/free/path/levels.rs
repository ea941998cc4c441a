//! Bounds that are too wide for K clusters: a sweep with one curve for each number of clusters.
//!
//! Where bounds are so wide that clusters hold points that are nearer to another centre, the optimum is not convex in
//! the number of clusters, and no penalty proves it. But then the bounds leave each centre little freedom: the first
//! i + 1 points are in the first i + 1 clusters, so the point number i pays its distance to centre i if that lies to
//! its left, and likewise from the other end. With centre m at u, the others are at least as far from it as the lower
//! bounds say. So a cost that is not exceeded gives a window for every centre, and a sweep over curves within the
//! windows finds the optimum.

use super::nodes::PathNodes;
use super::sweep::Sweep;
use super::{NO_LESS, PathSearch};
use crate::kmeans::free::Problem;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::{CLEAR, of_place, of_sum};
use crate::partition::Partition;

/// Bisections for the end of a window, which is found to a millionth of a millionth of where it can be.
const BISECTIONS: usize = 40;

/// The part of the lower bound by which windows are wider than they need be, so that rounding does not decide.
const MARGIN: f64 = 1e-6;

/// What the first and the last points cost at least by the place of one centre.
struct OuterPoints<'a> {
    problem: &'a Problem<'a>,
    lower: f64,
    /// How many of the first and of the last points are counted.
    counts: (usize, usize),
}

impl<'a> OuterPoints<'a> {
    /// All that matter where the centres are as near to each other as can be and in the best place.
    fn new(problem: &'a Problem<'a>, lower: f64) -> Self {
        let k = problem.k;
        let mut outer = Self { problem, lower, counts: (k, k) };
        let (from, to) = problem.reach[0];
        let first = bisect(from, to, |place| outer.chain(place, 0..k).1 > 0.0).0;
        let center = |i: usize| first + i as f64 * lower;
        let shift = problem.len() - k;
        let x = |i: usize| problem.prefixes.sample().framed(i);
        let before = (0..k).rev().find(|&i| x(i) > center(i)).map_or(0, |i| i + 1);
        let after = (0..k).find(|&i| center(i) > x(shift + i)).map_or(0, |i| k - i);
        outer.counts = (before, after);
        outer
    }

    /// The weight of these points.
    fn weight(&self) -> f64 {
        let n = self.problem.len();
        self.problem.weight(0, self.counts.0) + self.problem.weight(n - self.counts.1, n)
    }

    /// The cost of the points of the clusters `range` if centres have the lower bound as distance and the first of all
    /// is at `first`; and half its slope.
    fn chain(&self, first: f64, range: std::ops::Range<usize>) -> (f64, f64) {
        self.costs(first, range.clone(), range)
    }

    /// The same, with the first points of the clusters `before` and the last ones of the clusters `after`.
    fn costs(&self, first: f64, before: std::ops::Range<usize>, after: std::ops::Range<usize>) -> (f64, f64) {
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

    /// Where centre `m` is if these points cost no more than `most`; `None` if they cost more wherever it is.
    fn window(&self, m: usize, most: f64) -> Option<(f64, f64)> {
        let k = self.problem.k;
        let (from, to) = self.problem.reach[m];
        let at = |place: f64| self.costs(place - m as f64 * self.lower, 0..m + 1, m..k);
        let best = bisect(from, to, |place| at(place).1 > 0.0).0;
        if at(best).0 > most {
            return None;
        }
        let start = if at(from).0 > most { bisect(from, best, |place| at(place).0 <= most).0 } else { from };
        let end = if at(to).0 > most { bisect(best, to, |place| at(place).0 > most).1 } else { to };
        let margin = MARGIN * self.lower + of_place(from.abs().max(to.abs()));
        Some((start - margin, end + margin))
    }
}

/// The two ends of a short interval in which `is_after` becomes true.
fn bisect(mut from: f64, mut to: f64, is_after: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (from + to);
        *(if is_after(middle) { &mut to } else { &mut from }) = middle;
    }
    (from, to)
}

impl PathSearch<'_> {
    /// Searches for the best of exactly k clusters, each with its centre where a better solution than the best known
    /// can have it; not where centres of more than `most_levels` clusters can be at a place, on average.
    pub(super) fn run_levels(&mut self, most_levels: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        let (lower, upper) = self.bounds;
        budget.spend((4 * BISECTIONS * k * k) as u64)?;
        let outer = OuterPoints::new(problem, lower);
        // Centres that are best for the other points become good ones for all if each point that is too far from them
        // gets its own.
        let inside = (self.inside - lower * lower * outer.weight()).max(0.0);
        let most = (self.best.cost - inside) + CLEAR * self.best.cost + of_sum(k, self.best.cost);
        let windows: Option<Vec<(f64, f64)>> = (0..k).map(|m| outer.window(m, most)).collect();
        let Some(windows) = windows else {
            self.floor = self.best.cost;
            return Ok(());
        };
        let (first, last) = (problem.reach[k - 1].0, problem.reach[0].1);
        let inside = |window: &(f64, f64)| (window.1.min(last) - window.0.max(first)).max(0.0);
        if windows.iter().map(inside).sum::<f64>() > most_levels * (last - first) {
            return Ok(());
        }
        budget.has_memory(PathNodes::bytes(PathNodes::count(problem.prefixes, true)))?;
        let nodes = PathNodes::all(problem.prefixes, true);
        let enough = self.best.cost * (1.0 + NO_LESS);
        let sweep = Sweep {
            nodes: &nodes,
            lower,
            upper,
            penalty: 0.0,
            domain: (windows[0].0, windows[k - 1].1),
            enough,
            unbounded: [&[], &[]],
            rewarded: true,
            windows: &windows,
        };
        let optimum = sweep.run(budget)?;
        if optimum.value > enough {
            self.floor = self.best.cost;
            return Ok(());
        }
        self.floor = self.floor.max(optimum.value.min(self.best.cost) - optimum.rounding);
        let ends = optimum.starts[1..].iter().map(|&start| nodes.points_before(start));
        let partition = Partition::new(ends.chain([problem.len()]).collect());
        self.adopt(FreeSolution::of_partition(problem, partition).improved(problem), budget);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::points;
    use super::*;
    use crate::constraint::Rows;
    use crate::data::Sample;
    use crate::data::sample::Prefixes;
    use crate::kmeans::free::tests::{random, whole};
    use crate::monitor::Monitor;

    /// Compares with the exact finish on the whole problem, for bounds of which many are too wide for all clusters.
    fn compare(rounds: usize, most_points: usize, seed: u64) {
        let mut random = random(seed);
        for round in 0..rounds {
            let n = 3 + (most_points as f64 * random()) as usize;
            let k = 2 + ((n - 2).min(9) as f64 * random()) as usize;
            let (x, w) = points(&mut random, n, round);
            let sample = Sample::weighted(&x, &w).unwrap();
            let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
            // Far above the rounding of centres, which hold bounds to the last digit of their places.
            let lower = (0.001 + 6.0 * random().powi(3)) * range / k as f64;
            let upper = if round % 3 == 0 { lower * (1.0 + random()) } else { f64::INFINITY };
            let prefixes = Prefixes::new(&sample);
            let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]));
            let mut search = PathSearch::new(&problem, FreeSolution::even(&problem));
            let mut budget = Budget::new(u64::MAX, Monitor::default());
            if round % 2 == 0 {
                let guess = 2.0 * search.best.cost / k as f64;
                search.find_penalty(&PathNodes::all(&prefixes, false), guess, &mut budget).unwrap();
            }
            search.bounds = problem.gaps.shared_bounds().unwrap();
            search.run_levels(f64::INFINITY, &mut budget).unwrap();
            let (cost, floor, truth) = (search.best.cost, search.floor, whole(&problem));
            let facts = || format!("n {n} k {k} lower {lower} upper {upper} x {x:?} w {w:?}");
            assert!((cost - truth).abs() <= 1e-9 * truth + 1e-24, "{cost} is not {truth}: {}", facts());
            assert!(floor <= truth * (1.0 + 1e-10) + 1e-24, "{floor} is above {truth}: {}", facts());
            assert!(floor >= truth * (1.0 - 1e-9) - 1e-24, "{floor} does not prove {truth}: {}", facts());
        }
    }

    #[test]
    fn levels_agree_with_the_exact_finish() {
        compare(1500, 12, 21);
        compare(60, 60, 22);
    }

    #[test]
    #[ignore = "slow"]
    fn levels_agree_with_the_exact_finish_many_times() {
        compare(40_000, 14, 23);
        compare(600, 80, 24);
    }
}
