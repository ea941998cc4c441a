//! `log₂ x`, `ln x` and `2^x` for any double, with the same bits on every machine.
//!
//! Mathematical libraries differ in the last place, from one another and between processors; sums, products, quotients
//! and square roots do not. So no result goes through a library's logarithm or power (`clippy.toml` checks it), and
//! these functions use no fused multiply-adds, which not every processor has. Right to about two units in the last
//! place.

use crate::numeric::elementary;
use crate::numeric::power_of_two;
use std::f64::consts::{LN_2, LOG2_E};
use std::num::FpCategory;

/// `log₂ x`, exact for powers of two.
pub(crate) fn log2(x: f64) -> f64 {
    of_normal(x, 54.0, |x| {
        let (exponent, mantissa) = elementary::split(x);
        exponent + elementary::ln::<false>(mantissa) * LOG2_E
    })
}

/// `ln x`.
pub(crate) fn ln(x: f64) -> f64 {
    of_normal(x, 54.0 * LN_2, elementary::ln::<false>)
}

/// `2^x` for `x ≤ 1000`, down to zero; without a branch, so that loops over it become vector code.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    // A subnormal power is computed in two steps, so that it is rounded once.
    let (lift, drop) = if x < -1000.0 { (600.0, power_of_two(-600)) } else { (0.0, 1.0) };
    elementary::exp2::<false>(x + lift) * drop
}

/// Extends a logarithm of positive normal numbers to any `x`; `shift` is the logarithm of 2⁵⁴.
#[inline(always)]
fn of_normal(x: f64, shift: f64, logarithm: impl Fn(f64) -> f64) -> f64 {
    match x.classify() {
        FpCategory::Normal if x > 0.0 => logarithm(x),
        FpCategory::Subnormal if x > 0.0 => logarithm(x * power_of_two(54)) - shift,
        FpCategory::Infinite if x > 0.0 => x,
        FpCategory::Zero => f64::NEG_INFINITY,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `a` is `b`, or within `units` of its last place.
    fn near(a: f64, b: f64, units: f64) -> bool {
        a == b
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= units * (f64::from_bits(b.abs().to_bits() + 1) - b.abs())
    }

    /// Numbers of every size, near one, and none.
    fn numbers() -> impl Iterator<Item = f64> {
        let sizes = (0..200_000_u64).map(|i| f64::from_bits(i * 46_116_860_184_273 + 1));
        let about_one = (-10_000..10_000).map(|i| 1.0 + f64::from(i) * 3e-5);
        let edges = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 5e-324];
        sizes.chain(about_one).chain(edges)
    }

    #[test]
    fn logarithms_are_right_to_three_units_for_every_number() {
        for x in numbers() {
            assert!(near(log2(x), x.log2(), 3.0), "log2 {x:e}: {} for {}", log2(x), x.log2());
            assert!(near(ln(x), x.ln(), 3.0), "ln {x:e}: {} for {}", ln(x), x.ln());
        }
        (-1022..1024).for_each(|e| assert_eq!(log2(power_of_two(e)), f64::from(e)));
    }

    #[test]
    fn powers_are_right_to_three_units_down_to_zero() {
        for i in -120_000..100_000 {
            let x = f64::from(i) * 0.009_973;
            assert!(near(exp2(x), x.exp2(), 3.0), "{x}: {:e} for {:e}", exp2(x), x.exp2());
        }
        assert_eq!(exp2(-2000.0), 0.0);
        assert_eq!(exp2(f64::NEG_INFINITY), 0.0);
    }

    fn digest(values: impl Iterator<Item = f64>) -> u64 {
        values.fold(0, |digest: u64, x| digest.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ x.to_bits())
    }

    /// The digests were found by the same formulas in Python.
    #[test]
    fn the_bits_are_those_of_every_other_machine() {
        let positive = || numbers().filter(|x| *x > 0.0);
        let powers = (-120_000..100_000).map(|i| exp2(f64::from(i) * 0.009_973));
        assert_eq!(
            [digest(positive().map(log2)), digest(positive().map(ln)), digest(powers)],
            [0x30bf_fbc0_ac2b_5d6f, 0x9d06_e7d3_f2c4_9a68, 0xc162_dd30_0816_5723]
        );
    }
}
