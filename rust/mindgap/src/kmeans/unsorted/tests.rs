//! Points in any order against the same points sorted.

use super::atom_reader::FEW;
use super::*;
use crate::constraint::GapBounds;
use crate::kmeans::unconstrained::tests::random;

type Source = fn(usize) -> f64;

fn normal(i: usize) -> f64 {
    (0..12).map(|j| random(12 * i + j)).sum::<f64>() - 6.0
}

/// Data that cells serve well.
const SMOOTH: [(&str, Source); 9] = [
    ("uniform", random),
    ("normal", normal),
    ("shifted", |i| 1e9 + normal(i)),
    ("left of zero", |i| -3e4 * random(i) - 1.0),
    ("small", |i| 1e-120 * normal(i)),
    ("large", |i| 1e120 * normal(i)),
    ("lumps", |i| (i % 5) as f64 + 0.2 * normal(i)),
    ("rounded", |i| (300.0 * normal(i)).round() / 100.0),
    ("integers", |i| (40.0 * normal(i)).round() + 1000.0),
];

/// Data that may have to be sorted.
const HOSTILE: [(&str, Source); 7] = [
    ("clumps", |i| 10.0 * (i % 7) as f64 + 1e-7 * random(i)),
    ("an outlier", |i| if i == 7 { 1e9 } else { random(i) }),
    ("outliers", |i| if i < 3 { 1e6 * (i as f64 - 1.0) } else { random(i) }),
    ("heavy tails", |i| (3.1 * (random(i) - 0.5)).tan()),
    ("geometric", |i| (40.0 * random(i)).exp()),
    ("few values", |i| (60.0 * random(i)).floor()),
    ("zeros", |i| if i % 3 == 0 { 0.0 } else { random(i) - 0.5 }),
];

fn values(n: usize, of: Source) -> Vec<f64> {
    (0..n).map(of).collect()
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.1 + 3.0 * random(i + (1 << 30))).collect()
}

/// Weights of which some are zero and others differ a lot.
fn uneven(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 9 == 0 { 0.0 } else { (30.0 * random(i + (1 << 30))).exp() }).collect()
}

fn fits(kmeans: &KMeans, sample: &Sample) -> (Option<KMeansFit>, KMeansFit) {
    let unsorted = fit(kmeans, sample, &mut Monitor::default()).unwrap();
    (unsorted, kmeans.fit_sorted(sample, &mut Monitor::default()).unwrap())
}

#[track_caller]
fn assert_same(unsorted: &KMeansFit, sorted: &KMeansFit, case: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    let spread = (sorted.inertia() / sorted.weights().iter().sum::<f64>()).sqrt();
    assert!(near(unsorted.inertia(), sorted.inertia()), "{case}: {:e} {:e}", unsorted.inertia(), sorted.inertia());
    assert!(unsorted.is_optimal() && unsorted.lower_bound() <= unsorted.inertia(), "{case}");
    assert_eq!(unsorted.sizes(), sorted.sizes(), "{case}");
    assert_eq!(unsorted.labels(), sorted.labels(), "{case}");
    assert!(unsorted.weights().iter().zip(sorted.weights()).all(|(&a, &b)| near(a, b)), "{case}");
    assert!(unsorted.within().iter().zip(sorted.within()).all(|(&a, &b)| near(a, b)), "{case}");
    let lengths = |fit: &KMeansFit| [fit.centers().to_vec(), fit.boundaries().to_vec(), fit.gaps().to_vec()].concat();
    for (a, b) in lengths(unsorted).into_iter().zip(lengths(sorted)) {
        assert!((a - b).abs() <= 1e-12 * spread + 4.0 * f64::EPSILON * b.abs(), "{case}: {a:e} {b:e}");
    }
    assert_eq!(unsorted.active(), sorted.active(), "{case}");
}

