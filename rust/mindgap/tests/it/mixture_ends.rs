//! How fits end: components that collapse or lose their weight, means that cross, outliers, fits that are stopped.

use crate::mixture::{points, random_start};
use crate::oracle::random::Random;
use mindgap::{GapBounds, Halt, Mixture, MixtureFit, MixtureMethod, Monitor, Parameters, Progress, Sample, Status};
use std::ops::ControlFlow;

#[test]
fn an_outlier_belongs_somewhere() {
    let mut random = Random::new(7);
    let mut x = points(&mut random, 500, 2);
    x.push(1e4);
    x.push(-1e6);
    let fit = Mixture::new(2).init(random_start(&mut random, 2)).max_iter(1).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(fit.log_likelihood().is_finite() && fit.history().iter().all(|l| l.is_finite()));
    assert!((fit.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let rows = fit.predict_proba(&[1e4, -1e6, 0.0, 1e300]);
    for row in rows.chunks(2) {
        assert!((row[0] + row[1] - 1.0).abs() < 1e-12, "{row:?}");
    }
    assert_eq!(fit.score_samples(&x).len(), 502);
    let total: f64 = fit.score_samples(&x).iter().sum();
    assert!((total - fit.log_likelihood()).abs() <= 1e-9 * total.abs());
}

#[test]
fn a_component_on_a_point_has_collapsed() {
    let mut x: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.02).collect();
    x.push(30.0);
    let start = Parameters::new(&[0.9, 0.1], &[0.5, 30.0], &[0.1, 0.1]).unwrap();
    let spiked = Mixture::new(2).init(start.clone()).spread_ratio(f64::INFINITY);
    let fit = spiked.fit(&Sample::new(&x).unwrap()).unwrap();
    assert_eq!(fit.status(), &Status::Collapsed { components: vec![1] });
    assert!(!fit.converged() && fit.log_likelihood().is_finite() && fit.variances()[1] > 0.0);
    // A floor of the caller's own holds.
    let fit = Mixture::new(2).init(start).min_variance(0.25).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!((fit.variances()[1] - 0.25).abs() < 1e-12);
    // Data that are all equal have no variance at all.
    let fit = Mixture::new(1).fit(&Sample::new(&[3.0; 5]).unwrap()).unwrap();
    assert_eq!((fit.means(), fit.status()), (&[3.0][..], &Status::Collapsed { components: vec![0] }));
}

#[test]
fn a_component_far_from_all_points_loses_its_weight() {
    let x: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.02).collect();
    let start = Parameters::new(&[0.5, 0.5], &[0.5, 1e3], &[0.1, 0.1]).unwrap();
    let fit = Mixture::new(2).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    assert_eq!(fit.status(), &Status::LostWeight { component: 1 });
    assert!(fit.labels().iter().all(|&label| label == 0));
    assert!(fit.log_likelihood().is_finite() && fit.means().iter().all(|m| m.is_finite()));
}

#[test]
fn a_paper_fit_says_which_components_collapsed() {
    let sample = Sample::new(&[0.0, 0.0, 0.0, 5.0, 6.0, 7.0]).unwrap();
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 6.0], &[0.01, 1.0]).unwrap();
    let fit = Mixture::new(2).method(MixtureMethod::Paper).init(start).fit(&sample).unwrap();
    assert_eq!(fit.status(), &Status::Collapsed { components: vec![0] });
}

#[test]
fn crossed_means_come_back_sorted() {
    let mut random = Random::new(8);
    let x = points(&mut random, 400, 2);
    let start = Parameters::new(&[0.5, 0.5], &[3.0, -1.0], &[1.0, 1.0]).unwrap();
    let fit = Mixture::new(2).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(fit.means().is_sorted());
    assert_eq!(fit.origins(), [1, 0]);
}

/// Stops a fit after so many reports of iterations, and keeps the parameters of the last.
fn stopped_after(problem: &Mixture, sample: &Sample, reports: usize) -> (MixtureFit, [Vec<f64>; 3]) {
    let (mut count, mut last) = (0, Default::default());
    let mut monitor = Monitor::stopping(|progress: &Progress| {
        let Progress::Iteration { parameters, .. } = progress else { return ControlFlow::Continue(()) };
        last = parameters.clone();
        count += 1;
        if count == reports { ControlFlow::Break(Halt::TimeLimit) } else { ControlFlow::Continue(()) }
    });
    let fit = problem.fit_with(sample, &mut monitor).unwrap();
    drop(monitor);
    (fit, last)
}

#[test]
fn a_fit_that_is_stopped_keeps_what_it_has_and_goes_on_from_there() {
    let x: Vec<f64> = points(&mut Random::new(5), 600, 2).iter().map(|x| x + 1000.3).collect();
    let sample = Sample::new(&x).unwrap();
    let best = Mixture::new(2).constraint(GapBounds::lower(1.0));
    let far = Parameters::new(&[0.9, 0.1], &[999.0, 1001.5], &[4.0, 4.0]).unwrap();
    let (fit, reported) = stopped_after(&best.clone().init(far), &sample, 2);
    assert_eq!((fit.status(), fit.converged()), (&Status::TimeLimit, false));
    assert_eq!(fit.means(), reported[1]);
    assert!(fit.log_likelihood() <= best.fit(&sample).unwrap().log_likelihood());
    let paper = best.method(MixtureMethod::Paper).tol(Some(0.0)).max_iter(40);
    let (_, [weights, means, variances]) = stopped_after(&paper, &sample, 15);
    let start = Parameters::new(&weights, &means, &variances).unwrap();
    let rest = paper.clone().init(start).max_iter(25).fit(&sample).unwrap();
    let whole = paper.fit(&sample).unwrap();
    assert_eq!((whole.means(), whole.variances(), whole.weights()), (rest.means(), rest.variances(), rest.weights()));
    assert_eq!(whole.log_likelihood(), rest.log_likelihood());
}
