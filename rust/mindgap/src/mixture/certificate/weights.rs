//! Finds the best weights of m given atoms: a concave program, solved by a primal-dual interior-point method in O(m²n) a
//! step.
//!
//! It maximises Σ ω_i log Σ_j w_j φ_j(x_i) + Σ_j w_j·bonus_j over weights that add up to one. The certificate does not
//! rely on its accuracy: the bound is valid for every mixture, and tight for the best one.

use super::kernels::{Cholesky, run};
use super::points::{PointRows, Points};
use super::quadrature::BinShape;
use crate::monitor::StopFlag;
use std::f64::consts::LN_2;

/// An atom of the relaxed mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MixingAtom {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) weight: f64,
    /// The component to whose box it belongs.
    pub(super) group: usize,
}

/// The largest number of steps; ten to twenty are usual.
const MAX_STEPS: usize = 60;

/// The share of the complementarity that a full step aims to leave.
const CENTERING: f64 = 0.1;

/// The share of the way to the boundary that a step goes.
const STEP_LENGTH: f64 = 0.995;

/// The smallest weight that an atom starts with, as a share of the mean weight.
const MIN_START_SHARE: f64 = 0.02;

/// The smallest slack that an atom starts with, as a share of N, so that its weight can still move.
const MIN_START_SLACK: f64 = 0.05;

/// Atoms lighter than this are dropped: that changes the log-likelihood of ten thousand points by a thousandth.
pub(super) const NEGLIGIBLE_WEIGHT: f64 = 1e-7;

/// An atom vanishes if its weight times N is less than this multiple of its slack. Weight times slack is about the same
/// small number for all atoms, so those that stay are far above this and those that vanish far below.
const IDLE_RATIO: f64 = 0.01;

/// Working memory that is reused from call to call, and the last mixture.
#[derive(Default)]
pub(super) struct Workspace {
    rows: PointRows,
    peaks: Vec<f64>,
    f: Vec<f64>,
    r: Vec<f64>,
    scratch: Vec<f64>,
    matrix: Vec<f64>,
    gradient: Vec<f64>,
    slack: Vec<f64>,
    step: Vec<f64>,
    ones: Vec<f64>,
    weights: Vec<f64>,
    /// log₂(ω/f) of the last mixture.
    pub(super) logs: Vec<f64>,
    /// Their largest magnitude.
    pub(super) largest_log: f64,
    /// The share of the headroom that a background may use: see [`Points::blend`].
    pub(super) background_share: f64,
    /// The shape of ln f in the bins of nodes.
    pub(super) shapes: Vec<BinShape>,
    /// Says when to give up a region.
    pub(super) stop: StopFlag,
}

/// The value that the weights attain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attained {
    /// An upper bound on Σ ω log f.
    pub(super) log_likelihood: f64,
    /// Σ w·bonus.
    pub(super) bonus: f64,
}

