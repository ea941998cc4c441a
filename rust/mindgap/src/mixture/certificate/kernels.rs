//! Loops over the data in vector code, compiled for each kind of processor, with sums in a fixed order.

use crate::numeric::elementary::{exp2, ln, mul_add};
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::LOG2_E;

/// Lanes of [`MomentKernel`]: [`ORDER`] sums of this many lanes fill the registers.
const MOMENT_LANES: usize = 8;

/// Lanes of dot products.
const DOT_LANES: usize = 16;

/// Exponents of two whose powers are multiplied are at least this, so that no product is subnormal: subnormal numbers are
/// slow on many processors.
const MIN_EXPONENT: f64 = -400.0;

/// Lanes of other sums; the data are padded to a multiple of it.
pub(super) const LANES: usize = 16;

/// The number of terms of an expansion.
pub(super) const ORDER: usize = 24;

/// Exponents of two are at most this, far above those of every sum that could be certified; `elementary::exp2` requires at
/// most 1000.
pub(super) const MAX_EXPONENT: f64 = 900.0;

/// A loop compiled for each kind of processor.
pub(super) trait Kernel {
    type Output;
    fn run<const FUSED: bool>(self) -> Self::Output;
}

struct OnBestInstructions<K>(K);

impl<K: Kernel> WithSimd for OnBestInstructions<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> K::Output {
        if S::IS_SCALAR { self.0.run::<false>() } else { self.0.run::<true>() }
    }
}

pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(OnBestInstructions(kernel))
}

#[inline(always)]
fn floored(x: f64) -> f64 {
    if x > MIN_EXPONENT { x } else { MIN_EXPONENT }
}

#[inline(always)]
fn capped(x: f64) -> f64 {
    if x < MAX_EXPONENT { x } else { MAX_EXPONENT }
}

/// Σ 2^(logs - curvature·(x - mean)²).
pub(super) struct SumKernel<'a> {
    pub(super) x: &'a [f64],
    pub(super) logs: &'a [f64],
    pub(super) mean: f64,
    pub(super) curvature: f64,
}

impl Kernel for SumKernel<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        let mut sums = [0.0; LANES];
        for (x, logs) in self.x.chunks_exact(LANES).zip(self.logs.chunks_exact(LANES)) {
            for l in 0..LANES {
                let d = x[l] - self.mean;
                sums[l] += exp2::<FUSED>(capped(mul_add::<FUSED>(-self.curvature * d, d, logs[l])));
            }
        }
        fold(sums)
    }
}

/// See [`Points::moments`](super::points::Points::moments).
pub(super) struct MomentKernel<'a> {
    pub(super) x: &'a [f64],
    pub(super) logs: &'a [f64],
    pub(super) mean: f64,
    pub(super) precision_root: f64,
}

impl Kernel for MomentKernel<'_> {
    type Output = ([f64; ORDER], f64);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> ([f64; ORDER], f64) {
        let mut sums = [[0.0; MOMENT_LANES]; ORDER];
        let mut sizes = [0.0; MOMENT_LANES];
        for (x, logs) in self.x.chunks_exact(MOMENT_LANES).zip(self.logs.chunks_exact(MOMENT_LANES)) {
            let (mut z, mut before, mut last) = ([0.0; MOMENT_LANES], [0.0; MOMENT_LANES], [0.0; MOMENT_LANES]);
            for l in 0..MOMENT_LANES {
                z[l] = (x[l] - self.mean) * self.precision_root;
                let bits = 0.25 * LOG2_E * z[l] * z[l];
                let size = exp2::<FUSED>(floored(capped(logs[l] - bits)));
                sizes[l] += size;
                before[l] = size * exp2::<FUSED>(floored(-bits));
                last[l] = before[l] * z[l];
                sums[0][l] += before[l];
                sums[1][l] += last[l];
            }
            for j in 2..ORDER {
                let factor = (j - 1) as f64;
                for l in 0..MOMENT_LANES {
                    let next = mul_add::<FUSED>(z[l], last[l], -factor * before[l]);
                    before[l] = last[l];
                    last[l] = next;
                    sums[j][l] += next;
                }
            }
        }
        (sums.map(fold), fold(sizes))
    }
}

