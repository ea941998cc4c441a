//! [`EdgeGrid`]: cells of sorted points or atoms, whose edges are a level's candidates.
//!
//! A cell is open if a boundary of an optimal partition may lie strictly inside. Cells of equal points are closed from
//! the start: moving a boundary between equal points to the edge of their run costs nothing. A cell of one atom with a
//! width may be open, but cannot be split. Cells are cut to have nearly equal spreads √(weight·cost), because the
//! largest limits the proof.

use crate::data::sample::{Prefix, Prefixes};
use crate::kmeans::rounding::of_rough_costs;
use std::ops::Range;

/// Cells between ascending edges, the first 0, the last the number of points.
pub(super) struct EdgeGrid<'a> {
    prefixes: &'a Prefixes<'a>,
    /// Whether an optimum may cut each atom; empty for points.
    cut: &'a [bool],
    edges: Vec<u32>,
    /// The spread of every open cell; zero for closed ones.
    spreads: Vec<f64>,
    /// The error of rough costs: sums of values, squares and weights are at most the total weight.
    blur: f64,
}

/// Rough costs of at least this many times their error are precise enough.
const CLEARLY: f64 = 1024.0;

/// A cell is cut again if its spread exceeds the aim by this factor.
const UNEVEN: f64 = 2.0;

/// Points with the sums before and after them.
#[derive(Clone, Copy)]
struct PointRun {
    start: usize,
    end: usize,
    before: Prefix,
    after: Prefix,
}

impl PointRun {
    /// At least √(weight·cost), given that rough costs have an error of `blur`; positive even if the cost of unequal
    /// points underflows.
    fn spread(&self, blur: f64) -> f64 {
        let [weight, sum, square] = self.before.rough_until(&self.after);
        let product = weight * square - sum * sum;
        // Then the weight is also far above its error, because a cost is at most the weight.
        if product > CLEARLY * blur * weight {
            return (product * (1.0 + 2.0 / CLEARLY)).sqrt();
        }
        let block = self.before.until(&self.after);
        (block.weight * block.cost).sqrt().max(f64::MIN_POSITIVE)
    }
}

impl<'a> EdgeGrid<'a> {
    /// Makes at most `pieces` cells of about equal numbers of points. An optimum may cut the atoms for which `cut` is
    /// true; it is empty for points.
    pub(super) fn even(prefixes: &'a Prefixes<'a>, cut: &'a [bool], pieces: usize) -> Self {
        let mut grid = Self::empty(prefixes, cut);
        grid.push_pieces(&grid.run(0, prefixes.len()), pieces, f64::INFINITY);
        grid
    }

    /// Makes a cell for every distinct value.
    pub(super) fn finest(prefixes: &'a Prefixes<'a>, cut: &'a [bool]) -> Self {
        let mut grid = Self::empty(prefixes, cut);
        grid.push_distinct(0, prefixes.len());
        grid
    }

    fn empty(prefixes: &'a Prefixes<'a>, cut: &'a [bool]) -> Self {
        let blur = of_rough_costs(3.0 * prefixes.sample().total_weight());
        Self { prefixes, cut, edges: vec![0], spreads: Vec::new(), blur }
    }

    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The spread of every cell that may have a boundary of an optimum strictly inside; zero for the others.
    pub(super) fn spreads(&self) -> &[f64] {
        &self.spreads
    }

    /// The points of a cell.
    pub(super) fn points(&self, cell: usize) -> Range<usize> {
        self.edges[cell] as usize..self.edges[cell + 1] as usize
    }

    /// Whether no cell is open, so that an optimum of the edges is one of the points.
    pub(super) fn is_closed(&self) -> bool {
        self.spreads.iter().all(|&spread| spread == 0.0)
    }

    /// Whether no open cell can be split.
    pub(super) fn is_finest(&self) -> bool {
        (0..self.spreads.len()).all(|cell| self.spreads[cell] == 0.0 || self.points(cell).len() == 1)
    }

