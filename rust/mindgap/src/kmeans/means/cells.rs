//! Cells: runs of neighbouring positions where a boundary between two clusters may lie.
//!
//! Boundary `m` divides cluster `m - 1` from cluster `m` and sits before the point of that index. Each boundary has its
//! own ascending list of cells; what is known not to be in an optimum has no cell any more.
//!
//! Where points are blobs, a boundary may also lie inside one: a cell then reaches from one edge between blobs to another
//! and stands for all that is between them. Cells end as blobs that may be cut, or as single edges.

use crate::data::sample::{Prefix, Prefixes};

/// The positions `low..=high`, and what is known of the next boundary if this one lies here.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundaryCell {
    pub(super) low: usize,
    pub(super) high: usize,
    /// The prefix sums at either end.
    pub(super) at_low: Prefix,
    pub(super) at_high: Prefix,
    /// Where the next boundary may lie: first and last position.
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

    /// Appends this cell cut into at most `parts` nearly as heavy ones: blobs differ by orders of magnitude, and bounds are
    /// as weak as the heaviest cell. Where a cut is beside an `open` blob, the cells have it in common: there are places
    /// between it and the next.
    fn split_blobs(&self, prefixes: &Prefixes<'_>, parts: usize, open: &[bool], out: &mut Vec<BoundaryCell>) {
        let blobs = self.high - self.low;
        let parts = parts.min(self.positions());
        let mut low = self.low;
        for part in 1..parts {
            let cut = match blobs {
                0 | 1 => self.low,
                _ if parts > blobs => self.low + part - 1,
                _ => self.heavy_cut(prefixes, part as f64 / parts as f64),
            };
            // Several parts of the weight may be in one blob.
            if cut < low {
                continue;
            }
            join(out, BoundaryCell::new(prefixes, low, cut, self.next));
            low = if open[cut] { cut } else { cut + 1 };
        }
        join(out, BoundaryCell::new(prefixes, low, self.high, self.next));
    }

    /// The position inside this cell, of two blobs at least, that has about `share` of the weight before it.
    fn heavy_cut(&self, prefixes: &Prefixes<'_>, share: f64) -> usize {
        let aim = share * self.at_low.weight_until(&self.at_high);
        let (mut low, mut high) = (self.low + 1, self.high - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at_low.weight_until(&prefixes.at(middle)) < aim { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Appends this cell cut into at most `parts` nearly equal ones.
    fn split_into(&self, prefixes: &Prefixes<'_>, parts: usize, out: &mut Vec<BoundaryCell>) {
        let (count, parts) = (self.positions(), parts.min(self.positions()));
        if parts == 1 {
            out.push(*self);
            return;
        }
        for part in 0..parts {
            let low = self.low + count * part / parts;
            let high = self.low + count * (part + 1) / parts - 1;
            out.push(BoundaryCell::new(prefixes, low, high, self.next));
        }
    }
}

/// Appends a cell, or lets the last one know what it knows where one of them is an edge of the other.
fn join(cells: &mut Vec<BoundaryCell>, cell: BoundaryCell) {
    match cells.last_mut() {
        Some(last) if (last.is_single() || cell.is_single()) && cell.low <= last.high => {
            let next = (last.next.0.min(cell.next.0), last.next.1.max(cell.next.1));
            *last = BoundaryCell { next, ..if last.is_single() { cell } else { *last } };
        }
        _ => cells.push(cell),
    }
}

/// The cells of every boundary, from the fixed one before the first point to the fixed one after the last.
#[derive(Clone, Debug)]
pub(super) struct BoundaryCells(pub(super) Vec<Vec<BoundaryCell>>);

impl BoundaryCells {
    /// All positions of all boundaries of `k` clusters, in about `count` cells a boundary.
    pub(super) fn all(prefixes: &Prefixes<'_>, k: usize, count: usize) -> Self {
        let n = prefixes.len();
        let inner = (1..k).map(|m| {
            let whole = BoundaryCell::new(prefixes, m, n - k + m, (0, n));
            let mut cells = Vec::with_capacity(count);
            whole.split_into(prefixes, count, &mut cells);
            cells
        });
        Self::between_ends(prefixes, inner)
    }

    /// All edges between blobs, and the inside of those that are `open`, for all boundaries of `k` clusters.
    pub(super) fn all_blobs(prefixes: &Prefixes<'_>, k: usize, count: usize, open: &[bool]) -> Self {
        let n = prefixes.len();
        let mut cells = Vec::with_capacity(count);
        BoundaryCell::new(prefixes, 0, n, (0, n)).split_blobs(prefixes, count, open, &mut cells);
        Self::between_ends(prefixes, (1..k).map(|_| cells.clone()))
    }

    /// One cell for each of the given ascending positions of each inner boundary.
    pub(super) fn at_positions(prefixes: &Prefixes<'_>, positions: &[Vec<usize>]) -> Self {
        let single = |list: &Vec<usize>| list.iter().map(|&p| BoundaryCell::single(prefixes, p)).collect();
        Self::between_ends(prefixes, positions.iter().map(single))
    }

    fn between_ends(prefixes: &Prefixes<'_>, inner: impl Iterator<Item = Vec<BoundaryCell>>) -> Self {
        let first = std::iter::once(vec![BoundaryCell::single(prefixes, 0)]);
        let last = std::iter::once(vec![BoundaryCell::single(prefixes, prefixes.len())]);
        Self(first.chain(inner).chain(last).collect())
    }

    /// Every cell cut into at most `parts`.
    pub(super) fn split(&self, prefixes: &Prefixes<'_>, parts: usize) -> Self {
        let split = |cells: &Vec<BoundaryCell>| {
            let mut out = Vec::with_capacity(cells.len() * parts.min(8));
            cells.iter().for_each(|cell| cell.split_into(prefixes, parts, &mut out));
            out
        };
        Self(self.0.iter().map(split).collect())
    }

    /// As [`split`](Self::split), where points are blobs.
    pub(super) fn split_blobs(&self, prefixes: &Prefixes<'_>, parts: usize, open: &[bool]) -> Self {
        let split = |cells: &Vec<BoundaryCell>| {
            let mut out = Vec::with_capacity(cells.len() * parts.min(8));
            cells.iter().for_each(|cell| cell.split_blobs(prefixes, parts, open, &mut out));
            out
        };
        Self(self.0.iter().map(split).collect())
    }

    /// Whether no cell of blobs can be split: every one is an edge or a blob that may be cut.
    pub(super) fn are_blobs(&self, open: &[bool]) -> bool {
        self.0.iter().flatten().all(|cell| cell.is_single() || (cell.high - cell.low == 1 && open[cell.low]))
    }

    /// Closes the blobs that no cell holds.
    pub(super) fn close_others(&self, open: &mut [bool]) {
        let mut held = vec![false; open.len()];
        self.0.iter().flatten().for_each(|cell| held[cell.low..cell.high].fill(true));
        open.iter_mut().zip(held).for_each(|(open, held)| *open &= held);
    }

    /// Whether every cell is one position.
    pub(super) fn are_single(&self) -> bool {
        self.0.iter().flatten().all(BoundaryCell::is_single)
    }

    /// Whether some boundary has no place left.
    pub(super) fn are_empty(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }

    /// The most positions in a cell.
    pub(super) fn widest(&self) -> usize {
        self.0.iter().flatten().map(BoundaryCell::positions).max().unwrap_or(1)
    }

    /// The first position of each cell, alone.
    pub(super) fn first_positions(&self) -> Self {
        let first = |cell: &BoundaryCell| BoundaryCell { high: cell.low, at_high: cell.at_low, ..*cell };
        Self(self.0.iter().map(|cells| cells.iter().map(first).collect()).collect())
    }

    /// The first and the last position of each cell, alone.
    pub(super) fn outer_positions(&self) -> Self {
        let outer = |cells: &Vec<BoundaryCell>| {
            let mut out = Vec::with_capacity(cells.len() + 1);
            for cell in cells {
                join(&mut out, BoundaryCell { high: cell.low, at_high: cell.at_low, ..*cell });
                join(&mut out, BoundaryCell { low: cell.high, at_low: cell.at_high, ..*cell });
            }
            out
        };
        Self(self.0.iter().map(outer).collect())
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.0.len() - 1
    }
}