/// out = height - curvature·(x - mean)².
pub(super) struct ParabolaKernel<'a> {
    pub(super) x: &'a [f64],
    pub(super) out: &'a mut [f64],
    pub(super) mean: f64,
    pub(super) curvature: f64,
    pub(super) height: f64,
}

impl Kernel for ParabolaKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (x, out) in self.x.iter().zip(self.out) {
            let d = x - self.mean;
            *out = mul_add::<FUSED>(-self.curvature * d, d, self.height);
        }
    }
}

/// See [`Points::exponentiate`](super::points::Points::exponentiate).
pub(super) struct Exponentiate<'a> {
    pub(super) rows: &'a mut [f64],
    pub(super) stride: usize,
    pub(super) peaks: &'a mut [f64],
}

impl Kernel for Exponentiate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for row in self.rows.chunks_exact(self.stride) {
            for (peak, &value) in self.peaks.iter_mut().zip(row) {
                *peak = if value > *peak { value } else { *peak };
            }
        }
        for row in self.rows.chunks_exact_mut(self.stride) {
            for (value, peak) in row.iter_mut().zip(self.peaks.iter()) {
                *value = exp2::<FUSED>(floored(*value - peak));
            }
        }
    }
}

/// f = Σ_j w_j·row_j; returns Σ weight·log₂ f.
pub(super) struct Mix<'a> {
    pub(super) rows: &'a [f64],
    pub(super) w: &'a [f64],
    pub(super) f: &'a mut [f64],
    pub(super) weight: &'a [f64],
}

impl Kernel for Mix<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        let stride = self.f.len();
        for (row, &w) in self.rows.chunks_exact(stride).zip(self.w) {
            for (f, row) in self.f.iter_mut().zip(row) {
                *f = mul_add::<FUSED>(w, *row, *f);
            }
        }
        let mut sums = [0.0; LANES];
        for (f, weight) in self.f.chunks_exact(LANES).zip(self.weight.chunks_exact(LANES)) {
            for l in 0..LANES {
                sums[l] = mul_add::<FUSED>(weight[l], ln::<FUSED>(f[l]), sums[l]);
            }
        }
        fold(sums) * LOG2_E
    }
}

/// log₂(2^a + 2^b).
#[inline(always)]
fn log2_sum<const FUSED: bool>(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + LOG2_E * ln::<FUSED>(1.0 + exp2::<FUSED>(floored(low - high)))
}

/// Writes log₂(f + 2^bits·g) into `out` and returns Σ weight·(what this adds to log₂ f).
pub(super) struct Blend<'a> {
    pub(super) log_f: &'a [f64],
    pub(super) log_g: &'a [f64],
    pub(super) bits: f64,
    pub(super) weight: &'a [f64],
    pub(super) out: &'a mut [f64],
}

impl Kernel for Blend<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        for ((out, f), g) in self.out.iter_mut().zip(self.log_f).zip(self.log_g) {
            *out = log2_sum::<FUSED>(*f, g + self.bits);
        }
        let mut sums = [0.0; LANES];
        let chunks = self.out.chunks_exact(LANES).zip(self.log_f.chunks_exact(LANES));
        for ((out, f), weight) in chunks.zip(self.weight.chunks_exact(LANES)) {
            for l in 0..LANES {
                sums[l] = mul_add::<FUSED>(weight[l], out[l] - f[l], sums[l]);
            }
        }
        fold(sums)
    }
}

/// The upper triangle of the matrix of Σ row_a·row_b·scale², in rows of `m`.
pub(super) struct Gram<'a> {
    pub(super) rows: &'a [f64],
    pub(super) stride: usize,
    pub(super) scale: &'a [f64],
    pub(super) m: usize,
    pub(super) matrix: &'a mut [f64],
    /// At least [`STRIP`] rows of `m` entries, rounded up to whole tiles.
    pub(super) scratch: &'a mut [f64],
}

/// Rows of a tile of the matrix, which is kept in registers.
const TILE_ROWS: usize = 4;
/// Columns of a tile: a multiple of every processor's lanes.
pub(super) const TILE_COLUMNS: usize = 8;

