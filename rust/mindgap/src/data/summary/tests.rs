//! Summaries against sums over all points, whatever the parts they were made from.

use super::*;
use crate::dice::Dice;

/// Reproducible numbers between 0 and 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    move || dice.unit()
}

fn data(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = random(seed);
    let shift = [0.0, -3.5, 1e8, -1e12][seed as usize % 4];
    let scale = [1.0, 1e-3, 1e6][seed as usize % 3];
    let values = (0..n).map(|_| shift + scale * (random() + random() - 1.0)).collect();
    (values, (0..n).map(|_| (4.0 * random()).floor()).collect())
}

fn assert_close(a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-12 * scale, "{a} is not {b}");
}

#[test]
fn cells_have_the_sums_of_their_points() {
    for seed in 0..60 {
        let (values, weights) = data(seed, 500);
        let mut summary = Summary::with_cells(37);
        summary.add_weighted(&values, &weights).unwrap();
        let atoms = summary.atoms();
        assert!(atoms.len() <= 37 && atoms.len() > 8);
        for atom in &atoms {
            let inside: Vec<usize> =
                (0..500).filter(|&i| weights[i] > 0.0 && (atom.low..=atom.high).contains(&values[i])).collect();
            let weight: f64 = inside.iter().map(|&i| weights[i]).sum();
            let offset: f64 = inside.iter().map(|&i| weights[i] * (values[i] - atom.low)).sum();
            let (mean, from_low) = (atom.low + offset / weight, offset / weight);
            let within: f64 = inside.iter().map(|&i| weights[i] * (values[i] - atom.low - from_low).powi(2)).sum();
            let width = atom.high - atom.low;
            assert_eq!(atom.count, inside.len() as u64);
            assert_eq!(atom.weight, weight);
            assert!((atom.mean - mean).abs() <= 1e-9 * width + 4.0 * f64::EPSILON * mean.abs());
            assert!((atom.within - within).abs() <= 1e-9 * weight * width.powi(2) + 1e-300);
        }
    }
}

#[test]
fn parts_merge_to_the_cells_of_the_whole() {
    for seed in 0..60 {
        let (values, weights) = data(seed, 300);
        let mut whole = Summary::with_cells(64);
        whole.add_weighted(&values, &weights).unwrap();
        for size in [1, 7, 100, 299] {
            let part = |i: usize| {
                let mut part = Summary::with_cells(64);
                let range = i * size..((i + 1) * size).min(300);
                part.add_weighted(&values[range.clone()], &weights[range]).unwrap();
                part
            };
            // Once from the left, once in reverse.
            for reverse in [false, true] {
                let mut order: Vec<usize> = (0..300_usize.div_ceil(size)).collect();
                if reverse {
                    order.reverse();
                }
                let mut merged = Summary::with_cells(64);
                order.iter().for_each(|&i| merged.merge(&part(i)).unwrap());
                assert_eq!((merged.grid, merged.start), (whole.grid, whole.start));
                assert_eq!(merged.cells.len(), whole.cells.len());
                for (a, b) in merged.cells.iter().zip(&whole.cells) {
                    assert_eq!((a.count, a.weight, a.low, a.high), (b.count, b.weight, b.low, b.high));
                    let spread = (b.high - b.low).max(0.0);
                    assert_close(a.offset, b.offset, spread);
                    assert_close(a.within, b.within, b.weight * spread * spread);
                }
            }
        }
    }
}

#[test]
fn mean_and_variance_are_those_of_the_points() {
    for seed in 0..20 {
        let (values, weights) = data(seed, 400);
        let mut summary = Summary::new();
        summary.add_weighted(&values, &weights).unwrap();
        let total: f64 = weights.iter().sum();
        let mean = values[0] + values.iter().zip(&weights).map(|(x, w)| w * (x - values[0])).sum::<f64>() / total;
        let variance = values.iter().zip(&weights).map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total;
        let found = summary.mean_and_variance().unwrap();
        assert!((found.0 - mean).abs() <= 1e-12 * variance.sqrt() + 4.0 * f64::EPSILON * mean.abs());
        assert!((found.1 / variance - 1.0).abs() < 1e-3 * mean.abs() * f64::EPSILON / variance.sqrt() * 1e6 + 1e-12);
    }
}

/// Points so far from zero that the means of cells lie between two doubles.
fn far(n: usize) -> (f64, Vec<f64>) {
    let (shift, mut random) = ((1u64 << 40) as f64, random(9));
    (shift, (0..n).map(|_| (random() + random()).mul_add(4096.0, 0.5).floor() / 4096.0).collect())
}

