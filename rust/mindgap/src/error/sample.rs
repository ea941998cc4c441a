//! Errors in the data or their weights.

use super::{Cause, OutOfMemory};
use thiserror::Error;

/// Errors in the data or their weights.
///
/// ```
/// use mindgap::{Sample, SampleError};
///
/// let refused = Sample::new(&[1.0, f64::INFINITY]).unwrap_err();
/// assert_eq!(refused, SampleError::NotFinite { index: 1, value: f64::INFINITY });
/// assert_eq!(refused.to_string(), "the data hold inf at index 1; drop or replace values that are not finite");
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// There are no points.
    #[error("the data are empty; give at least one value")]
    Empty,
    /// More points than a 32-bit index can address.
    #[error("the data have {len} points; at most {max} fit one sample", max = u32::MAX)]
    TooMany {
        /// The number of points.
        len: usize,
    },
    /// A NaN or an infinity.
    #[error("the data hold {value:?} at index {index}; drop or replace values that are not finite")]
    NotFinite {
        /// The index of the first one.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Data that were given as sorted and are not.
    #[error("the value at index {index} is less than the one before it; give sorted values, or use Sample::new")]
    NotSorted {
        /// The index of the first one.
        index: usize,
    },
    /// The work needs more memory than there is.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The square of the data's range overflows or vanishes.
    #[error(
        "the data span {range:e}, whose square is out of range; change the units so that the span is between 1e-140 and 1e140"
    )]
    RangeNotSquarable {
        /// Largest minus smallest value.
        range: f64,
    },
    /// The number of values is not a multiple of a table's columns.
    #[error("{values} values do not fill rows of {columns}; give every row the same number of values")]
    Ragged {
        /// The number of values.
        values: usize,
        /// The number of values per row.
        columns: usize,
    },
    /// Edges and counts that do not form a histogram.
    #[error("these are not bins: {what}")]
    BadBins {
        /// The reason.
        what: String,
    },
    /// The numbers of weights and points differ.
    #[error("{weights} weights were given for {points} points; give one weight per point")]
    WeightCount {
        /// The number of points.
        points: usize,
        /// The number of weights.
        weights: usize,
    },
    /// A weight is negative, NaN or infinite.
    #[error("the weight at index {index} is {value:?}; weights must be finite and not negative")]
    BadWeight {
        /// The index of the first one.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// No weight is positive.
    #[error("the weights sum to zero; at least one must be positive")]
    NoWeight,
    /// The sum of the weights, or of the weighted squares, overflows.
    #[error("the weights sum to {total:e}, too large for the sums of squares; divide them by a constant")]
    WeightOverflow {
        /// Their sum.
        total: f64,
    },
    /// A window of [`Source::zoom`](crate::Source::zoom) is empty or out of order.
    #[error("window {index} is not an interval after the one before; give disjoint windows in ascending order")]
    BadWindow {
        /// The window, from 0.
        index: usize,
    },
    /// The stored form is not that of a summary.
    #[error("this is not a summary of data: {what}")]
    BadSummary {
        /// The reason.
        what: &'static str,
    },
    /// A chunk of the data could not be read.
    #[error("chunk {chunk} of the data could not be read: {cause}")]
    Unread {
        /// The chunk, from 0.
        chunk: usize,
        /// The error of its reader.
        #[source]
        cause: Cause,
    },
    /// A chunk of the data is invalid.
    #[error("in chunk {chunk}, {fault}")]
    InChunk {
        /// The chunk, from 0.
        chunk: usize,
        /// The error.
        #[source]
        fault: Box<SampleError>,
    },
}

impl SampleError {
    /// Wraps this error as one of a chunk.
    pub(crate) fn in_chunk(self, chunk: usize) -> Self {
        Self::InChunk { chunk, fault: Box::new(self) }
    }
}
