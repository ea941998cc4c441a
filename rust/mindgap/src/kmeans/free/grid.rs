//! The grid on which cells of centres lie, and the sums of the points up to its nodes.
//!
//! At every level cell `j` reaches from node `2j` to node `2j + 2` with node `2j + 1` in its middle, and what lies midway
//! between two cell middles is a node too. So a bound on a pair of cells reads its sums from a table.

use super::Problem;

/// Nodes at `origin + q·step`; cells are two steps wide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) origin: f64,
    pub(super) step: f64,
}

impl Grid {
    #[inline]
    pub(super) fn node(&self, q: i64) -> f64 {
        self.origin + q as f64 * self.step
    }

    /// The middle of cell `j`.
    #[inline]
    pub(super) fn middle(&self, j: i64) -> f64 {
        self.node(2 * j + 1)
    }

    /// Half the width of a cell.
    #[inline]
    pub(super) fn radius(&self) -> f64 {
        self.step
    }

    /// Whether halved cells would still be wider than rounding.
    pub(super) fn can_be_halved(&self) -> bool {
        self.step > 8.0 * f64::EPSILON * (1.0 + self.origin.abs())
    }

    /// The same grid with cells half as wide: cell `j` becomes `2j` and `2j + 1`.
    pub(super) fn halved(&self) -> Self {
        Self { step: 0.5 * self.step, ..*self }
    }
}

/// Weight and moments, about the origin of a table, of the points up to a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    pub(super) weight: f64,
    pub(super) first: f64,
    pub(super) second: f64,
}

impl Moments {
    /// The points after `self` up to `end`.
    #[inline]
    pub(super) fn until(&self, end: &Moments) -> Moments {
        Moments { weight: end.weight - self.weight, first: end.first - self.first, second: end.second - self.second }
    }

    /// The moments about `by` instead of zero.
    #[inline]
    pub(super) fn about(&self, by: f64) -> Moments {
        Moments {
            weight: self.weight,
            first: self.first - by * self.weight,
            second: self.second - by * (2.0 * self.first - by * self.weight),
        }
    }
}

/// The moments at the nodes of some ranges, in plain doubles about a point amidst them.
pub(super) struct Nodes {
    /// First node and place of each range, ascending.
    ranges: Vec<(i64, usize)>,
    moments: Vec<Moments>,
    pub(super) origin: f64,
    /// What rounding may have taken from the cost of points between two nodes.
    pub(super) error: f64,
}

impl Nodes {
    /// The nodes of `wanted` (first and last node of each range, in any order, overlapping or not).
    pub(super) fn new(problem: &Problem<'_>, grid: &Grid, mut wanted: Vec<(i64, i64)>) -> Self {
        wanted.sort_unstable();
        let merged = merge(&wanted);
        let (Some(&(first, _)), Some(&(_, last))) = (merged.first(), merged.last()) else {
            return Self { ranges: Vec::new(), moments: Vec::new(), origin: 0.0, error: 0.0 };
        };
        let origin = grid.node(first + (last - first) / 2);
        let mut walk = Walk::new(problem, grid.node(first), origin);
        let mut ranges = Vec::with_capacity(merged.len());
        let mut moments = Vec::new();
        for (from, to) in merged {
            ranges.push((from, moments.len()));
            moments.extend((from..=to).map(|q| walk.to(grid.node(q))));
        }
        let span = walk.span();
        let error = 64.0 * f64::EPSILON * moments[moments.len() - 1].weight * span * span;
        Self { ranges, moments, origin, error }
    }

    /// The moments at `first` and the nodes that follow it in its range.
    #[inline]
    pub(super) fn from(&self, first: i64) -> &[Moments] {
        let range = self.ranges.partition_point(|&(start, _)| start <= first) - 1;
        let (start, place) = self.ranges[range];
        &self.moments[place + (first - start) as usize..]
    }
}

fn merge(sorted: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for &(first, last) in sorted {
        match merged.last_mut() {
            Some(range) if first <= range.1 + 1 => range.1 = range.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// Walks to ascending nodes, summing the points on the way.
struct Walk<'a> {
    problem: &'a Problem<'a>,
    origin: f64,
    start: usize,
    position: usize,
    moments: Moments,
}

impl<'a> Walk<'a> {
    fn new(problem: &'a Problem<'a>, from: f64, origin: f64) -> Self {
        let start = problem.points_until(from, 0..problem.len());
        Self { problem, origin, start, position: start, moments: Moments::default() }
    }

    fn to(&mut self, node: f64) -> Moments {
        let position = self.problem.points_until_after(node, self.position);
        if position > self.position {
            self.position = position;
            let (second, first, weight) = self.problem.quadratic(self.start, position, self.origin);
            self.moments = Moments { weight, first: -0.5 * first, second };
        }
        self.moments
    }

    /// How far from the origin the points reach.
    fn span(&self) -> f64 {
        if self.position == self.start {
            return 0.0;
        }
        let sample = self.problem.prefixes.sample();
        let (first, last) = (sample.framed(self.start), sample.framed(self.position - 1));
        (first - self.origin).abs().max((last - self.origin).abs())
    }
}
