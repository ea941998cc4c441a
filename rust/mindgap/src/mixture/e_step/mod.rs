//! The E step: responsibilities of the components for each point, summed into moments; O(points × components that matter there).
//!
//! [`LocalEngine`] sums over a sorted sample on all threads, [`MomentSums`] over part of the data as it lies, which data in
//! chunks do (`chunked`). All run one inner loop (`kernel`) over the components as parabolas (`density`).

mod chunked;
mod density;
mod kernel;
mod local;
mod moment_sums;

pub(super) use density::{LEAST, Parabola, Relevant};
pub use local::LocalEngine;
pub(super) use local::sum_sorted;
pub use moment_sums::MomentSums;
