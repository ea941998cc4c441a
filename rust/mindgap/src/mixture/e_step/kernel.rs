//! The E step's inner loop over a run of points within known bounds: O(points × relevant components).
//!
//! Points are processed in tiles that stay in the first-level cache. Every loop is plain code over a tile, which the
//! compiler turns into vector code for each kind of processor. Sums have a fixed number of lanes, so that results do
//! not depend on the width of the vectors.

mod second_derivatives;

use super::density::{LEAST, Parabola, Relevant};
use crate::mixture::engine::Moments;
use crate::numeric::elementary::{exp2, ln, mul_add};
use second_derivatives::Curved;
use std::f64::consts::LN_2;

/// Points that share one list of relevant components.
pub(super) const CHUNK: usize = 512;

/// Points processed together.
const TILE: usize = 128;

/// Independent partial sums of each kind.
pub(super) const LANES: usize = 16;

/// If the components' logarithms differ by less than this (in bits), a chunk has one reference.
const SHARED_RANGE: f64 = 144.0;

/// The number of sums, each at least `2^-SHARED_RANGE`, that are multiplied for one logarithm without underflow.
const FACTORS: usize = 4;

type Lanes = [f64; LANES];
type Tile = [f64; TILE];

/// A pass over the data at given parameters.
pub(super) struct Pass<'a> {
    pub(super) parabolas: &'a [Parabola],
    /// Data to engine units: `z = x·scale - shift`.
    pub(super) scale: f64,
    pub(super) shift: f64,
    /// Whether to sum the largest responsibilities.
    pub(super) classify: bool,
    /// Whether to sum for the second derivatives.
    pub(super) curved: bool,
}

/// Working memory of one thread.
pub(super) struct Scratch {
    z: Tile,
    weight: Tile,
    /// The reference of each point: its largest logarithm.
    peak: Tile,
    /// Σ_k of the densities relative to the reference.
    total: Tile,
    /// The largest of them.
    largest: Tile,
    /// Each relevant component's density, a tile each.
    density: Vec<Tile>,
    /// Each relevant component's lanes of n, a and b.
    sums: Vec<[Lanes; 3]>,
    log_likelihood: Lanes,
    peaks: Lanes,
    classification: Lanes,
    relevant: Relevant,
    curved: Curved,
}

impl Scratch {
    /// The memory for a component: a tile and three sums.
    pub(super) const BYTES_A_COMPONENT: usize = size_of::<Tile>() + size_of::<[Lanes; 3]>();

    /// Grows the memory to at least this many components.
    pub(super) fn hold(&mut self, components: usize, curved: bool) {
        if self.density.len() < components || curved && !self.curved.holds(components) {
            *self = Self::new(components.max(self.density.len()), curved);
        }
    }

    pub(super) fn new(components: usize, curved: bool) -> Self {
        Self {
            z: [0.0; TILE],
            weight: [0.0; TILE],
            peak: [0.0; TILE],
            total: [0.0; TILE],
            largest: [0.0; TILE],
            density: vec![[0.0; TILE]; components],
            sums: vec![[[0.0; LANES]; 3]; components],
            log_likelihood: [0.0; LANES],
            peaks: [0.0; LANES],
            classification: [0.0; LANES],
            relevant: Relevant::none(),
            curved: Curved::new(components, curved),
        }
    }
}

