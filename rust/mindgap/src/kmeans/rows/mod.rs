//! K-means under linear rows, which need not be bounds on gaps: alternation from several starts.
//!
//! Given centres, each point goes to the nearest; given clusters, a quadratic program places the centres; and so on until
//! the cost no longer falls. A round costs O(k log n) beside the program. The result is a local optimum,
//! with a lower bound from the optimum of a problem with fewer rows (none, or those that bound gaps).

mod derived;
mod search;

use super::solution::Solution;
use super::unconstrained;
use crate::constraint::Rows;
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::Monitor;
use crate::qp::MeanProgram;
use search::Alternation;

/// The best centres that are found under `rows` (in data units), and their clusters.
///
/// # Errors
/// Rows that no ascending centres satisfy, and programs that are not solved.
pub(super) fn solve(sample: &Sample, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    let program = MeanProgram::of(rows, sample.frame(), FARTHEST, monitor)?;
    let Some(program) = program else {
        return unconstrained::solve(sample, rows.k(), monitor);
    };
    let prefixes = Prefixes::new(sample);
    let mut search = Alternation::new(&prefixes, program, rows.k(), monitor.part().in_frame(sample.frame()));
    match search.run(rows) {
        // Out of time: the best so far.
        Err(KMeansError::TimeLimit) => {}
        ended => ended?,
    }
    search.into_solution().ok_or(KMeansError::TimeLimit)
}
