//! Bugs found by arbitrary input, each as its smallest case.

use mindgap::{
    Centers, Chunk, Chunked, GapBounds, KMeans, KMeansError, LinearRows, Mixture, MixtureError, Parameters, Sample,
    Summary,
};

/// K-means whose centres are free between bounds on their gaps.
fn free(k: usize, lower: f64, upper: f64) -> KMeans {
    KMeans::new(k).constraint(GapBounds::between(lower, upper).unwrap()).centers(Centers::Free)
}

#[test]
fn centres_that_are_one_are_not_out_of_order_by_a_rounding() {
    for x in [[-7.1, 2.3, 7.7], [-8.3, 4.2, 2.1]] {
        let fit = free(2, 0.0, 0.0).fit(&Sample::new(&x).unwrap()).unwrap();
        assert!(fit.centers().is_sorted() && fit.gaps() == [0.0], "{fit:?}");
    }
}

#[test]
fn weights_too_far_apart_for_sums_are_refused() {
    let (x, w) = ([0.0, 1.0, 2.0, 3.0], [1e20, 1.0, 1.0, 1.0]);
    let mut summary = Summary::new();
    summary.add_weighted(&x, &w).unwrap();
    let expected = Some(KMeansError::WeightsTooUneven { smallest: 1.0, total: 1e20 });
    for sample in [Sample::weighted(&x, &w).unwrap(), summary.sample().unwrap()] {
        for problem in [
            KMeans::new(2),
            KMeans::new(2).centers(Centers::Means).constraint(GapBounds::lower(0.5)),
            free(2, 0.6, 0.8),
        ] {
            assert_eq!(problem.fit(&sample).err(), expected);
        }
    }
}

#[test]
fn bounds_are_held_or_refused_where_costs_overflow_on_the_way() {
    let sample = Sample::weighted(&[-5e-9, -3e-9, 2e-9], &[1e305, 1e303, 1e301]).unwrap();
    assert_eq!(free(2, 1e-3, f64::INFINITY).fit(&sample).err(), Some(KMeansError::OutOfRange));
    let far = LinearRows::new(2, &[1.0, 0.0], &[1e-3], &[f64::INFINITY]).unwrap();
    assert_eq!(KMeans::new(2).constraint(far).fit(&sample).err(), Some(KMeansError::OutOfRange));
}

#[test]
fn a_cost_beyond_the_largest_double_is_an_error() {
    let sample = Sample::weighted(&[0.0, 1e140, 2e140, 5e140], &[1e20; 4]).unwrap();
    assert_eq!(free(2, 1e145, f64::INFINITY).fit(&sample).err(), Some(KMeansError::OutOfRange));
    let far = LinearRows::new(2, &[1.0, 0.0], &[1e145], &[f64::INFINITY]).unwrap();
    assert_eq!(KMeans::new(2).constraint(far).fit(&sample).err(), Some(KMeansError::OutOfRange));
}

#[test]
fn a_start_for_another_number_of_components_is_refused() {
    let sample = Sample::new(&[0.0, 1.0, 3.0, 9.0]).unwrap();
    let start = Parameters::new(&[0.5, 0.3, 0.2], &[0.0, 1.0, 3.0], &[1.0; 3]).unwrap();
    for problem in [Mixture::new(4), Mixture::new(4).constraint(GapBounds::lower(0.5))] {
        let refused = problem.init(start.clone()).fit(&sample).err();
        assert_eq!(refused, Some(MixtureError::ParametersCount { k: 4, given: 3 }));
    }
}

#[test]
fn absurdly_many_components_of_an_engine_are_refused_before_their_bounds_are_written_out() {
    let mut engine = Chunked::new(|| [Ok(Chunk::from(vec![0.0, 1.0, 3.0, 9.0]))].into_iter()).unwrap();
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 5.0], &[1.0, 1.0]).unwrap();
    let refused = Mixture::new(usize::MAX).constraint(GapBounds::lower(0.5)).init(start).fit(&mut engine).err();
    assert_eq!(refused, Some(MixtureError::TooManyComponents { k: usize::MAX, distinct: 4 }));
}
