//! K-means under linear rows: against brute force, against free centres where rows are bounds on gaps, on hostile data.

use std::ops::ControlFlow;

use crate::oracle::partitions::{for_each_partition, means, runs};
use crate::oracle::random::Random;
use mindgap::{
    Centers, ConstrainedKMeans, GapBounds, KMeans, KMeansError, KMeansFit, KMeansMethod, LinearRows, Mixture, Monitor,
    Progress, Sample, Side, Ties,
};

const INF: f64 = f64::INFINITY;

/// Bounds on gaps, written as rows.
fn gap_rows(lower: &[f64], upper: &[f64]) -> LinearRows {
    let k = lower.len() + 1;
    let mut matrix = vec![0.0; lower.len() * k];
    for gap in 0..lower.len() {
        (matrix[gap * k + gap], matrix[gap * k + gap + 1]) = (-1.0, 1.0);
    }
    LinearRows::new(k, &matrix, lower, upper).unwrap()
}

/// Every gap equals the next.
fn equal_spacing(k: usize) -> LinearRows {
    let rows = k.saturating_sub(2);
    let mut matrix = vec![0.0; rows * k];
    for row in 0..rows {
        matrix[row * k + row..row * k + row + 3].copy_from_slice(&[1.0, -2.0, 1.0]);
    }
    LinearRows::new(k, &matrix, &vec![0.0; rows], &vec![0.0; rows]).unwrap()
}

/// The least cost under equal spacing: every partition, and for each the line through its means.
fn least_equally_spaced(x: &[f64], w: &[f64], k: usize) -> f64 {
    let mut least = INF;
    for_each_partition(x.len(), k, &mut |ends| {
        let weights: Vec<f64> = runs(ends).map(|(start, end)| w[start..end].iter().sum()).collect();
        let means = means(x, w, ends);
        let total: f64 = weights.iter().sum();
        let middle = weights.iter().enumerate().map(|(c, w)| w * c as f64).sum::<f64>() / total;
        let mean = weights.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>() / total;
        let across = |f: &dyn Fn(usize) -> f64| (0..k).map(|c| weights[c] * (c as f64 - middle) * f(c)).sum::<f64>();
        // Means ascend, so the slope is not negative.
        let spacing = if k > 1 { across(&|c| means[c]) / across(&|c| c as f64) } else { 0.0 };
        let center = |c: usize| mean + spacing * (c as f64 - middle);
        let cost: f64 = runs(ends)
            .enumerate()
            .map(|(c, (start, end))| (start..end).map(|i| w[i] * (x[i] - center(c)).powi(2)).sum::<f64>())
            .sum();
        least = least.min(cost);
    });
    least
}

fn data(random: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>) {
    let kind = random.below(3);
    let mut x: Vec<f64> = (0..n)
        .map(|_| match kind {
            0 => random.uniform(0.0, 10.0),
            1 => random.below(9) as f64,
            _ => (random.below(4) * 3) as f64 + random.uniform(0.0, 1.0),
        })
        .collect();
    x.sort_by(f64::total_cmp);
    let weighted = random.below(2) == 0;
    let w = (0..n).map(|_| if weighted { random.uniform(0.1, 3.0) } else { 1.0 }).collect();
    (x, w)
}

/// What every result must be: rows and order held, no cluster empty, cost that of the labels, bound below cost.
fn check(fit: &KMeansFit, x: &[f64], w: &[f64], rows: &LinearRows) {
    let size = |values: &[f64]| values.iter().fold(0.0f64, |m, z| m.max((z - x[0]).abs()));
    let scale = size(x) + size(fit.centers());
    for row in 0..rows.len() {
        let value: f64 = rows.row(row).iter().zip(fit.centers()).map(|(a, c)| a * c).sum();
        let (lower, upper) = (rows.lower()[row], rows.upper()[row]);
        let slack = 1e-10 * scale * rows.row(row).iter().map(|a| a.abs()).sum::<f64>();
        assert!(value >= lower - slack && value <= upper + slack, "row {row} is {value}, not in {lower} to {upper}");
    }
    assert_eq!(fit.active().len(), rows.len());
    assert!(fit.gaps().iter().all(|&gap| gap >= -1e-10 * scale));
    assert!(fit.sizes().iter().all(|&size| size > 0));
    let about = |i: usize| w[i] * (x[i] - fit.centers()[fit.labels()[i] as usize]).powi(2);
    let cost: f64 = (0..x.len()).map(about).sum();
    assert!((cost - fit.inertia()).abs() <= 1e-9 * cost + 1e-20 * scale * scale, "{cost} {}", fit.inertia());
    assert!(fit.lower_bound() <= fit.inertia());
}

