//! What the EM loop asks of whatever holds the data: parameters in, moments and log-likelihood out.
//!
//! The loop does not know where the data are. An engine may answer from the threads of this process or from many machines;
//! all it needs is sums, and sums of parts add up.

use super::parameters::Parameters;

/// What an E step yields: sums over the points `x` of weight `w`, where `r_k` is component `k`'s responsibility.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// `Σ w r_k`, one entry a component.
    pub weight: Vec<f64>,
    /// `Σ w r_k (x - μ_k)`, about the means that the engine was given.
    pub first: Vec<f64>,
    /// `Σ w r_k (x - μ_k)²`.
    pub second: Vec<f64>,
    /// `Σ w log p(x)`, in nats.
    pub log_likelihood: f64,
    /// `Σ w log max_k r_k`; needed from [`Engine::finish`] only. NaN where it is not known.
    pub classification: f64,
}

impl Moments {
    /// The moments of no points.
    pub fn zero(k: usize) -> Self {
        Self {
            weight: vec![0.0; k],
            first: vec![0.0; k],
            second: vec![0.0; k],
            log_likelihood: 0.0,
            classification: 0.0,
        }
    }

    /// Makes them the moments of no points again.
    pub(super) fn clear(&mut self) {
        [&mut self.weight, &mut self.first, &mut self.second].into_iter().for_each(|sums| sums.fill(0.0));
        (self.log_likelihood, self.classification) = (0.0, 0.0);
    }

    /// Adds the moments of other points, taken at the same parameters.
    pub fn add(&mut self, other: &Moments) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.weight, &other.weight);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        self.log_likelihood += other.log_likelihood;
        self.classification += other.classification;
    }

    /// What makes these no answer for `k` components, if anything.
    pub(super) fn fault(&self, k: usize) -> Option<String> {
        let parts = [("weight", &self.weight), ("first", &self.first), ("second", &self.second)];
        for (name, values) in parts {
            if values.len() != k {
                return Some(format!("{} entries of `{name}` for {k} components", values.len()));
            }
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                return Some(format!("`{name}` holds {value}"));
            }
        }
        if self.weight.iter().chain(&self.second).any(|&value| value < 0.0) {
            return Some("a sum of weights or of squares is negative".to_owned());
        }
        let likelihood = self.log_likelihood;
        (!likelihood.is_finite()).then(|| format!("the log-likelihood is {likelihood}"))
    }
}

/// What a fit needs to know of data it does not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overview {
    /// The sum of the weights: the number of points if they have none.
    pub total_weight: f64,
    /// The weighted variance, the sum of squares being divided by the total weight.
    pub variance: f64,
}

/// Whatever holds the data.
///
/// An engine has units of its own (of the data, for engines given to [`Mixture::fit_engine`](super::Mixture::fit_engine)):
/// parameters come in them, and the answers are in them.
pub trait Engine {
    /// What the data are like; asked once, before the first pass.
    ///
    /// # Errors
    /// A message for the caller of the fit.
    fn overview(&mut self) -> Result<Overview, String>;

    /// One pass over the data.
    ///
    /// # Errors
    /// A message for the caller of the fit.
    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, String>;

    /// The last pass, at the fitted parameters: only the log-likelihood and the classification are used.
    ///
    /// # Errors
    /// A message for the caller of the fit.
    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, String> {
        self.moments(parameters)
    }
}
