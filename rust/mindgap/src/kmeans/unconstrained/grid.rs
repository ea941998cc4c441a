//! Cells of sorted points: a level's candidates are their edges.
//!
//! A cell is open while it may hold a boundary of an optimal partition strictly inside. Cells of equal points are
//! closed from the start: moving a boundary between equal points to the edge of their run costs nothing. Cells are cut
//! so that their spreads √(weight·cost) come out even, for it is the largest that limits the proof.

use crate::data::sample::{Prefix, Prefixes};

/// Cells between ascending edges, the first 0, the last the number of points.
pub(super) struct EdgeGrid<'a> {
    prefixes: &'a Prefixes<'a>,
    edges: Vec<u32>,
    /// The spread of every cell, positive where it is open, else zero.
    spreads: Vec<f64>,
}

/// Splitting goes straight to single values when these are at most so many times the budget.
const FINISH: usize = 4;

/// A cell is cut again while its spread exceeds the aim by this factor.
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
    /// Positive even where the cost of unequal points has vanished.
    fn spread(&self) -> f64 {
        let block = self.before.until(&self.after);
        (block.weight * block.cost).sqrt().max(f64::MIN_POSITIVE)
    }
}

impl<'a> EdgeGrid<'a> {
    /// At most `pieces` cells with about as many points each.
    pub(super) fn even(prefixes: &'a Prefixes<'a>, pieces: usize) -> Self {
        let mut grid = Self::empty(prefixes);
        grid.push_pieces(&grid.run(0, prefixes.len()), pieces, f64::INFINITY);
        grid
    }

    /// A cell for every distinct value.
    pub(super) fn finest(prefixes: &'a Prefixes<'a>) -> Self {
        let mut grid = Self::empty(prefixes);
        grid.push_distinct(0, prefixes.len());
        grid
    }

    fn empty(prefixes: &'a Prefixes<'a>) -> Self {
        Self { prefixes, edges: vec![0], spreads: Vec::new() }
    }

    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The spread of a cell that may hold a boundary of an optimum strictly inside.
    pub(super) fn open(&self, cell: usize) -> Option<f64> {
        self.spreads.get(cell).copied().filter(|&spread| spread > 0.0)
    }

    /// Whether no cell is open: an optimum of the edges is one of the points.
    pub(super) fn is_closed(&self) -> bool {
        self.spreads.iter().all(|&spread| spread == 0.0)
    }

    /// Closes the cells neither of whose edges is in `alive` and splits the other open ones into about `budget` cells
    /// in all; into single values if that is not many more. Edges that no boundary of an optimum can be at, or be
    /// moved to, go.
    pub(super) fn refined(&self, alive: impl Fn(usize) -> bool, budget: usize) -> Self {
        let split = |cell: usize| self.open(cell).filter(|_| alive(cell) || alive(cell + 1));
        let cells = self.spreads.len();
        let (mut inside, mut roots) = (0, 0.0);
        for cell in 0..cells {
            if let Some(spread) = split(cell) {
                inside += (self.edges[cell + 1] - self.edges[cell] - 1) as usize;
                roots += spread.sqrt();
            }
        }
        // A piece of a cell cut r times has a spread smaller by about r².
        let aim = (roots / budget as f64).powi(2);
        let mut grid = Self::empty(self.prefixes);
        for cell in 0..cells {
            let (start, end) = (self.edges[cell] as usize, self.edges[cell + 1] as usize);
            match split(cell) {
                Some(_) if inside <= FINISH * budget => grid.push_distinct(start, end),
                Some(spread) => grid.push_pieces(&self.run(start, end), pieces(spread, aim), aim),
                None if cell + 1 == cells || alive(cell + 1) || split(cell + 1).is_some() => grid.push(end, 0.0),
                None => {}
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

    /// A cell, or several if its spread is far above the aim.
    fn push_cell(&mut self, run: &PointRun, aim: f64) {
        let values = self.prefixes.sample().values();
        if values[run.start] == values[run.end - 1] {
            return self.push(run.end, 0.0);
        }
        let spread = run.spread();
        if spread > UNEVEN * aim {
            self.push_pieces(run, pieces(spread, aim), aim);
        } else {
            self.push(run.end, spread);
        }
    }

    /// A run as about `pieces` cells with as many points each, equal points never cut apart; two at least unless all
    /// are equal.
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
            last += tied.len();
            self.push(last, 0.0);
        }
    }

    /// The first position from `start` on whose point equals that at `position`.
    fn tie_start(&self, start: usize, position: usize) -> usize {
        let values = self.prefixes.sample().values();
        let position = position.max(start);
        if position == start || values[position - 1] < values[position] {
            return position;
        }
        start + values[start..position].partition_point(|&x| x < values[position])
    }
}

/// Into how many pieces to cut a cell; two at least, so that cutting ends.
fn pieces(spread: f64, aim: f64) -> usize {
    // The cast saturates, and an aim of zero asks for single values.
    ((spread / aim).sqrt().ceil() as usize).max(2)
}