#[test]
fn equals_free_centres_where_rows_are_bounds_on_gaps() {
    let mut random = Random::new(21);
    let mut compared = 0;
    while compared < 400 {
        let n = 2 + random.below(29);
        let k = 1 + random.below(5.min(n));
        let (x, w) = data(&mut random, n);
        let sample = Sample::weighted(&x, &w).unwrap();
        if k > sample.distinct() {
            continue;
        }
        let lower: Vec<f64> = (1..k).map(|_| random.uniform(0.0, 4.0)).collect();
        let two_sided = random.below(2) == 0;
        let upper: Vec<f64> =
            lower.iter().map(|low| if two_sided { low + random.uniform(0.0, 1.0) } else { INF }).collect();
        let rows = gap_rows(&lower, &upper);
        let fit = KMeans::new(k).constraint(rows.clone()).fit(&sample).unwrap();
        check(&fit, &x, &w, &rows);
        let bounds = GapBounds::per_gap(&lower, &upper).unwrap();
        let free = KMeans::new(k).centers(Centers::Free).constraint(bounds).fit(&sample).unwrap();
        let difference = (fit.inertia() - free.inertia()).abs();
        assert!(difference <= 1e-9 * free.inertia() + 1e-20, "{} {}", fit.inertia(), free.inertia());
        assert!(fit.is_optimal() || !free.is_optimal());
        compared += 1;
    }
}

#[test]
fn equal_spacing_is_nearly_always_as_cheap_as_brute_force() {
    let mut random = Random::new(4);
    let (mut compared, mut optimal) = (0, 0);
    while compared < 300 {
        let n = 3 + random.below(10);
        let k = 1 + random.below(5.min(n));
        let (x, w) = data(&mut random, n);
        let sample = Sample::weighted(&x, &w).unwrap();
        if k > sample.distinct() {
            continue;
        }
        let rows = equal_spacing(k);
        let fit = KMeans::new(k).constraint(rows.clone()).fit(&sample).unwrap();
        check(&fit, &x, &w, &rows);
        // Equal values of unequal weight have an order of their own in a sample.
        let truth = least_equally_spaced(sample.values(), sample.weights().unwrap(), k);
        let close = 1e-9 * truth + 1e-20;
        assert!(fit.inertia() >= truth - close, "{} is below {truth}: {x:?} {w:?} {k}", fit.inertia());
        assert!(fit.lower_bound() <= truth + close);
        let met = fit.inertia() <= truth + close;
        assert!(met || !fit.is_optimal(), "{} is said to be optimal: {x:?} {w:?} {k}", fit.inertia());
        optimal += usize::from(met);
        compared += 1;
    }
    println!("{optimal} of {compared} optimal");
    assert!(optimal >= 285, "only {optimal} of {compared} are optimal");
}

#[test]
fn no_step_is_worse() {
    let mut random = Random::new(6);
    for _ in 0..20 {
        let (x, w) = data(&mut random, 200);
        let sample = Sample::weighted(&x, &w).unwrap();
        let (mut costs, mut bounds) = (vec![INF], vec![0.0]);
        let mut watch = |progress: &Progress| {
            if let Progress::Search { cost, lower_bound } = progress {
                costs.extend(*cost);
                bounds.push(*lower_bound);
            }
            ControlFlow::Continue(())
        };
        let fit = KMeans::new(5).constraint(equal_spacing(5)).fit_with(&sample, &mut Monitor::new(&mut watch)).unwrap();
        assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]), "{costs:?}");
        let last = costs[costs.len() - 1];
        assert!((fit.inertia() - last).abs() <= 1e-9 * last, "{} {last}", fit.inertia());
        assert!(bounds.iter().all(|&bound| bound <= last * (1.0 + 1e-12)));
    }
}

