//! The best partition of blobs whose means hold the bounds, and what it says of partitions that cut them.
//!
//! The same search over cells: their bounds hold for boundaries anywhere between their ends, inside blobs too. It ends in
//! edges between blobs and in the blobs that may be cut.

use super::monitor::SearchMonitor;
use super::search::{MeansOutcome, search};
use super::{LIMITS, MANY_CLUSTERS};
use crate::constraint::Gaps;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::kmeans::solution::Solution;
use crate::kmeans::{rows, unconstrained};
use crate::monitor::Watch;

/// What a search on blobs finds: the best partition of blobs, if there is one, and what no partition of their points costs
/// less than, in frame units.
pub(in crate::kmeans) struct AtomSolution {
    pub(in crate::kmeans) solution: Option<Solution>,
    pub(in crate::kmeans) lower_bound: f64,
}

/// The best partition of the blobs of `sample`, at least as many as there are clusters, whose means hold `gaps` (in data
/// units). Of the blobs that an optimum of the points may cut, `open`, those that none can are closed.
///
/// # Errors
/// Bounds that no partition of the points holds.
pub(in crate::kmeans) fn solve(
    sample: &Sample,
    gaps: &Gaps,
    open: &mut [bool],
    mut watch: Option<Watch<'_>>,
) -> Result<AtomSolution, KMeansError> {
    let mut monitor = SearchMonitor::new(&mut watch, *sample.frame());
    let prefixes = Prefixes::new(sample);
    let range = sample.framed_range();
    let framed = gaps.enter(sample.frame()).loosened(range).reachable(range);
    let k = gaps.lower.len() + 1;
    let mut start = None;
    if k >= MANY_CLUSTERS {
        let mut solution = unconstrained::atoms::solve(sample, k, &mut open.to_vec(), None)?;
        monitor.lower_bound = solution.lower_bound.min(rows::cost(&prefixes, &solution)).max(0.0);
        monitor.report()?;
        solution.ends.pop();
        start = Some(solution.ends);
    }
    let full = |boundaries: Vec<usize>| boundaries.into_iter().chain([sample.len()]).collect();
    match search(&prefixes, &framed, &LIMITS, start, Some(&*open), &mut monitor)? {
        MeansOutcome::Optimal(best) => {
            open.fill(false);
            Ok(AtomSolution { solution: Some(Solution::optimal(full(best.boundaries))), lower_bound: f64::INFINITY })
        }
        MeansOutcome::Bounded(best, lower_bound) => {
            Ok(AtomSolution { solution: Some(Solution::optimal(full(best.boundaries))), lower_bound })
        }
        MeansOutcome::Open(best, lower_bound, kept) => {
            kept.close_others(open);
            Ok(AtomSolution { solution: best.map(|best| Solution::optimal(full(best.boundaries))), lower_bound })
        }
        MeansOutcome::Undecided => Ok(AtomSolution { solution: None, lower_bound: monitor.lower_bound }),
        MeansOutcome::Infeasible => {
            Err(KMeansError::Infeasible { k, lower: gaps.lower.clone(), upper: gaps.upper.clone(), largest: None })
        }
    }
}
