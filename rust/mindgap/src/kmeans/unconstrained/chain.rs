//! [`PenaltyChain`]: the best partition of every prefix, into any number of clusters, under a penalty per cluster.
//!
//! `F(i) = min F(j) + cost(j, i) + penalty` over `j < i`. Costs are Monge, so a later `j` that beats an earlier one
//! does so at all later ends. A queue keeps the starts that will be best, each with the first end at which it is (Galil
//! and Giancarlo's least-weight subsequence). O(M log M) at worst; the search for a crossing doubles its steps from the
//! last one and mostly takes two or three. 12 or 20 bytes per candidate, and the queue.

use super::candidates::{Candidates, Costs, RoughSums};
use crate::kmeans::rounding::of_rough_costs;
use crate::numeric::double::Double;
use std::marker::PhantomData;

/// The precision in which `F` is computed.
pub(super) trait Digits {
    /// A value of `F`.
    type Value: Copy + Default;

    /// `F` at `end` if the last cluster starts at `start`, where `F` is `before`.
    fn link(costs: &impl Costs, before: Self::Value, start: usize, end: usize, penalty: f64) -> Self::Value;

    /// `a - b`.
    fn difference(a: Self::Value, b: Self::Value) -> f64;

    /// Whether the later start is better at `end`, and whether rounding cannot have changed the answer.
    fn is_better<C: Costs>(comparison: &StartComparison<'_, Self, C>, end: usize) -> (bool, bool)
    where
        Self: Sized;

    /// `before + after - whole`.
    fn surplus(before: Self::Value, after: Self::Value, whole: Self::Value) -> f64;

    /// `whole - k·penalty`.
    fn less_penalties(whole: Self::Value, penalty: f64, k: usize) -> f64;

    /// The largest error of values of `F`, the last of which is `whole`, after `unsure` unsure comparisons.
    fn lost(candidates: &Candidates<'_>, penalty: f64, whole: Self::Value, unsure: usize) -> f64;
}

/// Double-double precision.
pub(super) struct Precise;

/// Double precision; [`lost`](Digits::lost) bounds the error.
pub(super) struct Rough;

impl Digits for Precise {
    type Value = Double;

    #[inline(always)]
    fn link(costs: &impl Costs, before: Double, start: usize, end: usize, penalty: f64) -> Double {
        before + Double::sum(costs.cost(start, end), penalty)
    }

    /// The values are large and close; the difference is of the size of a cost.
    #[inline(always)]
    fn difference(a: Double, b: Double) -> f64 {
        a.minus(b)
    }

    #[inline(always)]
    fn is_better<C: Costs>(comparison: &StartComparison<'_, Self, C>, end: usize) -> (bool, bool) {
        let (rough, weights) = comparison.rough_difference(end);
        if rough.abs() > comparison.blur * weights {
            return (rough < 0.0, true);
        }
        let costs = comparison.costs;
        (comparison.lead + (costs.cost(comparison.start, end) - costs.cost(comparison.earlier, end)) < 0.0, true)
    }

    fn surplus(before: Double, after: Double, whole: Double) -> f64 {
        (before + after).minus(whole)
    }

    fn less_penalties(whole: Double, penalty: f64, k: usize) -> f64 {
        (whole - Double::product(penalty, k as f64)).value()
    }

    /// Zero: the rounding error of costs covers it.
    fn lost(_: &Candidates<'_>, _: f64, _: Double, _: usize) -> f64 {
        0.0
    }
}

impl Digits for Rough {
    type Value = f64;

    #[inline(always)]
    fn link(costs: &impl Costs, before: f64, start: usize, end: usize, penalty: f64) -> f64 {
        before + (costs.rough(start, end).cost() + penalty)
    }

    #[inline(always)]
    fn difference(a: f64, b: f64) -> f64 {
        a - b
    }

    #[inline(always)]
    fn is_better<C: Costs>(comparison: &StartComparison<'_, Self, C>, end: usize) -> (bool, bool) {
        let (rough, weights) = comparison.rough_difference(end);
        (rough < 0.0, rough.abs() > comparison.blur * weights)
    }

    fn surplus(before: f64, after: f64, whole: f64) -> f64 {
        before + after - whole
    }

    fn less_penalties(whole: f64, penalty: f64, k: usize) -> f64 {
        whole - penalty * k as f64
    }

    /// Let e be the error of a comparison. A sure comparison is right. By Monge, an unsure one replaces a start by one
    /// that is worse by at most e, at all ends where it does. So a value of `F` is too large by at most e for each
    /// unsure comparison, e for its own rounding, and the error of the value before it, along a best path. Such a path
    /// has at most `whole / (penalty - e)` links: F ascends, and the last value is at most the true value of the path
    /// that was found, each link of which costs at least penalty - e.
    fn lost(candidates: &Candidates<'_>, penalty: f64, whole: f64, unsure: usize) -> f64 {
        let each = candidates.blur() + of_rough_costs(whole);
        if each > 0.25 * penalty {
            return f64::INFINITY;
        }
        (2.0 * whole / penalty + 2.0) * (unsure + 2) as f64 * each
    }
}

/// `F`, and the start of the last cluster of each prefix.
pub(super) struct PenaltyChain<D: Digits> {
    pub(super) values: Vec<D::Value>,
    starts: Vec<u32>,
    /// The starts that will be best; the first ones may have been superseded.
    queue: Vec<QueuedStart>,
    /// The number of unsure comparisons.
    pub(super) unsure: usize,
}

impl<D: Digits> Default for PenaltyChain<D> {
    fn default() -> Self {
        Self { values: Vec::new(), starts: Vec::new(), queue: Vec::new(), unsure: 0 }
    }
}

/// A start of the last cluster, best from some end on.
#[derive(Clone, Copy)]
struct QueuedStart {
    start: u32,
    from: u32,
}

/// The step length after which the search for a crossing tests the last end: a start without an early crossing often
/// has none.
const PROBE_LAST: usize = 16;

impl<D: Digits> PenaltyChain<D> {
    /// The nodes of the best path from candidate 0 to the last, both included.
    pub(super) fn path(&self) -> Vec<u32> {
        let mut path = vec![self.starts.len() as u32 - 1];
        while let Some(&node) = path.last()
            && node > 0
        {
            path.push(self.starts[node as usize]);
        }
        path.reverse();
        path
    }

    /// The values alone; frees the memory of the paths.
    pub(super) fn without_paths(self) -> Self {
        Self { starts: Vec::new(), queue: Vec::new(), ..self }
    }

    /// Computes the chain for a penalty, reusing the memory of the last one.
    #[inline(always)]
    pub(super) fn compute(&mut self, costs: &impl Costs, penalty: f64) {
        let last = costs.last();
        self.values.clear();
        self.starts.clear();
        self.queue.clear();
        self.unsure = 0;
        self.values.resize(last + 1, D::Value::default());
        self.starts.resize(last + 1, 0);
        self.queue.push(QueuedStart { start: 0, from: 1 });
        // A lead, the difference of two values of F, is at most a cost and a penalty.
        let blur = costs.blur() + of_rough_costs(penalty);
        let mut first = 0;
        for end in 1..=last {
            while self.queue.get(first + 1).is_some_and(|next| next.from as usize <= end) {
                first += 1;
            }
            let start = self.queue[first].start as usize;
            self.values[end] = D::link(costs, self.values[start], start, end, penalty);
            self.starts[end] = start as u32;
            if end < last {
                self.enqueue(first, costs, end, blur);
            }
        }
    }

    /// Adds the start `start`, the current end.
    #[inline(always)]
    fn enqueue(&mut self, first: usize, costs: &impl Costs, start: usize, blur: f64) {
        while self.queue.len() > first {
            let earlier = self.queue[self.queue.len() - 1];
            let from = (earlier.from as usize).max(start + 1);
            let lead = D::difference(self.values[start], self.values[earlier.start as usize]);
            let earlier = earlier.start as usize;
            let mut comparison = StartComparison::<D, _>::new(costs, (start, earlier), lead, blur);
            let better = comparison.is_better(from);
            let crossing = if better { None } else { comparison.crossing(from) };
            self.unsure += comparison.unsure;
            if let Some(from) = crossing {
                self.queue.push(QueuedStart { start: start as u32, from: from as u32 });
            }
            if !better {
                return;
            }
            self.queue.pop();
        }
        self.queue.push(QueuedStart { start: start as u32, from: start as u32 + 1 });
    }
}

/// Two starts of the last cluster, the later one first.
pub(super) struct StartComparison<'a, D, C> {
    costs: &'a C,
    start: usize,
    earlier: usize,
    /// The cost of the prefix before `start` minus that of the one before `earlier`.
    lead: f64,
    /// The rough sums before the two.
    start_sums: RoughSums,
    earlier_sums: RoughSums,
    /// The largest error of a comparison in plain doubles.
    blur: f64,
    /// The number of unsure comparisons.
    unsure: usize,
    digits: PhantomData<D>,
}

impl<'a, D: Digits, C: Costs> StartComparison<'a, D, C> {
    #[inline(always)]
    pub(super) fn new(costs: &'a C, (start, earlier): (usize, usize), lead: f64, blur: f64) -> Self {
        let (start_sums, earlier_sums) = (costs.rough_sums(start), costs.rough_sums(earlier));
        Self { costs, start, earlier, lead, start_sums, earlier_sums, blur, unsure: 0, digits: PhantomData }
    }

