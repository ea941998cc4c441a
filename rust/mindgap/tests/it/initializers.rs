//! Starts that k-means finds, which may take longer than the fit.

use mindgap::mixture::from_fn;
use mindgap::{
    Centers, Ckmeans, ConstrainedKMeans, GapBounds, Initializer, Mixture, MixtureError, Monitor, PaperStart, Progress,
    Rows, Sample,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Stops a search, and nothing else.
fn stop(progress: &Progress) -> ControlFlow<()> {
    if matches!(progress, Progress::Search { .. }) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn stops(initializer: impl Initializer + 'static, sample: &Sample) {
    let rows = GapBounds::lower(0.21).rows(5).unwrap();
    let start = initializer.start(sample, 5, &rows, &mut Monitor::new(&mut stop));
    assert_eq!(start.map_err(MixtureError::from), Err(MixtureError::Interrupted));
    let fit = Mixture::new(5).constraint(rows).init(initializer).fit_with(sample, &mut Monitor::new(&mut stop));
    assert_eq!(fit.err(), Some(MixtureError::Interrupted));
}

#[test]
fn who_watches_a_fit_can_stop_its_start() {
    let x: Vec<f64> = (0..10_000_u32).map(|i| f64::from(i * 7919 % 10_007) / 10_007.0).collect();
    let sample = Sample::new(&x).unwrap();
    stops(PaperStart, &sample);
    stops(Ckmeans, &sample);
    stops(ConstrainedKMeans::new(), &sample);
    stops(ConstrainedKMeans::new().centers(Centers::Free), &sample);
}

#[test]
fn more_components_than_values_are_refused_before_their_bounds_are_written_out() {
    let sample = Sample::new(&[0.0, 1.0, 5.0]).unwrap();
    let rows = Rows::none(usize::MAX);
    let refused = Err(MixtureError::TooManyComponents { k: usize::MAX, distinct: 3 });
    let start = |init: &dyn Initializer| init.start(&sample, usize::MAX, &rows, &mut Monitor::default());
    assert_eq!(start(&PaperStart).map_err(MixtureError::from), refused);
    assert_eq!(start(&ConstrainedKMeans::new()).map_err(MixtureError::from), refused);
}

#[test]
fn an_initializer_may_be_chosen_at_run_time() {
    let sample = Sample::new(&[0.0, 0.4, 1.0, 7.0, 7.7]).unwrap();
    let start = Ckmeans.start(&sample, 2, &Rows::none(2), &mut Monitor::default()).unwrap();
    let copy = start.clone();
    let choices: Vec<Arc<dyn Initializer>> = vec![
        Arc::new(Ckmeans),
        Arc::new(start),
        Arc::new(Box::new(Ckmeans) as Box<dyn Initializer>),
        Arc::new(from_fn(move |_, _, _| Ok::<_, MixtureError>(copy.clone()))),
    ];
    let fits: Vec<_> =
        choices.iter().map(|init| Mixture::new(2).init(Arc::clone(init)).fit(&sample).unwrap()).collect();
    assert!(fits.iter().all(|fit| fit == &fits[0]));
}
