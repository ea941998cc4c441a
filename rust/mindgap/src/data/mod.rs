//! The data: sorted samples, summaries of data that do not fit in memory, and data read in chunks.

mod binned;
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
