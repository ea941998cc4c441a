//! The exact program: dynamic programming over functions of the last centre.
//!
//! `V(e, u)` is the minimum cost of the points before `e` in the first clusters, the last of them centred at `u`: a
//! piecewise quadratic in `u`. Boundaries range over given candidates and centres over given intervals, so the work is
//! proportional to what the search has left open; for few points that is the whole problem. Nothing is relaxed: no
//! cluster is empty unless the problem allows it, every gap satisfies its bounds, and the result is the optimum among
//! the candidates, up to rounding.

use super::Problem;
use super::budget::Budget;
use super::piecewise::{self, Curve, Quadratic};
use crate::kmeans::rounding::of_curve;
use std::borrow::Cow;

/// Steps of the budget for one piece of a curve.
const PIECE_STEPS: u64 = 6;

/// The region left open by the search.
pub(super) struct SearchRegion {
    /// The interval of each centre.
    pub(super) centers: Vec<(f64, f64)>,
    /// The candidate ends of each cluster, ascending; the last cluster ends with the points.
    pub(super) ends: Vec<Vec<usize>>,
    /// A lower bound on the cost of the points after each of these ends; empty if none is known.
    pub(super) rests: Vec<Vec<f64>>,
}

impl SearchRegion {
    /// A lower bound on the cost of the points after end number `index` of cluster `k`.
    fn rest(&self, k: usize, index: usize) -> f64 {
        self.rests.get(k).and_then(|rests| rests.get(index)).copied().unwrap_or(0.0)
    }

    /// The largest rounding error of the program's cost for a solution of about this `cost`.
    pub(super) fn rounding(&self, problem: &Problem<'_>, cost: f64) -> f64 {
        let width = |k: usize| self.centers[k].1 - self.centers[k].0;
        let mut sum = cost;
        for k in 0..problem.k {
            let start = k.checked_sub(1).map_or(0, |before| self.ends[before][0]);
            let end = self.ends[k][self.ends[k].len() - 1];
            let (level, _, weight) = problem.quadratic(start, end, middle(self, k));
            let widest = (k.saturating_sub(1)..problem.k.min(k + 2)).map(width).fold(0.0, f64::max);
            sum += level + weight * widest * widest;
        }
        of_curve(sum)
    }
}

/// The best of a region.
pub(super) struct Finish {
    pub(super) cost: f64,
    /// The ends of the clusters; an empty cluster ends where it starts.
    pub(super) ends: Vec<usize>,
}

/// The stage of one centre: a curve for each end of its cluster, in the coordinate `t = u - middle`.
struct Stage {
    middle: f64,
    curves: Vec<Curve>,
}

/// The optimum of `region` among solutions of cost at most `cutoff`; `None` if there is none.
///
/// # Errors
/// If the budget ends first or the watcher stops the fit.
pub(super) fn solve(
    problem: &Problem<'_>,
    region: &SearchRegion,
    cutoff: f64,
    budget: &mut Budget<'_>,
) -> Result<Option<Finish>, super::Stop> {
    let mut stages: Vec<Stage> = Vec::with_capacity(problem.k);
    let mut pieces = 0;
    for k in 0..problem.k {
        let stage = match stages.last() {
            None => first(problem, region, cutoff),
            Some(before) => next(problem, region, k, before, cutoff, &mut pieces, budget)?,
        };
        stages.push(stage);
    }
    Ok(trace(problem, region, &stages))
}

fn middle(region: &SearchRegion, k: usize) -> f64 {
    0.5 * (region.centers[k].0 + region.centers[k].1)
}

fn first(problem: &Problem<'_>, region: &SearchRegion, cutoff: f64) -> Stage {
    let (from, to) = region.centers[0];
    let middle = middle(region, 0);
    let domain = Quadratic { start: from - middle, end: to - middle, level: 0.0, slope: 0.0, bend: 0.0, origin: 0 };
    let curve = |(index, &end): (usize, &usize)| {
        if problem.is_too_small(0, end) || problem.is_too_large(0, end) {
            return Curve::new();
        }
        let (level, slope, bend) = problem.quadratic(0, end, middle);
        within(vec![domain.plus(level, slope, bend)], cutoff - region.rest(0, index))
    };
    Stage { middle, curves: region.ends[0].iter().enumerate().map(curve).collect() }
}

