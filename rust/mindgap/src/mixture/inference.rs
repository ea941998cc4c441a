//! [`StandardErrors`], and when they are unreliable.

use super::climb::Certainty;
use super::findings::Finding;
use crate::data::frame::Frame;
use std::fmt;

/// A weight may be zero, where the theory does not apply, if its standard error exceeds this fraction of it.
const VANISHING: f64 = 0.5;

/// Standard errors from the observed information along the active bounds; `None` for a component without weight and if
/// the information is singular.
///
/// They assume many points per parameter, and true parameters strictly within every bound. If
/// [`unreliable`](Self::unreliable) is not empty, bootstrap instead.
///
/// ```
/// use mindgap::{Mixture, Sample};
///
/// let x: Vec<f64> = (0..400).map(|i| f64::from(i % 20) * 0.1 + if i < 200 { 0.0 } else { 6.0 }).collect();
/// let fit = Mixture::new(2).fit(&Sample::new(&x)?)?;
/// let errors = fit.standard_errors().expect("data in memory have second derivatives");
/// // A mean of 200 points is known to its standard deviation over √200.
/// let expected = (fit.variances()[0] / 200.0).sqrt();
/// assert!((errors.means[0].unwrap() / expected - 1.0).abs() < 0.01);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StandardErrors {
    /// Of the weights.
    pub weights: Vec<Option<f64>>,
    /// Of the means.
    pub means: Vec<Option<f64>>,
    /// Of the variances.
    pub variances: Vec<Option<f64>>,
    /// Of the gaps between neighbouring means.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub gaps: Vec<Option<f64>>,
    /// The reasons why they are unreliable, in words; empty if they are reliable.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub unreliable: Vec<String>,
}

/// The reason why standard errors are unreliable. Components are numbered by ascending mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreliable {
    /// A bound is active: the estimate cannot move both ways.
    AtBound,
    /// The weight of a component may be zero.
    Vanishing { component: usize },
    /// The data do not determine a component.
    Undetermined { component: usize },
    /// A quite different fit is about as good.
    Rival,
}

impl fmt::Display for Unreliable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtBound => write!(f, "a bound is active"),
            Self::Vanishing { component } => write!(f, "the weight of component {component} may be zero"),
            Self::Undetermined { component } => write!(f, "the data hardly determine component {component}"),
            Self::Rival => write!(f, "a different fit is about as good"),
        }
    }
}

impl StandardErrors {
    /// Converts those of `certainty` to units of the data; `findings` may make them unreliable.
    pub(super) fn new(frame: &Frame, certainty: &Certainty, findings: &[Finding]) -> Self {
        let part = |which: usize, leave: &dyn Fn(f64) -> f64| -> Vec<Option<f64>> {
            certainty.errors.iter().map(|error| error.map(|error| leave(error[which]))).collect()
        };
        let mut unreliable = Vec::new();
        if certainty.at_bound {
            unreliable.push(Unreliable::AtBound);
        }
        for (component, shares) in certainty.relative.iter().enumerate() {
            match shares {
                Some([weight, mean, spread]) if *weight < VANISHING => {
                    if mean.max(*spread) >= 1.0 {
                        unreliable.push(Unreliable::Undetermined { component });
                    }
                }
                Some(_) => unreliable.push(Unreliable::Vanishing { component }),
                None => unreliable.push(Unreliable::Undetermined { component }),
            }
        }
        if findings.iter().any(|finding| matches!(finding, Finding::Rival { .. })) {
            unreliable.push(Unreliable::Rival);
        }
        Self {
            weights: part(0, &|error| error),
            means: part(1, &|error| frame.leave_length(error)),
            variances: part(2, &|error| frame.leave_square(error)),
            gaps: certainty.gaps.iter().map(|error| error.map(|error| frame.leave_length(error))).collect(),
            unreliable: unreliable.iter().map(ToString::to_string).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
