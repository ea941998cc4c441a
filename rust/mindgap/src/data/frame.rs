//! [`Frame`]: the units in which every solver works.
//!
//! Sums of squares lose the digits of data far from zero and overflow for data at extreme scales. Solvers therefore use
//! `z = s·(x - shift)`, where `shift` is the median point and `s` a power of two that brings the range to about one.
//! Multiplying by a power of two is exact, so a change of units by a power of two, or a shift that rounds no value,
//! changes no bit of `z`.

use crate::numeric::double::Double;
use crate::numeric::{binary_exponent, power_of_two};
use std::f64::consts::LN_2;

/// A change of units from data to frame: `z = s·x - s·shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    scale: f64,
    shift: f64,
}

/// Binary exponents of ranges whose squares, and sums of squares, neither overflow nor vanish.
pub(crate) const RANGE_EXPONENTS: std::ops::RangeInclusive<i32> = -480..=480;

/// The largest distance of a centre from the data, in units of their range: squared distances beyond it would keep few
/// digits of the data.
pub(crate) const FARTHEST: f64 = 1e6;

impl Frame {
    /// The frame of sorted data; `None` if the range is too small or too large to be squared.
    pub(crate) fn of_sorted(values: &[f64]) -> Option<Self> {
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            return None;
        };
        let shift = values[values.len() / 2];
        if first == last {
            return Some(Self { scale: 1.0, shift });
        }
        // Half the range, because the range itself may overflow.
        let half_range = last * 0.5 - first * 0.5;
        let exponent = binary_exponent(half_range) + 1;
        RANGE_EXPONENTS.contains(&exponent).then(|| Self { scale: power_of_two(-exponent), shift })
    }

    /// The data value that is zero in the frame.
    #[inline]
    pub(crate) fn shift(&self) -> f64 {
        self.shift
    }

    /// A data value in frame units.
    #[inline(always)]
    pub(crate) fn enter(&self, x: f64) -> f64 {
        x * self.scale - self.shift * self.scale
    }

    /// A data value in frame units with all its digits; `enter` loses those below the last place of the shift.
    #[inline(always)]
    pub(crate) fn enter_exactly(&self, x: f64) -> Double {
        Double::sum(x * self.scale, -self.shift * self.scale)
    }

    /// A frame position in data units.
    #[inline]
    pub(crate) fn leave(&self, z: f64) -> f64 {
        z / self.scale + self.shift
    }

    /// A length (a gap, a bound; infinity stays infinity) in frame units.
    #[inline]
    pub(crate) fn enter_length(&self, length: f64) -> f64 {
        length * self.scale
    }

    /// A squared length (a variance) in frame units.
    #[inline]
    pub(crate) fn enter_square(&self, square: f64) -> f64 {
        square * self.scale * self.scale
    }

    /// The log density of points of total weight `weight` in data units, minus that in frame units.
    #[inline]
    pub(crate) fn log_density(&self, weight: f64) -> f64 {
        weight * (f64::from(binary_exponent(self.scale)) * LN_2)
    }

    /// A length of the frame in data units.
    #[inline]
    pub(crate) fn leave_length(&self, length: f64) -> f64 {
        length / self.scale
    }

    /// A squared length of the frame (a cost, a variance) in data units.
    #[inline]
    pub(crate) fn leave_square(&self, square: f64) -> f64 {
        square / self.scale / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_moves_no_bit() {
        let x = [1.0, 2.5, 4.0, 8.0];
        let shifted: Vec<f64> = x.iter().map(|v| v + 1e9).collect();
        let (here, there) = (Frame::of_sorted(&x).unwrap(), Frame::of_sorted(&shifted).unwrap());
        for (a, b) in x.iter().zip(&shifted) {
            assert_eq!(here.enter(*a), there.enter(*b));
        }
    }

    #[test]
    fn extreme_ranges_are_refused_and_wide_ones_fit() {
        assert!(Frame::of_sorted(&[0.0, 1e-300]).is_none());
        assert!(Frame::of_sorted(&[-f64::MAX, f64::MAX]).is_none());
        let frame = Frame::of_sorted(&[-1e140, 0.0, 1e140]).unwrap();
        assert!(frame.enter(1e140).abs() <= 1.0);
    }

    #[test]
    fn equal_values_have_a_frame() {
        let frame = Frame::of_sorted(&[3.0, 3.0]).unwrap();
        assert_eq!(frame.enter(3.0), 0.0);
        assert_eq!(frame.leave(0.0), 3.0);
    }
}
