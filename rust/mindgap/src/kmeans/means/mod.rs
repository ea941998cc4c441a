//! Exact k-means whose cluster means satisfy bounds on their gaps.
//!
//! A search from coarse to fine ([`mod@search`]) over cells of boundary positions ([`cells`]). A program over pairs of
//! cells ([`level`], [`states`], [`window`]) bounds all partitions from below ([`bound`], [`lagrangian`]); partitions
//! near its best path bound the optimum from above ([`incumbent`]); cells whose bound exceeds the best cost are
//! dropped. O(N²K) at worst, like the program over single positions at its end. In practice, sorting is most of the
//! work at K = 5.
//!
//! For many clusters with the same bounds on every gap, a penalty per cluster replaces the levels ([`many`]): O(N²/K).
//!
//! A budget of states keeps memory below a gigabyte; a search that would exceed it ends with its best partition and a
//! lower bound.

mod bound;
mod cells;
mod clusters;
mod feasible;
mod incumbent;
mod lagrangian;
mod level;
mod levels;
mod many;
mod penalty;
mod positions;
mod prefix_costs;
mod search;
mod states;
mod window;

use super::sizes::Sizes;
use super::unconstrained;
use crate::constraint::Rows;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;
use incumbent::MeansSolution;
use search::{MeansLimits, MeansOutcome, search};

/// The limits of a fit: enough first cells to prune, few enough to be quick. From 32 clusters on, the search for a
/// penalty is faster than levels of cells (measured at 4,096 points).
const LIMITS: MeansLimits = MeansLimits { first_cells: 32, direct: 1 << 12, states: 1 << 24, many: 32 };

/// The result of a search: the best partition of the atoms, if one is known, and a proof for partitions of their
/// points.
#[derive(Debug)]
pub(super) struct BestPartition {
    pub(super) partition: Option<Partition>,
    pub(super) proof: Proof,
}

/// Finds the optimal partition of points whose means satisfy `gaps` (in data units).
///
/// Bounds have a tolerance of 1e-12 of the data's range.
pub(super) fn solve(sample: &Sample, gaps: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    let best = solve_atoms(sample, gaps, &mut [], monitor)?;
    let partition = best.partition.ok_or(KMeansError::Undecided)?;
    Ok(Solution::of_means(partition, best.proof))
}

/// Finds the best partition of the atoms of `sample`, at least one per cluster, whose means satisfy `gaps` (in data
/// units). Clears `open` for atoms that no optimum of the points can cut.
///
/// # Errors
/// Bounds that no partition of the points satisfies.
pub(super) fn solve_atoms(
    sample: &Sample,
    gaps: &Rows,
    open: &mut [bool],
    monitor: &mut Monitor<'_>,
) -> Result<BestPartition, KMeansError> {
    solve_within(sample, gaps, open, &LIMITS, &mut monitor.part().in_frame(sample.frame()))
}

fn solve_within(
    sample: &Sample,
    gaps: &Rows,
    open: &mut [bool],
    limits: &MeansLimits,
    monitor: &mut Monitor<'_>,
) -> Result<BestPartition, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let start = match gaps.lower.len() + 1 {
        k if k >= limits.many => Some(without_bounds(&prefixes, k, open, monitor)?),
        _ => None,
    };
    match search_from(start, &prefixes, gaps, Sizes::ANY, open, limits, monitor)? {
        Some(best) => Ok(best),
        None => Err(infeasible(&prefixes, gaps, open.is_empty(), monitor)?),
    }
}

/// Finds the best partition of points into clusters of admissible `sizes` whose means satisfy `gaps` (in data units);
/// `None` if there is none. `start` is the optimum without bounds on the gaps, if it is known.
pub(super) fn solve_sized(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    start: Option<&Partition>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<BestPartition>, KMeansError> {
    let mut monitor = monitor.part().in_frame(prefixes.sample().frame());
    let start = start.map(|start| {
        monitor.proved(start.cost(prefixes));
        start.boundaries().to_vec()
    });
    search_from(start, prefixes, gaps, sizes, &mut [], &LIMITS, &mut monitor)
}

/// Searches from the boundaries `start`, if there are any; `None` if no partition satisfies `gaps` (in data units) and
/// `sizes`.
fn search_from(
    mut start: Option<Vec<usize>>,
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    open: &mut [bool],
    limits: &MeansLimits,
    monitor: &mut Monitor<'_>,
) -> Result<Option<BestPartition>, KMeansError> {
    let (sample, n) = (prefixes.sample(), prefixes.len());
    let range = sample.framed_range();
    let framed = gaps.enter(sample.frame()).loosened(range).reachable(range);
    let penalized = match open.is_empty() {
        true => many::search(prefixes, gaps, &framed, sizes, limits, &mut start, monitor)?,
        false => None,
    };
    let outcome = match penalized {
        Some(outcome) => outcome,
        None => search(prefixes, &framed, sizes, limits, start, open, monitor)?,
    };
    let full = |best: MeansSolution| Some(Partition::of_boundaries(best.boundaries, n));
    Ok(Some(match outcome {
        MeansOutcome::Optimal(best) => {
            open.fill(false);
            BestPartition { partition: full(best), proof: Proof::Optimal }
        }
        MeansOutcome::Bounded(best, lower_bound) => {
            BestPartition { partition: full(best), proof: Proof::AtLeast(lower_bound) }
        }
        MeansOutcome::Open(best, lower_bound, kept) => {
            kept.close_others(open);
            BestPartition { partition: best.and_then(full), proof: Proof::AtLeast(lower_bound) }
        }
        MeansOutcome::Undecided => BestPartition { partition: None, proof: Proof::AtLeast(monitor.lower_bound) },
        MeansOutcome::Infeasible => return Ok(None),
    }))
}

/// The boundaries of the optimum without bounds, whose cost is a lower bound.
fn without_bounds(
    prefixes: &Prefixes<'_>,
    k: usize,
    open: &[bool],
    monitor: &mut Monitor<'_>,
) -> Result<Vec<usize>, KMeansError> {
    let solution = unconstrained::solve_atoms(prefixes.sample(), k, open, None, &mut monitor.relaxed())?.solution;
    monitor.proved(solution.lower_bound(prefixes));
    monitor.report()?;
    Ok(solution.partition.boundaries().to_vec())
}

/// The error of bounds that no partition satisfies.
fn infeasible(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    points: bool,
    monitor: &mut Monitor<'_>,
) -> Result<KMeansError, KMeansError> {
    let k = gaps.lower.len() + 1;
    let largest = match gaps.single_lower() {
        Some(_) if points && product(&[prefixes.len(), k]) <= feasible::MAX_ENTRIES_FOR_MESSAGE => {
            monitor.check_memory("sums over the data", prefixes.bytes())?;
            let largest = feasible::largest(&prefixes.gathered(), k, monitor)?;
            Some(prefixes.sample().frame().leave_length(largest))
        }
        _ => None,
    };
    Ok(KMeansError::Infeasible { k, lower: gaps.lower.clone(), upper: gaps.upper.clone(), largest })
}

#[cfg(test)]
mod tests;
