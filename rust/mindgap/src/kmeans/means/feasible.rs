//! Finds a partition that satisfies lower bounds on the gaps, and the largest feasible bound.
//!
//! Among all clusters `m` that end at a position, the one that starts leftmost is best for the following clusters,
//! because its mean is least. A start that is admissible for one end is admissible for every later one. So one pass per
//! cluster decides: O(NK), with a few steps of search per position.

use crate::data::sample::Prefix;
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::numeric::first_false;

/// The most entries up to which all rows are kept; beyond, every few, and the others are computed again.
const MAX_KEPT: usize = 1 << 26;

/// The largest number of positions times clusters for which the largest feasible bound is computed for a message.
pub(super) const MAX_ENTRIES_FOR_MESSAGE: usize = 1 << 27;

/// The boundaries of a partition whose neighbouring means are at least `lower[g]` apart; `None` if there is none.
pub(super) fn partition(
    at: &[Prefix],
    lower: &[f64],
    monitor: &mut Monitor<'_>,
) -> Result<Option<Vec<usize>>, KMeansError> {
    let entries = product(&[at.len(), lower.len() + 1]);
    partition_keeping(at, lower, if entries <= MAX_KEPT { 1 } else { lower.len().isqrt() + 1 }, monitor)
}

/// The same, keeping one row in `stride`.
fn partition_keeping(
    at: &[Prefix],
    lower: &[f64],
    stride: usize,
    monitor: &mut Monitor<'_>,
) -> Result<Option<Vec<usize>>, KMeansError> {
    let n = at.len() - 1;
    let rows = lower.len() / stride + stride + 2;
    monitor.check_memory("the search for a feasible partition", product(&[rows, at.len(), size_of::<u32>()]))?;
    // The leftmost start of the current cluster for each end; NONE if it cannot end there.
    let mut leftmost = vec![0; n + 1];
    leftmost[0] = NONE;
    let mut kept = Vec::new();
    for (gap, &bound) in lower.iter().enumerate() {
        let next = extended(at, &leftmost, bound);
        if gap % stride == 0 {
            kept.push(leftmost);
        }
        leftmost = next;
        monitor.spend((n) as u64)?;
    }
    if leftmost[n] == NONE {
        return Ok(None);
    }
    let mut boundaries = vec![leftmost[n] as usize];
    for (block, first) in kept.into_iter().enumerate().rev() {
        let mut rows = vec![first];
        let gaps = block * stride..((block + 1) * stride).min(lower.len());
        for &bound in &lower[gaps.start..gaps.end - 1] {
            rows.push(extended(at, &rows[rows.len() - 1], bound));
            monitor.spend((n) as u64)?;
        }
        for leftmost in rows.iter().rev() {
            let end = boundaries[boundaries.len() - 1];
            // The previous row ends at this row's start, so there is an entry.
            boundaries.push(leftmost[end] as usize);
        }
    }
    // The first cluster starts at the first point.
    boundaries.pop();
    boundaries.reverse();
    Ok(Some(boundaries))
}

/// No predecessor; no point has this index, because samples have fewer points.
const NONE: u32 = u32::MAX;

/// The leftmost starts of the next cluster, whose mean is at least `bound` above that of the cluster before it.
fn extended(at: &[Prefix], before: &[u32], bound: f64) -> Vec<u32> {
    let n = at.len() - 1;
    let mut next = vec![NONE; n + 1];
    let mut guess = 0;
    for start in 1..n {
        if before[start] == NONE {
            continue;
        }
        let needed = at[before[start] as usize].mean_until(&at[start]) + bound;
        let enough = |end: usize| at[start].mean_until(&at[end]) >= needed;
        let end = first_end(start + 1, n, guess, enough);
        guess = end;
        if end <= n {
            next[end] = next[end].min(start as u32);
        }
    }
    for end in 1..=n {
        next[end] = next[end].min(next[end - 1]);
    }
    next
}

/// The first of `first..=last` where the monotone `enough` is true; `last + 1` if it never is. Gallops from the guess,
/// because neighbouring starts have neighbouring ends.
fn first_end(first: usize, last: usize, guess: usize, enough: impl Fn(usize) -> bool) -> usize {
    let guess = guess.clamp(first, last);
    #[cfg(test)]
    let enough = |end| {
        crate::monitor::count(1, 0);
        enough(end)
    };
    // Invariant: `enough` is false before `low`, and true at `high` or `high` is past the last.
    let (mut low, mut high) = (first, last + 1);
    let mut step = 1;
    if enough(guess) {
        high = guess;
        while high > low {
            let probe = high.saturating_sub(step).max(low);
            if !enough(probe) {
                low = probe + 1;
                break;
            }
            high = probe;
            step *= 2;
        }
    } else {
        low = guess + 1;
        while low < high {
            let probe = (low + step - 1).min(last);
            if enough(probe) {
                high = probe;
                break;
            }
            low = probe + 1;
            step *= 2;
        }
    }
    first_false(low, high, |end| !enough(end))
}

/// The precision of the largest feasible bound, in frame units: above the rounding of means.
const RESOLUTION: f64 = 1e-13;

/// The largest feasible lower bound on all gaps of `k` clusters, in frame units: the smallest gap of some partition,
/// which no partition exceeds by more than 1e-13 of the data's range.
pub(super) fn largest(at: &[Prefix], k: usize, monitor: &mut Monitor<'_>) -> Result<f64, KMeansError> {
    let n = at.len() - 1;
    let range = at[n - 1].mean_until(&at[n]) - at[0].mean_until(&at[1]);
    let (mut low, mut high) = (0.0_f64, 2.0 * range / (k - 1) as f64);
    while high - low > RESOLUTION {
        let middle = low + 0.5 * (high - low);
        match partition(at, &vec![middle; k - 1], monitor)? {
            Some(boundaries) => low = smallest_gap(at, &boundaries).max(middle),
            None => high = middle,
        }
    }
    let attained = partition(at, &vec![low; k - 1], monitor)?;
    Ok(attained.map_or(low, |boundaries| smallest_gap(at, &boundaries)))
}

fn smallest_gap(at: &[Prefix], boundaries: &[usize]) -> f64 {
    let ends: Vec<usize> = [0].into_iter().chain(boundaries.iter().copied()).chain([at.len() - 1]).collect();
    let means: Vec<f64> = ends.windows(2).map(|run| at[run[0]].mean_until(&at[run[1]])).collect();
    means.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sample::{Prefixes, Sample};

    #[test]
    fn rows_that_are_computed_again_give_the_same_boundaries() {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i * i % 47) + 0.01 * f64::from(i)).collect();
        let sample = Sample::new(&x).unwrap();
        let at = Prefixes::new(&sample).gathered();
        let mut monitor = Monitor::default();
        for gaps in [0, 1, 2, 5, 9] {
            for bound in [0.0, 0.02, 0.05, 0.1, 0.3] {
                let lower = vec![bound; gaps];
                let all = partition_keeping(&at, &lower, 1, &mut monitor).unwrap();
                for stride in 2..=gaps + 1 {
                    assert_eq!(partition_keeping(&at, &lower, stride, &mut monitor).unwrap(), all, "{gaps} {bound}");
                }
            }
        }
        let all = partition_keeping(&at, &[0.05; 9], 1, &mut monitor).unwrap();
        assert!(all.is_some_and(|boundaries| boundaries.len() == 9 && boundaries.is_sorted()));
    }
}
