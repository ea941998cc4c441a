//! [`Parameters`]: weights, means and variances of a mixture, as a start, a result, or the argument of an engine.

use crate::data::frame::{FARTHEST, Frame};
use crate::error::MixtureError;

/// The most conversions to the units of the data and back until a mean no longer changes: one is enough, two at the
/// edge of a binade.
const SETTLING: usize = 4;

/// The tolerance of a sum of one: decimals of a few digits may miss it. The weights are divided by their sum.
const WEIGHTS_SUM: f64 = 1e-6;

/// Weights, means and variances of the components.
///
/// ```
/// use mindgap::Parameters;
///
/// let parameters = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
/// assert_eq!(parameters.predict(&[-1.0, 3.0]), [0, 1]);
/// assert_eq!(parameters.predict_proba(&[2.0]), [0.5, 0.5]);
/// # Ok::<(), mindgap::MixtureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    weights: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl Parameters {
    /// Makes parameters with one entry per component in each slice.
    ///
    /// # Errors
    /// If the lengths differ or are zero, a number is not finite, a variance is not positive, a weight is negative, or
    /// the weights do not sum to one (to 1e-6; they are divided by their sum).
    pub fn new(weights: &[f64], means: &[f64], variances: &[f64]) -> Result<Self, MixtureError> {
        let (w, m, v) = (weights.len(), means.len(), variances.len());
        if w != m || m != v || m == 0 {
            return Err(MixtureError::ParametersShape { weights: w, means: m, variances: v });
        }
        let find =
            |what: &'static str, values: &[f64], good: fn(f64) -> bool| match values.iter().position(|&x| !good(x)) {
                Some(component) => Err(MixtureError::BadParameter { what, component, value: values[component] }),
                None => Ok(()),
            };
        find("weight", weights, |x| x.is_finite() && x >= 0.0)?;
        find("mean", means, f64::is_finite)?;
        find("variance", variances, |x| x.is_finite() && x > 0.0)?;
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHTS_SUM {
            return Err(MixtureError::ParametersWeights { sum });
        }
        let weights = weights.iter().map(|weight| weight / sum).collect();
        Ok(Self { weights, means: means.to_vec(), variances: variances.to_vec() })
    }

    /// Makes parameters without checks; they must be valid.
    pub(super) fn sound(weights: Vec<f64>, means: Vec<f64>, variances: Vec<f64>) -> Self {
        Self { weights, means, variances }
    }

    /// The number of components.
    pub fn k(&self) -> usize {
        self.means.len()
    }

    /// The weights, which sum to one.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The means.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The variances.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// Checks that the number of components is `k`.
    pub(super) fn check_count(&self, k: usize) -> Result<(), MixtureError> {
        if self.k() == k { Ok(()) } else { Err(MixtureError::ParametersCount { k, given: self.k() }) }
    }

    /// Checks that means and spreads are of the data's scale; squares about farther means would lose all digits.
    pub(super) fn check_scale(&self, frame: &Frame) -> Result<(), MixtureError> {
        let find = |what: &'static str, values: &[f64], largest: f64, enter: &dyn Fn(f64) -> f64| match values
            .iter()
            .position(|&x| enter(x).abs() > largest)
        {
            Some(component) => Err(MixtureError::ParametersOffScale { what, component, value: values[component] }),
            None => Ok(()),
        };
        find("mean", &self.means, FARTHEST, &|x| frame.enter(x))?;
        find("variance", &self.variances, FARTHEST * FARTHEST, &|v| frame.enter_square(v))
    }

    /// Raises variances below `floor` to it.
    pub(super) fn raised(mut self, floor: f64) -> Self {
        self.variances.iter_mut().for_each(|v| *v = v.max(floor));
        self
    }

    /// Whether every parameter is finite; a change of units may overflow.
    pub(super) fn is_finite(&self) -> bool {
        self.weights.iter().chain(&self.means).chain(&self.variances).all(|x| x.is_finite())
    }

    /// Converts from data to frame units.
    pub(super) fn enter(&self, frame: &Frame) -> Self {
        Self {
            weights: self.weights.clone(),
            means: self.means.iter().map(|&x| frame.enter(x)).collect(),
            variances: self.variances.iter().map(|&v| frame.enter_square(v)).collect(),
        }
    }

    /// Converts from frame to data units.
    pub(super) fn leave(&self, frame: &Frame) -> Self {
        Self {
            weights: self.weights.clone(),
            means: self.means.iter().map(|&z| frame.leave(z)).collect(),
            variances: self.variances.iter().map(|&v| frame.leave_square(v)).collect(),
        }
    }

    /// Weights, means and variances in the units of the data, for reports.
    pub(super) fn outside(&self, frame: &Frame) -> [Vec<f64>; 3] {
        let Self { weights, means, variances } = self.leave(frame);
        [weights, means, variances]
    }

    /// Rounds to parameters that a conversion to the units of the data and back does not change.
    pub(super) fn settled(mut self, frame: &Frame) -> Self {
        for z in &mut self.means {
            for _ in 0..SETTLING {
                let back = frame.enter(frame.leave(*z));
                if back == *z || !back.is_finite() {
                    break;
                }
                *z = back;
            }
        }
        self
    }

    /// Sorts the components by ascending mean; equal means keep their order.
    pub(super) fn sorted(self) -> (Self, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.k()).collect();
        order.sort_by(|&a, &b| self.means[a].total_cmp(&self.means[b]));
        let pick = |values: &[f64]| order.iter().map(|&k| values[k]).collect();
        let sorted = Self { weights: pick(&self.weights), means: pick(&self.means), variances: pick(&self.variances) };
        (sorted, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_error() {
        let start = |w: &[f64], m: &[f64], v: &[f64]| Parameters::new(w, m, v).unwrap_err();
        assert!(matches!(start(&[1.0], &[0.0, 1.0], &[1.0]), MixtureError::ParametersShape { means: 2, .. }));
        assert!(matches!(start(&[], &[], &[]), MixtureError::ParametersShape { .. }));
        let bad = |error: MixtureError, name: &str, k: usize| match error {
            MixtureError::BadParameter { what, component, .. } => assert_eq!((what, component), (name, k)),
            other => panic!("{other}"),
        };
        bad(start(&[1.5, -0.5], &[0.0, 1.0], &[1.0, 1.0]), "weight", 1);
        bad(start(&[0.5, 0.5], &[f64::NAN, 1.0], &[1.0, 1.0]), "mean", 0);
        bad(start(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 0.0]), "variance", 1);
        bad(start(&[0.5, 0.5], &[0.0, 1.0], &[-1.0, 1.0]), "variance", 0);
        assert!(matches!(start(&[0.5, 0.6], &[0.0, 1.0], &[1.0, 1.0]), MixtureError::ParametersWeights { .. }));
        assert_eq!(Parameters::new(&[0.5, 0.5 + 1e-8], &[0.0, 1.0], &[1.0, 1.0]).unwrap().k(), 2);
    }
}
