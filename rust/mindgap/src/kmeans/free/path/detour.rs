//! Where clusters of one point keep an upper bound: the boundaries at which more centres than the usual ones matter.
//!
//! In an optimum a boundary lies midway between its centres, unless the point next to it is all that its cluster has. If that point
//! is nearer to the other centre, then without its cluster the gap would be too wide, since a cluster less costs less. So there is a
//! space of more than half the upper bound next to it, with the centres that cross it: either they lag behind the points to the right of the
//! space, one point a centre, or they run ahead of those to its left. Every second centre is more than the upper bound farther on, so they
//! catch up with the points after a few. docs/mathematics.md has the proof.

/// Centres of new clusters at a boundary, from one place to another.
pub(super) type Detour = (f64, f64);

/// By so much of the upper bound detours are longer than they need be, so that rounding does not decide.
const MARGIN: f64 = 1e-6;

/// The detours of the boundaries between `x`, one boundary after the other.
pub(super) struct Detours<'a> {
    x: &'a [f64],
    upper: f64,
    /// The boundaries before wide spaces, the last ones first, with the farthest place of a centre.
    ahead: Vec<(usize, f64)>,
    /// The least place of the last centre before the boundary, if centres may lag behind; else infinite.
    back: f64,
}

impl<'a> Detours<'a> {
    /// O(n).
    pub(super) fn new(x: &'a [f64], upper: f64) -> Self {
        let mut ahead = Vec::new();
        if upper < f64::INFINITY {
            let mut place = f64::NEG_INFINITY;
            for j in (1..x.len()).rev() {
                place -= (0.5 - MARGIN) * upper;
                if let Some(&next) = x.get(j + 1).filter(|&&next| next - x[j] >= (0.5 - MARGIN) * upper) {
                    place = place.max(next);
                }
                if x[j] <= place - (0.25 - MARGIN) * upper {
                    ahead.push((j, place));
                } else {
                    place = f64::NEG_INFINITY;
                }
            }
        }
        Self { x, upper, ahead, back: f64::INFINITY }
    }

    /// The detour at the boundary before `j`: to be asked for each in turn.
    #[inline(always)]
    pub(super) fn at(&mut self, j: usize) -> Option<Detour> {
        if self.upper == f64::INFINITY {
            return None;
        }
        let (x, upper) = (self.x, self.upper);
        self.back += (0.5 - MARGIN) * upper;
        if j > 1 && x[j - 1] - x[j - 2] >= (0.5 - MARGIN) * upper {
            self.back = self.back.min(x[j - 2]);
        }
        if x[j - 1] < self.back + (0.25 - MARGIN) * upper {
            self.back = f64::INFINITY;
        }
        let lag = self.back + (0.5 - MARGIN) * upper;
        let lagging = (lag < f64::INFINITY).then(|| (lag, x[j - 1] + (0.5 + MARGIN) * upper));
        let ahead = self.ahead.pop_if(|(boundary, _)| *boundary == j).map(|(_, place)| (x[j], place + MARGIN * upper));
        match (lagging, ahead) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        }
    }

    /// How far back the last centre before the boundary may be in a detour.
    pub(super) fn back(&self) -> f64 {
        self.back
    }
}
