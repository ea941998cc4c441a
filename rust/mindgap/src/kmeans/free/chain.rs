//! The best centres of given clusters: a quadratic program on a chain, solved exactly in O(k²).
//!
//! Minimises `Σ wₖ (μₖ - mₖ)²` under `lower ≤ μₖ₊₁ - μₖ ≤ upper`. A dynamic program finds the active bounds; centres
//! joined by active gaps then move together, and their position is a weighted mean.

use crate::constraint::{Rows, Side};
use crate::qp::active_sides;

/// A cluster, reduced to its mean and weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) weight: f64,
    pub(super) mean: f64,
}

/// The optimum: centres, and for each gap the multiplier of its bound (positive for lower, negative for upper).
#[derive(Clone, Debug)]
pub(super) struct CenterChain {
    pub(super) centers: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

/// The optimal centres of `targets` (at least one, of positive weight).
pub(super) fn solve(targets: &[Target], gaps: &Rows) -> CenterChain {
    let bounds: Vec<(f64, f64)> = gaps.lower.iter().copied().zip(gaps.upper.iter().copied()).collect();
    let holds = active_sides(targets.iter().map(|target| (target.mean, target.weight)), &bounds);
    let mut chain = CenterChain { centers: vec![0.0; targets.len()], multipliers: vec![0.0; holds.len()] };
    let mut start = 0;
    while start < targets.len() {
        let joined = holds[start..].iter().take_while(|hold| hold.is_some()).count();
        place(targets, gaps, &holds, start..start + joined + 1, &mut chain);
        start += joined + 1;
    }
    settle(targets, gaps, &mut chain.centers);
    chain
}

/// Restores bounds that rounding has violated, which happens if weights differ by many orders of magnitude. Goes
/// outwards from the heaviest cluster, whose cost would rise most.
fn settle(targets: &[Target], gaps: &Rows, centers: &mut [f64]) {
    let heaviest = (0..targets.len()).max_by(|&a, &b| targets[a].weight.total_cmp(&targets[b].weight)).unwrap_or(0);
    for k in heaviest + 1..centers.len() {
        let (lower, upper) = (gaps.lower[k - 1], gaps.upper[k - 1]);
        centers[k] = centers[k].max(centers[k - 1] + lower).min(centers[k - 1] + upper);
    }
    for k in (0..heaviest).rev() {
        centers[k] = centers[k].min(centers[k + 1] - gaps.lower[k]).max(centers[k + 1] - gaps.upper[k]);
    }
}

/// Computes centres joined by active gaps, and the multipliers of these gaps.
fn place(
    targets: &[Target],
    gaps: &Rows,
    holds: &[Option<Side>],
    group: std::ops::Range<usize>,
    chain: &mut CenterChain,
) {
    let anchor = targets[group.start].mean;
    let (mut offset, mut weight, mut pull) = (0.0, 0.0, 0.0);
    let mut offsets = Vec::with_capacity(group.len());
    for k in group.clone() {
        offsets.push(offset);
        weight += targets[k].weight;
        pull += targets[k].weight * (targets[k].mean - anchor - offset);
        if k + 1 < group.end {
            offset += if holds[k] == Some(Side::Upper) { gaps.upper[k] } else { gaps.lower[k] };
        }
    }
    let base = anchor + pull / weight;
    let mut multiplier = 0.0;
    for (k, offset) in group.clone().zip(offsets) {
        chain.centers[k] = base + offset;
        multiplier += 2.0 * targets[k].weight * (targets[k].mean - chain.centers[k]);
        if k + 1 < group.end {
            // A multiplier has the wrong sign only by rounding; zero is always valid.
            chain.multipliers[k] = match holds[k] {
                Some(Side::Lower) => multiplier.max(0.0),
                Some(Side::Upper) => multiplier.min(0.0),
                Some(Side::Both) => multiplier,
                None => 0.0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(means: &[f64], weights: &[f64], lower: &[f64], upper: &[f64]) -> CenterChain {
        let targets: Vec<_> = means.iter().zip(weights).map(|(&mean, &weight)| Target { weight, mean }).collect();
        solve(&targets, &Rows::of_gaps(lower.to_vec(), upper.to_vec()))
    }

    #[test]
    fn free_centres_stay_at_their_means() {
        let chain = chain(&[0.0, 2.0, 5.0], &[1.0; 3], &[1.0; 2], &[4.0; 2]);
        assert_eq!(chain.centers, [0.0, 2.0, 5.0]);
        assert_eq!(chain.multipliers, [0.0, 0.0]);
    }

    #[test]
    fn gaps_hold_their_bounds_where_weights_are_many_orders_apart() {
        let heavy = chain(&[0.0, 1.0], &[1e17, 0.1], &[0.6], &[0.8]);
        assert_eq!(heavy.centers, [0.0, 0.8]);
        let wide = chain(&[0.0, 1.0], &[0.1, 1e17], &[2.0], &[f64::INFINITY]);
        assert_eq!(wide.centers, [-1.0, 1.0]);
    }

    #[test]
    fn optimality_conditions_hold() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for round in 0..2000 {
            let k = 1 + round % 9;
            let means: Vec<f64> = (0..k).map(|i| random() * 3.0 + i as f64).collect();
            let weights: Vec<f64> = (0..k).map(|_| 0.1 + 9.0 * random()).collect();
            let lower: Vec<f64> = (1..k).map(|_| (2.0 * random()).floor() * random()).collect();
            let upper: Vec<f64> =
                lower.iter().map(|l| [*l, l + random(), f64::INFINITY][(3.0 * random()) as usize]).collect();
            let chain = chain(&means, &weights, &lower, &upper);
            let mut force = 0.0;
            for i in 0..k {
                force += 2.0 * weights[i] * (means[i] - chain.centers[i]);
                if i + 1 < k {
                    let gap = chain.centers[i + 1] - chain.centers[i];
                    assert!(gap >= lower[i] - 1e-12 && gap <= upper[i] + 1e-12);
                    assert!((force - chain.multipliers[i]).abs() < 1e-10);
                    assert!(force < 1e-10 || (gap - lower[i]).abs() < 1e-12);
                    assert!(force > -1e-10 || (gap - upper[i]).abs() < 1e-12);
                }
            }
            assert!(force.abs() < 1e-10);
        }
    }
}
