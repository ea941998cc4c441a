//! Free centres against brute force, against known optima, and on hostile data.

mod oracle;

use std::path::Path;

use mindgap::{Centers, GapBounds, KMeans, KMeansFit, Sample};
use oracle::free::least_cost;
use oracle::partitions::{self, Bounds};
use oracle::random::Random;

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
        // Equal values of unequal weight have an order of their own in a sample.
        let (x, w) = (sample.values(), sample.weights().unwrap());
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
