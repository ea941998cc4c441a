//! One pass: the best centres of all points when each cluster costs a penalty on top, however many clusters there are.
//!
//! `V(j, u)` is the least cost of the runs before `j`, penalties included, when the next run belongs to a cluster centred
//! at `u`: a piecewise quadratic in `u`. Adding a run adds its quadratic to every piece; a new cluster may begin before it,
//! at a centre whose gap to the last one holds the bound. In an optimum the boundary of two clusters lies at the midpoint
//! of their centres, which leaves a new cluster few places to begin with; so the curves stay short and the pass local.
//!
//! With rebates the pass bounds the cost of the points behind the runs: a midpoint inside a run saves at most its gap
//! times the run's spread (docs/mathematics.md). That is linear in both centres, so pieces stay quadratics.

use super::MOST_LINKS;
use super::runs::{Reach, Run};
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::piecewise::{Curve, Quadratic, append_minimum, minimum, push, window};
use crate::kmeans::rounding::{of_addition, of_move, of_step};

/// What an optimum of a pass costs, and where its clusters end.
pub(super) struct PassOptimum {
    /// The cost, penalties included, without what lies within the runs.
    pub(super) value: f64,
    /// One past the last run of each cluster.
    pub(super) ends: Vec<usize>,
    /// What rounding may have added to the value.
    pub(super) rounding: f64,
}

/// The curves before run `j` is added, about `origin`, less `base`.
pub(super) struct PassStep<'a> {
    pub(super) j: usize,
    pub(super) origin: f64,
    pub(super) base: f64,
    /// The cost when the run belongs to a cluster centred there.
    pub(super) open: &'a [Quadratic],
    /// The part of it where the run is the first of its cluster.
    pub(super) begun: &'a [Quadratic],
}

/// What a pass rests on.
pub(super) struct PathPass<'a> {
    pub(super) runs: &'a [Run],
    pub(super) reach: &'a Reach,
    /// The bounds on every gap.
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) penalty: f64,
    /// Whether midpoints may lie inside runs.
    pub(super) rebates: bool,
    /// Whether only the best path of all matters, and no path has been left out: then midpoints are held to their boundaries.
    pub(super) only_best: bool,
}

/// The origin follows the runs when they are so many windows away.
const WINDOWS_AWAY: f64 = 0.5;

/// Which cluster began with which run, and which one it came after.
#[derive(Clone, Copy)]
struct Beginning {
    before: u32,
    run: u32,
}

