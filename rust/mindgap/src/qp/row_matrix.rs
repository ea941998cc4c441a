//! [`RowMatrix`]: the rows in the units of the fit, each scaled so that its largest coefficient is near one.

use std::ops::Range;

use crate::constraint::{Rows, Side};
use crate::data::frame::Frame;
use crate::error::ConstraintError;
use crate::memory::product;
use crate::monitor::Monitor;

/// The tolerance of a row, as a fraction of its terms, the targets and the largest mean: a few roundings.
const ROW_TOLERANCE: f64 = 1e-13;

/// A bound of at least this size, in units of the fit, counts as infinite.
const INFINITE_BOUND: f64 = 1e100;

/// The rounding error of a bound that a caller computed, as a fraction of the row's terms in the data's units. Far from
/// zero, it is a large part of the data's range.
const BOUND_ERROR: f64 = 8.0 * f64::EPSILON;

/// `lower ≤ A·μ ≤ upper`.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowMatrix {
    k: usize,
    matrix: Vec<f64>,
    /// The columns of each row's coefficients; all others are zero.
    spans: Vec<Range<usize>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The rounding error of each row's bounds.
    rounding: Vec<f64>,
    /// The number of rows of the constraint; the others keep the means ascending.
    given: usize,
    /// The number of gaps, which are the first rows.
    gaps: usize,
}

/// A row at one of its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) row: usize,
    pub(crate) side: Side,
}

impl RowMatrix {
    /// The memory of a program of `rows` rows on `k` means: the rows twice and, if all are active, their elimination
    /// with its combinations and a factorisation.
    pub(crate) fn bytes(k: usize, rows: usize) -> usize {
        let width = product(&[4, k]).saturating_add(product(&[3, rows]));
        product(&[rows, width, size_of::<f64>()])
    }

    /// Makes the rows in frame units, for means within `reach` of the data. Adds rows that keep the means ascending,
    /// unless bounds on the gaps do.
    ///
    /// # Errors
    /// Rows that only means beyond `reach` could satisfy, and more rows than there is memory for.
    pub(crate) fn new(rows: &Rows, frame: &Frame, reach: f64, monitor: &Monitor<'_>) -> Result<Self, ConstraintError> {
        rows.check_gap_scale(frame, reach)?;
        let (k, gaps) = (rows.k(), rows.gap_lower().len());
        let order = if gaps > 0 || rows.is_empty() { 0 } else { k.saturating_sub(1) };
        monitor.check_memory("the means' quadratic program", Self::bytes(k, rows.len() + order))?;
        let mut matrix = Self { k, gaps, ..Self::default() };
        let framed = rows.enter(frame);
        for gap in 0..gaps {
            matrix.push_gap(gap, framed.lower[gap], framed.upper[gap], 0.0);
        }
        let far = frame.enter_length(frame.shift().abs());
        if let Some(linear) = rows.linear() {
            for row in 0..linear.len() {
                let framed = linear.framed(row, frame);
                let most = reach * framed.coefficients.iter().map(|a| a.abs()).sum::<f64>();
                if framed.lower > most || framed.upper < -most {
                    let (lower, upper) = (linear.lower()[row], linear.upper()[row]);
                    return Err(ConstraintError::OffScale { what: "row", index: row, lower, upper });
                }
                matrix.push(&framed.coefficients, framed.lower, framed.upper, far);
            }
        }
        matrix.given = matrix.len();
        (0..order).for_each(|gap| matrix.push_gap(gap, 0.0, f64::INFINITY, far));
        Ok(matrix)
    }

    /// Makes rows on numbers without units, from coefficients, lower and upper bounds.
    pub(crate) fn plain(k: usize, rows: impl IntoIterator<Item = (Vec<f64>, f64, f64)>) -> Self {
        let mut matrix = Self { k, ..Self::default() };
        for (coefficients, lower, upper) in rows {
            let largest = coefficients.iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
            let scaled: Vec<f64> = coefficients.iter().map(|a| a / largest).collect();
            matrix.push(&scaled, lower / largest, upper / largest, 0.0);
        }
        matrix.given = matrix.len();
        matrix
    }

    /// Adds the rows `x_k ≥ 0`.
    pub(crate) fn push_positive(&mut self) {
        for c in 0..self.k {
            let mut row = vec![0.0; self.k];
            row[c] = 1.0;
            self.push(&row, 0.0, f64::INFINITY, 0.0);
        }
    }