    /// `lead + cost(start, end) - cost(earlier, end)` from rough sums, times the weights of the two runs, and the product
    /// of these: a comparison with zero needs no division.
    #[inline(always)]
    fn rough_difference(&self, end: usize) -> (f64, f64) {
        let end = self.costs.rough_sums(end);
        let (a, b) = (end.less(&self.start_sums), end.less(&self.earlier_sums));
        let weights = a.weight * b.weight;
        // The difference of the two sums of squares does not depend on the end.
        let squares = self.lead + (self.earlier_sums.square - self.start_sums.square);
        (squares * weights - (a.sum * a.sum * b.weight - b.sum * b.sum * a.weight), weights)
    }

    /// Whether the prefix `..end` costs less if its last cluster starts at `start` than at `earlier`.
    #[inline(always)]
    pub(super) fn is_better(&mut self, end: usize) -> bool {
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let (better, sure) = D::is_better(self, end);
        self.unsure += usize::from(!sure);
        better
    }

    /// The first end after `lost`, an end where `earlier` is not worse, at which `start` is better.
    #[inline(always)]
    fn crossing(&mut self, lost: usize) -> Option<usize> {
        let last = self.costs.last();
        let (mut low, mut high, mut step) = (lost, last + 1, 1);
        while low + step < high {
            // A start that does not win within a few steps often never does.
            let probe = if step == PROBE_LAST { last } else { low + step };
            if self.is_better(probe) {
                high = probe;
            } else if probe == last {
                return None;
            } else {
                low = probe;
            }
            step *= 2;
        }
        if high > last && (low == last || !self.is_better(last)) {
            return None;
        }
        high = high.min(last);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.is_better(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests;
