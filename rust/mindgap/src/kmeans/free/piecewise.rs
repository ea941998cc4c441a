//! Piecewise quadratic functions of one centre: pointwise minimum, and minimum over a sliding window.
//!
//! A curve is a list of pieces in ascending order; between pieces it is infinite. Each operation is linear in the
//! pieces (the window: times the logarithm of their number).

/// `level + slope·t + bend·t²` for `t` from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quadratic {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) level: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
    /// The predecessor of the piece.
    pub(super) origin: u32,
}

/// Pieces in ascending order that do not overlap.
pub(super) type Curve = Vec<Quadratic>;

impl Quadratic {
    #[inline]
    pub(super) fn at(&self, t: f64) -> f64 {
        self.level + t * (self.slope + t * self.bend)
    }

    /// The minimiser of the piece, which must not be concave, between `from` and `to`.
    #[inline]
    pub(super) fn lowest(&self, from: f64, to: f64) -> f64 {
        let (from, to) = (from.max(self.start), to.min(self.end));
        let vertex = match (self.bend > 0.0, self.slope > 0.0) {
            (true, _) => -0.5 * self.slope / self.bend,
            (false, true) => from,
            (false, false) => to,
        };
        vertex.clamp(from, to.max(from))
    }

    /// The same function with another one added.
    #[inline]
    pub(super) fn plus(&self, level: f64, slope: f64, bend: f64) -> Self {
        Self { level: self.level + level, slope: self.slope + slope, bend: self.bend + bend, ..*self }
    }

    /// The part from `start` to `end`, moved to the right by `by`.
    pub(super) fn moved(&self, start: f64, end: f64, by: f64) -> Self {
        Self {
            start: start + by,
            end: end + by,
            level: self.level - by * (self.slope - by * self.bend),
            slope: self.slope - 2.0 * by * self.bend,
            bend: self.bend,
            origin: self.origin,
        }
    }

    fn same_function(&self, other: &Self) -> bool {
        (self.level, self.slope, self.bend, self.origin) == (other.level, other.slope, other.bend, other.origin)
    }
}

/// The pointwise minimum of two curves.
pub(super) fn minimum(f: &[Quadratic], g: &[Quadratic]) -> Curve {
    let mut out = Curve::with_capacity(f.len() + g.len() + 2);
    append_minimum(f, g, &mut out);
    out
}

/// Appends the pointwise minimum of two curves to `out`, which ends before both.
fn append_minimum(f: &[Quadratic], g: &[Quadratic], out: &mut Curve) {
    let (mut f, mut g) = (f.iter().copied().peekable(), g.iter().copied().peekable());
    let mut done = f64::NEG_INFINITY;
    loop {
        while f.next_if(|piece| piece.end <= done).is_some() {}
        while g.next_if(|piece| piece.end <= done).is_some() {}
        let (a, b) = match (f.peek(), g.peek()) {
            (None, None) => return,
            (Some(a), None) => (*a, None),
            (None, Some(b)) => (*b, None),
            (Some(a), Some(b)) if b.start.max(done) < a.start.max(done) => (*b, Some(*a)),
            (Some(a), Some(b)) => (*a, Some(*b)),
        };
        // `a` starts first; `b` may join it.
        let start = a.start.max(done);
        done = match b {
            None => a.end,
            Some(b) if b.start > start => a.end.min(b.start),
            Some(b) => a.end.min(b.end),
        };
        match b {
            Some(b) if b.start <= start => push_lower(out, &a, &b, start, done),
            _ => push(out, &a, start, done),
        }
    }
}

/// Appends `piece` from `start` to `end`.
fn push(out: &mut Curve, piece: &Quadratic, start: f64, end: f64) {
    if end <= start {
        return;
    }
    match out.last_mut() {
        Some(last) if last.end == start && last.same_function(piece) => last.end = end,
        _ => out.push(Quadratic { start, end, ..*piece }),
    }
}

/// Appends the lower of `a` and `b` from `start` to `end`.
fn push_lower(out: &mut Curve, a: &Quadratic, b: &Quadratic, start: f64, end: f64) {
    let mut from = start;
    let [first, second] = crossings(a, b);
    for to in [first, second, end] {
        if to > from && to <= end {
            let middle = 0.5 * (from + to);
            push(out, if b.at(middle) < a.at(middle) { b } else { a }, from, to);
            from = to;
        }
    }
}