#[test]
fn a_watcher_stops_it() {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i * i % 37)).collect();
    let sample = Sample::new(&x).unwrap();
    for after in [0, 3, 7] {
        let mut left = after;
        let mut watch = |_: &Progress| {
            left -= 1;
            if left < 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let fit = KMeans::new(4).constraint(equal_spacing(4)).fit_with(&sample, &mut Monitor::new(&mut watch));
        assert_eq!(fit, Err(KMeansError::Interrupted));
    }
}

#[test]
fn rows_that_hold_nothing_back_give_the_unconstrained_optimum() {
    let mut random = Random::new(9);
    for n in [5, 40, 3000] {
        let (x, w) = data(&mut random, n);
        let sample = Sample::weighted(&x, &w).unwrap();
        let plain = KMeans::new(3).fit(&sample).unwrap();
        let sum: f64 = plain.centers().iter().sum();
        let rows = LinearRows::new(3, &[1.0, 1.0, 1.0, 0.0, 1.0, -3.0], &[sum - 1.0, -INF], &[INF, 50.0]).unwrap();
        let none = LinearRows::new(3, &[], &[], &[]).unwrap();
        for rows in [rows, none] {
            let fit = KMeans::new(3).constraint(rows.clone()).fit(&sample).unwrap();
            check(&fit, &x, &w, &rows);
            assert!((fit.inertia() - plain.inertia()).abs() <= 1e-12 * plain.inertia());
            assert!(fit.is_optimal());
            assert!(fit.active().iter().all(|&active| active.is_none()));
        }
    }
}

#[test]
fn one_partition_needs_no_search() {
    let sample = Sample::new(&[1.0, 2.0, 6.0]).unwrap();
    let fixed = LinearRows::new(1, &[2.0], &[4.0], &[4.0]).unwrap();
    let fit = KMeans::new(1).constraint(fixed).fit(&sample).unwrap();
    assert_eq!((fit.centers(), fit.active()), (&[2.0][..], &[Some(Side::Both)][..]));
    assert!((fit.inertia() - 17.0).abs() < 1e-12 && fit.is_optimal());
    let fit = KMeans::new(3).constraint(equal_spacing(3)).fit(&sample).unwrap();
    assert!((fit.inertia() - 1.5).abs() < 1e-12 && fit.is_optimal(), "{fit:?}");
}

#[test]
fn centres_that_are_given_are_kept() {
    // mean-bounds far apart: bounds on the gaps follow, and the optimum is proven.
    let x = [0.0, 0.2, 0.4, 5.0, 5.1, 9.0, 9.5];
    let sample = Sample::new(&x).unwrap();
    let rows =
        LinearRows::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0], &[0.3, 4.0, -9.0], &[0.3, 4.5, -8.0])
            .unwrap();
    let fit = KMeans::new(3).constraint(rows.clone()).fit(&sample).unwrap();
    check(&fit, &x, &[1.0; 7], &rows);
    assert_eq!(fit.labels(), [0, 0, 0, 1, 1, 2, 2]);
    assert!(fit.centers().iter().zip([0.3, 4.5, 9.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", fit.centers());
    assert_eq!(fit.active(), [Some(Side::Both), Some(Side::Upper), Some(Side::Lower)]);
}

#[test]
fn rows_may_leave_clusters_far_from_their_points() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0];
    let sample = Sample::new(&x).unwrap();
    let rows = LinearRows::new(3, &[1.0, 0.0, 0.0, 1.0, -2.0, 1.0], &[100.0, 0.0], &[INF, 0.0]).unwrap();
    let fit = KMeans::new(3).constraint(rows.clone()).fit(&sample).unwrap();
    check(&fit, &x, &[1.0; 5], &rows);
    assert!(fit.centers().iter().all(|&center| (center - 100.0).abs() < 1e-9));
}