/// As [`assert_same`], where some weights are too small to matter: rounding decides on which side of a boundary such
/// points are.
#[track_caller]
fn assert_nearly_same(unsorted: &KMeansFit, sorted: &KMeansFit, case: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    assert!(unsorted.is_optimal() && unsorted.lower_bound() <= unsorted.inertia(), "{case}");
    assert!(near(unsorted.inertia(), sorted.inertia()), "{case}: {:e} {:e}", unsorted.inertia(), sorted.inertia());
    assert!(unsorted.weights().iter().zip(sorted.weights()).all(|(&a, &b)| near(a, b)), "{case}");
    assert_eq!(unsorted.sizes().iter().sum::<usize>(), sorted.sizes().iter().sum::<usize>(), "{case}");
    let other = unsorted.labels().iter().zip(sorted.labels()).filter(|(a, b)| a != b).count();
    assert!(other <= 2 * sorted.gaps().len(), "{case}: {other} labels differ");
}

#[test]
fn the_fit_is_that_of_the_sorted_points() {
    for (name, of) in SMOOTH {
        for k in [2, 5, 12, 40] {
            let x = values(40_000, of);
            for sample in [Sample::new(&x).unwrap(), Sample::weighted(&x, &weights(x.len())).unwrap()] {
                let (unsorted, sorted) = fits(&KMeans::new(k), &sample);
                let case = format!("{name}, k = {k}, weights {:?}", sample.weights().map(<[f64]>::len));
                assert!(unsorted.is_some() || k == 40, "{case}");
                unsorted.iter().for_each(|unsorted| assert_same(unsorted, &sorted, &case));
            }
        }
    }
}

#[test]
fn zero_and_uneven_weights_have_the_fit_of_the_sorted_points() {
    for (name, of) in [SMOOTH[1], SMOOTH[2], SMOOTH[6], SMOOTH[8]] {
        let x = values(40_000, of);
        for k in [2, 5, 12] {
            let (unsorted, sorted) = fits(&KMeans::new(k), &Sample::weighted(&x, &uneven(x.len())).unwrap());
            assert_nearly_same(&unsorted.unwrap(), &sorted, &format!("{name}, k = {k}"));
        }
    }
}

/// As where there are many more points: cells are divided until few points are left to gather.
#[test]
fn cells_that_are_divided_first_lead_to_the_same_fit() {
    let few = FEW.replace(0);
    let mut solved = 0;
    for (name, of) in SMOOTH.into_iter().chain(HOSTILE) {
        let x = values(40_000, of);
        let samples = [
            Sample::new(&x).unwrap(),
            Sample::weighted(&x, &weights(x.len())).unwrap(),
            Sample::weighted(&x, &uneven(x.len())).unwrap(),
        ];
        for (i, k) in (0..3).flat_map(|i| [2, 5, 12].map(|k| (i, k))) {
            let (unsorted, sorted) = fits(&KMeans::new(k), &samples[i]);
            solved += usize::from(unsorted.is_some());
            let same = if i < 2 { assert_same } else { assert_nearly_same };
            unsorted.iter().for_each(|unsorted| same(unsorted, &sorted, &format!("{name}, k = {k}")));
        }
    }
    FEW.set(few);
    assert!(solved > 80, "{solved} of 144");
}

#[test]
fn bounds_without_effect_need_no_sort() {
    let sample = Sample::new(&values(70_000, SMOOTH[0].1)).unwrap();
    let unbounded = KMeans::new(20).fit(&sample).unwrap();
    let least = unbounded.gaps().iter().copied().fold(f64::INFINITY, f64::min);
    let kmeans = |lower: f64| KMeans::new(20).constraint(GapBounds::lower(lower));
    let (unsorted, sorted) = fits(&kmeans(0.999 * least), &sample);
    assert_same(&unsorted.unwrap(), &sorted, "no effect");
    for lower in [least, 1.001 * least] {
        let (unsorted, sorted) = fits(&kmeans(lower), &sample);
        assert!(unsorted.is_none() && sorted.active().contains(&Some(crate::constraint::Side::Lower)), "{lower}");
    }
}

