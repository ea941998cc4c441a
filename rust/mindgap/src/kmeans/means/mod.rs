//! Exact k-means whose cluster means hold bounds on their gaps.
//!
//! A search from coarse to fine ([`search`]) over cells of boundary positions ([`cells`]): a program over pairs of cells
//! ([`level`], [`table`], [`window`]) bounds all partitions from below ([`bound`], [`lagrangian`]), partitions near its best
//! path bound the optimum from above ([`incumbent`]), and cells that cannot beat those are dropped. O(N²K) at worst, like
//! the program over single positions that it ends in; in practice the sort is most of the work at K = 5. A budget of
//! states keeps memory below a gigabyte; a search that would exceed it ends with a certified gap.

pub(super) mod atoms;
mod bound;
mod cells;
mod feasible;
mod incumbent;
mod lagrangian;
mod level;
mod monitor;
mod search;
mod states;
mod window;

use super::solution::Solution;
use crate::constraint::Gaps;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Watch;
use monitor::SearchMonitor;
use search::{Limits, MeansOutcome, search};

/// Of how the search goes: enough cells to begin with for a first cut, few enough to be quick at it.
const LIMITS: Limits = Limits { first_cells: 32, direct: 1 << 12, states: 1 << 24 };

/// The optimal partition whose means hold `gaps` (in data units).
///
/// A gap holds its bounds if it misses them by at most 1e-12 of the data's range.
pub(super) fn solve(sample: &Sample, gaps: &Gaps, mut watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let mut monitor = SearchMonitor::new(&mut watch, *sample.frame());
    solve_within(sample, gaps, &LIMITS, &mut monitor)
}

/// From so many clusters on, the optimum without bounds is sought first: it is cheap for them, while the first levels of
/// cells say little.
const MANY_CLUSTERS: usize = 64;

fn solve_within(
    sample: &Sample,
    gaps: &Gaps,
    limits: &Limits,
    monitor: &mut SearchMonitor<'_, '_>,
) -> Result<Solution, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let n = sample.len();
    let range = sample.framed_range();
    let framed = gaps.enter(sample.frame()).loosened(range).reachable(range);
    let full = |boundaries: Vec<usize>| boundaries.into_iter().chain([n]).collect();
    let start = match gaps.lower.len() + 1 {
        k if k >= MANY_CLUSTERS => Some(unbounded(&prefixes, k, monitor)?),
        _ => None,
    };
    match search(&prefixes, &framed, limits, start, None, monitor)? {
        MeansOutcome::Optimal(best) => Ok(Solution::optimal(full(best.boundaries))),
        MeansOutcome::Bounded(best, lower_bound) => {
            Ok(Solution { ends: full(best.boundaries), centers: None, lower_bound })
        }
        MeansOutcome::Undecided | MeansOutcome::Open(..) => Err(KMeansError::Undecided),
        MeansOutcome::Infeasible => Err(infeasible(&prefixes, gaps, monitor)?),
    }
}

/// The boundaries of the optimum without bounds; its cost is a lower bound of the one sought.
fn unbounded(
    prefixes: &Prefixes<'_>,
    k: usize,
    monitor: &mut SearchMonitor<'_, '_>,
) -> Result<Vec<usize>, KMeansError> {
    let mut ends = monitor.relaxed(|watch| super::unconstrained::solve(prefixes.sample(), k, Some(watch)))?.ends;
    let starts = [0].into_iter().chain(ends.iter().copied());
    monitor.lower_bound = starts.zip(&ends).map(|(start, &end)| prefixes.block(start, end).cost).sum();
    monitor.report()?;
    ends.pop();
    Ok(ends)
}

/// The error for bounds that no partition holds.
fn infeasible(
    prefixes: &Prefixes<'_>,
    gaps: &Gaps,
    monitor: &mut SearchMonitor<'_, '_>,
) -> Result<KMeansError, KMeansError> {
    let k = gaps.lower.len() + 1;
    let largest = match gaps.single_lower() {
        Some(_) if product(&[prefixes.len(), k]) <= feasible::WORTH_KNOWING => {
            let largest = feasible::largest(&prefixes.gathered()?, k, monitor)?;
            Some(prefixes.sample().frame().leave_length(largest))
        }
        _ => None,
    };
    Ok(KMeansError::Infeasible { k, lower: gaps.lower.clone(), upper: gaps.upper.clone(), largest })
}

#[cfg(test)]
mod tests;
