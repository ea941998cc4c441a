//! A lower bound for points from the best free centres of atoms, which no partition divides.
//!
//! The bound is the optimum over atoms with empty clusters allowed, minus the largest difference between atoms and
//! their points ([`kinks`](super::kinks)). Empty clusters must be allowed: a cluster that must hold a point not nearest
//! to it costs far less with one point of an atom than with the whole atom. So the bound is tight unless wide lower
//! bounds on the gaps would leave a cluster empty.

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

/// The largest number of levels in the search for kinks.
const LEVELS: usize = 40;

/// Steps that these levels may always take.
const LEVEL_STEPS: u64 = 1 << 20;

/// Steps that they may take as a multiple of those of the first level, if that is more.
const FIRST_LEVELS: u64 = 16;

/// Give up after this many levels in a row that close no atom.
const PATIENCE: usize = 4;

/// A lower bound on the cost of the points, in frame units, if `solution` is the optimum for the atoms of `sample`
/// under `gaps` (in data units). `open` are the atoms that may contain kinks of an optimum for the points; those that
/// cannot are closed.
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
    let mut budget = Budget::new(STEPS, monitor.part().in_frame(sample.frame()));
    let (reached, proof) = search::run(&problem, best, &mut budget)?;
    let within = sample.frame().enter_square(sample.total_within());
    Ok(proof.lower_bound(reached.cost) - wrong * (1.0 + CLEAR) + within)
}

/// The largest difference between atoms and points at an optimum for the points.
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
