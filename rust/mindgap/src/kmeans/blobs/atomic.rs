//! Blobs as points that cannot be cut: what lies within them is the same whatever the partition.

use super::super::KMeans;
use super::super::demand::Demand;
use super::super::solution::Solution;
use crate::error::KMeansError;
use crate::progress::{Progress, Watch};
use crate::sample::Sample;
use std::ops::ControlFlow;

/// The best partition of the blobs. Its bound is one for partitions of blobs, not of their points.
pub(super) fn solve(
    kmeans: &KMeans,
    sample: &Sample,
    demand: &Demand,
    mut watch: Option<Watch<'_>>,
) -> Result<Solution, KMeansError> {
    if kmeans.k > sample.len() {
        return Err(KMeansError::Undecided);
    }
    let within = sample.total_within();
    // Solvers see nothing within the blobs; those who watch do. Bounds of partitions of blobs are none of the points'.
    let mut told = |progress: &Progress| match (progress, watch.as_mut()) {
        (Progress::Search { cost, .. }, Some(watch)) => {
            watch(&Progress::Search { cost: cost + within, lower_bound: 0.0 })
        }
        _ => ControlFlow::Continue(()),
    };
    let mut solution = kmeans.solve(&sample.bare(), demand, Some(&mut told))?;
    solution.lower_bound += sample.frame().enter_square(within);
    Ok(solution)
}
