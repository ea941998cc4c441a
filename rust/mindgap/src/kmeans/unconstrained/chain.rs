//! The partition of least cost of every prefix when each cluster costs a penalty on top, whatever the number of clusters.
//!
//! `F(i) = min F(j) + cost(j, i) + penalty` over `j < i`. Costs are Monge, so once a later `j` beats an earlier one it
//! does so for good: a queue keeps the starts that will be best, each with the place from which it is (Galil and
//! Giancarlo's least-weight subsequence). O(M log M) at worst; a crossing is sought by doubling steps from the last
//! one, and mostly found in two or three. 20 bytes a candidate and the queue.

use super::candidates::Costs;
use crate::numeric::double::Double;
use std::collections::VecDeque;

/// `F` and where each prefix's last cluster starts.
#[derive(Default)]
pub(super) struct PenaltyChain {
    pub(super) values: Vec<Double>,
    starts: Vec<u32>,
}

/// A start of the last cluster, best from some end on.
#[derive(Clone, Copy)]
struct Reign {
    start: usize,
    from: usize,
}

/// The length of step at which the search for a crossing looks at the very end.
const HASTE: usize = 16;

impl PenaltyChain {
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
        self.values.reserve_exact(last + 1);
        self.starts.reserve_exact(last + 1);
        self.values.push(Double::ZERO);
        self.starts.push(0);
        let mut queue = VecDeque::from([Reign { start: 0, from: 1 }]);
        for end in 1..=last {
            while queue.get(1).is_some_and(|next| next.from <= end) {
                queue.pop_front();
            }
            let start = queue[0].start;
            self.values.push(self.values[start] + Double::sum(costs.cost(start, end), penalty));
            self.starts.push(start as u32);
            if end < last {
                self.enqueue(&mut queue, costs, end);
            }
        }
    }

    /// Lets clusters start at `start`, the latest end.
    #[inline(always)]
    fn enqueue(&self, queue: &mut VecDeque<Reign>, costs: &impl Costs, start: usize) {
        while let Some(&rival) = queue.back() {
            let first = rival.from.max(start + 1);
            let duel = Duel { costs, start, rival: rival.start, lead: self.lead(start, rival.start) };
            if !duel.is_won(first) {
                if let Some(from) = duel.crossing(first) {
                    queue.push_back(Reign { start, from });
                }
                return;
            }
            queue.pop_back();
        }
        queue.push_back(Reign { start, from: start + 1 });
    }

    /// By how much the prefix before `start` costs more than that before `rival`. They are large and close, and what is left
    /// is of the size of a cost.
    #[inline(always)]
    fn lead(&self, start: usize, rival: usize) -> f64 {
        self.values[start].minus(self.values[rival])
    }
}

/// Two starts of the last cluster, the later one first.
struct Duel<'a, C> {
    costs: &'a C,
    start: usize,
    rival: usize,
    lead: f64,
}

impl<C: Costs> Duel<'_, C> {
    /// Whether the last cluster of the prefix `..end` better starts at `start` than at `rival`.
    #[inline(always)]
    fn is_won(&self, end: usize) -> bool {
        self.costs.costs_less(self.lead, self.start, self.rival, end)
    }

    /// The first end after `lost`, where `rival` is still as good, at which `start` is better.
    #[inline(always)]
    fn crossing(&self, lost: usize) -> Option<usize> {
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
