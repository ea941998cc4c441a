//! Sorts values together with their input indices; ties are resolved so that no result depends on the order of the
//! input.
//!
//! An interval sort: values are distributed into many narrow intervals, each again into narrower ones, and short
//! intervals are sorted by insertion. O(N) for data of any smooth distribution, with 2 bytes per point beyond the
//! result. Values too close to separate are left to a comparison sort: O(N log N), 16 bytes per point. Every step keeps
//! equal values in input order, so the result does not depend on the number of threads.

use super::unsorted::low_and_high;
use crate::parallel::{Workers, join, map_in_order, threads};
use std::ops::Range;

/// Values in ascending order with their input indices; equal values keep their order. `extent` has the smallest and the
/// largest value.
pub(super) fn by_value(values: &[f64], extent: (f64, f64)) -> (Vec<f64>, Vec<u32>) {
    sorted(&SortInput { values, weights: None, extent }, values.len())
}

/// Weighted values in ascending order.
pub(super) struct Weighted {
    pub(super) values: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) order: Vec<u32>,
    pub(super) weightless: Vec<(u32, f64)>,
}

/// Sorts by value, then by weight, so that the order of equal values does not depend on the input's.
pub(super) fn by_value_and_weight(values: &[f64], weights: &[f64]) -> Weighted {
    let weight = |i: u32| weights[i as usize];
    let all = values.iter().zip(0u32..);
    let weightless: Vec<_> = all.filter(|&(_, i)| weight(i) == 0.0).map(|(&x, i)| (i, x + 0.0)).collect();
    let heavy = values.len() - weightless.len();
    // Points of weight zero may only make the intervals wider.
    let extent = low_and_high(values);
    let (values, mut order) = sorted(&SortInput { values, weights: Some(weights), extent }, heavy);
    let mut start = 0;
    for tied in values.chunk_by(|a, b| a == b) {
        let end = start + tied.len();
        order[start..end].sort_by(|&a, &b| weight(a).total_cmp(&weight(b)));
        start = end;
    }
    Weighted { values, weights: order.iter().map(|&i| weight(i)).collect(), order, weightless }
}

/// Up to so many points there is an interval for each, which leaves little to the insertion sort and its unpredictable
/// branches. The places that are written to still fit into the second-level cache.
const MOST_INTERVALS: usize = 1 << 16;

/// Intervals of the first pass over more points; each interval is then divided again.
const INTERVALS: usize = 2048;

/// Up to this many points insertion sort is fastest.
const FEW: usize = 24;

/// Values still together after this many passes are left to a comparison sort.
const MOST_PASSES: usize = 4;

/// Points whose intervals are computed together, in vector code.
const BLOCK: usize = 64;

/// Fewer points than this are not worth a thread.
const RUN: usize = 1 << 15;

/// The input; points of weight zero are left out.
struct SortInput<'a> {
    values: &'a [f64],
    weights: Option<&'a [f64]>,
    /// The smallest and the largest value.
    extent: (f64, f64),
}

impl SortInput<'_> {
    /// The input in pieces, one per thread.
    fn pieces(&self) -> Vec<Range<usize>> {
        let (n, pieces) = (self.values.len(), threads());
        (0..pieces).map(|piece| n * piece / pieces..n * (piece + 1) / pieces).collect()
    }
}

fn sorted(points: &SortInput<'_>, n: usize) -> (Vec<f64>, Vec<u32>) {
    let (mut values, mut order) = (vec![0.0; n], vec![0; n]);
    Workers::for_points(n).run(|| {
        let ends = distribute_shared(points, &mut values, &mut order);
        sort_intervals(&mut values, &mut order, &ends, 0, 1);
    });
    (values, order)
}

