//! Arithmetic that the solvers share: double-double numbers, exact sums, `exp2` and `log` whose bits are the same on
//! every machine, powers of two and binary searches.

pub(crate) mod double;
pub(crate) mod elementary;
pub(crate) mod exact_sum;
pub(crate) mod portable;

/// The `e` with `2^e <= |x| < 2^(e+1)` for a normal `x`; -1023 for zero and subnormal ones.
pub(crate) fn binary_exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// `2^e` for `e` in the normal range.
#[inline(always)]
pub(crate) fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// The first index in `low..high` where the monotone `test` is false, by bisection; `high` if there is none.
pub(crate) fn first_false(mut low: usize, mut high: usize, test: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low) / 2;
        if test(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
