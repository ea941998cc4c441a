//! [`Within`]: the probability and the moments of a normal distribution within an interval.
//!
//! Gauss-Legendre quadrature from the end that is nearest to the mean, over panels within which the density falls by a
//! bounded factor. Every term is positive, so nothing cancels in narrow intervals or tails: results have a relative
//! error of about 1e-14.

use crate::mixture::e_step::LEAST;
use crate::numeric::portable::{exp2, log2};
use std::f64::consts::{LOG2_E, PI};

/// Integration ends where the density has fallen by `exp(-FARTHEST_FALL)`: the rest is below rounding.
const FARTHEST_FALL: f64 = 45.0;

/// The density falls by at most about `exp(-FALL)` within a panel of sixteen nodes: the rule's error is then below
/// 1e-19.
const FALL: f64 = 12.0;

/// Within a fall of `exp(-SLIGHT_FALL)` eight nodes are as accurate.
const SLIGHT_FALL: f64 = 0.5;

/// Nodes and weights of the rule of eight points, for the right half of `[-1, 1]`.
const EIGHT: [(f64, f64); 4] = [
    (0.183_434_642_495_649_78, 0.362_683_783_378_361_66),
    (0.525_532_409_916_329, 0.313_706_645_877_886_9),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_43),
    (0.960_289_856_497_536_2, 0.101_228_536_290_377_06),
];

/// The same for sixteen points.
const SIXTEEN: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_64),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_64),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_65),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_7),
    (0.755_404_408_355_003, 0.124_628_971_255_534_07),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_6),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_456),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_176),
];

/// The standard normal distribution within an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mixture) struct Within {
    /// The binary logarithm of its probability there.
    pub(in crate::mixture) log2: f64,
    /// The averages of `z`, `z²`, `z³` and `z⁴` there.
    pub(in crate::mixture) moments: [f64; 4],
}

impl Within {
    /// Integrates from `low` to `high`, in standard units; `width` is their difference, which the caller may have more
    /// exactly. Ends may be infinite.
    pub(in crate::mixture) fn new(low: f64, high: f64, width: f64) -> Self {
        if low >= 0.0 {
            Self::tail(low, width)
        } else if high <= 0.0 {
            Self::tail(-high, width).mirrored()
        } else {
            Self::tail(0.0, high).with(&Self::tail(0.0, -low).mirrored())
        }
    }

    /// An upper bound on the logarithm of the probability between `low` and `high`, at the cost of a product.
    pub(in crate::mixture) fn at_most(low: f64, high: f64) -> f64 {
        let nearest = low.max(-high).max(0.0);
        (-0.5 * LOG2_E * nearest * nearest).max(LEAST)
    }

    /// Integrates from a nonnegative `a` to `a + width`.
    fn tail(a: f64, width: f64) -> Self {
        let reach = 2.0 * FARTHEST_FALL / ((a * a + 2.0 * FARTHEST_FALL).sqrt() + a);
        let length = width.min(reach);
        let fall = length * (a + 0.5 * length);
        let mut sums = [0.0; 5];
        if fall <= SLIGHT_FALL {
            add_panel(&EIGHT, a, 0.5 * length, 0.5 * length, &mut sums);
        } else {
            let panels = (fall / FALL).ceil();
            let half = 0.5 * length / panels;
            let mut panel = 0.0;
            while panel < panels {
                add_panel(&SIXTEEN, a, half * (2.0 * panel + 1.0), half, &mut sums);
                panel += 1.0;
            }
        }
        let [mass, moments @ ..] = sums;
        let height = -0.5 * (LOG2_E * a * a + log2(2.0 * PI));
        let log2 = (height + log2(mass)).max(LEAST);
        if mass <= 0.0 || mass.is_nan() {
            // An interval narrower than rounding is a point.
            return Self { log2, moments: [a, a * a, a * a * a, a * a * a * a] };
        }
        Self { log2, moments: moments.map(|sum| sum / mass) }
    }

    /// Reflects at zero.
    fn mirrored(self) -> Self {
        let [first, second, third, fourth] = self.moments;
        Self { log2: self.log2, moments: [-first, second, -third, fourth] }
    }

