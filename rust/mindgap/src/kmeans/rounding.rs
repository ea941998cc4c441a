//! What rounding may do to costs and bounds: worst cases, in frame units. docs/mathematics.md derives them.

use crate::data::Sample;
use crate::data::sample::Prefix;

/// Roundings of a double in one term of a sum: its own operations and the addition.
const ROUNDINGS_A_TERM: f64 = 16.0;

/// What a running sum in pairs of doubles loses for every point, in units of ε² of the whole sum: one addition for eight
/// points, in each of the three sums that make up a cost.
const LOST_A_POINT: f64 = 0.5;

/// What the sums at the two ends of a cluster lose: up to eight points are gathered there with a plain low part.
const LOST_A_CLUSTER: f64 = 128.0;

/// Roundings of a bound on a pair of cells: moments are differences (2), taken about another origin (6) and put into a quadratic
/// (8), for two halves.
const OF_MOMENTS: f64 = 32.0;

/// Roundings of the least cost of an atom on two sides: two lines (8 each, of numbers up to three times the squares), and
/// the chord between them.
const OF_SQUARES: f64 = 48.0;

/// Roundings of a value on a curve of the exact finish: its three terms (5), and what is added to it (3).
const OF_CURVE: f64 = 8.0;

/// Roundings of rough costs that are compared: `candidates` counts them.
const OF_ROUGH_COSTS: f64 = 32.0;

/// Roundings of a difference of two bounds that are quotients.
const OF_DIFFERENCE: f64 = 4.0;

/// A place on a grid, and a centre that is a mean, are right to so many roundings of one.
const OF_PLACE: f64 = 8.0;

/// Where a path changes at a place within e of an optimum, the two costs there differ by at most five times the weight times e²:
/// docs/mathematics.md. Once for each end of a cluster.
const AT_A_CHANGE: f64 = 10.0;

/// Costs of whole partitions that differ by a smaller part are not told apart. No worst case but a margin far above one: a cost
/// is right to 1e-13 of itself, unless it is next to zero, where `of_prefix_sums` is taken off every bound.
pub(super) const CLEAR: f64 = 1e-11;

/// What a bound on a pair of cells of centres may be too large by, whose moments are of size `scale`.
#[inline]
pub(super) fn of_moments(scale: f64) -> f64 {
    OF_MOMENTS * f64::EPSILON * scale
}

/// What the least cost of an atom may be too large by, in which the distances of two centres have this weighted sum of `squares`.
pub(super) fn of_squares(squares: f64) -> f64 {
    OF_SQUARES * f64::EPSILON * squares
}

/// What the exact finish may do to a cost, whose curves have values of this `size` in all.
pub(super) fn of_curve(size: f64) -> f64 {
    OF_CURVE * f64::EPSILON * size
}

/// What a path of so many `links`, of `value` in all, may be wrong by. Every link adds the cost of a cluster to the path before it
/// and moves a parabola: terms no larger than the value. Places, at most `far` from the frame's origin, decide which cluster a
/// point is in; an optimum that is so near to a change that rounding can decide it has little to lose, in points of this `weight` in all.
pub(super) fn of_path(links: usize, value: f64, weight: f64, far: f64) -> f64 {
    of_sum(links, value) + AT_A_CHANGE * links as f64 * weight * of_place(far.max(1.0)).powi(2)
}

/// What one addition to numbers of this `size` does.
pub(super) fn of_addition(size: f64) -> f64 {
    f64::EPSILON * size
}

/// What comparisons of rough costs of this `size` may be wrong by.
pub(super) fn of_rough_costs(size: f64) -> f64 {
    OF_ROUGH_COSTS * f64::EPSILON * size
}

/// What the difference of two bounds may be wrong by.
pub(super) fn of_difference(a: f64, b: f64) -> f64 {
    OF_DIFFERENCE * f64::EPSILON * (a.abs() + b.abs())
}

/// What a place at most `far` from the frame's origin may be wrong by.
pub(super) fn of_place(far: f64) -> f64 {
    OF_PLACE * f64::EPSILON * far
}

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

/// What the cost of a run of this mean may be wrong by, whose sums are differences of prefix sums: `end` is the later of these. A sum of
/// values is at most the root of the weight times the squares.
pub(super) fn of_run(end: &Prefix, mean: f64) -> f64 {
    let size = end.square.value().sqrt() + mean.abs() * end.weight.value().sqrt();
    LOST_A_CLUSTER * f64::EPSILON * f64::EPSILON * size * size
}

/// A mean square below this, in frame units, is rounding: values are right to about 1e-16 of the range, and their means to
/// 1e-14 where they are many.
const ZERO_MEAN_SQUARE: f64 = 1e-28;

/// Costs below this are zero.
pub(super) fn zero_cost(sample: &Sample) -> f64 {
    ZERO_MEAN_SQUARE * sample.total_weight()
}

#[cfg(test)]
mod tests;
