//! Lower bounds on the cost of the points between two cells of centres, exact to first order in the width of the cells.
//!
//! A centre's cost is split at the middle of its cell into the parts left and right of it. A right half and the left
//! half of the next centre form a pair: a convex quadratic in the two centres, minimised over the two cells and the
//! bounds on their gap. Slopes that cancel between the two halves of a centre pass the multiplier of an active gap
//! along the chain, so that near the optimum every pair is stationary under its bounds. Points inside a cell are left
//! out (a third-order error); for points near the midpoint of two centres the largest saving by a wrong assignment is
//! subtracted (second order).

use super::Problem;
use super::grid::{Nodes, PointMoments};
use crate::kmeans::rounding::of_moments;

/// `Σw(x-a)² + slope·a` as a function of `a` in `-radius ≤ a ≤ radius`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    weight: f64,
    linear: f64,
    level: f64,
}

impl Half {
    /// For points with these moments about the middle of the cell.
    #[inline]
    pub(super) fn new(points: &PointMoments, slope: f64) -> Self {
        Self { weight: points.weight, linear: slope - 2.0 * points.first, level: points.second }
    }

    #[inline]
    fn at(&self, a: f64) -> f64 {
        self.level + a * (self.linear + a * self.weight)
    }

    /// The minimiser from `from` to `to`.
    #[inline]
    fn lowest(&self, from: f64, to: f64) -> f64 {
        // Without weight the vertex is infinite or NaN, and the better end is the answer.
        let vertex = -0.5 * self.linear / self.weight;
        if vertex > from && vertex < to {
            vertex
        } else if self.linear + self.weight * (from + to) > 0.0 {
            from
        } else {
            to
        }
    }

    /// The minimum within `radius`.
    #[inline]
    pub(super) fn least(&self, radius: f64) -> f64 {
        self.at(self.lowest(-radius, radius))
    }

    /// The minimum of `self(a) + other(b)` within `radius` under `closest ≤ b - a ≤ farthest`.
    #[inline]
    fn least_with(&self, other: &Half, radius: f64, closest: f64, farthest: f64) -> f64 {
        let (a, b) = (self.lowest(-radius, radius), other.lowest(-radius, radius));
        let apart = if b - a < closest {
            closest
        } else if b - a > farthest {
            farthest
        } else {
            return self.at(a) + other.at(b);
        };
        // If the minimiser of a convex function violates a bound, the constrained minimum is at the bound: b = a +
        // apart.
        let from = (-radius).max(-radius - apart);
        let to = radius.min(radius - apart).max(from);
        let joined = Half {
            weight: self.weight + other.weight,
            linear: self.linear + other.linear + 2.0 * apart * other.weight,
            level: self.level + other.at(apart),
        };
        joined.at(joined.lowest(from, to))
    }
}

/// The input of the bounds on the pairs of a gap.
pub(super) struct Gap {
    pub(super) nodes: Nodes,
    pub(super) radius: f64,
    /// The middle of cell 0, about the two origins of the nodes.
    pub(super) zeros: [f64; 2],
    /// The bounds on the gap.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The last point that surely belongs to a cluster before the gap, and the first that surely belongs to one after
    /// it: otherwise some cluster would be empty.
    pub(super) outmost: [Option<Outmost>; 2],
}

/// A point whose side is certain, about the origin of that side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outmost {
    z: f64,
    moments: PointMoments,
}

impl Outmost {
    /// Point `i`, about `origin`.
    pub(super) fn new(problem: &Problem<'_>, i: usize, origin: f64) -> Self {
        let sample = problem.prefixes.sample();
        let z = sample.framed(i) - origin;
        Self { z, moments: PointMoments::of_point(z, sample.weight(i)) }
    }
}

impl Gap {
    /// Bounds for cell `index`, whose right half has `slope`, paired with each cell from `first` on; `slopes` are those
    /// of the left halves of these cells.
    pub(super) fn pairs(
        &self,
        (index, slope): (i64, f64),
        first: i64,
        slopes: impl Iterator<Item = f64>,
        out: &mut Vec<f64>,
    ) {
        let radius = self.radius;
        let edge = &self.nodes.from(2 * index + 2)[0].before;
        let midway = self.nodes.from(index + first);
        let edges = self.nodes.from(2 * first);
        let middle = self.zeros[0] + 2.0 * radius * index as f64;
        let own = self.outmost[0].filter(|point| point.z > middle + radius);
        for (v, far_slope) in slopes.enumerate() {
            let cells = first - index + v as i64;
            let apart = 2.0 * radius * cells as f64;
            let far_middle = self.zeros[1] + 2.0 * radius * (first + v as i64) as f64;
            let [earliest, midpoint, latest] = [&midway[v], &midway[v + 1], &midway[v + 2]];
            let far_edge = &edges[2 * v].after;
            let (near, far, saved) = if cells > 3 {
                // The saving if the points between the midpoint and its earliest (latest) position change sides.
                let half = 0.5 * apart;
                let before = midpoint.before.without(&earliest.before).about(middle + half - radius).first;
                let after = -midpoint.after.without(&latest.after).about(far_middle - half + radius).first;
                let widest = (apart + 2.0 * radius).min(self.upper);
                let saved = 2.0 * widest * before.max(after);
                (midpoint.before.without(edge), midpoint.after.without(far_edge), saved)
            } else if cells >= 2 {
                (earliest.before.without(edge), latest.after.without(far_edge), 0.0)
            } else {
                // Touching cells have no points between them, but their slopes count.
                (PointMoments::default(), PointMoments::default(), 0.0)
            };
            let rounding = of_moments(midpoint.before.scale(middle) + midpoint.after.scale(far_middle));
            let far_own = self.outmost[1].filter(|point| point.z <= far_middle - radius);
            let near = own.map_or(near, |point| near.with(&point.moments));
            let far = far_own.map_or(far, |point| far.with(&point.moments));
            let near = Half::new(&near.about(middle), slope);
            let far = Half::new(&far.about(far_middle), far_slope);
            let least = near.least_with(&far, radius, self.lower - apart, self.upper - apart);
            // The cost of a point is never negative.
            let nothing = -radius * (slope.abs() + far_slope.abs());
            out.push((least - saved - rounding).max(nothing));
        }
    }
}
