//! What rounding may do to costs and bounds: worst cases, in frame units. docs/mathematics.md derives them.

use crate::data::Sample;

/// Roundings of a double in one term of a sum: its own operations and the addition.
const ROUNDINGS_A_TERM: f64 = 16.0;

/// What a running sum in pairs of doubles loses for every point, in units of ε² of the whole sum: one addition for eight
/// points, in each of the three sums that make up a cost.
const LOST_A_POINT: f64 = 0.5;

/// What the sums at the two ends of a cluster lose: up to eight points are gathered there with a plain low part.
const LOST_A_CLUSTER: f64 = 128.0;

/// What a sum of `terms` numbers, of `magnitude` in all, may be wrong by.
pub(super) fn of_sum(terms: usize, magnitude: f64) -> f64 {
    ROUNDINGS_A_TERM * f64::EPSILON * terms as f64 * magnitude
}

/// What the costs of `k` clusters, differences of prefix sums in pairs of doubles, may be wrong by in all. Values are at most
/// one in absolute value in the frame.
pub(super) fn of_prefix_sums(sample: &Sample, k: usize) -> f64 {
    let lost = LOST_A_POINT * sample.len() as f64 + LOST_A_CLUSTER * k as f64;
    lost * f64::EPSILON * f64::EPSILON * sample.total_weight()
}

/// A mean square below this, in frame units, is rounding: values are right to about 1e-16 of the range, and their means to
/// 1e-14 where they are many.
const ZERO_MEAN_SQUARE: f64 = 1e-28;

/// Costs below this are zero.
pub(super) fn zero_cost(sample: &Sample) -> f64 {
    ZERO_MEAN_SQUARE * sample.total_weight()
}
