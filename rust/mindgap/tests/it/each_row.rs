//! K-means of each row of a table: the same as for the row alone.

use crate::oracle::random::Random;
use mindgap::error::ErrorKind;
use mindgap::{Error, GapBounds, KMeans, KMeansError, Monitor, RowLabels, Sample, SampleError, Table};
use std::ops::ControlFlow;

fn table_of(rows: usize, columns: usize) -> Vec<f64> {
    let mut random = Random::new(3);
    (0..rows * columns).map(|_| random.normal()).collect()
}

#[test]
fn every_row_is_as_alone_whatever_the_threads() {
    // Few rows on the calling thread, and enough of them for others.
    for rows in [7, 400] {
        let (values, columns) = (table_of(rows, 200), 200);
        let weights: Vec<f64> = (0..columns).map(|i| 1.0 + (i % 3) as f64).collect();
        let single: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        let table = Table::new(&single[..], columns).unwrap().weighted(&weights[..]).unwrap();
        for problem in [KMeans::new(4), KMeans::new(3).constraint(GapBounds::lower(0.5))] {
            let fits = problem.fit_rows(&table).unwrap();
            let RowLabels::U8(labels) = &fits.labels else { panic!("bytes are enough for a few clusters") };
            let k = fits.centers.len() / rows;
            for (row, values) in single.chunks(columns).enumerate() {
                let doubles: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
                let alone = problem.fit(&Sample::weighted(&doubles, &weights).unwrap()).unwrap();
                assert_eq!(fits.centers[row * k..(row + 1) * k], *alone.centers());
                assert!(labels[row * columns..].iter().zip(alone.labels()).all(|(&a, &b)| u32::from(a) == b));
                assert_eq!((fits.inertia[row], fits.lower_bound[row]), (alone.inertia(), alone.lower_bound()));
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            assert_eq!(pool.install(|| problem.fit_rows(&table)).unwrap(), fits);
        }
    }
}

#[test]
fn the_first_faulty_row_is_named() {
    let mut values = table_of(400, 200);
    (values[60_003], values[20_001]) = (f64::NAN, f64::INFINITY);
    let error = KMeans::new(2).fit_rows(&Table::new(&values[..], 200).unwrap()).unwrap_err();
    let fault = SampleError::NotFinite { index: 1, value: f64::INFINITY };
    assert_eq!(error, Error::InRow { row: 100, fault: Box::new(fault.into()) });
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn tables_have_rows_of_one_length() {
    assert_eq!(Table::new(&[1.0f32; 5][..], 2).unwrap_err(), SampleError::Ragged { values: 5, columns: 2 });
    assert_eq!(Table::new(&[1.0f32; 5][..], 0).unwrap_err(), SampleError::Empty);
    let table = Table::new(&[1.0; 6][..], 2).unwrap();
    assert!(table.weighted(&[1.0; 2][..]).is_ok() && table.weighted(&[1.0f32; 6][..]).is_ok());
    assert!(matches!(table.weighted(&[1.0; 3][..]), Err(SampleError::WeightCount { points: 6, weights: 3 })));
    assert_eq!(KMeans::new(0).fit_rows(&table).unwrap_err(), KMeansError::NoClusters.into());
}

#[test]
fn a_watcher_stops_the_rows() {
    for rows in [3, 2000] {
        let values = table_of(rows, 500);
        let mut monitor = Monitor::new(|_| ControlFlow::Break(()));
        let stopped = KMeans::new(5).fit_rows_with(&Table::new(&values[..], 500).unwrap(), &mut monitor);
        assert_eq!(stopped.unwrap_err(), KMeansError::Interrupted.into());
    }
}

#[test]
fn rows_need_the_memory_of_their_labels_and_centres() {
    let values = table_of(4, 600);
    let table = Table::new(&values[..], 600).unwrap();
    // Labels of a byte each up to 256 clusters, of four above.
    for (k, bytes) in [(3, 4 * (600 + 8 * 3)), (300, 4 * (4 * 600 + 8 * 300))] {
        let refused = KMeans::new(k).fit_rows_with(&table, &mut Monitor::default().memory_limit(0));
        let Err(Error::KMeans(KMeansError::OutOfMemory(refused))) = refused else { panic!("{refused:?}") };
        assert_eq!(refused.bytes, bytes);
    }
}

#[test]
fn rows_without_labels_have_none() {
    let values = table_of(2, 400);
    let table = Table::new(&values[..], 400).unwrap();
    for (k, none) in [(3, RowLabels::U8(Vec::new())), (300, RowLabels::U32(Vec::new()))] {
        let (with, without) = (KMeans::new(k).fit_rows(&table).unwrap(), KMeans::new(k).labels(false).fit_rows(&table));
        let without = without.unwrap();
        assert_eq!((&without.labels, &without.centers), (&none, &with.centers));
    }
}
