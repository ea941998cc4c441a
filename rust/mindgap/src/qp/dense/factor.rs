//! [`Factor`]: Cholesky's factor of a dense matrix.
//!
//! Rows are padded with zeros to whole blocks, so that every inner loop is one of vector code.

use super::dot;

/// Entries that go through the loops together.
pub(super) const BLOCK: usize = 4;

/// Cholesky's factor `U` of a positive definite matrix `UᵀU`.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    n: usize,
    /// The rows above the diagonal, with zeros on it and below.
    upper: Vec<f64>,
    /// One over each diagonal entry.
    inverse: Vec<f64>,
}

impl Factor {
    /// The length of a row: a multiple of [`BLOCK`].
    pub(super) fn width(&self) -> usize {
        self.n.next_multiple_of(BLOCK)
    }

    /// Factors an `n`×`n` matrix, whose upper half is read, plus `damping` on its diagonal; `false` if a pivot is at
    /// most `least` times its diagonal entry.
    pub(super) fn replace(&mut self, matrix: &[f64], n: usize, damping: f64, least: f64) -> bool {
        self.n = n;
        let width = self.width();
        let Self { upper, inverse, .. } = self;
        inverse.clear();
        upper.clear();
        upper.resize(n * width, 0.0);
        for (to, from) in upper.chunks_exact_mut(width).zip(matrix.chunks_exact(n)) {
            to[..n].copy_from_slice(from);
        }
        for i in 0..n {
            let (row, below) = upper[i * width..].split_at_mut(width);
            row[i] += damping;
            let pivot = row[i];
            // Also false for a pivot that is not a number.
            let positive = pivot > least * (matrix[i * n + i] + damping).abs();
            if !positive {
                return false;
            }
            let root = 1.0 / pivot.sqrt();
            inverse.push(root);
            let first = i / BLOCK;
            row[first * BLOCK..=i].fill(0.0);
            row[first * BLOCK..].iter_mut().for_each(|u| *u *= root);
            eliminate(row.as_chunks().0, i, below.as_chunks_mut().0);
        }
        true
    }

    /// `U⁻ᵀ b` in place; the entries before `first` are zero.
    pub(super) fn forward(&self, b: &mut [f64], first: usize) {
        let width = self.width();
        for i in first..self.n {
            b[i] *= self.inverse[i];
            let known = b[i];
            let row = &self.upper[i * width..(i + 1) * width];
            subtract(&mut b.as_chunks_mut().0[i / BLOCK..], known, &row.as_chunks().0[i / BLOCK..]);
        }
    }

    /// `U⁻¹ b` in place.
    pub(super) fn backward(&self, b: &mut [f64]) {
        let width = self.width();
        for i in (0..self.n).rev() {
            let from = i / BLOCK * BLOCK;
            let known = dot(&self.upper[i * width + from..(i + 1) * width], &b[from..]);
            b[i] = (b[i] - known) * self.inverse[i];
        }
    }
}

/// Subtracts multiples of row `i` from the rows below. Entries below the diagonal that this changes are not read.
///
/// Not inlined, so that the compiler knows that the two do not overlap.
#[inline(never)]
fn eliminate(row: &[[f64; BLOCK]], i: usize, below: &mut [[f64; BLOCK]]) {
    let first = i / BLOCK;
    for (j, other) in below.chunks_exact_mut(row.len()).enumerate() {
        let j = i + 1 + j;
        subtract(&mut other[first..], row[j / BLOCK][j % BLOCK], &row[first..]);
    }
}

/// Subtracts a multiple of a row.
#[inline(always)]
fn subtract(from: &mut [[f64; BLOCK]], factor: f64, row: &[[f64; BLOCK]]) {
    for (from, row) in from.iter_mut().zip(row) {
        // A copy, so that the compiler sees four independent differences.
        let mut block = *from;
        for l in 0..BLOCK {
            block[l] -= factor * row[l];
        }
        *from = block;
    }
}