impl Workspace {
    /// Optimises the atoms' weights until no atom could gain more than `tolerance`, or the value is above `stop_above`.
    pub(super) fn optimise(
        &mut self,
        points: &Points,
        atoms: &mut [MixingAtom],
        bonus: &[f64],
        stop_above: f64,
        tolerance: f64,
    ) -> Attained {
        let (m, total) = (atoms.len(), points.total());
        points.fill_log_densities(atoms.iter().map(|atom| (atom.mean, atom.variance)), &mut self.rows);
        let base = points.exponentiate(&mut self.rows, &mut self.peaks);
        self.weights.clear();
        self.weights.extend(atoms.iter().map(|atom| atom.weight.max(MIN_START_SHARE / m as f64)));
        self.matrix.resize(m * m, 0.0);
        self.gradient.resize(m, 0.0);
        self.slack.resize(m, 0.0);
        let mut mean_bonus = 0.0;
        for step in 0..MAX_STEPS {
            normalise(&mut self.weights);
            let value = LN_2 * (base + points.mix(&self.rows, &self.weights, &mut self.f));
            mean_bonus = self.weights.iter().zip(bonus).map(|(w, b)| w * b).sum();
            if value + mean_bonus > stop_above || self.stop.is_due() {
                break;
            }
            let level = total + mean_bonus;
            points.divide(&self.f, &mut self.r);
            let mut gain = f64::NEG_INFINITY;
            for j in 0..m {
                self.gradient[j] = points.dot_row(&self.rows, j, &self.r);
                gain = gain.max(
                    (self.gradient[j] + bonus[j] - level) * (total / (total + mean_bonus - bonus[j]).max(1e-3 * total)),
                );
            }
            if step == 0 {
                for j in 0..m {
                    self.slack[j] = (level - self.gradient[j] - bonus[j]).max(MIN_START_SLACK * total);
                }
            }
            if gain < tolerance {
                break;
            }
            self.newton(points, bonus, m);
        }
        normalise(&mut self.weights);
        let value = LN_2 * (base + points.mix(&self.rows, &self.weights, &mut self.f)) + mean_bonus;
        let headroom = if stop_above < f64::INFINITY { stop_above - value } else { 0.0 };
        let allowed = tolerance.max(self.background_share * headroom);
        points.log_f(&self.f, &self.peaks, &mut self.logs);
        points.blend(&mut self.logs, allowed, &mut self.r);
        for (atom, &weight) in atoms.iter_mut().zip(&self.weights) {
            atom.weight = weight;
        }
        let (log_likelihood, largest) = points.fix(&mut self.logs, &mut self.shapes);
        self.largest_log = largest;
        Attained { log_likelihood, bonus: mean_bonus }
    }

    /// Whether the weight of atom `j` of the last mixture tends to zero.
    pub(super) fn is_idle(&self, j: usize, total: f64) -> bool {
        self.weights[j] < NEGLIGIBLE_WEIGHT || total * self.weights[j] < IDLE_RATIO * self.slack[j]
    }

    /// One step of Newton's method on the perturbed optimality conditions.
    fn newton(&mut self, points: &Points, bonus: &[f64], m: usize) {
        #[cfg(test)]
        crate::monitor::count(0, 1);
        let total = points.total();
        let complementarity: f64 = self.weights.iter().zip(&self.slack).map(|(w, z)| w * z).sum();
        let barrier = CENTERING * complementarity / m as f64;
        points.gram(&self.rows, &self.f, m, &mut self.matrix, &mut self.scratch);
        self.step.clear();
        for j in 0..m {
            self.matrix[j * m + j] += self.slack[j] / self.weights[j] + 1e-12 * total;
            self.step.push(self.gradient[j] + bonus[j] + barrier / self.weights[j]);
        }
        self.ones.clear();
        self.ones.resize(m, 1.0);
        run(Cholesky { matrix: &mut self.matrix[..m * m], m });
        solve(&self.matrix, m, &mut self.step);
        solve(&self.matrix, m, &mut self.ones);
        let level = self.step.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        for j in 0..m {
            let (w, z) = (self.weights[j], self.slack[j]);
            let dw = self.step[j] - level * self.ones[j];
            let dz = barrier / w - z - z / w * dw;
            self.step[j] = dw;
            self.ones[j] = dz;
            if dw < 0.0 {
                primal = primal.min(-STEP_LENGTH * w / dw);
            }
            if dz < 0.0 {
                dual = dual.min(-STEP_LENGTH * z / dz);
            }
        }
        for j in 0..m {
            self.weights[j] += primal * self.step[j];
            self.slack[j] += dual * self.ones[j];
        }
    }
}

fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// Solves UᵀU x = b in place, with the Cholesky factor U in the upper triangle.
fn solve(factor: &[f64], m: usize, b: &mut [f64]) {
    for j in 0..m {
        b[j] /= factor[j * m + j];
        let value = b[j];
        for (b, u) in b[j + 1..m].iter_mut().zip(&factor[j * m + j + 1..(j + 1) * m]) {
            *b -= u * value;
        }
    }
    for j in (0..m).rev() {
        let known: f64 = b[j + 1..m].iter().zip(&factor[j * m + j + 1..(j + 1) * m]).map(|(b, u)| b * u).sum();
        b[j] = (b[j] - known) / factor[j * m + j];
    }
}
