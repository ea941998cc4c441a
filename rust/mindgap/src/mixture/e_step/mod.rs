//! The E step: responsibilities of the components for each point, summed into moments; O(points × relevant components).
//!
//! [`LocalEngine`] sums over a sorted sample on all threads, [`MomentSums`] over unsorted parts, for data in chunks
//! (`chunked`). Both run one inner loop (`kernel`) over the components as parabolas (`density`). Data in intervals have
//! their own sums (`intervals`).

mod chunked;
mod density;
mod intervals;
mod kernel;
mod local;
mod moment_sums;
mod within;

pub(super) use density::{LEAST, Parabola, Relevant};
pub(super) use intervals::{IntervalEngine, Truncated, add_unseen, sum_intervals};
pub use local::LocalEngine;
pub(super) use local::SortedPasses;
pub use moment_sums::MomentSums;