#[test]
fn means_far_from_zero_keep_their_digits() {
    let (shift, near) = far(5000);
    let values: Vec<f64> = near.iter().map(|x| shift + x).collect();
    let mut summary = Summary::with_cells(100);
    summary.add(&values).unwrap();
    let mean = near.iter().sum::<f64>() / 5000.0;
    let variance = near.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5000.0;
    assert!((summary.mean_and_variance().unwrap().1 / variance - 1.0).abs() < 1e-12);
    // A partition of cells costs what it costs on the points.
    let fit = crate::KMeans::new(3).fit(&summary.sample().unwrap()).unwrap();
    let mut sorted = near;
    sorted.sort_by(f64::total_cmp);
    let (mut start, mut cost) = (0, 0.0);
    for &size in fit.sizes() {
        let cluster = &sorted[start..start + size];
        let mean = cluster.iter().sum::<f64>() / size as f64;
        cost += cluster.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        start += size;
    }
    assert!((fit.inertia() / cost - 1.0).abs() < 1e-12, "{} for {cost}", fit.inertia());
    // The sums that bounds are made of are those of the points, too.
    let sample = summary.sample().unwrap();
    let whole = crate::data::sample::Prefixes::new(&sample).block(0, sample.len());
    let about = sample.frame().leave_square(whole.cost) / 5000.0;
    assert!((about / variance - 1.0).abs() < 1e-12, "{about} for {variance}");
}

#[test]
fn what_lies_within_a_cell_keeps_its_digits_beside_a_far_outlier() {
    let mut random = random(3);
    let x: Vec<f64> = (0..200).map(|_| 7e6 + random()).chain([1e12]).collect();
    let mut summary = Summary::with_cells(50);
    x.chunks(30).for_each(|part| summary.add(part).unwrap());
    let mean = x[..200].iter().map(|x| x - 7e6).sum::<f64>() / 200.0;
    let within: f64 = x[..200].iter().map(|x| (x - 7e6 - mean).powi(2)).sum();
    let atom = summary.atoms()[0];
    assert!((atom.within / within - 1.0).abs() < 1e-13, "{} for {within}", atom.within);
    assert!((atom.mean - 7e6 + atom.rest - mean).abs() < 1e-14);
}

#[test]
fn windows_hold_the_points_inside_and_no_others() {
    let (values, weights) = data(5, 1000);
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let windows = [(sorted[10], sorted[20]), (sorted[21], sorted[21]), (sorted[500], sorted[900])];
    let found = Summary::of_windows(&values, None, &windows, 1000).unwrap();
    assert_eq!(found.iter().map(Summary::count).collect::<Vec<_>>(), [11, 1, 401]);
    assert_eq!((found[2].low(), found[2].high()), (Some(windows[2].0), Some(windows[2].1)));
    let weighed = Summary::of_windows(&values, Some(&weights), &windows, 1000).unwrap();
    let inside = |i: &usize| (windows[2].0..=windows[2].1).contains(&values[*i]);
    assert_eq!(weighed[2].total_weight(), (0..1000).filter(inside).map(|i| weights[i]).sum::<f64>());
    let crossed = Summary::of_windows(&values, None, &[windows[2], windows[0]], 10);
    assert_eq!(crossed, Err(SampleError::BadWindow { index: 1 }));
}

#[test]
fn few_distinct_values_are_told_apart() {
    let mut summary = Summary::new();
    summary.add(&[1.0, 2.0, 1.0, 1e8, 2.0, 1.0]).unwrap();
    summary.add(&[]).unwrap();
    let atoms = Summary::of_windows(&[1.0, 2.0, 1.0, 2.0, 1.0], None, &[(1.0, 2.0)], 8).unwrap()[0].atoms();
    assert_eq!(atoms.iter().map(|atom| (atom.mean, atom.count)).collect::<Vec<_>>(), [(1.0, 3), (2.0, 2)]);
    assert!(atoms.iter().all(|atom| atom.within == 0.0));
}

