//! The data of a fit.
//!
//! | data | type | cost |
//! |---|---|---|
//! | in memory | [`Sample`]; several of one size: [`Table`] | a sort |
//! | counts in bins | [`Binned`] | O(bins) |
//! | read in chunks, again for each pass | [`Chunked`] | a pass for a summary, then one per iteration |
//! | seen once, or merged from many machines | [`Summary`] | O(1) per point, memory for its cells |
//!
//! Vectors and slices convert to a sample:
//!
//! ```
//! use mindgap::Sample;
//!
//! let single: Sample = [1.0_f32, 2.0, 8.0].as_slice().try_into()?;
//! assert_eq!(single.values(), Sample::try_from(vec![8.0, 1.0, 2.0])?.values());
//! assert!(Sample::try_from([f64::NAN].as_slice()).is_err());
//! # Ok::<(), mindgap::SampleError>(())
//! ```

mod binned;
pub(crate) mod cells;
mod chunked;
pub(crate) mod frame;
pub(crate) mod sample;
pub(crate) mod summary;
mod table;

pub use binned::Binned;
pub use chunked::{Chunk, Chunked, Chunks};
pub use sample::Sample;
pub use summary::{Source, Summary, SummaryColumns};
pub use table::{Numbers, Table};

use crate::error::SampleError;

impl TryFrom<Vec<f64>> for Sample {
    type Error = SampleError;

    /// As [`Sample::from_vec`].
    fn try_from(values: Vec<f64>) -> Result<Self, SampleError> {
        Self::from_vec(values)
    }
}

impl TryFrom<&[f64]> for Sample {
    type Error = SampleError;

    /// As [`Sample::new`].
    fn try_from(values: &[f64]) -> Result<Self, SampleError> {
        Self::new(values)
    }
}

impl TryFrom<&[f32]> for Sample {
    type Error = SampleError;

    /// As [`Sample::from_f32`].
    fn try_from(values: &[f32]) -> Result<Self, SampleError> {
        Self::from_f32(values)
    }
}