#[test]
fn rows_that_clash_are_named() {
    let sample = Sample::new(&[0.0, 1.0, 2.0, 5.0]).unwrap();
    let matrix = [0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let rows = LinearRows::new(2, &matrix, &[0.0, 3.0, -INF, 1.0], &[9.0, INF, 3.0, 1.0]).unwrap();
    assert!(KMeans::new(2).constraint(rows).fit(&sample).is_ok());
    let rows = LinearRows::new(2, &matrix, &[0.0, 3.0, -INF, 3.0], &[9.0, INF, 1.0, 3.0]).unwrap();
    let error = KMeans::new(2).constraint(rows).fit(&sample).unwrap_err();
    assert_eq!(error, KMeansError::InfeasibleRows { rows: vec![2, 3], ordering: true });
    assert!(error.to_string().contains("ascending centres satisfy rows [2, 3]"), "{error}");
    let other = LinearRows::new(3, &[1.0, 1.0, 1.0], &[0.0], &[1.0]).unwrap();
    assert!(matches!(KMeans::new(2).constraint(other).fit(&sample), Err(KMeansError::Constraint(_))));
}

#[test]
fn the_papers_program_takes_no_rows() {
    let sample = Sample::new(&[0.0, 1.0, 2.0, 5.0]).unwrap();
    let fit = KMeans::new(3).method(KMeansMethod::Paper).constraint(equal_spacing(3)).fit(&sample);
    assert!(matches!(fit, Err(KMeansError::Unsupported(_))));
}

#[test]
fn weights_count_as_so_many_points_and_ties_stay_together() {
    let (x, w) = ([0.0, 1.0, 3.0, 4.0, 7.0, 8.0], [2.0, 3.0, 1.0, 2.0, 1.0, 3.0]);
    let repeated: Vec<f64> = x.iter().zip(w).flat_map(|(&x, w)| vec![x; w as usize]).collect();
    let rows = equal_spacing(4);
    let weighted = KMeans::new(4).constraint(rows.clone()).fit(&Sample::weighted(&x, &w).unwrap()).unwrap();
    let together =
        KMeans::new(4).ties(Ties::Together).constraint(rows.clone()).fit(&Sample::new(&repeated).unwrap()).unwrap();
    check(&together, &repeated, &vec![1.0; repeated.len()], &rows);
    assert!((weighted.inertia() - together.inertia()).abs() <= 1e-12 * weighted.inertia());
    for (i, a) in repeated.iter().enumerate() {
        let j = repeated.iter().position(|b| a == b).unwrap();
        assert_eq!(together.labels()[i], together.labels()[j]);
    }
}

#[test]
fn order_and_units_of_the_data_do_not_matter() {
    let mut random = Random::new(12);
    let (x, _) = data(&mut random, 300);
    let rows = equal_spacing(6);
    let fit = |x: &[f64]| KMeans::new(6).constraint(rows.clone()).fit(&Sample::new(x).unwrap()).unwrap();
    let reversed: Vec<f64> = x.iter().rev().copied().collect();
    let plain = fit(&x);
    assert_eq!(plain.centers(), fit(&reversed).centers());
    for (scale, shift) in [(1.0, 1e6), (1e-80, 0.0), (1e80, 0.0)] {
        let moved: Vec<f64> = x.iter().map(|x| scale * x + shift).collect();
        let fit = fit(&moved);
        check(&fit, &moved, &vec![1.0; x.len()], &rows);
        assert!((fit.inertia() / scale / scale - plain.inertia()).abs() <= 1e-6 * plain.inertia());
    }
}

#[test]
fn starts_a_mixture() {
    let mut random = Random::new(2);
    let x: Vec<f64> = (0..400).map(|i| f64::from(i % 4) * 3.0 + random.normal() * 0.4).collect();
    let sample = Sample::new(&x).unwrap();
    let fit = Mixture::new(4).constraint(equal_spacing(4)).init(ConstrainedKMeans::new()).fit(&sample).unwrap();
    assert!(fit.converged());
    assert!(fit.gaps().iter().all(|gap| (gap - fit.gaps()[0]).abs() < 1e-9 && (gap - 3.0).abs() < 0.2));
}
