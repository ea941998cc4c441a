//! [`Engine`]: access to the data of a fit, in memory or elsewhere. It returns a sample to start from, then moments and
//! log-likelihood at given parameters.
//!
//! A fit does not depend on where the data are. An engine may use the threads of this process or many machines: it
//! returns sums, and sums of parts add.

use super::parameters::Parameters;
use crate::data::{Binned, Sample};
use crate::error::BoxError;
use std::borrow::Cow;
use std::fmt;

/// The tolerance of the moments' total weight, as a fraction of the data's. The rounding error of sums of
/// responsibilities is below 1e-12 for any number of points on a disk; a lost point among a billion is above the
/// tolerance.
const LOST_WEIGHT: f64 = 1e-10;

/// The result of an E step: sums over the points `x` of weight `w`, where `r_k` is the responsibility of component `k`.
///
/// ```
/// use mindgap::{Moments, Parameters};
///
/// // With one component, the moments are those of 1, 2 and 6 about a mean of 2.
/// let parameters = Parameters::new(&[1.0], &[2.0], &[1.0])?;
/// let mut total = Moments::zero(&parameters);
/// for x in [1.0_f64, 2.0, 6.0] {
///     let log_density = -0.5 * (x - 2.0).powi(2) - 0.5 * std::f64::consts::TAU.ln();
///     total.add(&Moments::new(vec![1.0], vec![x - 2.0], vec![(x - 2.0).powi(2)], log_density));
/// }
/// assert_eq!((total.weight[0], total.first[0], total.second[0]), (3.0, 3.0, 17.0));
/// # Ok::<(), mindgap::MixtureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moments {
    /// `Σ w r_k`, one entry per component.
    pub weight: Vec<f64>,
    /// `Σ w r_k (x - μ_k)`, about the means that the engine was given.
    pub first: Vec<f64>,
    /// `Σ w r_k (x - μ_k)²`.
    pub second: Vec<f64>,
    /// `Σ w log p(x)`, in nats.
    pub log_likelihood: f64,
    /// `Σ w log max_k r_k`, required from [`Engine::finish`] only; `None` if unknown.
    pub classification: Option<f64>,
    /// The sums for the second derivatives; only [`Engine::curved`] returns them, optionally.
    pub curvature: Option<Curvature>,
    /// The expected weight of points outside a support, which the sums include; zero without a support.
    pub unseen: f64,
}

impl Moments {
    /// Moments without a classification; one entry per component in each of the three lists.
    pub fn new(weight: Vec<f64>, first: Vec<f64>, second: Vec<f64>, log_likelihood: f64) -> Self {
        Self { weight, first, second, log_likelihood, classification: None, curvature: None, unseen: 0.0 }
    }

    /// The moments of no points, at `parameters`.
    pub fn zero(parameters: &Parameters) -> Self {
        Self::of_nothing(parameters.k(), true, false)
    }

    pub(super) fn of_nothing(k: usize, classify: bool, curved: bool) -> Self {
        Self {
            classification: classify.then_some(0.0),
            curvature: curved.then(|| Curvature::zero(k)),
            ..Self::new(vec![0.0; k], vec![0.0; k], vec![0.0; k], 0.0)
        }
    }

    /// Resets to the moments of no points.
    pub(super) fn clear(&mut self) {
        [&mut self.weight, &mut self.first, &mut self.second].into_iter().for_each(|sums| sums.fill(0.0));
        self.log_likelihood = 0.0;
        self.unseen = 0.0;
        self.classification = self.classification.map(|_| 0.0);
        self.curvature.iter_mut().for_each(Curvature::clear);
    }

