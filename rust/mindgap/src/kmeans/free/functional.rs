//! The exact finish: a dynamic program whose values are functions of the last centre.
//!
//! `V(e, u)` is the least cost of the points before `e` in the first clusters, the last of them centred at `u`: a
//! piecewise quadratic in `u`. Boundaries range over given candidates and centres over given intervals, so the work is
//! that of what the search has left over; on few points it is the whole problem. Nothing is relaxed: no cluster is
//! empty unless the problem lets it be, every gap holds its bounds, and the result is the optimum among the candidates,
//! to rounding.

use super::Problem;
use super::budget::Budget;
use super::piecewise::{self, Curve, Quadratic};
use crate::kmeans::rounding::of_curve;
use std::borrow::Cow;

/// Steps of the budget that a piece of a curve takes.
const PIECE_STEPS: u64 = 6;

/// What is left to be searched.
pub(super) struct SearchRegion {
    /// For each centre, the interval that it is in.
    pub(super) centers: Vec<(f64, f64)>,
    /// For each cluster, where it may end, ascending; the last ends with the points.
    pub(super) ends: Vec<Vec<usize>>,
    /// For each of these ends, what the points after it cost at least; nothing where that is not known.
    pub(super) rests: Vec<Vec<f64>>,
}

impl SearchRegion {
    /// What the points after end number `index` of cluster `k` cost at least.
    fn rest(&self, k: usize, index: usize) -> f64 {
        self.rests.get(k).and_then(|rests| rests.get(index)).copied().unwrap_or(0.0)
    }

    /// What rounding may do to the cost of a solution that costs about `cost`, when the program sums it up.
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
    /// Where the clusters end; where clusters may be empty, some end where they start.
    pub(super) ends: Vec<usize>,
}

/// The values of one centre: a curve for each end of its cluster, in the coordinate `t = u - middle`.
struct Stage {
    middle: f64,
    curves: Vec<Curve>,
}

/// The optimum of `region` among solutions that cost no more than `cutoff`; `None` if there is none.
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
/// The `s` from which a cluster is small enough, where sizes are bounded, are a window that moves right with `e`.
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

/// A queue of curves that knows their pointwise minimum: two stacks that keep running minima.
#[derive(Default)]
struct CurveQueue {
    /// The minima of each of the older curves and those pushed between it and `newer`, with where its cluster starts;
    /// the oldest is on top.
    older: Vec<(usize, Curve)>,
    /// The curves pushed since, if any will ever be dropped.
    newer: Vec<(usize, Curve)>,
    /// The minimum of all curves pushed since.
    newest: Curve,
}

impl CurveQueue {
    /// Adds the curve of clusters that start at `start`; `keep` says whether it may have to be dropped again.
    fn push(&mut self, start: usize, curve: Curve, keep: bool) {
        self.newest = piecewise::minimum(&self.newest, &curve);
        if keep {
            self.newer.push((start, curve));
        }
    }

    /// Drops the oldest curves while `is_over` says so of their starts.
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

/// `G(u) = min V(v)` over the `v` whose gap to `u` holds its bounds.
fn slide(problem: &Problem<'_>, region: &SearchRegion, k: usize, before: f64, curve: &[Quadratic]) -> Curve {
    let middle = middle(region, k);
    let (from, to) = region.centers[k];
    let (nearest, farthest) = (problem.gaps.lower[k - 1], problem.gaps.upper[k - 1]);
    let shift = before - middle;
    piecewise::window(curve, shift + nearest, shift + farthest, from - middle, to - middle)
}

/// Drops the pieces that lie above `cutoff` altogether.
fn within(mut curve: Curve, cutoff: f64) -> Curve {
    curve.retain(|piece| piece.at(piece.lowest(piece.start, piece.end)) <= cutoff);
    curve
}

/// Walks back from the least value of the last stage.
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

/// The least value of a curve between `from` and `to`; where rounding leaves no piece between them, the nearest one's.
fn lowest(curve: &[Quadratic], from: f64, to: f64) -> Option<(&Quadratic, f64)> {
    let candidates = curve.iter().map(|piece| {
        let miss = (piece.start - to).max(from - piece.end).max(0.0);
        let t = if miss > 0.0 { from.clamp(piece.start, piece.end) } else { piece.lowest(from, to) };
        (miss, piece.at(t), piece, t)
    });
    candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(_, _, piece, t)| (piece, t))
}