impl Pass<'_> {
    /// Adds the sums over `values`, at most [`CHUNK`] of them and at least one, all within `low..=high`, to `moments`.
    #[inline(always)]
    pub(super) fn add_chunk<const FUSED: bool>(
        &self,
        values: &[f64],
        weights: Option<&[f64]>,
        [low, high]: [f64; 2],
        scratch: &mut Scratch,
        moments: &mut Moments,
    ) {
        scratch.relevant.find(self.parabolas, self.enter(low), self.enter(high));
        let shared = scratch.relevant.high - scratch.relevant.low <= SHARED_RANGE;
        scratch.clear();
        for (t, tile) in values.chunks(TILE).enumerate() {
            let weights = weights.map(|weights| &weights[t * TILE..t * TILE + tile.len()]);
            let weighted = scratch.load(self, tile, weights);
            match (shared, weighted) {
                (true, false) => self.add_tile::<FUSED, true, false>(scratch),
                (true, true) => self.add_tile::<FUSED, true, true>(scratch),
                (false, false) => self.add_tile::<FUSED, false, false>(scratch),
                (false, true) => self.add_tile::<FUSED, false, true>(scratch),
            }
        }
        let weight = weights.map_or(values.len() as f64, |weights| weights.iter().sum());
        if let Some(curvature) = &mut moments.curvature {
            self.flush_curvature(scratch, curvature);
        }
        scratch.flush(shared, weight, moments);
    }

    #[inline(always)]
    fn enter(&self, x: f64) -> f64 {
        x * self.scale - self.shift
    }

    #[inline(always)]
    fn add_tile<const FUSED: bool, const SHARED: bool, const WEIGHTED: bool>(&self, scratch: &mut Scratch) {
        if !SHARED {
            self.find_peaks::<FUSED>(scratch);
        }
        self.add_densities::<FUSED, SHARED>(scratch);
        if self.classify {
            scratch.classify::<FUSED, WEIGHTED>();
        }
        scratch.add_logarithms::<FUSED, SHARED, WEIGHTED>();
        match self.curved {
            true => self.add_curvature::<FUSED, WEIGHTED>(scratch),
            false => scratch.invert(),
        }
        if WEIGHTED {
            scratch.weigh();
        }
        self.add_moments::<FUSED>(scratch);
    }

    /// Finds the largest logarithm at each point.
    #[inline(always)]
    fn find_peaks<const FUSED: bool>(&self, scratch: &mut Scratch) {
        scratch.peak = [LEAST; TILE];
        for &k in &scratch.relevant.components {
            let Parabola { mean, height, curvature } = self.parabolas[k];
            for i in 0..TILE {
                let d = scratch.z[i] - mean;
                let value = mul_add::<FUSED>(-curvature, d * d, height);
                // Starts from LEAST, which no overflowed value exceeds.
                scratch.peak[i] = if value > scratch.peak[i] { value } else { scratch.peak[i] };
            }
        }
    }

    /// Computes each component's density relative to the reference, and their sum.
    #[inline(always)]
    fn add_densities<const FUSED: bool, const SHARED: bool>(&self, scratch: &mut Scratch) {
        let Scratch { z, peak, total, largest, density, relevant, .. } = scratch;
        *total = [0.0; TILE];
        if self.classify {
            *largest = [0.0; TILE];
        }
        for (&k, density) in relevant.components.iter().zip(density) {
            let Parabola { mean, height, curvature } = self.parabolas[k];
            let height = if SHARED { height - relevant.high } else { height };
            for i in 0..TILE {
                let d = z[i] - mean;
                let value = mul_add::<FUSED>(-curvature, d * d, height);
                let e = exp2::<FUSED>(if SHARED { value } else { floored(value) - peak[i] });
                density[i] = e;
                total[i] += e;
            }
            if self.classify {
                for i in 0..TILE {
                    largest[i] = if density[i] > largest[i] { density[i] } else { largest[i] };
                }
            }
        }
    }

    /// Adds n, a and b of each component; `total` is weight over sum by now.
    #[inline(always)]
    fn add_moments<const FUSED: bool>(&self, scratch: &mut Scratch) {
        let Scratch { z, total, density, sums, relevant, .. } = scratch;
        for ((&k, density), sums) in relevant.components.iter().zip(density).zip(sums) {
            let mean = self.parabolas[k].mean;
            let [mut n, mut a, mut b] = *sums;
            for row in (0..TILE).step_by(LANES) {
                for l in 0..LANES {
                    let d = z[row + l] - mean;
                    let r = density[row + l] * total[row + l];
                    let first = r * d;
                    n[l] += r;
                    a[l] += first;
                    b[l] = mul_add::<FUSED>(first, d, b[l]);
                }
            }
            *sums = [n, a, b];
        }
    }
}

impl Scratch {
    fn clear(&mut self) {
        self.sums[..self.relevant.components.len()].fill([[0.0; LANES]; 3]);
        self.log_likelihood = [0.0; LANES];
        self.peaks = [0.0; LANES];
        self.classification = [0.0; LANES];
        self.curved.clear(self.relevant.components.len());
    }

    /// Loads a tile; returns whether its weights differ. A short tile is padded with points of weight zero.
    #[inline(always)]
    fn load(&mut self, pass: &Pass<'_>, values: &[f64], weights: Option<&[f64]>) -> bool {
        if let Ok(values) = <&Tile>::try_from(values) {
            for (z, &x) in self.z.iter_mut().zip(values) {
                *z = pass.enter(x);
            }
        } else {
            self.z.fill(pass.enter(values[0]));
            self.weight.fill(0.0);
            self.weight[..values.len()].fill(1.0);
            for (z, &x) in self.z.iter_mut().zip(values) {
                *z = pass.enter(x);
            }
        }
        if let Some(weights) = weights {
            self.weight[..weights.len()].copy_from_slice(weights);
        }
        weights.is_some() || values.len() < TILE
    }

