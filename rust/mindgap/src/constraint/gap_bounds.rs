//! Bounds on the gaps between neighbouring centres.

use crate::data::frame::Frame;
use crate::error::ConstraintError;

/// `lower ≤ μ[g+1] - μ[g] ≤ upper` for the `k - 1` gaps `g` of `k` ascending centres.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "super::serde_form::GapBoundsForm", into = "super::serde_form::GapBoundsForm")
)]
pub struct GapBounds {
    pub(super) lower: Side,
    pub(super) upper: Side,
}

/// One bound for all gaps, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Side {
    Same(f64),
    Each(Vec<f64>),
}

impl GapBounds {
    /// No bounds: every gap from zero to infinity.
    pub fn none() -> Self {
        Self::lower(0.0)
    }

    /// Every gap is at least `delta`. A fit refuses a `delta` that is negative or not finite.
    pub fn lower(delta: f64) -> Self {
        Self { lower: Side::Same(delta), upper: Side::Same(f64::INFINITY) }
    }

    /// Every gap is between `lower` and `upper`.
    ///
    /// # Errors
    /// If a bound is negative or NaN, or `lower` is above `upper`.
    pub fn between(lower: f64, upper: f64) -> Result<Self, ConstraintError> {
        check(None, lower, upper)?;
        Ok(Self { lower: Side::Same(lower), upper: Side::Same(upper) })
    }

    /// Gap `g` is between `lower[g]` and `upper[g]`; infinity means no upper bound.
    ///
    /// # Errors
    /// If the lengths differ, a bound is negative or NaN, or a lower bound is above its upper bound.
    pub fn per_gap(lower: &[f64], upper: &[f64]) -> Result<Self, ConstraintError> {
        if lower.len() != upper.len() {
            let k = lower.len() + 1;
            return Err(ConstraintError::GapCount { k, which: "upper", given: upper.len() });
        }
        for (gap, (&lower, &upper)) in lower.iter().zip(upper).enumerate() {
            check(Some(gap), lower, upper)?;
        }
        Ok(Self { lower: Side::Each(lower.to_vec()), upper: Side::Each(upper.to_vec()) })
    }

    /// The bounds of the `k - 1` gaps of `k` centres, checked.
    pub(crate) fn resolve(&self, k: usize) -> Result<Gaps, ConstraintError> {
        let gaps = Gaps { lower: self.lower.resolve(k, "lower")?, upper: self.upper.resolve(k, "upper")? };
        if let (Side::Same(lower), Side::Same(upper)) = (&self.lower, &self.upper) {
            check(None, *lower, *upper)?;
        }
        for (gap, (&lower, &upper)) in gaps.lower.iter().zip(&gaps.upper).enumerate() {
            check(Some(gap), lower, upper)?;
        }
        Ok(gaps)
    }
}

impl Side {
    fn resolve(&self, k: usize, which: &'static str) -> Result<Vec<f64>, ConstraintError> {
        let gaps = k.saturating_sub(1);
        match self {
            Side::Same(bound) => Ok(vec![*bound; gaps]),
            Side::Each(bounds) if bounds.len() == gaps => Ok(bounds.clone()),
            Side::Each(bounds) => Err(ConstraintError::GapCount { k, which, given: bounds.len() }),
        }
    }
}

fn check(gap: Option<usize>, lower: f64, upper: f64) -> Result<(), ConstraintError> {
    if !(lower.is_finite() && lower >= 0.0) {
        return Err(ConstraintError::BadLower { gap, value: lower });
    }
    if upper.is_nan() || upper < 0.0 {
        return Err(ConstraintError::BadUpper { gap, value: upper });
    }
    if lower > upper {
        return Err(ConstraintError::Crossed { gap, lower, upper });
    }
    Ok(())
}

/// A gap holds its bounds if it misses them by no more than this, in frame units: 1e-12 of the data's range.
const GAP_TOLERANCE: f64 = 1e-12;

