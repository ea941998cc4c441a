//! [`Rows`]: a constraint resolved for a number of centres, the form that solvers use.

use super::linear_rows::LinearRows;
use crate::data::frame::Frame;
use crate::error::ConstraintError;
use crate::numeric::double::Double;

/// The tolerance of a gap's bounds, as a fraction of the data's range, so that rounding does not decide whether 0.3 -
/// 0.1 ≥ 0.2.
const GAP_TOLERANCE: f64 = 1e-12;

/// A gap or row is at a bound within this fraction of the data's scale: solvers satisfy bounds to 1e-12 of the range,
/// and EM stops with means about 1e-10 off.
pub(crate) const AT_BOUND: f64 = 1e-9;

/// The rows on `k` ascending centres: bounds on their `k - 1` gaps, linear rows, both, or none.
///
/// ```
/// use mindgap::{GapBounds, LinearRows, Rows};
///
/// let gaps = GapBounds::lower(2.0).rows(3)?;
/// let first_at_zero = LinearRows::new(3, &[1.0, 0.0, 0.0], &[0.0], &[0.0])?.rows(3)?;
/// let both: Rows = gaps.and(&first_at_zero)?;
/// assert_eq!((both.k(), both.len()), (3, 3));
/// assert_eq!(both.gap_lower(), [2.0, 2.0]);
/// # Ok::<(), mindgap::ConstraintError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    k: usize,
    /// The bounds of the gaps: one per gap, or none at all.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    linear: Option<LinearRows>,
}

impl Rows {
    /// No rows on `k` centres.
    pub fn none(k: usize) -> Self {
        Self { k, lower: Vec::new(), upper: Vec::new(), linear: None }
    }

    /// Checked bounds on the gaps, one per gap.
    pub(crate) fn of_gaps(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        debug_assert_eq!(lower.len(), upper.len());
        Self { k: lower.len() + 1, lower, upper, linear: None }
    }

    /// Checked linear rows.
    pub(crate) fn of_linear(rows: LinearRows) -> Self {
        Self { k: rows.k(), linear: Some(rows), ..Self::none(0) }
    }