/// Distributes the input on all threads. Each counts one piece, then reads all of the input and writes its own
/// intervals, so that the points of an interval keep their order.
fn distribute_shared(points: &SortInput<'_>, values: &mut [f64], order: &mut [u32]) -> Vec<u32> {
    let (low, high) = points.extent;
    let intervals = Intervals::new(low, high, values.len());
    let counts = map_in_order(points.pieces(), |(): &mut (), piece| {
        let mut counts = vec![0; intervals.number];
        intervals.locate(points, piece, |_, _, interval| counts[interval] += 1);
        counts
    });
    let add = |mut all: Vec<u32>, counts: Vec<u32>| {
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        all
    };
    let mut places = counts.into_iter().reduce(add).unwrap_or_default();
    start_of_each(&mut places);
    let all = 0..points.values.len();
    distribute_part(points, &intervals, (values, order), (&mut places, 0), threads(), &all);
    places
}

/// Writes the points of the intervals from `first` on, as many as there are `places`, on `threads` threads.
fn distribute_part(
    points: &SortInput<'_>,
    intervals: &Intervals,
    (values, order): (&mut [f64], &mut [u32]),
    (places, first): (&mut [u32], usize),
    threads: usize,
    all: &Range<usize>,
) {
    let start = places[0];
    // The intervals are split between the halves of the threads at about half the points.
    let half = places.partition_point(|&place| ((place - start) as usize) < values.len() / 2);
    if threads > 1 && values.len() >= RUN && half > 0 && half < places.len() {
        let middle = (places[half] - start) as usize;
        let (left, right) = places.split_at_mut(half);
        let (left_values, right_values) = values.split_at_mut(middle);
        let (left_order, right_order) = order.split_at_mut(middle);
        join(
            || distribute_part(points, intervals, (left_values, left_order), (left, first), threads / 2, all),
            || distribute_part(points, intervals, (right_values, right_order), (right, first + half), threads / 2, all),
        );
        return;
    }
    if places.len() == intervals.number {
        // One thread writes all intervals: no need to ask whether one is its own.
        return intervals.locate(points, all.clone(), |x, i, interval| {
            let place = &mut places[interval];
            let at = *place as usize;
            (values[at], order[at]) = (x, i);
            *place += 1;
        });
    }
    intervals.locate(points, all.clone(), |x, i, interval| {
        if let Some(place) = places.get_mut(interval.wrapping_sub(first)) {
            let at = (*place - start) as usize;
            (values[at], order[at]) = (x, i);
            *place += 1;
        }
    });
}

/// Equal intervals between the smallest and the largest value.
struct Intervals {
    low: f64,
    scale: f64,
    number: usize,
}

impl Intervals {
    fn new(low: f64, high: f64, points: usize) -> Self {
        let number = if points <= MOST_INTERVALS { points.max(1) } else { INTERVALS };
        // Half the range, because the range may overflow. If the scale overflows, one interval has all values.
        let scale = Some(number as f64 / (high * 0.5 - low * 0.5)).filter(|scale| scale.is_finite()).unwrap_or(0.0);
        Self { low, scale, number }
    }

    /// The interval of a value. Adding 2⁵² leaves the nearest integer in the low bits, faster than a cast. Every operation
    /// is monotone.
    #[inline(always)]
    fn of(&self, x: f64) -> u32 {
        let place = (x * 0.5 - self.low * 0.5) * self.scale + (1u64 << 52) as f64;
        (place.to_bits() as u32).min(self.number as u32 - 1)
    }

    /// Passes each of some points, with its index and its interval, to `show`.
    fn locate(&self, points: &SortInput<'_>, places: Range<usize>, show: impl FnMut(f64, u32, usize)) {
        pulp::Arch::new().dispatch(Locating { intervals: self, points, places, show });
    }
}

struct Locating<'a, F> {
    intervals: &'a Intervals,
    points: &'a SortInput<'a>,
    places: Range<usize>,
    show: F,
}

