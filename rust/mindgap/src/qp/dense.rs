//! `min ½ uᵀHu - gᵀu` under sparse rows, for a dense positive definite `H`: the exact optimum by Goldfarb and Idnani's
//! dual active-set method.
//!
//! For the Newton steps of a mixture, which have a few dozen variables and rows: O(n³) for the factor, O(n²) for each
//! change of the active rows.

/// A row is violated by more than rounding if it misses its level by this fraction of its terms' sizes.
const MISSED: f64 = 1e-13;

/// A normal depends on the active ones if the square of its orthogonal part is below this fraction of its own:
/// rounding.
const DEPENDENT: f64 = 1e-20;

/// A multiplier falls if its rate is above this; a smaller rate is rounding.
const FALLING: f64 = 1e-14;

/// An equality that depends on others follows from them if its violation is at most this, in units of its largest
/// coefficient: a step of that size changes nothing.
const IMPLIED: f64 = 1e-8;

/// Rows `a·u ≥ level`, or `a·u = level`, by their few coefficients.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseRows {
    terms: Vec<(usize, f64)>,
    ends: Vec<usize>,
    levels: Vec<f64>,
    equalities: Vec<bool>,
}

impl SparseRows {
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
        self.ends.clear();
        self.levels.clear();
        self.equalities.clear();
    }

    pub(crate) fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, level: f64, equality: bool) {
        self.terms.extend(terms);
        self.ends.push(self.terms.len());
        self.levels.push(level);
        self.equalities.push(equality);
    }

    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn terms(&self, row: usize) -> &[(usize, f64)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.terms[start..self.ends[row]]
    }

    pub(crate) fn level(&self, row: usize) -> f64 {
        self.levels[row]
    }

    pub(crate) fn is_equality(&self, row: usize) -> bool {
        self.equalities[row]
    }

    /// Multiplies the coefficients of each variable by its entry of `units`.
    pub(crate) fn scale(&mut self, units: &[f64]) {
        self.terms.iter_mut().for_each(|(variable, a)| *a *= units[*variable]);
    }

    /// The largest `t ≥ 1` such that `t·u` satisfies the rows, which `u` satisfies; 1 if an equality has a level other
    /// than zero.
    pub(crate) fn reach(&self, u: &[f64]) -> f64 {
        (0..self.len()).fold(f64::INFINITY, |reach, row| {
            let (value, level) = (self.value(row, u), self.levels[row]);
            let largest = self.terms(row).iter().fold(0.0, |largest: f64, (_, a)| largest.max(a.abs()));
            match self.equalities[row] {
                true if level.abs() <= IMPLIED * largest => reach,
                true => 1.0,
                false if value < 0.0 => reach.min((level / value).max(1.0)),
                false => reach,
            }
        })
    }

    pub(super) fn value(&self, row: usize, u: &[f64]) -> f64 {
        self.terms(row).iter().map(|&(variable, a)| a * u[variable]).sum()
    }

    /// Whether an equality that depends linearly on the active ones follows from them up to rounding.
    fn is_implied(&self, row: usize, u: &[f64]) -> bool {
        let largest = self.terms(row).iter().fold(0.0, |largest: f64, (_, a)| largest.max(a.abs()));
        self.equalities[row] && (self.levels[row] - self.value(row, u)).abs() <= IMPLIED * largest
    }

    /// The violation of a row, in units of its largest coefficient; `None` if it is satisfied to rounding.
    fn miss(&self, row: usize, u: &[f64]) -> Option<f64> {
        let (mut value, mut size, mut largest) = (0.0, self.levels[row].abs(), 0.0_f64);
        for &(variable, a) in self.terms(row) {
            value += a * u[variable];
            size += (a * u[variable]).abs();
            largest = largest.max(a.abs());
        }
        let by = self.levels[row] - value;
        let by = if self.equalities[row] { by.abs() } else { by };
        (by > MISSED * size).then_some(by / largest)
    }
}

/// Cholesky's factor `U` of a positive definite matrix `UᵀU`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    n: usize,
    /// Row-major, so that every inner loop below runs along a row.
    upper: Vec<f64>,
    /// What each pivot must exceed.
    smallest: Vec<f64>,
}

impl Factor {
    /// Factors an `n`×`n` matrix, whose upper half is read, plus `damping` on its diagonal; `false` if a pivot is at
    /// most `least` times its diagonal entry.
    pub(crate) fn replace(&mut self, matrix: &[f64], n: usize, damping: f64, least: f64) -> bool {
        let Self { n: size, upper, smallest } = self;
        *size = n;
        upper.clear();
        upper.extend_from_slice(matrix);
        upper.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += damping);
        smallest.clear();
        smallest.extend(upper.iter().step_by(n + 1).map(|diagonal| least * diagonal.abs()));
        for i in 0..n {
            let (row, below) = upper[i * n..].split_at_mut(n);
            let row = &mut row[i..];
            // Also false for a pivot that is not a number.
            let positive = row[0] > smallest[i];
            if !positive {
                return false;
            }
            let root = row[0].sqrt();
            row[0] = root;
            row[1..].iter_mut().for_each(|u| *u /= root);
            for (j, other) in below.chunks_exact_mut(n).enumerate() {
                let u = row[j + 1];
                other[i + 1 + j..].iter_mut().zip(&row[j + 1..]).for_each(|(a, right)| *a -= u * right);
            }
        }
        true
    }

    /// `U⁻ᵀ b` in place; the entries before `first` are zero.
    fn forward(&self, b: &mut [f64], first: usize) {
        for i in first..self.n {
            let row = &self.upper[i * self.n + i..(i + 1) * self.n];
            let (known, rest) = b[i..].split_at_mut(1);
            known[0] /= row[0];
            rest.iter_mut().zip(&row[1..]).for_each(|(b, u)| *b -= u * known[0]);
        }
    }

    /// `U⁻¹ b` in place.
    fn backward(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = &self.upper[i * self.n + i..(i + 1) * self.n];
            let (own, known) = b[i..].split_at_mut(1);
            own[0] = (own[0] - dot(&row[1..], known)) / row[0];
        }
    }

    /// The variance `dᵀH⁻¹d` of each combination `d` of variables, restricted to the null space of the `active` rows.
    pub(crate) fn variances_along(
        &self,
        rows: &SparseRows,
        active: &[usize],
        combinations: impl IntoIterator<Item = Vec<f64>>,
    ) -> Vec<f64> {
        let mut search = DualActiveSet::new(self, &vec![0.0; self.n]);
        for &row in active {
            search.write_normal(rows, row, 1.0);
            search.project();
            let left = dot(&search.across, &search.across);
            if left > DEPENDENT * dot(&search.normal, &search.normal) {
                search.extend(left.sqrt());
            }
        }
        let variance = |mut combination: Vec<f64>| {
            self.forward(&mut combination, 0);
            search.normal = combination;
            search.project();
            dot(&search.across, &search.across)
        };
        combinations.into_iter().map(variance).collect()
    }
}