    /// Combines two sets of rows: the narrower bounds on each gap, and all linear rows.
    ///
    /// # Errors
    /// If the numbers of centres differ, or the bounds of a gap cross.
    pub fn and(&self, other: &Rows) -> Result<Rows, ConstraintError> {
        other.check_k(self.k)?;
        let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
        if lower.is_empty() {
            (lower, upper) = (other.lower.clone(), other.upper.clone());
        }
        lower.iter_mut().zip(&other.lower).for_each(|(bound, other)| *bound = bound.max(*other));
        upper.iter_mut().zip(&other.upper).for_each(|(bound, other)| *bound = bound.min(*other));
        if let Some(gap) = (0..lower.len()).find(|&gap| lower[gap] > upper[gap]) {
            return Err(ConstraintError::Crossed { gap: Some(gap), lower: lower[gap], upper: upper[gap] });
        }
        let linear = match (&self.linear, &other.linear) {
            (Some(a), Some(b)) => Some(a.followed_by(b)),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        Ok(Rows { k: self.k, lower, upper, linear })
    }

    /// The number of centres.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of rows: the bounded gaps, then the linear rows.
    pub fn len(&self) -> usize {
        self.lower.len() + self.linear.as_ref().map_or(0, LinearRows::len)
    }

    /// Whether there are no rows. A lower bound of zero on a gap is a row, because it keeps two means in order.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lower bounds of the gaps: one per gap, or none if no gap is bounded.
    pub fn gap_lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds of the gaps: one per gap, infinity for none; empty if no gap is bounded.
    pub fn gap_upper(&self) -> &[f64] {
        &self.upper
    }

    /// The linear rows, if there are any.
    pub fn linear(&self) -> Option<&LinearRows> {
        self.linear.as_ref().filter(|rows| !rows.is_empty())
    }

    /// Refuses rows on another number of centres.
    pub(crate) fn check_k(&self, k: usize) -> Result<(), ConstraintError> {
        check_k(self.k, k)
    }

    /// Whether the means of every partition satisfy the rows, which require at most ascending order.
    pub(crate) fn are_trivial(&self) -> bool {
        self.linear().is_none() && self.lower.iter().all(|&lower| lower == 0.0) && !self.have_upper()
    }

    /// Whether some gap is bounded above.
    pub(crate) fn have_upper(&self) -> bool {
        self.upper.iter().any(|upper| upper.is_finite())
    }

    /// The lower bound that all gaps share, if there are no other rows.
    pub(crate) fn single_lower(&self) -> Option<f64> {
        self.shared_bounds().filter(|&(_, upper)| upper == f64::INFINITY).map(|(lower, _)| lower)
    }

    /// The lower and the upper bound that all gaps share, if there are no other rows.
    pub(crate) fn shared_bounds(&self) -> Option<(f64, f64)> {
        let (lower, upper) = (*self.lower.first()?, *self.upper.first()?);
        let shared = self.lower.iter().all(|&other| other == lower) && self.upper.iter().all(|&other| other == upper);
        (shared && self.linear().is_none()).then_some((lower, upper))
    }

    /// Refuses bounds on gaps that only centres farther than `reach` (in frame units) from the data could satisfy.
    pub(crate) fn check_gap_scale(&self, frame: &Frame, reach: f64) -> Result<(), ConstraintError> {
        match self.lower.iter().position(|&lower| frame.enter_length(lower) > reach) {
            Some(gap) => {
                let (lower, upper) = (self.lower[gap], self.upper[gap]);
                Err(ConstraintError::OffScale { what: "gap", index: gap, lower, upper })
            }
            None => Ok(()),
        }
    }

    /// The bounds on the gaps in frame units.
    pub(crate) fn enter(&self, frame: &Frame) -> Rows {
        let enter = |bounds: &[f64]| bounds.iter().map(|&bound| frame.enter_length(bound)).collect();
        Rows { lower: enter(&self.lower), upper: enter(&self.upper), ..Rows::none(self.k) }
    }

    /// Widens the bounds on the gaps by their tolerance, for data of this `range` in the same units.
    pub(crate) fn loosened(&self, range: f64) -> Rows {
        let tolerance = GAP_TOLERANCE * range;
        let lower = self.lower.iter().map(|bound| bound - tolerance).collect();
        let upper = self.upper.iter().map(|bound| bound + tolerance).collect();
        Rows { lower, upper, ..Rows::none(self.k) }
    }

    /// Drops upper bounds of at least `range`, which no gap between points can exceed.
    pub(crate) fn reachable(mut self, range: f64) -> Rows {
        self.upper.iter_mut().filter(|upper| **upper >= range).for_each(|upper| *upper = f64::INFINITY);
        self
    }

    /// The active bound of each gap, then of each linear row; `means` and the data's `scale` are in frame units. A
    /// lower bound of zero on a gap, which ascending order implies, is never active.
    pub(crate) fn active(&self, means: &[f64], frame: &Frame, scale: f64) -> Vec<Option<Side>> {
        let tolerance = AT_BOUND * scale;
        let framed = self.enter(frame);
        let gap = |g: usize| {
            let lower = framed.lower.get(g).copied().filter(|&lower| lower > 0.0).unwrap_or(f64::NEG_INFINITY);
            let upper = framed.upper.get(g).copied().unwrap_or(f64::INFINITY);
            Side::of(means[g + 1] - means[g], (lower, upper), tolerance)
        };
        let gaps = if self.linear.is_some() { self.lower.len() } else { means.len().saturating_sub(1) };
        let linear = self.linear.iter().flat_map(|rows| (0..rows.len()).map(|row| rows.framed(row, frame)));
        let row = |row: FramedRow| {
            let value = row.coefficients.iter().zip(means).map(|(a, mean)| a * mean).sum();
            Side::of(value, (row.lower, row.upper), tolerance)
        };
        (0..gaps).map(gap).chain(linear.map(row)).collect()
    }
}

/// The bound that a gap or row is at.
///
/// ```
/// use mindgap::{GapBounds, KMeans, Sample, Side};
///
/// let sample = Sample::new(&[0.0, 1.0, 2.0])?;
/// let fit = KMeans::new(2).constraint(GapBounds::lower(1.75)).fit(&sample)?;
/// assert_eq!(fit.active(), [Some(Side::Lower)]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
    /// Both: the bounds are equal.
    Both,
}

impl Side {
    /// The bound that `value` is within `tolerance` of; `None` if it is near neither.
    pub(crate) fn of(value: f64, (lower, upper): (f64, f64), tolerance: f64) -> Option<Self> {
        match (value <= lower + tolerance, value >= upper - tolerance) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Lower),
            (false, true) => Some(Self::Upper),
            (false, false) => None,
        }
    }
}

/// A linear row in frame units, scaled so that its largest coefficient is near one.
pub(crate) struct FramedRow {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl LinearRows {
    /// Returns these rows as a constraint on `k` centres.
    ///
    /// # Errors
    /// If they are on another number of centres.
    pub fn rows(&self, k: usize) -> Result<Rows, ConstraintError> {
        let rows = Rows::of_linear(self.clone());
        rows.check_k(k).map(|()| rows)
    }

