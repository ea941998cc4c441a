//! Exact k-means whose clusters satisfy bounds on their sizes.
//!
//! Clusters are runs of sorted points. Without bounds on the gaps the costs of admissible runs are Monge, and a program
//! over all positions finds the optimum ([`program`]). With them, the search for separated means ([`means`]) or the
//! exact program for free centres ([`mod@free`]) leaves out runs of inadmissible size.

mod feasible;
mod program;

use super::Centers;
use super::sizes::Sizes;
use super::unconstrained;
use super::{free, means};
use crate::constraint::Rows;
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::Monitor;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;

/// Finds the optimal clusters of admissible `sizes` whose centres satisfy `gaps` (in data units).
pub(super) fn solve(
    sample: &Sample,
    gaps: &Rows,
    centers: Centers,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let k = gaps.k();
    let bound_means = centers == Centers::Means && !gaps.are_trivial();
    let Some(start) = feasible::partition(&prefixes, k, sizes, monitor)? else {
        let feasible = |sizes| feasible::partition(&prefixes, k, sizes, monitor);
        return Err(match bound_means {
            true => clash(&prefixes, gaps, sizes, monitor)?,
            false => feasible::error(&prefixes, k, sizes, false, feasible)?,
        });
    };
    match k {
        1 => Ok(Solution::of_means(start, Proof::Optimal)),
        _ if gaps.are_trivial() => without_gaps(&prefixes, start, sizes, monitor),
        _ if bound_means => separated(&prefixes, gaps, sizes, monitor),
        _ => free(&prefixes, gaps, start, sizes, monitor),
    }
}

/// Finds the optimum whose free centres satisfy `gaps`; at the time limit, returns `start` with its best centres.
fn free(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    start: Partition,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let sample = prefixes.sample();
    gaps.check_gap_scale(sample.frame(), FARTHEST)?;
    let any = free::solve(sample, gaps, &mut monitor.relaxed())?;
    if sizes.allow(&any.partition, prefixes) {
        return Ok(any);
    }
    let floor = any.lower_bound(prefixes);
    let costs = match program::costs(prefixes, gaps.k(), sizes, &mut monitor.relaxed()) {
        Err(KMeansError::TimeLimit) => None,
        costs => Some(costs?),
    };
    free::solve_sized(prefixes, gaps, sizes, start, costs.as_ref(), floor, monitor)
}

/// Finds the optimum without bounds on gaps, whose centres are the cluster means; at the time limit, returns `start`.
fn without_gaps(
    prefixes: &Prefixes<'_>,
    start: Partition,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let any = unconstrained::solve(prefixes.sample(), start.k(), &mut monitor.relaxed())?;
    if sizes.allow(&any.partition, prefixes) {
        return Ok(any);
    }
    match program::solve(prefixes, start.k(), sizes, monitor) {
        Err(KMeansError::TimeLimit) => Ok(Solution::of_means(start, Proof::AtLeast(any.lower_bound(prefixes)))),
        partition => Ok(Solution::of_means(partition?, Proof::Optimal)),
    }
}

/// Finds the optimum whose cluster means satisfy `gaps`: that of [`program`] if it does, else by a search from it.
fn separated(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let start = program::solve(prefixes, gaps.k(), sizes, &mut monitor.relaxed())?;
    match means::solve_sized(prefixes, gaps, sizes, Some(&start), monitor)? {
        Some(best) => Ok(Solution::of_means(best.partition.ok_or(KMeansError::Undecided)?, best.proof)),
        None => Err(clash(prefixes, gaps, sizes, monitor)?),
    }
}

/// The error of sizes and gaps that no cluster means satisfy together, or of gaps that none satisfy at all.
fn clash(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<KMeansError, KMeansError> {
    // Any solution will do: the search ends at the first one.
    let mut monitor = monitor.silent().tol(1.0);
    if let Err(error) = means::solve(prefixes.sample(), gaps, &mut monitor) {
        return Ok(error);
    }
    feasible::error(prefixes, gaps.k(), sizes, true, |sizes| {
        Ok(means::solve_sized(prefixes, gaps, sizes, None, &mut monitor)?.and_then(|best| best.partition))
    })
}