/// The optimum, and the active rows with their multipliers.
#[derive(Clone, Debug)]
pub(crate) struct DenseOptimum {
    pub(crate) point: Vec<f64>,
    #[cfg(test)]
    pub(crate) active: Vec<usize>,
    #[cfg(test)]
    pub(crate) multipliers: Vec<f64>,
}

/// The minimum of `½ uᵀHu - gᵀu` under `rows`; `None` if they contradict each other by more than rounding.
pub(crate) fn minimise(factor: &Factor, gradient: &[f64], rows: &SparseRows) -> Option<DenseOptimum> {
    let mut search = DualActiveSet::new(factor, gradient);
    let mut left = vec![true; rows.len()];
    // Equalities come first, so that no row was dropped for one that contradicts others.
    for row in (0..rows.len()).filter(|&row| rows.is_equality(row)) {
        left[row] = false;
        if search.add(rows, row).is_none() {
            search.find_point();
            if !rows.is_implied(row, &search.point) {
                return None;
            }
        }
    }
    // Each round adds a row and may drop others; far more rounds than rows means that rounding has made it circle.
    for _ in 0..20 * (rows.len() + 2) {
        search.find_point();
        let missed = (0..rows.len()).filter(|&row| left[row] && !search.active.contains(&row));
        let misses = missed.filter_map(|row| rows.miss(row, &search.point).map(|by| (row, by)));
        match misses.fold(None, |worst: Option<(usize, f64)>, miss| match worst {
            Some(worst) if worst.1 >= miss.1 => Some(worst),
            _ => Some(miss),
        }) {
            None => return Some(search.end()),
            Some((row, _)) => search.add(rows, row)?,
        }
    }
    None
}

/// The state of the search, in coordinates in which `H` is the identity.
struct DualActiveSet<'a> {
    factor: &'a Factor,
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

impl<'a> DualActiveSet<'a> {
    fn new(factor: &'a Factor, gradient: &[f64]) -> Self {
        let n = factor.n;
        let mut image = gradient.to_vec();
        factor.forward(&mut image, 0);
        let (point, [normal, across, along, rates]) = (vec![0.0; n], Default::default());
        let (active, multipliers, signs, basis, coordinates) = Default::default();
        Self { factor, image, point, active, multipliers, signs, basis, coordinates, normal, across, along, rates }
    }

    fn end(self) -> DenseOptimum {
        DenseOptimum {
            point: self.point,
            #[cfg(test)]
            active: self.active,
            #[cfg(test)]
            multipliers: self.multipliers.iter().zip(&self.signs).map(|(multiplier, sign)| multiplier * sign).collect(),
        }
    }

    fn find_point(&mut self) {
        self.point.copy_from_slice(&self.image);
        self.factor.backward(&mut self.point);
    }

    fn write_normal(&mut self, rows: &SparseRows, row: usize, sign: f64) {
        self.normal.clear();
        self.normal.resize(self.factor.n, 0.0);
        let mut first = self.factor.n;
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
        self.along.resize(self.basis.len() / self.factor.n, 0.0);
        // Twice: the second round removes the rounding error of the first.
        for _ in 0..2 {
            for (unit, along) in self.basis.chunks_exact(self.factor.n).zip(&mut self.along) {
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
        let n = self.factor.n;
        self.rates.clone_from(&self.along);
        for i in (0..self.rates.len()).rev() {
            self.rates[i] /= self.coordinates[i * n + i];
            for j in 0..i {
                self.rates[j] -= self.coordinates[i * n + j] * self.rates[i];
            }
        }
    }

    /// Adds the row whose normal was projected to the basis; `length` is that of its orthogonal part.
    fn extend(&mut self, length: f64) {
        self.basis.extend(self.across.iter().map(|across| across / length));
        let end = self.coordinates.len() + self.factor.n;
        self.coordinates.extend_from_slice(&self.along);
        self.coordinates.push(length);
        self.coordinates.resize(end, 0.0);
    }

    fn drop_row(&mut self, rows: &SparseRows, index: usize) {
        self.active.remove(index);
        self.multipliers.remove(index);
        self.signs.remove(index);
        self.basis.truncate(index * self.factor.n);
        self.coordinates.truncate(index * self.factor.n);
        for later in index..self.active.len() {
            self.write_normal(rows, self.active[later], self.signs[later]);
            self.project();
            self.extend(dot(&self.across, &self.across).sqrt());
        }
    }
}

/// Σ a·b in four independent sums, so that additions overlap.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
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
