//! Sorting with the order to undo it, ties resolved so that the input's order cannot show in a result.
//!
//! A value and its index are packed into one integer, so that the sort moves and compares plain numbers: 16 bytes a
//! point while it runs. All keys differ, so the order is the same whatever the number of threads.

use crate::parallel::{Workers, join};

/// Values in ascending order with their input indices; equal values keep their order.
pub(super) fn by_value(values: &[f64]) -> (Vec<f64>, Vec<u32>) {
    unpacked(sorted(values.iter().zip(0u32..).map(|(&x, i)| pack(x, i)).collect()))
}

/// Weighted values in ascending order.
pub(super) struct Weighted {
    pub(super) values: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) order: Vec<u32>,
    pub(super) weightless: Vec<(u32, f64)>,
}

/// Sorts by value, then weight, so that equal values of unequal weight stand in one order whatever the input's.
pub(super) fn by_value_and_weight(values: &[f64], weights: &[f64]) -> Weighted {
    let points = || values.iter().zip(weights).zip(0u32..);
    let weightless = points().filter(|&((_, &w), _)| w == 0.0).map(|((&x, _), i)| (i, x + 0.0)).collect();
    let heavy = points().filter(|&((_, &w), _)| w > 0.0).map(|((&x, _), i)| pack(x, i)).collect();
    let (values, mut order) = unpacked(sorted(heavy));
    let mut start = 0;
    for tied in values.chunk_by(|a, b| a == b) {
        let order = &mut order[start..start + tied.len()];
        order.sort_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]));
        start += tied.len();
    }
    Weighted { values, weights: order.iter().map(|&i| weights[i as usize]).collect(), order, weightless }
}

fn sorted(mut packed: Vec<u128>) -> Vec<u128> {
    let workers = Workers::for_points(packed.len());
    workers.run(|| sort(&mut packed));
    packed
}

/// Runs shorter than this are not worth a thread.
const RUN: usize = 1 << 15;

fn sort(packed: &mut [u128]) {
    if packed.len() < 2 * RUN || crate::parallel::threads() == 1 {
        return packed.sort_unstable();
    }
    let (left, _, right) = packed.select_nth_unstable(packed.len() / 2);
    join(|| sort(left), || sort(right));
}

fn unpacked(packed: Vec<u128>) -> (Vec<f64>, Vec<u32>) {
    packed.into_iter().map(|key| (value(key), key as u32)).unzip()
}

const SIGN: u64 = 1 << 63;

/// The value's bits, made to ascend as the values do, above the index. Adding zero turns -0.0 into 0.0, so that the
/// two are one value.
#[inline]
fn pack(x: f64, index: u32) -> u128 {
    let bits = (x + 0.0).to_bits();
    let key = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    u128::from(key) << 32 | u128::from(index)
}

#[inline]
fn value(packed: u128) -> f64 {
    let key = (packed >> 32) as u64;
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(i: u64) -> u64 {
        let x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    #[test]
    fn agrees_with_a_stable_sort_of_the_indices() {
        for n in [1, 2, 50, 100_000, 300_000] {
            let values: Vec<f64> = (0..n).map(|i| ((hash(i) >> 44) as f64 - 5e5) * 0.1).collect();
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
            let (sorted, order) = by_value(&values);
            assert_eq!(order, expected);
            assert!(sorted.iter().zip(&order).all(|(x, &i)| *x == values[i as usize]));
        }
    }

    #[test]
    fn extreme_values_keep_their_order_and_their_bits() {
        let ascending = [f64::MIN, -1.0, -f64::MIN_POSITIVE, -5e-324, 0.0, 5e-324, 1.0, f64::MAX];
        let reversed: Vec<f64> = ascending.iter().rev().copied().collect();
        assert_eq!(by_value(&reversed).0, ascending);
        let (zeros, order) = by_value(&[0.0, -0.0]);
        assert_eq!((zeros[0].to_bits(), zeros[1].to_bits(), order), (0, 0, vec![0, 1]));
    }

    #[test]
    fn equal_values_stand_by_weight() {
        let sorted = by_value_and_weight(&[2.0, 1.0, 2.0, 2.0, 3.0], &[5.0, 1.0, 0.5, 5.0, 0.0]);
        assert_eq!((sorted.values, sorted.weights), (vec![1.0, 2.0, 2.0, 2.0], vec![1.0, 0.5, 5.0, 5.0]));
        assert_eq!((sorted.order, sorted.weightless), (vec![1, 2, 0, 3], vec![(4, 3.0)]));
    }
}
