//! Multipliers on the gap bounds, and the cost with them added.
//!
//! For a partition that satisfies the bounds, `Σ μ_g·(bound_g - gap_g) ≤ 0`, with the lower bound for `μ_g ≥ 0` and the
//! upper one for `μ_g < 0`. So adding this sum to the cost gives a lower bound for any multipliers. Good multipliers
//! cancel the slope of the cost at the optimum, so that bounds separate cells near the optimum from cells at it. A gap
//! is a difference of two means, so the sum is `constant + Σ κ_m·mean_m`, one term per cluster.

use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::partition::Partition;

/// The cost with multipliers: `cost + constant + Σ κ_m·mean_m`.
#[derive(Clone, Debug)]
pub(super) struct Lagrangian {
    pub(super) kappa: Vec<f64>,
    pub(super) constant: f64,
}

impl Lagrangian {
    /// The cost without multipliers.
    pub(super) fn none(k: usize) -> Self {
        Self { kappa: vec![0.0; k], constant: 0.0 }
    }

    /// Makes the Lagrangian from the multipliers of the gaps.
    pub(super) fn by(multipliers: &[f64], gaps: &Rows) -> Self {
        let mut kappa = vec![0.0; multipliers.len() + 1];
        let mut constant = 0.0;
        for (g, &mu) in multipliers.iter().enumerate() {
            kappa[g] += mu;
            kappa[g + 1] -= mu;
            if mu != 0.0 {
                constant += mu * if mu > 0.0 { gaps.lower[g] } else { gaps.upper[g] };
            }
        }
        Self { kappa, constant }
    }

    /// The size of the terms with multipliers, which their rounding error is proportional to.
    pub(super) fn magnitude(&self) -> f64 {
        self.constant.abs() + self.kappa.iter().map(|k| k.abs()).sum::<f64>()
    }
}

/// The largest number of sweeps of the descent; any multipliers give a valid bound.
const MAX_SWEEPS: usize = 400;

/// The multipliers that best cancel the slopes of the cost at the boundaries of a partition: least squares with the
/// signs of the bounds, and zero for gaps farther than the fraction `active` from their bound.
///
/// Moving the point `x` at a boundary from the right cluster to the left one changes the cost with multipliers by
/// `(x - l)² + κ_l·(x - l)/w_l - (x - r)² - κ_r·(x - r)/w_r`, with `l`, `r` the means and `w` the weights.
pub(super) fn multipliers(prefixes: &Prefixes<'_>, gaps: &Rows, partition: &Partition, active: f64) -> Vec<f64> {
    let blocks: Vec<_> = partition.blocks(prefixes).collect();
    let ends = partition.ends();
    let count = gaps.lower.len();
    // Row m: coefficients of the multipliers m - 1, m, m + 1 and the slope without them.
    let mut rows = vec![([0.0; 3], 0.0); count];
    for m in 0..count {
        let (l, r) = (blocks[m], blocks[m + 1]);
        let x = 0.5 * (prefixes.sample().framed(ends[m] - 1) + prefixes.sample().framed(ends[m]));
        let (alpha, beta) = ((x - l.mean) / l.weight, (r.mean - x) / r.weight);
        let slope = (x - l.mean).powi(2) - (x - r.mean).powi(2);
        rows[m] = ([-alpha, alpha - beta, beta], slope);
    }
    let signs: Vec<(f64, f64)> = (0..count)
        .map(|g| {
            let gap = blocks[g + 1].mean - blocks[g].mean;
            let (lower, upper) = (gaps.lower[g], gaps.upper[g]);
            let positive = lower > 0.0 && gap <= lower * (1.0 + active);
            let negative = gap >= upper * (1.0 - active);
            (if negative { f64::NEG_INFINITY } else { 0.0 }, if positive { f64::INFINITY } else { 0.0 })
        })
        .collect();
    descend(&rows, &signs)
}

/// Coordinate descent on `Σ (slope + row·μ)²` with every `μ_g` in its interval.
fn descend(rows: &[([f64; 3], f64)], signs: &[(f64, f64)]) -> Vec<f64> {
    let count = rows.len();
    let mut mu = vec![0.0; count];
    let mut residual: Vec<f64> = rows.iter().map(|row| row.1).collect();
    for _ in 0..MAX_SWEEPS {
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let mut moved = 0.0_f64;
        for g in 0..count {
            if signs[g] == (0.0, 0.0) {
                continue;
            }
            let touching = g.saturating_sub(1)..(g + 2).min(count);
            let coefficient = |m: usize| rows[m].0[g + 1 - m];
            let (mut slope, mut curvature) = (0.0, 0.0);
            for m in touching.clone() {
                slope += coefficient(m) * residual[m];
                curvature += coefficient(m) * coefficient(m);
            }
            if curvature <= 0.0 {
                continue;
            }
            let next = (mu[g] - slope / curvature).clamp(signs[g].0, signs[g].1);
            let step = next - mu[g];
            touching.for_each(|m| residual[m] += coefficient(m) * step);
            mu[g] = next;
            moved = moved.max(step.abs() / (next.abs() + f64::MIN_POSITIVE));
        }
        if moved < 1e-10 {
            break;
        }
    }
    if mu.iter().all(|m: &f64| m.is_finite()) { mu } else { vec![0.0; count] }
}
