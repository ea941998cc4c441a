//! The data as the certificate sees them, and its loops over them: vector code, in an order that nothing changes.

use super::quadrature::{Bin, Compressed, Rules};
use super::region::Cell;
use crate::mixture::parameters::Parameters;
use crate::numeric::elementary::{exp2, ln, mul_add};
use crate::numeric::portable;
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::{LN_2, LOG2_E};
use std::ops::Range;

/// Partial sums of each kind; the data are padded to a multiple of it.
pub(super) const LANES: usize = 16;

/// Derivatives of a sum of normal densities that a cell is expanded in.
pub(super) const ORDER: usize = 16;

/// Vectors of the moments' loop: sixteen sums of so many lanes fill the registers.
const MOMENT_LANES: usize = 8;

/// Vectors of products' loops.
const DOT_LANES: usize = 16;

/// Powers of two stop here, far above every sum that could be certified; `elementary::exp2` asks for no more than 1000.
const LARGEST: f64 = 900.0;

/// Powers of two that are multiplied by one another stop here, so that no product is subnormal, which processors are slow at.
const SMALLEST: f64 = -400.0;

/// Terms below 2^-NEGLIGIBLE are left out of sums.
pub(super) const NEGLIGIBLE: f64 = 70.0;

/// The largest ratio of variances in one row of a cell, and rows at most.
const ROW: f64 = 2.0;
const MOST_ROWS: usize = 64;

/// Sorted distinct values with their weights.
pub(super) struct Points {
    /// Padded with the last value.
    x: Vec<f64>,
    /// Padded with zeros.
    weight: Vec<f64>,
    log2_weight: Vec<f64>,
    len: usize,
    total: f64,
    /// Bins of which these are the nodes.
    bins: Vec<Bin>,
}

/// Rows over the padded points, one an atom.
#[derive(Default)]
pub(super) struct PointRows {
    values: Vec<f64>,
    stride: usize,
}

impl PointRows {
    pub(super) fn row(&self, j: usize) -> &[f64] {
        &self.values[j * self.stride..(j + 1) * self.stride]
    }
}

impl Points {
    pub(super) fn new(x: &[f64], weight: &[f64]) -> Self {
        let len = x.len();
        let padded = len.next_multiple_of(LANES);
        let last = x[len - 1];
        let mut this =
            Self { x: x.to_vec(), weight: weight.to_vec(), log2_weight: Vec::new(), len, total: 0.0, bins: Vec::new() };
        this.x.resize(padded, last);
        this.weight.resize(padded, 0.0);
        this.log2_weight = this.weight.iter().map(|&w| if w > 0.0 { portable::log2(w) } else { 0.0 }).collect();
        this.total = lanes_sum(&this.weight);
        this
    }

    /// Nodes in place of points.
    pub(super) fn compressed(compressed: Compressed) -> Self {
        Self { bins: compressed.bins, ..Self::new(&compressed.values, &compressed.weights) }
    }

    fn rules<'a>(&'a self, logs: &'a [f64]) -> Rules<'a> {
        Rules { bins: &self.bins, values: &self.x, log2_weights: &self.log2_weight, logs }
    }

    /// What sums over the nodes can be too small by: see [`Rules::error`].
    pub(super) fn quadrature_error(&self, logs: &[f64], least: f64, share: f64) -> (f64, f64) {
        self.rules(logs).error(least, share)
    }

    /// Parts of a cell, each with little change of variance where nodes stand for points: their error grows as variances fall.
    pub(super) fn rows_of(&self, cell: &Cell) -> Vec<Cell> {
        let (mut rows, mut least) = (Vec::new(), cell.least);
        while !self.bins.is_empty() && rows.len() < MOST_ROWS && cell.most > ROW * least {
            rows.push(Cell { least, most: ROW * least, ..*cell });
            least *= ROW;
        }
        rows.push(Cell { least, ..*cell });
        rows
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.x[..self.len]
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weight[..self.len]
    }

    pub(super) fn padded(&self) -> usize {
        self.x.len()
    }

