//! K-means under linear rows, which need not be bounds on gaps: alternation from several starts.
//!
//! Given centres, each point goes to the nearest; given clusters, a quadratic program places the centres; and so on until
//! the cost no longer falls. A round costs O(k log n) beside the program. The result is a local optimum: what it is worth
//! is said by a bound, the optimum of a problem with fewer rows (none, or those that bound gaps).

mod assignment;
mod derived;
mod moves;
mod search;

use super::solution::Solution;
use super::{free, unconstrained};
use crate::constraint::Rows;
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::{Watch, relaxed};
use crate::qp::MeanProgram;
pub(super) use moves::cost;
use search::Alternation;

/// The best centres that are found under `rows` (in data units), and their clusters.
///
/// # Errors
/// Rows that no ascending centres hold, and programs that are not solved.
pub(super) fn solve(sample: &Sample, rows: &Rows, mut watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let Some(program) = MeanProgram::of(rows, sample.frame(), FARTHEST, &mut watch)? else {
        return unconstrained::solve(sample, rows.k(), watch);
    };
    run(sample, rows, program, watch)
}

fn run(
    sample: &Sample,
    rows: &Rows,
    program: MeanProgram,
    mut watch: Option<Watch<'_>>,
) -> Result<Solution, KMeansError> {
    let k = rows.k();
    let bare = relaxed(&mut watch, 0.0, |watch| unconstrained::solve(sample, k, Some(watch)))?;
    let prefixes = Prefixes::new(sample);
    let mut search = Alternation::new(&prefixes, program, k, watch);
    search.raise_bound(moves::blocks(&prefixes, &bare.ends).map(|block| block.cost).sum());
    let means: Vec<f64> = moves::blocks(&prefixes, &bare.ends).map(|block| block.mean).collect();
    search.climb(bare.ends)?;
    if k == 1 || k == sample.len() {
        // There is but one partition, and its centres are optimal.
        return Ok(search.into_solution(true));
    }
    if let Some(gaps) = derived::gap_bounds(rows)
        && !search.is_proven()
    {
        let floor = search.outside_bound();
        let solution = relaxed(search.watch(), floor, |watch| free::solve(sample, &gaps, Some(watch)))?;
        search.raise_bound(solution.lower_bound.min(moves::cost(&prefixes, &solution)));
        search.climb(solution.ends)?;
    }
    search.climb_evenly(&means)?;
    search.kick()?;
    Ok(search.into_solution(false))
}
