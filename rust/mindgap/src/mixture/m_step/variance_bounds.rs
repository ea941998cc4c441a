//! [`VarianceBounds`]: the exact optimum of variances with individual bounds and a bounded ratio, O(k log k).
//!
//! Maximises `Σ n_k log p_k - s_k p_k` over the precisions `p = 1/v`, where `v_k` is between its bounds and no variance
//! is more than `q` times another. For a largest variance `u`, each `v_k` is its own optimum `s_k/n_k`, clamped to its
//! bounds and to `u/q..u`, because its term has one maximum. The result is concave in `1/u`, with a slope that is
//! piecewise linear in `u`, with breaks where a variance meets a bound: bisection finds the piece, a division the
//! optimum on it.

/// The bounds on the variances.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::mixture) struct VarianceBounds {
    /// The least variance of each component.
    pub(in crate::mixture) lower: Vec<f64>,
    /// The largest variance of each component; infinite if unbounded.
    pub(in crate::mixture) upper: Vec<f64>,
    /// The largest ratio of two variances, at least one; infinite if unbounded.
    pub(in crate::mixture) ratio: f64,
}

/// The derivative of the objective in the largest variance.
struct Pull {
    /// Negative if the largest variance should grow.
    slope: f64,
    /// The optimum if no other variance meets a bound on the way.
    rest: Option<f64>,
}

impl VarianceBounds {
    /// Bounds the variances of `k` components below by `floor`.
    pub(in crate::mixture) fn above(floor: f64, k: usize) -> Self {
        Self { lower: vec![floor; k], upper: vec![f64::INFINITY; k], ratio: f64::INFINITY }
    }

    /// Returns the best variances; `targets` are the optimum of each component on its own. A component without weight
    /// keeps its target as far as the others allow.
    pub(in crate::mixture) fn best(&self, weight: &[f64], targets: &[f64]) -> Vec<f64> {
        let own = |k: usize| targets[k].max(self.lower[k]).min(self.upper[k]);
        let mut own: Vec<f64> = (0..targets.len()).map(own).collect();
        let heavy = || own.iter().zip(weight).filter(|(_, n)| **n > 0.0).map(|(v, _)| *v);
        let (low, high) = (heavy().fold(f64::INFINITY, f64::min), heavy().fold(0.0, f64::max));
        let between = if high <= self.ratio * low {
            [high / self.ratio, self.ratio * low]
        } else {
            let top = self.top(weight, targets);
            [top / self.ratio, top]
        };
        own.iter_mut().for_each(|v| *v = v.max(between[0]).min(between[1]));
        own
    }

    /// The largest variance of the optimum if the ratio is active.
    fn top(&self, weight: &[f64], targets: &[f64]) -> f64 {
        let least = self.lower.iter().copied().fold(0.0, f64::max);
        let most = self.ratio * self.upper.iter().copied().fold(f64::INFINITY, f64::min);
        let own = targets.iter().chain(&self.upper).copied();
        let times = targets.iter().chain(&self.lower).map(|v| v * self.ratio);
        let mut places: Vec<f64> = own.chain(times).chain([least, most]).collect();
        places.retain(|u| u.is_finite() && (least..=most).contains(u));
        places.sort_unstable_by(f64::total_cmp);
        let grows = |u: f64| self.pull(weight, targets, u).slope < 0.0;
        let after = places.partition_point(|&u| grows(u));
        match (after.checked_sub(1).map(|before| places[before]), places.get(after)) {
            (None, _) => least,
            (Some(below), None) => below,
            (Some(below), Some(&above)) => {
                let rest = self.pull(weight, targets, 0.5 * (below + above)).rest;
                rest.unwrap_or(below).clamp(below, above)
            }
        }
    }