    /// The sum of the weights, N.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    pub(super) fn first(&self) -> f64 {
        self.x[0]
    }

    pub(super) fn last(&self) -> f64 {
        self.x[self.len - 1]
    }

    /// Points within `reach` of `mean`, on the grid of lanes.
    fn window(&self, mean: f64, reach: f64) -> Range<usize> {
        let x = self.values();
        let start = x.partition_point(|&x| x < mean - reach);
        let end = x.partition_point(|&x| x <= mean + reach);
        (start & !(LANES - 1))..end.next_multiple_of(LANES).max(start & !(LANES - 1))
    }

    /// Σ 2^(logs - curvature·(x - mean)²); what is farther than `reach` is left out.
    pub(super) fn sum(&self, logs: &[f64], mean: f64, curvature: f64, reach: f64) -> f64 {
        let window = self.window(mean, reach);
        run(SumKernel { x: &self.x[window.clone()], logs: &logs[window], mean, curvature })
    }

    /// The sums of 2^logs·exp(-z²/2)·He_j(z), z = (x - mean)·precision_root, for j < ORDER; and that of 2^logs·exp(-z²/4).
    pub(super) fn moments(&self, logs: &[f64], mean: f64, precision_root: f64, reach: f64) -> ([f64; ORDER], f64) {
        let window = self.window(mean, reach);
        run(MomentKernel { x: &self.x[window.clone()], logs: &logs[window], mean, precision_root })
    }

    /// Fills row `j` with the binary logarithms of the normal density of each atom.
    pub(super) fn fill_log_densities(&self, atoms: impl Iterator<Item = (f64, f64)>, rows: &mut PointRows) {
        rows.stride = self.padded();
        rows.values.clear();
        for (mean, variance) in atoms {
            let start = rows.values.len();
            rows.values.resize(start + rows.stride, 0.0);
            let height = -0.5 * portable::log2(variance * std::f64::consts::TAU);
            run(ParabolaKernel {
                x: &self.x,
                out: &mut rows.values[start..],
                mean,
                curvature: 0.5 * LOG2_E / variance,
                height,
            });
        }
    }

    /// Turns logarithms into densities relative to the largest of each point, which `peaks` keeps; returns Σ weight·peak.
    pub(super) fn exponentiate(&self, rows: &mut PointRows, peaks: &mut Vec<f64>) -> f64 {
        peaks.clear();
        peaks.resize(rows.stride, f64::NEG_INFINITY);
        run(Exponentiate { rows: &mut rows.values, stride: rows.stride, peaks });
        dot(&self.weight, peaks)
    }

    /// f = Σ_j w_j·row_j; returns Σ weight·log₂ f.
    pub(super) fn mix(&self, rows: &PointRows, w: &[f64], f: &mut Vec<f64>) -> f64 {
        f.clear();
        f.resize(rows.stride, 0.0);
        run(Mix { rows: &rows.values, w, f, weight: &self.weight })
    }

    /// r = weight/f^power.
    pub(super) fn divide(&self, f: &[f64], square: bool, r: &mut Vec<f64>) {
        r.clear();
        r.extend(self.weight.iter().zip(f).map(|(w, f)| if square { w / (f * f) } else { w / f }));
    }

    /// Σ row_j·r.
    pub(super) fn dot_row(&self, rows: &PointRows, j: usize, r: &[f64]) -> f64 {
        dot(rows.row(j), r)
    }

    /// The lower triangle of the matrix of Σ row_a·row_b·r, in rows of `m`.
    pub(super) fn gram(&self, rows: &PointRows, r: &[f64], m: usize, matrix: &mut [f64], scratch: &mut Vec<f64>) {
        scratch.clear();
        scratch.resize(rows.stride * m.next_multiple_of(TILE), 0.0);
        run(Gram { rows: &rows.values, stride: rows.stride, r, m, matrix, scratch });
    }

    /// log₂(weight/f) for f = 2^peaks·f; and an upper bound on Σ weight·ln of the f that these stand for exactly, and the
    /// largest magnitude among them.
    pub(super) fn logs(&self, f: &[f64], peaks: &[f64], logs: &mut Vec<f64>) -> (f64, f64) {
        logs.clear();
        logs.resize(self.padded(), -2.0 * LARGEST);
        for i in 0..self.len {
            logs[i] = self.log2_weight[i] - peaks[i] - ln::<false>(f[i]) * LOG2_E;
        }
        let (mut sum, mut size, mut largest) = ([0.0; LANES], 0.0, 0.0_f64);
        for i in 0..self.len {
            let term = self.weight[i] * (self.log2_weight[i] - logs[i]);
            sum[i % LANES] += term;
            size += self.weight[i] * (self.log2_weight[i].abs() + logs[i].abs());
            largest = largest.max(logs[i].abs());
        }
        let rounding = (self.len as f64 / 8.0 + 64.0) * f64::EPSILON * size;
        (LN_2 * (fold(sum) + rounding) + self.rules(logs).likelihood_error(), largest)
    }

    /// The log-likelihood of a mixture.
    pub(super) fn log_likelihood(&self, parameters: &Parameters) -> f64 {
        let (mut rows, mut peaks, mut f) = (PointRows::default(), Vec::new(), Vec::new());
        let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
        let kept: Vec<usize> = (0..parameters.k()).filter(|&c| weights[c] > 0.0).collect();
        self.fill_log_densities(kept.iter().map(|&c| (means[c], variances[c])), &mut rows);
        let base = self.exponentiate(&mut rows, &mut peaks);
        let weights: Vec<f64> = kept.iter().map(|&c| weights[c]).collect();
        LN_2 * (base + self.mix(&rows, &weights, &mut f))
    }
}

