//! [`Finding`]: properties of a fit that call for a second look.

use super::climb::{Certainty, Climbed};
use super::observed::Observed;
use super::parameters::Parameters;
use crate::data::sample::Sample;
use crate::numeric::portable::exp2;
use std::f64::consts::{LOG2_E, TAU};
use std::fmt;

/// Fits whose log-likelihoods differ by less are about equally good: a parameter two standard errors off costs two log
/// units.
const INDISTINCT: f64 = 2.0;

/// Equal points are a spike if they have more than this fraction of a component's weight.
const SPIKE_SHARE: f64 = 0.5;

/// The least weight of a spike: more than one point.
const SPIKE_POINTS: f64 = 1.5;

/// On rounded data, components narrower than this many steps are spikes (slightly less than half, for spreads at a
/// bound): from half a step on, densities approximate probabilities.
const SPIKE_WIDTH: f64 = 0.5 - 1e-9;

/// Wider components are spikes if one value has this many times the weight of the average value, and this many times
/// the weight that a normal component gives to a step.
const SPIKE_EXCESS: [f64; 2] = [3.0, 2.0];

/// A property of a fit that calls for a second look. Components are numbered by ascending mean.
///
/// ```
/// use mindgap::{Finding, GapBounds, Mixture, Sample};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) * 0.1).collect();
/// let fit = Mixture::new(2).constraint(GapBounds::lower(5.0)).fit(&Sample::new(&x)?)?;
/// let decides = |finding: &Finding| matches!(finding, Finding::BoundDecides { .. });
/// println!("{:?}", fit.findings().iter().map(Finding::code).collect::<Vec<_>>());
/// assert!(fit.findings().iter().any(decides) || fit.findings().iter().any(|finding| finding.component().is_some()));
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Finding {
    /// A component has a weight of less than one point.
    Empty {
        /// Which.
        component: usize,
        /// Its weight in points.
        points: f64,
    },
    /// A component's mean lies outside the data.
    Outside {
        /// Which.
        component: usize,
    },
    /// A component's spread is as small as the bounds allow.
    SpreadAtBound {
        /// Which.
        component: usize,
    },
    /// Most of a component's weight is on equal points, more than rounding explains.
    Spike {
        /// Which.
        component: usize,
    },
    /// A standard error of a component exceeds its spread, weight or variance: the data do not determine it.
    Undetermined {
        /// Which.
        component: usize,
    },
    /// A quite different fit is about as good.
    Rival {
        /// The log-likelihood of the fit minus that of the rival.
        behind: f64,
    },
    /// The bounds on the means decide the fit.
    BoundDecides {
        /// The gain of log-likelihood without them, as the second derivatives predict.
        gain: f64,
    },
}

impl Finding {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "empty",
            Self::Outside { .. } => "outside",
            Self::SpreadAtBound { .. } => "spread-at-bound",
            Self::Spike { .. } => "spike",
            Self::Undetermined { .. } => "undetermined",
            Self::Rival { .. } => "rival",
            Self::BoundDecides { .. } => "bound-decides",
        }
    }

    /// The component, if there is one.
    pub fn component(&self) -> Option<usize> {
        match self {
            Self::Empty { component, .. }
            | Self::Outside { component }
            | Self::SpreadAtBound { component }
            | Self::Spike { component }
            | Self::Undetermined { component } => Some(*component),
            Self::Rival { .. } | Self::BoundDecides { .. } => None,
        }
    }

    /// The number of the finding, if there is one: a component's points, a rival's difference, the gain without bounds.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Empty { points: value, .. } | Self::Rival { behind: value } | Self::BoundDecides { gain: value } => {
                Some(*value)
            }
            Self::Outside { .. } | Self::SpreadAtBound { .. } | Self::Spike { .. } | Self::Undetermined { .. } => None,
        }
    }

    /// Makes the finding of a code, component and number.
    #[cfg(feature = "serde")]
    pub(super) fn of_code(code: &str, component: Option<usize>, value: Option<f64>) -> Option<Self> {
        match (code, component, value) {
            ("empty", Some(component), Some(points)) => Some(Self::Empty { component, points }),
            ("outside", Some(component), _) => Some(Self::Outside { component }),
            ("spread-at-bound", Some(component), _) => Some(Self::SpreadAtBound { component }),
            ("spike", Some(component), _) => Some(Self::Spike { component }),
            ("undetermined", Some(component), _) => Some(Self::Undetermined { component }),
            ("rival", _, Some(behind)) => Some(Self::Rival { behind }),
            ("bound-decides", _, Some(gain)) => Some(Self::BoundDecides { gain }),
            _ => None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { component, points } => {
                write!(f, "component {component} has the weight of {points:.2} points: the data do not support it")
            }
            Self::Outside { component } => write!(f, "the mean of component {component} lies outside the data"),
            Self::SpreadAtBound { component } => {
                write!(f, "the spread of component {component} is as small as its bounds allow")
            }
            Self::Spike { component } => {
                write!(f, "most of component {component} is equal points; are the data rounded?")
            }
            Self::Undetermined { component } => {
                write!(f, "the data hardly determine component {component}: see its standard errors")
            }
            Self::Rival { behind } => {
                write!(f, "a different fit is only {behind:.2} log units lower: see the runner-up")
            }
            Self::BoundDecides { gain } => {
                write!(f, "the bounds on the means cost about {gain:.1} log units: they decide the fit")
            }
        }
    }
}

