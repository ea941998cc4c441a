//! Cells: runs of neighbouring positions where a boundary between two clusters may lie.
//!
//! Boundary `m` divides cluster `m - 1` from cluster `m` and sits before the point of that index. Each boundary has its
//! own ascending list of cells; what is known not to be in an optimum has no cell any more.

use crate::sample::{Prefix, Prefixes};

/// The positions `low..=high`, and what is known of the next boundary if this one lies here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) low: usize,
    pub(super) high: usize,
    /// The prefix sums at either end.
    pub(super) at_low: Prefix,
    pub(super) at_high: Prefix,
    /// Where the next boundary may lie: first and last position.
    pub(super) next: (usize, usize),
}

impl Cell {
    pub(super) fn new(prefixes: &Prefixes<'_>, low: usize, high: usize, next: (usize, usize)) -> Self {
        let at_low = prefixes.at(low);
        let at_high = if high == low { at_low } else { prefixes.at(high) };
        Self { low, high, at_low, at_high, next }
    }

    /// A cell of one position.
    pub(super) fn single(prefixes: &Prefixes<'_>, position: usize) -> Self {
        Self::new(prefixes, position, position, (0, prefixes.len()))
    }

    pub(super) fn is_single(&self) -> bool {
        self.low == self.high
    }

    pub(super) fn positions(&self) -> usize {
        self.high - self.low + 1
    }

    /// Appends this cell cut into at most `parts` nearly equal ones.
    fn split_into(&self, prefixes: &Prefixes<'_>, parts: usize, out: &mut Vec<Cell>) {
        let (count, parts) = (self.positions(), parts.min(self.positions()));
        if parts == 1 {
            out.push(*self);
            return;
        }
        for part in 0..parts {
            let low = self.low + count * part / parts;
            let high = self.low + count * (part + 1) / parts - 1;
            out.push(Cell::new(prefixes, low, high, self.next));
        }
    }
}

/// The cells of every boundary, from the fixed one before the first point to the fixed one after the last.
#[derive(Clone, Debug)]
pub(super) struct Cells(pub(super) Vec<Vec<Cell>>);

impl Cells {
    /// All positions of all boundaries of `k` clusters, in about `count` cells a boundary.
    pub(super) fn all(prefixes: &Prefixes<'_>, k: usize, count: usize) -> Self {
        let n = prefixes.len();
        let inner = (1..k).map(|m| {
            let whole = Cell::new(prefixes, m, n - k + m, (0, n));
            let mut cells = Vec::with_capacity(count);
            whole.split_into(prefixes, count, &mut cells);
            cells
        });
        Self::between_ends(prefixes, inner)
    }

    /// One cell for each of the given ascending positions of each inner boundary.
    pub(super) fn at_positions(prefixes: &Prefixes<'_>, positions: &[Vec<usize>]) -> Self {
        let single = |list: &Vec<usize>| list.iter().map(|&p| Cell::single(prefixes, p)).collect();
        Self::between_ends(prefixes, positions.iter().map(single))
    }

    fn between_ends(prefixes: &Prefixes<'_>, inner: impl Iterator<Item = Vec<Cell>>) -> Self {
        let first = std::iter::once(vec![Cell::single(prefixes, 0)]);
        let last = std::iter::once(vec![Cell::single(prefixes, prefixes.len())]);
        Self(first.chain(inner).chain(last).collect())
    }

    /// Every cell cut into at most `parts`.
    pub(super) fn split(&self, prefixes: &Prefixes<'_>, parts: usize) -> Self {
        let split = |cells: &Vec<Cell>| {
            let mut out = Vec::with_capacity(cells.len() * parts.min(8));
            cells.iter().for_each(|cell| cell.split_into(prefixes, parts, &mut out));
            out
        };
        Self(self.0.iter().map(split).collect())
    }

    /// Whether every cell is one position.
    pub(super) fn are_single(&self) -> bool {
        self.0.iter().flatten().all(Cell::is_single)
    }

    /// Whether some boundary has no place left.
    pub(super) fn are_empty(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }

    /// The most positions in a cell.
    pub(super) fn widest(&self) -> usize {
        self.0.iter().flatten().map(Cell::positions).max().unwrap_or(1)
    }

    /// The first position of each cell, alone.
    pub(super) fn first_positions(&self) -> Self {
        let first = |cell: &Cell| Cell { high: cell.low, at_high: cell.at_low, ..*cell };
        Self(self.0.iter().map(|cells| cells.iter().map(first).collect()).collect())
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.0.len() - 1
    }
}
