//! Single settings and results of the public interface that no other file tests.

use mindgap::{
    Binned, Centers, ConstrainedKMeans, GapBounds, Initializer, KMeans, KMeansError, KMeansMethod, LinearRows, Mixture,
    MixtureError, Monitor, Parameters, Sample, Search, Status, Summary, Table,
};
use std::time::Duration;

/// Where the published program misses the optimum: starts from it and from the exact one differ.
const HARD: [f64; 5] = [0.0, 2.0, 2.0, 5.0, 6.0];

fn start_of(init: ConstrainedKMeans, delta: f64) -> Vec<f64> {
    let rows = GapBounds::lower(delta).rows(3).unwrap();
    init.start(&Sample::new(&HARD).unwrap(), 3, &rows, &mut Monitor::default()).unwrap().means().to_vec()
}

#[test]
fn constrained_kmeans_starts_where_it_is_told() {
    let clusters = |method, centers, delta| {
        let problem = KMeans::new(3).constraint(GapBounds::lower(delta)).method(method).centers(centers);
        problem.fit(&Sample::new(&HARD).unwrap()).unwrap().centers().to_vec()
    };
    assert_eq!(start_of(ConstrainedKMeans::new(), 2.5), clusters(KMeansMethod::Exact, Centers::Means, 2.5));
    let published = start_of(ConstrainedKMeans::new().method(KMeansMethod::Paper), 2.5);
    assert_eq!(published, clusters(KMeansMethod::Paper, Centers::Means, 2.5));
    assert_ne!(published, start_of(ConstrainedKMeans::new(), 2.5));
    // Another bound than the constraint's, for the start alone.
    let own = start_of(ConstrainedKMeans::new().delta(2.6), 1.0);
    assert_eq!(own, clusters(KMeansMethod::Exact, Centers::Means, 2.6));
    let free = start_of(ConstrainedKMeans::new().centers(Centers::Free), 2.9);
    assert_ne!(free, start_of(ConstrainedKMeans::new(), 2.9));
}

#[test]
fn the_settings_of_a_search_do_not_undo_each_other() {
    let search = Search::new().random_starts(8).seed(1);
    assert_eq!(search, Search::new().seed(1).random_starts(8));
    assert!(![Search::new().random_starts(8), Search::new().seed(1), Search::new()].contains(&search));
}

#[test]
fn each_status_says_what_to_do() {
    let said = |status: Status, words: &[&str]| {
        let text = status.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    said(Status::Converged, &["converged"]);
    said(Status::MaxIterations, &["not converged", "raise max_iter"]);
    said(Status::Collapsed { components: vec![1, 2] }, &["[1, 2]", "collapsed", "fewer components"]);
    said(Status::LostWeight { component: 3 }, &["component 3", "lost its weight"]);
}

#[test]
fn the_score_is_the_average_log_density() {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i % 8) + f64::from(i / 20) * 30.0).collect();
    let sample = Sample::new(&x).unwrap();
    let fit = Mixture::new(2).fit(&sample).unwrap();
    assert!((fit.score(&x).unwrap() - fit.log_likelihood() / 40.0).abs() < 1e-9);
    assert_eq!(fit.score(&[]), None);
    assert!(!sample.is_empty());
}

/// Points whose optimum takes long to prove.
fn slow() -> Sample {
    let x: Vec<f64> = (0..20_000_u32).map(|i| f64::from(i * 7919 % 20_011) / 20_011.0).collect();
    Sample::new(&x).unwrap()
}

#[test]
fn a_time_limit_ends_kmeans_with_what_is_proven() {
    let sample = slow();
    for centers in [Centers::Means, Centers::Free] {
        let problem = KMeans::new(40).constraint(GapBounds::lower(0.0249)).centers(centers);
        let fit = problem.clone().time_limit(Duration::ZERO).fit(&sample);
        match &fit {
            Ok(fit) => assert!(!fit.is_optimal() && fit.lower_bound() <= fit.inertia()),
            Err(error) => assert_eq!(error, &KMeansError::TimeLimit),
        }
        assert_eq!(fit, problem.fit_with(&sample, &mut Monitor::default().time_limit(Duration::ZERO)));
    }
}

