//! Exact k-means whose cluster means hold bounds on their gaps.

use super::solution::Solution;
use crate::constraint::Gaps;
use crate::error::KMeansError;
use crate::progress::Watch;
use crate::sample::Sample;

/// The optimal partition whose means hold `gaps` (in data units).
pub(super) fn solve(_sample: &Sample, _gaps: &Gaps, _watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    Err(KMeansError::Undecided)
}
