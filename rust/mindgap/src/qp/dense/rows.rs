//! [`SparseRows`]: the rows of a dense program.

/// A row is violated by more than rounding if it misses its level by this fraction of its terms' sizes.
const MISSED: f64 = 1e-13;

/// An equality that depends on others follows from them if its violation is at most this, in units of its largest
/// coefficient: a step of that size changes nothing.
const IMPLIED: f64 = 1e-8;

/// A longer step may leave an equality by this much more, in units of its largest coefficient: as far as rounding may
/// take a few steps. The next step returns to it.
const LENGTHENED: f64 = 1e-12;

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

    #[inline(always)]
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

    /// The largest `t ≥ 1` such that `t·u` satisfies the rows, which `u` satisfies: equalities to [`LENGTHENED`], in
    /// the `units` before the rows were scaled by them.
    pub(crate) fn reach(&self, u: &[f64], units: &[f64]) -> f64 {
        (0..self.len()).fold(f64::INFINITY, |reach, row| {
            let (value, level) = (self.value(row, u), self.levels[row]);
            if self.equalities[row] {
                let sizes = self.terms(row).iter().map(|&(variable, a)| (a / units[variable]).abs());
                reach.min(1.0 + LENGTHENED * sizes.fold(0.0, f64::max) / level.abs())
            } else if value < 0.0 {
                reach.min((level / value).max(1.0))
            } else {
                reach
            }
        })
    }

    #[inline(always)]
    pub(in crate::qp) fn value(&self, row: usize, u: &[f64]) -> f64 {
        self.terms(row).iter().fold(0.0, |value, &(variable, a)| value + a * u[variable])
    }

    /// Whether an equality that depends linearly on the active ones follows from them up to rounding.
    pub(super) fn is_implied(&self, row: usize, u: &[f64]) -> bool {
        self.equalities[row] && (self.levels[row] - self.value(row, u)).abs() <= IMPLIED * self.largest(row)
    }

    /// The violation of a row, in units of its largest coefficient; `None` if it is satisfied to rounding.
    pub(super) fn miss(&self, row: usize, u: &[f64]) -> Option<f64> {
        let by = self.levels[row] - self.value(row, u);
        let by = if self.equalities[row] { by.abs() } else { by };
        if by <= 0.0 {
            return None;
        }
        let sizes = self.terms(row).iter().map(|&(variable, a)| (a * u[variable]).abs());
        (by > MISSED * (self.levels[row].abs() + sizes.sum::<f64>())).then(|| by / self.largest(row))
    }

    /// The row other than an equality that is violated most, unless it is `active`.
    pub(super) fn most_missed(&self, u: &[f64], active: &[usize]) -> Option<usize> {
        let mut most = None;
        let mut by = 0.0;
        for row in (0..self.len()).filter(|&row| !self.equalities[row]) {
            match self.miss(row, u) {
                Some(miss) if miss > by && !active.contains(&row) => (most, by) = (Some(row), miss),
                _ => {}
            }
        }
        most
    }

    /// The largest coefficient of a row.
    pub(crate) fn largest(&self, row: usize) -> f64 {
        self.terms(row).iter().fold(0.0, |largest, (_, a)| largest.max(a.abs()))
    }
}
