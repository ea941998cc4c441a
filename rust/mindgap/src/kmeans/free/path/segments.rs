//! A lower bound without the rounding errors of data that consist of groups far apart.
//!
//! The range of all points decides how precisely a place is known, and a place that is wrong by e may cost up to a
//! multiple of e². If the widths of clusters are a small part of the range, that is no small part of the optimum. But
//! where the space between two points is so wide that no good solution has both in one cluster, the penalised optimum is
//! at least the sum of the optima on either side, and each can be computed in units of its own (docs/mathematics.md).

use super::PathSearch;
use super::nodes::PathNodes;
use super::sweep::Sweep;
use crate::data::sample::{Prefixes, Sample};
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::{CLEAR, of_place, of_prefix_sums, of_sum};
use crate::partition::Partition;
use std::ops::Range;

/// Spaces count as wide from this many times the largest distance of a point from its centre, so that rounding does not
/// matter; twice that distance would be enough.
const WIDE: f64 = 2.01;

/// The largest number of penalties tried.
const MOST_TRIALS: usize = 12;

/// The first relative change of the penalty, about what rounding has done to it, and the factor by which it grows.
const CHANGE: (f64, f64) = (1e-8, 4.0);

/// The penalised optimum of some points alone.
#[derive(Default)]
struct SegmentOptimum {
    cost: f64,
    /// A lower bound on the cost with penalties.
    least: f64,
    /// One past the last point of each cluster.
    ends: Vec<usize>,
}

impl PathSearch<'_> {
    /// Raises the lower bound by penalties near the last one, each computed apart for each group of points, and adopts
    /// the solution that is found on the way.
    pub(super) fn bound_segments(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (sample, k) = (self.problem.prefixes.sample(), self.problem.k);
        let is_mean = |i: usize| sample.rest(i) != 0.0;
        if sample.has_widths() || (0..sample.len()).any(is_mean) {
            return Ok(());
        }
        let (mut penalty, mut change, mut sides) = (self.penalty, CHANGE.0, [None; 2]);
        for _ in 0..MOST_TRIALS {
            let Some(SegmentOptimum { cost, ends, .. }) = self.sum(penalty, budget)? else { return Ok(()) };
            let links = ends.len();
            if links == k {
                self.adopt(FreeSolution::of_partition(self.problem, Partition::new(ends)), budget);
            }
            if links == k || self.is_within(CLEAR) {
                return Ok(());
            }
            sides[usize::from(links > k)] = Some((cost, links));
            penalty = match sides {
                [Some(few), Some(many)] => (few.0 - many.0) / (many.1 - few.1) as f64,
                [None, _] => penalty * (1.0 + change),
                [_, None] => penalty * (1.0 - change),
            };
            change *= CHANGE.1;
        }
        Ok(())
    }

    /// The sum of the optima of all groups, which raises the lower bound; `None` if there is one group only.
    fn sum(&mut self, penalty: f64, budget: &mut Budget<'_>) -> Result<Option<SegmentOptimum>, Stop> {
        let (sample, k) = (self.problem.prefixes.sample(), self.problem.k as f64);
        let limit = self.best.cost + penalty * k;
        let segments = segments(sample, limit);
        if segments.len() == 1 || penalty <= 0.0 {
            return Ok(None);
        }
        let (count, mut total) = (segments.len(), SegmentOptimum::default());
        for segment in segments {
            let Some(own) = self.optimum(sample, segment, penalty, budget)? else { return Ok(None) };
            total.cost += own.cost;
            total.least += own.least;
            total.ends.extend(own.ends);
        }
        let floor = total.least.min(limit) - penalty * k - of_sum(count, total.least + penalty * k);
        self.floor = self.floor.max(floor);
        budget.monitor.proved(self.floor);
        Ok(Some(total))
    }

    /// The penalised optimum of some points alone; `None` if they are no valid sample.
    fn optimum(
        &self,
        sample: &Sample,
        points: Range<usize>,
        penalty: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SegmentOptimum>, Stop> {
        let values = sample.values()[points.clone()].to_vec();
        if values[0] == values[values.len() - 1] {
            return Ok(Some(SegmentOptimum { cost: 0.0, least: penalty, ends: vec![points.end] }));
        }
        let part = match sample.weights() {
            None => Sample::from_sorted(values),
            Some(weights) => Sample::weighted_from_vec(values, weights[points.clone()].to_vec()),
        };
        let Ok(part) = part else { return Ok(None) };
        // Units differ by powers of two, so nothing is rounded.
        let (whole, own) = (sample.frame(), part.frame());
        let lower = own.enter_length(whole.leave_length(self.bounds.0));
        budget.has_memory(PathNodes::bytes(part.distinct()))?;
        let prefixes = Prefixes::new(&part);
        let nodes = PathNodes::all(&prefixes, false);
        let reach = lower * nodes.len() as f64;
        let sweep = Sweep {
            nodes: &nodes,
            lower,
            upper: f64::INFINITY,
            penalty: own.enter_square(whole.leave_square(penalty)),
            domain: (nodes.x[0] - reach, nodes.x[nodes.len() - 1] + reach),
            enough: f64::INFINITY,
            unbounded: [&[], &[]],
            rewarded: false,
            windows: &[],
        };
        let optimum = sweep.run(budget)?;
        let links = optimum.starts.len();
        let into_whole = |cost: f64| whole.enter_square(own.leave_square(cost));
        let least = into_whole(optimum.value - optimum.rounding - of_prefix_sums(&part, links));
        let cost = into_whole(optimum.value) - penalty * links as f64;
        let ends = optimum.starts[1..].iter().map(|&start| points.start + nodes.points_before(start));
        Ok(Some(SegmentOptimum { cost, least, ends: ends.chain([points.end]).collect() }))
    }
}

/// The groups of points between which no path that costs at most `limit` has a cluster.
fn segments(sample: &Sample, limit: f64) -> Vec<Range<usize>> {
    let n = sample.len();
    let space = WIDE * (limit / sample.smallest_weight()).sqrt() + of_place(1.0);
    let mut ends: Vec<usize> = (1..n).filter(|&i| sample.framed(i) - sample.framed(i - 1) > space).collect();
    ends.push(n);
    let starts = [0].into_iter().chain(ends.clone());
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests;
