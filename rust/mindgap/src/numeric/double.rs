//! [`Double`]: double-double arithmetic, with about 106 bits.
//!
//! A cluster's sum of squares is the small difference of large prefix sums. In doubles, an outlier at a million times
//! the cluster's width leaves no correct digit of it.

use std::ops::{Add, Neg, Sub};

/// The sum `high + low`, where `low` is the rounding error of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// Zero.
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// Makes a number of two parts; `low` must be the rounding error of `high`.
    #[inline(always)]
    pub(crate) fn of_parts(high: f64, low: f64) -> Self {
        Self { high, low }
    }

    /// The two parts.
    #[inline(always)]
    pub(crate) fn parts(self) -> (f64, f64) {
        (self.high, self.low)
    }

    /// `a · b` without error.
    #[inline(always)]
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }

    /// `self · b`.
    #[inline(always)]
    pub(crate) fn times(self, b: f64) -> Self {
        let product = Self::product(self.high, b);
        Self::fast_sum(product.high, self.low.mul_add(b, product.low))
    }

    /// `self²`.
    #[inline(always)]
    pub(crate) fn squared(self) -> Self {
        let square = Self::product(self.high, self.high);
        Self::fast_sum(square.high, (2.0 * self.high).mul_add(self.low, square.low))
    }

    /// The nearest double.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    /// `self - other` as one double, accurate even if the two nearly cancel.
    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> f64 {
        self.apart(other).whole()
    }

    /// `self - other` without renormalising: half the work of `-`, for formulas that end with [`whole`](Self::whole).
    #[inline(always)]
    pub(crate) fn apart(self, other: Self) -> Self {
        let high = Self::sum(self.high, -other.high);
        Self { high: high.high, low: high.low + (self.low - other.low) }
    }

    /// `self + other` with an error of at most 3/4 ε² of the sizes of the two, not of the sum: half the work of `+`.
    #[inline(always)]
    pub(crate) fn roughly_plus(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        Self::fast_sum(high.high, high.low + (self.low + other.low))
    }

    /// `self · b` without renormalising.
    #[inline(always)]
    pub(crate) fn apart_times(self, b: f64) -> Self {
        let product = Self::product(self.high, b);
        Self { high: product.high, low: self.low.mul_add(b, product.low) }
    }

    /// Twice `self`.
    #[inline(always)]
    pub(crate) fn doubled(self) -> Self {
        Self { high: 2.0 * self.high, low: 2.0 * self.low }
    }

    /// The two parts as one double.
    #[inline(always)]
    pub(crate) fn whole(self) -> f64 {
        self.high + self.low
    }

    /// Adds `term` without renormalising; rounding errors accumulate in the low part until the next `+`. The chain of
    /// dependent operations is one addition long. For a few terms only.
    #[inline(always)]
    pub(crate) fn gather(&mut self, term: Self) {
        let sum = Self::sum(self.high, term.high);
        self.high = sum.high;
        self.low += sum.low + term.low;
    }

    /// `a + b` without error.
    #[inline(always)]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self { high, low: (a - (high - part)) + (b - part) }
    }

    /// `a + b` without error where `|a| >= |b|`.
    #[inline(always)]
    fn fast_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }
}

impl From<f64> for Double {
    #[inline(always)]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let first = Self::fast_sum(high.high, high.low + low.high);
        Self::fast_sum(first.high, first.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_large_sums_keep_small_parts() {
        let large = Double::from(1e18) + Double::from(1e-6);
        assert_eq!((large - Double::from(1e18)).value(), 1e-6);
    }

    #[test]
    fn gathering_keeps_what_rounding_loses() {
        let mut sum = Double::from(1e18);
        for _ in 0..8 {
            sum.gather(Double::from(1e-6));
        }
        assert!((sum.minus(Double::from(1e18)) - 8e-6).abs() < 1e-20);
        assert_eq!((sum + Double::ZERO).value(), 1e18);
    }

    #[test]
    fn rough_sums_err_by_little_of_their_terms() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 11) as f64 / 2f64.powi(52) - 1.0
        };
        for size in [1.0, 1e-3, 1e-9, 1e-16, 1e-20] {
            for _ in 0..1000 {
                let a = Double::from(next()) + Double::from(1e-17 * next());
                let b = Double::from(size * next()) + Double::from(1e-17 * size * next());
                let b = if size == 1.0 { b - a } else { b };
                let off = (a.roughly_plus(b) - (a + b)).value().abs();
                let most = 1.5 * f64::EPSILON.powi(2) * (a.value().abs() + b.value().abs());
                assert!(off <= most, "{a:?} {b:?}: {off:e} above {most:e}");
            }
        }
    }

    #[test]
    fn products_are_exact() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        let rest = Double::product(a, b) - Double::from(1.0);
        assert_eq!(rest.value(), -f64::EPSILON * f64::EPSILON);
        assert_eq!((Double::from(3.0) + Double::from(1e-20)).times(2.0) - Double::from(6.0), Double::from(2e-20));
    }
}
