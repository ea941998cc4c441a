//! The data in the form that the certificate uses, and sums over them.

use super::kernels::{
    Blend, Exponentiate, Gram, LANES, MAX_EXPONENT, Mix, MomentKernel, ORDER, ParabolaKernel, STRIP, SumKernel,
    TILE_COLUMNS, dot, fold, lanes_sum, run,
};
use super::quadrature::{Bin, BinShape, Compressed, NODES, compress, fill_shapes, likelihood_error, quadrature_error};
use super::region::{Cell, Region};
use crate::mixture::parameters::Parameters;
use crate::numeric::elementary::ln;
use crate::numeric::portable;
use std::f64::consts::{LN_2, LOG2_E};
use std::ops::Range;

/// Terms below 2^-NEGLIGIBLE are left out of sums.
pub(super) const NEGLIGIBLE: f64 = 50.0;

/// Binary logarithms of the shares of the background that [`Points::blend`] tries.
const BACKGROUND_LOG2_SHARES: [f64; 6] = [-3.0, -6.0, -12.0, -24.0, -48.0, -96.0];

/// The largest ratio of variances in one of [`Points::rows_of`].
const MAX_ROW_RATIO: f64 = 2.9;

/// The largest number of [`Points::rows_of`] a cell.
const MAX_ROWS: usize = 64;

/// The width of the finest bins, in standard deviations of the fit's narrowest component, divided by the square root of
/// the largest ratio of two variances. Measured on 100,000 points: with bins four times as wide, boxes of small
/// variances do not close; narrower bins cost more.
const BIN_WIDTH: f64 = 0.05;

/// The largest width of the finest bins, in the same standard deviations: for variances that are equal or nearly so.
const MAX_BIN_WIDTH: f64 = 0.03;

/// Bounds on weights and relaxations with multipliers use the widest bins whose width is at most this many times the
/// smallest standard deviation of the region. A choice, not measured.
const MAX_RELAXATION_BIN_WIDTH: f64 = 0.025;

/// The number of widths of bins; each is twice the one before.
const BIN_WIDTHS: i32 = 6;

/// The largest number of nodes of the finest bins. Measured on 100,000 points (three components, ratio 10, one of them
/// narrow): with 25,000 the tree takes twice as long, with 6,000 it has twice as many regions.
const MAX_NODES: f64 = 10_000.0;

/// Points are kept where nodes would be more than this share of them.
const MAX_NODE_SHARE: f64 = 0.5;

/// Sorted distinct values with their weights: points of the data, or quadrature nodes in place of them.
pub(super) struct Points {
    /// Padded with the last value to whole vectors.
    x: Vec<f64>,
    /// Padded with zeros.
    weight: Vec<f64>,
    log2_weight: Vec<f64>,
    root_weight: Vec<f64>,
    len: usize,
    total: f64,
    /// The bins of the quadrature; empty if these are points.
    bins: Vec<Bin>,
    /// The smallest variance for which the bins are narrow enough.
    least_variance: f64,
    /// log₂ of the density of the best known mixture at the nodes; empty without bins.
    background: Vec<f64>,
}

