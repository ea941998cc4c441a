//! `2^x` and `ln x` without branches, so that loops over them become vector code.
//!
//! Each is a dozen multiply-adds, accurate to about one unit in the last place over the range that the E step uses.
//! `FUSED` selects the processor's fused multiply-add; without that instruction, a library call would dominate the
//! cost.

/// `a·b + c`.
#[inline(always)]
pub(crate) fn mul_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Adding this to a small number rounds it to an integer and leaves that in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5·2^52

/// The smallest exponent: its power is negligible in any sum, but a normal number.
const SMALLEST: f64 = -1000.0;

/// The polynomial for `2^f`, `|f| ≤ 1/2`, lowest power first; relative error 2e-17.
const EXP2: [f64; 12] = [
    1.0,
    std::f64::consts::LN_2,
    0.24022650695910158,
    0.055504108664821625,
    0.009618129107587256,
    0.001333355814640647,
    0.00015403530463724353,
    1.5252733841556773e-05,
    1.3215432535912375e-06,
    1.0178057087733941e-07,
    7.074194297288521e-09,
    4.4558179083360645e-10,
];

/// `2^x` for `x ≤ 1000`; never less than `2^-1000`.
#[inline(always)]
pub(crate) fn exp2<const FUSED: bool>(x: f64) -> f64 {
    let x = if x > SMALLEST { x } else { SMALLEST };
    let shifted = x + ROUNDER;
    let fraction = x - (shifted - ROUNDER);
    let mut value = EXP2[11];
    for i in (0..11).rev() {
        value = mul_add::<FUSED>(value, fraction, EXP2[i]);
    }
    // Adds the integer part to the exponent's bits.
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// The polynomial for `(2·atanh(f)/f - 2)/f²` in `f²`, `|f| ≤ (√2-1)/(√2+1)`; relative error 5e-18.
const LN: [f64; 7] = [
    0.666666666666667,
    0.39999999999899505,
    0.28571428625975487,
    0.2222221113479508,
    0.18182889125261723,
    0.15331721600556042,
    0.14616449685043406,
];

/// `ln 2` in two parts, the first with enough zeros at its end to be multiplied by an exponent exactly.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
/// `ln 2 - LN_2_HIGH`.
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The bits of `√½`: [`split`] gives numbers from here up to `√2` the exponent zero.
const ROOT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;

/// The `e` and `m` with `x = 2^e·m` and `√½ ≤ m < √2`, for a positive normal `x`.
#[inline(always)]
pub(crate) fn split(x: f64) -> (f64, f64) {
    let offset = x.to_bits().wrapping_sub(ROOT_HALF_BITS);
    let exponent_bits = offset & 0xfff0_0000_0000_0000;
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub(exponent_bits));
    // The biased exponent in the low bits of 2^52: subtracting 2^52 converts it to a double.
    let biased = (exponent_bits >> 52).wrapping_add(2048) & 0xfff;
    let exponent = f64::from_bits(biased | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 2048.0);
    (exponent, mantissa)
}

/// `ln x` for a positive normal `x`.
#[inline(always)]
pub(crate) fn ln<const FUSED: bool>(x: f64) -> f64 {
    let (exponent, mantissa) = split(x);
    let f = (mantissa - 1.0) / (mantissa + 1.0);
    let square = f * f;
    let mut series = LN[6];
    for i in (0..6).rev() {
        series = mul_add::<FUSED>(series, square, LN[i]);
    }
    let tail = mul_add::<FUSED>(f * square, series, exponent * LN_2_LOW);
    mul_add::<FUSED>(exponent, LN_2_HIGH, mul_add::<FUSED>(2.0, f, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units of the last place of `b`.
    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::from_bits(b.abs().to_bits() + 1) - b.abs())
    }

    #[test]
    fn powers_of_two_are_right_to_two_units() {
        for i in -99_900..10_000 {
            let x = f64::from(i) * 0.009_973;
            assert!(ulps(exp2::<true>(x), x.exp2()) <= 2.0, "{x}");
            assert!(ulps(exp2::<false>(x), x.exp2()) <= 3.0, "{x}");
        }
        assert_eq!(exp2::<true>(0.0), 1.0);
        assert_eq!(exp2::<true>(-1e9), exp2::<true>(-1000.0));
    }

    #[test]
    fn logarithms_are_right_to_two_units() {
        for i in -99_000..99_000 {
            let x = (f64::from(i) * 0.009_973).exp2();
            assert!(ulps(ln::<true>(x), x.ln()) <= 2.0, "{x} {} {}", ln::<true>(x), x.ln());
        }
        for i in 1..20_000 {
            let x = 1.0 + f64::from(i - 10_000) * 3e-5;
            assert!(ulps(ln::<true>(x), x.ln()) <= 2.0, "{x}");
        }
        assert_eq!(ln::<true>(1.0), 0.0);
    }
}
