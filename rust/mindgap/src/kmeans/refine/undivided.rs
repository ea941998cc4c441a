//! Blobs as points that cannot be cut: what lies within them is the same whatever the partition.

use super::super::KMeans;
use super::super::solution::Solution;
use crate::constraint::Rows;
use crate::data::sample::Sample;
use crate::error::KMeansError;
use crate::monitor::{Watch, retold};

/// The best partition of the blobs. Its bound is one for partitions of blobs, not of their points.
pub(super) fn solve(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    watch: &mut Option<Watch<'_>>,
) -> Result<Solution, KMeansError> {
    let mut solution = told(sample, watch, |watch| kmeans.solve(&sample.bare(), rows, Some(watch)))?;
    solution.lower_bound += sample.frame().enter_square(sample.total_within());
    Ok(solution)
}

/// Does work that sees nothing within the blobs; those who watch it do. Its bounds are none of the points', so they are not
/// told on.
pub(super) fn told<T>(
    sample: &Sample,
    watch: &mut Option<Watch<'_>>,
    work: impl FnOnce(Watch<'_>) -> Result<T, KMeansError>,
) -> Result<T, KMeansError> {
    let within = sample.total_within();
    retold(watch, |cost, _| (cost + within, 0.0), work)
}
