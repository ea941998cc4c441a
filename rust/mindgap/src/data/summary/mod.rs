//! [`Summary`]: counts, sums and sums of squares of data of any size in a few thousand cells.
//!
//! Adding points costs O(points + cells) per call; memory is O(cells). All summaries use the same cells ([`grid`]), so
//! summaries of parts, made in turn or on many machines, merge to that of the whole.

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

/// Points per cell in a run: summing a run then costs more than merging its cells.
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
    /// Whether some point has a weight other than one.
    weighted: bool,
    grid: Grid,
    /// The index of the first of `cells`, which are contiguous.
    start: i64,
    cells: Vec<SummaryCell>,
}

impl Default for Summary {
    fn default() -> Self {
        Self::new()
    }
}

impl Summary {
    /// The default limit on the number of cells: less than a megabyte.
    pub const CELLS: usize = 1 << 14;

    /// The largest limit on the number of cells.
    pub const MOST_CELLS: usize = 1 << 24;

    /// The summary of no points.
    pub fn new() -> Self {
        Self::with_cells(Self::CELLS)
    }

    /// The summary of no points with at most `limit` cells, clamped to 2 to [`MOST_CELLS`](Self::MOST_CELLS).
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
    /// Values that are not finite, a range whose square is out of range, and cells for which there is no memory; the
    /// summary is then unchanged.
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
    /// Weights too large to be summed, a range whose square is out of range, and cells for which there is no memory;
    /// the summary is then unchanged.
    pub fn merge(&mut self, other: &Summary) -> Result<(), SampleError> {
        let limit = self.limit.min(other.limit);
        self.extend_cells(limit, self.total_weight() + other.total_weight(), other.low().zip(other.high()))?;
        self.weighted |= other.weighted;
        self.take_in(other);
        Ok(())
    }

    /// The number of points of positive weight.
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

    /// The mean and the variance (the sum of squares about the mean divided by the total weight), exact up to rounding.
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

    /// The limit on the number of cells.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The summary as a sample, whose points are the occupied cells. The cost and the lower bound of a k-means fit are
    /// valid for the points themselves; a mixture treats every point as lying at its cell's mean.
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn sample(&self) -> Result<Sample, SampleError> {
        // Once as atoms, once in the sample.
        check_memory("a sample of the cells", product(&[2, self.occupied().count(), size_of::<Atom>()]))?;
        Sample::of_atoms(self.atoms())
    }

    /// The occupied cells as atoms.
    pub(crate) fn atoms(&self) -> Vec<Atom> {
        let even = |cell: &SummaryCell| !self.weighted || cell.count == 1;
        self.occupied().map(|(_, cell)| cell.atom(even(cell))).collect()
    }

    /// Extends or coarsens the cells, at most `limit`, to cover all old and new points.
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
        // The summary, the added cells, and the cell of each point of a run.
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

    /// Adds the points of positive weight, which must lie within the cells, in runs, because the rounding error of a
    /// sum grows with its number of terms.
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

    /// Sums a run of points into empty cells, in three rounds that depend on each other: extents, means, squares about
    /// the means. `places` is scratch memory.
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

    /// Adds the cells of a summary whose grid is no coarser and whose points lie within these cells.
    fn take_in(&mut self, other: &Summary) {
        for (_, cell) in other.occupied() {
            self.cells[(self.grid.index(cell.low) - self.start) as usize].merge(cell);
        }
    }

    /// The occupied cells with their indices.
    fn occupied(&self) -> impl Iterator<Item = (i64, &SummaryCell)> {
        (self.start..).zip(&self.cells).filter(|(_, cell)| cell.count > 0)
    }
}

/// Prints the number of points, the extent and the total weight: there are thousands of cells.
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
