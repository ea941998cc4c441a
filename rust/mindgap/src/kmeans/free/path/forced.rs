//! Forced ranges: positions of centres that matter only because a cluster must hold a point nearer to another centre.
//!
//! In an optimum a boundary lies midway between its centres, unless the point next to it is its cluster's only point.
//! If that point is nearer to the other centre, then under an upper bound the gap would be too wide without its
//! cluster, since removing a cluster lowers the penalised cost. So next to the boundary there is a space in the data of
//! more than half the upper bound, and centres that cross it: either these lag behind the points to the right of the
//! space, one point per centre, or they run ahead of those to its left. Every second centre is more than the upper
//! bound farther on, so after a few centres they catch up with the points. If clusters are rewarded, or their number is
//! given, the same holds with twice the lower bound, which is the smallest distance of every second centre, and the
//! ends of the data count as such spaces too. docs/mathematics.md has the proof.

/// The positions, from one to another, of the centre of a new cluster at a boundary.
pub(super) type ForcedRange = (f64, f64);

/// Forced ranges are widened by this share of the stride, so that rounding does not matter.
const MARGIN: f64 = 1e-6;

/// The quantities that determine forced ranges.
#[derive(Clone, Copy)]
pub(super) struct ForcedRules {
    /// The distance between successive centres of a forced range, on average; infinite if there are no forced ranges.
    pub(super) stride: f64,
    /// The largest gap between neighbouring centres.
    pub(super) upper: f64,
    /// The range of the centres, if the ends of the data count as spaces.
    pub(super) ends: Option<(f64, f64)>,
}

/// The forced ranges of the boundaries between `x`, one boundary after the other.
pub(super) struct ForcedRanges<'a> {
    x: &'a [f64],
    rules: ForcedRules,
    /// The boundaries before wide spaces, the last one first, with the farthest position of a centre there.
    ahead: Vec<(usize, f64)>,
    /// The smallest position of the last centre before the boundary if centres may lag behind; else infinite.
    back: f64,
}

impl<'a> ForcedRanges<'a> {
    /// O(n).
    pub(super) fn new(x: &'a [f64], rules: ForcedRules) -> Self {
        let (mut ahead, stride) = (Vec::new(), (1.0 - MARGIN) * rules.stride);
        let (first, last) = rules.ends.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        if stride < f64::INFINITY {
            let mut place = last + stride;
            for j in (1..x.len()).rev() {
                place -= stride;
                if let Some(&next) = x.get(j + 1).filter(|&&next| next - x[j] >= stride) {
                    place = place.max(next);
                }
                if x[j] <= place - 0.5 * stride {
                    ahead.push((j, place));
                } else {
                    place = f64::NEG_INFINITY;
                }
            }
        }
        Self { x, rules, ahead, back: first - stride }
    }

    /// The forced range at the boundary before `j`; call it for each boundary in turn.
    #[inline(always)]
    pub(super) fn at(&mut self, j: usize) -> Option<ForcedRange> {
        let (x, ForcedRules { stride, upper, .. }) = (self.x, self.rules);
        if stride == f64::INFINITY {
            return None;
        }
        let (stride, margin) = ((1.0 - MARGIN) * stride, MARGIN * stride);
        self.back += stride;
        if j > 1 && x[j - 1] - x[j - 2] >= stride {
            self.back = self.back.min(x[j - 2]);
        }
        if x[j - 1] < self.back + 0.5 * stride {
            self.back = f64::INFINITY;
        }
        let lag = self.back + stride;
        // The last point before the boundary is nearer to the new centre than to the previous one, which is close.
        let farthest = (2.0 * x[j - 1] - self.back).min(x[j - 1] + 0.5 * upper) + margin;
        let lagging = (lag < f64::INFINITY).then_some((lag, farthest));
        let ahead = self.ahead.pop_if(|(boundary, _)| *boundary == j).map(|(_, place)| (x[j], place + margin));
        match (lagging, ahead) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        }
    }

    /// The smallest position of the last centre before the boundary in a forced range.
    pub(super) fn back(&self) -> f64 {
        self.back
    }
}