#[test]
fn a_memory_limit_refuses_what_is_known_to_be_larger() {
    let sample = slow();
    let kmeans = |bytes: usize| KMeans::new(3).memory_limit(bytes).fit(&sample);
    assert!(matches!(kmeans(1000), Err(KMeansError::OutOfMemory(_))));
    assert!(kmeans(1000).unwrap_err().to_string().contains("kB of memory, more than is available or allowed"));
    assert_eq!(kmeans(1 << 30), KMeans::new(3).fit(&sample));
    let mixture = |bytes: usize| Mixture::new(3).memory_limit(bytes).fit(&sample);
    assert!(matches!(mixture(1000), Err(MixtureError::OutOfMemory(_))));
    assert_eq!(mixture(1 << 30), Mixture::new(3).fit(&sample));
    let mut monitor = Monitor::default().memory_limit(1000);
    assert!(matches!(Mixture::new(3).fit_with(&sample, &mut monitor), Err(MixtureError::OutOfMemory(_))));
}

#[test]
fn a_time_limit_ends_a_mixture_with_the_best_found() {
    let sample = slow();
    let paper = mindgap::MixtureMethod::Paper;
    let start = Parameters::new(&[0.5, 0.5], &[0.1, 0.2], &[1.0, 1.0]).unwrap();
    for (mixture, constrained) in [
        (Mixture::new(4), false),
        (Mixture::new(4).constraint(GapBounds::between(0.2, 0.3).unwrap()), true),
        (Mixture::new(2).init(start.clone()), false),
        (Mixture::new(2).method(paper).init(start).tol(0.0), false),
    ] {
        let whole = mixture.fit(&sample).unwrap();
        let fit = match mixture.clone().time_limit(Duration::ZERO).fit(&sample) {
            Err(MixtureError::TimeLimit) if constrained => continue,
            fit => fit.unwrap(),
        };
        assert_eq!((fit.status(), fit.converged()), (&Status::TimeLimit, false));
        assert!(fit.log_likelihood() <= whole.log_likelihood() + 1e-9 && fit.passes() <= whole.passes());
        assert!(mixture.time_limit(Duration::from_secs(3600)).fit(&sample).unwrap() == whole);
    }
}

#[test]
fn a_time_limit_under_linear_rows_is_no_interruption() {
    let rows = LinearRows::new(4, &[1.0, -2.0, 1.0, 0.0, 0.0, 1.0, -2.0, 1.0], &[0.0, 0.0], &[0.0, 0.0]).unwrap();
    match KMeans::new(4).constraint(rows).time_limit(Duration::ZERO).fit(&slow()) {
        Ok(fit) => assert!(!fit.is_optimal() && fit.lower_bound() <= fit.inertia()),
        Err(error) => assert_eq!(error, KMeansError::TimeLimit),
    }
}

#[test]
fn debug_output_does_not_grow_with_the_data() {
    let x: Vec<f64> = (0..6000).map(|i| f64::from(i * 7919 % 6007)).collect();
    let sample = Sample::new(&x).unwrap();
    let mut summary = Summary::new();
    summary.add(&x).unwrap();
    let table = Table::new(&x[..], 10).unwrap();
    let edges: Vec<f64> = (0..=6000).map(f64::from).collect();
    let shown = [
        format!("{sample:?}"),
        format!("{summary:?}"),
        format!("{table:?}"),
        format!("{:?}", Binned::new(&edges, &vec![1.0; 6000]).unwrap()),
        format!("{:?}", KMeans::new(3).fit(&sample).unwrap()),
        format!("{:?}", KMeans::new(3).fit_rows(&table).unwrap()),
        format!("{:?}", Mixture::new(2).fit(&sample).unwrap()),
    ];
    assert!(shown.iter().all(|shown| shown.len() < 1000), "{shown:?}");
}

#[test]
fn a_tolerance_that_is_no_fraction_is_refused() {
    let table = Table::new(&HARD[..], HARD.len()).unwrap();
    let mut summary = Summary::new();
    summary.add(&HARD).unwrap();
    for tol in [f64::NAN, f64::INFINITY, -1e-9] {
        let problem = KMeans::new(2).tol(tol);
        for sample in [Sample::new(&HARD).unwrap(), summary.sample().unwrap()] {
            assert!(matches!(problem.fit(&sample), Err(KMeansError::BadSetting { name: "tol", .. })), "{tol}");
        }
        let rows = problem.fit_rows(&table).unwrap_err();
        assert!(matches!(rows, mindgap::Error::KMeans(KMeansError::BadSetting { .. })), "{rows:?}");
    }
    assert!(KMeans::new(2).tol(0.0).fit(&Sample::new(&HARD).unwrap()).unwrap().is_optimal());
}
