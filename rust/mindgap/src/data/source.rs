//! Data that a summary was made of, wherever they lie.

use crate::data::Summary;
use std::fmt;
use std::sync::Arc;

/// Data that can be looked at again: what k-means asks until its clusters are proven to be the best.
///
/// [`Summary::of_windows`] answers for one array; the answers for parts of the data merge, window by window.
pub trait Source: Send + Sync {
    /// The summary of the points in each of `windows`: closed intervals, ascending and disjoint, each of them the extent of a
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
