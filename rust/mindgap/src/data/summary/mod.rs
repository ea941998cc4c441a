//! Data of any size in a few thousand cells: counts, sums and sums of squares that can be merged.
//!
//! Adding takes O(1) per point and O(1) per cell for every call, and memory depends on the number of cells alone. All summaries
//! use the same cells ([`grid`]), so summaries of parts, made one after the other or on many machines, merge to that of the
//! whole.

mod cell;
mod columns;
pub(in crate::data) mod grid;
mod windows;

pub use columns::SummaryColumns;
pub use windows::Source;

use crate::data::sample::{Atom, Sample, check_finite, check_weights};
use crate::error::SampleError;
use crate::memory::{check_memory, product};
use cell::SummaryCell;
use grid::Grid;
use std::fmt;

/// Points are summed in runs of this many for every cell: runs are then long beside the merging of their cells.
const POINTS_A_CELL: usize = 16;

/// The least number of points in a run: shorter ones cost more to merge than to sum.
const SHORTEST_RUN: usize = 1 << 16;

/// Counts, sums and extents of data, cell by cell, made in one pass over the points.
///
/// ```
/// use mindgap::{KMeans, Summary};
///
/// let mut summary = Summary::new();
/// summary.add(&[1.0, 2.0, 9.0])?;
/// let mut other = Summary::new();
/// other.add(&[10.0, 1.5])?;
/// summary.merge(&other)?;
/// assert_eq!(summary.count(), 5);
/// let fit = KMeans::new(2).fit(&summary.sample()?)?;
/// assert_eq!(fit.centers(), [1.5, 9.5]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "SummaryColumns", try_from = "SummaryColumns"))]
pub struct Summary {
    limit: usize,
    /// Whether some point has another weight than one.
    weighted: bool,
    grid: Grid,
    /// The cells from `start` on, none of them missing.
    start: i64,
    cells: Vec<SummaryCell>,
}

impl Default for Summary {
    fn default() -> Self {
        Self::new()
    }
}

impl Summary {
    /// The default limit on the number of cells.
    pub const CELLS: usize = 1 << 14;

    /// The largest limit on the number of cells.
    pub const MOST_CELLS: usize = 1 << 24;

    /// The summary of no points.
    pub fn new() -> Self {
        Self::with_cells(Self::CELLS)
    }

    /// The summary of no points, of at most `limit` cells, taken as the nearest number from 2 to
    /// [`MOST_CELLS`](Self::MOST_CELLS).
    ///
    /// ```
    /// use mindgap::Summary;
    ///
    /// let mut coarse = Summary::with_cells(64);
    /// coarse.add_weighted(&[0.0, 1.0, 2.0], &[1.0, 0.5, 1.0])?;
    /// assert_eq!((coarse.limit(), coarse.total_weight(), coarse.low()), (64, 2.5, Some(0.0)));
    /// assert_eq!(Summary::new().limit(), Summary::CELLS);
    /// assert_eq!(Summary::with_cells(usize::MAX).limit(), Summary::MOST_CELLS);
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    pub fn with_cells(limit: usize) -> Self {
        Self {
            limit: limit.clamp(2, Self::MOST_CELLS),
            weighted: false,
            grid: Grid::new(i32::MIN),
            start: 0,
            cells: Vec::new(),
        }
    }

    /// Adds `values`, each of weight one. There may be none.
    ///
    /// # Errors
    /// Values that are not finite, or whose range cannot be squared, and cells for which there is no memory; the summary is
    /// then as it was.
    pub fn add(&mut self, values: &[f64]) -> Result<(), SampleError> {
        check_finite(values)?;
        self.extend_cells(self.limit, self.total_weight() + values.len() as f64, extent(values.iter().copied()))?;
        self.add_points(values, |_| 1.0);
        Ok(())
    }

