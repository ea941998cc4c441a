//! What each setting and each answer of the public interface does by itself, where no other test has it.

use mindgap::{
    BoxError, Centers, ConstrainedKMeans, Engine, GapBounds, Initializer, KMeans, Method, Mixture, MixtureError,
    Moments, Monitor, Parameters, Sample, Status,
};
use std::borrow::Cow;

/// Where the published program misses the optimum: starts from it and from the exact one differ.
const HARD: [f64; 5] = [0.0, 2.0, 2.0, 5.0, 6.0];

fn start_of(init: ConstrainedKMeans, delta: f64) -> Vec<f64> {
    let restriction = GapBounds::lower(delta).rows(3).unwrap();
    init.start(&Sample::new(&HARD).unwrap(), 3, &restriction, &mut Monitor::default()).unwrap().means().to_vec()
}

#[test]
fn constrained_kmeans_starts_where_it_is_told() {
    let clusters = |method, centers, delta| {
        let problem = KMeans::new(3).constraint(GapBounds::lower(delta)).method(method).centers(centers);
        problem.fit(&Sample::new(&HARD).unwrap()).unwrap().centers().to_vec()
    };
    assert_eq!(start_of(ConstrainedKMeans::new(), 2.5), clusters(Method::Exact, Centers::Means, 2.5));
    let published = start_of(ConstrainedKMeans::new().method(Method::Paper), 2.5);
    assert_eq!(published, clusters(Method::Paper, Centers::Means, 2.5));
    assert_ne!(published, start_of(ConstrainedKMeans::new(), 2.5));
    // Another bound than the constraint's, for the start alone.
    let own = start_of(ConstrainedKMeans::new().delta(2.6), 1.0);
    assert_eq!(own, clusters(Method::Exact, Centers::Means, 2.6));
    let free = start_of(ConstrainedKMeans::new().centers(Centers::Free), 2.9);
    assert_ne!(free, start_of(ConstrainedKMeans::new(), 2.9));
}

#[test]
fn each_status_says_what_to_do() {
    let said = |status: Status, words: &[&str]| {
        let text = status.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    said(Status::Converged, &["converged"]);
    said(Status::MaxIterations, &["ran out", "max_iter"]);
    said(Status::Collapsed { components: vec![1, 2] }, &["[1, 2]", "collapsed", "fewer components"]);
    said(Status::LostWeight { component: 3 }, &["component 3", "lost its weight"]);
}

#[test]
fn the_score_is_the_average_log_density() {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i % 8) + f64::from(i / 20) * 30.0).collect();
    let sample = Sample::new(&x).unwrap();
    let fit = Mixture::new(2).fit(&sample).unwrap();
    assert!((fit.score(&x) - fit.log_likelihood() / 40.0).abs() < 1e-9);
    assert!(fit.score(&[]).is_nan());
    assert!(!sample.is_empty());
}

/// Answers with moments of one component more than it is asked for.
struct Long;

impl Engine for Long {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Owned(Sample::new(&[0.0, 1.0])?))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let sums = vec![0.0; parameters.k() + 1];
        Ok(Moments::new(sums.clone(), sums.clone(), sums, 0.0))
    }
}

#[test]
fn an_engine_that_answers_for_too_many_components_is_named() {
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 1.0]).unwrap();
    match Mixture::new(2).init(start).fit(&mut Long) {
        Err(error @ MixtureError::Engine(_)) => {
            assert!(error.to_string().contains("3 entries of `weight` for 2 components"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}
