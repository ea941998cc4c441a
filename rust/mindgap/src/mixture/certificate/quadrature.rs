//! Replaces many points by few nodes: those of each narrow bin by the three nodes of their Gauss rule.
//!
//! The certificate then costs as much as one over a few thousand points, however many there are. The error of a rule is
//! bounded and allowed for: see docs/mathematics.md, "Many points".

use super::kernels::MAX_EXPONENT;
use crate::numeric::portable::{exp2, log2};
use std::f64::consts::{LN_2, LOG2_E};

/// Nodes of a rule.
pub(super) const NODES: usize = 3;

/// The number of moments that a rule shares with its points: degrees 0 to 5.
const MOMENTS: usize = 2 * NODES;

/// A bin keeps its points if the moments of the nodes differ by more than this share of its weight.
const MAX_DEFECT: f64 = 1e-9;

/// A bin keeps its points if nodes are closer together than this share of its radius: slopes would be inaccurate.
const MIN_NODE_DISTANCE: f64 = 1e-2;

/// Where the logarithm of the summand changes by at most this over the bin's radius, the error of a rule is bounded by a
/// share of the sum. With a larger value that share exceeds a tenth.
const MAX_STEEPNESS: f64 = 1.5;

/// Terms of a bin below 2^-TAIL_BITS count as 2^-TAIL_BITS.
const TAIL_BITS: f64 = 100.0;

/// The error of a sum for each unit of a bin's defect, without the level's part: e^1.5 for Taylor's terms (see
/// [`MAX_STEEPNESS`]), two for N and T̄, and the rest for products of small numbers.
const DEFECT_FACTOR: f64 = 8.0;

/// `sixth`^(-1/6) of a bin whose points are spread evenly, where `sixth` is 2/7.
const EVEN_SCALE: f64 = 1.232;

/// Errors of slopes are at most this over the radius, errors of curvatures at most this over its square. For logarithms
/// up to [`MAX_LOG`] and nodes apart by [`MIN_NODE_DISTANCE`] a count of the roundings gives 2.6e-9 and 5.2e-7.
const SLOPE_ERROR: f64 = 1e-6;

/// The largest |ln f| for which [`SLOPE_ERROR`] is valid. Beyond it a bin's slope counts as infinite and nothing is
/// proven.
const MAX_LOG: f64 = 45_000.0;

/// A bin and its rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bin {
    /// The index of its first node.
    pub(super) start: usize,
    /// The largest distance of a point or node from the middle.
    pub(super) radius: f64,
    pub(super) weight: f64,
    log2_weight: f64,
    /// The sum of the sixth moments of the points and of the nodes, in units of weight·radius⁶.
    sixth: f64,
    /// (sixth of an even bin / sixth)^(1/6).
    narrowness: f64,
    /// The largest difference of lower moments, in units of weight·radius^p.
    defect: f64,
}

/// The nodes that replace points, and the points that are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Compressed {
    pub(super) values: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) bins: Vec<Bin>,
}

/// Replaces sorted points by nodes, bin by bin. The first and the last point are kept.
pub(super) fn compress(values: &[f64], weights: &[f64], width: f64) -> Compressed {
    let mut out = Compressed::default();
    let last = values.len() - 1;
    let number = |x: f64| ((x - values[0]) / width).floor();
    out.push(values[0], weights[0]);
    let mut from = 1;
    while from < last {
        let bin = number(values[from]);
        let to = from + values[from..last].partition_point(|&x| number(x) == bin).max(1);
        if !out.add_rule(&values[from..to], &weights[from..to]) {
            values[from..to].iter().zip(&weights[from..to]).for_each(|(&x, &weight)| out.push(x, weight));
        }
        from = to;
    }
    out.push(values[last], weights[last]);
    out
}

impl Compressed {
    fn push(&mut self, value: f64, weight: f64) {
        self.values.push(value);
        self.weights.push(weight);
    }

