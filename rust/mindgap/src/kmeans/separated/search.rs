//! From coarse to fine: bound all cells, drop those that cannot be in an optimum, split the rest.
//!
//! Each level bounds the optimum from below by the best path over cells and from above by a partition found near it.
//! When every cell left is one position, the best partition among them is the optimum. The work depends on how many
//! cells survive, for which a certificate is all that can be said; a budget of states ends a search that would not.

use super::cells::Cells;
use super::incumbent::{Incumbent, best_among, improved};
use super::level::{Level, states};
use super::pulse::Pulse;
use super::tilt::{Tilt, multipliers};
use crate::constraint::Gaps;
use crate::error::KMeansError;
use crate::sample::Prefixes;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The cells of each boundary on the first level.
    pub(super) first_cells: usize,
    /// A level of at most this many states goes to single positions at once.
    pub(super) direct: usize,
    /// No level has more states than this.
    pub(super) states: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The incumbent is optimal.
    Optimal(Incumbent),
    /// The limits were reached: the best partition and the proven bound.
    Bounded(Incumbent, f64),
    /// No partition holds the bounds.
    Infeasible,
    /// The limits were reached before any partition was found.
    Undecided,
}

/// Relative differences below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Finds the best partition into `gaps.lower.len() + 1` clusters whose means hold `gaps` (in frame units).
pub(super) fn search(
    prefixes: &Prefixes<'_>,
    gaps: &Gaps,
    limits: &Limits,
    pulse: &mut Pulse<'_, '_>,
) -> Result<Outcome, KMeansError> {
    let k = gaps.lower.len() + 1;
    let mut cells = Cells::all(prefixes, k, limits.first_cells);
    let mut best: Option<Incumbent> = None;
    loop {
        if std::env::var_os("SEP_TRACE").is_some() {
            let counts: Vec<usize> = cells.0.iter().map(Vec::len).collect();
            eprintln!("widest {} states {} counts {:?} ub {} lb {}", cells.widest(), states(&cells), &counts[..counts.len().min(8)], pulse.cost, pulse.lower_bound);
        }
        let found = best_among(prefixes, gaps, &cells.first_positions(), pulse)?;
        if cells.are_single() {
            return Ok(match better(best, found) {
                Some(best) => Outcome::Optimal(best),
                None => Outcome::Infeasible,
            });
        }
        best = better(best, found);
        if let Some(from) = &best {
            let found = improved(prefixes, gaps, &from.boundaries, 2 * cells.widest(), pulse)?;
            best = better(best, found);
        }
        let plain = Tilt::none(k);
        let (least, mut kept) = pruned(prefixes, &cells, gaps, &plain, best.as_ref(), pulse)?;
        if least == f64::INFINITY && best.is_none() {
            return Ok(Outcome::Infeasible);
        }
        pulse.lower_bound = pulse.lower_bound.max(least);
        let Some(incumbent) = &best else {
            todo!()
        };
        pulse.cost = incumbent.cost;
        pulse.beat()?;
        let tr = std::env::var_os("SEP_TRACE").is_some();
        if tr { eprintln!("   plain {least} ub {} kept {:?} {}", incumbent.cost, &kept.0.iter().map(Vec::len).collect::<Vec<_>>(), states(&kept)); }
        let tilt = Tilt::by(&multipliers(prefixes, gaps, &ends(prefixes, incumbent)), gaps);
        if tilt.magnitude() > 0.0 && !kept.0.iter().any(Vec::is_empty) {
            let (least, keptt) = pruned(prefixes, &kept, gaps, &tilt, best.as_ref(), pulse)?;
            kept = keptt;
            pulse.lower_bound = pulse.lower_bound.max(least);
        if tr { eprintln!("   tilted {least} kept {:?} {}", &kept.0.iter().map(Vec::len).collect::<Vec<_>>(), states(&kept)); }
        }
        if kept.0.iter().any(Vec::is_empty) {
            return Ok(Outcome::Optimal(incumbent.clone()));
        }
        cells = match refined(prefixes, &kept, limits) {
            Some(cells) => cells,
            None => return Ok(Outcome::Bounded(incumbent.clone(), pulse.lower_bound)),
        };
    }
}

/// The least cost of a path over `cells`, and the cells that paths no worse than the best partition go through.
fn pruned(
    prefixes: &Prefixes<'_>,
    cells: &Cells,
    gaps: &Gaps,
    tilt: &Tilt,
    best: Option<&Incumbent>,
    pulse: &mut Pulse<'_, '_>,
) -> Result<(f64, Cells), KMeansError> {
    let level = Level::new(prefixes, cells, gaps, tilt, pulse)?;
    let limit = best.map_or(f64::MAX, |best| best.cost + ROUNDING * (best.cost + tilt.magnitude()));
    Ok((level.least(), level.survivors(limit, pulse)?))
}

/// The cells split as finely as a level's worth of states allows; `None` if even halves are too many.
fn refined(prefixes: &Prefixes<'_>, kept: &Cells, limits: &Limits) -> Option<Cells> {
    let now = states(kept);
    let parts = [usize::MAX, 8, 4].into_iter().find(|&parts| {
        let parts = parts.min(kept.widest());
        now.saturating_mul(parts * parts) <= limits.direct
    });
    let cells = kept.split(prefixes, parts.unwrap_or(2));
    (states(&cells) <= limits.states).then_some(cells)
}

/// The lesser of two partitions; the first of equal ones.
fn better(a: Option<Incumbent>, b: Option<Incumbent>) -> Option<Incumbent> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.cost < a.cost { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn ends(prefixes: &Prefixes<'_>, incumbent: &Incumbent) -> Vec<usize> {
    incumbent.boundaries.iter().copied().chain([prefixes.len()]).collect()
}
