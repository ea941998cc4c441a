//! Where a climb starts: a k-means partition, or whatever the caller brings.

use crate::constraint::{GapBounds, Rows};
use crate::data::sample::Sample;
use crate::error::{BoxError, KMeansError, MixtureError};
use crate::kmeans::{Centers, KMeans, KMeansFit, KMeansMethod};
use crate::mixture::m_step::FLOOR;
use crate::mixture::parameters::Parameters;
use crate::monitor::Monitor;
use std::fmt;
use std::sync::Arc;

/// Gives a fit its start; implement it, or use [`from_fn`], to bring your own.
pub trait Initializer: fmt::Debug + Send + Sync {
    /// Parameters for `k` components, in units of the data. They need not hold `rows`: the first M step sees to that.
    /// `monitor` is told of long work and may stop it.
    ///
    /// # Errors
    /// If there are none. A fit returns the error as [`MixtureError::Refused`], or as it is if it is a [`MixtureError`].
    fn start(&self, sample: &Sample, k: usize, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Parameters, BoxError>;
}

/// An initializer from a function of the sample, the number of components and the constraint.
///
/// ```
/// use mindgap::{Mixture, Parameters, Sample, mixture};
///
/// let middle = mixture::from_fn(|sample, k, _| {
///     let mean = sample.values()[sample.len() / 2];
///     let means: Vec<f64> = (0..k).map(|c| mean + c as f64).collect();
///     Parameters::new(&vec![1.0 / k as f64; k], &means, &vec![1.0; k])
/// });
/// let fit = Mixture::new(2).init(middle).fit(&Sample::new(&[0.0, 0.5, 1.0, 7.0, 8.0])?)?;
/// assert!(fit.converged());
/// # Ok::<(), mindgap::Error>(())
/// ```
pub fn from_fn<F, E>(start: F) -> InitializerFn<F>
where
    F: Fn(&Sample, usize, &Rows) -> Result<Parameters, E> + Send + Sync,
    E: Into<BoxError>,
{
    InitializerFn(start)
}

/// An initializer made by [`from_fn`].
#[derive(Clone, Copy)]
pub struct InitializerFn<F>(F);

impl<F> fmt::Debug for InitializerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InitializerFn")
    }
}