    /// Adds the rule of these points, if there are more of them than nodes and the rule is accurate.
    fn add_rule(&mut self, values: &[f64], weights: &[f64]) -> bool {
        if values.len() <= NODES {
            return false;
        }
        let (low, high) = (values[0], values[values.len() - 1]);
        let middle = 0.5 * (low + high);
        let radius = (high - middle).max(middle - low);
        let points: Vec<(f64, f64)> = values.iter().zip(weights).map(|(&x, &w)| ((x - middle) / radius, w)).collect();
        let total: f64 = weights.iter().sum();
        let Some(rule) = gauss(&points, total) else { return false };
        let placed = rule.map(|(t, w)| (middle + radius * t, w));
        let nodes = placed.map(|(x, w)| ((x - middle) / radius, w));
        let inside = placed.iter().all(|&(x, w)| low < x && x < high && w > 0.0);
        let apart = nodes.windows(2).all(|pair| pair[1].0 - pair[0].0 > MIN_NODE_DISTANCE);
        let rounding = 2.0 * f64::EPSILON * (values.len() as f64 + 32.0);
        let (mut defect, mut sixth) = (0.0_f64, 0.0);
        for p in 0..=MOMENTS {
            let (of_points, of_nodes) = (moment(&points, p) / total, moment(&nodes, p) / total);
            if p < MOMENTS {
                defect = defect.max((of_points - of_nodes).abs() + rounding);
            } else {
                sixth = (of_points + of_nodes) * (1.0 + rounding);
            }
        }
        if !(inside && apart && defect <= MAX_DEFECT) {
            return false;
        }
        let narrowness = exp2(-log2(sixth) / 6.0) / EVEN_SCALE;
        self.bins.push(Bin {
            start: self.values.len(),
            radius,
            weight: total,
            log2_weight: log2(total),
            sixth,
            narrowness,
            defect,
        });
        placed.iter().for_each(|&(x, w)| self.push(x, w));
        true
    }
}

fn moment(points: &[(f64, f64)], p: usize) -> f64 {
    points.iter().map(|&(t, w)| w * (0..p).fold(1.0, |power, _| power * t)).sum()
}

/// Computes the Gauss rule of points in [-1, 1]: the nodes are the roots of the third orthogonal polynomial, which
/// Stieltjes' procedure gives.
fn gauss(points: &[(f64, f64)], total: f64) -> Option<[(f64, f64); NODES]> {
    let average = |value: &dyn Fn(f64) -> f64| points.iter().map(|&(t, w)| w * value(t)).sum::<f64>() / total;
    let a0 = average(&|t| t);
    let one = |t: f64| t - a0;
    let n1 = average(&|t| one(t) * one(t));
    let a1 = average(&|t| t * one(t) * one(t)) / n1;
    let two = |t: f64| (t - a1) * one(t) - n1;
    let n2 = average(&|t| two(t) * two(t));
    let a2 = average(&|t| t * two(t) * two(t)) / n2;
    let three = |t: f64| (t - a2) * two(t) - n2 / n1 * one(t);
    if !(n1 > 0.0 && n2 > 0.0) {
        return None;
    }
    // The roots of the second polynomial lie between those of the third.
    let (half, root) = (0.5 * (a0 + a1), (0.25 * (a0 - a1) * (a0 - a1) + n1).sqrt());
    let cuts = [-1.0, half - root, half + root, 1.0];
    let mut rule = [(0.0, 0.0); NODES];
    for (i, node) in rule.iter_mut().enumerate() {
        let (mut low, mut high) = (cuts[i], cuts[i + 1]);
        let rising = three(high) > three(low);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (three(middle) > 0.0) == rising { high = middle } else { low = middle }
        }
        let t = 0.5 * (low + high);
        *node = (t, total / (1.0 + one(t) * one(t) / n1 + two(t) * two(t) / n2));
    }
    Some(rule)
}

