//! Double-double arithmetic: a sum of two doubles carries about 106 bits.
//!
//! A cluster's sum of squares is the small difference of large prefix sums. In doubles an outlier a million times
//! the cluster's width leaves no digit of it; here it leaves more than enough.

use std::ops::{Add, Neg, Sub};

/// `high + low`, where `low` is what `high` lost to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };

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

    /// The nearest double.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    /// `a + b` without error.
    #[inline(always)]
    fn sum(a: f64, b: f64) -> Self {
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
    fn products_are_exact() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        let rest = Double::product(a, b) - Double::from(1.0);
        assert_eq!(rest.value(), -f64::EPSILON * f64::EPSILON);
        assert_eq!((Double::from(3.0) + Double::from(1e-20)).times(2.0) - Double::from(6.0), Double::from(2e-20));
    }
}
