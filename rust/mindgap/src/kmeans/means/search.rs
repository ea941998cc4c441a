//! From coarse to fine: bound all cells, drop those that cannot be in an optimum, split the rest.
//!
//! Each level bounds the optimum from below by the best path over cells and from above by a partition found near it.
//! When every cell left is one position, the best partition among them is the optimum. The work depends on how many
//! cells survive, for which a certificate is all that can be said; a budget of states ends a search that would not.

use super::cells::BoundaryCells;
use super::feasible;
use super::incumbent::{MeansSolution, Steps, best_among, improved};
use super::lagrangian::{Lagrangian, multipliers};
use super::level::{StateLevel, states};
use super::monitor::SearchMonitor;
use crate::constraint::Gaps;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::memory::{check_memory, product};

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
pub(super) enum MeansOutcome {
    /// The incumbent is optimal.
    Optimal(MeansSolution),
    /// The limits were reached: the best partition and the proven bound.
    Bounded(MeansSolution, f64),
    /// Blobs that an optimum of their points may cut are left, in these cells: the best partition of blobs, if there is
    /// one, and the bound proven for the points.
    Open(Option<MeansSolution>, f64, BoundaryCells),
    /// No partition holds the bounds.
    Infeasible,
    /// The limits were reached before any partition was found.
    Undecided,
}

/// When more states than this survive, the cells of the best path are searched for a better partition.
const WORTH_A_LOOK: usize = 1 << 10;

/// Gaps wider than their bound by more than this (relative) get no multiplier: generously, then strictly.
const ACTIVE: [f64; 2] = [0.02, 0.002];

/// What a state takes: its bounds, the best path to it, and its part of what follows.
const BYTES_A_STATE: usize = 64;

/// Relative differences below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Where points are blobs and levels of blobs shrink by less than this factor, they are left as they are.
const SHRINKING: usize = 2;

/// Finds the best partition into `gaps.lower.len() + 1` clusters whose means hold `gaps` (in frame units), improving on
/// the boundaries `start` if there are any. Where points are blobs, `open` says which of them may be cut.
pub(super) fn search(
    prefixes: &Prefixes<'_>,
    gaps: &Gaps,
    limits: &Limits,
    start: Option<Vec<usize>>,
    open: Option<&[bool]>,
    monitor: &mut SearchMonitor<'_, '_>,
) -> Result<MeansOutcome, KMeansError> {
    let k = gaps.lower.len() + 1;
    let mut cells = match open {
        None => BoundaryCells::all(prefixes, k, limits.first_cells),
        Some(open) => BoundaryCells::all_blobs(prefixes, k, limits.first_cells, open),
    };
    let mut best: Option<MeansSolution> = None;
    if let Some(from) = start {
        let steps = Steps { reach: prefixes.len() / k, fineness: 4 };
        best = improved(prefixes, gaps, &from, &steps, monitor)?;
        if let Some(best) = best.take_if(|best| best.cost <= monitor.lower_bound * (1.0 + ROUNDING)) {
            return Ok(MeansOutcome::Optimal(best));
        }
    }
    loop {
        let known = if open.is_some() { cells.outer_positions() } else { cells.first_positions() };
        best = better(best, best_among(prefixes, gaps, &known, monitor)?);
        if cells.are_single() {
            return Ok(best.map_or(MeansOutcome::Infeasible, MeansOutcome::Optimal));
        }
        let effort = states(&cells) / k;
        let steps = Steps { reach: 2 * cells.widest(), fineness: (effort.isqrt() / 8).clamp(2, 64) };
        if let Some(from) = best.as_ref().filter(|best| best.cost < monitor.cost) {
            let found = improved(prefixes, gaps, &from.boundaries, &steps, monitor)?;
            best = better(best, found);
        }
        let plain = pruned(prefixes, &cells, gaps, &Lagrangian::none(k), best.as_ref(), monitor)?;
        if plain.kept.are_empty() {
            return Ok(best.map_or(MeansOutcome::Infeasible, MeansOutcome::Optimal));
        }
        monitor.lower_bound = monitor.lower_bound.max(plain.least);
        if best.is_none() && !gaps.have_upper() {
            let at = prefixes.gathered()?;
            match feasible::partition(&at, &gaps.lower, monitor)? {
                Some(boundaries) => best = improved(prefixes, gaps, &boundaries, &steps, monitor)?,
                None if open.is_none() => return Ok(MeansOutcome::Infeasible),
                None => {}
            }
        }
        let stubborn = best.is_none() || states(&plain.kept) > WORTH_A_LOOK;
        if let Some(path) = plain.path.as_ref().filter(|_| stubborn) {
            best = better(best, improved(prefixes, gaps, path, &steps, monitor)?);
        }
        let mut kept = plain.kept;
        if let Some(incumbent) = &best {
            monitor.cost = incumbent.cost;
            for active in ACTIVE {
                let lagrangian = Lagrangian::by(&multipliers(prefixes, gaps, &ends(prefixes, incumbent), active), gaps);
                if lagrangian.magnitude() == 0.0 {
                    continue;
                }
                let tilted = pruned(prefixes, &kept, gaps, &lagrangian, Some(incumbent), monitor)?;
                if tilted.kept.are_empty() {
                    return Ok(MeansOutcome::Optimal(incumbent.clone()));
                }
                monitor.lower_bound = monitor.lower_bound.max(tilted.least);
                kept = tilted.kept;
            }
        }
        monitor.report()?;
        let finest = open.is_some_and(|open| kept.are_blobs(open)) && !kept.are_single();
        if finest && cells.are_blobs(open.unwrap_or_default()) && SHRINKING * states(&kept) > states(&cells) {
            return Ok(MeansOutcome::Open(best, monitor.lower_bound, kept));
        }
        cells = match (refined(prefixes, &kept, limits, open), best) {
            (Some(cells), incumbent) => {
                best = incumbent;
                cells
            }
            (None, best) if open.is_some() => return Ok(MeansOutcome::Open(best, monitor.lower_bound, kept)),
            (None, Some(best)) => return Ok(MeansOutcome::Bounded(best, monitor.lower_bound)),
            (None, None) => return Ok(MeansOutcome::Undecided),
        };
    }
}