    /// Refuses rows on another number of centres or components.
    pub(super) fn check_k(&self, k: usize) -> Result<(), ConstraintError> {
        check_k(self.k(), k)
    }

    /// A row in frame units.
    pub(crate) fn framed(&self, row: usize, frame: &Frame) -> FramedRow {
        let coefficients = self.row(row);
        let largest = coefficients.iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
        // A power of two, so that scaling rounds nothing.
        let scale = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000).recip();
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        // A bound on a·(z/s + shift) bounds a·z by s·(bound - shift·Σa); double-double keeps all its digits.
        let sum = coefficients.iter().fold(Double::ZERO, |sum, &a| sum + Double::from(a));
        let offset = sum.times(frame.shift());
        let enter = |bound: f64| match bound.is_finite() {
            true => frame.enter_length(Double::from(bound).minus(offset)) * scale,
            false => bound,
        };
        FramedRow {
            coefficients: coefficients.iter().map(|a| a * scale).collect(),
            lower: enter(self.lower()[row]),
            upper: enter(self.upper()[row]),
        }
    }
}

/// Refuses rows that are for `own` centres or components where there are `k`.
fn check_k(own: usize, k: usize) -> Result<(), ConstraintError> {
    if own == k { Ok(()) } else { Err(ConstraintError::RowShape { k, what: format!("they are for k = {own}") }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::GapBounds;

    #[test]
    fn one_bound_serves_all_gaps() {
        let rows = GapBounds::lower(1.5).rows(4).unwrap();
        assert_eq!(rows.lower, [1.5; 3]);
        assert_eq!(rows.single_lower(), Some(1.5));
        assert!(GapBounds::lower(1.0).rows(1).unwrap().are_trivial());
        assert!(Rows::none(3).are_trivial() && Rows::none(3).is_empty());
        // Ascending order constrains the means of a mixture, but cluster means always ascend.
        let ascending = GapBounds::lower(0.0).rows(3).unwrap();
        assert!(ascending.are_trivial() && !ascending.is_empty());
    }

    #[test]
    fn bounds_far_beyond_the_data_are_refused() {
        let frame = Frame::of_sorted(&[0.0, 1.0, 3.0]).unwrap();
        let rows = GapBounds::per_gap(&[1.0, 1e300], &[f64::INFINITY, 1e301]).unwrap().rows(3).unwrap();
        let expected = ConstraintError::OffScale { what: "gap", index: 1, lower: 1e300, upper: 1e301 };
        assert_eq!(rows.check_gap_scale(&frame, 1e6), Err(expected));
        assert_eq!(GapBounds::between(1e3, 1e300).unwrap().rows(3).unwrap().check_gap_scale(&frame, 1e6), Ok(()));
    }

    #[test]
    fn gap_bounds_and_linear_rows_combine() {
        let gaps = GapBounds::lower(1.0).rows(2).unwrap().and(&GapBounds::between(0.5, 3.0).unwrap().rows(2).unwrap());
        let gaps = gaps.unwrap();
        assert_eq!((&gaps.lower[..], &gaps.upper[..]), (&[1.0][..], &[3.0][..]));
        let sum = LinearRows::new(2, &[1.0, 1.0], &[4.0], &[4.0]).unwrap().rows(2).unwrap();
        let both = gaps.and(&sum).unwrap().and(&sum).unwrap();
        assert_eq!((both.len(), both.linear().unwrap().len()), (3, 2));
        assert!(!both.are_trivial() && both.single_lower().is_none());
        let frame = Frame::of_sorted(&[0.0, 1.0, 2.0, 3.0]).unwrap();
        let means = [1.5, 2.5].map(|mean| frame.enter(mean));
        assert_eq!(both.active(&means, &frame, 1.0), [Some(Side::Lower), Some(Side::Both), Some(Side::Both)]);
        let far = GapBounds::lower(4.0).rows(2).unwrap();
        assert!(matches!(gaps.and(&far), Err(ConstraintError::Crossed { gap: Some(0), .. })));
        assert!(matches!(gaps.and(&Rows::none(3)), Err(ConstraintError::RowShape { k: 2, .. })));
    }

    #[test]
    fn the_tolerance_of_a_gap_goes_with_the_range() {
        let loosened = |unit: f64| {
            let frame = Frame::of_sorted(&[0.0, 0.7 * unit, 5.0 * unit]).unwrap();
            let rows = GapBounds::lower(unit).rows(2).unwrap().enter(&frame);
            (rows.lower[0] - rows.loosened(frame.enter_length(5.0 * unit)).lower[0]) / frame.enter_length(unit)
        };
        assert!((loosened(1.0) / loosened(3.0) - 1.0).abs() < 1e-3);
    }
}
