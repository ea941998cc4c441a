//! [`StateTable`]: the states of one cluster, pairs of the cells of its start and its end.
//!
//! The table is a staircase: each start has a run of ends, and both limits of the run are nondecreasing in the start.
//! So the starts that reach a given end are a run, too.

use super::cells::BoundaryCell;
use crate::kmeans::sizes::Sizes;

/// The pairs of a start cell and an end cell that are states, stored start by start.
#[derive(Clone, Debug)]
pub(super) struct StateTable {
    /// For each start, the first of its ends and one past the last.
    runs: Vec<(u32, u32)>,
    /// The index of each start's first state; one more entry than starts.
    offsets: Vec<usize>,
}

impl StateTable {
    /// Makes the table between two lists of cells, from the ranges of next boundaries, nonempty clusters and admissible
    /// sizes. Between single positions these are exact; between cells, a state is kept if some of its positions have an
    /// admissible size.
    pub(super) fn between(starts: &[BoundaryCell], ends: &[BoundaryCell], sizes: &Sizes) -> Self {
        let mut runs: Vec<(usize, usize)> = starts
            .iter()
            .map(|start| {
                let first = ends.partition_point(|end| end.high < start.next.0);
                (first, ends.partition_point(|end| end.low <= start.next.1))
            })
            .collect();
        // Runs are widened where needed, so that the table is a staircase.
        for i in (1..runs.len()).rev() {
            runs[i - 1].0 = runs[i - 1].0.min(runs[i].0);
        }
        let mut last = 0;
        for (run, start) in runs.iter_mut().zip(starts) {
            let nonempty = ends.partition_point(|end| end.high <= start.low);
            last = run.1.max(last);
            *run = (run.0.max(nonempty), last);
            if !sizes.are_any() {
                // Both limits are nondecreasing in the start, so the table stays a staircase.
                let reached = ends.partition_point(|end| sizes.is_too_small(start.at_low.weight_until(&end.at_high)));
                let exceeded = ends.partition_point(|end| !sizes.is_too_large(start.at_high.weight_until(&end.at_low)));
                *run = (run.0.max(reached), run.1.min(exceeded));
            }
            run.1 = run.1.max(run.0);
        }
        let mut offsets = Vec::with_capacity(runs.len() + 1);
        let mut total = 0;
        offsets.push(0);
        for run in &runs {
            total += run.1 - run.0;
            offsets.push(total);
        }
        Self { runs: runs.into_iter().map(|(first, last)| (first as u32, last as u32)).collect(), offsets }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// The ends that `start` reaches.
    #[inline]
    pub(super) fn ends(&self, start: usize) -> std::ops::Range<usize> {
        self.runs[start].0 as usize..self.runs[start].1 as usize
    }

    /// The states of `start`, in the order of their ends.
    #[inline]
    pub(super) fn states(&self, start: usize) -> std::ops::Range<usize> {
        self.offsets[start]..self.offsets[start + 1]
    }

    /// The state of a start and an end that it reaches.
    #[inline]
    pub(super) fn state(&self, start: usize, end: usize) -> usize {
        self.offsets[start] + end - self.runs[start].0 as usize
    }

    /// The starts that reach `end`.
    pub(super) fn starts(&self, end: usize) -> std::ops::Range<usize> {
        let end = end as u32;
        self.runs.partition_point(|run| run.1 <= end)..self.runs.partition_point(|run| run.0 <= end)
    }
}