/// The zeros of `a - b`, ascending; NaN if there are none.
fn crossings(a: &Quadratic, b: &Quadratic) -> [f64; 2] {
    let (level, slope, bend) = (a.level - b.level, a.slope - b.slope, a.bend - b.bend);
    let inside = slope * slope - 4.0 * bend * level;
    // The sum that does not cancel; the other root by Vieta.
    let sum = -0.5 * (slope + inside.sqrt().copysign(slope));
    let (one, other) = (sum / bend, level / sum);
    if one <= other { [one, other] } else { [other, one] }
}

/// `G(t) = min V(t - d)` over `nearest ≤ d ≤ farthest`, between `from` and `to`. The pieces of `V` must be convex.
pub(super) fn window(curve: &[Quadratic], nearest: f64, farthest: f64, from: f64, to: f64) -> Curve {
    if let [left @ .., _] = curve
        && !left.is_empty()
    {
        let (left, right) = curve.split_at(curve.len() / 2);
        return minimum(&window(left, nearest, farthest, from, to), &window(right, nearest, farthest, from, to));
    }
    let mut out = Curve::with_capacity(3);
    if let [piece] = curve {
        let lowest = piece.lowest(piece.start, piece.end);
        let flat = Quadratic { level: piece.at(lowest), slope: 0.0, bend: 0.0, ..*piece };
        let falling = piece.moved(piece.start, lowest, nearest);
        push(&mut out, &falling, falling.start.max(from), falling.end.min(to));
        push(&mut out, &flat, (lowest + nearest).max(from), (lowest + farthest).min(to));
        if farthest.is_finite() {
            let rising = piece.moved(lowest, piece.end, farthest);
            push(&mut out, &rising, rising.start.max(from), rising.end.min(to));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(curve: &[Quadratic], t: f64) -> f64 {
        let covers = |piece: &&Quadratic| piece.start <= t && t <= piece.end;
        curve.iter().filter(covers).map(|piece| piece.at(t)).fold(f64::INFINITY, f64::min)
    }

    fn curves() -> Vec<Curve> {
        let piece = |start, end, level, slope, bend| Quadratic { start, end, level, slope, bend, origin: 0 };
        vec![
            vec![piece(0.0, 4.0, 1.0, -2.0, 0.7), piece(5.0, 8.0, 0.5, 0.1, 0.01)],
            vec![piece(-1.0, 1.0, 0.0, 0.3, 0.2), piece(1.0, 6.5, 3.0, -1.5, 0.25)],
            vec![piece(2.0, 3.0, -1.0, 1.0, 1.0)],
            vec![],
        ]
    }

    #[test]
    fn minimum_is_the_lower_of_two() {
        for f in &curves() {
            for g in &curves() {
                let lower = minimum(f, g);
                assert!(lower.windows(2).all(|pair| pair[0].end <= pair[1].start));
                for i in -20..90 {
                    let t = i as f64 * 0.1 + 0.013;
                    let truth = at(f, t).min(at(g, t));
                    assert!(at(&lower, t) == truth || (at(&lower, t) - truth).abs() < 1e-12, "{t}");
                }
            }
        }
    }

    #[test]
    fn window_agrees_with_a_scan() {
        for curve in &curves() {
            for (nearest, farthest) in [(0.5, 2.0), (1.0, 1.0), (0.0, f64::INFINITY)] {
                let slid = window(curve, nearest, farthest, -10.0, 20.0);
                for i in 0..100 {
                    let t = i as f64 * 0.1 + 0.013;
                    let distances =
                        (0..=20_000).map(|d| nearest + (farthest.min(12.0) - nearest) * d as f64 / 20_000.0);
                    let truth = distances.map(|d| at(curve, t - d)).fold(f64::INFINITY, f64::min);
                    let found = at(&slid, t);
                    assert!(found <= truth + 1e-12 && (truth.is_infinite() || found > truth - 1e-2), "{found} {truth}");
                }
            }
        }
    }
}