    /// Adds `values` with one weight each; those of weight zero are left out.
    ///
    /// # Errors
    /// As [`Summary::add`]; also weights that are negative, not finite, of another number, or too large to be summed.
    pub fn add_weighted(&mut self, values: &[f64], weights: &[f64]) -> Result<(), SampleError> {
        check_finite(values)?;
        let added = check_weights(values.len(), weights)?;
        let weighing = values.iter().zip(weights).filter(|&(_, &weight)| weight > 0.0);
        self.extend_cells(self.limit, self.total_weight() + added, extent(weighing.map(|(&x, _)| x)))?;
        self.weighted |= weights.iter().any(|&weight| weight != 0.0 && weight != 1.0);
        self.add_points(values, |i| weights[i]);
        Ok(())
    }

    /// Adds the points of another summary. The smaller of the two limits on the number of cells applies from then on.
    ///
    /// # Errors
    /// Weights too large to be summed, a range that cannot be squared, and cells for which there is no memory; the summary
    /// is then as it was.
    pub fn merge(&mut self, other: &Summary) -> Result<(), SampleError> {
        let limit = self.limit.min(other.limit);
        self.extend_cells(limit, self.total_weight() + other.total_weight(), other.low().zip(other.high()))?;
        self.weighted |= other.weighted;
        self.take_in(other);
        Ok(())
    }

    /// The number of points, those of weight zero left out.
    pub fn count(&self) -> u64 {
        self.cells.iter().fold(0, |count, cell| count.saturating_add(cell.count))
    }

    /// The sum of the weights.
    pub fn total_weight(&self) -> f64 {
        self.cells.iter().map(|cell| cell.weight).sum()
    }

    /// The smallest value.
    pub fn low(&self) -> Option<f64> {
        self.cells.first().map(|cell| cell.low)
    }

    /// The largest value.
    pub fn high(&self) -> Option<f64> {
        self.cells.last().map(|cell| cell.high)
    }

