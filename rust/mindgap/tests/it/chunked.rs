//! Data read in chunks: the same fits as in memory, and clear errors for invalid chunks.

use mindgap::MixtureMethod;
use mindgap::error::Cause;
use mindgap::{
    BoxError, Centers, Chunk, Chunked, GapBounds, KMeans, KMeansError, KMeansFit, Mixture, MixtureError, MomentSums,
    Parameters, Sample, SampleError, Source, Summary,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Three overlapping heaps, in no order.
fn data(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let heap = |i: usize| 3.0 * (i % 3) as f64;
    let x = (0..n).map(|i| heap(i) + random() + random() + random() + random()).collect();
    (x, (0..n).map(|_| (3.0 * random()).floor()).collect())
}

fn chunked(x: &[f64], weights: Option<&[f64]>, size: usize) -> Chunked {
    let chunk = |start: usize| {
        let range = start..(start + size).min(x.len());
        match weights {
            Some(weights) => Chunk::weighted(x[range.clone()].to_vec(), weights[range].to_vec()),
            None => Chunk::from(x[range].to_vec()),
        }
    };
    let chunks: Vec<Chunk> = (0..x.len()).step_by(size).map(chunk).collect();
    Chunked::new(move || chunks.clone().into_iter().map(Ok)).unwrap()
}

fn assert_same(there: &KMeansFit, here: &KMeansFit) {
    assert!(there.is_optimal());
    assert_eq!(there.sizes(), here.sizes());
    assert!((there.inertia() - here.inertia()).abs() <= 1e-12 * here.inertia());
    assert!(there.centers().iter().zip(here.centers()).all(|(a, b)| (a - b).abs() <= 1e-12));
}

#[test]
fn kmeans_is_that_of_the_data_in_memory() {
    let (x, weights) = data(40_000);
    for weights in [None, Some(&weights[..])] {
        let data = chunked(&x, weights, 7000);
        let sample = match weights {
            Some(weights) => Sample::weighted(&x, weights).unwrap(),
            None => Sample::new(&x).unwrap(),
        };
        for k in [1, 3, 4, 30] {
            assert_same(&KMeans::new(k).fit(&data.sample().unwrap()).unwrap(), &KMeans::new(k).fit(&sample).unwrap());
        }
        for centers in [Centers::Free, Centers::Means] {
            let kmeans = KMeans::new(4).centers(centers).constraint(GapBounds::lower(2.4));
            assert_same(&kmeans.fit(&data.sample().unwrap()).unwrap(), &kmeans.fit(&sample).unwrap());
        }
    }
}

#[test]
fn a_mixture_is_that_of_the_data_in_memory_to_the_bit_for_every_cut_between_runs() {
    let (x, weights) = data(20_000);
    let sample = Sample::weighted(&x, &weights).unwrap();
    let best = Mixture::new(3).constraint(GapBounds::lower(3.05));
    let paper = best.clone().method(MixtureMethod::Paper).max_iter(30);
    for (mixture, tolerance) in [(best, 1e-6), (paper, 1e-12)] {
        let here = mixture.fit(&sample).unwrap();
        let mut bits = Vec::new();
        for size in [MomentSums::RUN, 5 * MomentSums::RUN, 40_000] {
            let there = mixture.fit(&mut chunked(&x, Some(&weights), size)).unwrap();
            assert!(there.means().iter().zip(here.means()).all(|(a, b)| (a - b).abs() < tolerance));
            assert!((there.log_likelihood() - here.log_likelihood()).abs() < 1e-12 * here.log_likelihood().abs());
            assert!(there.labels().is_empty() && there.converged() == here.converged());
            bits.push(there.means().iter().map(|mean| mean.to_bits()).collect::<Vec<_>>());
        }
        assert!(bits.iter().all(|other| *other == bits[0]));
    }
}

#[test]
fn units_do_not_matter() {
    let (x, _) = data(3000);
    let start = |unit: f64| {
        Parameters::new(&[0.3, 0.3, 0.4], &[2.0, 5.0, 8.0].map(|m| m * unit), &[0.5 * unit * unit; 3]).unwrap()
    };
    let fit = |unit: f64| {
        let scaled: Vec<f64> = x.iter().map(|x| x * unit).collect();
        let bounds = GapBounds::lower(2.9 * unit);
        let mixture = Mixture::new(3).constraint(bounds).init(start(unit)).max_iter(20);
        let fit = mixture.fit(&mut chunked(&scaled, None, 700)).unwrap();
        let means = fit.means().iter().map(|mean| mean / unit);
        means.chain(fit.variances().iter().map(|variance| variance / unit / unit)).collect::<Vec<f64>>()
    };
    let expected = fit(1.0);
    for exponent in [-460, -400, 30, 460] {
        let found = fit(2f64.powi(exponent));
        let same = found.iter().zip(&expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-12);
        assert!(same, "2^{exponent}: {found:?} for {expected:?}");
    }
}

#[test]
fn faults_name_their_chunk() {
    let fault = |chunks: Vec<Result<Chunk, &'static str>>| {
        let read = move || chunks.clone().into_iter().map(|chunk| chunk.map_err(BoxError::from));
        Chunked::new(read).unwrap_err().to_string()
    };
    let good = || Ok(Chunk::from(vec![1.0, 2.0]));
    assert_eq!(fault(vec![good(), Err("the disk is gone")]), "chunk 1 of the data could not be read: the disk is gone");
    assert!(
        fault(vec![good(), good(), Ok(vec![0.0, f64::NAN].into())])
            .starts_with("in chunk 2, the data hold NaN at index 1")
    );
    let unweighed = Chunk::weighted(vec![1.0], vec![]);
    assert!(fault(vec![Ok(unweighed)]).starts_with("in chunk 0, 0 weights were given for 1 points"));
}

