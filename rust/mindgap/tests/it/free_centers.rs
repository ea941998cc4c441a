//! Free centres against brute force, against known optima, and on hostile data.

use std::ops::ControlFlow;
use std::path::Path;

use crate::oracle::free::least_cost;
use crate::oracle::partitions::{self, Bounds};
use crate::oracle::random::Random;
use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansFit, Monitor, Progress, Sample, Ties};

fn fit(sample: &Sample, k: usize, lower: &[f64], upper: &[f64]) -> KMeansFit {
    let bounds = GapBounds::per_gap(lower, upper).unwrap();
    KMeans::new(k).centers(Centers::Free).constraint(bounds).fit(sample).unwrap()
}

/// What every result must be: bounds held, every cluster with a point, cost that of the labels, bound below cost.
fn check(fit: &KMeansFit, x: &[f64], w: &[f64], lower: &[f64], upper: &[f64]) {
    let scale = x.iter().fold(0.0f64, |m, z| m.max((z - x[0]).abs())) + lower.iter().sum::<f64>();
    for (g, gap) in fit.gaps().iter().enumerate() {
        let held = *gap >= lower[g] - 1e-10 * scale && *gap <= upper[g] + 1e-10 * scale;
        assert!(held, "gap {g} is {gap}, not within {} and {}", lower[g], upper[g]);
    }
    assert!(fit.sizes().iter().all(|&size| size > 0));
    let about = |i: usize| w[i] * (x[i] - fit.centers()[fit.labels()[i] as usize]).powi(2);
    let cost: f64 = (0..x.len()).map(about).sum();
    assert!((cost - fit.inertia()).abs() <= 1e-9 * cost + 1e-20 * scale * scale, "{cost} {}", fit.inertia());
    assert!(fit.lower_bound() <= fit.inertia());
}

/// Sorted data of one of several kinds, with weights.
fn data(random: &mut Random, n: usize, kind: usize) -> (Vec<f64>, Vec<f64>) {
    let mut x: Vec<f64> = (0..n)
        .map(|_| match kind % 4 {
            0 => random.uniform(0.0, 10.0),
            1 => random.below(7) as f64,
            2 => random.uniform(0.0, 1.0).powi(4) * 10.0,
            _ => (random.below(4) * 3) as f64 + random.uniform(0.0, 1.0),
        })
        .collect();
    x.sort_by(f64::total_cmp);
    let weighted = random.below(2) == 0;
    let w = (0..n).map(|_| if weighted { random.uniform(0.1, 3.0) } else { 1.0 }).collect();
    (x, w)
}

/// Bounds of one of several kinds.
fn bounds(random: &mut Random, gaps: usize) -> (Vec<f64>, Vec<f64>) {
    let kind = random.below(6);
    let one = random.uniform(0.0, 4.0);
    let mut lower = vec![one; gaps];
    let mut upper = vec![f64::INFINITY; gaps];
    for g in 0..gaps {
        match kind {
            0 => {}
            1 => upper[g] = one + 0.7,
            2 => upper[g] = one,
            3 => (lower[g], upper[g]) = (0.0, one),
            _ => {
                lower[g] = if random.below(3) == 0 { 0.0 } else { random.uniform(0.0, 5.0) };
                upper[g] = match random.below(3) {
                    0 => f64::INFINITY,
                    1 => lower[g],
                    _ => lower[g] + random.uniform(0.0, 2.0),
                };
            }
        }
    }
    (lower, upper)
}

