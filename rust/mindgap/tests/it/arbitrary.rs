//! Arbitrary bits as data, weights, bounds, starts, rows and results of engines: a fit ends with a valid result or an
//! error that says what is wrong, and never panics.

use crate::hostile::{Asked, any_bits, cases, data, gaps, mild, rows};
use mindgap::{
    BoxError, Centers, Engine, KMeans, KMeansFit, KMeansMethod, Mixture, MixtureFit, Moments, Monitor, Parameters,
    Rows, Sample, Ties, ToleranceScale, VarianceModel,
};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The sample, or nothing where the data are refused with a reason.
fn sample_of(x: &[f64], w: Option<&[f64]>) -> Option<Sample> {
    let sample = match w {
        Some(w) => Sample::weighted(x, w),
        None => Sample::new(x),
    };
    sample.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

fn constraint_of(asked: &Asked, k: usize) -> Option<Rows> {
    asked.rows(k).map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

/// What a slack of 1e-9 is relative to: the data's range, and the spread of the centres where bounds make it wider.
fn scale(sample: &Sample, centers: &[f64]) -> f64 {
    let x = sample.values();
    let largest = x[0].abs().max(x[x.len() - 1].abs());
    // Centres far from zero are rounded to their own size, not to the range.
    (x[x.len() - 1] - x[0]) + (centers[centers.len() - 1] - centers[0]) + 1e-5 * largest
}

fn assert_valid_clusters(fit: &KMeansFit, sample: &Sample, k: usize, asked: &Asked) {
    let numbers = [fit.centers(), fit.within(), fit.gaps(), fit.boundaries(), &[fit.inertia(), fit.lower_bound()]];
    assert!(numbers.concat().iter().all(|x| x.is_finite()), "{fit:?}");
    assert!(fit.centers().is_sorted() && fit.boundaries().is_sorted(), "{fit:?}");
    assert!(fit.gaps().iter().all(|&gap| gap >= 0.0), "{fit:?}");
    let bounds = if let Asked::Rows(.., lower, _) = asked { lower.len() } else { k - 1 };
    assert_eq!((fit.centers().len(), fit.gaps().len(), fit.active().len()), (k, k - 1, bounds));
    assert_eq!(fit.labels().len(), sample.input_len());
    assert!(fit.labels().iter().all(|&label| (label as usize) < k));
    assert!(fit.sizes().iter().all(|&size| size > 0) && fit.sizes().iter().sum::<usize>() == sample.len());
    assert!(fit.lower_bound() <= fit.inertia() && fit.within().iter().all(|&within| within >= 0.0), "{fit:?}");
    assert!(asked.holds(fit.centers(), 1e-9 * scale(sample, fit.centers())), "{fit:?}");
}

fn assert_valid_mixture(fit: &MixtureFit, k: usize) {
    let numbers = [fit.weights(), fit.means(), fit.variances(), fit.history(), fit.gaps()].concat();
    assert!(numbers.iter().all(|x| x.is_finite()), "{fit:?}");
    assert_eq!((fit.means().len(), fit.gaps().len()), (k, k - 1));
    assert!(fit.means().is_sorted() && fit.variances().iter().all(|&v| v > 0.0), "{fit:?}");
    assert!(fit.weights().iter().all(|&w| (0.0..=1.0 + 1e-9).contains(&w)), "{fit:?}");
    assert!((fit.weights().iter().sum::<f64>() - 1.0).abs() < 1e-9, "{fit:?}");
    assert_eq!(fit.history().len(), fit.n_iter() + 1);
}

/// A start near the data for some, anything for others.
fn starts(k: usize) -> BoxedStrategy<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let sound = (vec(0.01..1.0f64, k), vec(mild(), k), vec(1e-3..4.0f64, k)).prop_map(|(weights, means, variances)| {
        let total: f64 = weights.iter().sum();
        (weights.iter().map(|w| w / total).collect(), means, variances)
    });
    let bits = prop_oneof![3 => 0.0..1.0f64, 1 => any_bits()];
    let wild = (vec(bits.clone(), k), vec(prop_oneof![mild(), any_bits()], k..k + 2), vec(bits, k));
    prop_oneof![4 => sound, 1 => wild].boxed()
}

fn problem() -> impl Strategy<Value = (usize, Asked)> {
    (0..=6usize).prop_flat_map(|k| (Just(k), prop_oneof![4 => gaps(k), 1 => rows(k)]))
}

/// An engine that answers with whatever it was given.
struct Babble {
    sample: Sample,
    answers: Vec<Moments>,
}

impl Engine for Babble {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Borrowed(&self.sample))
    }

    fn moments(&mut self, _parameters: &Parameters) -> Result<Moments, BoxError> {
        self.answers.pop().ok_or_else(|| "nothing left to say".into())
    }
}

