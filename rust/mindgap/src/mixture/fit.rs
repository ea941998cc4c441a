//! [`MixtureFit`]: the result in the units and the order of the data.

use super::e_step::{Parabola, Relevant};
use super::findings::Finding;
use super::inference::StandardErrors;
use super::parameters::{Parameters, most_probable};
use super::status::Status;
use crate::constraint::Side;
use crate::data::sample::Sample;
use crate::numeric::portable::ln;
use crate::shortened::Shortened;
use std::fmt;

/// A fitted mixture; components by ascending mean.
///
/// ```
/// use mindgap::{GapBounds, Mixture, Sample};
///
/// let sample = Sample::new(&[-1.2, -1.0, -0.8, -1.1, 2.0, 2.3, 1.8, 2.1])?;
/// let fit = Mixture::new(2).constraint(GapBounds::lower(2.0)).fit(&sample)?;
/// assert_eq!(fit.labels(), [0, 0, 0, 0, 1, 1, 1, 1]);
/// assert!(fit.converged() && fit.gaps()[0] >= 2.0);
/// assert!((fit.means()[0] + 1.025).abs() < 1e-6 && (fit.weights()[0] - 0.5).abs() < 1e-6);
/// assert_eq!((fit.predict(&[-3.0, 3.0]), fit.active()), (vec![0, 1], &[None][..]));
/// println!("{:?}: {} at {}", fit.variances(), fit.status(), fit.log_likelihood());
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct MixtureFit {
    pub(super) parameters: Parameters,
    pub(super) labels: Vec<u32>,
    pub(super) history: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    pub(super) active: Vec<Option<Side>>,
    pub(super) origins: Vec<usize>,
    pub(super) status: Status,
    pub(super) total_weight: f64,
    pub(super) classification: Option<f64>,
    pub(super) parameter_count: usize,
    pub(super) decrement: Option<f64>,
    pub(super) passes: usize,
    pub(super) starts: usize,
    pub(super) at_best: usize,
    pub(super) runner_up: Option<(Parameters, f64)>,
    pub(super) findings: Vec<Finding>,
    pub(super) errors: Option<StandardErrors>,
}

impl MixtureFit {
    /// Labels the points of the sample.
    pub(super) fn label(mut self, sample: &Sample) -> Self {
        /// Points that share a list of relevant components: enough to repay the search for it.
        const RUN: usize = 512;
        let parabolas = Parabola::of(&self.parameters);
        let mut relevant = Relevant::none();
        if sample.has_widths() {
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

    /// The most probable component of each input point, the first of equals; empty for the data of an
    /// [`Engine`](super::Engine).
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The weighted log-likelihood of the fit.
    pub fn log_likelihood(&self) -> f64 {
        self.history[self.n_iter()]
    }

    /// The log-likelihood of each iterate, from the start (entry 0) to the returned parameters (entry `n_iter`).
    ///
    /// ```
    /// use mindgap::{Mixture, MixtureMethod, Sample};
    ///
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
    /// let fit = Mixture::new(2).method(MixtureMethod::Paper).fit(&Sample::new(&x)?)?;
    /// assert!(fit.history().is_sorted() && fit.history().len() == fit.n_iter() + 1);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    /// The number of iterations.
    pub fn n_iter(&self) -> usize {
        self.history.len() - 1
    }

    /// The predicted gain of log-likelihood of the next Newton step, an estimate of the distance to this local maximum.
    /// `None` for [`MixtureMethod::Paper`](super::MixtureMethod::Paper).
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let fit = Mixture::new(2).fit(&Sample::new(&[-1.2, -1.0, -0.8, 2.0, 2.3, 1.8])?)?;
    /// assert!(fit.newton_decrement().is_some_and(|left| left < 1e-8) && fit.passes() > 1);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn newton_decrement(&self) -> Option<f64> {
        self.decrement
    }

    /// The number of passes over the data, without those of a search over a summary.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The number of starts climbed.
    pub fn starts(&self) -> usize {
        self.starts
    }

    /// The number of starts that reached the best maximum.
    pub fn starts_at_best(&self) -> usize {
        self.at_best
    }

    /// The second-best local maximum that the search found, with its log-likelihood.
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let x: Vec<f64> = (0..300).map(|i| f64::from(i % 30)).collect();
    /// let fit = Mixture::new(3).fit(&Sample::new(&x)?)?;
    /// assert!(fit.starts_at_best() <= fit.starts());
    /// if let Some((parameters, log_likelihood)) = fit.runner_up() {
    ///     assert!(parameters.k() == 3 && log_likelihood <= fit.log_likelihood());
    /// }
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn runner_up(&self) -> Option<(&Parameters, f64)> {
        self.runner_up.as_ref().map(|(parameters, log_likelihood)| (parameters, *log_likelihood))
    }

    /// How the fit ended.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Properties of the fit that call for a second look; always empty for
    /// [`MixtureMethod::Paper`](super::MixtureMethod::Paper).
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Standard errors of the parameters; `None` for [`MixtureMethod::Paper`](super::MixtureMethod::Paper), and if an
    /// engine returns no second derivatives.
    pub fn standard_errors(&self) -> Option<&StandardErrors> {
        self.errors.as_ref()
    }

    /// Whether the fit is at a local maximum: the [`newton_decrement`](Self::newton_decrement) is below the tolerance,
    /// or, for [`MixtureMethod::Paper`](super::MixtureMethod::Paper), no parameter moves. [`status`](Self::status) and
    /// [`findings`](Self::findings) tell whether the maximum is meaningful: a fit with an empty component has also
    /// converged.
    pub fn converged(&self) -> bool {
        match self.status {
            Status::Converged | Status::Doubtful => true,
            Status::MaxIterations | Status::TimeLimit | Status::Collapsed { .. } => false,
            Status::LostWeight { .. } => self.decrement.is_some(),
        }
    }

    /// The distances between neighbouring means.
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// The active bound of each gap; for linear rows, of each row.
    pub fn active(&self) -> &[Option<Side>] {
        &self.active
    }

    /// The component of the start that each component, by ascending mean, comes from: without a constraint, means may
    /// cross.
    ///
    /// ```
    /// use mindgap::{Mixture, Parameters, Sample};
    ///
    /// let crossed = Parameters::new(&[0.5, 0.5], &[2.0, -1.0], &[1.0, 1.0])?;
    /// let fit = Mixture::new(2).init(crossed).fit(&Sample::new(&[-1.2, -1.0, -0.8, 2.0, 2.3, 1.8])?)?;
    /// assert_eq!(fit.origins(), [1, 0]);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn origins(&self) -> &[usize] {
        &self.origins
    }

