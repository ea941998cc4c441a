//! The optimum under bounds on sizes alone: a program over all positions, O(KN log N), with 4 bytes per position and
//! cluster.
//!
//! Costs of runs are Monge, even with infinite costs for runs that are too small or too large (docs/mathematics.md). So
//! the best start of the last cluster is nondecreasing in its end, and divide and conquer finds it.

use super::feasible::Starts;
use crate::data::sample::{Prefix, Prefixes};
use crate::error::KMeansError;
use crate::kmeans::free::SizedCosts;
use crate::kmeans::sizes::Sizes;
use crate::memory::product;
use crate::monitor::{Halt, Monitor};
use crate::partition::Partition;

/// Finds the optimal partition into `k` clusters of admissible sizes. There must be one.
pub(super) fn solve(
    prefixes: &Prefixes<'_>,
    k: usize,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Partition, KMeansError> {
    let n = prefixes.len();
    let bytes = product(&[n + 1, k * size_of::<u32>() + 4 * size_of::<f64>()]).saturating_add(prefixes.bytes());
    monitor.check_memory("the program over all positions", bytes)?;
    let mut origins = Vec::with_capacity(k);
    run(&prefixes.gathered(), k, sizes, monitor, |stage| origins.push(std::mem::take(&mut stage.origins)))?;
    let mut ends = vec![n; k];
    for m in (1..k).rev() {
        ends[m - 1] = origins[m][ends[m]] as usize;
    }
    Ok(Partition::new(ends))
}

/// The least costs of the points before and after every position, in up to `k` clusters of admissible sizes.
pub(super) fn costs(
    prefixes: &Prefixes<'_>,
    k: usize,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<SizedCosts, KMeansError> {
    let tables = product(&[prefixes.len() + 1, 2 * k + 4, size_of::<f64>()]);
    monitor.check_memory("the programs over all positions", tables.saturating_add(product(&[2, prefixes.bytes()])))?;
    let at = prefixes.gathered();
    let mut before = Vec::with_capacity(k);
    run(&at, k, sizes, monitor, |stage| before.push(stage.costs.clone()))?;
    // Mirrored sums: those of the points from the right.
    let all = at[at.len() - 1];
    let from_right: Vec<Prefix> = at.iter().rev().map(|prefix| all.less(prefix)).collect();
    let mut after = Vec::with_capacity(k);
    run(&from_right, k, sizes, monitor, |stage| after.push(stage.costs.iter().rev().copied().collect()))?;
    Ok(SizedCosts { before, after })
}

/// Computes the least costs of the first `1..=k` clusters from the sums at every position, and passes each to `keep`.
fn run(
    at: &[Prefix],
    k: usize,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
    mut keep: impl FnMut(&mut EndCosts),
) -> Result<(), KMeansError> {
    let n = at.len() - 1;
    let starts = Starts::new(at, sizes);
    let mut stage = EndCosts::first(at, &starts);
    keep(&mut stage);
    for m in 1..k {
        let ends: Vec<u32> = (0..=n).filter(|&end| may_end(at, end, k - m - 1, sizes)).map(|end| end as u32).collect();
        let mut next = EndCosts::empty(n);
        Level { at, starts: &starts, before: &stage.costs, next: &mut next, monitor }
            .solve(&stage.reachable(&starts, ends))?;
        stage = next;
        keep(&mut stage);
    }
    debug_assert!(stage.costs[n] < f64::INFINITY, "infeasible sizes");
    Ok(())
}

/// Whether the average size of `clusters` clusters after `end` is admissible.
fn may_end(at: &[Prefix], end: usize, clusters: usize, sizes: Sizes) -> bool {
    let rest = at[end].weight_until(&at[at.len() - 1]);
    let (least, most) = (sizes.least() * clusters as f64, sizes.most() * clusters as f64);
    if clusters == 0 {
        end + 1 == at.len()
    } else {
        Sizes::new(Some(least), Some(most)).is_ok_and(|all| all.admit_weight(rest))
    }
}

/// The least cost of the first clusters for each end of the last one, and its start.
struct EndCosts {
    costs: Vec<f64>,
    origins: Vec<u32>,
}

impl EndCosts {
    fn empty(n: usize) -> Self {
        Self { costs: vec![f64::INFINITY; n + 1], origins: vec![0; n + 1] }
    }

    /// The costs of one cluster.
    fn first(at: &[Prefix], starts: &Starts) -> Self {
        let cost = |end: usize| if starts.of(end).contains(&0) { at[0].until(&at[end]).cost } else { f64::INFINITY };
        Self { costs: (0..at.len()).map(cost).collect(), origins: Vec::new() }
    }

    /// The `ends` at which one more cluster can end.
    fn reachable(&self, starts: &Starts, mut ends: Vec<u32>) -> Vec<u32> {
        let mut before = vec![0u32; self.costs.len() + 1];
        for (end, &cost) in self.costs.iter().enumerate() {
            before[end + 1] = before[end] + u32::from(cost < f64::INFINITY);
        }
        ends.retain(|&end| before[starts.of(end as usize).end] > before[starts.of(end as usize).start]);
        ends
    }
}

/// The step from one number of clusters to the next.
struct Level<'a, 'm> {
    at: &'a [Prefix],
    starts: &'a Starts,
    before: &'a [f64],
    next: &'a mut EndCosts,
    monitor: &'a mut Monitor<'m>,
}

impl Level<'_, '_> {
    /// Finds the best start for each of `ends`, all of which are reachable.
    fn solve(&mut self, ends: &[u32]) -> Result<(), Halt> {
        // Open subproblems: ends, and the range of their best starts.
        let mut left = vec![(ends, 0, self.at.len())];
        while let Some((ends, first, last)) = left.pop() {
            if ends.is_empty() {
                continue;
            }
            let middle = ends.len() / 2;
            let best = self.best_start(ends[middle] as usize, first, last)?;
            left.push((&ends[middle + 1..], best, last));
            left.push((&ends[..middle], first, best + 1));
        }
        Ok(())
    }

    /// The best start in `first..last` of a cluster that ends at `end`; the first of equal ones.
    fn best_start(&mut self, end: usize, first: usize, last: usize) -> Result<usize, Halt> {
        let starts = self.starts.of(end);
        let starts = starts.start.max(first)..starts.end.min(last);
        let (at, before) = (self.at, self.before);
        self.monitor.spend(4 * starts.len() as u64)?;
        let mut best = (f64::INFINITY, starts.start);
        for start in starts.filter(|&start| before[start] < f64::INFINITY) {
            let cost = before[start] + at[start].until(&at[end]).cost;
            best = if cost < best.0 { (cost, start) } else { best };
        }
        (self.next.costs[end], self.next.origins[end]) = (best.0, best.1 as u32);
        Ok(best.1)
    }
}
