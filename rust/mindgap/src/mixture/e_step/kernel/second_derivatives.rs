//! The sums for the second derivatives over a tile: O(points × relevant components²).

use super::{LANES, Parabola, Pass, Scratch, TILE, Tile, sum};
use crate::mixture::engine::Curvature;
use crate::numeric::elementary::mul_add;
use std::f64::consts::LN_2;

/// Scores of one component at one point: `r`, `rz`, `rz²`.
const SCORES: usize = 3;

/// Working memory for the second derivatives; empty if they are not summed.
pub(super) struct Curved {
    /// `r`, `rz` and `rz²` of each relevant component.
    scores: Vec<Tile>,
    /// Σ w r z³ and Σ w r z⁴ of each.
    higher: Vec<[f64; 2]>,
    /// Σ w s sᵀ over the relevant components' scores, above the diagonal.
    outer: Vec<f64>,
}

impl Curved {
    /// Makes the memory for `components`, if `wanted`.
    pub(super) fn new(components: usize, wanted: bool) -> Self {
        let components = if wanted { components } else { 0 };
        Self {
            scores: vec![[0.0; TILE]; SCORES * components],
            higher: vec![[0.0; 2]; components],
            outer: vec![0.0; SCORES * SCORES * components * components],
        }
    }

    /// Whether there is memory for this many components.
    pub(super) fn holds(&self, components: usize) -> bool {
        self.higher.len() >= components
    }

    /// Resets the sums of this many relevant components.
    pub(super) fn clear(&mut self, components: usize) {
        self.higher.fill([0.0; 2]);
        let count = SCORES * components;
        let used = (count * count).min(self.outer.len());
        self.outer[..used].fill(0.0);
    }
}

impl Pass<'_> {
    /// Adds the sums for the second derivatives; `total` is still the sum of the densities.
    #[inline(always)]
    pub(super) fn add_curvature<const FUSED: bool, const WEIGHTED: bool>(&self, scratch: &mut Scratch) {
        let Scratch { z, weight, total, density, relevant, curved, .. } = scratch;
        let Curved { scores, higher, outer } = curved;
        let mut inverse = [0.0; TILE];
        for i in 0..TILE {
            inverse[i] = 1.0 / total[i];
        }
        let components = relevant.components.iter().zip(density).zip(scores.chunks_mut(SCORES)).zip(&mut *higher);
        for (((&k, density), scores), higher) in components {
            let Parabola { mean, curvature, .. } = self.parabolas[k];
            // The curvature is log₂e/(2v).
            let steepness = (2.0 * LN_2 * curvature).sqrt();
            let [responsibility, first, second] = scores else { continue };
            let (mut third, mut fourth) = ([0.0; LANES], [0.0; LANES]);
            for row in (0..TILE).step_by(LANES) {
                for l in 0..LANES {
                    let i = row + l;
                    let residual = (z[i] - mean) * steepness;
                    let r = density[i] * inverse[i];
                    let (a, b) = (r * residual, r * residual * residual);
                    responsibility[i] = r;
                    first[i] = a;
                    second[i] = b;
                    let cube = if WEIGHTED { weight[i] * b * residual } else { b * residual };
                    third[l] += cube;
                    fourth[l] = mul_add::<FUSED>(cube, residual, fourth[l]);
                }
            }
            higher[0] += sum(&third);
            higher[1] += sum(&fourth);
        }
        let count = SCORES * relevant.components.len();
        let (blocks, _) = scores.as_chunks::<SCORES>();
        for (a, block) in blocks[..relevant.components.len()].iter().enumerate() {
            let mut left = *block;
            if WEIGHTED {
                for tile in &mut left {
                    for i in 0..TILE {
                        tile[i] *= weight[i];
                    }
                }
            }
            for (b, right) in blocks[..relevant.components.len()].iter().enumerate().skip(a) {
                for (at, lanes) in products::<FUSED>(&left, right).iter().enumerate() {
                    outer[(SCORES * a + at / SCORES) * count + SCORES * b + at % SCORES] += sum_of_eight(lanes);
                }
            }
        }
    }
}

impl Scratch {
    /// Adds the sums to `curvature`.
    pub(super) fn flush_curvature(&self, curvature: &mut Curvature) {
        let (wide, count) = (SCORES * curvature.third.len(), SCORES * self.relevant.components.len());
        for (&k, [third, fourth]) in self.relevant.components.iter().zip(&self.curved.higher) {
            curvature.third[k] += third;
            curvature.fourth[k] += fourth;
        }
        let place = |a: usize| SCORES * self.relevant.components[a / SCORES] + a % SCORES;
        for a in 0..count {
            for b in a..count {
                curvature.outer[place(a) * wide + place(b)] += self.curved.outer[a * count + b];
            }
        }
    }
}

/// Σ a·b over a tile for each `a` of `left` and `b` of `right`, in eight lanes: nine sums at once, so that terms are
/// loaded once.
#[inline(always)]
fn products<const FUSED: bool>(left: &[Tile; SCORES], right: &[Tile; SCORES]) -> [[f64; 8]; SCORES * SCORES] {
    let mut sums = [[0.0; 8]; SCORES * SCORES];
    for row in (0..TILE).step_by(8) {
        for i in 0..SCORES {
            for j in 0..SCORES {
                let sum = &mut sums[SCORES * i + j];
                for l in 0..8 {
                    sum[l] = mul_add::<FUSED>(left[i][row + l], right[j][row + l], sum[l]);
                }
            }
        }
    }
    sums
}

/// The sum of the lanes, pairwise in a fixed order.
#[inline(always)]
fn sum_of_eight(lanes: &[f64; 8]) -> f64 {
    let [a, b, c, d, e, f, g, h] = *lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
