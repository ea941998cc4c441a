//! Where midpoints of neighbouring centres may lie inside atoms, and how far the cost of atoms may then be from that of
//! their points.
//!
//! The cost of a point as a function of its value is x² plus a concave function, linear except for a kink at every
//! midpoint of two centres, where its slope falls by twice their gap g. The points of an atom without a kink cost as
//! much as the atom; with a kink, less by at most g·√(weight·squares within). All cells of centres whose cost is at
//! most the best plus the largest possible difference contain every optimum of the points. They show which atoms may
//! have kinks, which bounds the difference more tightly and leaves fewer cells.

use super::Problem;
use super::level::CenterLevel;
use crate::data::sample::Sample;
use crate::kmeans::rounding::of_place;
use crate::numeric::first_false;

/// The atoms that may contain kinks.
pub(super) struct Kinks<'a> {
    sample: &'a Sample,
    /// The largest spread of open atoms in each run of [`RUN`] of them.
    widest: Vec<f64>,
    spreads: Vec<f64>,
}

/// Atoms in a run. Finding the widest of `m` atoms takes `m / RUN + 2 RUN` steps, fewest at `√(m / 2)`: the value for
/// the 8,192 atoms of a typical summary.
const RUN: usize = 64;

impl<'a> Kinks<'a> {
    /// All open atoms.
    pub(super) fn new(sample: &'a Sample, open: &[bool]) -> Self {
        let spread = |(atom, &open): (usize, &bool)| if open { sample.framed_spread(atom) } else { 0.0 };
        let spreads: Vec<f64> = open.iter().enumerate().map(spread).collect();
        let widest = spreads.chunks(RUN).map(|run| run.iter().copied().fold(0.0, f64::max)).collect();
        Self { sample, widest, spreads }
    }

    /// The largest difference between atoms and points, wherever the centres are.
    pub(super) fn anywhere(&self, problem: &Problem<'_>) -> f64 {
        let all = problem.reach[problem.k - 1].1 - problem.reach[0].0;
        all * self.widest.iter().copied().fold(0.0, f64::max)
    }

    /// The largest difference between atoms and points for centres in the cells of `level`. Closes the atoms that
    /// cannot contain a kink.
    pub(super) fn within(&self, problem: &Problem<'_>, level: &CenterLevel, open: &mut [bool]) -> f64 {
        let mut marks = vec![0i32; open.len() + 1];
        let mut total = 0.0;
        for gap in 0..problem.k - 1 {
            let mut most = 0.0_f64;
            let there = &level.cells[gap + 1];
            for cell in level.cells[gap].iter().filter(|cell| !cell.partners.is_empty()) {
                let (first, last) = (there[cell.partners.start].index, there[cell.partners.end - 1].index);
                let (from, to) = (level.grid.node(2 * cell.index), level.grid.node(2 * cell.index + 2));
                let (far_from, far_to) = (level.grid.node(2 * first), level.grid.node(2 * last + 2));
                let (start, end) = self.atoms(0.5 * (from + far_from), 0.5 * (to + far_to));
                if start < end {
                    marks[start] += 1;
                    marks[end] -= 1;
                    let gap = (far_to - from).min(problem.gaps.upper[gap]);
                    most = most.max(gap * self.widest(start, end));
                }
            }
            total += most;
        }
        let mut covered = 0;
        for (open, mark) in open.iter_mut().zip(marks) {
            covered += mark;
            *open &= covered > 0;
        }
        total
    }

    /// The range of atoms that reach between `from` and `to`, in frame units.
    fn atoms(&self, from: f64, to: f64) -> (usize, usize) {
        let frame = self.sample.frame();
        // The nodes of a grid have rounding errors.
        let margin = of_place(1.0 + from.abs().max(to.abs()));
        let (from, to) = (from - margin, to + margin);
        let start = first_false(0, self.sample.len(), |i| frame.enter(self.sample.highest(i)) < from);
        (start, first_false(start, self.sample.len(), |i| frame.enter(self.sample.lowest(i)) <= to))
    }

    /// The largest spread of the open atoms among `start..end`.
    fn widest(&self, start: usize, end: usize) -> f64 {
        let (first, last) = (start.div_ceil(RUN), end / RUN);
        let most = |spreads: &[f64]| spreads.iter().copied().fold(0.0, f64::max);
        if first >= last {
            return most(&self.spreads[start..end]);
        }
        most(&self.spreads[start..first * RUN])
            .max(most(&self.widest[first..last]))
            .max(most(&self.spreads[last * RUN..end]))
    }
}

#[cfg(test)]
mod tests;
