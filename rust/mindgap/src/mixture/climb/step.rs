//! The Newton step: [`Program`], its quadratic program under the rows, and [`stepped`], which applies it.

use super::model::{BLOCK, Model};
use super::rows::LEAST_WEIGHT;
use crate::mixture::m_step::{MStep, Tie};
use crate::mixture::parameters::Parameters;
use crate::numeric::portable::exp2;
use crate::qp::dense::{DenseProgram, SparseRows};
use std::f64::consts::LOG2_E;

/// The weight of the curvature that is added to the model across active rows. It changes no step along them, and makes
/// a model that is concave along them concave in all directions.
const ACROSS: f64 = 4.0;

/// Further weights across equalities, added in turn if that is not enough: no step leaves an equality, so they may be
/// as large as doubles allow. Across equal variances a component of a few far points has a curvature of minus some
/// hundreds. The first weight alone leaves some models without a maximum; the second alone loses digits of the others'
/// steps.
const ACROSS_EQUALITIES: [f64; 2] = [4e3, 4e6];

/// A row within this distance of its bound, in scaled steps, counts as active here.
const AT_BOUND: f64 = 1e-9;

/// Pivots below this fraction of their diagonal count as zero.
const LEAST_PIVOT: f64 = 1e-13;

/// The quadratic program of a step, in units in which EM's metric is the identity.
#[derive(Default)]
pub(super) struct Program {
    n: usize,
    /// The factors from these units to scaled steps.
    pub(super) units: Vec<f64>,
    gradient: Vec<f64>,
    /// The model's information plus the curvature across active rows.
    matrix: Vec<f64>,
    /// The active rows.
    pub(super) active: Vec<usize>,
    /// The number of `ACROSS_EQUALITIES` that have been added.
    stiffened: usize,
    /// The program with the damped model.
    pub(super) dense: DenseProgram,
}

impl Program {
    /// Makes the program, and converts the rows to its units.
    pub(super) fn new(model: &Model, rows: &mut SparseRows) -> Self {
        let mut program = Self::default();
        program.write(model, rows);
        program
    }

    /// As [`new`](Self::new), in the memory of the program before.
    pub(super) fn write(&mut self, model: &Model, rows: &mut SparseRows) {
        let Self { n, units, gradient, matrix, active, stiffened, dense: _ } = self;
        *n = model.gradient.len();
        units.clear();
        units.extend(model.complete.iter().map(|complete| 1.0 / complete.sqrt()));
        gradient.clear();
        gradient.extend(model.gradient.iter().zip(&*units).map(|(g, unit)| g * unit));
        matrix.clone_from(&model.information);
        for (row, left) in matrix.chunks_mut(*n).zip(&*units) {
            row.iter_mut().zip(&*units).for_each(|(value, right)| *value *= left * right);
        }
        let is_active = |row: &usize| rows.is_equality(*row) || rows.level(*row) >= -AT_BOUND * rows.largest(*row);
        active.clear();
        active.extend((0..rows.len()).filter(is_active));
        rows.scale(units);
        active.iter().for_each(|&row| add_across(matrix, rows.terms(row), ACROSS, *n));
        *stiffened = 0;
    }

    /// Adds the next weight across the equalities; `false` if there is none left.
    pub(super) fn stiffen(&mut self, rows: &SparseRows) -> bool {
        let Some(&weight) = ACROSS_EQUALITIES.get(self.stiffened) else {
            return false;
        };
        self.stiffened += 1;
        for &row in self.active.iter().filter(|&&row| rows.is_equality(row)) {
            add_across(&mut self.matrix, rows.terms(row), weight, self.n);
        }
        true
    }

    /// Factors the damped model; `false` if it has no maximum along the active rows.
    pub(super) fn factor(&mut self, damping: f64) -> bool {
        self.dense.factor(&self.matrix, self.n, damping, LEAST_PIVOT)
    }

    /// The best scaled step under the rows with this much damping; `None` if the model has no maximum.
    pub(super) fn step(&mut self, rows: &SparseRows, damping: f64) -> Option<Vec<f64>> {
        if !self.factor(damping) {
            return None;
        }
        let point = self.dense.minimise(&self.gradient, rows)?;
        Some(point.iter().zip(&self.units).map(|(u, unit)| u * unit).collect())
    }

    /// The factor by which the rows allow the last step to be lengthened.
    pub(super) fn reach(&self, rows: &SparseRows) -> f64 {
        rows.reach(self.dense.point(), &self.units)
    }
}

/// Adds curvature across a row, of this weight in the units of the program.
fn add_across(matrix: &mut [f64], terms: &[(usize, f64)], weight: f64, n: usize) {
    let size: f64 = terms.iter().map(|(_, a)| a * a).sum();
    for &(i, a) in terms {
        for &(j, b) in terms {
            matrix[i * n + j] += weight * a * b / size;
        }
    }
}

/// The largest relative fall of a precision in one step: it stays positive.
const LARGEST_FALL: f64 = 0.9;

/// Returns the parameters after a step, shortened so that no precision falls by more than [`LARGEST_FALL`], and the
/// fraction of the step taken.
pub(super) fn stepped(parameters: &Parameters, m_step: &MStep, step: &[f64]) -> (Parameters, f64) {
    let k = parameters.k();
    let falls = (0..k).map(|c| -step[BLOCK * c + 2]);
    let mut share = falls.filter(|&fall| fall > LARGEST_FALL).map(|fall| LARGEST_FALL / fall).fold(1.0, f64::min);
    let tie = m_step.precisions.tie();
    if let Some(tie) = &tie {
        let falls = ratios(tie, parameters).into_iter().enumerate().map(|(c, r)| -r * step[BLOCK * c + 1]);
        share = falls.filter(|&fall| fall > LARGEST_FALL).map(|fall| LARGEST_FALL / fall).fold(share, f64::min);
    }
    let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
    // Equal variances take equal steps only up to rounding.
    let shared = m_step.precisions.is_equal();
    let u = |c: usize, which: usize| share * step[BLOCK * c + which];
    let weights =
        (0..k).map(|c| between(weights[c] * (1.0 + u(c, 0)), m_step.weights.bounds(c)).max(LEAST_WEIGHT)).collect();
    let moved: Vec<f64> = (0..k).map(|c| means[c] + variances[c].sqrt() * u(c, 1)).collect();
    let spread = |c: usize| {
        let variance = variances[c] / (1.0 + u(if shared { 0 } else { c }, 2));
        between(variance, m_step.precisions.bounds(c))
    };
    let variances = match tie {
        None => (0..k).map(spread).collect(),
        Some(tie) => {
            let ratio = variances[0].sqrt() / tie.size(means[0]);
            let growth = -(0.5 * u(0, 2) + ratio * u(0, 1));
            let coefficient = tie.given.unwrap_or_else(|| ratio * exp2(LOG2_E * growth));
            tie.variances(&moved, coefficient)
        }
    };
    (Parameters::sound(weights, moved, variances), share)
}

/// The coefficient of variation of each component.
pub(super) fn ratios(tie: &Tie, parameters: &Parameters) -> Vec<f64> {
    let parts = parameters.means().iter().zip(parameters.variances());
    parts.map(|(&mean, variance)| variance.sqrt() / tie.size(mean)).collect()
}

/// Clamps a value that rounding has moved out of its bounds, so that a fixed one keeps its bits.
fn between(value: f64, [lower, upper]: [f64; 2]) -> f64 {
    value.max(lower).min(upper)
}
