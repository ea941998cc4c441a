//! Local maxima of the likelihood: a start for a climb to one, and the multipliers at one.

use super::branching::Groups;
use super::coupling::Multipliers;
use super::points::Points;
use super::region::{Constraints, Region};
use super::weights::MixingAtom;
use crate::mixture::parameters::Parameters;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::LOG2_E;

/// The smallest weight that a climb starts with: a component cannot recover from zero.
const MIN_START_WEIGHT: f64 = 1e-4;

/// A bound is active if the gap is within this share of the data's range of it; climbs satisfy bounds to 1e-10.
const ACTIVE_GAP: f64 = 1e-6;

/// A variance within this share of the largest or smallest counts as equal to it; climbs end within 1e-8 log units of
/// the maximum.
const ACTIVE_RATIO: f64 = 1e-5;

/// Makes one component of each group of atoms, with its mean and total variance.
pub(super) fn collapse(atoms: &[MixingAtom], region: &Region, points: &Points) -> Parameters {
    let groups = Groups::of(atoms, region);
    let k = region.len();
    let mut variances = vec![0.0; k];
    for atom in atoms {
        let d = atom.mean - groups.mean[atom.group];
        variances[atom.group] += atom.weight * (atom.variance + d * d);
    }
    for c in 0..k {
        variances[c] =
            if groups.counts(c) { variances[c] / groups.weight[c] } else { (region[c].least * region[c].most).sqrt() };
    }
    let mut means: Vec<f64> = groups.mean.iter().map(|mean| mean.clamp(points.first(), points.last())).collect();
    means.sort_by(f64::total_cmp);
    let weights: Vec<f64> = groups.weight.iter().map(|weight| weight.max(MIN_START_WEIGHT)).collect();
    let sum: f64 = weights.iter().sum();
    Parameters::sound(weights.iter().map(|weight| weight / sum).collect(), means, variances)
}

/// Computes the multipliers of a local maximum from the gradient of the likelihood there.
pub(super) fn multipliers(points: &Points, constraints: &Constraints, parameters: &Parameters) -> Option<Multipliers> {
    let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
    let k = means.len();
    let (mut by_mean, mut by_precision) = (vec![0.0; k], vec![0.0; k]);
    let mut logs = vec![0.0; k];
    for (&x, &omega) in points.values().iter().zip(points.weights()) {
        for c in 0..k {
            let d = x - means[c];
            let weight = if weights[c] > 0.0 { ln(weights[c]) } else { -1e9 };
            logs[c] = weight - 0.5 * ln(variances[c]) - 0.5 * d * d / variances[c];
        }
        let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = logs.iter().map(|log| exp2((log - peak) * LOG2_E)).collect();
        let sum: f64 = shares.iter().sum();
        for c in 0..k {
            let d = x - means[c];
            let share = omega * shares[c] / sum;
            by_mean[c] += share * d / variances[c];
            by_precision[c] += 0.5 * share * (variances[c] - d * d);
        }
    }
    let scale = points.last() - points.first();
    let mut gaps = Vec::new();
    let mut sum = 0.0;
    for g in 0..k.saturating_sub(1) {
        sum += by_mean[g];
        let gap = means[g + 1] - means[g];
        let at_lower = gap <= constraints.lower[g] + ACTIVE_GAP * scale;
        let at_upper = gap >= constraints.upper[g] - ACTIVE_GAP * scale;
        gaps.push(if (sum > 0.0 && at_lower) || (sum < 0.0 && at_upper) { sum } else { 0.0 });
    }
    let largest = variances.iter().copied().fold(0.0, f64::max);
    let smallest = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let slopes: Vec<f64> = if constraints.ratio == 1.0 {
        let mean = by_precision.iter().sum::<f64>() / k as f64;
        by_precision.iter().map(|slope| mean - slope).collect()
    } else if largest >= constraints.ratio * smallest * (1.0 - ACTIVE_RATIO) {
        // The gradient points to smaller values for the smallest variances (larger precisions) and to larger ones for
        // the largest.
        (0..k)
            .map(|c| {
                let slope = -by_precision[c];
                if variances[c] >= largest * (1.0 - ACTIVE_RATIO) {
                    slope.max(0.0)
                } else if variances[c] <= smallest * (1.0 + ACTIVE_RATIO) {
                    slope.min(0.0)
                } else {
                    0.0
                }
            })
            .collect()
    } else {
        vec![0.0; k]
    };
    Multipliers::new(constraints, &gaps, &slopes)
}
