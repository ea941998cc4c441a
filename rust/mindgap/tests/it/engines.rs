//! Custom engines: those that share the work, and those that return wrong moments.

use crate::mixture::{close, points, random_start};
use crate::oracle::random::Random;
use mindgap::{
    BoxError, Engine, GapBounds, KMeans, LocalEngine, Mixture, MixtureError, MixtureFit, MixtureMethod, MomentSums,
    Moments, Parameters, Sample,
};
use std::borrow::Cow;

/// Two samples on two machines, as it were.
struct Halves<'a>(LocalEngine<'a>, LocalEngine<'a>, &'a Sample);

impl Engine for Halves<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Borrowed(self.2))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let mut moments = self.0.moments(parameters)?;
        moments.add(&self.1.moments(parameters)?);
        Ok(moments)
    }
}

#[test]
fn an_engine_of_the_callers_own_gives_the_same_fit() {
    let mut random = Random::new(9);
    let x = points(&mut random, 1000, 3);
    let start = random_start(&mut random, 3);
    let whole = Sample::new(&x).unwrap();
    let (left, right) = (Sample::new(&x[..300]).unwrap(), Sample::new(&x[300..]).unwrap());
    let mut engine = Halves(LocalEngine::new(&left), LocalEngine::new(&right), &whole);
    let best = Mixture::new(3).constraint(GapBounds::lower(2.1)).init(start.clone());
    let (local, fit) = (best.fit(&whole).unwrap(), best.fit(&mut engine).unwrap());
    assert!(close(fit.means(), local.means(), 1e-6) && close(fit.variances(), local.variances(), 1e-6));
    assert!(local.converged() && fit.converged() && fit.newton_decrement() < Some(1e-8));
    let mixture = best.method(MixtureMethod::Paper);
    let local = mixture.fit(&whole).unwrap();
    let fit = mixture.fit(&mut engine).unwrap();
    assert!(close(fit.means(), local.means(), 1e-10) && close(fit.variances(), local.variances(), 1e-10));
    assert!((fit.log_likelihood() - local.log_likelihood()).abs() < 1e-7);
    assert_eq!((fit.n_iter(), fit.active(), fit.labels().len()), (local.n_iter(), local.active(), 0));

    struct Broken;
    impl Engine for Broken {
        fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
            Ok(Cow::Owned(Sample::new(&[0.0, 1.0, 3.0])?))
        }
        fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
            let mut moments = Moments::zero(parameters);
            moments.weight.fill(f64::NAN);
            Ok(moments)
        }
    }
    assert!(matches!(mixture.fit(&mut Broken), Err(MixtureError::Engine(_))));
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

#[test]
fn an_engine_may_be_chosen_at_run_time() {
    let sample = Sample::new(&[0.0, 2.0, 2.0, 5.0, 6.0]).unwrap();
    let mut local: Box<dyn Engine + '_> = Box::new(LocalEngine::new(&sample));
    let mixture = Mixture::new(1);
    let fit = mixture.fit(&mut local).unwrap();
    assert_eq!(fit, mixture.fit(&mut *local).unwrap());
    assert!(
        fit.standard_errors().is_some() && fit.entropy().is_some(),
        "second derivatives and classification pass through"
    );
    assert_eq!(KMeans::new(2).fit(&local.load().unwrap()), KMeans::new(2).fit(&sample));
}

/// Says the same whatever it is asked.
struct Stubborn {
    sample: Sample,
    moments: Moments,
}

impl Engine for Stubborn {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Borrowed(&self.sample))
    }

    fn moments(&mut self, _parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.moments.clone())
    }
}

/// A fit of one component to an engine that answers with these sums, over two points a `unit` apart.
fn stubborn(unit: f64, weight: f64, first: f64) -> Result<MixtureFit, MixtureError> {
    let moments = Moments::new(vec![weight], vec![first], vec![1.0], 0.0);
    let mut engine = Stubborn { sample: Sample::new(&[0.0, unit]).unwrap(), moments };
    let start = Parameters::new(&[1.0], &[0.0], &[1.0]).unwrap();
    Mixture::new(1).init(start).fit(&mut engine)
}

#[test]
fn means_that_an_engine_puts_beyond_the_largest_double() {
    assert_eq!(stubborn(1e130, 2.0, 1e308).err(), Some(MixtureError::OutOfRange));
}

/// Moments of part of the data, or of all of them some other number of times than once.
struct Miscount {
    sample: Sample,
    counted: Vec<f64>,
    share: f64,
}

impl Engine for Miscount {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Borrowed(&self.sample))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let weights = vec![self.share; self.counted.len()];
        Ok(MomentSums::of_chunk(&self.counted, Some(&weights), parameters)?.moments())
    }
}

#[test]
fn an_engine_must_count_every_point_once() {
    let x: Vec<f64> = (0..3000).map(|i| f64::from(i % 3) * 4.0 + f64::from(i) * 1e-3).collect();
    let fit = |counted: &[f64], share: f64| {
        let mut engine = Miscount { sample: Sample::new(&x).unwrap(), counted: counted.to_vec(), share };
        Mixture::new(3).max_iter(5).fit(&mut engine)
    };
    assert!(fit(&x, 1.0).is_ok());
    // A point is left out, then a chunk; half of the weight; nothing at all; everything twice.
    for (counted, share) in [(&x[1..], 1.0), (&x[512..], 1.0), (&x[..], 0.5), (&x[..], 0.0), (&[], 1.0), (&x[..], 2.0)]
    {
        match fit(counted, share) {
            Err(error @ MixtureError::Engine(_)) => {
                assert!(error.to_string().contains("the data that it loaded weigh 3000"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}
