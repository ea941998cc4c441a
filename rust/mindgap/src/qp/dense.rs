//! `min ½ uᵀHu - gᵀu` under sparse rows, for a dense positive definite `H`: the exact optimum by Goldfarb and Idnani's
//! dual active-set method.
//!
//! For the Newton steps of a mixture, which have a few dozen variables and rows: O(n³) for the factor, O(n²) for each
//! change of the active rows.

mod factor;
mod rows;

pub(crate) use rows::SparseRows;

use factor::Factor;

/// A normal depends on the active ones if the square of its orthogonal part is below this fraction of its own:
/// rounding.
const DEPENDENT: f64 = 1e-20;

/// A multiplier falls if its rate is above this; a smaller rate is rounding.
const FALLING: f64 = 1e-14;

/// A program: its factor, and the state of the search, in coordinates in which `H` is the identity. Vectors are padded
/// with zeros to the length of the factor's rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseProgram {
    factor: Factor,
    /// `U·point`.
    image: Vec<f64>,
    point: Vec<f64>,
    active: Vec<usize>,
    multipliers: Vec<f64>,
    /// -1 for an equality approached from above.
    signs: Vec<f64>,
    /// An orthonormal basis of the active normals, one after the other, and their coordinates in it.
    basis: Vec<f64>,
    coordinates: Vec<f64>,
    /// The normal of the row to be added, its part orthogonal to the active ones, and its coordinates in their basis.
    normal: Vec<f64>,
    across: Vec<f64>,
    along: Vec<f64>,
    /// The rate at which each multiplier falls as that of the new row grows.
    rates: Vec<f64>,
}

impl DenseProgram {
    /// Factors an `n`×`n` matrix, whose upper half is read, plus `damping` on its diagonal; `false` if a pivot is at
    /// most `least` times its diagonal entry.
    pub(crate) fn factor(&mut self, matrix: &[f64], n: usize, damping: f64, least: f64) -> bool {
        self.factor.replace(matrix, n, damping, least)
    }

    /// The minimum of `½ uᵀHu - gᵀu` under `rows`, for the matrix that was factored; `None` if the rows contradict each
    /// other by more than rounding.
    pub(crate) fn minimise(&mut self, gradient: &[f64], rows: &SparseRows) -> Option<&[f64]> {
        self.begin(gradient);
        // Equalities come first, so that no row was dropped for one that contradicts others.
        for row in (0..rows.len()).filter(|&row| rows.is_equality(row)) {
            if self.add(rows, row).is_none() {
                self.find_point();
                if !rows.is_implied(row, &self.point) {
                    return None;
                }
            }
        }
        // Each round adds a row and may drop others; far more rounds than rows means that rounding has made it circle.
        for _ in 0..20 * (rows.len() + 2) {
            self.find_point();
            match rows.most_missed(&self.point, &self.active) {
                None => return Some(&self.point[..gradient.len()]),
                Some(row) => self.add(rows, row)?,
            }
        }
        None
    }

    /// The last minimum, padded with zeros.
    pub(crate) fn point(&self) -> &[f64] {
        &self.point
    }

    /// The active rows and their multipliers.
    #[cfg(test)]
    pub(crate) fn active(&self) -> (Vec<usize>, Vec<f64>) {
        let multipliers = self.multipliers.iter().zip(&self.signs).map(|(multiplier, sign)| multiplier * sign);
        (self.active.clone(), multipliers.collect())
    }

    /// The variance `dᵀH⁻¹d` of each combination `d` of variables, restricted to the null space of the `active` rows.
    pub(crate) fn variances_along(
        &mut self,
        rows: &SparseRows,
        active: &[usize],
        combinations: impl IntoIterator<Item = Vec<f64>>,
    ) -> Vec<f64> {
        self.begin(&[]);
        for &row in active {
            self.write_normal(rows, row, 1.0);
            self.project();
            let left = dot(&self.across, &self.across);
            if left > DEPENDENT * dot(&self.normal, &self.normal) {
                self.extend(left.sqrt());
            }
        }
        let variance = |mut combination: Vec<f64>| {
            combination.resize(self.factor.width(), 0.0);
            self.factor.forward(&mut combination, 0);
            self.normal = combination;
            self.project();
            dot(&self.across, &self.across)
        };
        combinations.into_iter().map(variance).collect()
    }

    /// Starts at the minimum without rows.
    fn begin(&mut self, gradient: &[f64]) {
        let Self { factor, image, active, multipliers, signs, basis, coordinates, .. } = self;
        active.clear();
        [multipliers, signs, basis, coordinates].into_iter().for_each(Vec::clear);
        image.clear();
        image.extend_from_slice(gradient);
        image.resize(factor.width(), 0.0);
        factor.forward(image, 0);
    }

