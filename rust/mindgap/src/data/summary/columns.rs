//! [`SummaryColumns`]: a summary in columns, one entry per occupied cell, the form that is stored and sent.

use super::cell::SummaryCell;
use super::grid::Grid;
use super::{Summary, union};
use crate::error::SampleError;

/// The kind of document.
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum SummaryDocument {
    #[default]
    Summary,
}

/// A [`Summary`] in the form that is stored and sent.
///
/// Cell `i` has the values from `i·2^exponent` up to `(i+1)·2^exponent`.
///
/// ```
/// use mindgap::{Summary, SummaryColumns};
///
/// let mut summary = Summary::new();
/// summary.add(&[1.0, 2.0, 2.0])?;
/// let columns = SummaryColumns::from(summary.clone());
/// assert_eq!(columns.count, [1, 2]);
/// assert_eq!(Summary::try_from(columns)?, summary);
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct SummaryColumns {
    #[cfg(feature = "serde")]
    mindgap: SummaryDocument,
    #[cfg(feature = "serde")]
    version: crate::stored::FormVersion,
    /// The limit on the number of cells.
    pub limit: usize,
    /// Whether some point has a weight other than one.
    pub weighted: bool,
    /// Cells are `2^exponent` wide.
    pub exponent: i32,
    /// The number `i` of each cell, ascending.
    pub index: Vec<i64>,
    /// The number of points.
    pub count: Vec<u64>,
    /// Σw.
    pub weight: Vec<f64>,
    /// The mean minus the smallest value.
    pub offset: Vec<f64>,
    /// Σw(x - mean)².
    pub within: Vec<f64>,
    /// The smallest value.
    pub low: Vec<f64>,
    /// The largest value.
    pub high: Vec<f64>,
}

impl From<Summary> for SummaryColumns {
    fn from(summary: Summary) -> Self {
        let mut columns = Self {
            limit: summary.limit,
            weighted: summary.weighted,
            exponent: summary.grid.exponent(),
            ..Self::default()
        };
        for (index, cell) in summary.occupied() {
            columns.index.push(index);
            columns.count.push(cell.count);
            columns.weight.push(cell.weight);
            columns.offset.push(cell.offset);
            columns.within.push(cell.within);
            columns.low.push(cell.low);
            columns.high.push(cell.high);
        }
        columns
    }
}

impl SummaryColumns {
    /// Empty columns, in the current layout.
    pub fn new() -> Self {
        Self::default()
    }

    fn cell(&self, i: usize) -> SummaryCell {
        SummaryCell {
            count: self.count[i],
            weight: self.weight[i],
            offset: self.offset[i],
            within: self.within[i],
            low: self.low[i],
            high: self.high[i],
        }
    }

    /// Returns why the layout of the columns is invalid, if it is.
    fn fault(&self) -> Option<&'static str> {
        let cells = self.index.len();
        let lengths = [
            self.count.len(),
            self.weight.len(),
            self.offset.len(),
            self.within.len(),
            self.low.len(),
            self.high.len(),
        ];
        if lengths.iter().any(|&length| length != cells) {
            Some("its columns differ in length")
        } else if !(2..=Summary::MOST_CELLS).contains(&self.limit) {
            Some("its limit is not a number of cells")
        } else if self.index.windows(2).any(|pair| pair[0] >= pair[1]) {
            Some("its cells are not in ascending order")
        } else {
            None
        }
    }
}

impl TryFrom<SummaryColumns> for Summary {
    type Error = SampleError;

    fn try_from(columns: SummaryColumns) -> Result<Self, SampleError> {
        let bad = |what| SampleError::BadSummary { what };
        if let Some(what) = columns.fault() {
            return Err(bad(what));
        }
        let mut summary = Summary::with_cells(columns.limit);
        let cells: Vec<SummaryCell> = (0..columns.index.len()).map(|i| columns.cell(i)).collect();
        let extent = cells.iter().fold(None, |extent, cell| union(extent, Some((cell.low, cell.high))));
        let Some((low, high)) = extent else {
            return Ok(summary);
        };
        if !Grid::can_span(low, high) {
            return Err(SampleError::RangeNotSquarable { range: high - low });
        }
        let grid = Grid::finest(low, high, columns.limit);
        if grid.exponent() != columns.exponent {
            return Err(bad("its cells are not those of its values"));
        }
        if (0..cells.len()).any(|i| !cells[i].is_sound(grid, columns.index[i])) {
            return Err(bad("the sums of a cell cannot be those of points in it"));
        }
        if !columns.weighted && cells.iter().any(|cell| cell.weight != cell.count as f64) {
            return Err(bad("its weights are not the numbers of its points"));
        }
        let total: f64 = cells.iter().map(|cell| cell.weight).sum();
        summary.extend_cells(columns.limit, total, extent)?;
        summary.weighted = columns.weighted;
        for (cell, &index) in cells.iter().zip(&columns.index) {
            summary.cells[(index - summary.start) as usize] = *cell;
        }
        Ok(summary)
    }
}
