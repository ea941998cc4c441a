//! Rounded, binned and truncated data: the likelihood is that of numerical integration, and slow EM finds nothing
//! better.

use crate::oracle::binned::iterate;
use crate::oracle::em::Parameters as Slow;
use crate::oracle::random::Random;
use mindgap::{
    Binned, EqualSpreads, FixedWeights, GapBounds, Mixture, MixtureError, MixtureFit, Parameters, Sample, SampleError,
    SpreadRatio,
};

const LINE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

fn slow(fit: &MixtureFit) -> Slow {
    Slow { weights: fit.weights().to_vec(), means: fit.means().to_vec(), variances: fit.variances().to_vec() }
}

/// Two heaps of normal points.
fn points(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| if random.unit() < 0.4 { 0.8 * random.normal() } else { 3.5 + 1.2 * random.normal() }).collect()
}

/// The intervals and counts of rounded values.
fn rounded(x: &[f64], step: f64) -> (Vec<[f64; 2]>, Vec<f64>) {
    let mut values = x.to_vec();
    values.sort_by(f64::total_cmp);
    let (mut intervals, mut counts): (Vec<[f64; 2]>, Vec<f64>) = (Vec::new(), Vec::new());
    for value in values {
        match intervals.last() {
            Some(last) if (last[0] + 0.5 * step - value).abs() < 0.1 * step => *counts.last_mut().unwrap() += 1.0,
            _ => {
                intervals.push([value - 0.5 * step, value + 0.5 * step]);
                counts.push(1.0);
            }
        }
    }
    (intervals, counts)
}

/// Holds a fit against the oracle: its likelihood is that of the integrals, EM from there gains nothing, and EM from
/// elsewhere does not end higher.
fn check(fit: &MixtureFit, intervals: &[[f64; 2]], counts: &[f64], support: [f64; 2], random: &mut Random) {
    let (_, height) = iterate(intervals, counts, support, &slow(fit));
    assert!((height - fit.log_likelihood()).abs() < 1e-6 * height.abs(), "{height} {}", fit.log_likelihood());
    assert!(fit.newton_decrement().unwrap() < 1e-6, "{:?} {:?}", fit.newton_decrement(), fit.status());
    let mut here = slow(fit);
    let mut reached = height;
    for _ in 0..20 {
        (here, reached) = iterate(intervals, counts, support, &here);
    }
    assert!(reached <= height + 1e-6, "EM goes on from {height} to {reached}: {fit:?}");
    for _ in 0..2 {
        let k = fit.means().len();
        let mut means: Vec<f64> = (0..k).map(|_| random.uniform(-1.0, 5.0)).collect();
        means.sort_by(f64::total_cmp);
        let mut there = Slow { weights: vec![1.0 / k as f64; k], means, variances: vec![1.0; k] };
        for _ in 0..300 {
            (there, reached) = iterate(intervals, counts, support, &there);
        }
        let (least, most) = there.variances.iter().fold((f64::MAX, 0.0_f64), |(l, m), v| (l.min(*v), m.max(*v)));
        if most < 90.0 * least {
            assert!(reached <= height + 1e-3, "another maximum has {reached}, not {height}");
        }
    }
}

#[test]
fn rounded_values_are_intervals() {
    let mut random = Random::new(5);
    for step in [0.1, 0.5, 1.0] {
        let x: Vec<f64> = points(&mut random, 400).iter().map(|x| (x / step).round() * step).collect();
        let fit = Mixture::new(2).resolution(step).fit(&Sample::new(&x).unwrap()).unwrap();
        let (intervals, counts) = rounded(&x, step);
        check(&fit, &intervals, &counts, LINE, &mut random);
        for pair in fit.history().windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9, "{pair:?}");
        }
    }
}

#[test]
fn fine_steps_come_to_the_density() {
    let mut random = Random::new(6);
    let step = 1e-4;
    let x: Vec<f64> = points(&mut random, 300).iter().map(|x| (x / step).round() * step).collect();
    let sample = Sample::new(&x).unwrap();
    let (fine, exact) = (Mixture::new(2).resolution(step).fit(&sample).unwrap(), Mixture::new(2).fit(&sample).unwrap());
    for (a, b) in fine.means().iter().zip(exact.means()).chain(fine.variances().iter().zip(exact.variances())) {
        assert!((a - b).abs() < 1e-6, "{fine:?} {exact:?}");
    }
    let expected = exact.log_likelihood() + 300.0 * step.ln();
    assert!((fine.log_likelihood() - expected).abs() < 1e-4, "{} {expected}", fine.log_likelihood());
    let errors = |fit: &MixtureFit| fit.standard_errors().unwrap().means[0].unwrap();
    assert!((errors(&fine) / errors(&exact) - 1.0).abs() < 1e-5);
}