/// A matrix with one row for each atom, over the padded points.
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
        let mut this = Self {
            x: x.to_vec(),
            weight: weight.to_vec(),
            log2_weight: Vec::new(),
            root_weight: Vec::new(),
            len,
            total: 0.0,
            bins: Vec::new(),
            least_variance: 0.0,
            background: Vec::new(),
        };
        this.x.resize(padded, last);
        this.weight.resize(padded, 0.0);
        this.log2_weight = this.weight.iter().map(|&w| if w > 0.0 { portable::log2(w) } else { 0.0 }).collect();
        this.root_weight = this.weight.iter().map(|w| w.sqrt()).collect();
        this.total = lanes_sum(&this.weight);
        this
    }

    /// Replaces points by quadrature nodes in bins of several widths, the finest first; empty where nodes would not be far
    /// fewer than points.
    pub(super) fn in_bins(values: &[f64], weights: &[f64], known: &Parameters, ratio: f64) -> Vec<Self> {
        let range = values[values.len() - 1] - values[0];
        let least = known.variances().iter().copied().fold(f64::INFINITY, f64::min);
        let finest = (least.sqrt() * MAX_BIN_WIDTH.min(BIN_WIDTH / ratio.sqrt())).max(NODES as f64 * range / MAX_NODES);
        if NODES as f64 * range / finest > MAX_NODE_SHARE * values.len() as f64 {
            return Vec::new();
        }
        let of_width = |width: f64| {
            let relative = width / MAX_RELAXATION_BIN_WIDTH;
            let least_variance = if width > finest { relative * relative } else { 0.0 };
            Self::compressed(compress(values, weights, width), least_variance, known)
        };
        (0..BIN_WIDTHS).map(|doublings| of_width(finest * f64::from(1 << doublings))).collect()
    }

    /// Nodes of bins that are narrow enough for variances of at least `least_variance`; the `known` mixture is the
    /// background.
    pub(super) fn compressed(compressed: Compressed, least_variance: f64, known: &Parameters) -> Self {
        let bins = compressed.bins;
        let mut this = Self { bins, least_variance, ..Self::new(&compressed.values, &compressed.weights) };
        let (rows, peaks, weights, _) = this.densities(known);
        let mut f = Vec::new();
        this.mix(&rows, &weights, &mut f);
        this.background = peaks.iter().zip(&f).map(|(peak, f)| peak + portable::log2(*f)).collect();
        this
    }

    /// Adds a share of the background to f: the largest one tried that raises Σ weight·ln f by no more than `allowed`.
    /// Every f gives a valid bound. The quadrature error grows with 1/f and its slope, which the background limits.
    pub(super) fn blend(&self, log_f: &mut Vec<f64>, allowed: f64, scratch: &mut Vec<f64>) {
        scratch.resize(self.padded(), 0.0);
        let log_g = &self.background;
        for bits in BACKGROUND_LOG2_SHARES.iter().filter(|_| !self.bins.is_empty()) {
            if LN_2 * run(Blend { log_f, log_g, bits: *bits, weight: &self.weight, out: scratch }) <= allowed {
                std::mem::swap(log_f, scratch);
                return;
            }
        }
    }

    /// Whether the bins are narrow enough for a region.
    pub(super) fn suit(&self, region: &Region) -> bool {
        region.iter().all(|cell| self.least_variance <= cell.least)
    }

    /// Bounds the error of sums over the nodes: see [`quadrature_error`].
    pub(super) fn quadrature_error(&self, shapes: &[BinShape], least: f64, share: f64, level: f64) -> (f64, f64) {
        quadrature_error(&self.bins, shapes, least, share, level)
    }

    /// Divides a cell into rows of nearly equal variances, since the quadrature error grows as variances fall. Without
    /// bins the cell is one row.
    pub(super) fn rows_of(&self, cell: &Cell) -> Vec<Cell> {
        let (mut rows, mut least) = (Vec::new(), cell.least);
        while !self.bins.is_empty() && rows.len() < MAX_ROWS && cell.most > MAX_ROW_RATIO * least {
            rows.push(Cell { least, most: MAX_ROW_RATIO * least, ..*cell });
            least *= MAX_ROW_RATIO;
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

    /// The points within `reach` of `mean`, rounded out to whole vectors.
    fn window(&self, mean: f64, reach: f64) -> Range<usize> {
        let x = self.values();
        let start = x.partition_point(|&x| x < mean - reach);
        let end = x.partition_point(|&x| x <= mean + reach);
        (start & !(LANES - 1))..end.next_multiple_of(LANES).max(start & !(LANES - 1))
    }

    /// Σ 2^(logs - curvature·(x - mean)²) over the points within `reach` of `mean`.
    pub(super) fn sum(&self, logs: &[f64], mean: f64, curvature: f64, reach: f64) -> f64 {
        let window = self.window(mean, reach);
        run(SumKernel { x: &self.x[window.clone()], logs: &logs[window], mean, curvature })
    }

    /// The sums of 2^logs·exp(-z²/2)·He_j(z) for j < ORDER, and the sum of 2^logs·exp(-z²/4), where
    /// z = (x - mean)·precision_root.
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

    /// Turns logarithms into densities relative to the largest one at each point, whose logarithm is stored in `peaks`;
    /// returns Σ weight·peak.
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

    /// r = weight/f.
    pub(super) fn divide(&self, f: &[f64], r: &mut Vec<f64>) {
        r.clear();
        r.extend(self.weight.iter().zip(f).map(|(w, f)| w / f));
    }

    /// Σ row_j·r.
    pub(super) fn dot_row(&self, rows: &PointRows, j: usize, r: &[f64]) -> f64 {
        dot(rows.row(j), r)
    }

    /// The upper triangle of the matrix of Σ weight·row_a·row_b/f², in rows of `m`.
    pub(super) fn gram(&self, rows: &PointRows, f: &[f64], m: usize, matrix: &mut [f64], scratch: &mut Vec<f64>) {
        let strips = m.next_multiple_of(TILE_COLUMNS) * STRIP;
        scratch.resize(strips + rows.stride, 0.0);
        let (scratch, scale) = scratch.split_at_mut(strips);
        scale.iter_mut().zip(&self.root_weight).zip(f).for_each(|((scale, w), f)| *scale = w / f);
        run(Gram { rows: &rows.values, stride: rows.stride, scale, m, matrix, scratch });
    }

    /// log₂(2^peaks·f).
    pub(super) fn log_f(&self, f: &[f64], peaks: &[f64], log_f: &mut Vec<f64>) {
        log_f.clear();
        log_f.extend(f.iter().zip(peaks).map(|(f, peak)| peak + ln::<false>(*f) * LOG2_E));
    }

    /// Turns log₂ f into log₂(weight/f), which from now on defines f exactly. Returns an upper bound on Σ weight·ln f,
    /// and the largest magnitude of the results.
    pub(super) fn fix(&self, logs: &mut [f64], shapes: &mut Vec<BinShape>) -> (f64, f64) {
        for (log, weight) in logs.iter_mut().zip(&self.log2_weight) {
            *log = weight - *log;
        }
        logs[self.len..].fill(-2.0 * MAX_EXPONENT);
        let (mut sum, mut size, mut largest) = ([0.0; LANES], 0.0, 0.0_f64);
        for i in 0..self.len {
            let term = self.weight[i] * (self.log2_weight[i] - logs[i]);
            sum[i % LANES] += term;
            size += self.weight[i] * (self.log2_weight[i].abs() + logs[i].abs());
            largest = largest.max(logs[i].abs());
        }
        let rounding = (self.len as f64 / 8.0 + 64.0) * f64::EPSILON * size;
        fill_shapes(&self.bins, &self.x, logs, &self.log2_weight, shapes);
        (LN_2 * (fold(sum) + rounding) + likelihood_error(&self.bins, shapes), largest)
    }

    /// The densities of the components with positive weights, relative to the largest at each point; the logarithms of
    /// these largest ones; the weights; and Σ weight·peak.
    fn densities(&self, parameters: &Parameters) -> (PointRows, Vec<f64>, Vec<f64>, f64) {
        let (mut rows, mut peaks) = (PointRows::default(), Vec::new());
        let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
        let kept = (0..parameters.k()).filter(|&c| weights[c] > 0.0);
        self.fill_log_densities(kept.clone().map(|c| (means[c], variances[c])), &mut rows);
        let base = self.exponentiate(&mut rows, &mut peaks);
        (rows, peaks, kept.map(|c| weights[c]).collect(), base)
    }

    /// The log-likelihood of a mixture.
    pub(super) fn log_likelihood(&self, parameters: &Parameters) -> f64 {
        let (rows, _, weights, base) = self.densities(parameters);
        LN_2 * (base + self.mix(&rows, &weights, &mut Vec::new()))
    }
}
