//! Finds a partition into clusters of admissible sizes, and the nearest feasible sizes if there is none.

use crate::data::sample::{Prefix, Prefixes};
use crate::error::KMeansError;
use crate::kmeans::sizes::Sizes;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::Partition;

/// For each end of a cluster, the half-open range of its possible starts.
pub(super) struct Starts(Vec<(u32, u32)>);

impl Starts {
    /// Finds the starts of clusters of admissible sizes; `at` has the sums at every position. O(N).
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

    /// The possible starts of a cluster that ends at `end`.
    #[inline]
    pub(super) fn of(&self, end: usize) -> std::ops::Range<usize> {
        self.0[end].0 as usize..self.0[end].1 as usize
    }
}

/// Finds a partition into `k` clusters of admissible sizes; `None` if there is none. O(NK) if weights differ.
pub(super) fn partition(
    prefixes: &Prefixes<'_>,
    k: usize,
    sizes: Sizes,
    monitor: &mut Monitor<'_>,
) -> Result<Option<Partition>, KMeansError> {
    let n = prefixes.len();
    if prefixes.sample().weighs_evenly() {
        // If any sizes are admissible, so are sizes that differ by at most one point.
        let even = Partition::even(n, k);
        return Ok(sizes.allow(&even, prefixes).then_some(even));
    }
    monitor.check_memory("the sizes of clusters", prefixes.bytes().saturating_add(product(&[n + 1, k])))?;
    let starts = Starts::new(&prefixes.gathered(), sizes);
    // The positions at which the first clusters can end.
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

/// The precision of feasible sizes, as a fraction of the total weight: the tolerance of sizes.
const RESOLUTION: f64 = 1e-12;

/// The most positions times clusters for which the nearest feasible size is computed for a message.
const WORTH_KNOWING: usize = 1 << 24;

/// The error of infeasible `sizes`, with the nearest feasible ones according to `feasible`. `gaps`: partitions must
/// also satisfy bounds on gaps.
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

/// A search for feasible sizes by bisection. Every step that succeeds continues from the size of an actual cluster.
struct Nearest<'a> {
    prefixes: &'a Prefixes<'a>,
    feasible: &'a mut dyn FnMut(Sizes) -> Result<Option<Partition>, KMeansError>,
}

impl Nearest<'_> {
    /// The largest lower bound that is feasible with the upper one; `None` if none is.
    fn largest_min(&mut self, sizes: Sizes) -> Result<Option<f64>, KMeansError> {
        let Some((mut low, _)) = self.sizes_with(0.0, sizes.most())? else { return Ok(None) };
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

    /// The smallest upper bound that is feasible with the lower one, or else without one.
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

/// The smallest difference of sizes that matters: for equal weights, less than one point.
fn resolution(prefixes: &Prefixes<'_>) -> f64 {
    let sample = prefixes.sample();
    if sample.weighs_evenly() { 0.99 * sample.weight(0) } else { RESOLUTION * sample.total_weight() }
}
