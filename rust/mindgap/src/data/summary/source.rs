//! [`Source`]: the data behind a summary, which can be read again.

use super::Summary;
use crate::data::sample::{Sample, SharedZoom};
use crate::error::{BoxError, SampleError};
use std::sync::Arc;

/// Data that can be read again. K-means on a summary asks for finer cells where a boundary may lie, until its result is
/// proven for the points.
///
/// [`Summary::of_windows`] answers for one array; the answers for parts of the data merge, window by window.
pub trait Source: Send + Sync {
    /// Summarises the points in each of `windows`: closed intervals, ascending and disjoint, each of them the extent of a
    /// cell that was summarised before.
    ///
    /// # Errors
    /// Whatever keeps the source from its data. A fit returns it as [`KMeansError::Source`](crate::KMeansError::Source).
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError>;
}

impl Summary {
    /// The summary as a sample that can be looked at more closely: k-means asks `source` for the points around its
    /// boundaries until its clusters are proven to be the best of all points.
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn sample_of(&self, source: Arc<dyn Source>) -> Result<Sample, SampleError> {
        let zoom = move |windows: &[(f64, f64)]| Ok(source.zoom(windows)?.iter().map(Summary::atoms).collect());
        Ok(self.sample()?.with_zoom(SharedZoom(Arc::new(zoom))))
    }
}
