//! A mixture's parameters and fits as serde writes and reads them: what is read is checked, so that no method of a fit that
//! was read can fail where that of a fit that was made does not.

use super::findings::Finding;
use super::fit::{MixtureFit, StandardErrors};
use super::parameters::Parameters;
use super::status::Status;
use crate::constraint::Side;
use crate::error::MixtureError;
use serde::{Deserialize, Serialize};

/// Weights that sum to one this closely were written by a fit: they are read back bit by bit.
const WEIGHTS_ROUNDING: f64 = 1e-12;

/// The serde form of [`Parameters`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParametersForm {
    weights: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl From<Parameters> for ParametersForm {
    fn from(parameters: Parameters) -> Self {
        let parts = [parameters.weights(), parameters.means(), parameters.variances()];
        let [weights, means, variances] = parts.map(<[f64]>::to_vec);
        Self { weights, means, variances }
    }
}

impl TryFrom<ParametersForm> for Parameters {
    type Error = MixtureError;

    fn try_from(form: ParametersForm) -> Result<Self, MixtureError> {
        let checked = Parameters::new(&form.weights, &form.means, &form.variances)?;
        let exact = (form.weights.iter().sum::<f64>() - 1.0).abs() <= WEIGHTS_ROUNDING;
        Ok(if exact { Parameters::sound(form.weights, form.means, form.variances) } else { checked })
    }
}

/// The serde form of [`MixtureFit`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MixtureFitForm {
    pub(super) parameters: Parameters,
    #[serde(default)]
    pub(super) labels: Vec<u32>,
    pub(super) history: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    pub(super) active: Vec<Option<Side>>,
    pub(super) origins: Vec<usize>,
    pub(super) status: Status,
    pub(super) total_weight: f64,
    #[serde(default)]
    pub(super) classification: Option<f64>,
    pub(super) variance_count: usize,
    #[serde(default)]
    pub(super) decrement: Option<f64>,
    pub(super) passes: usize,
    pub(super) starts: usize,
    pub(super) at_best: usize,
    #[serde(default)]
    pub(super) runner_up: Option<(Parameters, f64)>,
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
    #[serde(default)]
    pub(super) errors: Option<StandardErrors>,
}

impl MixtureFitForm {
    /// Returns what is wrong with the fit, if anything is.
    fn fault(&self) -> Option<&'static str> {
        let k = self.parameters.k();
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let faults = [
            (self.history.is_empty() || !finite(&self.history), "its history must hold finite numbers, at least one"),
            (!self.parameters.means().is_sorted(), "its means must ascend"),
            (self.gaps.len() + 1 != k || !finite(&self.gaps), "it must have a gap between each two neighbouring means"),
            (!is_permutation(&self.origins, k), "its origins must name each component once"),
            (self.labels.iter().any(|&label| label as usize >= k), "its labels must name its components"),
            (self.status.components().any(|component| component >= k), "its status must name its components"),
            (!(self.total_weight.is_finite() && self.total_weight > 0.0), "its total weight must be positive"),
            (self.classification.is_some_and(|value| !value.is_finite()), "its classification must be finite"),
            (
                self.findings.iter().filter_map(Finding::component).any(|component| component >= k),
                "its findings must name its components",
            ),
            (self.variance_count > k, "it must not count more variances than components"),
        ];
        faults.into_iter().find(|(wrong, _)| *wrong).map(|(_, what)| what)
    }
}

fn is_permutation(order: &[usize], k: usize) -> bool {
    let mut seen = vec![false; k];
    order.len() == k && order.iter().all(|&place| place < k && !std::mem::replace(&mut seen[place], true))
}

impl TryFrom<MixtureFitForm> for MixtureFit {
    type Error = MixtureError;

    fn try_from(form: MixtureFitForm) -> Result<Self, MixtureError> {
        match form.fault() {
            Some(what) => Err(MixtureError::BadFit { what }),
            None => Ok(Self::from_form(form)),
        }
    }
}
