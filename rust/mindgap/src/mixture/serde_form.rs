//! The stored forms of parameters and mixture fits. Deserialising checks them, so that methods of a stored fit do not
//! panic.

use super::findings::Finding;
use super::fit::MixtureFit;
use super::inference::StandardErrors;
use super::parameters::Parameters;
use super::status::Status;
use crate::constraint::serde_form::{SideWord, side_words, sides};
use crate::error::MixtureError;
use crate::stored::{FormVersion, labels, stored_as};
use serde::{Deserialize, Serialize};

/// Weights that sum to one within this were written by a fit and are not divided by their sum, so that their bits stay.
const WEIGHTS_ROUNDING: f64 = 1e-12;

/// The serde form of [`Parameters`].
#[derive(Serialize, Deserialize)]
struct ParametersForm {
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

/// The kind of document.
#[derive(Serialize, Deserialize)]
enum MixtureDocument {
    MixtureResult,
}

/// The stored form of [`MixtureFit`]. Derived fields are written only for the Python package, and not read.
#[derive(Serialize, Deserialize)]
struct MixtureFitForm {
    mindgap: MixtureDocument,
    version: FormVersion,
    #[serde(flatten)]
    parameters: ParametersForm,
    origins: Vec<usize>,
    #[serde(default)]
    labels: Vec<i64>,
    #[serde(skip_deserializing)]
    log_likelihood: f64,
    /// Null is minus infinity, which a start may have.
    history: Vec<Option<f64>>,
    #[serde(skip_deserializing)]
    n_iter: usize,
    status: String,
    #[serde(skip_deserializing)]
    message: String,
    /// The components that the status names.
    #[serde(default)]
    degenerate: Vec<usize>,
    gaps: Vec<f64>,
    active: Vec<SideWord>,
    n_parameters: usize,
    total_weight: f64,
    #[serde(default)]
    entropy: Option<f64>,
    #[serde(default)]
    newton_decrement: Option<f64>,
    passes: usize,
    starts: usize,
    starts_at_best: usize,
    #[serde(default)]
    runner_up: Option<RunnerUpForm>,
    #[serde(default)]
    standard_errors: Option<StandardErrors>,
    #[serde(default)]
    findings: Vec<FindingForm>,
    #[serde(skip_deserializing)]
    aic: f64,
    #[serde(skip_deserializing)]
    bic: f64,
    #[serde(skip_deserializing)]
    icl: Option<f64>,
}

/// The stored form of the runner-up.
#[derive(Serialize, Deserialize)]
struct RunnerUpForm {
    #[serde(flatten)]
    parameters: ParametersForm,
    log_likelihood: f64,
}

/// The stored form of [`Finding`].
#[derive(Serialize, Deserialize)]
struct FindingForm {
    code: String,
    #[serde(default)]
    component: Option<usize>,
    #[serde(default)]
    value: Option<f64>,
    #[serde(skip_deserializing)]
    text: String,
}

impl From<MixtureFit> for MixtureFitForm {
    fn from(fit: MixtureFit) -> Self {
        let finding = |finding: &Finding| FindingForm {
            code: finding.code().to_owned(),
            component: finding.component(),
            value: finding.value(),
            text: finding.to_string(),
        };
        Self {
            mindgap: MixtureDocument::MixtureResult,
            version: FormVersion,
            labels: fit.labels.iter().map(|&label| i64::from(label)).collect(),
            log_likelihood: fit.log_likelihood(),
            history: fit.history.iter().map(|height| height.is_finite().then_some(*height)).collect(),
            n_iter: fit.n_iter(),
            status: fit.status.code().to_owned(),
            message: fit.status.to_string(),
            degenerate: fit.status.components(),
            active: side_words(&fit.active),
            n_parameters: fit.parameter_count(),
            total_weight: fit.total_weight,
            entropy: fit.entropy(),
            newton_decrement: fit.decrement,
            passes: fit.passes,
            starts: fit.starts,
            starts_at_best: fit.at_best,
            findings: fit.findings.iter().map(finding).collect(),
            aic: fit.aic(),
            bic: fit.bic(),
            icl: fit.icl(),
            runner_up: fit
                .runner_up
                .map(|(parameters, log_likelihood)| RunnerUpForm { parameters: parameters.into(), log_likelihood }),
            standard_errors: fit.errors,
            parameters: fit.parameters.into(),
            origins: fit.origins,
            gaps: fit.gaps,
        }
    }
}

impl MixtureFitForm {
    /// Returns why a fit of `k` components is invalid, if it is; its parameters are checked elsewhere.
    fn fault(&self, k: usize) -> Option<&'static str> {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let faults = [
            (self.history.last().copied().flatten().is_none(), "its history must end with a finite number"),
            (!self.parameters.means.is_sorted(), "its means must ascend"),
            (self.gaps.len() + 1 != k || !finite(&self.gaps), "it must have a gap between each two neighbouring means"),
            (!is_permutation(&self.origins, k), "its origins must name each component once"),
            (labels(&self.labels, k).is_none(), "its labels must name its components"),
            (self.degenerate.iter().any(|&component| component >= k), "its status must name its components"),
            (!(self.total_weight.is_finite() && self.total_weight > 0.0), "its total weight must be positive"),
            (
                self.findings.iter().any(|finding| finding.component.is_some_and(|component| component >= k)),
                "its findings must name its components",
            ),
            (self.n_parameters >= 3 * k, "it must have no more parameters than weights, means and variances"),
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
        let bad = |what| MixtureError::BadFit { what };
        let k = form.parameters.means.len();
        if let Some(what) = form.fault(k.max(1)) {
            return Err(bad(what));
        }
        let finding = |form: FindingForm| Finding::of_code(&form.code, form.component, form.value);
        let findings: Option<Vec<Finding>> = form.findings.into_iter().map(finding).collect();
        let runner_up = match form.runner_up {
            Some(RunnerUpForm { parameters, log_likelihood }) => Some((parameters.try_into()?, log_likelihood)),
            None => None,
        };
        Ok(Self {
            parameters: form.parameters.try_into()?,
            labels: labels(&form.labels, k).unwrap_or_default(),
            history: form.history.into_iter().map(|height| height.unwrap_or(f64::NEG_INFINITY)).collect(),
            gaps: form.gaps,
            active: sides(&form.active),
            origins: form.origins,
            status: Status::of_code(&form.status, &form.degenerate)
                .ok_or_else(|| bad("its status must be a known word, about the components that it needs"))?,
            total_weight: form.total_weight,
            classification: form.entropy.map(|entropy| -0.5 * entropy),
            parameter_count: form.n_parameters,
            decrement: form.newton_decrement,
            passes: form.passes,
            starts: form.starts,
            at_best: form.starts_at_best,
            runner_up,
            findings: findings.ok_or_else(|| bad("its findings must be known words, with what they are about"))?,
            errors: form.standard_errors,
        })
    }
}

stored_as!(Parameters, ParametersForm);
stored_as!(MixtureFit, MixtureFitForm);