#[test]
fn gaps_at_their_bounds_or_beyond_need_a_sort() {
    let sample = Sample::new(&values(70_000, SMOOTH[0].1)).unwrap();
    let unbounded = KMeans::new(20).fit(&sample).unwrap();
    let (least, most) =
        unbounded.gaps().iter().fold((f64::INFINITY, 0.0_f64), |(least, most), &gap| (least.min(gap), most.max(gap)));
    let is_fitted = |bounds: GapBounds| {
        fit(&KMeans::new(20).constraint(bounds), &sample, &mut Monitor::default()).unwrap().is_some()
    };
    assert!(is_fitted(GapBounds::lower(least - 1e-6)) && is_fitted(GapBounds::between(0.0, most + 1e-6).unwrap()));
    // Violated by far, by little, not at all, and kept by less than solvers differ.
    for off in [-1e-6, -1e-10, 0.0, 1e-10] {
        assert!(!is_fitted(GapBounds::lower(least - off)), "{off} above the lower bound");
        assert!(!is_fitted(GapBounds::between(0.0, most + off).unwrap()), "{off} below the upper bound");
    }
}

#[test]
fn equal_points_in_different_clusters_need_a_sort() {
    // The bound is too wide: the last cluster, or the first, keeps one of the points that are equal to the last value.
    for sign in [1.0, -1.0] {
        let x: Vec<f64> = (0..40_000).map(|i| sign * (i % 78) as f64).collect();
        for k in [3, 12] {
            let kmeans = KMeans::new(k).constraint(GapBounds::lower(400.0 / k as f64));
            let (unsorted, sorted) = fits(&kmeans, &Sample::new(&x).unwrap());
            assert!(unsorted.is_none() && sorted.sizes().contains(&1), "k = {k}");
            assert_eq!(kmeans.fit_values(&x, &mut Monitor::default()).unwrap().0, sorted, "k = {k}");
        }
    }
}

#[test]
fn hostile_data_are_solved_or_left_to_a_sort() {
    for (name, of) in HOSTILE {
        for k in [1, 2, 5, 12] {
            let x = values(40_000, of);
            for sample in [Sample::new(&x).unwrap(), Sample::weighted(&x, &weights(x.len())).unwrap()] {
                let (unsorted, sorted) = fits(&KMeans::new(k), &sample);
                if let Some(unsorted) = unsorted {
                    assert_same(&unsorted, &sorted, &format!("{name}, k = {k}"));
                }
            }
        }
    }
}

#[test]
fn free_centres_are_those_of_the_sorted_points() {
    for (name, of) in [SMOOTH[0], SMOOTH[2], SMOOTH[6], SMOOTH[7]] {
        let x = values(40_000, of);
        let (low, high) = x.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        for (k, part) in [(3, 0.4), (5, 0.21)] {
            let kmeans = KMeans::new(k).constraint(GapBounds::lower(part * (high - low)));
            let (unsorted, sorted) = fits(&kmeans, &Sample::new(&x).unwrap());
            let Some(unsorted) = unsorted else { continue };
            let (a, b) = (unsorted.inertia(), sorted.inertia());
            assert!((a - b).abs() <= 1e-9 * b, "{name}, k = {k}: {a:e} {b:e}");
            assert!(unsorted.is_optimal() && unsorted.sizes().iter().sum::<usize>() == x.len());
        }
    }
}

/// Everything but the labels, to the bit.
fn bits(fit: &KMeansFit) -> Vec<u64> {
    let parts = [fit.centers(), fit.boundaries(), fit.within(), fit.weights(), fit.gaps()];
    let ends = [fit.inertia(), fit.lower_bound()];
    parts.into_iter().flatten().chain(&ends).map(|x| x.to_bits()).collect()
}

