//! The least penalised costs of all prefixes and suffixes of the data under the bounds on gaps.
//!
//! One pass over the possible runs in each direction, as in [`clusters`](super::clusters), but a run is dropped after
//! the position of its end: memory for the square of the longest run, not for all runs.

use super::positions::{PenalizedCosts, Positions};
use super::states::StateTable;
use super::window::Window;
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Monitor;
use std::collections::VecDeque;

/// The tolerance of gaps in the backward pass: mirrored means round differently, once for a number of at most one.
const MIRRORED: f64 = 2.0 * f64::EPSILON;

/// Returns the costs on both sides of every position, for paths of runs of `table` whose means satisfy the bounds
/// `gap`. `known` are lower bounds on these costs; parts of paths that, with them, exceed the penalised cost `limit`
/// are left out. `None` if more than `most` runs must be stored at a time.
pub(super) fn penalized_costs(
    positions: &Positions,
    table: &StateTable,
    gap: (f64, f64),
    known: &PenalizedCosts,
    limit: f64,
    most: usize,
    monitor: &mut Monitor<'_>,
) -> Result<Option<PenalizedCosts>, KMeansError> {
    let gap = (gap.0 - MIRRORED, gap.1 + MIRRORED);
    let penalty = known.penalty;
    let task = PassTask { positions, table, gap, penalty, limit, most };
    let Some(before) = task.pass::<false>(&known.after, monitor)? else { return Ok(None) };
    let Some(mut after) = task.pass::<true>(&before, monitor)? else { return Ok(None) };
    after.reverse();
    Ok(Some(PenalizedCosts { penalty, before, after }))
}

/// The input of both passes.
struct PassTask<'a> {
    positions: &'a Positions,
    table: &'a StateTable,
    gap: (f64, f64),
    penalty: f64,
    limit: f64,
    most: usize,
}

impl PassTask<'_> {
    /// The costs of the prefixes (with `BACK`: of the suffixes) from the shortest to the longest; `beyond` are those of
    /// the points that remain at each position.
    fn pass<const BACK: bool>(
        &self,
        beyond: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<Option<Vec<f64>>, KMeansError> {
        let (cells, n) = (&self.positions.0, self.positions.last());
        let mut costs = Vec::with_capacity(n + 1);
        // The means and values of the runs that end at each position from the current one on, in the order of their
        // means.
        let mut ending: VecDeque<Vec<(f64, f64)>> = VecDeque::new();
        let (mut window, mut kept) = (Window::default(), 0);
        let arch = pulp::Arch::new();
        for step in 0..n {
            let mut into = ending.pop_front().unwrap_or_default();
            costs.push(if step == 0 { 0.0 } else { least(&into) });
            let here = if BACK { n - step } else { step };
            let far = if BACK { self.table.starts(here) } else { self.table.ends(here) };
            kept -= into.len();
            // No run starts where none ends.
            let far = if step == 0 || !into.is_empty() { far } else { 0..0 };
            let (ending, kept_now) = (&mut ending, &mut kept);
            arch.dispatch(|| {
                window.restart();
                for i in 0..far.len() {
                    let there = if BACK { far.end - 1 - i } else { far.start + i };
                    let (start, end) = if BACK { (there, here) } else { (here, there) };
                    let run = cells[start].at_low.until(&cells[end].at_low);
                    let mean = if BACK { -run.mean } else { run.mean };
                    let before = if step == 0 { 0.0 } else { self.least_before(&mut window, &into, mean) };
                    let value = run.cost + self.penalty + before;
                    if value + beyond[there] <= self.limit {
                        let distance = end - start;
                        if ending.len() < distance {
                            ending.resize_with(distance, Vec::new);
                        }
                        ending[distance - 1].push((mean, value));
                        *kept_now += 1;
                    }
                }
            });
            monitor.spend((into.len() + far.len()) as u64)?;
            let bytes = product(&[2, kept, size_of::<(f64, f64)>()]);
            if kept > self.most || monitor.check_memory("the search for separated means", bytes).is_err() {
                return Ok(None);
            }
            // The memory is reused for a later position.
            into.clear();
            ending.push_back(into);
        }
        costs.push(least(&ending.pop_front().unwrap_or_default()));
        Ok(Some(costs))
    }

    /// The least value of the runs `into` a position that a run of this mean may follow; calls must have ascending
    /// means.
    #[inline(always)]
    fn least_before(&self, window: &mut Window, into: &[(f64, f64)], mean: f64) -> f64 {
        while window.next() < into.len() && into[window.next()].0 <= mean - self.gap.0 {
            window.enter(into[window.next()].1);
        }
        window.drop_while(|i| into[i].0 < mean - self.gap.1);
        window.least()
    }
}

/// The least value of some runs.
fn least(runs: &[(f64, f64)]) -> f64 {
    runs.iter().fold(f64::INFINITY, |least, run| least.min(run.1))
}
