//! Pieces of a sweep's curve: intervals of the last centre for which one path is best.
//!
//! A piece stores the cost before its cluster's first node; the cost of the cluster's own points is added when the
//! piece is evaluated. So another node changes no piece, and of two pieces at one position the better one remains the
//! better one.

use super::nodes::{NodeEnding, PathNodes};
use crate::numeric::double::Double;

/// `level + slope·t + bend·t²`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostParabola {
    pub(super) level: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
}

impl CostParabola {
    #[inline(always)]
    pub(super) fn at(&self, t: f64) -> f64 {
        self.level + t * (self.slope + t * self.bend)
    }

    /// The same function of `t - by`.
    #[inline(always)]
    pub(super) fn about(&self, by: f64) -> Self {
        let slope = self.slope + 2.0 * by * self.bend;
        Self { level: self.level + by * (self.slope + by * self.bend), slope, bend: self.bend }
    }
}

/// The minimiser of a part of a piece, and the cost as a function of the centre minus that minimiser.
pub(super) struct Bottom {
    pub(super) center: f64,
    pub(super) cost: CostParabola,
}

impl Bottom {
    /// Whether the cost decreases or increases from `from` to `to`, so that the minimiser is elsewhere. Tested with a
    /// margin of a width on either side, so that rounding does not matter.
    #[inline(always)]
    pub(super) fn is_elsewhere(&self, from: f64, to: f64) -> bool {
        let slope = |place: f64| self.cost.slope + 2.0 * self.cost.bend * (place - self.center);
        slope(from - (to - from)) > 0.0 || slope(to + (to - from)) < 0.0
    }
}

/// The best paths to centres of the last cluster from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterPiece {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The cost before the cluster's first node, penalties included, as a function of the centre minus `origin`. If it
    /// is not constant, its minimum over the initial piece was at `origin`, so that its terms do not cancel there.
    pub(super) before: CostParabola,
    pub(super) origin: f64,
    /// The cluster's first node.
    pub(super) start: u32,
    /// The index of the sweep's record of the predecessor.
    pub(super) beginning: u32,
}

impl CenterPiece {
    /// A piece of constant cost.
    pub(super) fn flat((from, to): (f64, f64), level: f64, start: u32, beginning: u32) -> Self {
        let before = CostParabola { level, slope: 0.0, bend: 0.0 };
        Self { from, to, before, origin: 0.5 * (from + to), start, beginning }
    }

    /// The piece at a distance of `gap` after the part `from` to `to` of this one, whose cluster begins with node
    /// `start`.
    #[inline(always)]
    pub(super) fn moved(&self, bottom: &Bottom, (from, to): (f64, f64), gap: f64, penalty: f64, start: u32) -> Self {
        // The rounding error of the new origin is kept.
        let origin = Double::sum(bottom.center, gap);
        let before = bottom.cost.about(-origin.minus(Double::from(origin.value())));
        Self {
            from: from + gap,
            to: to + gap,
            before: CostParabola { level: before.level + penalty, ..before },
            origin: origin.value(),
            start,
            beginning: self.beginning,
        }
    }

    /// Whether the cost before does not depend on the centre.
    pub(super) fn is_flat(&self) -> bool {
        self.before.bend == 0.0
    }

    /// The cost up to the end of the cluster as a function of the centre less `origin`.
    #[inline(always)]
    pub(super) fn until(&self, ending: &mut NodeEnding<'_>, origin: f64) -> CostParabola {
        let run = ending.since(self.start as usize);
        let before = if origin == self.origin { self.before } else { self.before.about(origin - self.origin) };
        let off = run.off(origin);
        CostParabola {
            level: before.level + (run.block.cost + run.block.weight * off * off),
            slope: before.slope - 2.0 * run.block.weight * off,
            bend: before.bend + run.block.weight,
        }
    }

    /// The minimiser from `from` to `to` and its cost, as a sum of terms that do not cancel.
    #[inline(always)]
    pub(super) fn lowest(&self, ending: &mut NodeEnding<'_>, from: f64, to: f64) -> (f64, f64) {
        let run = ending.since(self.start as usize);
        let (weight, cost) = (run.block.weight, run.block.cost);
        // Not `clamp`, which panics where rounding has crossed the ends.
        if self.is_flat() {
            let center = run.block.mean.max(from).min(to);
            return (center, self.before.level + (cost + weight * run.off(center).powi(2)));
        }
        let off = run.off(self.origin);
        let vertex = (weight * off - 0.5 * self.before.slope) / (weight + self.before.bend);
        let t = vertex.max(from - self.origin).min(to - self.origin);
        (self.origin + t, self.before.at(t) + (cost + weight * (off - t).powi(2)))
    }

    /// The minimiser from `from` to `to`, with the cost about it.
    #[inline(always)]
    pub(super) fn bottom(&self, ending: &mut NodeEnding<'_>, from: f64, to: f64) -> Bottom {
        let center = self.lowest(ending, from, to).0;
        Bottom { center, cost: self.until(ending, center) }
    }