/// Only offsets in cells beside zero are rounded; then clusters must be two cells wide.
#[test]
fn clusters_narrower_than_cells_are_left_to_a_sort() {
    for (shift, rounded) in [(0.0, true), (1e12, false)] {
        let cells = EqualCells::new((shift - 1.0, shift + 1.0), 1000);
        assert_eq!(cells.blur() > 0.0, rounded);
        for (share, narrow) in [(1.9, true), (2.1, false)] {
            let off = share * cells.width();
            let x = [shift - 0.5, shift + 0.5].map(|middle| [middle - off, middle + off]).concat();
            let fit = KMeans::new(2).fit(&Sample::new(&x).unwrap()).unwrap();
            assert_eq!(is_too_coarse(&cells, &fit), narrow && rounded, "{shift} {share}");
        }
    }
}

#[test]
fn neither_order_nor_threads_show() {
    let n = 70_000;
    for (name, of) in [SMOOTH[1], SMOOTH[2], SMOOTH[7], HOSTILE[3]] {
        let (x, w) = (values(n, of), weights(n));
        let turned = |from: &[f64]| from.iter().rev().copied().collect::<Vec<f64>>();
        let other = |from: &[f64]| (0..n).map(|i| from[i * 9973 % n]).collect::<Vec<f64>>();
        for weighted in [false, true] {
            let sample = |x: &[f64], w: &[f64]| match weighted {
                true => Sample::weighted(x, w).unwrap(),
                false => Sample::new(x).unwrap(),
            };
            let here = KMeans::new(7).fit(&sample(&x, &w)).unwrap();
            let (back, mixed) = (sample(&turned(&x), &turned(&w)), sample(&other(&x), &other(&w)));
            let back = KMeans::new(7).fit(&back).unwrap();
            assert_eq!(bits(&here), bits(&back), "{name}");
            assert!(here.labels().iter().eq(back.labels().iter().rev()), "{name}");
            let mixed = KMeans::new(7).fit(&mixed).unwrap();
            assert_eq!(bits(&here), bits(&mixed), "{name}");
            assert!((0..n).all(|i| mixed.labels()[i] == here.labels()[i * 9973 % n]), "{name}");
            #[cfg(feature = "rayon")]
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let there = pool.install(|| KMeans::new(7).fit(&sample(&x, &w)).unwrap());
                assert_eq!(bits(&here), bits(&there), "{name}, {threads} threads");
                assert_eq!(here.labels(), there.labels(), "{name}, {threads} threads");
            }
        }
    }
}

#[test]
fn sorted_values_are_no_other_data() {
    let mut x = values(40_000, normal);
    let given = KMeans::new(6).fit(&Sample::new(&x).unwrap()).unwrap();
    x.sort_by(f64::total_cmp);
    let sorted = KMeans::new(6).fit(&Sample::from_sorted(x).unwrap()).unwrap();
    assert_eq!(bits(&given), bits(&sorted));
    assert!(sorted.labels().is_sorted());
}

#[test]
fn a_sample_that_was_sorted_gives_the_same_bits() {
    let sample = Sample::new(&values(40_000, normal)).unwrap();
    let before = KMeans::new(4).fit(&sample).unwrap();
    assert!(sample.values().is_sorted());
    assert_eq!(bits(&before), bits(&KMeans::new(4).fit(&sample).unwrap()));
}

#[test]
fn a_bound_holds_for_points_that_were_rounded() {
    assert_eq!(less_blur(9.0, 0.0, 4.0), 9.0);
    assert_eq!(less_blur(9.0, 0.5, 4.0), 4.0);
    assert_eq!(less_blur(1.0, 5.0, 4.0), 0.0);
}

#[test]
fn labels_are_left_out_where_none_are_asked_for() {
    let sample = Sample::new(&values(40_000, normal)).unwrap();
    let (with, without) = (KMeans::new(4), KMeans::new(4).labels(false));
    for kmeans in [&without, &without.clone().min_size(10.0)] {
        let fit = kmeans.fit(&sample).unwrap();
        assert!(fit.labels().is_empty());
        let labelled = with.fit(&sample).unwrap();
        assert_eq!(fit.sizes(), labelled.sizes());
        assert_eq!(fit.predict(&sample.given().0), labelled.labels());
    }
}

