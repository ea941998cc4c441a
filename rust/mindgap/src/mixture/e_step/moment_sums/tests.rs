//! The sums over parts against the local engine, and what cuts, order and faults do.

use super::*;
use crate::data::sample::Sample;
use crate::mixture::{Engine, LocalEngine};

fn start() -> Parameters {
    Parameters::new(&[0.2, 0.5, 0.3], &[-3.0, 0.0, 40.0], &[0.5, 2.0, 9.0]).unwrap()
}

/// Points around the components, in no order.
fn scattered(n: usize) -> Vec<f64> {
    let place = |i: usize| ((i * 7919 + 13) % 10_007) as f64 / 10_007.0;
    (0..n).map(|i| [-3.0, 0.0, 40.0][i % 3] + 8.0 * (place(i) - 0.5)).collect()
}

fn all(moments: &Moments) -> Vec<f64> {
    let Moments { weight, first, second, log_likelihood, classification, .. } = moments;
    [&weight[..], first, second, &[*log_likelihood, classification.unwrap()]].concat()
}

#[test]
fn unsorted_parts_say_what_the_local_engine_says() {
    for n in [1, 2, 15, 17, 511, 512, 513, 5000] {
        let x = scattered(n);
        let w: Vec<f64> = (0..n).map(|i| 0.5 + (i % 5) as f64).collect();
        let samples = [(None, Sample::new(&x).unwrap()), (Some(&w[..]), Sample::weighted(&x, &w).unwrap())];
        for (weights, sample) in samples {
            let expected = LocalEngine::new(&sample).finish(&start()).unwrap();
            let found = MomentSums::of_chunk(&x, weights, &start()).unwrap().moments();
            for (found, expected) in all(&found).iter().zip(all(&expected)) {
                assert!((found - expected).abs() <= 1e-12 * (n as f64 + expected.abs()), "{found} for {expected}");
            }
        }
    }
}

#[test]
fn cuts_between_runs_and_the_order_of_parts_do_not_show() {
    let x = scattered(20 * MomentSums::RUN + 77);
    let whole = MomentSums::of_chunk(&x, None, &start()).unwrap().moments();
    for runs in [1, 3, 7] {
        let mut parts: Vec<MomentSums> =
            x.chunks(runs * MomentSums::RUN).map(|part| MomentSums::of_chunk(part, None, &start()).unwrap()).collect();
        parts.rotate_left(1);
        let mut sum = MomentSums::zero(&start());
        for part in parts.iter().rev() {
            let written: Vec<Vec<f64>> = part.parts().map(<[f64]>::to_vec).collect();
            sum.add(&MomentSums::from_parts(written.iter().map(Vec::as_slice)).unwrap());
        }
        assert_eq!(sum.moments(), whole);
    }
}

#[test]
fn no_points_are_no_fault() {
    let empty = MomentSums::of_chunk(&[], None, &start()).unwrap();
    assert_eq!(empty.moments(), Moments::zero(&start()));
    assert_eq!(MomentSums::of_chunk(&[1.0], Some(&[0.0]), &start()).unwrap().moments().log_likelihood, 0.0);
    assert_eq!(MomentSums::from_parts([&[1.0][..]; 3]), None);
    assert_eq!(MomentSums::from_parts([&[1.0][..]; 6]), None);
}

#[test]
fn leaving_the_classification_out_changes_nothing_else() {
    let x = scattered(1000);
    let expected = MomentSums::of_chunk(&x, None, &start()).unwrap().moments();
    let mut sums = MomentSums::unclassified(&x[..512], None, &start()).unwrap();
    sums.add(&MomentSums::unclassified(&x[512..], None, &start()).unwrap());
    let found = sums.moments();
    assert_eq!(found.classification, None);
    assert_eq!(Moments { classification: expected.classification, ..found }, expected);
}

#[test]
fn faults_are_named_with_their_place() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for index in [0, 3, 515, 1029] {
            let mut x = scattered(1030);
            x[index] = bad;
            match MomentSums::of_chunk(&x, None, &start()) {
                Err(SampleError::NotFinite { index: found, .. }) => assert_eq!(found, index),
                other => panic!("{other:?}"),
            }
        }
    }
    let mut w = vec![1.0; 1030];
    w[700] = -1.0;
    let error = MomentSums::of_chunk(&scattered(1030), Some(&w), &start()).unwrap_err();
    assert_eq!(error, SampleError::BadWeight { index: 700, value: -1.0 });
    let error = MomentSums::of_chunk(&scattered(3), Some(&w), &start()).unwrap_err();
    assert_eq!(error, SampleError::WeightCount { points: 3, weights: 1030 });
}