/// A loop compiled for each kind of processor.
trait Kernel {
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

fn run<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(OnBestInstructions(kernel))
}

#[inline(always)]
fn floored(x: f64) -> f64 {
    if x > SMALLEST { x } else { SMALLEST }
}

#[inline(always)]
fn capped(x: f64) -> f64 {
    if x < LARGEST { x } else { LARGEST }
}

struct SumKernel<'a> {
    x: &'a [f64],
    logs: &'a [f64],
    mean: f64,
    curvature: f64,
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

struct MomentKernel<'a> {
    x: &'a [f64],
    logs: &'a [f64],
    mean: f64,
    precision_root: f64,
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

struct ParabolaKernel<'a> {
    x: &'a [f64],
    out: &'a mut [f64],
    mean: f64,
    curvature: f64,
    height: f64,
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

struct Exponentiate<'a> {
    rows: &'a mut [f64],
    stride: usize,
    peaks: &'a mut [f64],
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

struct Mix<'a> {
    rows: &'a [f64],
    w: &'a [f64],
    f: &'a mut [f64],
    weight: &'a [f64],
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

struct Gram<'a> {
    rows: &'a [f64],
    stride: usize,
    r: &'a [f64],
    m: usize,
    matrix: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl Kernel for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (out, row) in self.scratch.chunks_exact_mut(self.stride).zip(self.rows.chunks_exact(self.stride)) {
            for ((out, p), r) in out.iter_mut().zip(row).zip(self.r) {
                *out = p * r.sqrt();
            }
        }
        for i in 0..self.m {
            self.matrix[i * self.m..=i * self.m + i].fill(0.0);
        }
        for start in (0..self.stride).step_by(STRIP) {
            let end = (start + STRIP).min(self.stride);
            let row = |j: usize| &self.scratch[j * self.stride + start..j * self.stride + end];
            for a in 0..self.m {
                for b in (0..=a).step_by(TILE) {
                    let sums = dots::<FUSED, TILE>(row(a), std::array::from_fn(|i| row(b + i)));
                    let count = (a + 1 - b).min(TILE);
                    for (entry, sum) in self.matrix[a * self.m + b..].iter_mut().zip(&sums[..count]) {
                        *entry += sum;
                    }
                }
            }
        }
    }
}

/// Products of rows that are kept in registers together.
const TILE: usize = 4;

/// Points whose rows stay in the first-level cache.
const STRIP: usize = 128;

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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    run(Dot(a, b))
}

fn lanes_sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for values in values.chunks_exact(LANES) {
        for l in 0..LANES {
            sums[l] += values[l];
        }
    }
    fold(sums)
}

/// Pairwise, in one order.
#[inline(always)]
fn fold<const N: usize>(mut lanes: [f64; N]) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
}
