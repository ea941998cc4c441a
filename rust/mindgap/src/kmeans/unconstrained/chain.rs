//! The cheapest partition of every prefix when each cluster costs a penalty on top, whatever the number of clusters.
//!
//! `F(i) = min F(j) + cost(j, i) + penalty` over `j < i`. Costs are Monge, so once a later `j` beats an earlier one it
//! does so for good: a queue holds the starts that will be best, each with the place from which it is (Galil and
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
            if !self.beats(costs, start, rival.start, first) {
                if let Some(from) = self.crossing(costs, start, rival.start, first) {
                    queue.push_back(Reign { start, from });
                }
                return;
            }
            queue.pop_back();
        }
        queue.push_back(Reign { start, from: start + 1 });
    }

    /// The first end after `beaten`, where `start` does not yet beat `rival`, at which it does.
    #[inline(always)]
    fn crossing(&self, costs: &impl Costs, start: usize, rival: usize, beaten: usize) -> Option<usize> {
        let last = costs.last();
        let (mut low, mut high, mut step) = (beaten, last + 1, 1);
        while low + step < high {
            // A start that is not at its best within a few steps often never is.
            let probe = if step == HASTE { last } else { low + step };
            if self.beats(costs, start, rival, probe) {
                high = probe;
            } else if probe == last {
                return None;
            } else {
                low = probe;
            }
            step *= 2;
        }
        if high > last && (low == last || !self.beats(costs, start, rival, last)) {
            return None;
        }
        high = high.min(last);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.beats(costs, start, rival, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }

    /// Whether the last cluster of the prefix `..end` better starts at `start` than at `rival`. The values are
    /// subtracted first: they are large and close, and what is left is of the size of a cost. Rough costs decide
    /// wherever exact ones could not decide otherwise.
    #[inline(always)]
    fn beats(&self, costs: &impl Costs, start: usize, rival: usize, end: usize) -> bool {
        let values = self.values[start].minus(self.values[rival]);
        if costs.blur() < f64::INFINITY {
            let rough = values + (costs.rough_cost(start, end) - costs.rough_cost(rival, end));
            if rough.abs() > costs.blur() {
                return rough < 0.0;
            }
        }
        values + (costs.cost(start, end) - costs.cost(rival, end)) < 0.0
    }
}
