//! Local improvement of partitions that satisfy the bounds: upper bounds on the optimum.

use super::cells::BoundaryCells;
use super::lagrangian::Lagrangian;
use super::level::StateLevel;
use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::sizes::Sizes;
use crate::monitor::Monitor;

/// A partition that satisfies the bounds.
#[derive(Clone, Debug)]
pub(super) struct MeansSolution {
    /// The starts of clusters 1, 2, ….
    pub(super) boundaries: Vec<usize>,
    pub(super) cost: f64,
}

/// The largest number of rounds of local improvement.
const MAX_ROUNDS: usize = 12;

/// Finds the best partition whose boundaries are among the given single positions.
pub(super) fn best_among(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    cells: &BoundaryCells,
    monitor: &mut Monitor<'_>,
) -> Result<Option<MeansSolution>, KMeansError> {
    let level = StateLevel::new(prefixes, cells, gaps, &Lagrangian::none(cells.clusters()), monitor)?;
    Ok(level
        .best_path()
        .map(|path| MeansSolution { boundaries: path.iter().map(|cell| cell.low).collect(), cost: level.least() }))
}

/// Improves the boundaries `from`, which need not satisfy the bounds: moves all of them at once, each by one of a few
/// steps, until the cost no longer falls.
pub(super) fn improved(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    from: &[usize],
    steps: &Steps,
    monitor: &mut Monitor<'_>,
) -> Result<Option<MeansSolution>, KMeansError> {
    let steps = steps.list();
    let mut best: Option<MeansSolution> = None;
    let mut around = from.to_vec();
    for _ in 0..MAX_ROUNDS {
        let positions = neighbours(prefixes.len(), &around, &steps);
        let cells = BoundaryCells::at_positions(prefixes, &positions, sizes);
        let Some(found) = best_among(prefixes, gaps, &cells, monitor)? else {
            break;
        };
        let gained = best.as_ref().is_none_or(|best| found.cost < best.cost * (1.0 - 1e-12));
        if gained {
            around.clone_from(&found.boundaries);
            best = Some(found);
        } else {
            break;
        }
    }
    Ok(best)
}

/// The steps by which boundaries are moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// The longest step, in units.
    pub(super) reach: usize,
    /// All steps up to this length are tried, longer ones ever more sparsely.
    pub(super) fineness: usize,
    /// The number of positions in a unit.
    pub(super) unit: usize,
}

impl Steps {
    fn list(&self) -> Vec<usize> {
        let mut steps = vec![0];
        let mut step = 1;
        while step <= self.reach.max(1) {
            steps.push(step * self.unit);
            step += 1 + step / self.fineness;
        }
        steps
    }
}

/// The positions that the steps lead to from each boundary, without those that would leave a cluster empty.
fn neighbours(n: usize, boundaries: &[usize], steps: &[usize]) -> Vec<Vec<usize>> {
    let k = boundaries.len() + 1;
    (1..k)
        .zip(boundaries)
        .map(|(m, &boundary)| {
            let (first, last) = (m, n - k + m);
            let left = steps.iter().rev().map(|&step| boundary.saturating_sub(step));
            let right = steps.iter().skip(1).map(|&step| boundary + step);
            left.chain(right).filter(|p| (first..=last).contains(p)).collect()
        })
        .collect()
}
