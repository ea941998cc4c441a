//! Constraints on the weights of a mixture's components, which are numbered by ascending mean.

use super::{BoxError, Constraint, LinearRows};
use crate::error::ConstraintError;

/// The tolerance of a sum of one: decimals of a few digits may miss it. The weights are divided by their sum.
const SUM: f64 = 1e-6;

fn bad(what: String) -> ConstraintError {
    ConstraintError::BadWeights { what }
}

/// The weights are known.
///
/// ```
/// use mindgap::{FixedWeights, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.5, 6.1])?;
/// let fit = Mixture::new(2).constraint(FixedWeights::new(&[0.25, 0.75])?).fit(&sample)?;
/// assert_eq!(fit.weights(), [0.25, 0.75]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FixedWeights(Vec<f64>);

impl FixedWeights {
    /// One weight per component.
    ///
    /// # Errors
    /// Weights that are not positive, or do not sum to one (to 1e-6; they are divided by their sum).
    pub fn new(weights: &[f64]) -> Result<Self, ConstraintError> {
        if let Some(component) = weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(bad(format!("weight {component} is {:?}; weights must be positive", weights[component])));
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > SUM {
            return Err(bad(format!("the weights sum to {sum:?}; they must sum to 1")));
        }
        Ok(Self(weights.iter().map(|w| w / sum).collect()))
    }
}

impl Constraint for FixedWeights {
    fn weight_rows(&self, k: usize) -> Result<Option<LinearRows>, BoxError> {
        each(k, &self.0, &self.0).map(Some)
    }
}

/// Each weight is between bounds of its own.
///
/// ```
/// use mindgap::{Mixture, Sample, WeightBounds};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 1.1, 5.0, 5.5])?;
/// let at_least_half = WeightBounds::new(&[0.0, 0.5], &[1.0, 1.0])?;
/// let fit = Mixture::new(2).constraint(at_least_half).fit(&sample)?;
/// assert!(fit.weights()[1] >= 0.5 - 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightBounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl WeightBounds {
    /// One lower and one upper bound per component.
    ///
    /// # Errors
    /// Bounds that no weights satisfy.
    pub fn new(lower: &[f64], upper: &[f64]) -> Result<Self, ConstraintError> {
        if lower.len() != upper.len() {
            return Err(bad(format!(
                "{} lower and {} upper bounds; give one of each per component",
                lower.len(),
                upper.len()
            )));
        }
        for (component, (l, u)) in lower.iter().zip(upper).enumerate() {
            if !(*l >= 0.0 && l <= u && *u <= 1.0 && *u > 0.0) {
                return Err(bad(format!(
                    "the bounds of weight {component} are {l:?} and {u:?}; they must ascend and lie between 0 and 1, the upper one above 0"
                )));
            }
        }
        let (least, most): (f64, f64) = (lower.iter().sum(), upper.iter().sum());
        if least > 1.0 + SUM || most < 1.0 - SUM {
            return Err(bad(format!(
                "the weights sum to 1, but their lower bounds to {least:?} and their upper bounds to {most:?}"
            )));
        }
        Ok(Self { lower: lower.to_vec(), upper: upper.to_vec() })
    }
}

impl Constraint for WeightBounds {
    fn weight_rows(&self, k: usize) -> Result<Option<LinearRows>, BoxError> {
        each(k, &self.lower, &self.upper).map(Some)
    }
}

/// Weight `i` is `ratio` times weight `j`.
///
/// ```
/// use mindgap::{Mixture, Sample, WeightRatio};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.5, 6.1])?;
/// let fit = Mixture::new(2).constraint(WeightRatio::new(1, 0, 3.0)?).fit(&sample)?;
/// assert!((fit.weights()[1] - 0.75).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightRatio {
    i: usize,
    j: usize,
    ratio: f64,
}

impl WeightRatio {
    /// Two components, from 0, and the ratio of their weights.
    ///
    /// # Errors
    /// A ratio that is not positive, or a component compared with itself.
    pub fn new(i: usize, j: usize, ratio: f64) -> Result<Self, ConstraintError> {
        if i == j || !(ratio > 0.0 && ratio.is_finite()) {
            return Err(bad(format!(
                "the ratio of weights {i} and {j} is {ratio:?}; give a positive ratio of two different weights"
            )));
        }
        Ok(Self { i, j, ratio })
    }
}

impl Constraint for WeightRatio {
    fn weight_rows(&self, k: usize) -> Result<Option<LinearRows>, BoxError> {
        if self.i.max(self.j) >= k {
            return Err(bad(format!(
                "the ratio is of weights {} and {}, but there are only {k} components, counted from 0; give two of these",
                self.i, self.j
            ))
            .into());
        }
        let mut row = vec![0.0; k];
        (row[self.i], row[self.j]) = (1.0, -self.ratio);
        Ok(Some(LinearRows::new(k, &row, &[0.0], &[0.0])?))
    }
}

/// A row for each of `k` components.
pub(super) fn each(k: usize, lower: &[f64], upper: &[f64]) -> Result<LinearRows, BoxError> {
    if lower.len() != k {
        return Err(bad(format!("{} weights are given for {k} components; give one for each", lower.len())).into());
    }
    let mut matrix = vec![0.0; k * k];
    (0..k).for_each(|c| matrix[c * k + c] = 1.0);
    Ok(LinearRows::new(k, &matrix, lower, upper)?)
}