impl<F: FnMut(f64, u32, usize)> pulp::WithSimd for Locating<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { intervals, points, places, mut show } = self;
        let mut show_all = |start: usize, values: &[f64], located: &[u32]| {
            for (i, (&x, &interval)) in (start..).zip(values.iter().zip(located)) {
                if points.weights.is_none_or(|weights| weights[i] > 0.0) {
                    // Adding zero turns -0.0 into 0.0, so that the two are one value.
                    show(x + 0.0, i as u32, interval as usize);
                }
            }
        };
        let (mut start, mut located) = (places.start, [0; BLOCK]);
        let (blocks, rest) = points.values[places].as_chunks::<BLOCK>();
        for values in blocks {
            (0..BLOCK).for_each(|i| located[i] = intervals.of(values[i]));
            show_all(start, values, &located);
            start += BLOCK;
        }
        located.iter_mut().zip(rest).for_each(|(interval, &x)| *interval = intervals.of(x));
        show_all(start, rest, &located);
    }
}

/// The smallest and the largest value.
fn range(points: impl Iterator<Item = (f64, u32)>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (x, _) in points {
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    (low, high)
}

/// Turns counts into the start of each interval.
fn start_of_each(counts: &mut [u32]) {
    let mut start = 0;
    for count in counts {
        (*count, start) = (start, start + *count);
    }
}

/// Writes the points interval by interval, and the end of each interval.
fn distribute(
    points: impl Iterator<Item = (f64, u32)> + Clone,
    values: &mut [f64],
    order: &mut [u32],
    ends: &mut Vec<u32>,
) {
    let (low, high) = range(points.clone());
    let intervals = Intervals::new(low, high, values.len());
    ends.clear();
    ends.resize(intervals.number, 0);
    points.clone().for_each(|(x, _)| ends[intervals.of(x) as usize] += 1);
    start_of_each(ends);
    for (x, i) in points {
        let place = &mut ends[intervals.of(x) as usize];
        values[*place as usize] = x;
        order[*place as usize] = i;
        *place += 1;
    }
}

/// Sorts every interval; `ends` are `offset` larger than indices into the slices.
fn sort_intervals(values: &mut [f64], order: &mut [u32], ends: &[u32], offset: usize, passes: usize) {
    if values.len() >= RUN && ends.len() > 1 && threads() > 1 {
        let (left, right) = ends.split_at(ends.len() / 2);
        let middle = left[left.len() - 1] as usize;
        let (left_values, right_values) = values.split_at_mut(middle - offset);
        let (left_order, right_order) = order.split_at_mut(middle - offset);
        join(
            || sort_intervals(left_values, left_order, left, offset, passes),
            || sort_intervals(right_values, right_order, right, middle, passes),
        );
        return;
    }
    if longest(ends, offset) <= FEW {
        return insert(values, order);
    }
    let mut scratch = SortScratch::default();
    // Where intervals of few points begin that follow each other: one insertion sort puts all of them in order.
    let (mut few, mut start) = (0, 0);
    for &end in ends {
        let end = end as usize - offset;
        if end - start > FEW {
            insert(&mut values[few..start], &mut order[few..start]);
            sort_run(&mut values[start..end], &mut order[start..end], &mut scratch, passes);
            few = end;
        }
        start = end;
    }
    insert(&mut values[few..start], &mut order[few..start]);
}

/// The most points of an interval: a maximum in vector code takes a tenth of the time of a search for a long interval.
fn longest(ends: &[u32], offset: usize) -> usize {
    let first = ends[0] - offset as u32;
    let longest = || ends.windows(2).fold(first, |longest, pair| longest.max(pair[1] - pair[0]));
    pulp::Arch::new().dispatch(longest) as usize
}

/// Memory that runs reuse.
#[derive(Default)]
struct SortScratch {
    points: Vec<(f64, u32)>,
    ends: Vec<u32>,
}

fn sort_run(values: &mut [f64], order: &mut [u32], scratch: &mut SortScratch, passes: usize) {
    if values.iter().all(|&x| x == values[0]) {
        return;
    }
    if passes == MOST_PASSES {
        return sort_packed(values, order);
    }
    let SortScratch { points, ends } = scratch;
    points.clear();
    points.extend(values.iter().copied().zip(order.iter().copied()));
    distribute(points.iter().copied(), values, order, ends);
    if longest(ends, 0) <= FEW {
        insert(values, order);
    } else {
        let ends = std::mem::take(ends);
        // The next pass has its own scratch memory; two at a time could be large.
        points.clear();
        points.shrink_to(INTERVALS);
        sort_intervals(values, order, &ends, 0, passes + 1);
    }
}

/// Sorts points that are near their places.
fn insert(values: &mut [f64], order: &mut [u32]) {
    let order = &mut order[..values.len()];
    for i in 1..values.len() {
        let (x, index) = (values[i], order[i]);
        if values[i - 1] <= x {
            continue;
        }
        let mut place = i;
        while place > 0 && values[place - 1] > x {
            values[place] = values[place - 1];
            order[place] = order[place - 1];
            place -= 1;
        }
        values[place] = x;
        order[place] = index;
    }
}

/// A comparison sort of values and indices, packed into integers.
fn sort_packed(values: &mut [f64], order: &mut [u32]) {
    let mut packed: Vec<u128> = values.iter().zip(order.iter()).map(|(&x, &i)| pack(x, i)).collect();
    packed.sort_unstable();
    for ((value, index), key) in values.iter_mut().zip(order).zip(packed) {
        (*value, *index) = (unpack(key), key as u32);
    }
}

/// The sign bit of a double.
const SIGN: u64 = 1 << 63;

/// Packs the value's bits, mapped so that they ascend with the values, above the index.
#[inline]
fn pack(x: f64, index: u32) -> u128 {
    let bits = x.to_bits();
    let key = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    u128::from(key) << 32 | u128::from(index)
}

#[inline]
fn unpack(packed: u128) -> f64 {
    let key = (packed >> 32) as u64;
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(values: &[f64]) -> (Vec<f64>, Vec<u32>) {
        by_value(values, low_and_high(values))
    }

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
            let (sorted, order) = sorted(&values);
            assert_eq!(order, expected);
            assert!(sorted.iter().zip(&order).all(|(x, &i)| *x == values[i as usize]));
        }
    }

    #[test]
    fn crowded_values_are_sorted_too() {
        let outliers = |i: u64| if i.is_multiple_of(1000) { 1e9 * hash(i) as f64 } else { (hash(i) >> 40) as f64 };
        let geometric = |i: u64| 2f64.powi((hash(i) % 900) as i32 - 450) * if i.is_multiple_of(2) { -1.0 } else { 1.0 };
        let few = |i: u64| (hash(i) % 7) as f64;
        let bits = |i: u64| Some(f64::from_bits(hash(i))).filter(|x| x.is_finite()).unwrap_or(0.0);
        for source in [outliers, geometric, few, bits] {
            let values: Vec<f64> = (0..100_000).map(source).collect();
            let mut expected: Vec<u32> = (0..100_000).collect();
            expected.sort_by(|&a, &b| (values[a as usize] + 0.0).total_cmp(&(values[b as usize] + 0.0)));
            assert_eq!(sorted(&values).1, expected);
        }
    }

    #[test]
    fn extreme_values_keep_their_order_and_their_bits() {
        let ascending = [f64::MIN, -1.0, -f64::MIN_POSITIVE, -5e-324, 0.0, 5e-324, 1.0, f64::MAX];
        let reversed: Vec<f64> = ascending.iter().rev().copied().collect();
        assert_eq!(sorted(&reversed).0, ascending);
        let (zeros, order) = sorted(&[0.0, -0.0]);
        assert_eq!((zeros[0].to_bits(), zeros[1].to_bits(), order), (0, 0, vec![0, 1]));
    }

    #[test]
    fn equal_values_stand_by_weight() {
        let sorted = by_value_and_weight(&[2.0, 1.0, 2.0, 2.0, 3.0], &[5.0, 1.0, 0.5, 5.0, 0.0]);
        assert_eq!((sorted.values, sorted.weights), (vec![1.0, 2.0, 2.0, 2.0], vec![1.0, 0.5, 5.0, 5.0]));
        assert_eq!((sorted.order, sorted.weightless), (vec![1, 2, 0, 3], vec![(4, 3.0)]));
    }
}
