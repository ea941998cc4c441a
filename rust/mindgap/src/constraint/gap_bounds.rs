//! Bounds on the gaps between neighbouring centres.

use super::rows::Rows;
use crate::error::ConstraintError;
use crate::memory::{check_memory, product};

/// `lower ≤ μ[g+1] - μ[g] ≤ upper` for the `k - 1` gaps `g` of `k` ascending centres.
///
/// ```
/// use mindgap::GapBounds;
///
/// let same = GapBounds::between(1.0, 2.5)?;
/// let each = GapBounds::per_gap(&[1.0, 0.5], &[2.5, f64::INFINITY])?;
/// assert_eq!(same.rows(3)?.gap_upper(), [2.5, 2.5]);
/// assert_eq!(each.rows(3)?.gap_lower(), [1.0, 0.5]);
/// assert!(each.rows(4).is_err());
/// # Ok::<(), mindgap::ConstraintError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GapBounds {
    pub(super) lower: PerGap,
    pub(super) upper: PerGap,
}

/// One bound for all gaps, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PerGap {
    Same(f64),
    Each(Vec<f64>),
}

impl GapBounds {
    /// Every gap is at least `delta`; zero only keeps the centres in order. A fit refuses a `delta` that is negative or
    /// not finite.
    pub fn lower(delta: f64) -> Self {
        Self { lower: PerGap::Same(delta), upper: PerGap::Same(f64::INFINITY) }
    }

    /// Every gap is between `lower` and `upper`.
    ///
    /// # Errors
    /// If a bound is negative or NaN, or `lower` is above `upper`.
    pub fn between(lower: f64, upper: f64) -> Result<Self, ConstraintError> {
        check(None, lower, upper)?;
        Ok(Self { lower: PerGap::Same(lower), upper: PerGap::Same(upper) })
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
        Ok(Self { lower: PerGap::Each(lower.to_vec()), upper: PerGap::Each(upper.to_vec()) })
    }

    /// Returns the bounds on the `k - 1` gaps of `k` centres.
    ///
    /// # Errors
    /// If there are bounds for another number of gaps, a bound is negative or NaN, or a lower bound is above its upper
    /// bound.
    pub fn rows(&self, k: usize) -> Result<Rows, ConstraintError> {
        let (lower, upper) = (self.lower.resolve(k, "lower")?, self.upper.resolve(k, "upper")?);
        if let (PerGap::Same(lower), PerGap::Same(upper)) = (&self.lower, &self.upper) {
            check(None, *lower, *upper)?;
        }
        for (gap, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            check(Some(gap), lower, upper)?;
        }
        Ok(if k == 0 { Rows::none(0) } else { Rows::of_gaps(lower, upper) })
    }
}

impl PerGap {
    fn resolve(&self, k: usize, which: &'static str) -> Result<Vec<f64>, ConstraintError> {
        let gaps = k.saturating_sub(1);
        match self {
            PerGap::Same(bound) => {
                check_memory("the bounds of the gaps", product(&[gaps, size_of::<f64>()]))?;
                Ok(vec![*bound; gaps])
            }
            PerGap::Each(bounds) if bounds.len() == gaps => Ok(bounds.clone()),
            PerGap::Each(bounds) => Err(ConstraintError::GapCount { k, which, given: bounds.len() }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_error() {
        assert!(matches!(GapBounds::lower(-1.0).rows(2), Err(ConstraintError::BadLower { gap: None, .. })));
        assert!(matches!(GapBounds::lower(f64::NAN).rows(1), Err(ConstraintError::BadLower { .. })));
        assert!(matches!(GapBounds::between(2.0, 1.0), Err(ConstraintError::Crossed { .. })));
        assert!(matches!(GapBounds::between(0.0, f64::NAN), Err(ConstraintError::BadUpper { .. })));
        let per_gap = GapBounds::per_gap(&[1.0, 2.0], &[2.0, 3.0]).unwrap();
        assert_eq!(per_gap.rows(5), Err(ConstraintError::GapCount { k: 5, which: "lower", given: 2 }));
        let crossed = GapBounds::per_gap(&[1.0, 4.0], &[2.0, 3.0]);
        assert!(matches!(crossed, Err(ConstraintError::Crossed { gap: Some(1), .. })));
    }
}