    /// The pull of the components that the largest variance `u` constrains: those that would be larger than `u`, or
    /// smaller than `u/q`.
    fn pull(&self, weight: &[f64], targets: &[f64], u: f64) -> Pull {
        let (mut n, mut sum, mut slope) = (0.0, 0.0, 0.0);
        for k in 0..targets.len() {
            let wanted = if targets[k] > u && self.upper[k] > u {
                targets[k]
            } else if self.ratio * targets[k] < u && self.ratio * self.lower[k] < u {
                self.ratio * targets[k]
            } else {
                continue;
            };
            n += weight[k];
            sum += weight[k] * wanted;
            slope += weight[k] * (u - wanted);
        }
        Pull { slope, rest: (n > 0.0).then(|| sum / n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// By how much the objective rises, to first order and in shares of the total weight, from variances `v` to the
    /// best vertex of the admissible precisions: for a concave objective zero is the proof of the optimum.
    fn gain(bounds: &VarianceBounds, weight: &[f64], targets: &[f64], v: &[f64]) -> f64 {
        let k = v.len();
        let slope: Vec<f64> = (0..k).map(|c| weight[c] * (v[c] - targets[c])).collect();
        let here: f64 = (0..k).map(|c| slope[c] / v[c]).sum();
        // Largest variances within a factor of ten: near enough for first order, and optima of concave functions are
        // global.
        let top = v.iter().copied().fold(0.0, f64::max);
        let least = bounds.lower.iter().copied().fold(0.1 * top, f64::max);
        let most = (bounds.ratio * bounds.upper.iter().copied().fold(f64::INFINITY, f64::min)).min(10.0 * top);
        // For one largest variance the admissible precisions are a box; its best corner is linear in 1/u between these.
        let mut tops: Vec<f64> = bounds.upper.clone();
        tops.extend(bounds.lower.iter().map(|l| bounds.ratio * l));
        tops.extend([least, most]);
        tops.retain(|u| (least..=most).contains(u));
        let corner = |u: f64| -> f64 {
            let side = |c: usize| {
                let (low, high) = (bounds.lower[c].max(u / bounds.ratio), bounds.upper[c].min(u));
                (slope[c] / low).max(slope[c] / high)
            };
            (0..k).map(side).sum()
        };
        let best = tops.into_iter().map(corner).fold(f64::NEG_INFINITY, f64::max);
        (best - here) / weight.iter().sum::<f64>()
    }

    #[test]
    fn no_admissible_direction_gains() {
        let mut dice = Dice(0x007a_2193_c51d);
        for case in 0..4000 {
            let k = 1 + (dice.unit() * 5.0) as usize;
            let weight: Vec<f64> = (0..k).map(|_| dice.size(6.0)).collect();
            let targets: Vec<f64> = (0..k).map(|_| dice.size(5.0)).collect();
            let ratio = if case % 5 == 0 { 1.0 } else { 1.0 + dice.size(4.0) };
            let mut bounds = VarianceBounds { ratio, ..VarianceBounds::above(1e-9, k) };
            if case % 3 == 0 {
                // Bounds about a point that satisfies them all.
                let inside = dice.size(3.0);
                for c in 0..k {
                    let v = inside * ratio.powf(dice.unit());
                    bounds.lower[c] = if dice.unit() < 0.5 { v * dice.unit().max(1e-3) } else { 1e-9 };
                    bounds.upper[c] = if dice.unit() < 0.3 { v * (1.0 + dice.unit()) } else { f64::INFINITY };
                }
            }
            let best = bounds.best(&weight, &targets);
            let (low, high) =
                (best.iter().copied().fold(f64::INFINITY, f64::min), best.iter().copied().fold(0.0, f64::max));
            assert!(high <= ratio * low * (1.0 + 1e-12), "case {case}: {best:?} for {ratio}");
            for (c, v) in best.iter().enumerate() {
                let held = (bounds.lower[c] * (1.0 - 1e-12)..=bounds.upper[c] * (1.0 + 1e-12)).contains(v);
                assert!(held, "case {case}: {best:?} for {bounds:?}");
            }
            let gain = gain(&bounds, &weight, &targets, &best);
            assert!(gain <= 1e-10, "case {case}: {gain} to gain at {best:?}, {bounds:?}, {weight:?}, {targets:?}");
        }
    }

    #[test]
    fn a_ratio_of_one_pools() {
        let best =
            VarianceBounds { ratio: 1.0, ..VarianceBounds::above(1e-9, 3) }.best(&[1.0, 2.0, 5.0], &[4.0, 1.0, 0.2]);
        assert!(best.iter().all(|v| (v - 7.0 / 8.0).abs() < 1e-15), "{best:?}");
    }

    #[test]
    fn components_on_a_point_and_without_weight_are_held_too() {
        let bounds = VarianceBounds { ratio: 25.0, ..VarianceBounds::above(1e-9, 3) };
        let best = bounds.best(&[5.0, 1.0, 0.0], &[2.0, 0.0, 1e9]);
        // (5·2 + 25·0)/6 would be below the first variance's own.
        assert!((best[0] - 10.0 / 6.0).abs() < 1e-12 && (best[1] - best[0] / 25.0).abs() < 1e-12, "{best:?}");
        assert_eq!(best[2], best[0]);
        assert_eq!(bounds.best(&[1.0, 1.0, 1.0], &[0.0; 3]), [1e-9; 3]);
    }
}
