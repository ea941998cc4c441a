//! The search from coarse to fine: bounds all cells, drops those that cannot be in an optimum, splits the rest.
//!
//! Each level bounds the optimum from below by the best path over cells and from above by a partition near it. When
//! every remaining cell is one position, the best partition among them is the optimum. The work depends on the number
//! of cells that survive, which no useful bound is known for; a budget of states limits it.

use super::cells::BoundaryCells;
use super::feasible;
use super::incumbent::{MeansSolution, Steps, best_among, improved};
use super::lagrangian::{Lagrangian, multipliers};
use super::level::{StateLevel, states};
use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::rounding::of_sum;
use crate::kmeans::sizes::Sizes;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::Partition;

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeansLimits {
    /// The cells of each boundary on the first level.
    pub(super) first_cells: usize,
    /// A level of at most this many states goes straight to single positions.
    pub(super) direct: usize,
    /// The largest number of states of a level.
    pub(super) states: usize,
    /// From this many clusters on the search for a penalty comes first.
    pub(super) many: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(super) enum MeansOutcome {
    /// The incumbent is optimal.
    Optimal(MeansSolution),
    /// The limits were reached: the best partition and the proven bound.
    Bounded(MeansSolution, f64),
    /// An optimum of the points may cut atoms in these cells: the best partition of atoms, if there is one, and the
    /// bound for the points.
    Open(Option<MeansSolution>, f64, BoundaryCells),
    /// No partition satisfies the bounds.
    Infeasible,
    /// The limits were reached before any partition was found.
    Undecided,
}

/// If more states than this survive, a better partition is sought in the cells of the best path.
const MAX_STATES_WITHOUT_IMPROVING: usize = 1 << 10;

/// Gaps farther than this fraction from their bound get no multiplier. The generous fraction is tried first.
const ACTIVE_SHARES: [f64; 2] = [0.02, 0.002];

/// The memory of a state: its bounds, the best path to it and its part of the next level.
const BYTES_A_STATE: usize = 64;

/// Levels with atoms that may be cut are refined only while they shrink by this factor.
const MIN_SHRINKING: usize = 2;

/// Finds the best partition into `gaps.lower.len() + 1` clusters of admissible `sizes` whose means satisfy `gaps` (in
/// frame units), improving on the boundaries `start` if there are any. `open`: whether each atom may be cut; empty if
/// none can. At the time limit, returns the best partition so far.
pub(super) fn search(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    limits: &MeansLimits,
    start: Option<Vec<usize>>,
    open: &[bool],
    monitor: &mut Monitor<'_>,
) -> Result<MeansOutcome, KMeansError> {
    let mut search = MeansSearch { prefixes, gaps, sizes, limits, open, k: gaps.lower.len() + 1, best: None };
    match search.run(start, monitor) {
        Err(KMeansError::TimeLimit) => {
            let best = search.best.ok_or(KMeansError::TimeLimit)?;
            Ok(MeansOutcome::Bounded(best, monitor.lower_bound))
        }
        outcome => outcome,
    }
}

/// A search and the best partition that it has found.
struct MeansSearch<'a> {
    prefixes: &'a Prefixes<'a>,
    gaps: &'a Rows,
    sizes: Sizes,
    limits: &'a MeansLimits,
    open: &'a [bool],
    k: usize,
    best: Option<MeansSolution>,
}

/// The result of one program over cells.
struct PrunedCells {
    /// The boundaries of the best path.
    path: Option<Vec<usize>>,
    /// The cells on paths that cost no more than the best partition.
    kept: BoundaryCells,
}

