//! Where the midpoints of neighbouring centres may lie in atoms, and what atoms may then be wrong by.
//!
//! A point costs the square of its distance to the nearest centre: x² and a concave function that is linear but for a
//! kink at every midpoint of two centres, where its slope falls by twice their gap g. So the points of an atom with no
//! kink in it cost as much as the atom; with a kink, less by at most g·√(weight·squares within). Levels of cells of
//! centres that cost no more than the best and all that the atoms may be wrong by contain every optimum of the points;
//! they say which atoms kinks can be in, and so how wrong the atoms may be, which makes for fewer cells.

use super::Problem;
use super::level::CenterLevel;
use crate::data::sample::Sample;
use crate::kmeans::rounding::of_place;
use crate::numeric::first_false;

/// The atoms that kinks may be in.
pub(super) struct Kinks<'a> {
    sample: &'a Sample,
    /// The largest spread of open atoms in each run of [`RUN`] of them.
    widest: Vec<f64>,
    spreads: Vec<f64>,
}

/// Atoms to a run. The widest of `m` atoms takes `m / RUN + 2 RUN` steps, the fewest at `√(m / 2)`: this for the 8,192
/// atoms that the cells of a summary typically are.
const RUN: usize = 64;

impl<'a> Kinks<'a> {
    /// All open atoms.
    pub(super) fn new(sample: &'a Sample, open: &[bool]) -> Self {
        let spread = |(atom, &open): (usize, &bool)| if open { sample.framed_spread(atom) } else { 0.0 };
        let spreads: Vec<f64> = open.iter().enumerate().map(spread).collect();
        let widest = spreads.chunks(RUN).map(|run| run.iter().copied().fold(0.0, f64::max)).collect();
        Self { sample, widest, spreads }
    }

    /// What atoms may be wrong by wherever the centres are.
    pub(super) fn anywhere(&self, problem: &Problem<'_>) -> f64 {
        let all = problem.reach[problem.k - 1].1 - problem.reach[0].0;
        all * self.widest.iter().copied().fold(0.0, f64::max)
    }

    /// What atoms may be wrong by where centres are in the cells of `level`. Closes the atoms that no kink can be in.
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

    /// The atoms that reach between `from` and `to`, in frame units: the first and one past the last.
    fn atoms(&self, from: f64, to: f64) -> (usize, usize) {
        let frame = self.sample.frame();
        // The nodes of a grid are right to rounding.
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