#[test]
fn extreme_values_share_a_summary_unless_their_range_has_no_square() {
    let mut summary = Summary::with_cells(2);
    summary.add(&[-1e140, 5e-324, 0.0, -0.0, 1e-300, 1e140]).unwrap();
    summary.add(&[1.0, -1e-310]).unwrap();
    assert_eq!(summary.count(), 8);
    assert_eq!((summary.low(), summary.high()), (Some(-1e140), Some(1e140)));
    let mut far = Summary::new();
    far.add(&[f64::MAX, f64::MAX]).unwrap();
    assert_eq!(far.atoms().len(), 1);
    let before = far.clone();
    assert_eq!(far.add(&[0.0]), Err(SampleError::RangeNotSquarable { range: f64::MAX }));
    assert_eq!(far.merge(&summary), Err(SampleError::RangeNotSquarable { range: f64::MAX }));
    assert_eq!(far, before);
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut summary = Summary::new();
    summary.add(&[1.0, 2.0]).unwrap();
    let before = summary.clone();
    assert_eq!(summary.add(&[0.0, f64::INFINITY]), Err(SampleError::NotFinite { index: 1, value: f64::INFINITY }));
    assert_eq!(summary.add_weighted(&[9.0], &[-1.0]), Err(SampleError::BadWeight { index: 0, value: -1.0 }));
    assert_eq!(summary.add_weighted(&[9.0], &[1.0, 2.0]), Err(SampleError::WeightCount { points: 1, weights: 2 }));
    assert!(matches!(summary.add_weighted(&[9.0, 9.0], &[1e308, 1e308]), Err(SampleError::WeightOverflow { .. })));
    // Sums of squares would overflow.
    assert!(matches!(summary.add_weighted(&[1e100], &[1e200]), Err(SampleError::WeightOverflow { .. })));
    assert_eq!(summary, before);
}

#[test]
fn columns_come_back_and_rubbish_does_not() {
    let mut summary = Summary::with_cells(50);
    summary.add_weighted(&[1.0, 2.5, -7.0, 2.5], &[0.5, 1.0, 2.0, 3.0]).unwrap();
    let columns = SummaryColumns::from(summary.clone());
    assert_eq!(Summary::try_from(columns.clone()), Ok(summary));
    let mut none = SummaryColumns::new();
    none.limit = 2;
    assert_eq!(Summary::try_from(none), Ok(Summary::with_cells(2)));
    let spoilt: [fn(&mut SummaryColumns); 9] = [
        |columns| columns.limit = 0,
        |columns| columns.exponent += 1,
        |columns| columns.index.swap(0, 1),
        |columns| columns.weight[0] = f64::NAN,
        |columns| columns.weight[1] = -1.0,
        |columns| columns.count[2] = 0,
        |columns| columns.offset[1] = 100.0,
        |columns| columns.high[0] = 3.0,
        |columns| columns.low.truncate(1),
    ];
    for (i, spoil) in spoilt.iter().enumerate() {
        let mut columns = columns.clone();
        spoil(&mut columns);
        assert!(matches!(Summary::try_from(columns), Err(SampleError::BadSummary { .. })), "{i}");
    }
}

#[test]
fn values_that_vanish_beside_the_cells_keep_their_place() {
    let mut summary = Summary::with_cells(2);
    summary.add(&[-1e-150, -1e-190, 1e-150]).unwrap();
    summary.add(&[-1e140, 1e140]).unwrap();
    summary.add(&[-1e-189]).unwrap();
    assert_eq!(summary.sample().unwrap().points(), 6);
    assert_eq!(Summary::try_from(SummaryColumns::from(summary.clone())), Ok(summary));
}

#[test]
fn squares_that_all_but_vanish_come_back_too() {
    let mut summary = Summary::with_cells(2);
    summary.add(&[0.0, 3.44e-162, 1e-130]).unwrap();
    assert_eq!(Summary::try_from(SummaryColumns::from(summary.clone())), Ok(summary));
}

#[test]
fn more_points_than_can_be_counted_are_as_many_as_can() {
    let mut summary = Summary::with_cells(4);
    summary.add(&[0.0, 1.0, 2.0, 3.0]).unwrap();
    let mut columns = SummaryColumns::from(summary);
    columns.count.fill(u64::MAX);
    columns.weight.fill(u64::MAX as f64);
    let mut summary = Summary::try_from(columns).unwrap();
    assert_eq!(summary.count(), u64::MAX);
    summary.merge(&summary.clone()).unwrap();
    assert_eq!(summary.count(), u64::MAX);
    let fit = crate::KMeans::new(2).fit(&summary.sample().unwrap()).unwrap();
    assert_eq!((fit.centers(), fit.sizes()), (&[0.5, 2.5][..], &[usize::MAX; 2][..]));
}

#[test]
fn many_points_keep_the_digits_of_their_sums() {
    let n = 3_000_000;
    let mut weights = vec![1.0; n];
    // The weights after it, one by one, would all be lost to rounding.
    weights[0] = (1u64 << 53) as f64;
    let mut summary = Summary::new();
    summary.add_weighted(&vec![7.0; n], &weights).unwrap();
    let expected = weights[0] + (n - 1) as f64;
    assert!((summary.total_weight() / expected - 1.0).abs() < 5e-11);
}