impl<F, E> Initializer for InitializerFn<F>
where
    F: Fn(&Sample, usize, &Rows) -> Result<Parameters, E> + Send + Sync,
    E: Into<BoxError>,
{
    fn start(
        &self,
        sample: &Sample,
        k: usize,
        rows: &Rows,
        _monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, BoxError> {
        (self.0)(sample, k, rows).map_err(Into::into)
    }
}

impl<T: Initializer + ?Sized> Initializer for Box<T> {
    fn start(&self, sample: &Sample, k: usize, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Parameters, BoxError> {
        (**self).start(sample, k, rows, monitor)
    }
}

impl<T: Initializer + ?Sized> Initializer for Arc<T> {
    fn start(&self, sample: &Sample, k: usize, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Parameters, BoxError> {
        (**self).start(sample, k, rows, monitor)
    }
}

impl Initializer for Parameters {
    fn start(
        &self,
        _sample: &Sample,
        _k: usize,
        _rows: &Rows,
        _monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, BoxError> {
        Ok(self.clone())
    }
}

/// The paper's rule: constrained k-means where one positive lower bound serves all gaps (and some partition holds it), else
/// optimal k-means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaperStart;

/// Optimal k-means without a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ckmeans;

/// K-means under the constraint's lower bounds (under the rows, where it is linear rows).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstrainedKMeans {
    delta: Option<f64>,
    method: KMeansMethod,
    centers: Centers,
}

impl Default for ConstrainedKMeans {
    fn default() -> Self {
        Self { delta: None, method: KMeansMethod::Exact, centers: Centers::Means }
    }
}

impl ConstrainedKMeans {
    /// The exact method, with cluster means for centres.
    pub fn new() -> Self {
        Self::default()
    }

    /// One lower bound for all gaps, in place of the constraint's.
    #[must_use]
    pub fn delta(mut self, delta: f64) -> Self {
        self.delta = Some(delta);
        self
    }

    /// How k-means is solved.
    #[must_use]
    pub fn method(mut self, method: KMeansMethod) -> Self {
        self.method = method;
        self
    }

    /// Whether centres are cluster means or free.
    #[must_use]
    pub fn centers(mut self, centers: Centers) -> Self {
        self.centers = centers;
        self
    }
}

impl Initializer for PaperStart {
    fn start(&self, sample: &Sample, k: usize, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Parameters, BoxError> {
        check_distinct(sample, k)?;
        let lower = rows.gap_lower();
        let one = lower.first().is_some_and(|&first| first > 0.0 && lower.iter().all(|&bound| bound == first));
        if one && rows.linear().is_none() {
            match ConstrainedKMeans::new().find(sample, k, rows, monitor) {
                // Means can be farther apart than any clusters' are.
                Err(MixtureError::KMeansStart(KMeansError::Infeasible { .. } | KMeansError::Undecided)) => {}
                start => return Ok(start?),
            }
        }
        Ckmeans.start(sample, k, rows, monitor)
    }
}

impl Initializer for Ckmeans {
    fn start(
        &self,
        sample: &Sample,
        k: usize,
        _rows: &Rows,
        monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, BoxError> {
        let fit = KMeans::new(k).fit_with(sample, monitor).map_err(failed)?;
        Ok(from_clusters(sample, &fit))
    }
}

impl Initializer for ConstrainedKMeans {
    fn start(&self, sample: &Sample, k: usize, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Parameters, BoxError> {
        Ok(self.find(sample, k, rows, monitor)?)
    }
}

impl ConstrainedKMeans {
    fn find(
        &self,
        sample: &Sample,
        k: usize,
        rows: &Rows,
        monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, MixtureError> {
        check_distinct(sample, k)?;
        let constraint = match self.delta {
            Some(delta) => GapBounds::lower(delta).rows(k)?,
            None if rows.linear().is_some() || rows.is_empty() => rows.clone(),
            None => Rows::of_gaps(rows.gap_lower().to_vec(), vec![f64::INFINITY; rows.gap_lower().len()]),
        };
        let kmeans = KMeans::new(k).constraint(constraint).method(self.method).centers(self.centers);
        Ok(from_clusters(sample, &kmeans.fit_with(sample, monitor).map_err(failed)?))
    }
}

/// What becomes of a fault of the k-means that gives a start.
fn failed(error: KMeansError) -> MixtureError {
    match error {
        KMeansError::Interrupted => MixtureError::Interrupted,
        KMeansError::TimeLimit => MixtureError::TimeLimit,
        KMeansError::OutOfMemory(out_of_memory) => out_of_memory.into(),
        error => MixtureError::KMeansStart(error),
    }
}

/// Refuses more components than there are distinct values.
fn check_distinct(sample: &Sample, k: usize) -> Result<(), MixtureError> {
    let distinct = sample.distinct();
    if k > distinct { Err(MixtureError::TooManyComponents { k, distinct }) } else { Ok(()) }
}

/// Each cluster's share, centre, and variance about it. A cluster without spread takes the average variance within
/// clusters, or failing that a share of the data's: a component that starts on a point would stay there.
fn from_clusters(sample: &Sample, fit: &KMeansFit) -> Parameters {
    let weights = fit.weights();
    let total: f64 = weights.iter().sum();
    let frame = sample.frame();
    let (k, range) = (weights.len() as f64, sample.highest(sample.len() - 1) - sample.lowest(0));
    let spread = [fit.inertia() / total, (range / k).powi(2) / 12.0, frame.leave_square(1.0)];
    let spread = spread.into_iter().find(|&v| v > 0.0).unwrap_or(1.0);
    let variance = |(&within, &weight): (&f64, &f64)| {
        let variance = within / weight;
        if variance > FLOOR * spread { variance } else { spread }
    };
    let variances = fit.within().iter().zip(weights).map(variance).collect();
    let weights = weights.iter().map(|weight| weight / total).collect();
    Parameters::sound(weights, fit.centers().to_vec(), variances)
}