    fn find_point(&mut self) {
        self.point.clone_from(&self.image);
        self.factor.backward(&mut self.point);
    }

    fn write_normal(&mut self, rows: &SparseRows, row: usize, sign: f64) {
        self.normal.clear();
        self.normal.resize(self.factor.width(), 0.0);
        let mut first = self.normal.len();
        for &(variable, a) in rows.terms(row) {
            self.normal[variable] += sign * a;
            first = first.min(variable);
        }
        self.factor.forward(&mut self.normal, first);
    }

    /// Finds the part of the normal orthogonal to the active ones, and its coordinates in their basis.
    fn project(&mut self) {
        self.across.clone_from(&self.normal);
        self.along.clear();
        let width = self.factor.width();
        self.along.resize(self.basis.len() / width, 0.0);
        // Twice: the second round removes the rounding error of the first.
        for _ in 0..2 {
            for (unit, along) in self.basis.chunks_exact(width).zip(&mut self.along) {
                let share = dot(unit, &self.across);
                *along += share;
                self.across.iter_mut().zip(unit).for_each(|(across, unit)| *across -= share * unit);
            }
        }
    }

    /// Moves until `row` is satisfied, dropping rows on the way; `None` if it cannot be satisfied.
    fn add(&mut self, rows: &SparseRows, row: usize) -> Option<()> {
        self.write_normal(rows, row, 1.0);
        // The row's level minus its value.
        let lacking = rows.level(row) - dot(&self.normal, &self.image);
        let sign = if rows.is_equality(row) && lacking < 0.0 { -1.0 } else { 1.0 };
        self.normal.iter_mut().for_each(|a| *a *= sign);
        let size = dot(&self.normal, &self.normal);
        let mut multiplier = 0.0;
        loop {
            #[cfg(test)]
            crate::monitor::count(1, 0);
            self.project();
            let left = dot(&self.across, &self.across);
            self.find_rates();
            let vanishing = (0..self.active.len())
                .filter(|&index| !rows.is_equality(self.active[index]) && self.rates[index] > FALLING)
                .map(|index| (index, self.multipliers[index] / self.rates[index]))
                .fold(None, |first: Option<(usize, f64)>, next| match first {
                    Some(first) if first.1 <= next.1 => Some(first),
                    _ => Some(next),
                });
            let reach =
                (left > DEPENDENT * size).then(|| (sign * rows.level(row) - dot(&self.normal, &self.image)) / left);
            let (dropped, step) = match (vanishing, reach) {
                (Some((index, step)), Some(reach)) if step < reach => (Some(index), step),
                (_, Some(reach)) => (None, reach),
                (Some((index, step)), None) => (Some(index), step),
                (None, None) => return None,
            };
            self.multipliers.iter_mut().zip(&self.rates).for_each(|(multiplier, rate)| *multiplier -= step * rate);
            multiplier += step;
            if reach.is_some() {
                self.image.iter_mut().zip(&self.across).for_each(|(image, across)| *image += step * across);
            }
            match dropped {
                Some(index) => {
                    self.drop_row(rows, index);
                    self.write_normal(rows, row, sign);
                }
                None => {
                    self.active.push(row);
                    self.multipliers.push(multiplier);
                    self.signs.push(sign);
                    self.extend(left.sqrt());
                    return Some(());
                }
            }
        }
    }

    fn find_rates(&mut self) {
        let width = self.factor.width();
        self.rates.clone_from(&self.along);
        for i in (0..self.rates.len()).rev() {
            self.rates[i] /= self.coordinates[i * width + i];
            for j in 0..i {
                self.rates[j] -= self.coordinates[i * width + j] * self.rates[i];
            }
        }
    }

    /// Adds the row whose normal was projected to the basis; `length` is that of its orthogonal part.
    fn extend(&mut self, length: f64) {
        self.basis.extend(self.across.iter().map(|across| across / length));
        let end = self.coordinates.len() + self.factor.width();
        self.coordinates.extend_from_slice(&self.along);
        self.coordinates.push(length);
        self.coordinates.resize(end, 0.0);
    }

    fn drop_row(&mut self, rows: &SparseRows, index: usize) {
        self.active.remove(index);
        self.multipliers.remove(index);
        self.signs.remove(index);
        self.basis.truncate(index * self.factor.width());
        self.coordinates.truncate(index * self.factor.width());
        for later in index..self.active.len() {
            self.write_normal(rows, self.active[later], self.signs[later]);
            self.project();
            self.extend(dot(&self.across, &self.across).sqrt());
        }
    }
}

/// Σ a·b in four independent sums, so that additions overlap.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for l in 0..4 {
            sums[l] += a[l] * b[l];
        }
    }
    let last: f64 = last_a.iter().zip(last_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + last
}

#[cfg(test)]
mod tests;
