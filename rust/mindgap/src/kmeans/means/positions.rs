//! [`Positions`]: the possible starts and ends of clusters, and the runs between them that may be in an optimum.
//!
//! A run is ruled out by its own cost, or by its cost plus the least penalised costs of the points before and after it.
//! Those are first computed without bounds, then under all bounds but the two gaps at its ends
//! ([`prefix_costs`](super::prefix_costs)).

use super::cells::BoundaryCell;
use super::states::StateTable;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::rounding::{CLEAR, of_sum};
use crate::kmeans::sizes::Sizes;
use crate::monitor::Monitor;

/// Single positions, each with the range of ends of a cluster that starts there.
#[derive(Clone)]
pub(super) struct Positions(pub(super) Vec<BoundaryCell>);

/// The least penalised costs of the points before each position, and of those from it on.
#[derive(Clone)]
pub(super) struct PenalizedCosts {
    pub(super) penalty: f64,
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
}

/// Keeps the entries of positions where some run ends and another starts.
fn retain<T>(of_positions: &mut Vec<T>, meets: &[(bool, bool)]) {
    let mut meets = meets.iter();
    of_positions.retain(|_| meets.next().is_some_and(|&(ends, starts)| ends && starts));
}

impl PenalizedCosts {
    /// Trivial lower bounds: costs are at least zero, or the penalties if these are negative.
    pub(super) fn unknown(penalty: f64, last: usize) -> Self {
        let costs: Vec<f64> = (0..=last).map(|position| penalty.min(0.0) * position as f64).collect();
        Self { penalty, before: costs.clone(), after: costs.into_iter().rev().collect() }
    }

    /// The penalised cost of `k` clusters of cost `limit`, plus the rounding error of a sum of parts.
    pub(super) fn limit(&self, k: usize, limit: f64) -> f64 {
        let penalties = self.penalty * k as f64;
        let size = limit.abs() + penalties.abs();
        limit + penalties + of_sum(4 * k, size) + CLEAR * size
    }
}

impl Positions {
    /// Every `stride`-th position, and the last.
    pub(super) fn every(stride: usize, prefixes: &Prefixes<'_>) -> Self {
        let n = prefixes.len();
        let positions = (0..n).step_by(stride).chain([n]);
        Self(positions.map(|position| BoundaryCell::single(prefixes, position)).collect())
    }

    /// The index of the last position.
    pub(super) fn last(&self) -> usize {
        self.0.len() - 1
    }

    /// The positions of these indices.
    pub(super) fn places(&self, numbers: &[usize]) -> Vec<usize> {
        numbers.iter().map(|&number| self.0[number].low).collect()
    }

    /// The runs that may be clusters of admissible `sizes`.
    pub(super) fn table(&self, sizes: &Sizes) -> StateTable {
        StateTable::between(&self.0[..self.last()], &self.0, sizes)
    }

    /// Keeps the runs that cost at most `limit`; false if they are more than `most`.
    pub(super) fn keep_up_to(&mut self, limit: f64, most: usize) -> bool {
        let (n, cells) = (self.last(), &mut self.0);
        let (mut end, mut count) = (0, 0);
        for start in 0..n {
            end = end.max(start + 1);
            // A run costs at most as much as one that contains it, so the last end only moves right.
            while end < n && cells[start].at_low.until(&cells[end + 1].at_low).cost <= limit {
                end += 1;
            }
            cells[start].next = (cells[start + 1].low, cells[end].low);
            count += end - start;
            if count > most {
                return false;
            }
        }
        true
    }

    /// Keeps the runs that, with the costs without bounds of the other points, are within `limit` for `k` clusters;
    /// false if there may be more than `most`.
    pub(super) fn keep_without_bounds(
        &mut self,
        costs: &PenalizedCosts,
        k: usize,
        limit: f64,
        most: usize,
        monitor: &mut Monitor<'_>,
    ) -> Result<bool, KMeansError> {
        let limit = costs.limit(k, limit);
        let (n, mut count) = (self.last(), 0);
        for start in 0..n {
            let (mut first, mut last) = (n, start);
            let mut end = start + 1;
            let from = costs.before[start] + costs.penalty;
            while end <= n {
                let value = from + self.0[start].at_low.until(&self.0[end].at_low).cost + costs.after[end];
                if value <= limit {
                    (first, last) = (first.min(end), end);
                } else if value - costs.penalty > limit {
                    // So do all longer runs: dividing one here adds at most a penalty.
                    break;
                }
                end += 1;
            }
            self.set_ends(start, first, last);
            count += last.saturating_sub(first);
            monitor.spend((end - start) as u64)?;
            if count > most {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Keeps the runs in `table` that, with the costs of the other points, are within `limit` for `k` clusters, and the
    /// positions where such runs meet, with their costs.
    pub(super) fn keep(
        &mut self,
        table: &StateTable,
        costs: &mut PenalizedCosts,
        k: usize,
        limit: f64,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), KMeansError> {
        let limit = costs.limit(k, limit);
        let n = self.last();
        let mut meets = vec![(false, false); n + 1];
        for start in 0..n {
            let (mut first, mut last) = (n, start);
            let from = costs.before[start] + costs.penalty;
            for end in table.ends(start) {
                if from + self.0[start].at_low.until(&self.0[end].at_low).cost + costs.after[end] <= limit {
                    (first, last) = (first.min(end), end);
                    meets[end].0 = true;
                    meets[start].1 = true;
                }
            }
            self.set_ends(start, first, last);
            monitor.spend(table.ends(start).len() as u64)?;
        }
        (meets[0], meets[n]) = ((true, true), (true, true));
        retain(&mut self.0, &meets);
        retain(&mut costs.before, &meets);
        retain(&mut costs.after, &meets);
        Ok(())
    }

    /// Sets the ends of clusters that start at `start` to `first..=last`; to none if these are out of order.
    fn set_ends(&mut self, start: usize, first: usize, last: usize) {
        let next = match first <= last {
            true => (self.0[first].low, self.0[last].low),
            // Beyond every position on either side.
            false => (usize::MAX, 0),
        };
        self.0[start].next = next;
    }
}
