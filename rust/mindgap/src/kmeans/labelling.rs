//! Assigns many values to clusters: O(1) per value, on all threads.

use crate::parallel::{Workers, map_in_order, threads};

/// Up to this many boundaries, vector comparisons with each are faster than a table.
const FEW: usize = 16;

/// Intervals of the table per boundary: most intervals then contain none.
const INTERVALS_A_BOUNDARY: usize = 64;

/// Returns the number of ascending `boundaries` below each of `values`; zero for NaN. The calling thread allocates them,
/// because memory of other threads stays with those.
pub(super) fn labels(values: &[f64], boundaries: &[f64], workers: &Workers) -> Vec<u32> {
    let labeller = Labeller::new(boundaries);
    let mut labels = vec![0; values.len()];
    let length = values.len().div_ceil(workers.run(threads)).max(1);
    let pieces = labels.chunks_mut(length).zip(values.chunks(length)).collect();
    let label = |(): &mut (), (labels, values): (&mut [u32], &[f64])| labeller.label(values, labels);
    workers.run(|| map_in_order(pieces, label));
    labels
}

/// Returns the largest of the `values` with each label; -∞ if there is none.
pub(super) fn largest(values: &[f64], boundaries: &[f64]) -> Vec<f64> {
    let labeller = Labeller::new(boundaries);
    let length = values.len().div_ceil(threads()).max(1);
    let pieces = map_in_order(values.chunks(length).collect(), |(): &mut (), values: &[f64]| {
        let mut largest = vec![f64::NEG_INFINITY; boundaries.len() + 1];
        let mut labels = [0; LABELLED];
        for values in values.chunks(LABELLED) {
            labeller.label(values, &mut labels[..values.len()]);
            labels.iter().zip(values).for_each(|(&label, x)| largest[label as usize] = x.max(largest[label as usize]));
        }
        largest
    });
    let of_all = |label: usize| pieces.iter().map(|largest| largest[label]).fold(f64::NEG_INFINITY, f64::max);
    (0..=boundaries.len()).map(of_all).collect()
}

/// Values labelled at a time to find the largest: their labels stay in cache.
const LABELLED: usize = 1 << 10;

/// Computes labels by comparisons or by a table, depending on the number of boundaries.
struct Labeller<'a> {
    boundaries: &'a [f64],
    /// For many boundaries.
    table: Option<ThresholdTable<'a>>,
}

impl<'a> Labeller<'a> {
    fn new(boundaries: &'a [f64]) -> Self {
        Self { boundaries, table: (boundaries.len() > FEW).then(|| ThresholdTable::new(boundaries)) }
    }

    fn label(&self, values: &[f64], labels: &mut [u32]) {
        match &self.table {
            Some(table) => pulp::Arch::new().dispatch(LookingUp { table, values, labels }),
            None => pulp::Arch::new().dispatch(Comparing { values, boundaries: self.boundaries, labels }),
        }
    }
}

/// Compares every value with every boundary.
struct Comparing<'a> {
    values: &'a [f64],
    boundaries: &'a [f64],
    labels: &'a mut [u32],
}

/// Values labelled together, in vector code.
const BLOCK: usize = 32;

impl pulp::WithSimd for Comparing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for (values, labels) in self.values.chunks(BLOCK).zip(self.labels.chunks_mut(BLOCK)) {
            if let (Ok(values), Ok(labels)) =
                (<&[f64; BLOCK]>::try_from(values), <&mut [u32; BLOCK]>::try_from(&mut *labels))
            {
                let mut counts = [0u64; BLOCK];
                for &boundary in self.boundaries {
                    (0..BLOCK).for_each(|i| counts[i] += u64::from(boundary < values[i]));
                }
                (0..BLOCK).for_each(|i| labels[i] = counts[i] as u32);
            } else {
                let below = |x: f64| self.boundaries.iter().filter(|&&boundary| boundary < x).count() as u32;
                labels.iter_mut().zip(values).for_each(|(label, &x)| *label = below(x));
            }
        }
    }
}

/// Equal intervals between the first and the last boundary, with the boundaries in each.
struct ThresholdTable<'a> {
    boundaries: &'a [f64],
    low: f64,
    scale: f64,
    /// The number of boundaries in the intervals before each, and in all.
    before: Vec<u32>,
}

