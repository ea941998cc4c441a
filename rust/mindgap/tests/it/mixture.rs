//! The constrained EM against a plain one, and properties that hold for all data.

use crate::oracle::em;
use crate::oracle::random::Random;
use mindgap::MixtureMethod;
use mindgap::{
    GapBounds, LinearRows, Mixture, MixtureError, MixtureFit, Monitor, Parameters, Sample, Side, VarianceModel,
};

/// Points from a random mixture with means about two apart.
pub fn points(random: &mut Random, n: usize, k: usize) -> Vec<f64> {
    let deviations: Vec<f64> = (0..k).map(|_| random.uniform(0.2, 1.2)).collect();
    (0..n)
        .map(|_| {
            let c = random.below(k);
            // The sum of twelve uniform numbers is near enough to normal.
            let noise = (0..12).map(|_| random.uniform(-0.5, 0.5)).sum::<f64>();
            2.0 * c as f64 + deviations[c] * noise
        })
        .collect()
}

pub fn random_start(random: &mut Random, k: usize) -> Parameters {
    let weights: Vec<f64> = (0..k).map(|_| random.uniform(0.2, 1.0)).collect();
    let total: f64 = weights.iter().sum();
    let weights: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let means: Vec<f64> = (0..k).map(|c| 2.0 * c as f64 + random.uniform(-0.8, 0.8)).collect();
    let variances: Vec<f64> = (0..k).map(|_| random.uniform(0.3, 2.0)).collect();
    Parameters::new(&weights, &means, &variances).unwrap()
}

fn random_bounds(random: &mut Random, k: usize) -> (Vec<f64>, Vec<f64>) {
    (1..k)
        .map(|_| match random.below(4) {
            0 => (0.0, f64::INFINITY),
            1 => (random.uniform(1.5, 2.5), f64::INFINITY),
            2 => {
                let low = random.uniform(1.0, 2.2);
                (low, low + random.uniform(0.0, 0.5))
            }
            _ => (2.1, 2.1),
        })
        .unzip()
}

pub fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn iterations_agree_with_the_plain_em() {
    let mut random = Random::new(1);
    for case in 0..150 {
        let (n, k) = (20 + random.below(1500), 1 + random.below(4));
        let x = points(&mut random, n, k);
        let weighted = case % 3 == 0;
        let w: Vec<f64> = (0..n).map(|_| if weighted { random.uniform(0.1, 3.0) } else { 1.0 }).collect();
        let sample = if weighted { Sample::weighted(&x, &w).unwrap() } else { Sample::new(&x).unwrap() };
        let start = random_start(&mut random, k);
        let (lower, upper) = random_bounds(&mut random, k);
        let mixture = Mixture::new(k)
            .constraint(GapBounds::per_gap(&lower, &upper).unwrap())
            .method(MixtureMethod::Paper)
            .init(start.clone())
            .tol(0.0)
            .max_iter(4);
        let fit = mixture.fit(&sample).unwrap();
        let mut plain = em::Parameters {
            weights: start.weights().to_vec(),
            means: start.means().to_vec(),
            variances: start.variances().to_vec(),
        };
        // Bounds from zero to infinity ask for nothing, so means may cross; the plain EM sorts its gaps otherwise.
        if lower.iter().all(|&l| l == 0.0) && upper.iter().all(|u| u.is_infinite()) {
            continue;
        }
        for step in 0..4 {
            let (next, likelihood) = em::iterate(&x, &w, &plain, &lower, &upper);
            let found = fit.history()[step];
            assert!((found - likelihood).abs() <= 1e-9 * likelihood.abs(), "case {case}: {found} for {likelihood}");
            plain = next;
        }
        assert!(close(fit.weights(), &plain.weights, 1e-9), "case {case}");
        assert!(close(fit.means(), &plain.means, 1e-9), "case {case}: {:?} {:?}", fit.means(), plain.means);
        assert!(close(fit.variances(), &plain.variances, 1e-8), "case {case}");
        let (_, likelihood) = em::e_step(&x, &w, &plain);
        assert!((fit.log_likelihood() - likelihood).abs() <= 1e-9 * likelihood.abs());
    }
}

fn holds(fit: &MixtureFit, lower: &[f64], upper: &[f64], scale: f64) -> bool {
    let bounds = lower.iter().zip(upper);
    fit.gaps().iter().zip(bounds).all(|(gap, (l, u))| *gap >= l - 1e-10 * scale && *gap <= u + 1e-10 * scale)
}

