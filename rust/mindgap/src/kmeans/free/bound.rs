//! Lower bounds on what the points between two cells of centres cost, right to first order in the cells' width.
//!
//! A centre's cost is split at the middle of its cell into what lies left and right of it. A right half and the left half
//! of the next centre make a pair: a convex quadratic in the two places, minimised over the two cells and the bounds on
//! their gap. Slopes that cancel between the two halves of a centre pass the force of a tight gap along the chain, so
//! that near the optimum every pair is flat along its bounds. The points inside a cell are left out (third order), those
//! near the midpoint of two centres are charged what a wrong assignment may save (second order).

use super::grid::{Moments, Nodes};

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
    pub(super) fn new(points: &Moments, slope: f64) -> Self {
        Self { weight: points.weight, linear: slope - 2.0 * points.first, level: points.second }
    }

    #[inline]
    fn at(&self, a: f64) -> f64 {
        self.level + a * (self.linear + a * self.weight)
    }

    /// Where it is least from `from` to `to`.
    #[inline]
    fn lowest(&self, from: f64, to: f64) -> f64 {
        // Where no weight is left the vertex is infinite or NaN, and the better end is the answer.
        let vertex = -0.5 * self.linear / self.weight;
        if vertex > from && vertex < to {
            vertex
        } else if self.linear + self.weight * (from + to) > 0.0 {
            from
        } else {
            to
        }
    }

    /// The least value within `radius`.
    #[inline]
    pub(super) fn least(&self, radius: f64) -> f64 {
        self.at(self.lowest(-radius, radius))
    }

    /// The least of `self(a) + other(b)` within `radius` under `closest ≤ b - a ≤ farthest`.
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
        // A convex function whose minimum breaks a bound is least at the bound: b = a + apart.
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

/// A cell of one centre with what its pairs need.
pub(super) struct Left<'a> {
    pub(super) index: i64,
    /// The slope added to the right half of the cell's cost.
    pub(super) slope: f64,
    pub(super) nodes: &'a Nodes,
    pub(super) radius: f64,
    /// The middle of cell 0 about the nodes' origin.
    pub(super) zero: f64,
    /// The bounds on the gap.
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Left<'_> {
    /// Bounds for the cells from `first` on, one for each of `slopes` (the slope of that cell's left half).
    pub(super) fn pairs(&self, first: i64, slopes: impl Iterator<Item = f64>, out: &mut Vec<f64>) {
        let edge = &self.nodes.from(2 * self.index + 2)[0];
        let midway = self.nodes.from(self.index + first);
        let edges = self.nodes.from(2 * first);
        let middle = self.zero + 2.0 * self.radius * self.index as f64;
        for (v, slope) in slopes.enumerate() {
            let cells = first - self.index + v as i64;
            let apart = 2.0 * self.radius * cells as f64;
            let far_middle = middle + apart;
            let [earliest, midpoint, latest] = [&midway[v], &midway[v + 1], &midway[v + 2]];
            let (near, far, saved) = if cells > 3 {
                // What the points between the midpoint and its earliest (latest) place save by changing sides.
                let at = 0.5 * (middle + far_middle);
                let before = earliest.until(midpoint).about(at - self.radius).first;
                let after = -midpoint.until(latest).about(at + self.radius).first;
                let widest = (apart + 2.0 * self.radius).min(self.upper);
                (edge.until(midpoint), midpoint.until(&edges[2 * v]), 2.0 * widest * before.max(after))
            } else if cells >= 2 {
                (edge.until(earliest), latest.until(&edges[2 * v]), 0.0)
            } else {
                // Cells that touch have no points between them, but their slopes count.
                (Moments::default(), Moments::default(), 0.0)
            };
            let near = Half::new(&near.about(middle), self.slope);
            let far = Half::new(&far.about(far_middle), slope);
            let least = near.least_with(&far, self.radius, self.lower - apart, self.upper - apart);
            out.push(least - saved - self.nodes.error);
        }
    }
}
