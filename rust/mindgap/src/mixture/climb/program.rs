//! [`Program`]: the quadratic program of a Newton step under the rows.

use super::model::Model;
use crate::qp::dense::{DenseOptimum, Factor, SparseRows, minimise};

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
}

impl Program {
    /// Makes the program, and converts the rows to its units.
    pub(super) fn new(model: &Model, rows: &mut SparseRows) -> Self {
        let n = model.gradient.len();
        let units: Vec<f64> = model.complete.iter().map(|complete| 1.0 / complete.sqrt()).collect();
        let gradient = model.gradient.iter().zip(&units).map(|(g, unit)| g * unit).collect();
        let mut matrix = model.information.clone();
        for (row, left) in matrix.chunks_mut(n).zip(&units) {
            row.iter_mut().zip(&units).for_each(|(value, right)| *value *= left * right);
        }
        let is_active = |row: &usize| {
            let largest = rows.terms(*row).iter().fold(0.0, |largest: f64, (_, a)| largest.max(a.abs()));
            rows.is_equality(*row) || rows.level(*row) >= -AT_BOUND * largest
        };
        let active: Vec<usize> = (0..rows.len()).filter(is_active).collect();
        rows.scale(&units);
        active.iter().for_each(|&row| add_across(&mut matrix, rows.terms(row), ACROSS, n));
        Self { n, units, gradient, matrix, active, stiffened: 0 }
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

    /// The factor of the damped model; `None` if it has no maximum along the active rows.
    pub(super) fn factor(&self, damping: f64) -> Option<Factor> {
        let mut matrix = self.matrix.clone();
        (0..self.n).for_each(|i| matrix[i * self.n + i] += damping);
        Factor::new(matrix, self.n, LEAST_PIVOT)
    }

    /// The best step under the rows with this much damping; `None` if the model has no maximum.
    pub(super) fn solve(&self, rows: &SparseRows, damping: f64) -> Option<DenseOptimum> {
        minimise(&self.factor(damping)?, &self.gradient, rows)
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