fn distinct(x: &[f64]) -> usize {
    1 + x.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[test]
fn agrees_with_every_partition() {
    let mut random = Random::new(8);
    let mut compared = 0;
    while compared < 3000 {
        let n = 2 + random.below(11);
        let k = 1 + random.below(5.min(n));
        let kind = random.below(4);
        let (x, w) = data(&mut random, n, kind);
        let (lower, upper) = bounds(&mut random, k - 1);
        if k > distinct(&x) {
            continue;
        }
        let sample = Sample::weighted(&x, &w).unwrap();
        let fit = fit(&sample, k, &lower, &upper);
        check(&fit, &x, &w, &lower, &upper);
        let (x, w) = &partitions::atoms(&x, &w);
        let truth = least_cost(x, w, k, Bounds { lower: &lower, upper: &upper });
        let close = 1e-9 * truth + 1e-20;
        let facts = format!("x {x:?} w {w:?} k {k} lower {lower:?} upper {upper:?}");
        assert!((fit.inertia() - truth).abs() <= close, "{} is not {truth}: {facts}", fit.inertia());
        assert!(fit.lower_bound() <= truth + close, "{} is above {truth}: {facts}", fit.lower_bound());
        assert!(fit.is_optimal(), "{facts}");
        let means = partitions::best_partition(x, w, k, Some(Bounds { lower: &lower, upper: &upper }));
        assert!(means.is_none_or(|means| fit.inertia() <= means.cost + close), "{facts}");
        compared += 1;
    }
}

#[test]
fn agrees_with_means_where_no_bound_is_active() {
    let mut random = Random::new(3);
    for n in [9, 60, 200] {
        let (x, w) = data(&mut random, n, 0);
        let sample = Sample::weighted(&x, &w).unwrap();
        let means = KMeans::new(4).fit(&sample).unwrap();
        let smallest = means.gaps().iter().copied().fold(f64::INFINITY, f64::min);
        let free = fit(&sample, 4, &[0.9 * smallest; 3], &[1e3; 3]);
        assert_eq!(free.labels(), means.labels());
        assert!((free.inertia() - means.inertia()).abs() <= 1e-12 * means.inertia());
        assert!(free.is_optimal());
    }
}

#[test]
fn finds_the_known_optima() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/free_centers.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let instances: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(instances.len(), 161);
    for instance in &instances {
        let x: Vec<f64> = instance["x"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let k = instance["k"].as_u64().unwrap() as usize;
        let lower = vec![instance["delta"].as_f64().unwrap(); k - 1];
        let cost = instance["cost"].as_f64().unwrap();
        let fit = fit(&Sample::new(&x).unwrap(), k, &lower, &vec![f64::INFINITY; k - 1]);
        check(&fit, &x, &vec![1.0; x.len()], &lower, &vec![f64::INFINITY; k - 1]);
        assert!((fit.inertia() - cost).abs() <= 1e-9 * cost, "{}: {} is not {cost}", instance["id"], fit.inertia());
        assert!(fit.is_optimal(), "{}: {} of {}", instance["id"], fit.lower_bound(), fit.inertia());
    }
}

/// Points of three bumps.
fn bumps(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n)
        .map(|_| {
            let bump = random.below(3) as f64;
            bump * 2.0 + (0..4).map(|_| random.uniform(-0.4, 0.4)).sum::<f64>()
        })
        .collect()
}

#[test]
fn the_worked_example_of_the_paper_costs_half_as_much() {
    let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0]).unwrap();
    let fit = fit(&sample, 5, &[1.75; 4], &[f64::INFINITY; 4]);
    assert!((fit.inertia() - 37.0 / 24.0).abs() < 1e-12);
    let expected = [-2.0, 1.5, 23.0 / 6.0, 67.0 / 12.0, 9.5];
    assert!(fit.centers().iter().zip(expected).all(|(center, expected)| (center - expected).abs() < 1e-12));
}

#[test]
fn never_dearer_than_means() {
    for (seed, delta) in [(1, 0.3), (2, 0.9), (3, 1.1), (4, 1.4)] {
        let sample = Sample::new(&bumps(400, seed)).unwrap();
        let free = fit(&sample, 4, &[delta; 3], &[f64::INFINITY; 3]);
        assert!(free.is_optimal());
        let problem = KMeans::new(4).centers(Centers::Means).constraint(GapBounds::lower(delta));
        if let Ok(means) = problem.fit(&sample) {
            assert!(free.inertia() <= means.inertia() * (1.0 + 1e-12), "{} {}", free.inertia(), means.inertia());
        }
    }
}

#[test]
fn units_do_not_matter() {
    let x = bumps(300, 5);
    let plain = fit(&Sample::new(&x).unwrap(), 4, &[1.2; 3], &[1.6; 3]);
    for scale in [2f64.powi(-300), 1e-3, 1e9, 2f64.powi(300)] {
        let scaled: Vec<f64> = x.iter().map(|x| x * scale).collect();
        let fit = fit(&Sample::new(&scaled).unwrap(), 4, &[1.2 * scale; 3], &[1.6 * scale; 3]);
        assert_eq!(fit.labels(), plain.labels());
        assert!((fit.inertia() / scale / scale - plain.inertia()).abs() <= 1e-9 * plain.inertia());
        assert!(fit.is_optimal());
    }
    let shifted: Vec<f64> = x.iter().map(|x| x + 1e8).collect();
    let fit = fit(&Sample::new(&shifted).unwrap(), 4, &[1.2; 3], &[1.6; 3]);
    assert_eq!(fit.labels(), plain.labels());
    assert!((fit.inertia() - plain.inertia()).abs() <= 1e-6 * plain.inertia());
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let x = bumps(500, 6);
    let reversed: Vec<f64> = x.iter().rev().copied().collect();
    let one = fit(&Sample::new(&x).unwrap(), 3, &[2.2; 2], &[f64::INFINITY; 2]);
    let other = fit(&Sample::new(&reversed).unwrap(), 3, &[2.2; 2], &[f64::INFINITY; 2]);
    assert_eq!(one.centers(), other.centers());
    assert_eq!(one.inertia().to_bits(), other.inertia().to_bits());
}