    /// Adds the logarithms of the sums, and the references if each point has its own.
    #[inline(always)]
    fn add_logarithms<const FUSED: bool, const SHARED: bool, const WEIGHTED: bool>(&mut self) {
        if WEIGHTED {
            for row in (0..TILE).step_by(LANES) {
                for l in 0..LANES {
                    let logarithm = ln::<FUSED>(self.total[row + l]);
                    self.log_likelihood[l] = mul_add::<FUSED>(self.weight[row + l], logarithm, self.log_likelihood[l]);
                }
            }
        } else {
            for group in (0..TILE).step_by(FACTORS * LANES) {
                let product = product(&self.total[group..group + FACTORS * LANES]);
                for (sum, &product) in self.log_likelihood.iter_mut().zip(&product) {
                    *sum += ln::<FUSED>(product);
                }
            }
        }
        if !SHARED {
            for row in (0..TILE).step_by(LANES) {
                for l in 0..LANES {
                    let weight = if WEIGHTED { self.weight[row + l] } else { 1.0 };
                    self.peaks[l] = mul_add::<FUSED>(weight, self.peak[row + l], self.peaks[l]);
                }
            }
        }
    }

    /// Adds the logarithms of the largest responsibilities.
    #[inline(always)]
    fn classify<const FUSED: bool, const WEIGHTED: bool>(&mut self) {
        if WEIGHTED {
            for row in (0..TILE).step_by(LANES) {
                for l in 0..LANES {
                    let logarithm = ln::<FUSED>(self.largest[row + l] / self.total[row + l]);
                    self.classification[l] = mul_add::<FUSED>(self.weight[row + l], logarithm, self.classification[l]);
                }
            }
        } else {
            for group in (0..TILE).step_by(FACTORS * LANES) {
                let largest = product(&self.largest[group..group + FACTORS * LANES]);
                let total = product(&self.total[group..group + FACTORS * LANES]);
                for l in 0..LANES {
                    self.classification[l] += ln::<FUSED>(largest[l] / total[l]);
                }
            }
        }
    }

    /// Replaces the sums of the densities by their inverses.
    #[inline(always)]
    fn invert(&mut self) {
        for i in 0..TILE {
            self.total[i] = 1.0 / self.total[i];
        }
    }

    /// Multiplies the inverses by the weights: the factor from densities to weighted responsibilities.
    #[inline(always)]
    fn weigh(&mut self) {
        for i in 0..TILE {
            self.total[i] *= self.weight[i];
        }
    }

    /// Adds the lanes to the moments.
    fn flush(&mut self, shared: bool, weight: f64, moments: &mut Moments) {
        for (&k, [n, a, b]) in self.relevant.components.iter().zip(&self.sums) {
            moments.weight[k] += sum(n);
            moments.first[k] += sum(a);
            moments.second[k] += sum(b);
        }
        let references = if shared { weight * self.relevant.high } else { sum(&self.peaks) };
        moments.log_likelihood += sum(&self.log_likelihood) + LN_2 * references;
        if let Some(classification) = &mut moments.classification {
            *classification += sum(&self.classification);
        }
    }
}

/// The products of [`FACTORS`] numbers each, [`LANES`] apart.
#[inline(always)]
fn product(numbers: &[f64]) -> Lanes {
    let mut product = [1.0; LANES];
    for row in numbers.chunks_exact(LANES) {
        for (product, number) in product.iter_mut().zip(row) {
            *product *= number;
        }
    }
    product
}

/// Replaces overflow by [`LEAST`].
#[inline(always)]
fn floored(value: f64) -> f64 {
    if value > LEAST { value } else { LEAST }
}

/// The sum of the lanes, pairwise in a fixed order.
#[inline(always)]
fn sum(lanes: &Lanes) -> f64 {
    let mut eight = [0.0; LANES / 2];
    for l in 0..LANES / 2 {
        eight[l] = lanes[l] + lanes[l + LANES / 2];
    }
    sum_of_eight(&eight)
}

#[inline(always)]
fn sum_of_eight(lanes: &[f64; 8]) -> f64 {
    let [a, b, c, d, e, f, g, h] = *lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
mod tests;