    /// Adds the moments of other points, taken at the same parameters.
    pub fn add(&mut self, other: &Moments) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.weight, &other.weight);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        self.log_likelihood += other.log_likelihood;
        self.unseen += other.unseen;
        self.classification = self.classification.zip(other.classification).map(|(mine, theirs)| mine + theirs);
        self.curvature = self.curvature.take().zip(other.curvature.as_ref()).map(|(mut mine, theirs)| {
            mine.add(theirs);
            mine
        });
    }

    /// Returns why these are not the moments of `k` components over data of `total_weight`, if they are not.
    pub(super) fn fault(&self, k: usize, total_weight: f64) -> Option<String> {
        let parts = [("weight", &self.weight), ("first", &self.first), ("second", &self.second)];
        for (name, values) in parts {
            if values.len() != k {
                return Some(format!("{} entries of `{name}` for {k} components", values.len()));
            }
            if let Some(value) = not_finite(values) {
                return Some(format!("an entry of `{name}` is {value}"));
            }
        }
        if self.weight.iter().chain(&self.second).any(|&value| value < 0.0) {
            return Some("a sum of weights or of squares is negative".to_owned());
        }
        let answered: f64 = self.weight.iter().sum();
        if (answered - self.unseen - total_weight).abs() > LOST_WEIGHT * (total_weight + self.unseen) {
            return Some(format!(
                "the moments are of points of total weight {answered:?}, but the data that it loaded weigh {total_weight:?}; \
                 every point must be counted, once"
            ));
        }
        if let Some(fault) = self.curvature.as_ref().and_then(|curvature| curvature.fault(k)) {
            return Some(fault);
        }
        let likelihood = self.log_likelihood;
        (!likelihood.is_finite()).then(|| format!("the log-likelihood is {likelihood}"))
    }
}

/// Sums over the points for the second derivatives of the log-likelihood (Louis' identity), in standardised residuals
/// `z_k = (x - μ_k)/σ_k`, which have no units.
///
/// A point of weight `w` adds `w` times the outer product of its vector `s = (r_1, r_1 z_1, r_1 z_1², r_2, …)` with
/// itself, `(3K)²` numbers. It costs about twice as much as its moments.
///
/// ```
/// use mindgap::{Engine, LocalEngine, Parameters, Sample};
///
/// let sample = Sample::new(&[-1.0, 0.0, 1.0])?;
/// let standard = Parameters::new(&[1.0], &[0.0], &[1.0])?;
/// let moments = LocalEngine::new(&sample).curved(&standard)?;
/// let curvature = moments.curvature.expect("a local engine returns it");
/// assert_eq!((curvature.third[0], curvature.fourth[0], curvature.outer[0]), (0.0, 2.0, 3.0));
/// # Ok::<(), mindgap::BoxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Curvature {
    /// `Σ w r_k z_k³`, one entry per component.
    pub third: Vec<f64>,
    /// `Σ w r_k z_k⁴`.
    pub fourth: Vec<f64>,
    /// `Σ w s sᵀ`, row-major, `3K`×`3K`; only the entries on and above the diagonal are read.
    pub outer: Vec<f64>,
}

impl Curvature {
    /// The sums over no points, for `k` components.
    pub fn zero(k: usize) -> Self {
        Self { third: vec![0.0; k], fourth: vec![0.0; k], outer: vec![0.0; 9 * k * k] }
    }

    /// The memory of the sums for `k` components.
    pub(super) fn bytes(k: usize) -> usize {
        size_of::<f64>().saturating_mul(k.saturating_mul(2).saturating_add(k.saturating_mul(k).saturating_mul(9)))
    }

    /// Adds the sums over other points, taken at the same parameters.
    pub fn add(&mut self, other: &Curvature) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.third, &other.third);
        add(&mut self.fourth, &other.fourth);
        add(&mut self.outer, &other.outer);
    }

    /// Resets to the sums over no points.
    pub(super) fn clear(&mut self) {
        [&mut self.third, &mut self.fourth, &mut self.outer].into_iter().for_each(|sums| sums.fill(0.0));
    }

    /// Returns why these are not the sums of `k` components, if they are not.
    pub(super) fn fault(&self, k: usize) -> Option<String> {
        let parts = [("third", &self.third, k), ("fourth", &self.fourth, k), ("outer", &self.outer, 9 * k * k)];
        for (name, values, wanted) in parts {
            if values.len() != wanted {
                return Some(format!(
                    "{} entries of `{name}` for {k} components; there must be {wanted}",
                    values.len()
                ));
            }
            if let Some(value) = not_finite(values) {
                return Some(format!("an entry of `{name}` is {value}"));
            }
        }
        None
    }
}

/// The first number that is not finite. Looks at all of them first, in vector code: there is hardly ever one.
fn not_finite(values: &[f64]) -> Option<&f64> {
    let finite = values.iter().fold(true, |finite, value| finite & value.is_finite());
    if finite { None } else { values.iter().find(|value| !value.is_finite()) }
}