    /// The union with the disjoint `other`.
    pub(in crate::mixture) fn with(&self, other: &Self) -> Self {
        let highest = self.log2.max(other.log2);
        let (here, there) = (exp2(self.log2 - highest), exp2(other.log2 - highest));
        let total = here + there;
        let moments = std::array::from_fn(|i| (here * self.moments[i] + there * other.moments[i]) / total);
        Self { log2: (highest + log2(total)).max(LEAST), moments }
    }
}

/// Adds the integrals of 1, z, …, z⁴ times the density relative to that at `a`, over `middle ± half` beyond `a`.
#[inline(always)]
fn add_panel(rule: &[(f64, f64)], a: f64, middle: f64, half: f64, sums: &mut [f64; 5]) {
    for &(node, weight) in rule {
        for t in [middle - half * node, middle + half * node] {
            let z = a + t;
            let mut term = half * weight * exp2(-LOG2_E * t * (a + 0.5 * t));
            for sum in sums.iter_mut() {
                *sum += term;
                term *= z;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by brute force: Simpson's rule on a hundred thousand pieces, relative to the highest density.
    fn slow(low: f64, high: f64) -> (f64, [f64; 4]) {
        let nearest = low.max(-high).max(0.0);
        let (from, to) = (low.max(-nearest - 12.0), high.min(nearest + 12.0));
        let pieces = 100_000;
        let step = (to - from) / f64::from(pieces);
        let mut sums = [0.0; 5];
        for i in 0..=pieces {
            let z = from + step * f64::from(i);
            let rule = if i == 0 || i == pieces { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
            let density = (0.5 * (nearest * nearest - z * z)).exp() * rule * step / 3.0;
            (0..5).for_each(|j| sums[j] += density * z.powi(j as i32));
        }
        let log2 = (sums[0] / (2.0 * PI).sqrt()).log2() - 0.5 * LOG2_E * nearest * nearest;
        (log2, [1, 2, 3, 4].map(|j| sums[j] / sums[0]))
    }

    #[test]
    fn probabilities_and_moments_are_those_of_numerical_integration() {
        let ends = [-30.0, -8.0, -3.3, -1.0, -0.01, 0.0, 0.2, 1.5, 6.0, 25.0];
        for low in ends {
            for width in [1e-6, 1e-3, 0.1, 0.9, 3.0, 20.0, f64::INFINITY] {
                let high = low + width;
                let found = Within::new(low, high, width);
                let (log2, moments) = slow(low, high);
                assert!((found.log2 - log2).abs() <= 1e-9 * (1.0 + log2.abs()), "[{low}, {high}]: {found:?}, {log2}");
                for (j, (a, b)) in found.moments.iter().zip(&moments).enumerate() {
                    let size = 1.0 + b.abs();
                    assert!((a - b).abs() <= 1e-7 * size, "[{low}, {high}] moment {j}: {a} for {b}");
                }
            }
        }
    }

    #[test]
    fn neighbours_add_up_far_out_and_close_in() {
        for (a, b, c) in [(3.0, 3.5, 9.0), (40.0, 40.1, f64::INFINITY), (-1.0, 1e-9, 2e-9), (1e5, 1e5 + 1.0, 2e5)] {
            let parts = Within::new(a, b, b - a).with(&Within::new(b, c, c - b));
            let whole = Within::new(a, c, c - a);
            assert!((parts.log2 - whole.log2).abs() <= 1e-12 * (1.0 + whole.log2.abs()), "{parts:?} {whole:?}");
            assert!((parts.moments[0] - whole.moments[0]).abs() <= 1e-12 * (1.0 + whole.moments[0].abs()));
        }
    }

    #[test]
    fn everything_is_finite_at_the_ends_of_doubles() {
        for (low, high) in [(1e150, 1e151), (-1e200, -1e150), (-1e150, 1e150), (0.0, 0.0), (f64::NEG_INFINITY, 1e100)] {
            let found = Within::new(low, high, high - low);
            assert!(found.log2.is_finite() && found.log2 <= 0.0, "{found:?}");
            assert!(found.moments.iter().all(|moment| !moment.is_nan()), "{found:?}");
        }
        let point = Within::new(0.5, 0.5, 0.0);
        assert_eq!(point.moments, [0.5, 0.25, 0.125, 0.0625]);
    }
}
