//! [`LinearRows`]: the general form of a constraint on the centres.

use crate::error::ConstraintError;

/// `lower ≤ A·μ ≤ upper`, row by row; an equality has equal bounds, and infinity means no bound.
///
/// ```
/// use mindgap::{KMeans, LinearRows, Sample};
///
/// // Three centres at equal distances: μ0 - 2 μ1 + μ2 = 0.
/// let equal = LinearRows::new(3, &[1.0, -2.0, 1.0], &[0.0], &[0.0])?;
/// let fit = KMeans::new(3).constraint(equal).fit(&Sample::new(&[0.0, 1.0, 5.0, 11.0])?)?;
/// assert!((fit.gaps()[0] - fit.gaps()[1]).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRows {
    /// Row-major, `rows × k`.
    matrix: Vec<f64>,
    k: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// The range of a row's largest coefficient: its square neither overflows nor vanishes.
const SQUARABLE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;

impl LinearRows {
    /// Makes rows on `k` means: `matrix` is row-major, with one lower and one upper bound per row.
    ///
    /// # Errors
    /// If the lengths do not match, a coefficient is not finite, a row is zero or the square of its size is out of
    /// range, or bounds cross or are NaN.
    pub fn new(k: usize, matrix: &[f64], lower: &[f64], upper: &[f64]) -> Result<Self, ConstraintError> {
        let rows = lower.len();
        if upper.len() != rows || rows.checked_mul(k) != Some(matrix.len()) {
            let what = format!(
                "{} coefficients, {rows} lower and {} upper bounds; give k coefficients and a bound on each side per row",
                matrix.len(),
                upper.len()
            );
            return Err(ConstraintError::RowShape { k, what });
        }
        let built = Self { matrix: matrix.to_vec(), k, lower: lower.to_vec(), upper: upper.to_vec() };
        (0..rows).try_for_each(|row| built.check(row))?;
        Ok(built)
    }

    fn check(&self, row: usize) -> Result<(), ConstraintError> {
        let bad = |what: String| Err(ConstraintError::BadRow { row, what });
        let (lower, upper) = (self.lower[row], self.upper[row]);
        if self.row(row).iter().any(|a| !a.is_finite()) {
            return bad(format!("its coefficients {:?} are not all finite", self.row(row)));
        }
        if self.row(row).iter().all(|&a| a == 0.0) {
            return bad("all its coefficients are zero".to_owned());
        }
        let largest = self.row(row).iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
        if !SQUARABLE.contains(&largest) {
            return bad(format!(
                "its largest coefficient is {largest:e}, whose square is out of range; rescale the row"
            ));
        }
        if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return bad(format!("its bounds are {lower} and {upper}; give numbers, or -inf and inf for no bound"));
        }
        if lower > upper {
            return bad(format!("its lower bound {lower} is above its upper bound {upper}"));
        }
        Ok(())
    }

    /// Appends the rows of `other`, which must be on the same number of means.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let joined = |a: &[f64], b: &[f64]| [a, b].concat();
        Self {
            matrix: joined(&self.matrix, &other.matrix),
            k: self.k,
            lower: joined(&self.lower, &other.lower),
            upper: joined(&self.upper, &other.upper),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// The number of means.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The coefficients of one row; empty if there is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        self.matrix.chunks_exact(self.k.max(1)).nth(row).unwrap_or_default()
    }

    /// The lower bounds, one per row.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds, one per row.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_error() {
        let rows = |matrix: &[f64], lower: f64, upper: f64| LinearRows::new(2, matrix, &[lower], &[upper]);
        assert!(rows(&[-1.0, 1.0], 1.0, 1.0).is_ok());
        assert!(matches!(rows(&[1.0], 0.0, 1.0), Err(ConstraintError::RowShape { k: 2, .. })));
        for (matrix, lower, upper) in [
            ([f64::NAN, 1.0], 0.0, 1.0),
            ([0.0, 0.0], 0.0, 1.0),
            ([1e200, 1.0], 0.0, 1.0),
            ([1e-200, 0.0], 0.0, 1.0),
            ([1.0, 1.0], f64::NAN, 1.0),
            ([1.0, 1.0], 2.0, 1.0),
            ([1.0, 1.0], f64::INFINITY, f64::INFINITY),
        ] {
            assert!(matches!(rows(&matrix, lower, upper), Err(ConstraintError::BadRow { row: 0, .. })));
        }
    }
}
