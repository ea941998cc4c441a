//! Powers of two and the exponents of doubles.

/// The `e` with `2^e <= |x| < 2^(e+1)` for a normal `x`; -1023 for zero and subnormal ones.
pub(crate) fn binary_exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// `2^e` for `e` in the normal range.
#[inline(always)]
pub(crate) fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}
