//! A mixture's parameters as serde writes and reads them: what is read passes the checks of [`Parameters::new`].

use super::parameters::Parameters;
use crate::error::MixtureError;
use serde::{Deserialize, Serialize};

/// Weights that sum to one this closely were written by a fit: they are read back bit by bit.
const ROUNDING: f64 = 1e-12;

/// [`Parameters`] on paper.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParametersForm {
    weights: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl From<Parameters> for ParametersForm {
    fn from(start: Parameters) -> Self {
        let [weights, means, variances] = [start.weights(), start.means(), start.variances()].map(<[f64]>::to_vec);
        Self { weights, means, variances }
    }
}

impl TryFrom<ParametersForm> for Parameters {
    type Error = MixtureError;

    fn try_from(written: ParametersForm) -> Result<Self, MixtureError> {
        let checked = Parameters::new(&written.weights, &written.means, &written.variances)?;
        let exact = (written.weights.iter().sum::<f64>() - 1.0).abs() <= ROUNDING;
        Ok(if exact { Parameters::sound(written.weights, written.means, written.variances) } else { checked })
    }
}
