//! The active rows of a program whose rows are all gaps, by dynamic programming in plain doubles: O(k²).
//!
//! Let `F_k(x)` be the least cost of the means up to `k` if that is at `x`. It is convex and piecewise quadratic. The
//! next one adds its own term to `min F_k(y)` over the `y` that the gap admits: the part of `F_k` left of its minimum
//! moves by the lower bound, the part right of it by the upper bound, and between them the minimum stays. Going back
//! from the last mean, each lies at the minimum of its `F`, or at a bound from its neighbour, which is then active.

use super::equality::Objective;
use super::row_matrix::{Bound, RowMatrix};
use crate::constraint::Side;

/// A piece of the derivative of `F`, `slope·x - pull` from `from` to the next piece.
#[derive(Clone, Copy)]
struct DerivativePiece {
    from: f64,
    slope: f64,
    pull: f64,
}

impl DerivativePiece {
    /// Moved to the right by a distance.
    fn moved(self, by: f64) -> Self {
        Self { from: self.from + by, pull: self.pull + self.slope * by, ..self }
    }
}

/// Returns which bound of each gap is active at the optimum of `Σ g (x - target)²`, up to rounding. `terms` are the
/// targets with their `g`; `gaps` are the lower and the upper bounds.
pub(crate) fn active_sides(terms: impl Iterator<Item = (f64, f64)>, gaps: &[(f64, f64)]) -> Vec<Option<Side>> {
    let mut minima = Vec::with_capacity(gaps.len() + 1);
    let (mut pieces, mut before): (Vec<DerivativePiece>, Vec<DerivativePiece>) = Default::default();
    pieces.push(DerivativePiece { from: f64::NEG_INFINITY, slope: 0.0, pull: 0.0 });
    for (k, (target, g)) in terms.enumerate() {
        for piece in &mut pieces {
            piece.slope += g;
            piece.pull += g * target;
        }
        let ends_above =
            |at: &usize| pieces.get(at + 1).is_none_or(|next| pieces[*at].slope * next.from >= pieces[*at].pull);
        let at = (0..pieces.len()).find(ends_above).unwrap_or(pieces.len() - 1);
        let minimum = pieces[at].pull / pieces[at].slope;
        minima.push(minimum);
        let Some(&(lower, upper)) = gaps.get(k) else { break };
        std::mem::swap(&mut pieces, &mut before);
        pieces.clear();
        if lower > f64::NEG_INFINITY {
            pieces.extend(before[..=at].iter().map(|piece| piece.moved(lower)));
        }
        pieces.push(DerivativePiece { from: minimum + lower, slope: 0.0, pull: 0.0 });
        if upper < f64::INFINITY {
            pieces.push(DerivativePiece { from: minimum, ..before[at] }.moved(upper));
            pieces.extend(before[at + 1..].iter().map(|piece| piece.moved(upper)));
        }
    }
    let mut next = minima[gaps.len()];
    let mut sides = vec![None; gaps.len()];
    for ((side, &(lower, upper)), &minimum) in sides.iter_mut().zip(gaps).zip(&minima).rev() {
        *side = match () {
            () if lower == upper => Some(Side::Both),
            () if minimum > next - lower => Some(Side::Lower),
            () if minimum < next - upper => Some(Side::Upper),
            () => None,
        };
        next = minimum.min(next - lower).max(next - upper);
    }
    sides
}

/// The active rows, up to rounding; `None` if some row is not a gap.
pub(super) fn active(rows: &RowMatrix, objective: Objective<'_>) -> Option<Vec<Bound>> {
    let gaps = gaps(rows)?;
    let bounds: Vec<(f64, f64)> = gaps.iter().map(|gap| (gap.lower.0, gap.upper.0)).collect();
    let terms = objective.targets.iter().copied().zip(objective.stiffness.iter().copied());
    let active = gaps.iter().zip(active_sides(terms, &bounds)).filter_map(|(gap, side)| {
        let row = if side? == Side::Upper { gap.upper.1 } else { gap.lower.1 };
        Some(Bound { row, side: side? })
    });
    Some(active.collect())
}

/// The bounds of a gap, each with its row.
#[derive(Clone, Copy)]
struct BoundedGap {
    lower: (f64, usize),
    upper: (f64, usize),
}

/// The tightest bounds of each gap; `None` if some row is not a gap.
fn gaps(rows: &RowMatrix) -> Option<Vec<BoundedGap>> {
    let free = BoundedGap { lower: (f64::NEG_INFINITY, 0), upper: (f64::INFINITY, 0) };
    let mut gaps = vec![free; rows.k().saturating_sub(1)];
    for row in 0..rows.len() {
        let gap = &mut gaps[rows.gap(row)?];
        let (lower, upper) = rows.bounds(row);
        if lower > gap.lower.0 {
            gap.lower = (lower, row);
        }
        if upper < gap.upper.0 {
            gap.upper = (upper, row);
        }
    }
    Some(gaps)
}