#[test]
fn borrowed_weights_have_the_fit_of_a_sample() {
    let even: fn(u64) -> f64 = |i| 0.5 + (i % 7) as f64;
    let uneven: fn(u64) -> f64 = |i| if i.is_multiple_of(9) { 0.0 } else { 1e-4 + (i % 3) as f64 };
    for (n, weight) in [(100, even), (40_000, even), (40_000, uneven)] {
        let (x, weights) = (values(n, normal), (0..n as u64).map(weight).collect::<Vec<f64>>());
        let (borrowed, _) = KMeans::new(5).fit_weighted(&x, &weights, &mut Monitor::default()).unwrap();
        assert_eq!(borrowed, KMeans::new(5).fit(&Sample::weighted(&x, &weights).unwrap()).unwrap(), "{n}");
    }
}

#[test]
fn borrowed_weights_are_refused_as_those_of_a_sample_are() {
    let x = values(40_000, normal);
    let changed = |weight: f64| (0..40_000).map(|i| if i == 7 { weight } else { 1.0 }).collect::<Vec<f64>>();
    for weights in [changed(-1.0), changed(f64::NAN), changed(f64::INFINITY), vec![1.0; 5], vec![0.0; 40_000]] {
        let refused = KMeans::new(2).fit_weighted(&x, &weights, &mut Monitor::default()).unwrap_err();
        assert_eq!(refused.to_string(), Sample::weighted(&x, &weights).unwrap_err().to_string());
    }
}

/// A weight that is next to nothing beside all others is refused when it is fitted, however the points are given.
#[test]
fn weights_that_are_too_uneven_are_refused_in_any_order() {
    let x = values(40_000, normal);
    let weights: Vec<f64> = (0..40_000).map(|i| if i == 7 { 2e-14 } else { 1.0 }).collect();
    let refused = KMeans::new(2).fit_weighted(&x, &weights, &mut Monitor::default()).unwrap_err();
    let sorted = KMeans::new(2).fit(&Sample::weighted(&x, &weights).unwrap()).unwrap_err();
    assert_eq!(refused.to_string(), sorted.to_string());
}

#[test]
fn borrowed_values_have_the_fit_of_a_sample() {
    for (name, of) in SMOOTH.into_iter().chain(HOSTILE) {
        for (n, k) in [(100, 3), (40_000, 2), (40_000, 12)] {
            let x = values(n, of);
            let (borrowed, kept) = KMeans::new(k).fit_values(&x, &mut Monitor::default()).unwrap();
            let sample = Sample::new(&x).unwrap();
            assert_eq!(borrowed, KMeans::new(k).fit(&sample).unwrap(), "{name}, n = {n}, k = {k}");
            assert_eq!(kept.total_weight(), n as f64, "{name}");
            let mean = |sample: &Sample| {
                let offsets = sample.values().iter().map(|value| value - x[0]);
                offsets.enumerate().map(|(i, offset)| sample.weight(i) * offset).sum::<f64>() / sample.total_weight()
            };
            let range = sample.values()[n - 1] - sample.values()[0];
            assert!((mean(&kept) - mean(&sample)).abs() <= 1e-9 * range, "{name}");
        }
    }
}

#[test]
fn borrowed_values_are_refused_as_a_sample_is() {
    let fit = |x: &[f64]| KMeans::new(2).fit_values(x, &mut Monitor::default()).unwrap_err();
    for fault in [f64::NAN, f64::INFINITY, f64::MAX] {
        let mut x = values(40_000, normal);
        x[20_000] = fault;
        assert_eq!(fit(&x).to_string(), Sample::new(&x).unwrap_err().to_string());
    }
    assert_eq!(fit(&[]), Error::from(Sample::new(&[]).unwrap_err()));
    assert!(matches!(fit(&[1.0]), Error::KMeans(KMeansError::TooManyClusters { k: 2, points: 1 })));
}
