//! Runs of neighbouring points, which a pass takes as one, and where the centres of their clusters may be.

use std::ops::Range;

use super::MOST_LINKS;
use crate::data::sample::Prefixes;
use crate::kmeans::free::Problem;
use crate::kmeans::rounding::{CLEAR_OF_CLUSTER, of_addition, of_running_sum};

/// Points that a pass takes together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) points: Range<usize>,
    pub(super) mean: f64,
    pub(super) weight: f64,
    /// The sum of squares about the mean.
    pub(super) cost: f64,
    /// `√(weight · cost)` where the midpoint of two centres may lie inside; else zero.
    pub(super) spread: f64,
}

impl Run {
    /// The run of some points; `open` if a midpoint may lie inside, which it never does between equal points.
    pub(super) fn new(prefixes: &Prefixes<'_>, points: Range<usize>, open: bool) -> Self {
        let values = prefixes.sample().values();
        if values[points.start] == values[points.end - 1] {
            let weight = prefixes.block(points.start, points.end).weight;
            return Self { mean: prefixes.sample().framed(points.start), weight, cost: 0.0, spread: 0.0, points };
        }
        let block = prefixes.block(points.start, points.end);
        let spread = if open { (block.weight * block.cost).sqrt() } else { 0.0 };
        Self { mean: block.mean, weight: block.weight, cost: block.cost, spread, points }
    }

    /// Whether a midpoint may lie inside.
    pub(super) fn is_open(&self) -> bool {
        self.spread > 0.0
    }
}

/// Runs that cover all points, in order, with what a pass asks of them.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub(super) runs: Vec<Run>,
    /// For each run, where the centre of its cluster may be.
    pub(super) windows: Vec<(f64, f64)>,
    /// Whether boundaries or centres have been left out.
    pub(super) pruned: bool,
}

/// An interval: a window that is open to both sides.
const ANYWHERE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Runs {
    /// Every distinct value.
    pub(super) fn finest(prefixes: &Prefixes<'_>) -> Self {
        let mut runs = Vec::new();
        push_distinct(prefixes, 0..prefixes.len(), &mut runs);
        Self { windows: vec![ANYWHERE; runs.len()], runs, pruned: false }
    }

    /// About `count` runs with as many points each, and as many of equal width. The least and the greatest value are runs
    /// of their own: so the mean of the first run belongs to the first cluster, and that of the last to the last.
    pub(super) fn coarse(prefixes: &Prefixes<'_>, count: usize) -> Self {
        let (n, sample) = (prefixes.len(), prefixes.sample());
        let (first, last) = (sample.framed(0), sample.framed(n - 1));
        let mut cuts: Vec<usize> = (0..=count).map(|c| (c as u128 * n as u128 / count as u128) as usize).collect();
        let step = (last - first) / count as f64;
        cuts.extend((1..count).map(|c| {
            let z = first + step * c as f64;
            crate::numeric::first_false(0, n, |i| sample.framed(i) <= z)
        }));
        cuts.push(n - 1);
        cuts.push(sample.values().partition_point(|&x| x == sample.values()[0]));
        cuts.iter_mut().for_each(|cut| *cut = tie_start(sample.values(), *cut));
        cuts.sort_unstable();
        cuts.dedup();
        let runs: Vec<Run> = cuts.windows(2).map(|cut| Run::new(prefixes, cut[0]..cut[1], true)).collect();
        Self { windows: vec![ANYWHERE; runs.len()], runs, pruned: false }
    }

    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// What lies within the runs: the part of every cost that no pass sees.
    pub(super) fn within(&self) -> f64 {
        self.runs.iter().map(|run| run.cost).sum()
    }

    /// Whether some run is open.
    pub(super) fn any_open(&self) -> bool {
        self.runs.iter().any(Run::is_open)
    }

    /// The same seen from the other end.
    pub(super) fn mirrored(&self) -> Self {
        let runs = self.runs.iter().rev().map(|run| Run { mean: -run.mean, ..run.clone() }).collect();
        let windows = self.windows.iter().rev().map(|window| (-window.1, -window.0)).collect();
        Self { runs, windows, pruned: self.pruned }
    }

    /// Splits the runs that `cut` names into `parts`, and joins neighbours between which there is no `boundary` and that
    /// are not cut. `hulls` are the windows of the runs as they are now known.
    pub(super) fn refined(
        &self,
        prefixes: &Prefixes<'_>,
        hulls: &[(f64, f64)],
        cut: impl Fn(usize) -> bool,
        boundary: impl Fn(usize) -> bool,
        parts: usize,
    ) -> Self {
        let last = self.len() - 1;
        let mut next = Self { runs: Vec::new(), windows: Vec::new(), pruned: true };
        let mut joinable = false;
        for (j, run) in self.runs.iter().enumerate() {
            if cut(j) {
                // A point near the edge of a run may belong to the cluster of the next run.
                let (before, after) = (hulls[j.saturating_sub(1)], hulls[(j + 1).min(last)]);
                let window = (hulls[j].0.min(before.0), hulls[j].1.max(after.1));
                split(prefixes, &run.points, parts, &mut next.runs);
                next.windows.resize(next.runs.len(), window);
                joinable = false;
                continue;
            }
            match (next.runs.last_mut(), next.windows.last_mut()) {
                (Some(before), Some(window)) if joinable && !boundary(j) => {
                    *before = Run::new(prefixes, before.points.start..run.points.end, false);
                    *window = (window.0.max(hulls[j].0), window.1.min(hulls[j].1).max(window.0));
                }
                _ => {
                    next.runs.push(Run { spread: 0.0, ..run.clone() });
                    next.windows.push(hulls[j]);
                    joinable = true;
                }
            }
        }
        next
    }
}

