//! [`BoundaryCells`]: runs of neighbouring positions in which a boundary between two clusters may lie.
//!
//! Boundary `m` divides cluster `m - 1` from cluster `m` and lies before the point of its position. Each boundary has
//! its own ascending list of cells; positions that are in no optimum have no cell.
//!
//! If atoms have a width, a boundary may also lie inside one: a cell then covers everything between two edges of atoms.
//! The finest cells are atoms that may be cut and single edges.

use crate::data::sample::{Prefix, Prefixes};
use crate::kmeans::sizes::Sizes;
use crate::numeric::first_false;

/// The positions `low..=high`, and the range of the next boundary if this one lies here.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundaryCell {
    pub(super) low: usize,
    pub(super) high: usize,
    /// The prefix sums at either end.
    pub(super) at_low: Prefix,
    pub(super) at_high: Prefix,
    /// The first and the last possible position of the next boundary.
    pub(super) next: (usize, usize),
}

impl BoundaryCell {
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

    /// Appends this cell cut into at most `parts` of about equal weight: atoms differ by orders of magnitude, and the
    /// heaviest cell decides how weak the bounds are. At a cut beside an `open` atom both cells include the edge,
    /// because a boundary may lie between it and the next.
    fn split_into(&self, prefixes: &Prefixes<'_>, parts: usize, open: &[bool], out: &mut Vec<BoundaryCell>) {
        let atoms = self.high - self.low;
        let parts = parts.min(self.positions());
        let mut low = self.low;
        for part in 1..parts {
            let cut = match atoms {
                0 | 1 => self.low,
                _ if parts > atoms => self.low + part - 1,
                _ => self.weight_quantile(prefixes, part as f64 / parts as f64),
            };
            // One atom may have the weight of several parts.
            if cut < low {
                continue;
            }
            join(out, BoundaryCell::new(prefixes, low, cut, self.next));
            low = if is_open(open, cut) { cut } else { cut + 1 };
        }
        join(out, BoundaryCell::new(prefixes, low, self.high, self.next));
    }

    /// The position inside this cell, of at least two atoms, with about `share` of the weight before it.
    fn weight_quantile(&self, prefixes: &Prefixes<'_>, share: f64) -> usize {
        let aim = share * self.at_low.weight_until(&self.at_high);
        first_false(self.low + 1, self.high - 1, |i| self.at_low.weight_until(&prefixes.at(i)) < aim)
    }
}

/// Whether a boundary may lie inside an atom; `open` is empty if no atom has a width.
fn is_open(open: &[bool], atom: usize) -> bool {
    open.get(atom).copied().unwrap_or(false)
}

/// Appends a cell, or merges its range of next boundaries into the last one if one is an edge of the other.
fn join(cells: &mut Vec<BoundaryCell>, cell: BoundaryCell) {
    match cells.last_mut() {
        Some(last) if (last.is_single() || cell.is_single()) && cell.low <= last.high => {
            let next = (last.next.0.min(cell.next.0), last.next.1.max(cell.next.1));
            *last = BoundaryCell { next, ..if last.is_single() { cell } else { *last } };
        }
        _ => cells.push(cell),
    }
}

/// The cells of every boundary, from the fixed one before the first point to the fixed one after the last, and the
/// bounds on cluster sizes.
#[derive(Clone, Debug)]
pub(super) struct BoundaryCells(pub(super) Vec<Vec<BoundaryCell>>, pub(super) Sizes);

impl BoundaryCells {
    /// All edges between atoms, and the inside of `open` atoms, for all boundaries of `k` clusters, in about `count`
    /// cells per boundary.
    pub(super) fn all(prefixes: &Prefixes<'_>, k: usize, sizes: Sizes, count: usize, open: &[bool]) -> Self {
        let n = prefixes.len();
        let inner = (1..k).map(|m| {
            // Several boundaries may lie inside one atom, but only one at an edge.
            let (first, last) = if open.is_empty() { (m, n - k + m) } else { (0, n) };
            let mut cells = Vec::with_capacity(count);
            BoundaryCell::new(prefixes, first, last, (0, n)).split_into(prefixes, count, open, &mut cells);
            cells
        });
        Self::between_ends(prefixes, inner, sizes)
    }

    /// One cell for each of the given ascending positions of each inner boundary.
    pub(super) fn at_positions(prefixes: &Prefixes<'_>, positions: &[Vec<usize>], sizes: Sizes) -> Self {
        let single = |list: &Vec<usize>| list.iter().map(|&p| BoundaryCell::single(prefixes, p)).collect();
        Self::between_ends(prefixes, positions.iter().map(single), sizes)
    }

    fn between_ends(prefixes: &Prefixes<'_>, inner: impl Iterator<Item = Vec<BoundaryCell>>, sizes: Sizes) -> Self {
        let first = std::iter::once(vec![BoundaryCell::single(prefixes, 0)]);
        let last = std::iter::once(vec![BoundaryCell::single(prefixes, prefixes.len())]);
        Self(first.chain(inner).chain(last).collect(), sizes)
    }

    /// Cuts every cell into at most `parts`.
    pub(super) fn split(&self, prefixes: &Prefixes<'_>, parts: usize, open: &[bool]) -> Self {
        let split = |cells: &Vec<BoundaryCell>| {
            let mut out = Vec::with_capacity(cells.len() * parts.min(8));
            cells.iter().for_each(|cell| cell.split_into(prefixes, parts, open, &mut out));
            out
        };
        Self(self.0.iter().map(split).collect(), self.1)
    }

    /// Whether no cell can be split: every one is an edge or an atom that may be cut.
    pub(super) fn are_finest(&self, open: &[bool]) -> bool {
        self.0.iter().flatten().all(|cell| cell.is_single() || (cell.high - cell.low == 1 && is_open(open, cell.low)))
    }

    /// Closes the atoms that no cell contains.
    pub(super) fn close_others(&self, open: &mut [bool]) {
        let mut contained = vec![false; open.len()];
        self.0.iter().flatten().for_each(|cell| contained[cell.low..cell.high].fill(true));
        open.iter_mut().zip(contained).for_each(|(open, contained)| *open &= contained);
    }

    /// Whether every cell is one position.
    pub(super) fn are_single(&self) -> bool {
        self.0.iter().flatten().all(BoundaryCell::is_single)
    }

    /// Whether some boundary has no cell left.
    pub(super) fn are_empty(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }

    /// The largest number of positions in a cell.
    pub(super) fn widest(&self) -> usize {
        self.0.iter().flatten().map(BoundaryCell::positions).max().unwrap_or(1)
    }

    /// Single positions to search for partitions: the first of each cell and, if atoms may be cut, the last.
    pub(super) fn edges(&self, open: &[bool]) -> Self {
        let edges = |cells: &Vec<BoundaryCell>| {
            let mut out = Vec::with_capacity(cells.len() + 1);
            for cell in cells {
                join(&mut out, BoundaryCell { high: cell.low, at_high: cell.at_low, ..*cell });
                if !open.is_empty() {
                    join(&mut out, BoundaryCell { low: cell.high, at_low: cell.at_high, ..*cell });
                }
            }
            out
        };
        Self(self.0.iter().map(edges).collect(), self.1)
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.0.len() - 1
    }
}
