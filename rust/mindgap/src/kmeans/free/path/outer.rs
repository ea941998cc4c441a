//! A lower bound on the cost of the first and the last points, which limits where each centre can be.
//!
//! No cluster is empty, so point i is in one of the clusters 0 to i: if centre i lies to its left, it costs at least
//! its squared distance to that centre; likewise from the other end. With centre m at u, the others are at least as far
//! from it as the lower bounds say. An upper limit on the cost thus gives a window for every centre.

use crate::kmeans::alternation::nearest;
use crate::kmeans::free::Problem;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::of_place;
use std::ops::Range;

/// The number of offsets, within the lower bound, at which grids of centres are tried.
const SHIFTS: usize = 8;

/// Windows are widened by this share of the lower bound, so that rounding does not matter.
const MARGIN: f64 = 1e-6;

/// Bisections for the end of a window: its relative accuracy is then 1e-12.
pub(super) const BISECTIONS: usize = 40;

/// A lower bound on the cost of the first and last points, as a function of the position of one centre.
pub(super) struct OuterPoints<'a> {
    problem: &'a Problem<'a>,
    lower: f64,
    /// The number of first and of last points counted.
    counts: (usize, usize),
    /// The first centre of the grid with gaps at the lower bound that minimises this cost.
    first: f64,
    /// A lower bound on the cost of the other points.
    pub(super) inner: f64,
}

impl<'a> OuterPoints<'a> {
    /// All points that contribute to the cost of the best grid.
    pub(super) fn new(problem: &'a Problem<'a>, lower: f64) -> Self {
        let k = problem.k;
        let mut outer = Self { problem, lower, counts: (k, k), first: 0.0, inner: 0.0 };
        let (from, to) = problem.reach[0];
        outer.first = bisect(from, to, |place| outer.chain(place, 0..k).1 > 0.0).0;
        let center = |i: usize| outer.first + i as f64 * lower;
        let shift = problem.len() - k;
        let x = |i: usize| problem.prefixes.sample().framed(i);
        let before = (0..k).rev().find(|&i| x(i) > center(i)).map_or(0, |i| i + 1);
        let after = (0..k).find(|&i| center(i) > x(shift + i)).map_or(0, |i| k - i);
        Self { counts: (before, after), ..outer }
    }

    /// The points that are not counted.
    pub(super) fn others(&self) -> Range<usize> {
        self.counts.0..self.problem.len().saturating_sub(self.counts.1).max(self.counts.0)
    }

    /// A lower bound on the cost of all points.
    pub(super) fn least_of_all(&self) -> f64 {
        self.chain(self.first, 0..self.problem.k).0 + self.inner
    }

    /// The best of some grids with gaps at the lower bound, near the best position for these points.
    pub(super) fn best_grid(&self) -> FreeSolution {
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

    /// The window of centre `m` if all points cost at most `limit`; `None` if they cost more everywhere.
    pub(super) fn window(&self, m: usize, limit: f64) -> Option<(f64, f64)> {
        let (k, most) = (self.problem.k, limit - self.inner);
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
pub(super) fn reached(problem: &Problem<'_>, upper: f64, most: f64) -> Option<(f64, f64)> {
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

#[cfg(test)]
mod tests;
