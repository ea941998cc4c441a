//! The data of a fit.
//!
//! | data | type | cost |
//! |---|---|---|
//! | in memory | [`Sample`]; several of one size: [`Table`] | a sort |
//! | counts in bins | [`Binned`] | O(bins) |
//! | read in chunks, again for each pass | [`Chunked`] | a pass for a summary, then one per iteration |
//! | seen once, or merged from many machines | [`Summary`] | O(1) per point, memory for its cells |

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