/// The checked bounds of every gap, one entry a gap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gaps {
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Gaps {
    /// Refuses bounds that only centres farther than `reach` (in frame units) from the data could hold.
    pub(crate) fn check_scale(&self, frame: &Frame, reach: f64) -> Result<(), ConstraintError> {
        match self.lower.iter().position(|&lower| frame.enter_length(lower) > reach) {
            Some(gap) => {
                let (lower, upper) = (self.lower[gap], self.upper[gap]);
                Err(ConstraintError::OffScale { what: "gap", index: gap, lower, upper })
            }
            None => Ok(()),
        }
    }

    /// The bounds in frame units.
    pub(crate) fn enter(&self, frame: &Frame) -> Gaps {
        let enter = |bounds: &[f64]| bounds.iter().map(|&bound| frame.enter_length(bound)).collect();
        Gaps { lower: enter(&self.lower), upper: enter(&self.upper) }
    }

    /// The bounds (in frame units) with their tolerance: what rounding does to data and bounds must not decide whether
    /// a gap that is meant to be at its bound holds it, as 0.3 - 0.1 ≥ 0.2 should.
    pub(crate) fn loosened(&self) -> Gaps {
        Gaps {
            lower: self.lower.iter().map(|bound| bound - GAP_TOLERANCE).collect(),
            upper: self.upper.iter().map(|bound| bound + GAP_TOLERANCE).collect(),
        }
    }

    /// The bounds without those upper ones that no gap between points of this range can exceed.
    pub(crate) fn reachable(mut self, range: f64) -> Gaps {
        self.upper.iter_mut().filter(|upper| **upper >= range).for_each(|upper| *upper = f64::INFINITY);
        self
    }

    /// Whether any ascending centres at all are allowed.
    pub(crate) fn are_trivial(&self) -> bool {
        self.lower.iter().all(|&lower| lower == 0.0) && !self.have_upper()
    }

    /// Whether some gap is bounded above.
    pub(crate) fn have_upper(&self) -> bool {
        self.upper.iter().any(|upper| upper.is_finite())
    }

    /// The one lower bound that serves all gaps, if there are no upper bounds.
    pub(crate) fn single_lower(&self) -> Option<f64> {
        let first = *self.lower.first()?;
        (!self.have_upper() && self.lower.iter().all(|&lower| lower == first)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bound_serves_all_gaps() {
        let gaps = GapBounds::lower(1.5).resolve(4).unwrap();
        assert_eq!(gaps.lower, [1.5; 3]);
        assert_eq!(gaps.single_lower(), Some(1.5));
        assert!(GapBounds::none().resolve(3).unwrap().are_trivial());
        assert!(GapBounds::lower(1.0).resolve(1).unwrap().are_trivial());
    }

    #[test]
    fn bounds_far_beyond_the_data_are_refused() {
        let frame = Frame::of_sorted(&[0.0, 1.0, 3.0]).unwrap();
        let gaps = GapBounds::per_gap(&[1.0, 1e300], &[f64::INFINITY, 1e301]).unwrap().resolve(3).unwrap();
        let expected = ConstraintError::OffScale { what: "gap", index: 1, lower: 1e300, upper: 1e301 };
        assert_eq!(gaps.check_scale(&frame, 1e6), Err(expected));
        assert_eq!(GapBounds::between(1e3, 1e300).unwrap().resolve(3).unwrap().check_scale(&frame, 1e6), Ok(()));
    }

    #[test]
    fn each_fault_has_its_error() {
        assert!(matches!(GapBounds::lower(-1.0).resolve(2), Err(ConstraintError::BadLower { gap: None, .. })));
        assert!(matches!(GapBounds::lower(f64::NAN).resolve(1), Err(ConstraintError::BadLower { .. })));
        assert!(matches!(GapBounds::between(2.0, 1.0), Err(ConstraintError::Crossed { .. })));
        assert!(matches!(GapBounds::between(0.0, f64::NAN), Err(ConstraintError::BadUpper { .. })));
        let per_gap = GapBounds::per_gap(&[1.0, 2.0], &[2.0, 3.0]).unwrap();
        assert_eq!(per_gap.resolve(5), Err(ConstraintError::GapCount { k: 5, which: "lower", given: 2 }));
        let crossed = GapBounds::per_gap(&[1.0, 4.0], &[2.0, 3.0]);
        assert!(matches!(crossed, Err(ConstraintError::Crossed { gap: Some(1), .. })));
    }
}
