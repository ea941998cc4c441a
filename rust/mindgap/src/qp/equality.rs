//! The exact solve on a given set of active rows: O(rows² k).
//!
//! Minimises `Σ g_k δ_k²` subject to `A δ = ρ`, where δ are the distances from the targets. Stiffnesses `g` of a
//! mixture span eighteen orders of magnitude, so the rows are solved for the softest means first: the pivot is the
//! largest `|a_rk| / √g_k`. The rest is a least-squares problem whose matrix `I + E Eᵀ` has entries near one for any
//! stiffnesses, so each mean is accurate on its own scale.

use super::row_matrix::{Bound, RowMatrix};
use crate::constraint::Side;

/// A difference below this fraction of its terms is rounding.
const CANCELLATION: f64 = 1e-11;

/// The rounding error of a multiplier, as a fraction of the forces that it balances.
pub(super) const FORCE_ERROR: f64 = 4e-15;

/// The means that satisfy a set of rows with equality, and the multipliers of the rows.
#[derive(Clone, Debug)]
pub(crate) struct Equilibrium {
    pub(crate) means: Vec<f64>,
    /// One per bound, positive if the sign is right; zero for rows that depend on the others.
    pub(crate) multipliers: Vec<f64>,
    /// The largest rounding error of each multiplier.
    pub(crate) noise: Vec<f64>,
    /// For each bound that depends on the others: the coefficients, one per bound, of the dependency.
    pub(crate) dependencies: Vec<(usize, Vec<f64>)>,
}

/// The objective `Σ stiffness_k (μ_k - target_k)²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objective<'a> {
    pub(crate) targets: &'a [f64],
    pub(crate) stiffness: &'a [f64],
}

impl Objective<'_> {
    /// The largest absolute target.
    pub(crate) fn scale(&self) -> f64 {
        self.targets.iter().fold(0.0, |scale: f64, target| scale.max(target.abs()))
    }
}

/// Gauss-Jordan elimination of the bounds, with the combinations of rows that it made.
struct Elimination {
    k: usize,
    bounds: usize,
    /// Each row: k coefficients, the right side, then its coefficients in the original rows.
    table: Vec<f64>,
    /// (row, column), in the order of elimination.
    pivots: Vec<(usize, usize)>,
}

/// +1 for a lower bound or an equality, -1 for an upper bound.
pub(super) fn orientation(side: Side) -> f64 {
    if side == Side::Upper { -1.0 } else { 1.0 }
}

/// Solves on `bounds` of any rows.
pub(super) fn solve(rows: &RowMatrix, objective: Objective<'_>, bounds: &[Bound]) -> Equilibrium {
    let softness: Vec<f64> = objective.stiffness.iter().map(|g| g.sqrt().recip()).collect();
    let elimination = Elimination::run(rows, objective.targets, bounds, &softness);
    let pivots = &elimination.pivots;
    let mut pivoted = vec![false; rows.k()];
    pivots.iter().for_each(|&(_, column)| pivoted[column] = true);
    // E = √g_p C_pf / √g_f over the free columns with a coefficient.
    let reached = |f: &usize| !pivoted[*f] && pivots.iter().any(|&(row, _)| elimination.at(row, *f) != 0.0);
    let free: Vec<usize> = (0..rows.k()).filter(reached).collect();
    let e: Vec<Vec<f64>> = pivots
        .iter()
        .map(|&(row, p)| free.iter().map(|&f| elimination.at(row, f) * softness[f] / softness[p]).collect())
        .collect();
    let loads: Vec<f64> = pivots.iter().map(|&(row, p)| elimination.rhs(row) / softness[p]).collect();
    let forces = solve_gram(&e, loads);
    let mut shifts = vec![0.0; rows.k()];
    for (column, &f) in free.iter().enumerate() {
        shifts[f] = softness[f] * e.iter().zip(&forces).map(|(e, force)| e[column] * force).sum::<f64>();
    }
    for &(row, p) in pivots {
        let rest: f64 = free.iter().map(|&f| elimination.at(row, f) * shifts[f]).sum();
        shifts[p] = elimination.rhs(row) - rest;
    }
    let (multipliers, noise) = elimination.multipliers(objective, &softness, &forces, &shifts);
    let means = objective.targets.iter().zip(&shifts).map(|(target, shift)| target + shift).collect();
    Equilibrium { means, multipliers, noise, dependencies: elimination.dependencies() }
}

/// The rank of the equalities.
pub(crate) fn equality_rank(rows: &RowMatrix) -> usize {
    let equalities = (0..rows.len()).filter(|&row| rows.is_equality(row)).map(|row| Bound { row, side: Side::Both });
    let equalities: Vec<Bound> = equalities.collect();
    Elimination::run(rows, &vec![0.0; rows.k()], &equalities, &vec![1.0; rows.k()]).pivots.len()
}