#[test]
fn histograms_with_open_ends_and_empty_bins() {
    let mut random = Random::new(7);
    let x = points(&mut random, 2000);
    let edges = [f64::NEG_INFINITY, -1.0, -0.5, 0.0, 0.4, 1.0, 2.0, 3.0, 3.2, 4.0, 5.0, 6.0, 30.0, 31.0, f64::INFINITY];
    let count = |low: f64, high: f64| x.iter().filter(|&&x| low <= x && x < high).count() as f64;
    let counts: Vec<f64> = edges.windows(2).map(|bin| count(bin[0], bin[1])).collect();
    assert!(counts.contains(&0.0));
    let binned = Binned::new(&edges, &counts).unwrap();
    let fit = Mixture::new(2).fit(&binned).unwrap();
    let (intervals, full): (Vec<[f64; 2]>, Vec<f64>) =
        edges.windows(2).zip(&counts).filter(|(_, c)| **c > 0.0).map(|(bin, c)| ([bin[0], bin[1]], *c)).unzip();
    check(&fit, &intervals, &full, LINE, &mut random);
    assert_eq!(fit.labels().len(), counts.len());
    assert!((fit.means()[0]).abs() < 0.2 && (fit.means()[1] - 3.5).abs() < 0.2, "{fit:?}");
    // Counts are weights: a billion times as many change nothing but the likelihood.
    let huge: Vec<f64> = counts.iter().map(|count| count * 1e9).collect();
    let many = Mixture::new(2).fit(&Binned::new(&edges, &huge).unwrap()).unwrap();
    assert!((many.means()[1] - fit.means()[1]).abs() < 1e-6, "{many:?}");
    assert!((many.log_likelihood() / fit.log_likelihood() / 1e9 - 1.0).abs() < 1e-9);
}

#[test]
fn constraints_hold_for_intervals_too() {
    let mut random = Random::new(8);
    let x: Vec<f64> = points(&mut random, 300).iter().map(|x| x.round()).collect();
    let known = GapBounds::lower(4.0) & FixedWeights::new(&[0.5, 0.5]).unwrap() & EqualSpreads;
    let fit = Mixture::new(2).constraint(known).resolution(1.0).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!((fit.gaps()[0] - 4.0).abs() < 1e-9 && fit.weights() == [0.5, 0.5]);
    assert!((fit.variances()[0] / fit.variances()[1] - 1.0).abs() < 1e-9);
    // No admissible step nearby is better.
    let (intervals, counts) = rounded(&x, 1.0);
    let height = fit.log_likelihood();
    for _ in 0..200 {
        let (shift, scale) = (random.uniform(-0.1, 0.1), random.uniform(0.95, 1.05));
        let apart = random.uniform(0.0, 0.1);
        let near = Slow {
            weights: vec![0.5; 2],
            means: vec![fit.means()[0] + shift, fit.means()[1] + shift + apart],
            variances: vec![fit.variances()[0] * scale; 2],
        };
        assert!(iterate(&intervals, &counts, LINE, &near).1 <= height + 1e-7);
    }
}

#[test]
fn a_support_is_part_of_the_likelihood() {
    let mut random = Random::new(9);
    for support in [[0.0, 5.0], [0.5, f64::INFINITY], [f64::NEG_INFINITY, 3.0]] {
        let x: Vec<f64> =
            points(&mut random, 3000).into_iter().filter(|x| support[0] <= *x && *x <= support[1]).collect();
        let one = Mixture::new(2).constraint(SpreadRatio::new(3.0).unwrap()).support(support);
        let fit = one.fit(&Sample::new(&x).unwrap()).unwrap();
        for pair in fit.history().windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9, "{pair:?}");
        }
        // As densities: intervals that are narrow beside any spread.
        let narrow = 1e-5;
        let intervals: Vec<[f64; 2]> = x.iter().map(|x| [x - 0.5 * narrow, x + 0.5 * narrow]).collect();
        let counts = vec![1.0; x.len()];
        let (next, height) = iterate(&intervals, &counts, support, &slow(&fit));
        let expected = height - x.len() as f64 * narrow.ln();
        assert!((fit.log_likelihood() - expected).abs() < 1e-5 * expected.abs(), "{} {expected}", fit.log_likelihood());
        assert!(fit.newton_decrement().unwrap() < 1e-6, "{:?} {fit:?}", fit.newton_decrement());
        let (_, then) = iterate(&intervals, &counts, support, &next);
        assert!(
            then <= height + 1e-6 * height.abs() || fit.variances()[1] > 5.0 * fit.variances()[0],
            "{height} {then}"
        );
    }
}