/// What one program over cells tells.
struct PrunedCells {
    /// The least cost of a path.
    least: f64,
    /// Where the boundaries of the best path lie.
    path: Option<Vec<usize>>,
    /// The cells that paths no worse than the best partition go through.
    kept: BoundaryCells,
}

/// Bounds the partitions over `cells` and drops what cannot be in an optimum.
fn pruned(
    prefixes: &Prefixes<'_>,
    cells: &BoundaryCells,
    gaps: &Gaps,
    lagrangian: &Lagrangian,
    best: Option<&MeansSolution>,
    monitor: &mut SearchMonitor<'_, '_>,
) -> Result<PrunedCells, KMeansError> {
    check_memory("the search for separated means", product(&[states(cells), BYTES_A_STATE]))?;
    let level = StateLevel::new(prefixes, cells, gaps, lagrangian, monitor)?;
    let limit = best.map_or(f64::MAX, |best| best.cost + ROUNDING * (best.cost + lagrangian.magnitude()));
    let path = level.best_path().map(|path| path.iter().map(|cell| cell.low + cell.positions() / 2).collect());
    Ok(PrunedCells { least: level.least(), path, kept: level.survivors(limit, monitor)? })
}

/// The cells split as finely as a level's worth of states allows; `None` if even halves are too many.
fn refined(
    prefixes: &Prefixes<'_>,
    kept: &BoundaryCells,
    limits: &Limits,
    open: Option<&[bool]>,
) -> Option<BoundaryCells> {
    let now = states(kept);
    let parts = [usize::MAX, 8, 4].into_iter().find(|&parts| {
        let parts = parts.min(kept.widest());
        now.saturating_mul(parts * parts) <= limits.direct
    });
    let parts = parts.unwrap_or(2);
    let cells = match open {
        None => kept.split(prefixes, parts),
        Some(open) => kept.split_blobs(prefixes, parts, open),
    };
    (states(&cells) <= limits.states).then_some(cells)
}

/// The lesser of two partitions; the first of equal ones.
fn better(a: Option<MeansSolution>, b: Option<MeansSolution>) -> Option<MeansSolution> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.cost < a.cost { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn ends(prefixes: &Prefixes<'_>, incumbent: &MeansSolution) -> Vec<usize> {
    incumbent.boundaries.iter().copied().chain([prefixes.len()]).collect()
}
