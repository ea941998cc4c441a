//! Searches over indices.

/// The first index of `low..high` where `test`, true up to somewhere, is false.
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
