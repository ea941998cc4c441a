//! Pieces of the curve of a sweep: for centres of the last cluster between two places, which path before is best.
//!
//! A piece keeps the cost before its cluster's first node; what the cluster's own points cost is added when it is asked for.
//! So a node more changes no piece, and of two pieces at one place the better one stays so.

use super::nodes::NodeEnding;

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

    /// Where it is least between `from` and `to`, and its value there.
    #[inline(always)]
    pub(super) fn lowest(&self, from: f64, to: f64) -> (f64, f64) {
        // Not `clamp`, which panics where rounding has crossed the ends.
        let vertex = if self.bend > 0.0 { -0.5 * self.slope / self.bend } else { from };
        let t = vertex.max(from).min(to);
        (t, self.at(t))
    }
}

/// A chain of centres at their bounds: it moves as one. Places along it are sums of three numbers, so that rounding does not
/// grow with its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) place: f64,
    /// Gaps at the lower and at the upper bound since.
    pub(super) tight: (u32, u32),
}

/// The best paths to centres of the last cluster from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterPiece {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The cost before the cluster's first node, all penalties included, as a function of the centre less `origin`.
    pub(super) before: CostParabola,
    pub(super) origin: f64,
    pub(super) anchor: Anchor,
    /// The cluster's first node.
    pub(super) start: u32,
    /// Where the sweep has noted what came before.
    pub(super) beginning: u32,
}

impl CenterPiece {
    /// A piece that costs as much wherever its centre is.
    pub(super) fn flat((from, to): (f64, f64), level: f64, start: u32, beginning: u32) -> Self {
        let origin = 0.5 * (from + to);
        let before = CostParabola { level, slope: 0.0, bend: 0.0 };
        Self { from, to, before, origin, anchor: Anchor { place: origin, tight: (0, 0) }, start, beginning }
    }

    /// Whether the cost before does not depend on the centre.
    pub(super) fn is_flat(&self) -> bool {
        self.before.bend == 0.0
    }

    /// The cost up to the end of the cluster as a function of the centre less `origin`.
    #[inline(always)]
    pub(super) fn until(&self, ending: &mut NodeEnding<'_>, origin: f64) -> CostParabola {
        let block = ending.since(self.start as usize);
        let before = if origin == self.origin { self.before } else { self.before.about(origin - self.origin) };
        let off = block.mean - origin;
        CostParabola {
            level: before.level + (block.cost + block.weight * off * off),
            slope: before.slope - 2.0 * block.weight * off,
            bend: before.bend + block.weight,
        }
    }

    /// A place from `from` to `to` about which the cost has few terms to cancel.
    #[inline(always)]
    pub(super) fn near(&self, ending: &mut NodeEnding<'_>, from: f64, to: f64) -> f64 {
        match self.is_flat() {
            true => ending.since(self.start as usize).mean.max(from).min(to),
            false => self.origin,
        }
    }

    /// The best centre from `from` to `to`, and its cost.
    #[inline(always)]
    pub(super) fn lowest(&self, ending: &mut NodeEnding<'_>, from: f64, to: f64) -> (f64, f64) {
        let origin = self.near(ending, from, to);
        let (t, cost) = self.until(ending, origin).lowest(from - origin, to - origin);
        (origin + t, cost)
    }

    #[inline(always)]
    fn part(&self, from: f64, to: f64) -> Self {
        Self { from, to, ..*self }
    }
}

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

/// Appends to `out` the lower of two lists of pieces at every place, when their clusters end at `now`.
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
    let [first, second] = crossings(&p, &q);
    for end in [origin + first, origin + second, to] {
        if end > start && end <= to {
            let middle = 0.5 * (start + end) - origin;
            push(out, if q.at(middle) < p.at(middle) { b } else { a }, start, end);
            start = end;
        }
    }
}

/// Where two parabolas cross, ascending; NaN where they do not.
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