    /// The piece of a mirrored curve over so many `nodes`, seen from the other side: its cost is that of the nodes
    /// after `start`.
    pub(super) fn mirrored(&self, nodes: usize) -> Self {
        let before = CostParabola { slope: -self.before.slope, ..self.before };
        let start = nodes as u32 - self.start;
        Self { from: -self.to, to: -self.from, before, origin: -self.origin, start, ..*self }
    }

    /// The minimum cost of a path whose cluster has its centre in this piece and in `after`, a mirrored piece for the
    /// rest of the path; `None` if the two have no position in common.
    pub(super) fn lowest_with(&self, after: &Self, nodes: &PathNodes) -> Option<f64> {
        let (from, to) = (self.from.max(after.from), self.to.min(after.to));
        if from > to {
            return None;
        }
        let mut ending = nodes.ending(after.start as usize);
        let (own, rest) = (self.until(&mut ending, from), after.before.about(from - after.origin));
        let (slope, bend) = (own.slope + rest.slope, own.bend + rest.bend);
        let t = if bend > 0.0 { (-0.5 * slope / bend).max(0.0).min(to - from) } else { 0.0 };
        // A sum of terms that do not cancel.
        let run = ending.since(self.start as usize);
        let at = |piece: &Self| piece.before.at((from - piece.origin) + t);
        Some(at(self) + at(after) + (run.block.cost + run.block.weight * (run.off(from) - t).powi(2)))
    }

    #[inline(always)]
    fn part(&self, from: f64, to: f64) -> Self {
        Self { from, to, ..*self }
    }
}

/// If the cost at a crossing is lower than in the middle by more than this factor, the crossing has lost digits.
const FAR_ABOVE: f64 = 64.0;

/// Appends a part of a piece.
#[inline(always)]
fn push(out: &mut Vec<CenterPiece>, piece: &CenterPiece, from: f64, to: f64) {
    if to <= from {
        return;
    }
    match out.last_mut() {
        Some(last) if last.beginning == piece.beginning && last.to == from => last.to = to,
        _ => out.push(piece.part(from, to)),
    }
}

/// Appends to `out` the pointwise minimum of two lists of pieces, for clusters that end at `now`.
#[inline(always)]
pub(super) fn append_lower(now: &mut NodeEnding<'_>, f: &[CenterPiece], g: &[CenterPiece], out: &mut Vec<CenterPiece>) {
    let (mut f, mut g) = (f.iter().peekable(), g.iter().peekable());
    let mut done = f64::NEG_INFINITY;
    loop {
        while f.next_if(|piece| piece.to <= done).is_some() {}
        while g.next_if(|piece| piece.to <= done).is_some() {}
        let (a, b) = match (f.peek(), g.peek()) {
            (None, None) => return,
            (Some(&a), None) => (a, None),
            (None, Some(&b)) => (b, None),
            (Some(&a), Some(&b)) if b.from.max(done) < a.from.max(done) => (b, Some(a)),
            (Some(&a), Some(&b)) => (a, Some(b)),
        };
        // `a` starts first; `b` may join it.
        let from = a.from.max(done);
        match b {
            Some(b) if b.from <= from => {
                done = a.to.min(b.to);
                push_lower(now, a, b, (from, done), out);
            }
            Some(b) => {
                done = a.to.min(b.from);
                push(out, a, from, done);
            }
            None => {
                done = a.to;
                push(out, a, from, done);
            }
        }
    }
}

/// Appends the lower of `a` and `b` from `from` to `to`.
#[inline(always)]
fn push_lower(
    now: &mut NodeEnding<'_>,
    a: &CenterPiece,
    b: &CenterPiece,
    (from, to): (f64, f64),
    out: &mut Vec<CenterPiece>,
) {
    let origin = 0.5 * (from + to);
    let (p, q) = (a.until(now, origin), b.until(now, origin));
    let mut start = from;
    let ends = crossings(&p, &q).map(|t| match p.level > FAR_ABOVE * p.at(t) {
        true => closer_crossing(now, a, b, origin + t),
        false => origin + t,
    });
    for end in [ends[0], ends[1], to] {
        if end > start && end <= to {
            let middle = 0.5 * (start + end) - origin;
            push(out, if q.at(middle) < p.at(middle) { b } else { a }, start, end);
            start = end;
        }
    }
}

/// The crossings of two pieces near `place`, by their costs about it.
fn closer_crossing(now: &mut NodeEnding<'_>, a: &CenterPiece, b: &CenterPiece, place: f64) -> f64 {
    let [first, second] = crossings(&a.until(now, place), &b.until(now, place));
    let t = if second.abs() < first.abs() { second } else { first };
    if t.abs() < f64::INFINITY { place + t } else { place }
}

/// The crossings of two parabolas, ascending; NaN if there are none.
#[inline(always)]
fn crossings(p: &CostParabola, q: &CostParabola) -> [f64; 2] {
    let (level, slope, bend) = (p.level - q.level, p.slope - q.slope, p.bend - q.bend);
    let inside = slope * slope - 4.0 * bend * level;
    if inside < 0.0 {
        return [f64::NAN; 2];
    }
    // The sum that does not cancel; the other root by Vieta.
    let sum = -0.5 * (slope + inside.sqrt().copysign(slope));
    let (one, other) = (sum / bend, level / sum);
    if one <= other { [one, other] } else { [other, one] }
}