    fn push_gap(&mut self, gap: usize, lower: f64, upper: f64, far: f64) {
        let mut row = vec![0.0; self.k];
        (row[gap], row[gap + 1]) = (-1.0, 1.0);
        self.push(&row, lower, upper, far);
    }

    /// Adds a row, whose largest coefficient is near one, on means that are `far` from zero in the data's units.
    fn push(&mut self, coefficients: &[f64], lower: f64, upper: f64, far: f64) {
        self.matrix.extend(coefficients);
        let first = coefficients.iter().position(|&a| a != 0.0).unwrap_or(0);
        let last = coefficients.iter().rposition(|&a| a != 0.0).map_or(0, |last| last + 1);
        self.spans.push(first..last);
        self.lower.push(if lower <= -INFINITE_BOUND { f64::NEG_INFINITY } else { lower });
        self.upper.push(if upper >= INFINITE_BOUND { f64::INFINITY } else { upper });
        let size: f64 = coefficients.iter().map(|a| a.abs()).sum();
        self.rounding.push(size * (BOUND_ERROR * far + 4.0 * ROW_TOLERANCE));
    }

    /// Widens the bounds of a row by their rounding error.
    pub(crate) fn loosen(&mut self, row: usize) {
        self.lower[row] -= self.rounding[row];
        self.upper[row] += self.rounding[row];
    }

    pub(crate) fn k(&self) -> usize {
        self.k
    }

    pub(crate) fn len(&self) -> usize {
        self.lower.len()
    }

    /// The number of rows of the constraint.
    pub(crate) fn given(&self) -> usize {
        self.given
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.k..(row + 1) * self.k]
    }

    /// The gap that a row bounds, if it is one.
    pub(crate) fn gap(&self, row: usize) -> Option<usize> {
        let span = &self.spans[row];
        (self.row(row)[span.clone()] == [-1.0, 1.0]).then_some(span.start)
    }

    pub(crate) fn bounds(&self, row: usize) -> (f64, f64) {
        (self.lower[row], self.upper[row])
    }

    pub(crate) fn is_equality(&self, row: usize) -> bool {
        self.lower[row] == self.upper[row]
    }

    /// Means with each gap at its lower bound.
    pub(crate) fn likely(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.k];
        for gap in 0..self.gaps {
            means[gap + 1] = means[gap] + if self.lower[gap].is_finite() { self.lower[gap] } else { 0.0 };
        }
        means
    }

    /// The value of a row at a bound.
    pub(crate) fn level(&self, bound: Bound) -> f64 {
        match bound.side {
            Side::Upper => self.upper[bound.row],
            Side::Lower | Side::Both => self.lower[bound.row],
        }
    }

    /// The value of a row.
    pub(crate) fn value(&self, row: usize, means: &[f64]) -> f64 {
        self.terms(row, means).sum()
    }

    fn terms(&self, row: usize, means: &[f64]) -> impl Iterator<Item = f64> {
        let span = &self.spans[row];
        self.row(row)[span.clone()].iter().zip(&means[span.clone()]).map(|(a, mean)| a * mean)
    }

    /// The violated bound of a row and the violation; `None` if the row is satisfied to rounding, for targets and means
    /// up to `largest`.
    fn miss(&self, row: usize, means: &[f64], largest: f64) -> Option<(Bound, f64)> {
        let (lower, upper) = self.bounds(row);
        let (value, size) =
            self.terms(row, means).fold((0.0, 0.0), |(value, size), term| (value + term, size + term.abs()));
        let (side, level, by) =
            if value < lower { (Side::Lower, lower, lower - value) } else { (Side::Upper, upper, value - upper) };
        let side = if self.is_equality(row) { Side::Both } else { side };
        (by > ROW_TOLERANCE * (size + level.abs() + largest)).then_some((Bound { row, side }, by))
    }

    /// Whether a row is violated by more than rounding, for targets of this scale.
    pub(crate) fn is_missed(&self, row: usize, means: &[f64], scale: f64) -> bool {
        self.miss(row, means, largest(means, scale)).is_some()
    }

    /// Returns the bound that is violated most, for targets of this scale.
    pub(crate) fn worst_miss(&self, means: &[f64], scale: f64) -> Option<Bound> {
        let largest = largest(means, scale);
        let misses = (0..self.len()).filter_map(|row| self.miss(row, means, largest));
        misses.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(bound, _)| bound)
    }
}

/// The largest absolute mean, or `scale` if that is larger.
fn largest(means: &[f64], scale: f64) -> f64 {
    means.iter().fold(scale, |largest, mean| largest.max(mean.abs()))
}
