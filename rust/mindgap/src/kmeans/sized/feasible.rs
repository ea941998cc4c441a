//! Whether clusters of admissible sizes are possible at all, and which sizes would be.

use crate::data::sample::{Prefix, Prefixes};
use crate::error::KMeansError;
use crate::kmeans::sizes::Sizes;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::Partition;

/// For each position where a cluster may end, the run of positions where it may start: one past the last comes second.
pub(super) struct Starts(Vec<(u32, u32)>);

impl Starts {
    /// The starts of clusters of admissible sizes; `at` has the sums at every position. O(N).
    pub(super) fn new(at: &[Prefix], sizes: Sizes) -> Self {
        let (mut first, mut last) = (0, 0);
        let run = |end: usize| {
            while first < end && sizes.is_too_large(at[first].weight_until(&at[end])) {
                first += 1;
            }
            while last < end && !sizes.is_too_small(at[last].weight_until(&at[end])) {
                last += 1;
            }
            (first as u32, last.max(first) as u32)
        };
        Self((0..at.len()).map(run).collect())
    }

    /// Where a cluster that ends at `end` may start.
    #[inline]
    pub(super) fn of(&self, end: usize) -> std::ops::Range<usize> {
        self.0[end].0 as usize..self.0[end].1 as usize
    }
}

/// A partition into `k` clusters of admissible sizes; `None` if there is none. O(NK) where weights differ.
pub(super) fn partition(
    prefixes: &Prefixes<'_>,
    k: usize,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Option<Partition>, KMeansError> {
    let n = prefixes.len();
    if prefixes.sample().weighs_evenly() {
        // If any sizes are admissible, those that differ by one point at most are.
        let even = Partition::even(n, k);
        return Ok(sizes.allow(&even, prefixes).then_some(even));
    }
    monitor.check_memory("the sizes of clusters", prefixes.bytes().saturating_add(product(&[n + 1, k])))?;
    let starts = Starts::new(&prefixes.gathered(), sizes);
    // Which positions the first clusters can end at.
    let mut reached = vec![vec![false; n + 1]];
    reached[0][0] = true;
    for m in 0..k {
        let mut before = vec![0u32; n + 2];
        for (end, &is_reached) in reached[m].iter().enumerate() {
            before[end + 1] = before[end] + u32::from(is_reached);
        }
        let ends = (0..=n).map(|end| before[starts.of(end).end] > before[starts.of(end).start]);
        reached.push(ends.collect());
        monitor.spend(n as u64)?;
    }
    if !reached[k][n] {
        return Ok(None);
    }
    let mut ends = vec![n; k];
    for m in (1..k).rev() {
        let found = starts.of(ends[m]).find(|&start| reached[m][start]);
        ends[m - 1] = found.unwrap_or_default();
    }
    Ok(Some(Partition::new(ends)))
}

/// Sizes closer than this part of the total weight count as one.
const RESOLUTION: f64 = 1e-12;

/// Beyond so many positions times clusters the largest feasible size takes too long to be worth knowing.
const WORTH_KNOWING: usize = 1 << 24;

/// The error for `sizes` that no partition has, with the nearest that one has according to `feasible`. `gaps` says whether
/// those partitions satisfy bounds on gaps, too.
pub(super) fn error(
    prefixes: &Prefixes<'_>,
    k: usize,
    sizes: Sizes,
    gaps: bool,
    mut feasible: impl FnMut(Sizes) -> Result<Option<Partition>, KMeansError>,
) -> Result<KMeansError, KMeansError> {
    let known = product(&[prefixes.len(), k]) <= WORTH_KNOWING || (prefixes.sample().weighs_evenly() && !gaps);
    let mut nearest = Nearest { prefixes, feasible: &mut feasible };
    let largest_min = if known { nearest.largest_min(sizes)? } else { None };
    let smallest_max = if known && largest_min.is_none() { nearest.smallest_max(sizes)? } else { None };
    let (min, max) = (sizes.least(), sizes.most());
    Ok(KMeansError::InfeasibleSizes { k, min, max, gaps, largest_min, smallest_max })
}

/// A search for feasible sizes by bisection. Every step that succeeds goes on from a size that a cluster has.
struct Nearest<'a> {
    prefixes: &'a Prefixes<'a>,
    feasible: &'a mut dyn FnMut(Sizes) -> Result<Option<Partition>, KMeansError>,
}

impl Nearest<'_> {
    /// The largest lower bound that is feasible beside the upper one; `None` if none is.
    fn largest_min(&mut self, sizes: Sizes) -> Result<Option<f64>, KMeansError> {
        let mut smallest = |least: f64| self.sizes_with(least, sizes.most()).map(|found| found.map(|(min, _)| min));
        let Some(mut low) = smallest(0.0)? else { return Ok(None) };
        let mut high = sizes.least();
        let resolution = resolution(self.prefixes);
        while high - low > resolution {
            let middle = low + 0.5 * (high - low);
            match self.sizes_with(middle, sizes.most())? {
                Some((min, _)) => low = min.max(middle),
                None => high = middle,
            }
        }
        Ok(self.sizes_with(low, sizes.most())?.map(|(min, _)| min))
    }

    /// The smallest upper bound that is feasible beside the lower one; where none is, beside no lower one.
    fn smallest_max(&mut self, sizes: Sizes) -> Result<Option<f64>, KMeansError> {
        let mut least = sizes.least();
        let mut found = self.sizes_with(least, f64::INFINITY)?;
        if found.is_none() {
            least = 0.0;
            found = self.sizes_with(least, f64::INFINITY)?;
        }
        let Some((_, mut high)) = found else { return Ok(None) };
        let mut low = sizes.most();
        let resolution = resolution(self.prefixes);
        while high - low > resolution {
            let middle = low + 0.5 * (high - low);
            match self.sizes_with(least, middle)? {
                Some((_, max)) => high = max.min(middle),
                None => low = middle,
            }
        }
        Ok(self.sizes_with(least, high)?.map(|(_, max)| max))
    }

    /// The smallest and the largest cluster of a partition that satisfies these bounds.
    fn sizes_with(&mut self, least: f64, most: f64) -> Result<Option<(f64, f64)>, KMeansError> {
        let Ok(sizes) = Sizes::new(Some(least), Some(most)) else { return Ok(None) };
        let Some(partition) = (self.feasible)(sizes)? else { return Ok(None) };
        let weights = || partition.blocks(self.prefixes).map(|block| block.weight);
        Ok(Some((weights().fold(f64::INFINITY, f64::min), weights().fold(0.0, f64::max))))
    }
}

/// Sizes that differ by less are the same: of equal weights, those that differ by less than one point.
fn resolution(prefixes: &Prefixes<'_>) -> f64 {
    let sample = prefixes.sample();
    if sample.weighs_evenly() { 0.99 * sample.weight(0) } else { RESOLUTION * sample.total_weight() }
}