/// Returns the findings of a fit whose components ascend; all in frame units.
pub(super) fn findings(
    climbed: &Climbed,
    sample: &Sample,
    observed: &Observed,
    total_weight: f64,
    rival: Option<f64>,
) -> Vec<Finding> {
    let parameters = &climbed.parameters;
    let frame = sample.frame();
    let [low, high] = [0, sample.len() - 1].map(|index| frame.enter(sample.values()[index]));
    let spiked = if observed.intervals.is_none() { spikes(parameters, sample) } else { vec![false; parameters.k()] };
    let mut found = Vec::new();
    for component in 0..parameters.k() {
        let (weight, mean) = (parameters.weights()[component], parameters.means()[component]);
        let points = weight * total_weight;
        if points < 1.0 {
            found.push(Finding::Empty { component, points });
            continue;
        }
        if mean < low || mean > high {
            found.push(Finding::Outside { component });
        }
        if spiked[component] {
            found.push(Finding::Spike { component });
        }
        if let Some(certainty) = &climbed.certainty {
            about(certainty, component, &mut found);
        }
    }
    let behind = rival.map(|height| climbed.history.last().copied().unwrap_or(height) - height);
    if let Some(behind) = behind.filter(|behind| *behind < INDISTINCT) {
        found.push(Finding::Rival { behind: behind.max(0.0) });
    }
    if let Some(gain) =
        climbed.certainty.as_ref().map(|certainty| certainty.held_back).filter(|gain| *gain > INDISTINCT)
    {
        found.push(Finding::BoundDecides { gain });
    }
    found
}

/// Adds the findings that follow from the second derivatives of a component with weight.
fn about(certainty: &Certainty, component: usize, found: &mut Vec<Finding>) {
    if certainty.spreads_held.contains(&component) {
        found.push(Finding::SpreadAtBound { component });
    }
    let determined = certainty.relative[component].is_some_and(|shares| shares.iter().all(|share| *share < 1.0));
    if !determined {
        found.push(Finding::Undetermined { component });
    }
}

/// Whether each component is a spike: most of its weight is on one value, and not because the data are rounded.
fn spikes(parameters: &Parameters, sample: &Sample) -> Vec<bool> {
    let step = sample.rounding_step().map_or(0.0, |step| sample.frame().enter_length(step));
    let average = sample.total_weight() / sample.distinct() as f64;
    let ties = ties(sample);
    let stands = |c: usize| {
        let (spread, weight) = (parameters.variances()[c].sqrt(), parameters.weights()[c] * sample.total_weight());
        let usual = step / (spread * TAU.sqrt());
        let alone = |tied: &[f64; 2]| {
            let own = share(parameters, c, tied[0]) * tied[1];
            let excess = tied[1] > SPIKE_EXCESS[0] * average && own > SPIKE_EXCESS[1] * usual * weight;
            own > (SPIKE_SHARE * weight).max(SPIKE_POINTS) && (spread < SPIKE_WIDTH * step || excess)
        };
        ties.iter().any(alone)
    };
    (0..parameters.k()).map(stands).collect()
}

/// The responsibility of component `c` for a point at `x`.
fn share(parameters: &Parameters, c: usize, x: f64) -> f64 {
    let density = |c: usize| {
        let variance = parameters.variances()[c];
        let exponent = -LOG2_E * (x - parameters.means()[c]).powi(2) / (2.0 * variance);
        parameters.weights()[c] * exp2(exponent) / variance.sqrt()
    };
    let total: f64 = (0..parameters.k()).map(density).sum();
    if total > 0.0 { density(c) / total } else { 0.0 }
}

/// Values and weights of the sets of equal points that are heavy enough for a spike, in frame units.
fn ties(sample: &Sample) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    let mut start = 0;
    for group in sample.values().chunk_by(|a, b| a == b) {
        let weight: f64 = (start..start + group.len()).map(|i| sample.weight(i)).sum();
        if weight > SPIKE_POINTS {
            found.push([sample.framed(start), weight]);
        }
        start += group.len();
    }
    found
}

#[cfg(test)]
mod tests;