    /// The mean, and the sum of squares about it divided by the total weight; exact up to rounding.
    ///
    /// ```
    /// use mindgap::Summary;
    ///
    /// let mut summary = Summary::new();
    /// assert_eq!(summary.mean_and_variance(), None);
    /// summary.add(&[1.0, 3.0])?;
    /// assert_eq!(summary.mean_and_variance(), Some((2.0, 1.0)));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    pub fn mean_and_variance(&self) -> Option<(f64, f64)> {
        let origin = self.low()?;
        let total = self.total_weight();
        let atoms = self.atoms();
        let offset = |atom: &Atom| atom.mean - origin + atom.rest;
        let mean = atoms.iter().map(|atom| atom.weight / total * offset(atom)).sum::<f64>();
        let about = |atom: &Atom| atom.within / total + atom.weight / total * (offset(atom) - mean).powi(2);
        Some((origin + mean, atoms.iter().map(about).sum()))
    }

    /// The most cells that this summary can have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The summary as a sample, for fits: its points are the cells that have any. A k-means fit of it has the true cost of its
    /// partition and a lower bound that is true for the points themselves; a mixture sees every point at its cell's mean.
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn sample(&self) -> Result<Sample, SampleError> {
        // As atoms, and in the sample.
        check_memory("a sample of the cells", product(&[2, self.occupied().count(), size_of::<Atom>()]))?;
        Sample::of_atoms(self.atoms())
    }

    /// The cells that have points.
    pub(crate) fn atoms(&self) -> Vec<Atom> {
        let even = |cell: &SummaryCell| !self.weighted || cell.count == 1;
        self.occupied().map(|(_, cell)| cell.atom(even(cell))).collect()
    }

    /// Makes the cells, `limit` at most, cover all old and new points.
    fn extend_cells(&mut self, limit: usize, total: f64, added: Option<(f64, f64)>) -> Result<(), SampleError> {
        if !total.is_finite() {
            return Err(SampleError::WeightOverflow { total });
        }
        let extent = self.low().zip(self.high());
        let Some((low, high)) = union(extent, added) else {
            self.limit = limit;
            return Ok(());
        };
        if !Grid::can_span(low, high) {
            return Err(SampleError::RangeNotSquarable { range: high - low });
        }
        if !(total * (high - low).powi(2)).is_finite() {
            return Err(SampleError::WeightOverflow { total });
        }
        let grid = Grid::finest(low, high, limit);
        let cells = (grid.index(high) - grid.index(low) + 1) as usize;
        // Once for the summary, once for what is added, and the places of a run.
        let bytes = 2 * size_of::<SummaryCell>() + POINTS_A_CELL * size_of::<u32>();
        check_memory("the cells of a summary", product(&[cells, bytes]))?;
        if extent != Some((low, high)) || limit != self.limit {
            let old = std::mem::replace(self, Self::with_cells(limit));
            self.weighted = old.weighted;
            self.grid = grid;
            self.start = grid.index(low);
            self.cells = vec![SummaryCell::EMPTY; cells];
            self.take_in(&old);
        }
        Ok(())
    }

    /// Adds the points of positive weight, all of which lie within the cells. They are summed in runs, because the rounding
    /// error of a sum grows with its number of terms.
    fn add_points(&mut self, values: &[f64], weight: impl Fn(usize) -> f64) {
        let length = SHORTEST_RUN.max(POINTS_A_CELL * self.cells.len());
        let mut added = vec![SummaryCell::EMPTY; self.cells.len()];
        let mut places = Vec::with_capacity(length.min(values.len()));
        for (run, values) in values.chunks(length).enumerate() {
            if run > 0 {
                added.fill(SummaryCell::EMPTY);
            }
            self.sum_run(values, |i| weight(run * length + i), &mut added, &mut places);
            self.cells.iter_mut().zip(&added).for_each(|(cell, added)| cell.merge(added));
        }
    }

    /// The sums over some points, added to cells that are empty; `places` is scratch. Three rounds, each of which needs the one
    /// before: extents, means, squares about the means.
    fn sum_run(&self, values: &[f64], weight: impl Fn(usize) -> f64, added: &mut [SummaryCell], places: &mut Vec<u32>) {
        let points = || (0..).zip(values).map(|(i, &x)| (x, weight(i))).filter(|&(_, weight)| weight > 0.0);
        places.clear();
        places.extend(points().map(|(x, _)| (self.grid.index(x) - self.start) as u32));
        for ((x, weight), &place) in points().zip(&*places) {
            let cell = &mut added[place as usize];
            cell.count += 1;
            cell.weight += weight;
            cell.low = if x < cell.low { x } else { cell.low };
            cell.high = if x > cell.high { x } else { cell.high };
        }
        for ((x, weight), &place) in points().zip(&*places) {
            let cell = &mut added[place as usize];
            cell.offset += weight * (x - cell.low);
        }
        for cell in added.iter_mut().filter(|cell| cell.count > 0) {
            cell.offset = (cell.offset / cell.weight).min(cell.high - cell.low);
        }
        for ((x, weight), &place) in points().zip(&*places) {
            let cell = &mut added[place as usize];
            cell.within += weight * (x - cell.low - cell.offset).powi(2);
        }
    }

    /// Adds the cells of a summary whose grid is no coarser and whose points these cells reach.
    fn take_in(&mut self, other: &Summary) {
        for (_, cell) in other.occupied() {
            self.cells[(self.grid.index(cell.low) - self.start) as usize].merge(cell);
        }
    }

    /// The cells that have points, with their numbers.
    fn occupied(&self) -> impl Iterator<Item = (i64, &SummaryCell)> {
        (self.start..).zip(&self.cells).filter(|(_, cell)| cell.count > 0)
    }
}

/// The number of points, the extent and the total weight, not the cells: there are thousands.
impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("count", &self.count())
            .field("low", &self.low())
            .field("high", &self.high())
            .field("total_weight", &self.total_weight())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |extent, x| union(extent, Some((x, x))))
}

fn union(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests;