#[test]
fn the_likelihood_never_falls_and_the_bounds_hold() {
    let mut random = Random::new(2);
    for case in 0..1500 {
        let (n, k) = (10 + random.below(90), 2 + random.below(4));
        let x = points(&mut random, n, k);
        let (lower, upper) = random_bounds(&mut random, k);
        let variances = if case % 4 == 0 { VarianceModel::Equal } else { VarianceModel::Free };
        let fit = Mixture::new(k)
            .constraint(GapBounds::per_gap(&lower, &upper).unwrap())
            .init(random_start(&mut random, k))
            .variances(variances)
            .max_iter(60)
            .fit(&Sample::new(&x).unwrap())
            .unwrap();
        // The start may break the bounds: the first step is free to fall.
        for pair in fit.history()[1..].windows(2) {
            assert!(pair[1] >= pair[0] - 1e-11 * (n as f64 + pair[0].abs()), "case {case}: {pair:?}");
        }
        assert!(holds(&fit, &lower, &upper, 8.0), "case {case}: {:?} for {lower:?} {upper:?}", fit.gaps());
        assert!(fit.means().is_sorted());
        assert!((fit.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn rows_hold_and_the_likelihood_never_falls() {
    let mut random = Random::new(3);
    for case in 0..500 {
        let (n, k) = (10 + random.below(60), 2 + random.below(3));
        let x = points(&mut random, n, k);
        let count = 1 + random.below(3);
        let inside: Vec<f64> = (0..k).map(|c| 1.8 * c as f64 + random.uniform(0.0, 0.5)).collect();
        let (mut matrix, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let row: Vec<f64> = (0..k).map(|_| random.uniform(-1.0, 1.0)).collect();
            let value: f64 = row.iter().zip(&inside).map(|(a, x)| a * x).sum();
            lower.push(value - random.uniform(0.0, 0.2) * random.below(2) as f64);
            upper.push(value + random.uniform(0.0, 0.2) * random.below(2) as f64);
            matrix.extend(row);
        }
        let fit = Mixture::new(k)
            .constraint(LinearRows::new(k, &matrix, &lower, &upper).unwrap())
            .init(random_start(&mut random, k))
            .max_iter(40)
            .fit(&Sample::new(&x).unwrap())
            .unwrap();
        for pair in fit.history()[1..].windows(2) {
            assert!(pair[1] >= pair[0] - 1e-11 * (n as f64 + pair[0].abs()), "case {case}: {pair:?}");
        }
        for row in 0..count {
            let value: f64 = matrix[row * k..(row + 1) * k].iter().zip(fit.means()).map(|(a, m)| a * m).sum();
            assert!(value >= lower[row] - 1e-9 && value <= upper[row] + 1e-9, "case {case}");
            assert_eq!(lower[row] == upper[row], fit.active()[row] == Some(Side::Both), "case {case}");
        }
        assert!(fit.means().is_sorted(), "case {case}: {:?}", fit.means());
    }
}

#[test]
fn units_do_not_matter() {
    let mut random = Random::new(4);
    let x: Vec<f64> = points(&mut random, 2000, 3).iter().map(|x| (x * 1024.0).round() / 1024.0).collect();
    let start = random_start(&mut random, 3);
    let fit = |scale: f64, shift: f64| {
        let y: Vec<f64> = x.iter().map(|x| x * scale + shift).collect();
        let means: Vec<f64> = start.means().iter().map(|x| x * scale + shift).collect();
        let variances: Vec<f64> = start.variances().iter().map(|v| v * scale * scale).collect();
        Mixture::new(3)
            .constraint(GapBounds::between(1.9 * scale, 2.1 * scale).unwrap())
            .init(Parameters::new(start.weights(), &means, &variances).unwrap())
            .fit(&Sample::new(&y).unwrap())
            .unwrap()
    };
    let base = fit(1.0, 0.0);
    for (scale, shift, tolerance) in [(1e-6, 0.0, 1e-9), (1e6, 0.0, 1e-9), (1.0, 1e8, 1e-6), (1e-3, 1e5, 1e-6)] {
        let other = fit(scale, shift);
        assert_eq!(other.n_iter(), base.n_iter(), "{scale} {shift}");
        let means: Vec<f64> = other.means().iter().map(|x| (x - shift) / scale).collect();
        let variances: Vec<f64> = other.variances().iter().map(|v| v / scale / scale).collect();
        assert!(close(&means, base.means(), tolerance), "{scale} {shift}: {means:?} for {:?}", base.means());
        assert!(close(&variances, base.variances(), tolerance));
        assert!(close(other.weights(), base.weights(), tolerance));
        let likelihood = other.log_likelihood() + 2000.0 * scale.ln();
        assert!((likelihood - base.log_likelihood()).abs() <= tolerance * base.log_likelihood().abs());
        assert_eq!(other.labels(), base.labels());
    }
}

#[test]
fn order_and_threads_change_no_bit() {
    let mut random = Random::new(5);
    let n = 100_000;
    let x = points(&mut random, n, 3);
    let w: Vec<f64> = (0..n).map(|_| random.uniform(0.5, 2.0)).collect();
    let start = random_start(&mut random, 3);
    let mixture = || Mixture::new(3).constraint(GapBounds::lower(2.2)).init(start.clone()).max_iter(5);
    let base = mixture().fit(&Sample::weighted(&x, &w).unwrap()).unwrap();
    let bits = |fit: &MixtureFit| -> Vec<u64> {
        let all = [fit.weights(), fit.means(), fit.variances(), fit.history()].concat();
        all.iter().map(|v| v.to_bits()).collect()
    };
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| order.swap(i, random.below(i + 1)));
    let permuted = |values: &[f64]| order.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    let other = mixture().fit(&Sample::weighted(&permuted(&x), &permuted(&w)).unwrap()).unwrap();
    assert_eq!(bits(&base), bits(&other));
    assert!(order.iter().zip(other.labels()).all(|(&i, &label)| label == base.labels()[i]));
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fit = pool.install(|| mixture().fit(&Sample::weighted(&x, &w).unwrap()).unwrap());
        assert_eq!(bits(&base), bits(&fit), "{threads} threads");
    }
}

#[test]
fn few_distinct_values_give_the_same_fit() {
    let mut random = Random::new(6);
    let x: Vec<f64> = points(&mut random, 4000, 2).iter().map(|x| (x * 8.0).round() / 8.0).collect();
    let start = random_start(&mut random, 2);
    let mixture = || {
        let mixture = Mixture::new(2).constraint(GapBounds::lower(2.1)).init(start.clone());
        mixture.method(MixtureMethod::Paper).tol(0.0).max_iter(20)
    };
    let fit = mixture().fit(&Sample::new(&x).unwrap()).unwrap();
    let mut plain = em::Parameters {
        weights: start.weights().to_vec(),
        means: start.means().to_vec(),
        variances: start.variances().to_vec(),
    };
    for _ in 0..20 {
        plain = em::iterate(&x, &[1.0; 4000], &plain, &[2.1], &[f64::INFINITY]).0;
    }
    assert!(close(fit.means(), &plain.means, 1e-10));
    assert!(close(fit.variances(), &plain.variances, 1e-10));
    assert_eq!(fit.labels().len(), 4000);
    assert_eq!(fit.predict(&x), fit.labels());
}

#[test]
fn each_fault_has_its_error() {
    let sample = Sample::new(&[0.0, 1.0, 2.0, 2.0]).unwrap();
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 1.0]).unwrap();
    let error = |mixture: Mixture| mixture.fit(&sample).unwrap_err();
    assert_eq!(error(Mixture::new(0)), MixtureError::NoComponents);
    assert_eq!(error(Mixture::new(4)), MixtureError::TooManyComponents { k: 4, distinct: 3 });
    assert_eq!(error(Mixture::new(3).init(start.clone())), MixtureError::ParametersCount { k: 3, given: 2 });
    assert!(matches!(error(Mixture::new(2).tol(-1.0)), MixtureError::BadSetting { name: "tol", .. }));
    assert!(matches!(error(Mixture::new(2).max_iter(0)), MixtureError::BadSetting { name: "max_iter", .. }));
    assert!(matches!(error(Mixture::new(2).min_variance(0.0)), MixtureError::BadSetting { name: "min_variance", .. }));
    assert!(matches!(error(Mixture::new(2).constraint(GapBounds::lower(-1.0))), MixtureError::Constraint(_)));
    let rows = LinearRows::new(3, &[1.0, 0.0, 0.0], &[0.0], &[1.0]).unwrap();
    assert!(matches!(error(Mixture::new(2).constraint(rows)), MixtureError::Constraint(_)));
    let rows = LinearRows::new(2, &[1.0, 0.0, 0.0, 1.0], &[5.0, -9.0], &[9.0, 4.0]).unwrap();
    let clash = error(Mixture::new(2).constraint(rows).init(start.clone()));
    assert_eq!(clash, MixtureError::Infeasible { rows: vec![0, 1], ordering: true });
    assert!(clash.to_string().contains("ascending means satisfy rows [0, 1]"), "{clash}");
    let mut stop = |_: &mindgap::Progress| std::ops::ControlFlow::Break(());
    let stopped = Mixture::new(2).init(start).fit_with(&sample, &mut Monitor::new(&mut stop));
    assert_eq!(stopped.unwrap_err(), MixtureError::Interrupted);
}

#[test]
fn a_lower_bound_of_zero_keeps_the_means_in_order_as_a_tiny_one_does() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i % 2) * 4.0 + f64::from(i % 7) * 0.1).collect();
    let sample = Sample::new(&x).unwrap();
    let crossed = Parameters::new(&[0.5, 0.5], &[4.0, 0.0], &[1.0, 1.0]).unwrap();
    let fit = |delta: f64| {
        Mixture::new(2).constraint(GapBounds::lower(delta)).init(crossed.clone()).max_iter(5).fit(&sample).unwrap()
    };
    assert_eq!(fit(0.0).means(), fit(1e-300).means());
    let free = Mixture::new(2).init(crossed.clone()).max_iter(5).fit(&sample).unwrap();
    assert_eq!(free.origins(), [1, 0]);
    assert_eq!(fit(0.0).origins(), [0, 1]);
}
