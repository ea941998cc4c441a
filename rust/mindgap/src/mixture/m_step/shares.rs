//! [`Shares`]: the exact maximum of `Σ n_k log w_k` over weights with individual bounds, O(k log k).
//!
//! Each weight is `n_k τ`, clamped to its bounds, with the `τ` that makes their sum one. The sum is piecewise linear in
//! `τ`, with breaks where a weight meets a bound: bisection finds the piece, a division the `τ` on it.

/// The least weight of a component, as a fraction of the total: an empty component takes the weight that the bounds of
/// the others leave. Far below the rounding of a sum.
const LEAST_SHARE: f64 = 1e-20;

/// The bounds on the weights besides their sum.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::mixture) struct Shares {
    pub(in crate::mixture) lower: Vec<f64>,
    pub(in crate::mixture) upper: Vec<f64>,
}

impl Shares {
    /// Returns the best weights, given the expected weight of each component.
    pub(in crate::mixture) fn best(&self, weight: &[f64]) -> Vec<f64> {
        let least = LEAST_SHARE * weight.iter().sum::<f64>();
        let weight: Vec<f64> = weight.iter().map(|n| n.max(least)).collect();
        let share = |k: usize, tau: f64| (weight[k] * tau).max(self.lower[k]).min(self.upper[k]);
        let sum = |tau: f64| (0..weight.len()).map(|k| share(k, tau)).sum::<f64>();
        let meets = |bounds: &[f64]| bounds.iter().zip(&weight).map(|(bound, n)| bound / n).collect::<Vec<f64>>();
        let mut places = [meets(&self.lower), meets(&self.upper)].concat();
        places.sort_unstable_by(f64::total_cmp);
        let after = places.partition_point(|&tau| sum(tau) < 1.0);
        let tau = match (after.checked_sub(1).map(|before| places[before]), places.get(after)) {
            (Some(below), Some(&above)) => self.between(&weight, below, above),
            // The bounds sum to one up to rounding.
            (below, above) => below.or(above.copied()).unwrap_or(0.0),
        };
        (0..weight.len()).map(|k| share(k, tau)).collect()
    }

    /// The `τ` between two neighbouring breaks at which the weights sum to one.
    fn between(&self, weight: &[f64], below: f64, above: f64) -> f64 {
        let middle = 0.5 * (below + above);
        let (mut free, mut held) = (0.0, 0.0);
        for (k, &n) in weight.iter().enumerate() {
            match n * middle {
                share if share <= self.lower[k] => held += self.lower[k],
                share if share >= self.upper[k] => held += self.upper[k],
                _ => free += n,
            }
        }
        if free > 0.0 { ((1.0 - held) / free).clamp(below, above) } else { above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// By how much the objective rises, to first order and in shares of the total weight, on the way from `w` to the
    /// best vertex: the weights of the steepest components at their upper bounds.
    fn gain(shares: &Shares, weight: &[f64], w: &[f64]) -> f64 {
        let slope: Vec<f64> = weight.iter().zip(w).map(|(n, w)| n / w).collect();
        let mut steepest: Vec<usize> = (0..w.len()).collect();
        steepest.sort_by(|&a, &b| slope[b].total_cmp(&slope[a]));
        let mut rest = 1.0 - shares.lower.iter().sum::<f64>();
        let mut rise = 0.0;
        for k in steepest {
            let more = (shares.upper[k] - shares.lower[k]).min(rest);
            rest -= more;
            rise += slope[k] * (shares.lower[k] + more - w[k]);
        }
        rise / weight.iter().sum::<f64>()
    }

    #[test]
    fn no_admissible_direction_gains() {
        let mut dice = Dice(0x003f_58a5_e12b);
        for case in 0..4000 {
            let k = 1 + (dice.unit() * 6.0) as usize;
            let weight: Vec<f64> = (0..k).map(|_| 10f64.powf(5.0 * dice.unit())).collect();
            let inside: Vec<f64> = (0..k).map(|_| dice.unit() + 1e-3).collect();
            let total: f64 = inside.iter().sum();
            let (lower, upper) = inside
                .iter()
                .map(|w| match (dice.unit() * 4.0) as usize {
                    0 => (w / total, w / total),
                    1 => (w / total * dice.unit(), 1.0),
                    2 => (0.0, (w / total * (1.0 + dice.unit())).min(1.0)),
                    _ => (w / total * dice.unit(), (w / total * (1.0 + dice.unit())).min(1.0)),
                })
                .unzip();
            let shares = Shares { lower, upper };
            let best = shares.best(&weight);
            assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-13, "case {case}: {best:?}");
            for (c, w) in best.iter().enumerate() {
                assert!((shares.lower[c]..=shares.upper[c]).contains(w), "case {case}: {best:?} for {shares:?}");
            }
            let gain = gain(&shares, &weight, &best);
            assert!(gain <= 1e-10, "case {case}: {gain} to gain at {best:?}, {shares:?}, {weight:?}");
        }
    }

    #[test]
    fn fixed_weights_are_kept_to_the_bit_and_lost_components_take_the_rest() {
        let fixed = [0.1, 0.2, 0.7];
        let shares = Shares { lower: fixed.to_vec(), upper: fixed.to_vec() };
        assert_eq!(shares.best(&[1.0, 0.0, 1e9]), fixed);
        let shares = Shares { lower: vec![0.0; 3], upper: vec![0.25, 1.0, 0.25] };
        assert_eq!(shares.best(&[5.0, 0.0, 7.0]), [0.25, 0.5, 0.25]);
        let free = Shares { lower: vec![0.0; 2], upper: vec![1.0; 2] };
        assert_eq!(free.best(&[1.0, 3.0]), [0.25, 0.75]);
    }
}
