//! The grid of the cells of centres, and the sums of the points up to its nodes.
//!
//! At every level cell `j` reaches from node `2j` to node `2j + 2`, with node `2j + 1` in its middle; the midpoint of
//! two cell middles is also a node. So the bound of a pair of cells reads its sums from a table.

use crate::kmeans::rounding::of_place;
use std::ops::Range;

use super::Problem;

/// Nodes at `origin + q·step`; cells are two steps wide.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterGrid {
    pub(super) origin: f64,
    pub(super) step: f64,
}

impl CenterGrid {
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

    /// Whether halved cells would still be wider than rounding errors.
    pub(super) fn can_be_halved(&self) -> bool {
        self.step > of_place(1.0 + self.origin.abs())
    }

    /// The same grid with cells half as wide: cell `j` becomes `2j` and `2j + 1`.
    pub(super) fn halved(&self) -> Self {
        Self { step: 0.5 * self.step, ..*self }
    }
}

/// Weight and moments of some points about some origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointMoments {
    pub(super) weight: f64,
    pub(super) first: f64,
    pub(super) second: f64,
}

impl PointMoments {
    /// One point of weight `weight` at `z`.
    pub(super) fn of_point(z: f64, weight: f64) -> Self {
        Self { weight, first: weight * z, second: weight * z * z }
    }

    /// These points and others.
    #[inline]
    pub(super) fn with(&self, other: &PointMoments) -> PointMoments {
        PointMoments {
            weight: self.weight + other.weight,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }

    /// These points without `others`, which must be among them.
    #[inline]
    pub(super) fn without(&self, others: &PointMoments) -> PointMoments {
        PointMoments {
            weight: self.weight - others.weight,
            first: self.first - others.first,
            second: self.second - others.second,
        }
    }

    /// The magnitude of the terms of the moments about `by`.
    #[inline]
    pub(super) fn scale(&self, by: f64) -> f64 {
        self.second + by * by * self.weight
    }

    /// The moments about `by` instead of zero.
    #[inline]
    pub(super) fn about(&self, by: f64) -> PointMoments {
        PointMoments {
            weight: self.weight,
            first: self.first - by * self.weight,
            second: self.second - by * (2.0 * self.first - by * self.weight),
        }
    }
}

/// Sums over the points on either side of a node, as far as a table goes, each about the middle of the cells on that
/// side.
///
/// There are two origins because the squared distance to the next cluster may exceed the cost of a narrow one by more
/// than the digits of a double.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridNode {
    pub(super) before: PointMoments,
    pub(super) after: PointMoments,
}

/// The nodes of some ranges.
pub(super) struct Nodes {
    /// First node and position of each range, ascending.
    ranges: Vec<(i64, usize)>,
    nodes: Vec<GridNode>,
}

impl Nodes {
    /// The nodes of `wanted` (first and last node of each range, in any order, overlapping or not), over the points
    /// `points` only, about the two `origins`.
    pub(super) fn new(
        problem: &Problem<'_>,
        grid: &CenterGrid,
        mut wanted: Vec<(i64, i64)>,
        points: Range<usize>,
        origins: [f64; 2],
    ) -> Self {
        wanted.sort_unstable();
        let merged = merge(&wanted);
        let mut ranges = Vec::with_capacity(merged.len());
        let mut positions = Vec::new();
        let first = merged.first().map_or(0.0, |&(first, _)| grid.node(first));
        let start = problem.points_until(first, points.clone());
        let mut position = start;
        for (from, to) in merged {
            ranges.push((from, positions.len()));
            for q in from..=to {
                position = problem.points_until_after(grid.node(q), position..points.end);
                positions.push(position);
            }
        }
        let end = position;
        let node = |&position: &usize| GridNode {
            before: problem.moments(start, position, origins[0]),
            after: problem.moments(position, end, origins[1]),
        };
        Self { ranges, nodes: positions.iter().map(node).collect() }
    }

    /// The node `first` and those that follow it in its range.
    #[inline]
    pub(super) fn from(&self, first: i64) -> &[GridNode] {
        let range = self.ranges.partition_point(|&(start, _)| start <= first) - 1;
        let (start, place) = self.ranges[range];
        &self.nodes[place + (first - start) as usize..]
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
