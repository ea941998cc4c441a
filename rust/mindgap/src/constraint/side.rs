//! Which side of a row a value is at.

/// A gap or row within this fraction of the data's scale of its bound counts as being at it: solvers hold bounds to 1e-12
/// of the range, and EM stops with its means some 1e-10 off.
pub(crate) const AT_BOUND: f64 = 1e-9;

/// The bound that a gap or row is at.
///
/// ```
/// use mindgap::{GapBounds, KMeans, Sample, Side};
///
/// let sample = Sample::new(&[0.0, 1.0, 2.0])?;
/// let fit = KMeans::new(2).constraint(GapBounds::lower(1.75)).fit(&sample)?;
/// assert_eq!(fit.active(), [Some(Side::Lower)]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
    /// Both: the bounds are equal.
    Both,
}

impl Side {
    /// Which of its bounds `value` is at, to within `slack`; `None` if it is at neither.
    pub(crate) fn of(value: f64, (lower, upper): (f64, f64), slack: f64) -> Option<Self> {
        match (value <= lower + slack, value >= upper - slack) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Lower),
            (false, true) => Some(Self::Upper),
            (false, false) => None,
        }
    }
}