#[test]
fn one_truncated_normal_is_found() {
    let mut random = Random::new(10);
    let x: Vec<f64> = (0..20_000).map(|_| 1.0 + 2.0 * random.normal()).filter(|x| *x > 0.0).collect();
    let sample = Sample::new(&x).unwrap();
    let fit = Mixture::new(1).support([0.0, f64::INFINITY]).fit(&sample).unwrap();
    let errors = fit.standard_errors().unwrap();
    let off = (fit.means()[0] - 1.0).abs() / errors.means[0].unwrap();
    assert!(fit.converged() && off < 4.0 && (fit.variances()[0].sqrt() - 2.0).abs() < 0.2, "{fit:?} {off}");
    // Rounded as well.
    let coarse: Vec<f64> = x.iter().map(|x| x.floor() + 0.5).collect();
    let both = Mixture::new(1).support([0.0, f64::INFINITY]).resolution(1.0).fit(&Sample::new(&coarse).unwrap());
    let both = both.unwrap();
    assert!((both.means()[0] - fit.means()[0]).abs() < 0.2, "{both:?}");
}

#[test]
fn steady_falls_have_a_maximum_too() {
    let x: Vec<f64> = (1..400).map(|i| -(f64::from(i) / 400.0).ln()).collect();
    let fit = Mixture::new(1).support([0.0, f64::INFINITY]).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(fit.log_likelihood().is_finite() && fit.means()[0] < 0.0, "{fit:?}");
}

#[test]
fn what_makes_no_sense_is_said() {
    let sample = Sample::new(&[1.0, 2.0, 3.0]).unwrap();
    let wide = Mixture::new(1).resolution(10.0).fit(&sample);
    assert!(matches!(wide, Err(MixtureError::NotRounded { .. })), "{wide:?}");
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Mixture::new(1).resolution(step).fit(&sample), Err(MixtureError::BadSetting { .. })));
    }
    let outside = Mixture::new(1).support([1.5, 9.0]).fit(&sample);
    assert!(matches!(outside, Err(MixtureError::OutsideSupport { value: 1.0, .. })));
    assert!(matches!(Mixture::new(1).support([2.0, 2.0]).fit(&sample), Err(MixtureError::BadSetting { .. })));
    for (edges, counts) in [
        (vec![0.0, 1.0], vec![1.0, 2.0]),
        (vec![1.0, 0.0], vec![1.0]),
        (vec![0.0, f64::NAN, 1.0], vec![1.0, 1.0]),
        (vec![f64::NEG_INFINITY, f64::INFINITY], vec![1.0]),
        (vec![], vec![]),
    ] {
        let error = Binned::new(&edges, &counts).unwrap_err();
        assert!(matches!(error, SampleError::BadBins { .. }), "{error}");
    }
    assert!(Binned::new(&[0.0, 1.0], &[-1.0]).is_err() && Binned::new(&[0.0, 1.0], &[0.0]).is_err());
    let two = Binned::new(&[f64::NEG_INFINITY, 0.0, f64::INFINITY], &[3.0, 5.0]).unwrap();
    assert!(Mixture::new(1).fit(&two).unwrap().log_likelihood() < 0.0);
    assert!(Mixture::new(1).resolution(1.0).fit(&two).is_err());
    assert!(matches!(Mixture::new(3).fit(&two), Err(MixtureError::TooManyComponents { .. })));
}

#[test]
fn all_in_one_interval_is_a_point() {
    let sample = Sample::new(&[2.0; 5]).unwrap();
    let fit = Mixture::new(1).resolution(1e-3).fit(&sample).unwrap();
    assert!((fit.means()[0] - 2.0).abs() < 5e-4 && fit.log_likelihood() > -1e-3, "{fit:?}");
}

#[test]
fn order_and_start_do_not_matter() {
    let mut random = Random::new(11);
    let x: Vec<f64> = points(&mut random, 500).iter().map(|x| x.round()).collect();
    let back: Vec<f64> = x.iter().rev().copied().collect();
    let fit = |x: &[f64]| Mixture::new(2).resolution(1.0).fit(&Sample::new(x).unwrap()).unwrap();
    assert_eq!(fit(&x).parameters(), fit(&back).parameters());
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 3.0], &[1.0, 1.0]).unwrap();
    let one = Mixture::new(2).resolution(1.0).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!((one.log_likelihood() - fit(&x).log_likelihood()).abs() < 1e-6);
}