fn moments(k: usize) -> impl Strategy<Value = Moments> {
    let number = || prop_oneof![4 => 0.0..5.0f64, 1 => any_bits()];
    (vec(number(), k), vec(number(), k), vec(number(), k), number(), number()).prop_map(
        |(weight, first, second, log_likelihood, classification)| {
            let mut moments = Moments::new(weight, first, second, log_likelihood);
            moments.classification = Some(classification);
            moments
        },
    )
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn any_bits_make_a_sample_or_an_error(x in vec(any_bits(), 0..30), w in vec(any_bits(), 0..30)) {
        for sample in [sample_of(&x, None), sample_of(&x, Some(&w))].into_iter().flatten() {
            prop_assert!(sample.values().is_sorted() && sample.len() <= x.len());
            prop_assert!((1..=sample.len()).contains(&sample.distinct()));
        }
    }

    #[test]
    fn kmeans_ends_with_a_valid_fit_or_an_error(
        (x, w) in data(30),
        (k, asked) in problem(),
        free in any::<bool>(),
        paper in 0..5usize,
        together in any::<bool>(),
    ) {
        let (Some(sample), Some(constraint)) = (sample_of(&x, w.as_deref()), constraint_of(&asked, k)) else {
            return Ok(());
        };
        let problem = KMeans::new(k)
            .constraint(constraint)
            .centers(if free { Centers::Free } else { Centers::Means })
            .method(if paper == 0 { KMeansMethod::Paper } else { KMeansMethod::Exact })
            .ties(if together { Ties::Together } else { Ties::Split });
        // Hard problems may use all of a search's budget; here they are stopped early.
        let mut reports = 0;
        let mut patience = |_: &mindgap::Progress| {
            reports += 1;
            if reports < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        match problem.fit_with(&sample, &mut Monitor::new(&mut patience)) {
            Ok(fit) => {
                assert_valid_clusters(&fit, &sample, k, &asked);
                prop_assert!(fit.predict(&[f64::NAN, f64::MIN, f64::INFINITY]).iter().all(|&c| (c as usize) < k));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        let mut stop = |_: &mindgap::Progress| ControlFlow::Break(());
        let _ = problem.fit_with(&sample, &mut Monitor::new(&mut stop));
    }

    #[test]
    fn a_mixture_ends_with_a_valid_fit_or_an_error(
        (x, w) in data(30),
        (k, asked) in problem(),
        own in (0..=6usize).prop_flat_map(starts),
        // The search for the highest likelihood makes many climbs of one case.
        searched in weighted(0.1),
        equal in any::<bool>(),
        absolute in any::<bool>(),
        tol in prop_oneof![8 => Just(1e-6), 1 => any_bits()],
        floor in prop_oneof![8 => Just(None), 1 => any_bits().prop_map(Some)],
    ) {
        let (Some(sample), Some(constraint)) = (sample_of(&x, w.as_deref()), constraint_of(&asked, k)) else {
            return Ok(());
        };
        let mut problem = Mixture::new(k)
            .constraint(constraint)
            .max_iter(25)
            .tol(tol)
            .tol_scale(if absolute { ToleranceScale::Absolute } else { ToleranceScale::Data })
            .variances(if equal { VarianceModel::Equal } else { VarianceModel::Free })
            .min_variance(floor);
        if !searched {
            match Parameters::new(&own.0, &own.1, &own.2) {
                Ok(start) => problem = problem.init(start),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        match problem.fit(&sample) {
            Ok(fit) => {
                assert_valid_mixture(&fit, k);
                prop_assert_eq!(fit.labels().len(), sample.input_len());
                prop_assert!(asked.holds(fit.means(), 1e-9 * scale(&sample, fit.means())), "{:?}", fit);
                prop_assert_eq!(fit.predict_proba(&[f64::NAN, f64::MAX]).len(), 2 * k);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn an_engine_may_answer_anything(
        (k, asked, own, answers) in (1..=4usize)
            .prop_flat_map(|k| (Just(k), gaps(k), starts(k), vec(moments(k), 0..6))),
        x in vec(-5.0..5.0f64, 4..9),
    ) {
        let (Ok(start), Some(constraint)) = (Parameters::new(&own.0, &own.1, &own.2), constraint_of(&asked, k)) else {
            return Ok(());
        };
        let mut engine = Babble { sample: Sample::new(&x).unwrap(), answers };
        match Mixture::new(k).constraint(constraint).init(start).fit(&mut engine) {
            Ok(fit) => prop_assert_eq!(fit.means().len(), k),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn counts_without_measure_are_refused() {
    let sample = Sample::new(&[1.0, 2.0, 4.0]).unwrap();
    let start = Parameters::new(&[0.5, 0.5], &[1.0, 4.0], &[1.0, 1.0]).unwrap();
    let mut engine = mindgap::LocalEngine::new(&sample);
    let constraint = mindgap::GapBounds::lower(0.5);
    for k in [0, 4, usize::MAX / 2 + 1, usize::MAX] {
        assert!(KMeans::new(k).constraint(constraint.clone()).fit(&sample).is_err());
        assert!(Mixture::new(k).constraint(constraint.clone()).fit(&sample).is_err());
        assert!(Mixture::new(k).constraint(constraint.clone()).init(start.clone()).fit(&mut engine).is_err());
        let initializers: [&dyn mindgap::Initializer; 3] =
            [&mindgap::PaperStart, &mindgap::Ckmeans, &mindgap::ConstrainedKMeans::new()];
        for initializer in initializers {
            assert!(initializer.start(&sample, k, &Rows::none(k), &mut Monitor::default()).is_err());
        }
        assert!(mindgap::LinearRows::new(k, &[1.0], &[0.0, 1.0], &[1.0, 1.0]).is_err());
    }
    let rows = mindgap::LinearRows::new(2, &[-1.0, 1.0], &[1.0], &[2.0]).unwrap();
    assert_eq!((rows.row(0), rows.row(1), rows.row(usize::MAX)), (&[-1.0, 1.0][..], &[][..], &[][..]));
}
