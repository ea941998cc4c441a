//! The result of a mixture fit, in the units and the order of the data.

use super::climb::Climbed;
use super::e_step::{Parabola, Relevant};
use super::parameters::Parameters;
use super::predict::most_probable;
#[cfg(feature = "serde")]
use super::serde_form::MixtureFitForm;
use super::status::Status;
use crate::constraint::Side;
use crate::data::sample::Sample;

/// A fitted mixture; components by ascending mean.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "super::serde_form::MixtureFitForm", into = "super::serde_form::MixtureFitForm")
)]
pub struct MixtureFit {
    parameters: Parameters,
    labels: Vec<u32>,
    history: Vec<f64>,
    gaps: Vec<f64>,
    active: Vec<Option<Side>>,
    origins: Vec<usize>,
    status: Status,
    total_weight: f64,
    classification: Option<f64>,
    variance_count: usize,
}

/// What a fit knows beside what the climb ended with.
pub(super) struct Facts {
    pub(super) gaps: Vec<f64>,
    pub(super) active: Vec<Option<Side>>,
    pub(super) origins: Vec<usize>,
    pub(super) total_weight: f64,
    pub(super) variance_count: usize,
}

impl MixtureFit {
    /// What was `climbed`, in data units.
    pub(super) fn new(climbed: Climbed, facts: Facts) -> Self {
        Self {
            parameters: climbed.parameters,
            labels: Vec::new(),
            history: climbed.history,
            gaps: facts.gaps,
            active: facts.active,
            origins: facts.origins,
            status: climbed.status,
            total_weight: facts.total_weight,
            classification: climbed.classification,
            variance_count: facts.variance_count,
        }
    }

    #[cfg(feature = "serde")]
    pub(super) fn from_form(form: MixtureFitForm) -> Self {
        let MixtureFitForm { parameters, labels, history, gaps, active, origins, .. } = form;
        let MixtureFitForm { status, total_weight, classification, variance_count, .. } = form;
        Self {
            parameters,
            labels,
            history,
            gaps,
            active,
            origins,
            status,
            total_weight,
            classification,
            variance_count,
        }
    }

    /// Labels the points of the sample.
    pub(super) fn label(mut self, sample: &Sample) -> Self {
        const RUN: usize = 512;
        let parabolas = Parabola::of(&self.parameters);
        let mut relevant = Relevant::none();
        if sample.has_blobs() {
            return self;
        }
        self.labels = vec![0; sample.input_len()];
        for (values, order) in sample.values().chunks(RUN).zip(sample.order().chunks(RUN)) {
            relevant.find(&parabolas, values[0], values[values.len() - 1]);
            for (&x, &index) in values.iter().zip(order) {
                self.labels[index as usize] = most_probable(&parabolas, &relevant.components, x);
            }
        }
        let all: Vec<usize> = (0..parabolas.len()).collect();
        for &(index, x) in sample.weightless() {
            self.labels[index as usize] = most_probable(&parabolas, &all, x);
        }
        self
    }

    /// The weights, which sum to one.
    pub fn weights(&self) -> &[f64] {
        self.parameters.weights()
    }

    /// The means, ascending.
    pub fn means(&self) -> &[f64] {
        self.parameters.means()
    }

    /// The variances.
    pub fn variances(&self) -> &[f64] {
        self.parameters.variances()
    }

    /// Weights, means and variances in one: a start for another fit.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The most probable component of each input point, the first of equals. Empty if the data lie with an
    /// [`Engine`](super::Engine).
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The log-likelihood of the fit, weighted.
    pub fn log_likelihood(&self) -> f64 {
        self.history.last().copied().unwrap_or(f64::NAN)
    }

    /// The log-likelihood along the way: entry `i` is that of the parameters that entered iteration `i + 1`, so the
    /// first is the start's, and the last, entry `n_iter`, is that of the parameters returned.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    /// The number of iterations.
    pub fn n_iter(&self) -> usize {
        self.history.len() - 1
    }

    /// How the fit ended.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Whether the parameters came to rest, with nothing to remark.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }

    /// The distances between neighbouring means.
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// Which bound each gap is at; for linear rows, each row.
    pub fn active(&self) -> &[Option<Side>] {
        &self.active
    }

    /// For each component, by ascending mean, which component of the start it grew from: without a constraint means
    /// may cross on the way.
    pub fn origins(&self) -> &[usize] {
        &self.origins
    }

    /// The sum of the weights of the points: their number if they have none.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// `Σ w log max_k r_k` over the points.
    pub(super) fn classification(&self) -> Option<f64> {
        self.classification
    }

    pub(super) fn variance_count(&self) -> usize {
        self.variance_count
    }

    /// The most probable component of each of `values`; NaN goes to the first.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        self.parameters.predict(values)
    }

    /// The probability of each component at each of `values`: row-major, one row a value. NaN gives NaN.
    pub fn predict_proba(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.predict_proba(values)
    }

    /// The log-density at each of `values`.
    pub fn score_samples(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.score_samples(values)
    }

    /// The average log-density of `values`.
    pub fn score(&self, values: &[f64]) -> f64 {
        self.score_samples(values).iter().sum::<f64>() / values.len() as f64
    }
}

#[cfg(feature = "serde")]
impl From<MixtureFit> for MixtureFitForm {
    fn from(fit: MixtureFit) -> Self {
        let MixtureFit { parameters, labels, history, gaps, active, origins, .. } = fit;
        let MixtureFit { status, total_weight, classification, variance_count, .. } = fit;
        Self {
            parameters,
            labels,
            history,
            gaps,
            active,
            origins,
            status,
            total_weight,
            classification,
            variance_count,
        }
    }
}
