//! A fault of size.

use thiserror::Error;

/// The memory that the work is known to take is not to be had; nothing has been done.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} would take {gigabytes:.1} GB of memory, more than there is to be had; ask for fewer clusters, or give fewer points",
    gigabytes = *.bytes as f64 / 1e9
)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// What would take it.
    pub what: &'static str,
    /// How much.
    pub bytes: usize,
}