/// Points whose scaled rows stay in the first-level cache.
pub(super) const STRIP: usize = 64;

impl Kernel for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (m, width) = (self.m, self.m.next_multiple_of(TILE_COLUMNS));
        self.matrix[..m * m].fill(0.0);
        self.scratch.fill(0.0);
        for start in (0..self.stride).step_by(STRIP) {
            let len = STRIP.min(self.stride - start);
            // Transposed, so that lanes are entries of the matrix and sums need no folding.
            for (j, row) in self.rows.chunks_exact(self.stride).enumerate() {
                let values = row[start..start + len].iter().zip(&self.scale[start..start + len]);
                for (out, (value, scale)) in self.scratch.chunks_exact_mut(width).zip(values) {
                    out[j] = value * scale;
                }
            }
            let strip = &self.scratch[..len * width];
            for a in (0..m).step_by(TILE_ROWS) {
                for b in (a - a % TILE_COLUMNS..m).step_by(TILE_COLUMNS) {
                    let products = tile::<FUSED>(strip, width, a, b);
                    for (i, products) in (a..m).zip(products) {
                        for (j, product) in (b..m).zip(products).filter(|&(j, _)| j >= i) {
                            self.matrix[i * m + j] += product;
                        }
                    }
                }
            }
        }
    }
}

/// The tile of the Gram matrix that begins at row `a` and column `b`.
#[inline(always)]
fn tile<const FUSED: bool>(rows: &[f64], width: usize, a: usize, b: usize) -> [[f64; TILE_COLUMNS]; TILE_ROWS] {
    let mut sums = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for row in rows.chunks_exact(width) {
        let (left, right) = (&row[a..a + TILE_ROWS], &row[b..b + TILE_COLUMNS]);
        for i in 0..TILE_ROWS {
            for l in 0..TILE_COLUMNS {
                sums[i][l] = mul_add::<FUSED>(left[i], right[l], sums[i][l]);
            }
        }
    }
    sums
}

/// Replaces the upper triangle of a positive matrix, in rows of `m`, by its Cholesky factor.
pub(super) struct Cholesky<'a> {
    pub(super) matrix: &'a mut [f64],
    pub(super) m: usize,
}

impl Kernel for Cholesky<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let m = self.m;
        for j in 0..m {
            let (before, after) = self.matrix.split_at_mut((j + 1) * m);
            let row = &mut before[j * m..];
            let inverse = 1.0 / row[j].max(1e-300).sqrt();
            row[j..].iter_mut().for_each(|entry| *entry *= inverse);
            for (i, below) in (j + 1..m).zip(after.chunks_exact_mut(m)) {
                let factor = -row[i];
                for (entry, &above) in below[i..].iter_mut().zip(&row[i..]) {
                    *entry = mul_add::<FUSED>(factor, above, *entry);
                }
            }
        }
    }
}

#[inline(always)]
fn dots<const FUSED: bool, const B: usize>(a: &[f64], b: [&[f64]; B]) -> [f64; B] {
    let mut sums = [[0.0; DOT_LANES]; B];
    let (a, _) = a.as_chunks::<DOT_LANES>();
    let b: [&[[f64; DOT_LANES]]; B] = b.map(|b| &b.as_chunks::<DOT_LANES>().0[..a.len()]);
    for i in 0..a.len() {
        for c in 0..B {
            for l in 0..DOT_LANES {
                sums[c][l] = mul_add::<FUSED>(a[i][l], b[c][i][l], sums[c][l]);
            }
        }
    }
    sums.map(fold)
}

struct Dot<'a>(&'a [f64], &'a [f64]);

impl Kernel for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        dots::<FUSED, 1>(self.0, [self.1])[0]
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    run(Dot(a, b))
}

pub(super) fn lanes_sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for values in values.chunks_exact(LANES) {
        for l in 0..LANES {
            sums[l] += values[l];
        }
    }
    fold(sums)
}

/// Adds lanes pairwise, in a fixed order.
#[inline(always)]
pub(super) fn fold<const N: usize>(mut lanes: [f64; N]) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
}
