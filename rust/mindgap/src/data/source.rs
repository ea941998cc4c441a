//! [`Source`]: the data behind a summary, which can be read again.

use crate::data::Summary;
use std::fmt;
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
    /// A message for the caller of the fit.
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, String>;
}

/// A source that a sample carries along.
#[derive(Clone)]
pub(crate) struct SharedSource(pub(crate) Arc<dyn Source>);

impl fmt::Debug for SharedSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SharedSource")
    }
}
