//! Variances that are equal or whose ratio is bounded.

use crate::mixture::{close, points, random_start};
use crate::oracle::random::Random;
use mindgap::{GapBounds, Mixture, MixtureError, Parameters, Sample, Status, ToleranceScale, VarianceModel};

#[test]
fn equal_variances_are_pooled() {
    let mut random = Random::new(10);
    let x = points(&mut random, 600, 2);
    let fit = Mixture::new(2)
        .variances(VarianceModel::Equal)
        .init(random_start(&mut random, 2))
        .tol_scale(ToleranceScale::Absolute)
        .fit(&Sample::new(&x).unwrap())
        .unwrap();
    assert_eq!(fit.variances()[0], fit.variances()[1]);
    assert_eq!(fit.parameter_count(), 4);
    let within: f64 = {
        let rows = fit.predict_proba(&x);
        let square = |(x, r): (&f64, &[f64])| (0..2).map(|k| r[k] * (x - fit.means()[k]).powi(2)).sum::<f64>();
        x.iter().zip(rows.chunks(2)).map(square).sum()
    };
    assert!((fit.variances()[0] - within / 600.0).abs() < 1e-4);
    let tied = Mixture::new(2).spread_ratio(1.0).fit(&Sample::new(&x).unwrap()).unwrap();
    assert_eq!(tied.parameter_count(), 4, "equal spreads are one parameter, however they are asked for");
}

#[test]
fn a_bounded_ratio_of_spreads_holds_and_the_likelihood_never_falls() {
    let mut random = Random::new(11);
    for case in 0..300 {
        let (n, k) = (10 + random.below(90), 2 + random.below(4));
        let x = points(&mut random, n, k);
        let ratio = 1.0 + random.uniform(0.0, 4.0) * random.below(2) as f64;
        let fit = Mixture::new(k)
            .constraint(GapBounds::lower(random.uniform(0.0, 1.5)))
            .init(random_start(&mut random, k))
            .spread_ratio(ratio)
            .max_iter(60)
            .fit(&Sample::new(&x).unwrap())
            .unwrap();
        for pair in fit.history()[1..].windows(2) {
            assert!(pair[1] >= pair[0] - 1e-11 * (n as f64 + pair[0].abs()), "case {case}: {pair:?}");
        }
        let (low, high) = fit.variances().iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), &v| (l.min(v), h.max(v)));
        assert!(high <= ratio * ratio * low * (1.0 + 1e-12), "case {case}: {:?} for {ratio}", fit.variances());
    }
}

#[test]
fn a_bounded_ratio_of_spreads_keeps_components_off_single_points() {
    let mut x: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.02).collect();
    x.push(30.0);
    let start = Parameters::new(&[0.9, 0.1], &[0.5, 30.0], &[0.1, 0.1]).unwrap();
    let fit = Mixture::new(2).init(start).spread_ratio(5.0).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(fit.converged() && fit.status() == &Status::Doubtful);
    assert!((fit.variances()[0] / fit.variances()[1] - 25.0).abs() < 1e-9);
    let sample = Sample::new(&x).unwrap();
    let equal = Mixture::new(2).variances(VarianceModel::Equal).fit(&sample).unwrap();
    let one = Mixture::new(2).spread_ratio(1.0).fit(&sample).unwrap();
    assert!(close(one.variances(), equal.variances(), 1e-9) && close(one.means(), equal.means(), 1e-9));
    for bad in [0.5, f64::NAN, f64::NEG_INFINITY] {
        let refused = Mixture::new(2).spread_ratio(bad).fit(&sample).unwrap_err();
        assert!(matches!(refused, MixtureError::BadSetting { name: "spread_ratio", .. }));
    }
}
