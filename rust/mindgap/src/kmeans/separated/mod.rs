//! Exact k-means whose cluster means hold bounds on their gaps.

mod band;
mod bound;
mod cells;
mod incumbent;
mod level;
mod pulse;
mod search;
mod tilt;
mod window;

use super::solution::Solution;
use crate::constraint::Gaps;
use crate::error::KMeansError;
use crate::progress::Watch;
use crate::sample::{Prefixes, Sample};
use pulse::Pulse;
use search::{Limits, Outcome, search};

/// The optimal partition whose means hold `gaps` (in data units).
pub(super) fn solve(sample: &Sample, gaps: &Gaps, mut watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let framed = gaps.enter(sample.frame()).loosened();
    let mut pulse = Pulse::new(&mut watch, *sample.frame());
    let limits = Limits { first_cells: 64, direct: 1 << 14, states: 1 << 24 };
    let n = sample.len();
    let full = |boundaries: Vec<usize>| boundaries.into_iter().chain([n]).collect();
    match search(&prefixes, &framed, &limits, &mut pulse)? {
        Outcome::Optimal(best) => Ok(Solution::optimal(full(best.boundaries))),
        Outcome::Bounded(best, lower_bound) => {
            Ok(Solution { ends: full(best.boundaries), centers: None, lower_bound })
        }
        Outcome::Undecided => Err(KMeansError::Undecided),
        Outcome::Infeasible => Err(KMeansError::Infeasible {
            k: gaps.lower.len() + 1,
            lower: gaps.lower.clone(),
            upper: gaps.upper.clone(),
            largest: None,
        }),
    }
}