impl MeansSearch<'_> {
    /// Bounds, drops and splits cells until the optimum is known or the limits are reached.
    fn run(&mut self, start: Option<Vec<usize>>, monitor: &mut Monitor<'_>) -> Result<MeansOutcome, KMeansError> {
        let (prefixes, gaps, open, k) = (self.prefixes, self.gaps, self.open, self.k);
        let mut cells = BoundaryCells::all(prefixes, k, self.sizes, self.limits.first_cells, open);
        if let Some(from) = start {
            let steps = Steps { reach: prefixes.len() / k, fineness: 4, unit: 1 };
            self.improve(&from, &steps, monitor)?;
            let proven = |best: &MeansSolution| best.cost <= monitor.lower_bound + of_sum(k, best.cost);
            if let Some(best) = self.best.clone().filter(proven) {
                return Ok(MeansOutcome::Optimal(best));
            }
        }
        loop {
            self.adopt(best_among(prefixes, gaps, &cells.edges(open), monitor)?);
            if cells.are_single() {
                return Ok(self.ended());
            }
            let effort = states(&cells) / k;
            let steps = Steps { reach: 2 * cells.widest(), fineness: (effort.isqrt() / 8).clamp(2, 64), unit: 1 };
            if let Some(from) = self.best.clone().filter(|best| best.cost < monitor.cost) {
                self.improve(&from.boundaries, &steps, monitor)?;
            }
            let plain = self.pruned(&cells, &Lagrangian::none(k), monitor)?;
            if plain.kept.are_empty() {
                return Ok(self.ended());
            }
            if self.best.is_none() && !self.find_feasible(&steps, monitor)? {
                return Ok(MeansOutcome::Infeasible);
            }
            let stubborn = self.best.is_none() || states(&plain.kept) > MAX_STATES_WITHOUT_IMPROVING;
            if let Some(path) = plain.path.filter(|_| stubborn) {
                self.improve(&path, &steps, monitor)?;
            }
            let mut kept = plain.kept;
            if let Some(best) = self.best.clone() {
                monitor.found(best.cost);
                kept = self.pruned_with_multipliers(&best, kept, monitor)?;
                if kept.are_empty() {
                    return Ok(MeansOutcome::Optimal(best));
                }
                if monitor.is_proven() {
                    let exact = best.cost <= monitor.lower_bound;
                    let bounded = |best| MeansOutcome::Bounded(best, monitor.lower_bound);
                    return Ok(if exact { MeansOutcome::Optimal(best) } else { bounded(best) });
                }
            }
            monitor.report()?;
            let finest = kept.are_finest(open) && !kept.are_single();
            let next = match finest && cells.are_finest(open) && MIN_SHRINKING * states(&kept) > states(&cells) {
                true => None,
                false => refined(prefixes, &kept, self.limits, open),
            };
            cells = match (next, self.best.take()) {
                (Some(cells), best) => {
                    self.best = best;
                    cells
                }
                (None, best) if !open.is_empty() => return Ok(MeansOutcome::Open(best, monitor.lower_bound, kept)),
                (None, Some(best)) => return Ok(MeansOutcome::Bounded(best, monitor.lower_bound)),
                (None, None) => return Ok(MeansOutcome::Undecided),
            };
        }
    }

    /// Finds a partition that satisfies lower bounds, and improves it. Returns false if there is none; does nothing under
    /// upper bounds or bounds on sizes.
    fn find_feasible(&mut self, steps: &Steps, monitor: &mut Monitor<'_>) -> Result<bool, KMeansError> {
        if self.gaps.have_upper() || !self.sizes.are_any() {
            return Ok(true);
        }
        monitor.check_memory("sums over the data", self.prefixes.bytes())?;
        match feasible::partition(&self.prefixes.gathered(), &self.gaps.lower, monitor)? {
            Some(boundaries) => self.improve(&boundaries, steps, monitor).map(|()| true),
            // Points may satisfy bounds that atoms do not.
            None => Ok(!self.open.is_empty()),
        }
    }

    /// Drops cells by their bounds with the multipliers of the best partition.
    fn pruned_with_multipliers(
        &self,
        best: &MeansSolution,
        mut kept: BoundaryCells,
        monitor: &mut Monitor<'_>,
    ) -> Result<BoundaryCells, KMeansError> {
        let partition = Partition::of_boundaries(best.boundaries.clone(), self.prefixes.len());
        for active in ACTIVE_SHARES {
            let lagrangian = Lagrangian::by(&multipliers(self.prefixes, self.gaps, &partition, active), self.gaps);
            if lagrangian.magnitude() > 0.0 && !kept.are_empty() {
                kept = self.pruned(&kept, &lagrangian, monitor)?.kept;
            }
        }
        Ok(kept)
    }

    /// Keeps the better of two partitions; the first of equal ones.
    fn adopt(&mut self, found: Option<MeansSolution>) {
        match (&self.best, found) {
            (Some(best), Some(found)) if found.cost >= best.cost => {}
            (_, Some(found)) => self.best = Some(found),
            (_, None) => {}
        }
    }

    /// Improves some boundaries and adopts the result if it is the best.
    fn improve(&mut self, from: &[usize], steps: &Steps, monitor: &mut Monitor<'_>) -> Result<(), KMeansError> {
        self.adopt(improved(self.prefixes, self.gaps, self.sizes, from, steps, monitor)?);
        Ok(())
    }

    /// No cell is left: the best partition is optimal, or there is none.
    fn ended(&mut self) -> MeansOutcome {
        self.best.take().map_or(MeansOutcome::Infeasible, MeansOutcome::Optimal)
    }

    /// Bounds the partitions over `cells` and drops cells that cannot be in an optimum.
    fn pruned(
        &self,
        cells: &BoundaryCells,
        lagrangian: &Lagrangian,
        monitor: &mut Monitor<'_>,
    ) -> Result<PrunedCells, KMeansError> {
        monitor.check_memory("the search for separated means", product(&[states(cells), BYTES_A_STATE]))?;
        let level = StateLevel::new(self.prefixes, cells, self.gaps, lagrangian, monitor)?;
        let rounding = |cost: f64| of_sum(self.k, cost.abs() + lagrangian.magnitude());
        let limit = self.best.as_ref().map_or(f64::MAX, |best| best.cost + rounding(best.cost));
        let path = level.best_path().map(|path| path.iter().map(|cell| cell.low + cell.positions() / 2).collect());
        let least = level.least();
        if least < f64::INFINITY {
            monitor.proved(least - rounding(least));
        }
        Ok(PrunedCells { path, kept: level.survivors(limit, monitor)? })
    }
}

/// Splits the cells as finely as the budget of states allows; `None` if even halves are too many.
fn refined(
    prefixes: &Prefixes<'_>,
    kept: &BoundaryCells,
    limits: &MeansLimits,
    open: &[bool],
) -> Option<BoundaryCells> {
    let now = states(kept);
    let parts = [usize::MAX, 8, 4].into_iter().find(|&parts| {
        let parts = parts.min(kept.widest());
        now.saturating_mul(parts * parts) <= limits.direct
    });
    let parts = parts.unwrap_or(2);
    let cells = kept.split(prefixes, parts, open);
    (states(&cells) <= limits.states).then_some(cells)
}
