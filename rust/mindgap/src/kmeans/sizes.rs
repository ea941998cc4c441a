//! [`Sizes`]: bounds on the sizes of clusters.

use crate::data::sample::{Prefix, Prefixes};
use crate::error::KMeansError;
use crate::partition::Partition;

/// The relative tolerance of a size: far above the rounding error of a sum of weights, or of a bound such as 0.3.
/// Numbers of points, below 2³², are compared exactly.
const SIZE_TOLERANCE: f64 = 1e-12;

/// The least and the largest weight of a cluster: its number of points if they have no weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sizes {
    least: f64,
    most: f64,
}

impl Sizes {
    /// Clusters of any size.
    pub(crate) const ANY: Self = Self { least: 0.0, most: f64::INFINITY };

    /// Makes sizes from optional bounds.
    pub(crate) fn new(min: Option<f64>, max: Option<f64>) -> Result<Self, KMeansError> {
        let (least, most) = (min.unwrap_or(0.0), max.unwrap_or(f64::INFINITY));
        let valid = least >= 0.0 && least.is_finite() && most > 0.0 && least <= most;
        if valid { Ok(Self { least, most }) } else { Err(KMeansError::InvalidSizes { min, max }) }
    }

    /// Whether there is no bound.
    pub(crate) fn are_any(&self) -> bool {
        *self == Self::ANY
    }

    /// The least size.
    pub(crate) fn least(&self) -> f64 {
        self.least
    }

    /// The largest size.
    pub(crate) fn most(&self) -> f64 {
        self.most
    }

    /// Whether a cluster of this `weight` is too small.
    #[inline]
    pub(crate) fn is_too_small(&self, weight: f64) -> bool {
        weight < self.least * (1.0 - SIZE_TOLERANCE)
    }

    /// Whether a cluster of this `weight` is too large.
    #[inline]
    pub(crate) fn is_too_large(&self, weight: f64) -> bool {
        weight > self.most * (1.0 + SIZE_TOLERANCE)
    }

    /// Whether a cluster may have this `weight`.
    #[inline]
    pub(crate) fn admit_weight(&self, weight: f64) -> bool {
        !self.is_too_small(weight) && !self.is_too_large(weight)
    }

    /// Whether the points from `start` up to `end` may be a cluster.
    #[inline]
    pub(crate) fn admit(&self, start: &Prefix, end: &Prefix) -> bool {
        self.admit_weight(start.weight_until(end))
    }

    /// Whether every cluster of a partition has an admissible size.
    pub(crate) fn allow(&self, partition: &Partition, prefixes: &Prefixes<'_>) -> bool {
        partition.clusters().all(|points| self.admit(&prefixes.at(points.start), &prefixes.at(points.end)))
    }
}