impl Elimination {
    fn run(rows: &RowMatrix, targets: &[f64], bounds: &[Bound], softness: &[f64]) -> Self {
        let (k, count) = (rows.k(), bounds.len());
        let width = k + 1 + count;
        let mut table = vec![0.0; width * count];
        for (index, (line, bound)) in table.chunks_exact_mut(width.max(1)).zip(bounds).enumerate() {
            let sign = orientation(bound.side);
            for (to, a) in line.iter_mut().zip(rows.row(bound.row)) {
                *to = sign * a;
            }
            line[k] = sign * (rows.level(*bound) - rows.value(bound.row, targets));
            line[k + 1 + index] = 1.0;
        }
        let mut elimination = Self { k, bounds: count, table, pivots: Vec::with_capacity(count) };
        let mut open: Vec<usize> = (0..count).collect();
        while let Some((position, column)) = elimination.choose(&open, softness) {
            let row = open.remove(position);
            elimination.eliminate(row, column);
            elimination.pivots.push((row, column));
        }
        elimination
    }

    fn width(&self) -> usize {
        self.k + 1 + self.bounds
    }

    fn line(&self, row: usize) -> &[f64] {
        &self.table[row * self.width()..(row + 1) * self.width()]
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.line(row)[column]
    }

    fn rhs(&self, row: usize) -> f64 {
        self.line(row)[self.k]
    }

    /// The coefficients of this row in the original ones.
    fn combination(&self, row: usize) -> &[f64] {
        &self.line(row)[self.k + 1..]
    }

    /// The open row and the column with the largest scaled coefficient.
    fn choose(&self, open: &[usize], softness: &[f64]) -> Option<(usize, usize)> {
        let mut best = None;
        let mut largest = 0.0;
        for (position, &row) in open.iter().enumerate() {
            for (column, (a, soft)) in self.line(row)[..self.k].iter().zip(softness).enumerate() {
                if a.abs() * soft > largest {
                    largest = a.abs() * soft;
                    best = Some((position, column));
                }
            }
        }
        best
    }

    /// Makes `column` a unit column with its one in `row`.
    fn eliminate(&mut self, row: usize, column: usize) {
        let (width, k) = (self.width(), self.k);
        let pivot = self.at(row, column);
        let mut line: Vec<f64> = self.line(row).iter().map(|a| a / pivot).collect();
        line[column] = 1.0;
        for other in (0..self.bounds).filter(|&other| other != row) {
            let to = &mut self.table[other * width..(other + 1) * width];
            let factor = to[column];
            if factor == 0.0 {
                continue;
            }
            for (index, (to, from)) in to.iter_mut().zip(&line).enumerate() {
                let (before, change) = (*to, factor * from);
                *to -= change;
                // A difference that is rounding is set to zero: it must not become a pivot.
                if index < k && to.abs() <= CANCELLATION * before.abs().max(change.abs()) {
                    *to = 0.0;
                }
            }
            to[column] = 0.0;
        }
        self.table[row * width..(row + 1) * width].copy_from_slice(&line);
    }

    /// The multiplier of each bound and its rounding error: the forces on the pivots, mapped back through the
    /// elimination.
    fn multipliers(
        &self,
        objective: Objective<'_>,
        softness: &[f64],
        forces: &[f64],
        shifts: &[f64],
    ) -> (Vec<f64>, Vec<f64>) {
        let (mut multipliers, mut noise) = (vec![0.0; self.bounds], vec![0.0; self.bounds]);
        for (&(row, p), force) in self.pivots.iter().zip(forces) {
            let force = force / softness[p];
            let size = objective.targets[p].abs() + shifts[p].abs() + self.rhs(row).abs();
            let error = FORCE_ERROR * (objective.stiffness[p] * size + force.abs());
            for (j, t) in self.combination(row).iter().enumerate() {
                multipliers[j] += t * force;
                noise[j] += t.abs() * error;
            }
        }
        (multipliers, noise)
    }

    fn dependencies(&self) -> Vec<(usize, Vec<f64>)> {
        let dependent = |row: &usize| self.pivots.iter().all(|(pivot, _)| pivot != row);
        (0..self.bounds).filter(dependent).map(|row| (row, self.combination(row).to_vec())).collect()
    }
}

/// Solves `(I + E Eᵀ) x = b` by Cholesky's factorisation.
fn solve_gram(e: &[Vec<f64>], mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let mut factor = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let unit = if i == j { 1.0 } else { 0.0 };
            let dot: f64 = e[i].iter().zip(&e[j]).map(|(a, b)| a * b).sum();
            let known: f64 = (0..j).map(|l| factor[i * n + l] * factor[j * n + l]).sum();
            let rest = unit + dot - known;
            // A pivot of I + E Eᵀ is at least one.
            factor[i * n + j] = if i == j { rest.max(1.0).sqrt() } else { rest / factor[j * n + j] };
        }
    }
    for i in 0..n {
        let known: f64 = (0..i).map(|l| factor[i * n + l] * b[l]).sum();
        b[i] = (b[i] - known) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|l| factor[l * n + i] * b[l]).sum();
        b[i] = (b[i] - known) / factor[i * n + i];
    }
    b
}