impl PathPass<'_> {
    /// Runs the pass; `see` is shown every step. `None` if the windows leave no path.
    pub(super) fn run(
        &self,
        budget: &mut Budget<'_>,
        mut see: impl FnMut(PassStep<'_>) -> Result<(), Stop>,
    ) -> Result<Option<PassOptimum>, Stop> {
        let first = self.reach.windows[0];
        let (mut origin, mut base, mut rounding) = (self.runs[0].mean, 0.0, 0.0);
        let mut largest = 0.0_f64;
        let mut beginnings = vec![Beginning { before: 0, run: 0 }];
        let (start, end) = (first.0 - origin, first.1 - origin);
        let mut open = vec![Quadratic { start, end, level: self.penalty, slope: 0.0, bend: 0.0, origin: 0 }];
        let (mut begun, mut merged) = (Curve::new(), Curve::new());
        for (j, run) in self.runs.iter().enumerate() {
            begun.clear();
            if j > 0 {
                self.begin(j, origin, &open, &mut begun);
            }
            if let Some(entry) = begun.first() {
                let from = entry.start;
                if beginnings.capacity() - beginnings.len() < begun.len() {
                    // The list grows to twice its length.
                    budget.has_memory(2 * size_of::<Beginning>() * (beginnings.len() + begun.len()))?;
                }
                for piece in &mut begun {
                    beginnings.push(Beginning { before: piece.origin, run: j as u32 });
                    piece.origin = beginnings.len() as u32 - 1;
                }
                let kept = open.partition_point(|piece| piece.end <= from);
                merged.clear();
                append_minimum(&open[kept..], &begun, &mut merged);
                open.truncate(kept);
                open.append(&mut merged);
            }
            let window = self.reach.windows[j];
            clip(&mut open, window.0 - origin, window.1 - origin);
            if open.is_empty() {
                return Ok(None);
            }
            see(PassStep { j, origin, base, open: &open, begun: &begun })?;
            if run.mean - origin > WINDOWS_AWAY * (window.1 - window.0) {
                largest = size_of_values(&open).max(largest);
                rounding += of_move(size_of_values(&open));
                base += rebase(&mut open, run.mean - origin);
                origin = run.mean;
                rounding += of_addition(base.abs());
            }
            add(&mut open, run, run.mean - origin);
            let size = size_of_values(&open);
            largest = size.max(largest);
            rounding += of_step(size);
            budget.spend(open.len() as u64)?;
        }
        let lowest = |piece: &Quadratic| piece.at(piece.lowest(piece.start, piece.end));
        let best = open.iter().min_by(|a, b| lowest(a).total_cmp(&lowest(b)));
        Ok(best.map(|best| {
            let value = base + lowest(best);
            // A curve is moved once a link, and an optimum has no more links than its value has penalties.
            let links = 1.0 + (value.abs() + rounding) / self.penalty;
            rounding += of_move(largest * links);
            PassOptimum {
                value,
                ends: self.trace(&beginnings, best.origin),
                rounding: rounding + of_addition(base.abs()),
            }
        }))
    }

    /// The curve of clusters that begin with run `j`.
    fn begin(&self, j: usize, origin: f64, open: &[Quadratic], begun: &mut Curve) {
        let lower = self.lower;
        let (left, right) = (&self.runs[j - 1], &self.runs[j]);
        let middles = (left.mean - origin, right.mean - origin);
        let (half, window) = (0.5 * self.reach.gaps[j], self.reach.windows[j]);
        let rebate = if self.rebates { left.spread.max(right.spread) } else { 0.0 };
        // Rounding must not close a midpoint out.
        let margin = 1e-9 * (middles.1 - middles.0 + lower);
        let before = (middles.0 - half - margin, middles.1 - 0.5 * lower + margin);
        let after = (
            (middles.0 + 0.5 * lower - margin).max(window.0 - origin),
            (middles.1 + half + margin).min(window.1 - origin),
        );
        if after.0 >= after.1 {
            return;
        }
        let from = open.partition_point(|piece| piece.end < before.0);
        if self.upper.is_finite() {
            return self.begin_within(j, &open[from..], rebate, before, after, begun);
        }
        // Elsewhere another boundary costs less; but that path may have been left out, or may be cheap by its rebates alone.
        let middles = if self.only_best { middles } else { (f64::NEG_INFINITY, f64::INFINITY) };
        let transition = Transition { lower, penalty: self.penalty, rebate, before, after, middles, margin };
        transition.begin(&open[from..], begun);
    }

    /// The same under an upper bound as well. Where the points leave as much space, clusters without points may lie between.
    fn begin_within(
        &self,
        j: usize,
        open: &[Quadratic],
        rebate: f64,
        before: (f64, f64),
        after: (f64, f64),
        begun: &mut Curve,
    ) {
        let tilted: Curve = open
            .iter()
            .map(|piece| Quadratic {
                start: piece.start.max(before.0),
                end: piece.end.min(before.1),
                slope: piece.slope + rebate,
                ..*piece
            })
            .filter(|piece| piece.start < piece.end)
            .collect();
        let slide = |links: f64, farthest: f64| {
            let mut slid = window(&tilted, links * self.lower, farthest, after.0, after.1);
            slid.iter_mut().for_each(|piece| *piece = piece.plus(links * self.penalty, -rebate, 0.0));
            slid
        };
        let mut all = slide(1.0, self.upper);
        for links in 2..=self.reach.links[j] {
            let links = links as f64;
            let farthest = if links < MOST_LINKS as f64 { links * self.upper } else { f64::INFINITY };
            all = minimum(&all, &slide(links, farthest));
        }
        begun.append(&mut all);
    }

    /// Where the clusters end of which the last began as `node` says.
    fn trace(&self, beginnings: &[Beginning], mut node: u32) -> Vec<usize> {
        let mut ends = vec![self.runs.len()];
        while node != 0 {
            let Beginning { before, run } = beginnings[node as usize];
            ends.push(run as usize);
            node = before;
        }
        ends.reverse();
        ends
    }
}

/// What holds for the two centres about a boundary.
struct Transition {
    lower: f64,
    penalty: f64,
    /// What a unit of gap saves.
    rebate: f64,
    /// Where the centre before the boundary may be, and the one after it.
    before: (f64, f64),
    after: (f64, f64),
    /// Where their midpoint may be, and what rounding may do to that.
    middles: (f64, f64),
    margin: f64,
}

