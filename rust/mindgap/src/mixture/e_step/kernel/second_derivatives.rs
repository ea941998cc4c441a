//! The sums for the second derivatives over a tile: O(points × relevant components²).
//!
//! The residuals of two components are affine functions of each other. So the nine sums of a pair follow from five,
//! `Σ w r r' z'^j`, in residuals of the narrower one (`docs/mathematics.md`).

use super::{Parabola, Pass, Scratch, TILE, Tile, sum_of_eight};
use crate::mixture::engine::Curvature;
use crate::numeric::elementary::mul_add;
use std::f64::consts::LN_2;

/// Scores of one component at one point: `r`, `rz`, `rz²`.
const SCORES: usize = 3;

/// Powers of a residual, from 0 to 4.
const POWERS: usize = 5;

/// Independent partial sums of each kind. They are added where vector code ends: if the compiler sees both, it makes
/// vectors of pairs.
type Lanes = [f64; 8];

/// Working memory for the second derivatives; empty if they are not summed.
pub(super) struct Curved {
    /// `r z^j` of each relevant component.
    powers: Vec<[Tile; POWERS]>,
    /// Σ w r z³ and Σ w r z⁴ of each.
    higher: Vec<[Lanes; 2]>,
    /// Σ w r r' z'^j of each pair of relevant components, the wider one first; row-major.
    pairs: Vec<[Lanes; POWERS]>,
}

impl Curved {
    /// Makes the memory for `components`, if `wanted`.
    pub(super) fn new(components: usize, wanted: bool) -> Self {
        let components = if wanted { components } else { 0 };
        Self {
            powers: vec![[[0.0; TILE]; POWERS]; components],
            higher: vec![[[0.0; 8]; 2]; components],
            pairs: vec![[[0.0; 8]; POWERS]; components * components],
        }
    }

    /// Whether there is memory for this many components.
    pub(super) fn holds(&self, components: usize) -> bool {
        self.higher.len() >= components
    }

    /// Resets the sums of this many relevant components.
    pub(super) fn clear(&mut self, components: usize) {
        self.higher.fill([[0.0; 8]; 2]);
        let used = (components * components).min(self.pairs.len());
        self.pairs[..used].fill([[0.0; 8]; POWERS]);
    }
}

impl Pass<'_> {
    /// Adds the sums for the second derivatives. `total`, the sum of the densities, becomes its inverse.
    #[inline(always)]
    pub(super) fn add_curvature<const FUSED: bool, const WEIGHTED: bool>(&self, scratch: &mut Scratch) {
        let Scratch { z, weight, total, density, relevant, curved, .. } = scratch;
        let Curved { powers, higher, pairs } = curved;
        for i in 0..TILE {
            total[i] = 1.0 / total[i];
        }
        let count = relevant.components.len();
        for c in 0..count {
            let parabola = &self.parabolas[relevant.components[c]];
            let (mean, steepness, density) = (parabola.mean, steepness(parabola), &density[c]);
            let [r0, r1, r2, r3, r4] = &mut powers[c];
            let [mut third, mut fourth] = higher[c];
            for row in (0..TILE).step_by(8) {
                for l in 0..8 {
                    let i = row + l;
                    let residual = (z[i] - mean) * steepness;
                    let r = density[i] * total[i];
                    let first = r * residual;
                    let second = first * residual;
                    let cube = second * residual;
                    (r0[i], r1[i], r2[i], r3[i], r4[i]) = (r, first, second, cube, cube * residual);
                    let cube = if WEIGHTED { weight[i] * cube } else { cube };
                    third[l] += cube;
                    fourth[l] = mul_add::<FUSED>(cube, residual, fourth[l]);
                }
            }
            higher[c] = [third, fourth];
        }
        for a in 0..count {
            let mut left = powers[a][0];
            if WEIGHTED {
                for i in 0..TILE {
                    left[i] *= weight[i];
                }
            }
            for b in 0..count {
                if self.is_wider(relevant.components[a], relevant.components[b]) {
                    add_products::<FUSED>(&left, &powers[b], &mut pairs[a * count + b]);
                }
            }
        }
    }

    /// Whether the first component of a pair is the wider one: of equals that of the lower index, also with itself.
    #[inline(always)]
    fn is_wider(&self, first: usize, second: usize) -> bool {
        let (a, b) = (self.parabolas[first].curvature, self.parabolas[second].curvature);
        a < b || a == b && first <= second
    }

    /// Adds the sums over a chunk to `curvature`, of which only the entries on and above the diagonal are read.
    #[inline(never)]
    pub(super) fn flush_curvature(&self, scratch: &Scratch, curvature: &mut Curvature) {
        let components = &scratch.relevant.components;
        let (n, count) = (SCORES * curvature.third.len(), components.len());
        for a in 0..count {
            let wide = components[a];
            let [third, fourth] = &scratch.curved.higher[a];
            curvature.third[wide] += sum_of_eight(third);
            curvature.fourth[wide] += sum_of_eight(fourth);
            for b in 0..count {
                let narrow = components[b];
                if !self.is_wider(wide, narrow) {
                    continue;
                }
                let block =
                    self.block(wide, narrow, scratch.curved.pairs[a * count + b].map(|lanes| sum_of_eight(&lanes)));
                let (row, column) = (SCORES * wide.min(narrow), SCORES * wide.max(narrow));
                for i in 0..SCORES {
                    let line = &mut curvature.outer[(row + i) * n + column..][..SCORES];
                    for j in 0..SCORES {
                        line[j] += if wide <= narrow { block[i][j] } else { block[j][i] };
                    }
                }
            }
        }
    }

    /// Σ w s s'ᵀ of the scores of two components: the wider one's residual is `α z + β`.
    fn block(&self, wide: usize, narrow: usize, sums: [f64; POWERS]) -> [[f64; SCORES]; SCORES] {
        let (wide, narrow) = (&self.parabolas[wide], &self.parabolas[narrow]);
        let steep = steepness(wide);
        let (alpha, beta) = (steep / steepness(narrow), (narrow.mean - wide.mean) * steep);
        let mut block = [[0.0; SCORES]; SCORES];
        for j in 0..SCORES {
            let [low, middle, high] = [sums[j], sums[j + 1], sums[j + 2]];
            block[0][j] = low;
            block[1][j] = alpha * middle + beta * low;
            block[2][j] = alpha * (alpha * high + 2.0 * beta * middle) + beta * beta * low;
        }
        block
    }
}

/// One over the standard deviation: the curvature is log₂e/(2v).
#[inline(always)]
fn steepness(parabola: &Parabola) -> f64 {
    (2.0 * LN_2 * parabola.curvature).sqrt()
}

/// Adds Σ a·b over a tile for each `b` of `right`: all sums at once, so that `left` is loaded once.
#[inline(always)]
fn add_products<const FUSED: bool>(left: &Tile, right: &[Tile; POWERS], to: &mut [Lanes; POWERS]) {
    let mut sums = *to;
    for row in (0..TILE).step_by(8) {
        for j in 0..POWERS {
            for l in 0..8 {
                sums[j][l] = mul_add::<FUSED>(left[row + l], right[j][row + l], sums[j][l]);
            }
        }
    }
    *to = sums;
}
