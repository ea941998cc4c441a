//! K-means under general linear rows: alternation from several starts.
//!
//! A round assigns each point to the nearest centre, then places the centres by a quadratic program, until the cost no
//! longer falls. It costs O(k log n) besides the program. The result is a local optimum; its lower bound is the optimum
//! under fewer rows (none, or those that bound gaps).

mod derived;
mod search;

use super::unconstrained;
use crate::constraint::Rows;
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::Monitor;
use crate::partition::Solution;
use crate::qp::MeanProgram;
use search::Alternation;

/// Returns the best centres found under `rows` (in data units), with their clusters.
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
        // At the time limit: the best so far.
        Err(KMeansError::TimeLimit) => {}
        ended => ended?,
    }
    search.into_solution().ok_or(KMeansError::TimeLimit)
}
