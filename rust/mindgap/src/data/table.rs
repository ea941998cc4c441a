//! [`Table`]: many data sets of one size, one per row.

use crate::error::SampleError;
use crate::shortened::Shortened;
use std::fmt;

/// Numbers in single or double precision.
///
/// ```
/// use mindgap::Numbers;
///
/// let single = Numbers::from(&[1.0f32, 2.0][..]);
/// assert_eq!((single.len(), single.is_empty()), (2, false));
/// ```
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Numbers<'a> {
    /// Single precision; the conversion to doubles is exact.
    Single(&'a [f32]),
    /// Double precision.
    Double(&'a [f64]),
}

impl Numbers<'_> {
    /// Their number.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(numbers) => numbers.len(),
            Self::Double(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the numbers of `range` as doubles.
    fn read(&self, range: std::ops::Range<usize>) -> Vec<f64> {
        match self {
            Self::Single(numbers) => numbers[range].iter().map(|&x| f64::from(x)).collect(),
            Self::Double(numbers) => numbers[range].to_vec(),
        }
    }
}

impl fmt::Debug for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(numbers) => f.debug_tuple("Single").field(&Shortened(numbers)).finish(),
            Self::Double(numbers) => f.debug_tuple("Double").field(&Shortened(numbers)).finish(),
        }
    }
}

impl<'a> From<&'a [f32]> for Numbers<'a> {
    fn from(numbers: &'a [f32]) -> Self {
        Self::Single(numbers)
    }
}

impl<'a> From<&'a [f64]> for Numbers<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Self::Double(numbers)
    }
}

/// A row-major matrix, each row of which is a data set.
///
/// ```
/// use mindgap::Table;
///
/// let table = Table::new(&[1.0f32, 2.0, 9.0, 4.0, 4.5, 5.0][..], 3)?.weighted(&[1.0, 1.0, 2.0][..])?;
/// assert_eq!((table.rows(), table.columns()), (2, 3));
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table<'a> {
    values: Numbers<'a>,
    weights: Option<Numbers<'a>>,
    columns: usize,
}

impl<'a> Table<'a> {
    /// Makes a table with `columns` values per row.
    ///
    /// # Errors
    /// If `columns` is zero or the number of values is not a multiple of it.
    pub fn new(values: impl Into<Numbers<'a>>, columns: usize) -> Result<Self, SampleError> {
        let values = values.into();
        match columns {
            0 => Err(SampleError::Empty),
            _ if !values.len().is_multiple_of(columns) => Err(SampleError::Ragged { values: values.len(), columns }),
            _ => Ok(Self { values, weights: None, columns }),
        }
    }

    /// Sets one weight per value, or one per column that applies to all rows.
    ///
    /// # Errors
    /// If the number of weights is neither.
    pub fn weighted(mut self, weights: impl Into<Numbers<'a>>) -> Result<Self, SampleError> {
        let weights = weights.into();
        if weights.len() != self.columns && weights.len() != self.values.len() {
            return Err(SampleError::WeightCount { points: self.values.len(), weights: weights.len() });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// The number of values in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values of one row.
    pub(crate) fn values(&self, row: usize) -> Vec<f64> {
        self.values.read(row * self.columns..(row + 1) * self.columns)
    }

    /// The weights of one row, if there are any.
    pub(crate) fn weights(&self, row: usize) -> Option<Vec<f64>> {
        let weights = self.weights?;
        let row = if weights.len() == self.columns { 0 } else { row };
        Some(weights.read(row * self.columns..(row + 1) * self.columns))
    }
}