/// Access to the data of a fit, in memory or elsewhere.
///
/// Parameters and moments are in units of the data. K-means needs only [`load`](Self::load): fit it to the returned
/// sample. If that is a [`Summary`](crate::Summary) with a [`Source`](crate::Source), k-means reads the data again near
/// its boundaries.
///
/// ```
/// use mindgap::{Engine, KMeans, LocalEngine, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.5, 4.0, 4.5, 4.7])?;
/// let mut engine = LocalEngine::new(&sample);
/// let mixture = Mixture::new(2).fit(&mut engine)?;
/// let loaded = engine.load()?;
/// let kmeans = KMeans::new(2).fit(&loaded)?;
/// assert_eq!(kmeans.labels(), mixture.predict(&[0.0, 0.5, 4.0, 4.5, 4.7]));
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub trait Engine {
    /// Returns the data or a summary of them, for their scale, total weight and the search for starts. Called once,
    /// before the first pass.
    ///
    /// # Errors
    /// Whatever keeps the engine from its data.
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError>;

    /// Returns the sums over all data at `parameters`, in one pass.
    ///
    /// # Errors
    /// Whatever keeps the engine from its data.
    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError>;

    /// As [`moments`](Self::moments), optionally with the sums for the second derivatives. Without them a fit estimates
    /// the derivatives from pass to pass, which takes two to four times as many passes, and has no standard errors.
    ///
    /// # Errors
    /// As [`moments`](Self::moments).
    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.moments(parameters)
    }

    /// As [`moments`](Self::moments), at the fitted parameters, optionally with the classification.
    ///
    /// # Errors
    /// As [`moments`](Self::moments).
    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.moments(parameters)
    }
}

impl<E: Engine + ?Sized> Engine for Box<E> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        (**self).load()
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        (**self).moments(parameters)
    }

    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        (**self).curved(parameters)
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        (**self).finish(parameters)
    }
}

/// The data of a mixture fit: a [`Sample`] or [`Binned`] counts in memory, or the data of an [`Engine`], such as
/// [`Chunked`](crate::Chunked). References convert into it.
///
/// ```
/// use mindgap::mixture::Data;
/// use mindgap::{Chunk, Chunked, Mixture, MixtureError, MixtureFit, Sample};
///
/// fn two_components<'a>(data: impl Into<Data<'a>>) -> Result<MixtureFit, MixtureError> {
///     Mixture::new(2).fit(data)
/// }
///
/// let x = vec![0.0, 0.5, 1.0, 6.0, 6.4, 7.0];
/// let sample = Sample::new(&x)?;
/// let mut chunks = Chunked::new(move || std::iter::once(Ok(Chunk::from(x.clone()))))?;
/// let (here, there) = (two_components(&sample)?, two_components(&mut chunks)?);
/// assert!((here.log_likelihood() - there.log_likelihood()).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[non_exhaustive]
pub enum Data<'a> {
    /// Data in memory; their points are labelled.
    Sample(&'a Sample),
    /// Counts in bins; the bins are labelled.
    Binned(&'a Binned),
    /// Data elsewhere; the fit has no labels.
    Engine(&'a mut dyn Engine),
}

impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(sample) => f.debug_tuple("Sample").field(sample).finish(),
            Self::Binned(binned) => f.debug_tuple("Binned").field(binned).finish(),
            Self::Engine(_) => f.write_str("Engine"),
        }
    }
}

impl<'a> From<&'a Sample> for Data<'a> {
    fn from(sample: &'a Sample) -> Self {
        Self::Sample(sample)
    }
}

impl<'a> From<&'a Binned> for Data<'a> {
    fn from(binned: &'a Binned) -> Self {
        Self::Binned(binned)
    }
}

impl<'a, E: Engine> From<&'a mut E> for Data<'a> {
    fn from(engine: &'a mut E) -> Self {
        Self::Engine(engine)
    }
}

impl<'a, 'e: 'a> From<&'a mut (dyn Engine + 'e)> for Data<'a> {
    fn from(engine: &'a mut (dyn Engine + 'e)) -> Self {
        Self::Engine(engine)
    }
}

#[cfg(test)]
mod tests;