/// Appends the points as about `parts` runs; as distinct values if they are not many more.
fn split(prefixes: &Prefixes<'_>, points: &Range<usize>, parts: usize, out: &mut Vec<Run>) {
    if points.len() <= parts {
        return push_distinct(prefixes, points.clone(), out);
    }
    let values = prefixes.sample().values();
    let mut start = points.start;
    for part in 1..parts {
        let cut = tie_start(values, points.start + points.len() * part / parts);
        if cut > start {
            out.push(Run::new(prefixes, start..cut, true));
            start = cut;
        }
    }
    if start == points.start {
        // Most of the run is one value: cut it off.
        let end = start + values[start..points.end].partition_point(|&x| x == values[start]);
        out.push(Run::new(prefixes, start..end, true));
        start = end;
    }
    if start < points.end {
        out.push(Run::new(prefixes, start..points.end, true));
    }
}

fn push_distinct(prefixes: &Prefixes<'_>, points: Range<usize>, out: &mut Vec<Run>) {
    let mut start = points.start;
    for tied in prefixes.sample().values()[points].chunk_by(|a, b| a == b) {
        out.push(Run::new(prefixes, start..start + tied.len(), false));
        start += tied.len();
    }
}

/// The first point that equals that at `position`.
fn tie_start(values: &[f64], position: usize) -> usize {
    match values.get(position) {
        Some(&x) if position > 0 && values[position - 1] == x => values[..position].partition_point(|&y| y < x),
        _ => position,
    }
}

/// Where centres may be: what makes a pass local.
pub(super) struct Reach {
    /// For each boundary (by the run after it), the widest gap that an optimum may have there.
    pub(super) gaps: Vec<f64>,
    /// For each run, where the centre of its cluster may be.
    pub(super) windows: Vec<(f64, f64)>,
    /// For each boundary, the most links between the centres about it: more than one where an upper bound asks for
    /// centres in a space between points that has none nearest to them.
    pub(super) links: Vec<usize>,
}

/// Gaps are tried in steps of this factor.
const STEP: f64 = 1.15;

impl Reach {
    /// What solutions need to which one more centre cannot save more than `most`: no gap of twice the lower bound or more is
    /// so wide that a centre in its middle would, nor is a first or last centre so far inside the data.
    pub(super) fn new(problem: &Problem<'_>, runs: &Runs, (lower, upper): (f64, f64), most: f64) -> Self {
        let sample = problem.prefixes.sample();
        let (n, count) = (problem.len(), runs.len());
        let (first, last) = (sample.framed(0), sample.framed(n - 1));
        let range = last - first;
        let savings = Savings::new(&runs.runs);
        let mut gaps = vec![0.0; count];
        let mut gap = range / count as f64;
        for (b, slot) in gaps.iter_mut().enumerate().skip(1) {
            gap /= STEP;
            while gap < 4.0 * (range + lower) && savings.at(b, gap) <= most {
                gap *= STEP;
            }
            *slot = gap.max(2.0 * lower).min(upper);
        }
        let links = links(problem, runs, (lower, upper), &mut gaps);
        // What a centre saves at least, whatever rounding does.
        let saved = |points: Range<usize>, center: f64, other: f64| {
            let cost = |center: f64| problem.quadratic(points.start, points.end, center).0;
            cost(center) * (1.0 - CLEAR_OF_CLUSTER) - cost(other) * (1.0 + CLEAR_OF_CLUSTER)
        };
        let tail = |saved: &dyn Fn(f64, f64) -> f64| {
            let mut reach = range / count as f64;
            while reach < range && (reach < lower || saved(reach, lower.max(reach / 1.5).min(upper)) <= most) {
                reach *= STEP;
            }
            reach
        };
        let head = tail(&|reach, by| {
            let (center, other) = (first + reach, first + reach - by);
            let end = problem.points_until(0.5 * (center + other), 0..n);
            saved(0..end, center, other)
        });
        let foot = tail(&|reach, by| {
            let (center, other) = (last - reach, last - reach + by);
            let start = problem.points_until(0.5 * (center + other), 0..n);
            saved(start..n, center, other)
        });
        let mut windows = runs.windows.clone();
        let (head, foot) = (head * (1.0 + CLEAR_OF_CLUSTER), foot * (1.0 + CLEAR_OF_CLUSTER));
        let mut highest = first + head;
        for (j, window) in windows.iter_mut().enumerate() {
            highest = highest.max(if j > 0 { runs.runs[j].mean + 0.5 * gaps[j] } else { highest });
            window.1 = window.1.min(highest).min(last + lower);
        }
        let mut lowest = last - foot;
        for (j, window) in windows.iter_mut().enumerate().rev() {
            lowest = lowest.min(if j + 1 < count { runs.runs[j].mean - 0.5 * gaps[j + 1] } else { lowest });
            window.0 = window.0.max(lowest).max(first - lower);
            // A window that rounding has emptied is one place.
            window.1 = window.1.max(window.0 + of_addition(range));
        }
        Self { gaps, windows, links }
    }