impl<'a> ThresholdTable<'a> {
    fn new(boundaries: &'a [f64]) -> Self {
        let (low, high) = (boundaries[0], boundaries[boundaries.len() - 1]);
        let intervals = INTERVALS_A_BOUNDARY * boundaries.len();
        // Half the range, because the range may overflow. If the scale overflows, one interval has all boundaries.
        let scale = Some(intervals as f64 / (high * 0.5 - low * 0.5)).filter(|scale| scale.is_finite()).unwrap_or(0.0);
        let mut table = Self { boundaries, low, scale, before: vec![0; intervals + 1] };
        for &boundary in boundaries {
            let interval = table.interval(boundary);
            table.before[interval + 1] += 1;
        }
        for interval in 0..intervals {
            table.before[interval + 1] += table.before[interval];
        }
        table
    }

    /// The interval of a value, clamped to the first and the last. Every operation is monotone, so boundaries in
    /// earlier intervals are below the value and those in later ones are not.
    #[inline(always)]
    fn interval(&self, x: f64) -> usize {
        let place = (x * 0.5 - self.low * 0.5) * self.scale;
        // NaN becomes zero.
        let place = if place > 0.0 { place } else { 0.0 };
        let most = (self.before.len() - 2) as f64;
        let place = if place < most { place } else { most };
        // Adding 2⁵² leaves the nearest integer in the low bits, faster than a cast.
        (place + (1u64 << 52) as f64).to_bits() as u32 as usize
    }
}

/// Looks every value up.
struct LookingUp<'a> {
    table: &'a ThresholdTable<'a>,
    values: &'a [f64],
    labels: &'a mut [u32],
}

impl pulp::WithSimd for LookingUp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let ThresholdTable { boundaries, before, .. } = self.table;
        let mut intervals = [0; BLOCK];
        for (values, labels) in self.values.chunks(BLOCK).zip(self.labels.chunks_mut(BLOCK)) {
            intervals.iter_mut().zip(values).for_each(|(interval, &x)| *interval = self.table.interval(x));
            for ((label, &x), &interval) in labels.iter_mut().zip(values).zip(&intervals) {
                let (mut below, end) = (before[interval], before[interval + 1]);
                while below < end && boundaries[below as usize] < x {
                    below += 1;
                }
                *label = below;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_count_the_boundaries_below() {
        let many: Vec<f64> = (0..300).map(|i| f64::from(i * i % 1009).sqrt()).collect();
        let sorted = |mut boundaries: Vec<f64>| {
            boundaries.sort_by(f64::total_cmp);
            boundaries
        };
        let cases = [
            vec![],
            vec![0.5],
            vec![-1.0, 0.0, 0.0, 3.0],
            sorted(many.clone()),
            vec![2.0; 40],
            sorted((0..50).map(|i| 2f64.powi(20 * i - 500)).chain([-f64::MAX, f64::MAX]).collect()),
        ];
        for boundaries in cases {
            let beside = boundaries.iter().flat_map(|&b| [b, b.next_up(), b.next_down()]);
            let others = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0.0, -0.0, 1.5];
            let values: Vec<f64> = beside.chain(others).chain(many.iter().map(|x| x - 3.0)).collect();
            let below = |&x: &f64| boundaries.iter().filter(|&&b| b < x).count() as u32;
            let expected: Vec<u32> = values.iter().map(below).collect();
            assert_eq!(labels(&values, &boundaries, &Workers::none()), expected, "{boundaries:?}");
            let numbers: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
            for (label, largest) in (0..).zip(largest(&numbers, &boundaries)) {
                let labelled = numbers.iter().copied().filter(|x| below(x) == label);
                assert_eq!(largest, labelled.fold(f64::NEG_INFINITY, f64::max), "{label} {boundaries:?}");
            }
        }
    }

    /// A lookup is fast only if few boundaries share an interval.
    #[test]
    fn even_boundaries_have_an_interval_each() {
        for count in [2, 10, 1000] {
            let boundaries: Vec<f64> = (0..count).map(|i| 3.0 + 0.5 * f64::from(i)).collect();
            let table = ThresholdTable::new(&boundaries);
            assert!(table.before.windows(2).all(|pair| pair[1] - pair[0] <= 1), "{count} boundaries");
        }
    }
}
