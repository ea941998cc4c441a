//! The best free centres of partitions that do not cut atoms, and what they say of the points.
//!
//! A lower bound for the points: the optimum over atoms if clusters may be empty, less what atoms may be wrong by
//! ([`kinks`](super::kinks)). That clusters may be empty is needed: where one must hold a point that is not nearest to
//! it, an atom cut for that point's sake costs far less than the whole atom. So where no bound holds the centres so far
//! apart that a cluster would rather be empty, the bound is sharp; elsewhere it is a bound.

use super::budget::Budget;
use super::incumbent::FreeSolution;
use super::kinks::Kinks;
use super::{Problem, STEPS, Stop, search};
use crate::constraint::Rows;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::kmeans::rounding::CLEAR;
use crate::monitor::Monitor;
use crate::partition::Solution;

/// Levels in search of the kinks at most.
const LEVELS: usize = 40;

/// Steps that these levels may take in any case.
const LEVEL_STEPS: u64 = 1 << 20;

/// Steps that they may take as a multiple of those of the first level, where that is more.
const FIRST_LEVELS: u64 = 16;

/// Levels that close no more atoms until no more are tried.
const PATIENCE: usize = 4;

/// What no centres of the points cost less than, in frame units, if the best of the atoms of `sample` under `gaps` (in
/// data units) are those of `solution`. Of the atoms that kinks of an optimum of the points may be in, `open`, those
/// that none can are closed.
pub(in crate::kmeans) fn lower_bound(
    sample: &Sample,
    gaps: &Rows,
    solution: &Solution,
    open: &mut [bool],
    monitor: &mut Monitor<'_>,
) -> Result<f64, KMeansError> {
    let bare = sample.bare();
    let prefixes = Prefixes::dense(&bare);
    let range = (sample.framed_lowest(0), sample.framed_highest(sample.len() - 1));
    let problem = Problem { empty: true, ..Problem::of_range(&prefixes, gaps, range) };
    let best = FreeSolution::of_partition(&problem, solution.partition.clone());
    let wrong = match wrong(sample, &problem, &best, open, monitor.part().in_frame(sample.frame())) {
        Ok(wrong) => wrong,
        Err(Stop::Interrupted) => return Err(KMeansError::Interrupted),
        Err(Stop::OutOfMemory(out_of_memory)) => return Err(out_of_memory.into()),
        Err(Stop::Exhausted) => Kinks::new(sample, open).anywhere(&problem),
    };
    let budget = Budget::new(STEPS, monitor.part().in_frame(sample.frame()));
    let (reached, proof) = search::run(&problem, best, budget)?;
    let within = sample.frame().enter_square(sample.total_within());
    Ok(proof.lower_bound(reached.cost) - wrong * (1.0 + CLEAR) + within)
}

/// What the atoms may be wrong by at an optimum of the points.
fn wrong(
    sample: &Sample,
    problem: &Problem<'_>,
    best: &FreeSolution,
    open: &mut [bool],
    monitor: Monitor<'_>,
) -> Result<f64, Stop> {
    let mut kinks = Kinks::new(sample, open);
    let mut wrong = kinks.anywhere(problem);
    let mut level = search::first_level(problem, &monitor)?;
    let steps = LEVEL_STEPS.max(FIRST_LEVELS * level.steps());
    let mut budget = Budget::new(steps, monitor);
    let mut patience = PATIENCE;
    for _ in 0..LEVELS {
        if wrong == 0.0 || patience == 0 || !budget.allows(level.steps()) {
            break;
        }
        let within = sample.frame().enter_square(sample.total_within());
        let threshold = best.cost + wrong + CLEAR * (best.cost + wrong + within);
        let bounds = level.bound(problem, threshold, &mut budget)?;
        let Some(next) = level.halved(problem, &bounds, threshold, best) else { break };
        let now = kinks.within(problem, &next, open);
        patience = if now < 0.99 * wrong { PATIENCE } else { patience - 1 };
        if now < wrong {
            (wrong, kinks) = (now, Kinks::new(sample, open));
        }
        match budget.has_memory(next.bytes()) {
            Err(Stop::Exhausted) => break,
            room => room?,
        }
        if !next.grid.can_be_halved() {
            break;
        }
        level = next;
    }
    Ok(wrong)
}
