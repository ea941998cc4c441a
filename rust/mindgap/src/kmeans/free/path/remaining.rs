//! A lower bound on the cost of the nodes that a sweep has not reached yet: paths too expensive with it are dropped.
//!
//! The nodes cost at least their optimum without bounds on the gaps. Moreover m clusters reach at most m upper bounds
//! beyond the last centre v, and nodes farther away cost their squared distance. So the cost is at least the minimum of
//! `penalty·m + T(v + m·upper)` over real m ≥ 0, where T(z) is the cost about z of the nodes beyond z. T is convex, so
//! there is one position z up to which clusters pay.

use super::nodes::PathNodes;
use crate::kmeans::rounding::of_place;
use crate::numeric::first_false;

/// The number of nodes used in the bound for lagging centres.
const FARTHEST_LAG: usize = 64;

/// The position up to which clusters pay if a node and all after it remain, and the cost of these nodes then.
#[derive(Clone, Copy)]
struct Reach {
    place: f64,
    cost: f64,
}

/// A lower bound on the cost of the nodes from each one on.
pub(super) struct RemainingCosts<'a> {
    nodes: &'a PathNodes,
    /// The bound for any gaps; empty if there is none.
    unbounded: &'a [f64],
    reaches: Vec<Reach>,
    upper: f64,
    penalty: f64,
    /// An upper limit on the optimum, penalties included.
    enough: f64,
    /// The rounding error of a position.
    rounding: f64,
}

impl<'a> RemainingCosts<'a> {
    /// O(n).
    pub(super) fn new(
        nodes: &'a PathNodes,
        unbounded: &'a [f64],
        (upper, penalty): (f64, f64),
        enough: f64,
        far: f64,
    ) -> Self {
        let mut remaining =
            Self { nodes, unbounded, reaches: Vec::new(), upper, penalty, enough, rounding: of_place(far) };
        if enough < f64::INFINITY && upper < f64::INFINITY && penalty > 0.0 {
            remaining.reaches = remaining.reaches();
        }
        remaining
    }

    /// Whether lower bounds that hold for any gaps are given.
    pub(super) fn is_known(&self) -> bool {
        !self.unbounded.is_empty()
    }

    /// Sets the bound for any gaps.
    pub(super) fn limit(&mut self, unbounded: &'a [f64]) {
        self.unbounded = unbounded;
    }

    /// The penalty per unit of length.
    fn slope(&self) -> f64 {
        self.penalty / self.upper
    }

    fn reaches(&self) -> Vec<Reach> {
        let n = self.nodes.len();
        let mut all = self.nodes.ending(n);
        // From this node on the remaining nodes pull less than a cluster costs.
        let first = first_false(0, n - 1, |i| {
            let run = self.nodes.ending(n).since(i);
            2.0 * run.block.weight * run.off(self.nodes.x[i]) > self.slope()
        });
        let reach = |j: usize| {
            let run = all.since(j.max(first));
            let back = 0.5 * self.slope() / run.block.weight;
            let cost = run.block.cost + run.block.weight * (back * back - self.rounding * self.rounding);
            Reach { place: run.block.mean - back, cost: cost.max(0.0) }
        };
        (0..n).map(reach).collect()
    }

    /// A lower bound on the cost of the nodes from `j` on if the centre before them is at most at `place` and gaps are
    /// at most the upper bound.
    #[inline(always)]
    fn beyond(&self, j: usize, place: f64) -> f64 {
        let Some(reach) = self.reaches.get(j) else { return 0.0 };
        if place <= reach.place {
            return reach.cost + self.slope() * (reach.place - place - self.rounding).max(0.0);
        }
        let (x, n) = (&self.nodes.x, self.nodes.len());
        let from = if place <= x[j] { j } else { first_false(j, n, |i| x[i] <= place) };
        let run = self.nodes.ending(n).since(from);
        run.block.cost + run.block.weight * (run.off(place) - self.rounding).max(0.0).powi(2)
    }

    /// The largest useful cost of the nodes before `j`, whatever the gaps after them.
    #[inline(always)]
    fn most(&self, j: usize) -> f64 {
        self.unbounded.get(j).map_or(f64::INFINITY, |rest| self.enough - rest)
    }

    /// Whether no optimum spends `cost`, penalties included, on the nodes before `j` with the last centre at most at
    /// `place`, whether or not its cluster contains `j` too.
    #[inline(always)]
    pub(super) fn are_too_far(&self, j: usize, cost: f64, place: f64) -> bool {
        cost + self.beyond(j, place) > self.enough
    }

    /// The same if a cluster begins with `j`.
    #[inline(always)]
    pub(super) fn are_too_much(&self, j: usize, cost: f64, place: f64) -> bool {
        cost > self.most(j) || self.are_too_far(j, cost, place)
    }

    /// Whether no optimal path has a centre from `from` on after node `j`, and up to `to` for that node, one upper
    /// bound farther for the next and so on, if the nodes before cost `cost`.
    pub(super) fn are_too_much_within(&self, j: usize, cost: f64, (from, to): (f64, f64)) -> bool {
        if !self.is_known() {
            return false;
        }
        if self.are_too_far(j, cost + self.penalty, to) {
            return true;
        }
        let x = &self.nodes.x;
        let left = first_false(j, x.len(), |i| x[i] < from);
        let run = self.nodes.ending(left).since(j);
        let mut lag = 0.0;
        let mut reached = (j, to);
        while reached.0 < x.len().min(j + FARTHEST_LAG) && x[reached.0] > reached.1 && cost + lag <= self.most(x.len())
        {
            lag += self.nodes.ending(reached.0 + 1).since(reached.0).block.weight * (x[reached.0] - reached.1).powi(2);
            reached = (reached.0 + 1, reached.1 + self.upper);
        }
        let ahead = run.block.cost + run.block.weight * run.off(from).powi(2);
        cost + ahead > self.most(left) || cost + lag > self.most(reached.0)
    }
}