    /// The same seen from the other end.
    pub(super) fn mirrored(&self) -> Self {
        let gaps = std::iter::once(0.0).chain(self.gaps[1..].iter().rev().copied()).collect();
        let links = std::iter::once(1).chain(self.links[1..].iter().rev().copied()).collect();
        Self { gaps, windows: self.windows.iter().rev().map(|window| (-window.1, -window.0)).collect(), links }
    }
}

/// The most links between the centres about each boundary. A centre without points has a space of at least the lower bound
/// to itself; `gaps` grow to what chains of such centres may span.
fn links(problem: &Problem<'_>, runs: &Runs, (lower, upper): (f64, f64), gaps: &mut [f64]) -> Vec<usize> {
    let mut links = vec![1; runs.len()];
    if upper.is_infinite() {
        return links;
    }
    let sample = problem.prefixes.sample();
    let inside = |run: &Run| match run.is_open() {
        true => run.points.clone().skip(1).map(|i| sample.framed(i) - sample.framed(i - 1)).fold(0.0, f64::max),
        false => 0.0,
    };
    for (b, pair) in runs.runs.windows(2).enumerate().map(|(b, pair)| (b + 1, pair)) {
        let between = sample.framed(pair[1].points.start) - sample.framed(pair[0].points.end - 1);
        let space = between.max(inside(&pair[0])).max(inside(&pair[1])) * (1.0 + 1e-9);
        if space >= lower {
            gaps[b] = gaps[b].max(space + upper);
            links[b] = ((gaps[b] / lower.max(f64::MIN_POSITIVE)) as usize).clamp(2, MOST_LINKS);
        }
    }
    links
}

/// What a centre in the middle of a gap would save at least.
struct Savings<'a> {
    runs: &'a [Run],
    weights: Vec<f64>,
    sums: Vec<f64>,
}

impl<'a> Savings<'a> {
    fn new(runs: &'a [Run]) -> Self {
        let (mut weights, mut sums) = (vec![0.0], vec![0.0]);
        for (j, run) in runs.iter().enumerate() {
            weights.push(weights[j] + run.weight);
            sums.push(sums[j] + run.weight * run.mean);
        }
        Self { runs, weights, sums }
    }

    /// For a gap whose middle lies between the runs before and after boundary `b`: a point at a distance `d` from there saves
    /// `gap²/4 - gap·d`, those nearer than `gap/4` something. The two runs themselves count where they are points.
    fn at(&self, b: usize, gap: f64) -> f64 {
        let (left, right) = (&self.runs[b - 1], &self.runs[b]);
        let (last, first) = (b - usize::from(left.is_open()), b + usize::from(right.is_open()));
        let mut from = last;
        while from > 0 && self.runs[from - 1].mean > right.mean - 0.25 * gap {
            from -= 1;
        }
        let mut to = first;
        while to < self.runs.len() && self.runs[to].mean < left.mean + 0.25 * gap {
            to += 1;
        }
        let (weight_left, weight_right) =
            (self.weights[last] - self.weights[from], self.weights[to] - self.weights[first]);
        let (sum_left, sum_right) = (self.sums[last] - self.sums[from], self.sums[to] - self.sums[first]);
        let distances = right.mean * weight_left - sum_left + sum_right - left.mean * weight_right;
        (weight_left + weight_right) * 0.25 * gap * gap - gap * distances - self.rounding(gap)
    }

    /// What differences of sums over all runs may have lost.
    fn rounding(&self, gap: f64) -> f64 {
        let all = self.weights[self.weights.len() - 1];
        of_running_sum(self.runs.len(), all * gap)
    }
}

#[cfg(test)]
mod tests;
