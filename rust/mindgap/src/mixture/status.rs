//! [`Status`]: how a mixture fit ended.

use std::fmt;

/// How a fit ended. The result is usable in every case; all but [`Status::Converged`] call for a second look.
///
/// ```
/// use mindgap::{Mixture, Sample, Status};
///
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
/// let fit = Mixture::new(2).fit(&Sample::new(&x)?)?;
/// match fit.status() {
///     Status::Converged => println!("{:?}", fit.means()),
///     other => println!("look again: {other}"),
/// }
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// A local maximum was reached, and there are no findings.
    Converged,
    /// A local maximum was reached, but there are [`findings`](super::MixtureFit::findings).
    Doubtful,
    /// The limit on iterations was reached first.
    MaxIterations,
    /// The time limit passed first, or a callback stopped the fit.
    TimeLimit,
    /// Some components have shrunk onto a point: their variances are at the floor.
    Collapsed {
        /// Which, by ascending mean.
        components: Vec<usize>,
    },
    /// A component's weight has fallen below 1e-16, and the iterations stopped there.
    LostWeight {
        /// Which, by ascending mean.
        component: usize,
    },
}

impl Status {
    /// A stable code: `converged`, `doubtful`, `max-iterations`, `time-limit`, `collapsed` or `lost-weight`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Doubtful => "doubtful",
            Self::MaxIterations => "max-iterations",
            Self::TimeLimit => "time-limit",
            Self::Collapsed { .. } => "collapsed",
            Self::LostWeight { .. } => "lost-weight",
        }
    }

    /// The components that collapsed or lost their weight.
    ///
    /// ```
    /// use mindgap::Status;
    ///
    /// let status = Status::LostWeight { component: 2 };
    /// assert_eq!((status.code(), status.components()), ("lost-weight", vec![2]));
    /// ```
    pub fn components(&self) -> Vec<usize> {
        match self {
            Self::Collapsed { components } => components.clone(),
            Self::LostWeight { component } => vec![*component],
            Self::Converged | Self::Doubtful | Self::MaxIterations | Self::TimeLimit => Vec::new(),
        }
    }

    /// Makes the status of a code and components.
    #[cfg(feature = "serde")]
    pub(super) fn of_code(code: &str, components: &[usize]) -> Option<Self> {
        match (code, components) {
            ("converged", []) => Some(Self::Converged),
            ("doubtful", []) => Some(Self::Doubtful),
            ("max-iterations", []) => Some(Self::MaxIterations),
            ("time-limit", []) => Some(Self::TimeLimit),
            ("collapsed", components) => Some(Self::Collapsed { components: components.to_vec() }),
            ("lost-weight", &[component]) => Some(Self::LostWeight { component }),
            _ => None,
        }
    }

    /// Renumbers the components by their places in `order`.
    pub(super) fn renumbered(self, order: &[usize]) -> Self {
        let place = |component: usize| order.iter().position(|&k| k == component).unwrap_or(component);
        match self {
            Self::Collapsed { components } => {
                let mut components: Vec<usize> = components.into_iter().map(place).collect();
                components.sort_unstable();
                Self::Collapsed { components }
            }
            Self::LostWeight { component } => Self::LostWeight { component: place(component) },
            other => other,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged => write!(f, "converged"),
            Self::Doubtful => write!(f, "converged; see the findings"),
            Self::MaxIterations => {
                write!(f, "not converged after max_iter iterations; raise max_iter or tol")
            }
            Self::TimeLimit => write!(
                f,
                "stopped before convergence, with the best result so far; allow more time, or go on from these parameters"
            ),
            Self::Collapsed { components } => {
                match components[..] {
                    [component] => {
                        write!(f, "component {component} has collapsed onto a point: its variance is at the floor")?;
                    }
                    _ => write!(
                        f,
                        "components {components:?} have collapsed onto a point: their variances are at the floor"
                    )?,
                }
                write!(f, "; try fewer components, equal variances, another start or a larger floor")
            }
            Self::LostWeight { component } => {
                write!(f, "component {component} has lost its weight; try fewer components or another start")
            }
        }
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn one_component_and_several_are_named() {
        let text = |components: &[usize]| Status::Collapsed { components: components.to_vec() }.to_string();
        assert!(text(&[1]).starts_with("component 1 has collapsed onto a point: its variance is at the floor; try"));
        assert!(text(&[0, 2]).starts_with("components [0, 2] have collapsed onto a point: their variances are"));
    }

    #[test]
    fn a_code_and_components_give_back_the_status() {
        let collapsed = Status::Collapsed { components: vec![0, 2] };
        let lost = Status::LostWeight { component: 1 };
        let others = [Status::Converged, Status::Doubtful, Status::MaxIterations, Status::TimeLimit];
        for status in others.into_iter().chain([collapsed, lost]) {
            assert_eq!(Status::of_code(status.code(), &status.components()), Some(status));
        }
        assert_eq!(Status::of_code("lost-weight", &[]), None);
        assert_eq!(Status::of_code("converged", &[1]), None);
    }
}
