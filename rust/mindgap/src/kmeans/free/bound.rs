//! Lower bounds on what the points between two cells of centres cost, right to first order in the cells' width.
//!
//! A centre's cost is split at the middle of its cell into what lies left and right of it. Each half is a quadratic in the
//! centre's place within the cell and is minimised there; slopes that cancel between the two halves, and between the
//! centres and the bounds on their gaps, make both halves flat near the optimum. The points inside a cell are left out
//! (third order), those near the midpoint of two centres are charged what a wrong assignment may save (second order).

use super::grid::{Moments, Nodes};

/// The least of `Σw(x-a)² + slope·a` over `-radius ≤ a ≤ radius`, for points with these moments about zero.
#[inline]
pub(super) fn half(points: &Moments, slope: f64, radius: f64) -> f64 {
    let linear = slope - 2.0 * points.first;
    // Where no weight is left the vertex is infinite or NaN, and the better end is the answer.
    let vertex = -0.5 * linear / points.weight;
    let a = if vertex.abs() <= radius { vertex } else { -radius.copysign(linear) };
    points.second + a * (linear + a * points.weight)
}

/// Cell `j` of one centre with what it may pair with.
pub(super) struct Left<'a> {
    pub(super) index: i64,
    /// The slope added to the right half of the cell's cost.
    pub(super) slope: f64,
    pub(super) nodes: &'a Nodes,
    pub(super) radius: f64,
    /// The middle of cell 0 about the nodes' origin, and the width of a cell.
    pub(super) zero: f64,
}

impl Left<'_> {
    /// Bounds for the cells from `first` on, one for each of `slopes` (the slope of that cell's left half).
    pub(super) fn pairs(&self, first: i64, slopes: impl Iterator<Item = f64>, out: &mut Vec<f64>) {
        let edge = &self.nodes.from(2 * self.index + 2)[0];
        let midway = self.nodes.from(self.index + first);
        let edges = self.nodes.from(2 * first);
        for (v, slope) in slopes.enumerate() {
            let apart = first - self.index + v as i64;
            let bound = if apart >= 2 { self.pair(apart, edge, &midway[v..], &edges[2 * v], slope) } else { 0.0 };
            // Cells that touch have no points between them, but their slopes count.
            let touching = if apart < 2 { -self.radius * (self.slope.abs() + slope.abs()) } else { 0.0 };
            out.push(bound + touching - self.nodes.error);
        }
    }

    /// The bound for a cell `apart` cells further on, with nothing assumed but that every centre is in its cell.
    #[inline]
    fn pair(&self, apart: i64, edge: &Moments, midway: &[Moments], far_edge: &Moments, far_slope: f64) -> f64 {
        let near_middle = self.zero + 2.0 * self.radius * self.index as f64;
        let far_middle = near_middle + 2.0 * self.radius * apart as f64;
        let [earliest, middle, latest] = [&midway[0], &midway[1], &midway[2]];
        let (near, far, saved) = if apart > 3 {
            // What the points between the middle and the earliest (latest) midpoint save by changing sides.
            let at = 0.5 * (near_middle + far_middle);
            let before = earliest.until(middle).about(at - self.radius).first;
            let after = -middle.until(latest).about(at + self.radius).first;
            let widest = 2.0 * self.radius * (apart + 1) as f64;
            (edge.until(middle), middle.until(far_edge), 2.0 * widest * before.max(after))
        } else {
            (edge.until(earliest), latest.until(far_edge), 0.0)
        };
        half(&near.about(near_middle), self.slope, self.radius) + half(&far.about(far_middle), far_slope, self.radius)
            - saved
    }
}
