//! What a new component gains beside a mixture, and with which share: `max_ε Σ w log(1 - ε + ε φ/f)`, by Newton's
//! method. O(cells within its reach).

use super::cells::Cells;
use crate::mixture::parameters::Parameters;
use crate::numeric::elementary::{exp2, ln};
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::{LOG2_E, PI};

/// Farther away than this many spreads a component has next to no density. Of 2,000 problems the same were missed with 8.
const REACH: f64 = 6.0;

/// Newton steps for the share at most.
const SHARE_STEPS: usize = 6;

/// A step that changes the share by less than this fraction is the last: Newton's method converges quadratically, so
/// the share is then known to about a tenth of itself, and the gain, whose derivative vanishes there, to a percent.
const LAST_STEP: f64 = 0.3;

/// Where Newton's method starts, unless a component nearby gains.
const FIRST_SHARE: f64 = 0.2;

/// Cells that go through the loops together.
const LANES: usize = 8;

type GainLanes = [f64; LANES];

/// What a new component gains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inserted {
    pub(super) gain: f64,
    pub(super) share: f64,
}

/// The places where a component may be put in: the cells in rows of lanes, the last filled up with weights of zero.
pub(super) struct Insertions {
    positions: Vec<GainLanes>,
    weights: Vec<GainLanes>,
    /// One over the density of the mixture at each cell.
    inverse: Vec<GainLanes>,
    total: f64,
    /// Each `φ/f - 1` within reach.
    terms: Vec<GainLanes>,
}

impl Insertions {
    /// Beside `mixture`.
    pub(super) fn new(cells: &Cells, mixture: &Parameters) -> Self {
        let [_, last] = cells.ends();
        let positions = in_rows(&cells.positions, last);
        let inverse = Arch::new().dispatch(InverseDensity { positions: &positions, mixture });
        Self { weights: in_rows(&cells.weights, 0.0), positions, inverse, total: cells.total, terms: Vec::new() }
    }

    /// The gains of components at ascending `means`, each with its best share.
    pub(super) fn along(&mut self, means: &[f64], variance: f64) -> Vec<Inserted> {
        Arch::new().dispatch(Along { places: self, means, variance })
    }
}

/// The values in rows of lanes, filled up with `rest`.
fn in_rows(values: &[f64], rest: f64) -> Vec<GainLanes> {
    let row = |values: &[f64]| {
        let mut row = [rest; LANES];
        row[..values.len()].copy_from_slice(values);
        row
    };
    values.chunks(LANES).map(row).collect()
}

/// One over the density of a mixture at each cell.
struct InverseDensity<'a> {
    positions: &'a [GainLanes],
    mixture: &'a Parameters,
}

impl WithSimd for InverseDensity<'_> {
    type Output = Vec<GainLanes>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Vec<GainLanes> {
        let mut density = vec![[f64::MIN_POSITIVE; LANES]; self.positions.len()];
        let parts = self.mixture.weights().iter().zip(self.mixture.means()).zip(self.mixture.variances());
        for ((&weight, &mean), &variance) in parts {
            let (height, bend) = (weight / (2.0 * PI * variance).sqrt(), 0.5 * LOG2_E / variance);
            for (density, x) in density.iter_mut().zip(self.positions) {
                for l in 0..LANES {
                    density[l] += height * exp2::<false>(-bend * (x[l] - mean) * (x[l] - mean));
                }
            }
        }
        density.iter_mut().flatten().for_each(|density| *density = 1.0 / *density);
        density
    }
}

/// Components of one variance at ascending means.
struct Along<'a> {
    places: &'a mut Insertions,
    means: &'a [f64],
    variance: f64,
}

impl WithSimd for Along<'_> {
    type Output = Vec<Inserted>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Vec<Inserted> {
        let Self { places: Insertions { positions, weights, inverse, total, terms }, means, variance } = self;
        let reach = REACH * variance.sqrt();
        // The rows within reach.
        let (mut from, mut to) = (0, 0);
        let (mut share, mut found) = (FIRST_SHARE, Vec::with_capacity(means.len()));
        for &mean in means {
            while from < positions.len() && positions[from][LANES - 1] < mean - reach {
                from += 1;
            }
            while to < positions.len() && positions[to][0] <= mean + reach {
                to += 1;
            }
            let (positions, weights) = (&positions[from..to.max(from)], &weights[from..to.max(from)]);
            let inverse = &inverse[from..to.max(from)];
            let best = Insertion { positions, weights, inverse, total: *total, mean, variance, terms }.best(share);
            // Its neighbour's best share is near.
            share = if best.gain > 0.0 { best.share } else { FIRST_SHARE };
            found.push(best);
        }
        found
    }
}

/// A component at one place. Its loops use no fused multiply-adds, so that their bits are the same on every machine.
struct Insertion<'a> {
    positions: &'a [GainLanes],
    weights: &'a [GainLanes],
    inverse: &'a [GainLanes],
    total: f64,
    mean: f64,
    variance: f64,
    terms: &'a mut Vec<GainLanes>,
}