impl Transition {
    /// `min V(v) + penalty - rebate·(u - v)` over `v ≤ u - lower`: what falls moves by the bound, a minimum goes on as a line.
    /// Each part only where the midpoint is where the boundary is: elsewhere another boundary costs less.
    fn begin(&self, open: &[Quadratic], out: &mut Curve) {
        let mut best: Option<(f64, f64, u32)> = None;
        for piece in open {
            let (start, end) = (piece.start.max(self.before.0), piece.end.min(self.before.1));
            if start > end {
                continue;
            }
            let tilted = Quadratic { start, end, slope: piece.slope + self.rebate, ..*piece };
            let lowest = tilted.lowest(start, end);
            let value = tilted.at(lowest);
            let from = match best {
                Some((least, ..)) if value >= least => continue,
                Some((least, at, origin)) => {
                    let from = falls_below(&tilted, least, start, lowest);
                    self.push_line(least, at, origin, from + self.lower, out);
                    from
                }
                None => start,
            };
            let mut tight = piece.moved(from, lowest, self.lower);
            tight.level += self.penalty - self.rebate * self.lower;
            push(out, &tight, tight.start.max(self.after.0), tight.end.min(self.after.1));
            best = Some((value, lowest, piece.origin));
        }
        if let Some((least, at, origin)) = best {
            self.push_line(least, at, origin, f64::INFINITY, out);
        }
    }

    /// The line from a centre at `at`, of value `least` with the rebate's tilt, on.
    fn push_line(&self, least: f64, at: f64, origin: u32, end: f64, out: &mut Curve) {
        let line =
            Quadratic { start: 0.0, end: 0.0, level: least + self.penalty, slope: -self.rebate, bend: 0.0, origin };
        let start = (at + self.lower).max(2.0 * self.middles.0 - at - self.margin).max(self.after.0);
        let start = out.last().map_or(start, |last| start.max(last.end));
        push(out, &line, start, end.min(2.0 * self.middles.1 - at + self.margin).min(self.after.1));
    }
}

/// Where a piece, which falls from `start` to `lowest`, comes below `value`.
fn falls_below(piece: &Quadratic, value: f64, start: f64, lowest: f64) -> f64 {
    if piece.at(start) <= value {
        return start;
    }
    let (level, slope, bend) = (piece.level - value, piece.slope, piece.bend);
    let root = (slope * slope - 4.0 * bend * level).max(0.0).sqrt();
    // The smaller root, by the sum that does not cancel.
    let at = if slope <= 0.0 { 2.0 * level / (root - slope) } else { -0.5 * (slope + root) / bend };
    at.max(start).min(lowest)
}

/// Adds the cost of a run, at `z` from the origin, to all pieces.
fn add(open: &mut [Quadratic], run: &Run, z: f64) {
    let (level, slope) = (run.weight * z * z, 2.0 * run.weight * z);
    for piece in open {
        piece.level += level;
        piece.slope -= slope;
        piece.bend += run.weight;
    }
}

/// How large the terms of a curve's values are.
fn size_of_values(open: &[Quadratic]) -> f64 {
    let reach = open[0].start.abs().max(open[open.len() - 1].end.abs());
    let sizes = open.iter().map(|piece| piece.level.abs() + reach * (piece.slope.abs() + reach * piece.bend));
    sizes.fold(0.0, f64::max)
}

/// Moves the origin of a curve by `by` and takes its least value off; says how much that is.
fn rebase(open: &mut [Quadratic], by: f64) -> f64 {
    let least = open.iter().map(|piece| piece.at(piece.lowest(piece.start, piece.end))).fold(f64::INFINITY, f64::min);
    for piece in open {
        *piece = piece.moved(piece.start, piece.end, -by);
        piece.level -= least;
    }
    least
}

/// Drops what lies outside a window.
fn clip(open: &mut Curve, from: f64, to: f64) {
    open.truncate(open.partition_point(|piece| piece.start < to));
    let gone = open.partition_point(|piece| piece.end <= from);
    open.drain(..gone);
    if let Some(piece) = open.first_mut() {
        piece.start = piece.start.max(from);
    }
    if let Some(piece) = open.last_mut() {
        piece.end = piece.end.min(to);
    }
}
