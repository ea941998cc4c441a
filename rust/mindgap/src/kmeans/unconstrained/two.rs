//! Two clusters of points of weight one: a scan of all boundaries in plain doubles, O(N).
//!
//! Dividing n points of mean m after the first j saves `(S - j·m)² · n / (j·(n - j))` of their squares, where S is the sum of
//! these j. Every saving is computed with an error of at most e. If one saving exceeds all others by more than 2e, its
//! boundary is the only optimum; if not, rounding or ties decide, and the general search is asked.

use crate::data::frame::Frame;
use crate::data::sample::{Sample, low_and_high};

/// Up to this many points the scan takes less time than levels of cells, and what it stores stays in cache.
const MOST_POINTS: usize = 1 << 15;

/// Points whose sums do not wait for those of others.
const BLOCK: usize = 8;

/// Roundings of a sum besides one for each block, and of what is computed from two sums: docs/mathematics.md counts 18.
const OF_SUMS: f64 = 32.0;

/// Returns the first point of the second cluster in the only optimum; `None` if there may be another one, or the scan does
/// not apply.
pub(super) fn only_boundary(sample: &Sample) -> Option<usize> {
    let values = sample.values();
    if values.len() > MOST_POINTS || sample.weights().is_some() {
        return None;
    }
    let mut savings = vec![0.0; values.len()];
    pulp::Arch::new().dispatch(Scan { values, frame: sample.frame(), savings: &mut savings });
    let (savings, n) = (&savings[..values.len() - 1], values.len() as f64);
    let (_, most) = low_and_high(savings);
    let limit = most - 2.0 * error(sample, n, most);
    let best = pulp::Arch::new().dispatch(|| savings.iter().filter(|&&saving| saving >= limit).count());
    let last = savings.iter().position(|&saving| saving >= limit)?;
    (best == 1 && values[last] < values[last + 1]).then_some(last + 1)
}

/// The largest error of a saving divided by n, if `most` is the largest of these. With an error d of S - j·m, it is
/// `(2·|S - j·m|·d + d²) / (j·(n - j))`, and `j·(n - j)` is at least n - 1.
fn error(sample: &Sample, n: f64, most: f64) -> f64 {
    let far = sample.framed(0).abs().max(sample.framed(sample.len() - 1).abs());
    let of_sums = f64::EPSILON * (n * far) * (n / BLOCK as f64 + OF_SUMS);
    let of_root = of_sums / (n - 1.0).sqrt();
    (2.0 * most.sqrt() + of_root) * of_root + 2.0 * f64::EPSILON * most
}

/// Computes the saving, divided by n, of a boundary after each point; that after the last point means nothing.
struct Scan<'a> {
    values: &'a [f64],
    frame: &'a Frame,
    savings: &'a mut [f64],
}

impl pulp::WithSimd for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { values, frame, savings } = self;
        let n = values.len() as f64;
        let mut total = 0.0;
        let ((blocks, rest), (sums, last_sums)) = (values.as_chunks::<BLOCK>(), savings.as_chunks_mut::<BLOCK>());
        for (values, sums) in blocks.iter().zip(sums) {
            let mut sum = values.map(|x| frame.enter(x));
            (1..BLOCK).for_each(|i| sum[i] += sum[i - 1]);
            (0..BLOCK).for_each(|i| sums[i] = total + sum[i]);
            total += sum[BLOCK - 1];
        }
        for (&x, sum) in rest.iter().zip(last_sums) {
            total += frame.enter(x);
            *sum = total;
        }
        let mean = total / n;
        for (i, saving) in savings.iter_mut().enumerate() {
            let before = f64::from(i as u32 + 1);
            let apart = *saving - before * mean;
            *saving = apart * apart / (before * (n - before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmeans::unconstrained::solve_atoms;
    use crate::monitor::Monitor;

    fn found(values: &[f64]) -> (Option<usize>, usize) {
        let sample = Sample::new(values).unwrap();
        let general = solve_atoms(&sample, 2, &[], None, &mut Monitor::default()).unwrap();
        (only_boundary(&sample), general.solution.partition.ends()[0])
    }

    #[test]
    fn the_only_boundary_is_that_of_the_general_search() {
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 11) as f64 / 2f64.powi(53)
        };
        let mut scanned = 0;
        for trial in 0..600 {
            let n = 2 + (next() * if trial % 20 == 0 { 3000.0 } else { 60.0 }) as usize;
            let (power, steps) = (1 + trial % 9, [5.0, 40.0, 1e12][trial / 9 % 3]);
            let shift = [0.0, 1e6, -1e15][trial / 27 % 3];
            let mut values: Vec<f64> = (0..n).map(|_| shift + (steps * next().powi(power as i32)).round()).collect();
            values.push(values[0] + 1.0);
            let (only, general) = found(&values);
            assert!(only.is_none_or(|only| only == general), "trial {trial}: {only:?} for {general}");
            scanned += usize::from(only.is_some());
        }
        assert!(scanned > 400, "only {scanned} of 600");
    }

    #[test]
    fn ties_and_what_rounding_decides_are_left_to_the_general_search() {
        for tied in [vec![0.0, 1.0, 2.0], vec![-3.0, -1.0, 1.0, 3.0, 0.0], (0..1001).map(f64::from).collect()] {
            assert_eq!(found(&tied).0, None);
        }
        assert_eq!(found(&[0.0, 1.0, 2f64.next_up()]).0, None);
        assert_eq!(found(&[0.0, 1.0, 2.5]).0, Some(2));
        assert_eq!(found(&[7.0, 7.0, 9.0, 7.0]).0, Some(3));
        let many: Vec<f64> =
            (0..=MOST_POINTS).map(|i| f64::from(i as u32) + if i < 9999 { 0.0 } else { 1e6 }).collect();
        assert_eq!((found(&many).0, found(&many[..MOST_POINTS]).0), (None, Some(9999)));
    }
}
