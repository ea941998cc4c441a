//! [`Clusters`]: the graph of all clusters that an optimum may have; a path of `k` clusters is a partition.
//!
//! If all gaps have the same bounds, the possible successors of a cluster do not depend on its index. Under a penalty
//! per cluster, one pass in each direction finds the best path through every cluster, in O(1) for each.

use super::positions::Positions;
use super::states::StateTable;
use super::window::Window;
use crate::error::KMeansError;
use crate::kmeans::sizes::Sizes;
use crate::memory::product;
use crate::monitor::Monitor;

/// The memory of a cluster: its mean, its cost, and the least costs of paths to it and from it.
const BYTES_A_CLUSTER: usize = 32;

/// Runs of points by the indices of their start and end positions, with means and costs in frame units.
pub(super) struct Clusters {
    pub(super) table: StateTable,
    pub(super) mean: Vec<f64>,
    pub(super) cost: Vec<f64>,
    /// The last position.
    pub(super) n: usize,
    /// The bounds of every gap.
    gap: (f64, f64),
}

/// The best path of any number of clusters under a penalty per cluster.
pub(super) struct PenalizedPath {
    pub(super) boundaries: Vec<usize>,
    /// The cost with the penalties.
    pub(super) value: f64,
}

impl Clusters {
    /// The runs of admissible `sizes` that `positions` allow; `None` if they exceed `most` or the memory.
    pub(super) fn between(
        positions: &Positions,
        gap: (f64, f64),
        sizes: &Sizes,
        most: usize,
        monitor: &mut Monitor<'_>,
    ) -> Result<Option<Self>, KMeansError> {
        let (cells, n) = (&positions.0, positions.last());
        let table = positions.table(sizes);
        let bytes = product(&[table.len(), BYTES_A_CLUSTER]);
        if table.len() > most || monitor.check_memory("the search for separated means", bytes).is_err() {
            return Ok(None);
        }
        let (mut mean, mut cost) = (Vec::with_capacity(table.len()), Vec::with_capacity(table.len()));
        let arch = pulp::Arch::new();
        for (start, from) in cells[..n].iter().enumerate() {
            // Compiled for the processor: double-double products use its fused multiply-add.
            arch.dispatch(|| {
                for end in table.ends(start) {
                    let block = from.at_low.until(&cells[end].at_low);
                    mean.push(block.mean);
                    cost.push(block.cost);
                }
            });
            monitor.spend(table.ends(start).len() as u64)?;
        }
        Ok(Some(Self { table, mean, cost, n, gap }))
    }

    /// Whether the gap from a mean `before` to the cluster `state` satisfies the lower bound.
    #[inline]
    pub(super) fn is_low_enough(&self, before: f64, state: usize) -> bool {
        before <= self.mean[state] - self.gap.0
    }

    /// Whether the gap from a mean `before` to the cluster `state` exceeds the upper bound.
    #[inline]
    pub(super) fn is_too_low(&self, before: f64, state: usize) -> bool {
        before < self.mean[state] - self.gap.1
    }

    /// For each cluster, the least penalised cost of a path from the first point to its end.
    pub(super) fn reached(&self, penalty: f64, monitor: &mut Monitor<'_>) -> Result<Vec<f64>, KMeansError> {
        let mut reached = vec![f64::INFINITY; self.cost.len()];
        self.table.states(0).for_each(|state| reached[state] = self.cost[state] + penalty);
        let mut window = Window::default();
        let (mut means, mut values) = (Vec::new(), Vec::new());
        for start in 1..self.n {
            means.clear();
            values.clear();
            for before in self.table.starts(start) {
                let state = self.table.state(before, start);
                means.push(self.mean[state]);
                values.push(reached[state]);
            }
            window.restart();
            for state in self.table.states(start) {
                while window.next() < means.len() && self.is_low_enough(means[window.next()], state) {
                    window.enter(values[window.next()]);
                }
                window.drop_while(|i| self.is_too_low(means[i], state));
                reached[state] = self.cost[state] + penalty + window.least();
            }
            monitor.spend((means.len() + self.table.ends(start).len()) as u64)?;
        }
        Ok(reached)
    }

    /// For each cluster, the least penalised cost of a path from its end to the last point.
    pub(super) fn after(&self, penalty: f64, monitor: &mut Monitor<'_>) -> Result<Vec<f64>, KMeansError> {
        let mut after = vec![f64::INFINITY; self.cost.len()];
        self.ending(self.n).for_each(|(_, state)| after[state] = 0.0);
        let mut window = Window::default();
        for start in (1..self.n).rev() {
            let states = self.table.states(start);
            // From the right, so that the window moves one way.
            let end = |next: usize| states.end - 1 - next;
            window.restart();
            for before in self.table.starts(start).rev() {
                let into = self.table.state(before, start);
                let mean = self.mean[into];
                while window.next() < states.len() && self.is_low_enough(mean, end(window.next())) {
                    let state = end(window.next());
                    window.enter(self.cost[state] + penalty + after[state]);
                }
                window.drop_while(|next| self.is_too_low(mean, end(next)));
                after[into] = window.least();
            }
            monitor.spend((self.table.starts(start).len() + states.len()) as u64)?;
        }
        Ok(after)
    }

    /// The best path, with the leftmost boundaries of equal ones; `None` if there is none.
    pub(super) fn best_path(&self, reached: &[f64]) -> Option<PenalizedPath> {
        let least = |a: &(usize, usize), b: &(usize, usize)| reached[a.1].total_cmp(&reached[b.1]);
        let (mut start, mut state) = self.ending(self.n).min_by(least)?;
        let value = reached[state];
        if value == f64::INFINITY {
            return None;
        }
        let mut boundaries = Vec::new();
        while start > 0 {
            boundaries.push(start);
            let admissible = |mean: f64| self.is_low_enough(mean, state) && !self.is_too_low(mean, state);
            (start, state) = self.ending(start).filter(|before| admissible(self.mean[before.1])).min_by(least)?;
        }
        boundaries.reverse();
        Some(PenalizedPath { boundaries, value })
    }

    /// The cost of a partition into clusters that are all here.
    pub(super) fn cost_of(&self, boundaries: &[usize]) -> f64 {
        let ends = boundaries.iter().copied().chain([self.n]);
        let starts = [0].into_iter().chain(boundaries.iter().copied());
        starts.zip(ends).map(|(start, end)| self.cost[self.table.state(start, end)]).sum()
    }

    /// The clusters that end at a position: their starts and states.
    fn ending(&self, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.table.starts(end).map(move |start| (start, self.table.state(start, end)))
    }
}