impl Insertion<'_> {
    /// The gain with the best share, looked for from `share` on.
    #[inline(always)]
    fn best(mut self, mut share: f64) -> Inserted {
        let [weight, excess] = self.fill();
        if excess + weight <= self.total {
            // The density within reach is less than the mixture's on average.
            return Inserted { gain: 0.0, share: 0.0 };
        }
        let outside = self.total - weight;
        for _ in 0..SHARE_STEPS {
            let beyond = -1.0 / (1.0 - share);
            let [slope, bend] = self.derivatives(share);
            let step = (slope + outside * beyond) / (bend + outside * beyond * beyond);
            let next = (share + step).max(0.2 * share).min(share + 0.7 * (1.0 - share));
            let last = (next - share).abs() <= LAST_STEP * share;
            share = next;
            if last {
                break;
            }
        }
        let share = share.clamp(1e-4, 0.9);
        Inserted { gain: self.gain(share) + outside * ln::<false>(1.0 - share), share }
    }

    /// Fills the terms; the sums of the weights and of the weighted terms.
    #[inline(always)]
    fn fill(&mut self) -> [f64; 2] {
        let (height, bend) = (1.0 / (2.0 * PI * self.variance).sqrt(), 0.5 * LOG2_E / self.variance);
        self.terms.clear();
        let (mut weight, mut excess) = ([0.0; LANES], [0.0; LANES]);
        for ((x, w), inverse) in self.positions.iter().zip(self.weights).zip(self.inverse) {
            let mut q = [0.0; LANES];
            for l in 0..LANES {
                let d = x[l] - self.mean;
                q[l] = height * exp2::<false>(-bend * (d * d)) * inverse[l] - 1.0;
                weight[l] += w[l];
                excess[l] += w[l] * q[l];
            }
            self.terms.push(q);
        }
        [sum(&weight), sum(&excess)]
    }

    /// The first derivative of the gain by the share, within reach, and minus the second.
    #[inline(always)]
    fn derivatives(&self, share: f64) -> [f64; 2] {
        let (mut slope, mut bend) = ([0.0; LANES], [0.0; LANES]);
        for (q, w) in self.terms.iter().zip(self.weights) {
            for l in 0..LANES {
                let term = q[l] / (1.0 + share * q[l]);
                slope[l] += w[l] * term;
                bend[l] += w[l] * term * term;
            }
        }
        [sum(&slope), sum(&bend)]
    }

    /// The gain within reach.
    #[inline(always)]
    fn gain(&self, share: f64) -> f64 {
        let mut gain = [0.0; LANES];
        for (q, w) in self.terms.iter().zip(self.weights) {
            for l in 0..LANES {
                gain[l] += w[l] * ln::<false>(1.0 + share * q[l]);
            }
        }
        sum(&gain)
    }
}

/// Pairwise, in one order. Not inlined: if the compiler sees this beside the loop, it makes vectors of pairs.
#[inline(never)]
fn sum(lanes: &GainLanes) -> f64 {
    let [a, b, c, d, e, f, g, h] = *lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sample::Sample;
    use crate::mixture::observed::Observed;

    /// The same on a fine grid of shares, by the definition.
    fn slow(cells: &Cells, mixture: &Parameters, mean: f64, variance: f64) -> f64 {
        let normal = |x: f64, mean: f64, variance: f64| {
            (-0.5 * (x - mean).powi(2) / variance).exp() / (2.0 * PI * variance).sqrt()
        };
        let gain = |share: f64| -> f64 {
            let each = cells.positions.iter().zip(&cells.weights).map(|(&x, w)| {
                let rest: f64 = (0..mixture.k())
                    .map(|c| mixture.weights()[c] * normal(x, mixture.means()[c], mixture.variances()[c]))
                    .sum();
                w * (1.0 - share + share * normal(x, mean, variance) / rest).ln()
            });
            each.sum()
        };
        (0..=900).map(|i| gain(f64::from(i) * 1e-3)).fold(0.0, f64::max)
    }

    #[test]
    fn gains_are_those_of_the_best_share() {
        let x: Vec<f64> = (0..83).map(|i| f64::from(i * i % 83) * 0.05 + if i % 3 == 0 { 6.0 } else { 0.0 }).collect();
        let sample = Sample::new(&x).unwrap();
        let cells = Cells::of(&sample, 83, &Observed::default());
        let [low, high] = cells.ends();
        let at = |share: f64| low + share * (high - low);
        let variance = cells.variance;
        let mixture = Parameters::new(&[0.7, 0.3], &[at(0.2), at(0.6)], &[0.3 * variance, 0.6 * variance]).unwrap();
        let mut places = Insertions::new(&cells, &mixture);
        let mut gained = 0;
        for place in 0..=20 {
            for spread in [0.02, 0.1, 0.5] {
                let (mean, variance) = (at(f64::from(place) / 20.0), spread * variance);
                let found = places.along(&[mean], variance)[0].gain;
                let wanted = slow(&cells, &mixture, mean, variance);
                assert!((found - wanted).abs() <= 0.02 * wanted + 0.02, "{mean} {variance}: {found} for {wanted}");
                gained += usize::from(wanted > 1.0);
            }
        }
        assert!(gained > 10, "{gained}");
    }
}
