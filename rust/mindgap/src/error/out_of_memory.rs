//! Work that needs too much memory.

use thiserror::Error;

/// The work is known to need more memory than is available; nothing has been computed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} would take {gigabytes:.1} GB of memory, more than is available; ask for fewer clusters, or give fewer points",
    gigabytes = *.bytes as f64 / 1e9
)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// What needs it.
    pub what: &'static str,
    /// How many bytes.
    pub bytes: usize,
}