    /// Closes the cells with no edge in `alive` and splits the other open ones into about `budget` cells in all, or
    /// into single values if those are at most `finish` times as many. Drops edges that no boundary of an optimum can
    /// be at, or be moved to.
    pub(super) fn refined(&self, alive: impl Fn(usize) -> bool, budget: usize, finish: usize) -> Self {
        let stays_open = |cell: usize| self.spreads[cell] > 0.0 && (alive(cell) || alive(cell + 1));
        let cells = self.spreads.len();
        let (mut inside, mut roots) = (0, 0.0);
        for cell in 0..cells {
            if stays_open(cell) {
                inside += self.points(cell).len() - 1;
                roots += self.spreads[cell].sqrt();
            }
        }
        // A piece of a cell cut r times has a spread smaller by about r².
        let aim = (roots / budget as f64).powi(2);
        let mut grid = Self::empty(self.prefixes, self.cut);
        for cell in 0..cells {
            let (points, spread) = (self.points(cell), self.spreads[cell]);
            if stays_open(cell) && points.len() == 1 {
                grid.push(points.end, spread);
            } else if stays_open(cell) && inside <= finish * budget {
                grid.push_distinct(points.start, points.end);
            } else if stays_open(cell) {
                grid.push_pieces(&self.run(points.start, points.end), pieces(spread, aim), aim);
            } else if cell + 1 == cells || alive(cell + 1) || stays_open(cell + 1) {
                grid.push(points.end, 0.0);
            }
        }
        grid
    }

    fn run(&self, start: usize, end: usize) -> PointRun {
        PointRun { start, end, before: self.prefixes.at(start), after: self.prefixes.at(end) }
    }

    fn push(&mut self, end: usize, spread: f64) {
        self.edges.push(end as u32);
        self.spreads.push(spread);
    }

    /// Appends a cell of equal points, or of one atom.
    fn push_value(&mut self, points: Range<usize>) {
        let open = points.len() == 1 && self.cut.get(points.start).is_some_and(|&cut| cut);
        self.push(points.end, if open { self.prefixes.sample().framed_spread(points.start) } else { 0.0 });
    }

    /// Appends a cell, or several if its spread is far above the aim.
    fn push_cell(&mut self, run: &PointRun, aim: f64) {
        let values = self.prefixes.sample().values();
        if values[run.start] == values[run.end - 1] {
            return self.push_value(run.start..run.end);
        }
        let spread = run.spread(self.blur);
        if spread > UNEVEN * aim {
            self.push_pieces(run, pieces(spread, aim), aim);
        } else {
            self.push(run.end, spread);
        }
    }

    /// Appends a run as about `pieces` cells of equal numbers of points, without cutting equal points apart; at least
    /// two unless all are equal.
    fn push_pieces(&mut self, run: &PointRun, pieces: usize, aim: f64) {
        let (count, mut rest) = (run.end - run.start, *run);
        if pieces >= count {
            return self.push_distinct(run.start, run.end);
        }
        for piece in 1..pieces {
            let cut = self.tie_start(rest.start, run.start + (count as u128 * piece as u128 / pieces as u128) as usize);
            self.push_until(&mut rest, cut, aim);
        }
        if rest.start == run.start {
            let values = &self.prefixes.sample().values()[run.start..run.end];
            self.push_until(&mut rest, run.start + values.partition_point(|&x| x == values[0]), aim);
        }
        if rest.start < rest.end {
            self.push_cell(&rest, aim);
        }
    }

    /// Cuts `rest` at `cut` and pushes the left part, if it is not empty.
    fn push_until(&mut self, rest: &mut PointRun, cut: usize, aim: f64) {
        if rest.start < cut {
            let after = self.prefixes.at(cut);
            self.push_cell(&PointRun { end: cut, after, ..*rest }, aim);
            (rest.start, rest.before) = (cut, after);
        }
    }

    fn push_distinct(&mut self, start: usize, end: usize) {
        let mut last = start;
        for tied in self.prefixes.sample().values()[start..end].chunk_by(|a, b| a == b) {
            self.push_value(last..last + tied.len());
            last += tied.len();
        }
    }

    /// The first position, from `start` on, of the points equal to that at `position`.
    fn tie_start(&self, start: usize, position: usize) -> usize {
        let values = self.prefixes.sample().values();
        let position = position.max(start);
        if position == start || values[position - 1] < values[position] {
            return position;
        }
        start + values[start..position].partition_point(|&x| x < values[position])
    }
}

/// The number of pieces to cut a cell into; at least two, so that cutting ends.
fn pieces(spread: f64, aim: f64) -> usize {
    // The cast saturates: an aim of zero gives single values.
    ((spread / aim).sqrt().ceil() as usize).max(2)
}
