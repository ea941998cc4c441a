//! What a fit returns: information criteria, labels with probabilities, the runner-up, the number of parameters.

use crate::mixture::{points, random_start};
use crate::oracle::random::Random;
use mindgap::{GapBounds, Mixture, Sample};

#[test]
fn one_component_is_mean_and_variance() {
    let x = [1.0, 2.0, 4.0, 9.0];
    let fit = Mixture::new(1).constraint(GapBounds::lower(3.0)).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!((fit.means()[0] - 4.0).abs() < 1e-12 && (fit.variances()[0] - 9.5).abs() < 1e-12);
    assert_eq!((fit.weights(), fit.gaps().len(), fit.labels()), (&[1.0][..], 0, &[0, 0, 0, 0][..]));
    let likelihood: f64 = -2.0 * (2.0 * std::f64::consts::PI * 9.5_f64).ln() - 2.0;
    assert!((fit.log_likelihood() - likelihood).abs() < 1e-12);
    assert!((fit.bic() - (2.0 * 4.0_f64.ln() - 2.0 * likelihood)).abs() < 1e-9);
    assert!((fit.aic() - (4.0 - 2.0 * likelihood)).abs() < 1e-9);
    assert!((fit.icl().unwrap() - fit.bic()).abs() < 1e-9);
}

#[test]
fn classify_gives_the_label_and_its_probability() {
    let mut random = Random::new(9);
    for k in 1..6 {
        let mut values = points(&mut random, 300, k);
        values.extend([1e4, -1e6, 1e300, -1e300, 0.0]);
        let parameters = random_start(&mut random, k);
        let (labels, probabilities) = parameters.classify(&values);
        assert_eq!(labels, parameters.predict(&values));
        let rows = parameters.predict_proba(&values);
        let expected: Vec<f64> = labels.iter().zip(rows.chunks(k)).map(|(&label, row)| row[label as usize]).collect();
        assert_eq!(probabilities, expected);
    }
}

#[test]
fn the_runner_up_has_the_likelihood_that_is_reported() {
    let mut random = Random::new(77);
    let mut lower = 0;
    for case in 0..40 {
        let k = 2 + case % 3;
        let x = points(&mut random, 300, k + 1);
        let fit = Mixture::new(k).fit(&Sample::new(&x).unwrap()).unwrap();
        let Some((parameters, reported)) = fit.runner_up() else { continue };
        let found: f64 = parameters.score_samples(&x).iter().sum();
        assert!((found - reported).abs() < 0.1, "case {case}: {found} at the runner-up, {reported} reported");
        lower += usize::from(reported < fit.log_likelihood() - 1.0);
    }
    assert!(lower > 5, "{lower} runners-up that are clearly lower");
}

#[test]
fn parameters_that_a_constraint_fixes_do_not_count() {
    use mindgap::{
        ConstantCv, Constraint, EqualSpreads, FixedSpreads, FixedWeights, LinearRows, WeightBounds, WeightRatio,
    };
    let values: Vec<f64> = (0..60).map(|i| f64::from(i % 3 * 10 + i * i % 7 + 1)).collect();
    let sample = Sample::new(&values).unwrap();
    let straight = LinearRows::new(3, &[1.0, -2.0, 1.0], &[0.0], &[0.0]).unwrap();
    let constraints: [(Box<dyn Constraint>, usize); 11] = [
        (Box::new(mindgap::Unconstrained), 8),
        (Box::new(GapBounds::lower(3.0)), 8),
        (Box::new(GapBounds::between(10.0, 10.0).unwrap()), 6),
        (Box::new(GapBounds::per_gap(&[10.0, 0.0], &[10.0, 20.0]).unwrap()), 7),
        (Box::new(straight), 7),
        (Box::new(FixedWeights::new(&[0.5, 0.25, 0.25]).unwrap()), 6),
        (Box::new(WeightBounds::new(&[0.1, 0.3, 0.1], &[0.6, 0.3, 0.6]).unwrap()), 7),
        (Box::new(WeightBounds::new(&[0.1, 0.1, 0.1], &[0.6, 0.5, 0.6]).unwrap()), 8),
        (Box::new(WeightRatio::new(0, 2, 1.0).unwrap()), 7),
        (Box::new(FixedSpreads::new(&[None, Some(2.0), None]).unwrap() & EqualSpreads), 5),
        (Box::new(ConstantCv::new(None).unwrap()), 6),
    ];
    for (constraint, expected) in constraints {
        let shown = format!("{constraint:?}");
        let fit = Mixture::new(3).constraint(constraint).fit(&sample).unwrap();
        assert_eq!(fit.parameter_count(), expected, "{shown}");
    }
}
