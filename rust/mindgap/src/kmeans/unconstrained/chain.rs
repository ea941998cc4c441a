//! The partition of least cost of every prefix when each cluster costs a penalty on top, whatever the number of clusters.
//!
//! `F(i) = min F(j) + cost(j, i) + penalty` over `j < i`. Costs are Monge, so once a later `j` beats an earlier one it
//! does so for good: a queue keeps the starts that will be best, each with the place from which it is (Galil and
//! Giancarlo's least-weight subsequence). O(M log M) at worst; a crossing is sought by doubling steps from the last
//! one, and mostly found in two or three. 12 or 20 bytes a candidate and the queue.

use super::candidates::{Candidates, Costs};
use crate::kmeans::rounding::of_rough_costs;
use crate::numeric::double::Double;
use std::marker::PhantomData;

/// How `F` is computed.
pub(super) trait Digits {
    /// A value of `F`.
    type Value: Copy + Default;

    /// `F` at `end`, where its last cluster starts at `start`, before which it is `before`.
    fn link(costs: &impl Costs, before: Self::Value, start: usize, end: usize, penalty: f64) -> Self::Value;

    /// `a - b`.
    fn difference(a: Self::Value, b: Self::Value) -> f64;

    /// Whether a duel is won at `end`, and whether that is sure.
    fn is_won<C: Costs>(duel: &Duel<'_, Self, C>, end: usize) -> (bool, bool)
    where
        Self: Sized;

    /// `before + after - whole`.
    fn surplus(before: Self::Value, after: Self::Value, whole: Self::Value) -> f64;

    /// `whole - k·penalty`.
    fn less_penalties(whole: Self::Value, penalty: f64, k: usize) -> f64;

    /// What values of `F`, whose last one is `whole`, may be too large by, where so many comparisons were `unsure`.
    fn lost(candidates: &Candidates<'_>, penalty: f64, whole: Self::Value, unsure: usize) -> f64;
}

/// With all digits, in pairs of doubles.
pub(super) struct All;

/// With those of a double: [`lost`](Digits::lost) bounds what is wrong.
pub(super) struct Rough;

impl Digits for All {
    type Value = Double;

    #[inline(always)]
    fn link(costs: &impl Costs, before: Double, start: usize, end: usize, penalty: f64) -> Double {
        before + Double::sum(costs.cost(start, end), penalty)
    }

    /// They are large and close, and what is left is of the size of a cost.
    #[inline(always)]
    fn difference(a: Double, b: Double) -> f64 {
        a.minus(b)
    }

    #[inline(always)]
    fn is_won<C: Costs>(duel: &Duel<'_, Self, C>, end: usize) -> (bool, bool) {
        (duel.costs.costs_less(duel.lead, duel.start, duel.rival, end), true)
    }

    fn surplus(before: Double, after: Double, whole: Double) -> f64 {
        (before + after).minus(whole)
    }

    fn less_penalties(whole: Double, penalty: f64, k: usize) -> f64 {
        (whole - Double::product(penalty, k as f64)).value()
    }

    /// Nothing beside the margin of costs.
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
    fn is_won<C: Costs>(duel: &Duel<'_, Self, C>, end: usize) -> (bool, bool) {
        let (rough, weights) = duel.costs.rough_difference(duel.lead, duel.start, duel.rival, end);
        (rough < 0.0, rough.abs() > duel.blur * weights)
    }

    fn surplus(before: f64, after: f64, whole: f64) -> f64 {
        before + after - whole
    }

    fn less_penalties(whole: f64, penalty: f64, k: usize) -> f64 {
        whole - penalty * k as f64
    }

    /// Let e be what a comparison may be wrong by. One that is sure is right. By Monge, one that is not puts a start in the
    /// place of another that is better by e at most, there and at all ends where it takes its place. So a value of `F` is too
    /// large by e for each comparison that was not sure, by e for its own rounding, and by what the value before it is, along
    /// a best path. Such a path has no more links than all values of `F` have penalties: F ascends, and the last is at
    /// most the true value of the path that was found, whose links cost penalty - e each at least.
    fn lost(candidates: &Candidates<'_>, penalty: f64, whole: f64, unsure: usize) -> f64 {
        let each = candidates.blur() + of_rough_costs(whole);
        if each > 0.25 * penalty {
            return f64::INFINITY;
        }
        (2.0 * whole / penalty + 2.0) * (unsure + 2) as f64 * each
    }
}

/// `F` and where each prefix's last cluster starts.
pub(super) struct PenaltyChain<D: Digits> {
    pub(super) values: Vec<D::Value>,
    starts: Vec<u32>,
    /// The starts that will be best; those before some place are over.
    queue: Vec<Reign>,
    /// How many comparisons were not sure.
    pub(super) unsure: usize,
}

impl<D: Digits> Default for PenaltyChain<D> {
    fn default() -> Self {
        Self { values: Vec::new(), starts: Vec::new(), queue: Vec::new(), unsure: 0 }
    }
}

/// A start of the last cluster, best from some end on.
#[derive(Clone, Copy)]
struct Reign {
    start: u32,
    from: u32,
}

/// The length of step at which the search for a crossing looks at the very end.
const HASTE: usize = 16;

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
        self.queue.push(Reign { start: 0, from: 1 });
        // Leads are differences of values of F, which are at most a cost and a penalty.
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

    /// Lets clusters start at `start`, the latest end.
    #[inline(always)]
    fn enqueue(&mut self, first: usize, costs: &impl Costs, start: usize, blur: f64) {
        while self.queue.len() > first {
            let rival = self.queue[self.queue.len() - 1];
            let from = (rival.from as usize).max(start + 1);
            let lead = D::difference(self.values[start], self.values[rival.start as usize]);
            let rival = rival.start as usize;
            let mut duel = Duel::<D, _> { costs, start, rival, lead, blur, unsure: 0, digits: PhantomData };
            let won = duel.is_won(from);
            let crossing = if won { None } else { duel.crossing(from) };
            self.unsure += duel.unsure;
            if let Some(from) = crossing {
                self.queue.push(Reign { start: start as u32, from: from as u32 });
            }
            if !won {
                return;
            }
            self.queue.pop();
        }
        self.queue.push(Reign { start: start as u32, from: start as u32 + 1 });
    }
}

/// Two starts of the last cluster, the later one first.
pub(super) struct Duel<'a, D, C> {
    costs: &'a C,
    start: usize,
    rival: usize,
    /// By how much the prefix before `start` costs more than that before `rival`.
    lead: f64,
    /// What a comparison in plain doubles may be wrong by.
    blur: f64,
    /// How many comparisons were not sure.
    unsure: usize,
    digits: PhantomData<D>,
}

impl<D: Digits, C: Costs> Duel<'_, D, C> {
    /// Whether the last cluster of the prefix `..end` better starts at `start` than at `rival`.
    #[inline(always)]
    fn is_won(&mut self, end: usize) -> bool {
        let (won, sure) = D::is_won(self, end);
        self.unsure += usize::from(!sure);
        won
    }

    /// The first end after `lost`, where `rival` is still as good, at which `start` is better.
    #[inline(always)]
    fn crossing(&mut self, lost: usize) -> Option<usize> {
        let last = self.costs.last();
        let (mut low, mut high, mut step) = (lost, last + 1, 1);
        while low + step < high {
            // A start that is not at its best within a few steps often never is.
            let probe = if step == HASTE { last } else { low + step };
            if self.is_won(probe) {
                high = probe;
            } else if probe == last {
                return None;
            } else {
                low = probe;
            }
            step *= 2;
        }
        if high > last && (low == last || !self.is_won(last)) {
            return None;
        }
        high = high.min(last);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.is_won(middle) {
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
