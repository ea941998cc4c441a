//! Worst-case rounding errors of costs and bounds, in frame units. docs/mathematics.md derives them.

use crate::data::Sample;
use crate::data::sample::Prefix;

/// Roundings per term of a sum: those of the term and the addition.
const ROUNDINGS_A_TERM: f64 = 16.0;

/// The error of a running double-double sum per point, in units of ε² of the total: one addition for eight points, in
/// each of the three sums of a cost.
const LOST_A_POINT: f64 = 0.5;

/// The error of a cluster's three sums as differences of running sums, in the same units: an addition at each end (6),
/// and the low parts of the differences and products (27).
const LOST_A_CLUSTER: f64 = 33.0;

/// The error of the points gathered at the two ends of a cluster, in units of ε² of their weight: up to eight points
/// are gathered with a plain low part.
const LOST_AT_ENDS: f64 = 96.0;

/// The largest number of points gathered at an end of a cluster.
const GATHERED: f64 = 8.0;

/// Roundings of a bound on a pair of cells: moments are differences (2), moved to another origin (6) and put into a
/// quadratic (8), for two halves.
const OF_MOMENTS: f64 = 32.0;

/// Roundings of the least cost of an atom on two sides: two lines (8 each, of numbers up to three times the squares),
/// and the chord between them.
const OF_SQUARES: f64 = 48.0;

/// Roundings of a value on a curve of the exact program: its three terms (5) and three additions.
const OF_CURVE: f64 = 8.0;

/// Roundings of rough costs that are compared: `candidates` counts them.
const OF_ROUGH_COSTS: f64 = 32.0;

/// Roundings of a difference of two bounds that are quotients.
const OF_DIFFERENCE: f64 = 4.0;

/// Roundings of a place on a grid, or of a centre that is a mean.
const OF_PLACE: f64 = 8.0;

/// If a path changes at a place within e of an optimum, the two costs there differ by at most 5·weight·e²
/// (docs/mathematics.md), once for each end of a cluster.
const AT_A_CHANGE: f64 = 10.0;

/// The relative difference below which costs of partitions count as equal: far above the error of a cost, 1e-13 of
/// itself. For costs near zero, `of_prefix_sums` is subtracted from every bound.
pub(super) const CLEAR: f64 = 1e-11;

/// The error of a bound on a pair of cells of centres whose moments are of size `scale`.
#[inline]
pub(super) fn of_moments(scale: f64) -> f64 {
    OF_MOMENTS * f64::EPSILON * scale
}

/// The error of the least cost of an atom whose squared distances from two centres have the weighted sum `squares`.
pub(super) fn of_squares(squares: f64) -> f64 {
    OF_SQUARES * f64::EPSILON * squares
}

/// The error of a cost in the exact program whose curves' values sum to `size`.
pub(super) fn of_curve(size: f64) -> f64 {
    OF_CURVE * f64::EPSILON * size
}

/// The error of a path of `links` links that costs `value`. Every link adds the cost of a cluster to the path before it
/// and moves a parabola; no term exceeds the value. Places, at most `far` from the frame's origin, decide the cluster
/// of a point; every link may move and round them once. If rounding decides it, the costs of both choices are close,
/// for points of total `weight`.
pub(super) fn of_path(links: usize, value: f64, weight: f64, far: f64) -> f64 {
    let far = far.max(1.0);
    let place = of_place(far) + 0.5 * f64::EPSILON * links as f64 * far;
    of_sum(links, value) + AT_A_CHANGE * links as f64 * weight * place.powi(2)
}

/// The error of one addition of numbers of this `size`.
pub(super) fn of_addition(size: f64) -> f64 {
    f64::EPSILON * size
}

/// The error of comparisons of rough costs of this `size`.
pub(super) fn of_rough_costs(size: f64) -> f64 {
    OF_ROUGH_COSTS * f64::EPSILON * size
}

/// The error of the difference of two bounds.
pub(super) fn of_difference(a: f64, b: f64) -> f64 {
    OF_DIFFERENCE * f64::EPSILON * (a.abs() + b.abs())
}

/// The error of a place at most `far` from the frame's origin.
pub(super) fn of_place(far: f64) -> f64 {
    OF_PLACE * f64::EPSILON * far
}

/// The error of a sum of `terms` numbers whose absolute values sum to `magnitude`.
pub(super) fn of_sum(terms: usize, magnitude: f64) -> f64 {
    ROUNDINGS_A_TERM * f64::EPSILON * terms as f64 * magnitude
}

/// The total error of the costs of `k` clusters, as differences of double-double prefix sums.
pub(super) fn of_prefix_sums(sample: &Sample, k: usize) -> f64 {
    let (n, k, weight) = (sample.len(), k as f64, sample.total_weight());
    let far = sample.framed_lowest(0).abs().max(sample.framed_highest(n - 1).abs());
    let gathered = if sample.weights().is_none() { GATHERED } else { weight };
    let lost = weight * (LOST_A_POINT * n as f64 + LOST_A_CLUSTER * k) + LOST_AT_ENDS * k * gathered;
    lost * (f64::EPSILON * far).powi(2)
}

/// The error of the cost of a run with this mean, whose sums are differences of prefix sums; `end` is the later prefix.
/// A sum of values is at most the root of the weight times the squares.
pub(super) fn of_run(end: &Prefix, mean: f64) -> f64 {
    let size = end.square.value().sqrt() + mean.abs() * end.weight.value().sqrt();
    (LOST_A_CLUSTER + LOST_AT_ENDS) * (f64::EPSILON * size).powi(2)
}

/// A mean square below this, in frame units, is rounding: values are right to about 1e-16 of the range, and means of
/// many to 1e-14.
const ZERO_MEAN_SQUARE: f64 = 1e-28;

/// The cost below which a solution counts as perfect.
pub(super) fn zero_cost(sample: &Sample) -> f64 {
    ZERO_MEAN_SQUARE * sample.total_weight()
}

#[cfg(test)]
mod tests;