    /// The sum of the weights of the points: their number if none were given.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// Returns the most probable component of each of `values`; the first for NaN.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        self.parameters.predict(values)
    }

    /// Returns the probability of each component at each of `values`, row-major with one row per value; NaN for NaN.
    pub fn predict_proba(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.predict_proba(values)
    }

    /// Returns the log-density of the whole mixture at each of `values`, whatever the support of the fit.
    pub fn score_samples(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.score_samples(values)
    }

    /// Returns the average log-density of `values`; `None` if there are none.
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let fit = Mixture::new(1).fit(&Sample::new(&[0.0, 1.0, 2.0])?)?;
    /// assert!(fit.score(&[1.0]) > fit.score(&[5.0]));
    /// assert_eq!(fit.score(&[5.0]), Some(fit.score_samples(&[5.0])[0]));
    /// assert_eq!(fit.score(&[]), None);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn score(&self, values: &[f64]) -> Option<f64> {
        let total: f64 = self.score_samples(values).iter().sum();
        (!values.is_empty()).then(|| total / values.len() as f64)
    }
}

/// Prints the parameters and the status, with the labels shortened: there may be millions.
impl fmt::Debug for MixtureFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MixtureFit")
            .field("parameters", &self.parameters)
            .field("log_likelihood", &self.log_likelihood())
            .field("status", &self.status)
            .field("findings", &self.findings)
            .field("gaps", &self.gaps)
            .field("active", &self.active)
            .field("labels", &Shortened(&self.labels))
            .finish_non_exhaustive()
    }
}

/// Information criteria.
impl MixtureFit {
    /// The number of free parameters: `k - 1` weights, `k` means and `k` variances, minus one for each independent
    /// equality of the constraint. Bounds do not count: which of them are active is known only after the fit.
    ///
    /// ```
    /// use mindgap::{EqualSpreads, GapBounds, Mixture, Sample};
    ///
    /// let sample = Sample::new(&[-1.2, -1.0, -0.8, 2.0, 2.3, 1.8])?;
    /// assert_eq!(Mixture::new(2).fit(&sample)?.parameter_count(), 5);
    /// let known = GapBounds::between(3.0, 3.0)? & EqualSpreads;
    /// assert_eq!(Mixture::new(2).constraint(known).fit(&sample)?.parameter_count(), 3);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn parameter_count(&self) -> usize {
        self.parameter_count
    }

    /// The Bayesian information criterion; the total weight counts as the number of points.
    ///
    /// ```
    /// use mindgap::{Mixture, Sample};
    ///
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 40.0 }).collect();
    /// let sample = Sample::new(&x)?;
    /// let fits = [Mixture::new(1).fit(&sample)?, Mixture::new(2).fit(&sample)?];
    /// assert!(fits[1].bic() < fits[0].bic() && fits[1].aic() < fits[0].aic() && fits[1].icl() < fits[0].icl());
    /// assert_eq!(fits[1].icl(), fits[1].entropy().map(|entropy| fits[1].bic() + entropy));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn bic(&self) -> f64 {
        self.parameter_count() as f64 * ln(self.total_weight()) - 2.0 * self.log_likelihood()
    }

    /// Akaike's information criterion.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameter_count() as f64 - 2.0 * self.log_likelihood()
    }

    /// The integrated completed likelihood: [`bic`](Self::bic) plus [`entropy`](Self::entropy). `None` if the engine
    /// returns no classification.
    pub fn icl(&self) -> Option<f64> {
        self.entropy().map(|entropy| self.bic() + entropy)
    }

    /// Twice the cost, in nats, of assigning each point to its most probable component: the smaller, the clearer the
    /// assignment. `None` if the engine returns no classification.
    pub fn entropy(&self) -> Option<f64> {
        self.classification.map(|classification| -2.0 * classification)
    }
}
