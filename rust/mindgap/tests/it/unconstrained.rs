//! Unconstrained k-means against every partition and against the plain dynamic program.

use crate::oracle::random::Random;
use crate::oracle::{partitions, rows};
use mindgap::{KMeans, KMeansFit, Sample};

fn fit(x: &[f64], w: &[f64], k: usize) -> KMeansFit {
    let sample = if w.iter().all(|&w| w == 1.0) { Sample::new(x).unwrap() } else { Sample::weighted(x, w).unwrap() };
    KMeans::new(k).fit(&sample).unwrap()
}

fn sorted(mut x: Vec<f64>) -> Vec<f64> {
    x.sort_by(f64::total_cmp);
    x
}

fn distinct(sorted: &[f64]) -> usize {
    1 + sorted.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn assert_close(found: f64, best: f64, context: &str) {
    assert!((found - best).abs() <= 1e-9 * best + 1e-13, "{context}: found {found:e}, the least is {best:e}");
}

#[track_caller]
fn assert_rows(name: &str, x: &[f64], w: &[f64], most: usize) {
    let least = rows::least_costs(x, w, most);
    for k in 1..=most {
        assert_close(fit(x, w, k).inertia(), least[k - 1], &format!("{name}, n = {}, k = {k}", x.len()));
    }
}

#[test]
fn small_problems_against_every_partition() {
    let mut random = Random::new(1);
    for case in 0..3000 {
        let n = 1 + random.below(11);
        let x = sorted(match case % 3 {
            0 => (0..n).map(|_| random.normal()).collect(),
            1 => (0..n).map(|_| random.below(6) as f64).collect(),
            _ => (0..n).map(|_| (random.normal() * 4.0).exp()).collect(),
        });
        let w: Vec<f64> = match case % 2 {
            0 => vec![1.0; n],
            _ => (0..n).map(|_| 10f64.powf(random.unit() * 12.0 - 6.0)).collect(),
        };
        for k in 1..=distinct(&x) {
            let best = partitions::best_partition(&x, &w, k, None).unwrap();
            let fit = fit(&x, &w, k);
            let scale = w.iter().sum::<f64>() * (x[n - 1] - x[0]).powi(2);
            let off = (fit.inertia() - best.cost).abs();
            assert!(off <= 1e-9 * best.cost + 1e-15 * scale, "{x:?} {w:?} k = {k}: {} {}", fit.inertia(), best.cost);
            // Of less than this a sum over all points need not keep nine digits: the allowance is a worst case.
            assert!(fit.is_optimal() || fit.inertia() < 1e-19 * scale, "{x:?} {w:?} k = {k}");
        }
    }
}

#[test]
fn a_thousand_points_against_the_plain_program() {
    let mut random = Random::new(2);
    let ones = vec![1.0; 1500];
    let normal = sorted((0..1500).map(|_| random.normal()).collect());
    assert_rows("normal", &normal, &ones, 40);
    let lumps = sorted((0..1500).map(|i| (i % 5) as f64 * 2.0 + 0.8 * random.normal()).collect());
    assert_rows("lumps", &lumps, &ones, 20);
    let integers = sorted((0..1500).map(|_| (random.normal() * 20.0).round()).collect());
    assert_rows("integers", &integers, &ones, 50);
    let spaced: Vec<f64> = (0..1500).map(f64::from).collect();
    assert_rows("equally spaced", &spaced, &ones, 60);
    let tails = sorted((0..1500).map(|_| (std::f64::consts::PI * (random.unit() - 0.5)).tan()).collect());
    assert_rows("heavy tails", &tails, &ones, 30);
    let weights: Vec<f64> = (0..1500).map(|_| 10f64.powf(random.unit() * 12.0 - 6.0)).collect();
    assert_rows("weighted", &normal, &weights, 30);
}

#[test]
fn many_clusters_against_the_plain_program() {
    let mut random = Random::new(3);
    let ones = vec![1.0; 400];
    let normal = sorted((0..400).map(|_| random.normal()).collect());
    assert_rows("normal", &normal, &ones, 400);
    let spaced: Vec<f64> = (0..400).map(f64::from).collect();
    assert_rows("equally spaced", &spaced, &ones, 400);
    let squares: Vec<f64> = (0..400).map(|i| f64::from(i * i)).collect();
    assert_rows("squares", &squares, &ones, 400);
    let doubling: Vec<f64> = (0..60).map(|i| 2f64.powi(i)).collect();
    let least = rows::least_costs(&doubling, &ones[..60], 60);
    for k in 1..=60 {
        assert_close(fit(&doubling, &ones[..60], k).inertia(), least[k - 1], &format!("doubling, k = {k}"));
    }
}

#[test]
fn levels_of_cells_against_the_plain_program() {
    let mut random = Random::new(4);
    let n = 3000;
    let ones = vec![1.0; n];
    let lumps = sorted((0..n).map(|i| (i % 7) as f64 + 0.2 * random.normal()).collect());
    assert_rows("lumps", &lumps, &ones, 8);
    let uniform = sorted((0..n).map(|_| random.unit()).collect());
    assert_rows("uniform", &uniform, &ones, 8);
    let mixed =
        sorted((0..n).map(|i| if i % 3 == 0 { random.below(10) as f64 } else { 10.0 * random.unit() }).collect());
    assert_rows("half tied", &mixed, &ones, 8);
    let weights: Vec<f64> = (0..n).map(|_| 10f64.powf(random.unit() * 6.0 - 3.0)).collect();
    assert_rows("weighted", &uniform, &weights, 8);
}

#[test]
fn outliers_leave_the_bulk_its_clusters() {
    let mut random = Random::new(5);
    for outlier in [1e9, -1e9] {
        let bulk: Vec<f64> = (0..5000).map(|_| random.normal()).collect();
        let mut x = bulk.clone();
        x.push(outlier);
        let (with, without) = (fit(&x, &vec![1.0; 5001], 6), fit(&bulk, &vec![1.0; 5000], 5));
        // The bulk has kept sixteen digits of the range, so seven of its own.
        assert!((with.inertia() / without.inertia() - 1.0).abs() < 1e-6);
        assert_eq!(with.sizes().iter().max(), without.sizes().iter().max());
    }
}

#[test]
fn a_shift_moves_no_boundary() {
    let mut random = Random::new(6);
    let x: Vec<f64> = (0..20_000).map(|_| (random.normal() * 4096.0).round() / 1024.0).collect();
    let shifted: Vec<f64> = x.iter().map(|x| x + 1e9).collect();
    let ones = vec![1.0; x.len()];
    for k in [2, 5, 50, 300] {
        let (here, there) = (fit(&x, &ones, k), fit(&shifted, &ones, k));
        assert_eq!(here.labels(), there.labels());
        assert!((here.inertia() - there.inertia()).abs() <= 1e-9 * here.inertia());
    }
}

#[test]
fn the_order_of_the_input_does_not_show() {
    let mut random = Random::new(7);
    let mut x: Vec<f64> = (0..70_000).map(|_| random.normal()).collect();
    let mut w: Vec<f64> = (0..70_000).map(|_| 0.5 + random.unit()).collect();
    let (first, first_weighted) = (fit(&x, &[1.0], 9), fit(&x, &w, 9));
    for i in (1..x.len()).rev() {
        let j = random.below(i + 1);
        x.swap(i, j);
        w.swap(i, j);
    }
    assert_eq!(first.centers(), fit(&x, &[1.0], 9).centers());
    assert_eq!(first_weighted.centers(), fit(&x, &w, 9).centers());
}

#[test]
fn as_many_clusters_as_values_cost_nothing() {
    let mut random = Random::new(8);
    let few: Vec<f64> = (0..100_000).map(|_| (random.below(7) as f64).sqrt()).collect();
    let found = fit(&few, &[1.0], 7);
    assert_eq!(found.inertia(), 0.0);
    assert!(found.centers().iter().enumerate().all(|(c, &center)| center == (c as f64).sqrt()));
    let all: Vec<f64> = (0..5000).map(|i| f64::from(i).sqrt()).collect();
    assert_eq!(fit(&all, &[1.0], 5000).inertia(), 0.0);
    let tiny = [0.0, 1e-200, 1.0];
    assert_eq!(fit(&tiny, &[1.0], 3).sizes(), [1, 1, 1]);
}

#[test]
fn one_cluster_too_few_merges_the_nearest_pair() {
    let mut x: Vec<f64> = (0..3000).map(|i| f64::from(i) + 1e-9 * f64::from(i * i % 97)).collect();
    x[1234] = x[1233] + 0.999;
    let merged = fit(&x, &[1.0], 2999);
    assert_eq!(merged.labels()[1233], merged.labels()[1234]);
    assert!((merged.inertia() - 0.5 * 0.999f64.powi(2)).abs() < 1e-9);
}

#[test]
fn limits_are_the_smallest_value_and_the_largest_of_each_cluster() {
    let mut random = Random::new(5);
    for k in 1..6 {
        let values: Vec<f64> = (0..40).map(|_| (40.0 * random.unit()).round()).collect();
        let fit = KMeans::new(k).fit(&Sample::new(&values).unwrap()).unwrap();
        // Also for other values, of which some clusters may have none: their limit is the one before.
        for values in [&values[..], &values[..3]] {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let up_to = |c: usize| {
                let within = values.iter().zip(fit.predict(values)).filter(move |(_, label)| *label as usize <= c);
                within.map(|(&x, _)| x).fold(least, f64::max)
            };
            let expected: Vec<f64> = [least].into_iter().chain((0..fit.centers().len()).map(up_to)).collect();
            assert_eq!(fit.limits(values), expected);
        }
    }
}