#[test]
fn hostile_data_are_solved_with_proof() {
    let outliers: Vec<f64> = bumps(400, 7).into_iter().chain([-3e6, 2e7]).collect();
    let few_values: Vec<f64> = (0..600).map(|i| [0.0, 0.1, 7.0][i % 3]).collect();
    let bumps = bumps(400, 8);
    let unbounded = f64::INFINITY;
    let cases: [(&str, &[f64], usize, f64, f64); 12] = [
        ("outliers", &outliers, 5, 0.5, unbounded),
        ("outliers under a tight bound", &outliers, 6, 1.1, unbounded),
        ("three values", &few_values, 3, 0.05, unbounded),
        ("three values, bounds between them", &few_values, 3, 1.0, 3.0),
        ("a gap wider than the data", &bumps, 3, 20.0, unbounded),
        ("gaps far wider than the data", &bumps, 5, 500.0, unbounded),
        ("gaps that just do not fit", &bumps, 5, 2.0, unbounded),
        ("no gap at all", &bumps, 4, 0.0, 0.0),
        ("all but no gap", &bumps, 4, 0.0, 1e-3),
        ("gaps of one length", &bumps, 4, 1.5, 1.5),
        ("gaps of almost one length", &bumps, 4, 1.5, 1.5 + 1e-9),
        ("a bound that does nothing", &bumps, 3, 1e-300, 1e300),
    ];
    for (name, x, k, lower, upper) in cases {
        let fit = fit(&Sample::new(x).unwrap(), k, &vec![lower; k - 1], &vec![upper; k - 1]);
        check(&fit, x, &vec![1.0; x.len()], &vec![lower; k - 1], &vec![upper; k - 1]);
        assert!(fit.is_optimal(), "{name}: {} of {}", fit.lower_bound(), fit.inertia());
    }
}

#[test]
fn as_many_clusters_as_points() {
    let x = [0.0, 1.0, 3.0, 3.5, 9.0];
    let fit = fit(&Sample::new(&x).unwrap(), 5, &[0.5; 4], &[f64::INFINITY; 4]);
    assert_eq!(fit.inertia(), 0.0);
    assert!(fit.is_optimal());
}

#[test]
fn equal_points_can_stay_together() {
    let x: Vec<f64> = (0..300).map(|i| ((i * 7) % 23) as f64).collect();
    let bounds = || GapBounds::between(3.0, 5.0).unwrap();
    let problem = KMeans::new(5).centers(Centers::Free).ties(Ties::Together).constraint(bounds());
    let fit = problem.fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(fit.is_optimal());
    for (a, b) in x.iter().zip(fit.labels()) {
        assert!(x.iter().zip(fit.labels()).all(|(c, d)| a != c || b == d));
    }
}

#[test]
fn the_watcher_sees_bounds_close_and_may_stop() {
    let sample = Sample::new(&bumps(5000, 9)).unwrap();
    let problem = KMeans::new(5).centers(Centers::Free).constraint(GapBounds::lower(1.3));
    let optimum = problem.fit(&sample).unwrap().inertia();
    let mut reports = 0;
    let mut watch = |progress: &Progress| {
        if let Progress::Search { cost, lower_bound } = progress {
            assert!(cost.is_none_or(|cost| cost >= optimum * (1.0 - 1e-9)));
            assert!(*lower_bound <= optimum * (1.0 + 1e-9));
            reports += 1;
        }
        ControlFlow::Continue(())
    };
    problem.fit_with(&sample, &mut Monitor::new(&mut watch)).unwrap();
    assert!(reports > 2);
    let mut stop = |_: &Progress| ControlFlow::Break(());
    assert_eq!(problem.fit_with(&sample, &mut Monitor::new(&mut stop)), Err(KMeansError::Interrupted));
}

/// Cells of centres are as wide as the space between clumps for long; sweeps over points are not.
#[test]
fn few_clusters_of_tight_clumps_are_proven() {
    for seed in 0..4 {
        let mut random = Random::new(70 + seed);
        let x: Vec<f64> = (0..400).map(|i| f64::from(i % 2) + 1e-3 * random.normal()).collect();
        let sample = Sample::new(&x).unwrap();
        let free = KMeans::new(11).fit(&sample).unwrap();
        let mut gaps = free.gaps().to_vec();
        gaps.sort_by(f64::total_cmp);
        let fit = KMeans::new(11).constraint(GapBounds::lower(gaps[6])).fit(&sample).unwrap();
        assert!(fit.is_optimal(), "seed {seed}: {} and {}", fit.lower_bound(), fit.inertia());
    }
}