/// The stage of centre `k`: over all earlier ends `s`, `V(e, u) = min G(s, u) + cost of s..e about u`.
///
/// The cost is a difference of two quadratics, one of `s` and one of `e`, so that one running minimum serves all `e`.
/// If sizes are bounded, the `s` that give a cluster of admissible size form a window that moves right with `e`.
fn next(
    problem: &Problem<'_>,
    region: &SearchRegion,
    k: usize,
    before: &Stage,
    cutoff: f64,
    pieces: &mut usize,
    budget: &mut Budget<'_>,
) -> Result<Stage, super::Stop> {
    let middle = middle(region, k);
    let base = region.ends[k - 1][0];
    let mut entries = region.ends[k - 1].iter().zip(0u32..).zip(&before.curves).peekable();
    let mut running = CurveQueue::default();
    let mut curves = Vec::with_capacity(region.ends[k].len());
    for (index, &end) in region.ends[k].iter().enumerate() {
        let may_start = |start: usize| start < end && !problem.is_too_small(start, end);
        while let Some(((&start, origin), curve)) =
            entries.next_if(|((start, _), _)| may_start(**start) || (problem.empty && **start == end))
        {
            let (level, slope, bend) = problem.quadratic(base, start, middle);
            let mut entry = slide(problem, region, k, before.middle, curve);
            for piece in &mut entry {
                *piece = Quadratic { origin, ..piece.plus(-level, -slope, -bend) };
            }
            budget.spend(PIECE_STEPS * (running.newest.len() + entry.len() + 4 * curve.len()) as u64)?;
            running.push(start, entry, problem.sizes.most().is_finite());
        }
        running.drop_while(|start| problem.is_too_large(start, end), budget)?;
        let running = running.minimum();
        let (level, slope, bend) = problem.quadratic(base, end, middle);
        budget.spend(PIECE_STEPS * running.len() as u64)?;
        *pieces += running.len();
        budget.holds(*pieces * size_of::<Quadratic>())?;
        let cutoff = cutoff - region.rest(k, index);
        curves.push(within(running.iter().map(|piece| piece.plus(level, slope, bend)).collect(), cutoff));
    }
    Ok(Stage { middle, curves })
}

/// A queue of curves with their pointwise minimum: two stacks with running minima.
#[derive(Default)]
struct CurveQueue {
    /// For each older curve the minimum of all curves from it up to `newer`, with the starts of their clusters; the
    /// oldest is on top.
    older: Vec<(usize, Curve)>,
    /// The curves pushed since then, if any may have to be dropped.
    newer: Vec<(usize, Curve)>,
    /// The minimum of all curves pushed since.
    newest: Curve,
}

impl CurveQueue {
    /// Adds the curve of clusters that start at `start`; `keep`: it may have to be dropped later.
    fn push(&mut self, start: usize, curve: Curve, keep: bool) {
        self.newest = piecewise::minimum(&self.newest, &curve);
        if keep {
            self.newer.push((start, curve));
        }
    }

    /// Drops the oldest curves while `is_over` holds for their starts.
    fn drop_while(&mut self, is_over: impl Fn(usize) -> bool, budget: &mut Budget<'_>) -> Result<(), super::Stop> {
        loop {
            while self.older.pop_if(|(start, _)| is_over(*start)).is_some() {}
            let oldest = self.newer.first().filter(|_| self.older.is_empty());
            if !oldest.is_some_and(|(start, _)| is_over(*start)) {
                return Ok(());
            }
            self.newest.clear();
            let mut least = Curve::new();
            for (start, curve) in self.newer.drain(..).rev() {
                budget.spend(PIECE_STEPS * (least.len() + curve.len()) as u64)?;
                least = piecewise::minimum(&curve, &least);
                self.older.push((start, least.clone()));
            }
        }
    }

    /// The minimum of all curves in the queue.
    fn minimum(&self) -> Cow<'_, [Quadratic]> {
        match self.older.last() {
            None => Cow::Borrowed(&self.newest),
            Some((_, older)) => Cow::Owned(piecewise::minimum(older, &self.newest)),
        }
    }
}

/// `G(u) = min V(v)` over all `v` whose gap to `u` satisfies its bounds.
fn slide(problem: &Problem<'_>, region: &SearchRegion, k: usize, before: f64, curve: &[Quadratic]) -> Curve {
    let middle = middle(region, k);
    let (from, to) = region.centers[k];
    let (nearest, farthest) = (problem.gaps.lower[k - 1], problem.gaps.upper[k - 1]);
    let shift = before - middle;
    piecewise::window(curve, shift + nearest, shift + farthest, from - middle, to - middle)
}

/// Drops the pieces that are entirely above `cutoff`.
fn within(mut curve: Curve, cutoff: f64) -> Curve {
    curve.retain(|piece| piece.at(piece.lowest(piece.start, piece.end)) <= cutoff);
    curve
}

/// Traces back from the minimum of the last stage.
fn trace(problem: &Problem<'_>, region: &SearchRegion, stages: &[Stage]) -> Option<Finish> {
    let last = stages.len() - 1;
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut entry = 0;
    let mut ends = vec![problem.len(); stages.len()];
    let mut cost = f64::NAN;
    for k in (0..stages.len()).rev() {
        let (piece, t) = lowest(&stages[k].curves[entry], from, to)?;
        if k == last {
            cost = piece.at(t);
        }
        if k > 0 {
            entry = piece.origin as usize;
            ends[k - 1] = region.ends[k - 1][entry];
            let shift = stages[k].middle - stages[k - 1].middle + t;
            (from, to) = (shift - problem.gaps.upper[k - 1], shift - problem.gaps.lower[k - 1]);
        }
    }
    Some(Finish { cost, ends })
}

/// The minimum of a curve between `from` and `to`; if rounding leaves no piece there, that of the nearest piece.
fn lowest(curve: &[Quadratic], from: f64, to: f64) -> Option<(&Quadratic, f64)> {
    let candidates = curve.iter().map(|piece| {
        let miss = (piece.start - to).max(from - piece.end).max(0.0);
        let t = if miss > 0.0 { from.clamp(piece.start, piece.end) } else { piece.lowest(from, to) };
        (miss, piece.at(t), piece, t)
    });
    candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(_, _, piece, t)| (piece, t))
}