#[test]
fn no_points_at_all_are_refused_by_every_fit() {
    let mut data = Chunked::new(|| vec![Ok(Chunk::default())].into_iter()).unwrap();
    assert_eq!(data.sample().unwrap_err(), SampleError::Empty);
    let refused = Mixture::new(1).fit(&mut data).unwrap_err();
    assert_eq!(refused, MixtureError::Engine(Cause::new(SampleError::Empty)));
}

#[test]
fn a_source_that_dries_up_is_an_error() {
    let reads = Arc::new(AtomicUsize::new(0));
    let (x, _) = data(30_000);
    let once = move || {
        let first = reads.fetch_add(1, Ordering::SeqCst) == 0;
        first.then(|| Ok(Chunk::from(x.clone()))).into_iter()
    };
    let mut data = Chunked::new(once).unwrap();
    assert!(matches!(KMeans::new(7).fit(&data.sample().unwrap()), Err(KMeansError::Source(_))));
    let paper = Mixture::new(7).method(MixtureMethod::Paper);
    assert!(matches!(paper.fit(&mut data), Err(MixtureError::KMeansStart(KMeansError::Source(_)))));
    let start = Parameters::new(&[0.5; 2], &[2.0, 5.0], &[1.0; 2]).unwrap();
    let fit = Mixture::new(2).init(start).fit(&mut data);
    assert!(fit.unwrap_err().to_string().contains("there were 1 chunks at first and are 0 now"));
}

type Answer = fn(&[(f64, f64)]) -> Result<Vec<Summary>, BoxError>;

/// A source that answers with whatever it likes.
struct Babble(Answer);

impl Source for Babble {
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
        (self.0)(windows)
    }
}

#[test]
fn rubbish_from_a_source_is_an_error() {
    let (x, _) = data(30_000);
    let mut summary = Summary::with_cells(50);
    summary.add(&x).unwrap();
    let answers: [Answer; 4] = [
        |_| Err("gone".into()),
        |_| Ok(Vec::new()),
        |windows| Ok(windows.iter().map(|_| Summary::new()).collect()),
        |windows| {
            let other = |&(low, high): &(f64, f64)| {
                let mut summary = Summary::new();
                summary.add(&[low, 0.5 * (low + high), high])?;
                Ok(summary)
            };
            windows.iter().map(other).collect()
        },
    ];
    for answer in answers {
        let sample = summary.sample_of(Arc::new(Babble(answer))).unwrap();
        assert!(matches!(KMeans::new(3).fit(&sample), Err(KMeansError::Source(_))));
    }
}
