//! The E step: responsibilities of the components for each point, summed into moments; O(points × components that matter there).
//!
//! [`LocalEngine`] sums over a sorted sample on all threads, [`MomentSums`] over part of the data as it lies, which data in
//! chunks do (`chunked`). Data in intervals have sums of their own (`intervals`). All run one inner loop (`kernel`) over the
//! components as parabolas (`density`).

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