impl Bin {
    /// Bounds the slope and the curvature of ln f in the bin, where it is the parabola through the nodes.
    fn shape(&self, values: &[f64], log_f: impl Fn(usize) -> f64) -> BinShape {
        let [a, b, c] = [0, 1, 2].map(|node| log_f(self.start + node));
        if ![a, b, c].iter().all(|log| log.abs() <= MAX_LOG) {
            return BinShape { slope: f64::INFINITY, curvature: 0.0, log_f: 0.0 };
        }
        let [i, j, k] = [0, 1, 2].map(|node| values[self.start + node]);
        let (left, right) = ((b - a) / (j - i), (c - b) / (k - j));
        let noise = SLOPE_ERROR / self.radius;
        let curvature = (2.0 * (right - left) / (k - i)).abs() + noise / self.radius;
        let slope = left.abs().max(right.abs()) + 2.0 * self.radius * curvature + noise;
        BinShape { slope, curvature, log_f: a }
    }
}

/// ln f over one bin: bounds on its slope and curvature, and its value at the first node.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinShape {
    slope: f64,
    curvature: f64,
    log_f: f64,
}

/// Computes the shapes of ln f over the bins from log₂(ω/f) and log₂ ω at the nodes.
pub(super) fn fill_shapes(
    bins: &[Bin],
    values: &[f64],
    logs: &[f64],
    log2_weights: &[f64],
    shapes: &mut Vec<BinShape>,
) {
    shapes.clear();
    shapes.extend(bins.iter().map(|bin| bin.shape(values, |node| LN_2 * (log2_weights[node] - logs[node]))));
}

/// Bounds the difference between Σ ω ln f over the points and over the nodes.
pub(super) fn likelihood_error(bins: &[Bin], shapes: &[BinShape]) -> f64 {
    let error_of = |(bin, shape): (&Bin, &BinShape)| {
        let r = bin.radius;
        bin.weight * bin.defect * (shape.log_f.abs() + 3.0 * r * shape.slope + r * r * shape.curvature)
    };
    bins.iter().zip(shapes).map(error_of).sum::<f64>() * (1.0 + SLOPE_ERROR)
}

/// Bounds how far Σ ω/f·exp(-(x - μ)²/2v) over the points is above the same sum over the nodes, for every mean and every
/// variance of at least `least`. Returns a share of the sum, about `share`, and an amount. The share also covers the
/// effect of the defects on N, for a proof that D ≤ e^level.
pub(super) fn quadrature_error(bins: &[Bin], shapes: &[BinShape], least: f64, share: f64, level: f64) -> (f64, f64) {
    // Where the exponent's slope u and curvature c have (u² + 5|c|)·r² ≤ τ², the share is at most e^2τ·(τ⁶·sixth/720 +
    // e^τ·defect). Any τ is valid: this one gives an even bin the requested share.
    let root = exp2(log2(720.0 * share) / 6.0);
    let even = |shrink: f64| (EVEN_SCALE * root * exp2(-LOG2_E / 3.0 * shrink)).min(MAX_STEEPNESS);
    let largest = even(even(even(0.5)));
    let (mut relative, mut amount, mut tails) = (0.0_f64, 0.0, 0.0);
    for (bin, shape) in bins.iter().zip(shapes) {
        let r = bin.radius;
        let tau = (bin.narrowness * largest).min(largest);
        let cube = tau * tau * tau;
        relative = relative.max(cube * cube * bin.sixth / 720.0 + (DEFECT_FACTOR + level) * bin.defect);
        let steepest = (tau * tau / (r * r) - 5.0 * (1.0 / least + shape.curvature)).max(0.0).sqrt();
        // Elsewhere the whole bin is at least this far from the mean, in units of 1/variance.
        let far = (steepest - shape.slope - 2.0 * r / least).max(0.0);
        let exponent = bin.log2_weight + LOG2_E * (2.0 * r * shape.slope - 0.5 * least * far * far - shape.log_f);
        if exponent > -TAIL_BITS {
            amount += exp2(exponent.min(MAX_EXPONENT));
        } else {
            tails += 1.0;
        }
    }
    let varies = exp2(2.0 * LOG2_E * largest);
    (varies * relative * (1.0 + SLOPE_ERROR), (amount + tails * exp2(-TAIL_BITS)) * (1.0 + SLOPE_ERROR))
}
