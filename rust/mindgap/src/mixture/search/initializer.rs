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
///
/// ```
/// use mindgap::{BoxError, Initializer, Mixture, Monitor, Parameters, Rows, Sample};
///
/// /// Means at the quantiles `(c + ½) / k`.
/// #[derive(Debug)]
/// struct Quantiles;
///
/// impl Initializer for Quantiles {
///     fn start(&self, sample: &Sample, k: usize, _: &Rows, _: &mut Monitor<'_>) -> Result<Parameters, BoxError> {
///         let x = sample.values();
///         let means: Vec<f64> = (0..k).map(|c| x[(2 * c + 1) * x.len() / (2 * k)]).collect();
///         Ok(Parameters::new(&vec![1.0 / k as f64; k], &means, &vec![1.0; k])?)
///     }
/// }
///
/// let fit = Mixture::new(2).init(Quantiles).fit(&Sample::new(&[0.0, 0.5, 1.0, 7.0, 7.4, 8.0])?)?;
/// assert!(fit.converged());
/// # Ok::<(), mindgap::Error>(())
/// ```
pub trait Initializer: fmt::Debug + Send + Sync {
    /// Parameters for `k` components, in units of the data. They need not satisfy `rows`: those after the first M step
    /// do. `monitor` is told of long work and may stop it.
    ///
    /// # Errors
    /// If there are none. A fit returns the error as [`MixtureError::Refused`], or as it is if it is a
    /// [`MixtureError`].
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
///
/// ```
/// use mindgap::{Initializer, Monitor, Parameters, Rows, Sample, mixture};
///
/// let fixed = mixture::from_fn(|_, _, _| Parameters::new(&[1.0], &[3.0], &[1.0]));
/// let start = fixed.start(&Sample::new(&[2.0, 4.0])?, 1, &Rows::none(1), &mut Monitor::default())?;
/// assert_eq!(start.means(), [3.0]);
/// # Ok::<(), mindgap::BoxError>(())
/// ```
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

/// The paper's rule: constrained k-means where one positive lower bound serves all gaps (and some partition satisfies
/// it), else optimal k-means.
///
/// ```
/// use mindgap::{GapBounds, Mixture, PaperStart, Sample};
///
/// let sample = Sample::new(&[0.0, 0.5, 1.0, 7.0, 7.4, 8.0])?;
/// let fit = Mixture::new(2).constraint(GapBounds::lower(5.0)).init(PaperStart).fit(&sample)?;
/// assert!(fit.converged());
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaperStart;

/// Optimal k-means without a constraint.
///
/// ```
/// use mindgap::{Ckmeans, Initializer, Monitor, Rows, Sample};
///
/// let sample = Sample::new(&[0.0, 1.0, 7.0, 8.0])?;
/// let start = Ckmeans.start(&sample, 2, &Rows::none(2), &mut Monitor::default())?;
/// assert_eq!((start.means(), start.variances()), (&[0.5, 7.5][..], &[0.25, 0.25][..]));
/// # Ok::<(), mindgap::BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ckmeans;

/// K-means under the constraint's lower bounds (under the rows, where it is linear rows).
///
/// ```
/// use mindgap::{Centers, ConstrainedKMeans, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.5, 1.0, 2.0, 2.4, 3.0])?;
/// let apart = ConstrainedKMeans::new().delta(2.5).centers(Centers::Free);
/// let fit = Mixture::new(2).init(apart).fit(&sample)?;
/// assert!(fit.means()[0] < fit.means()[1]);
/// # Ok::<(), mindgap::Error>(())
/// ```
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
