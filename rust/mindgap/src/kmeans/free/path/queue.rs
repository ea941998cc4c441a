//! A queue for the best last cluster of the nodes so far, among pieces that no later node changes.
//!
//! Let v < v' be two centres of the last cluster, both left of all nodes to come. Each further node favours v' over v,
//! so once a piece beats those to its left it does so for good: the queue holds the pieces that will be best, each with
//! the node from which on it is (as in the search for a penalty without bounds). Under an upper bound pieces leave the
//! queue on the left, which preserves this.

use super::nodes::PathNodes;
use super::piece::CenterPiece;
use std::collections::VecDeque;

/// A part of a piece, best from some node on.
#[derive(Clone, Copy)]
struct PieceReign {
    piece: CenterPiece,
    since: usize,
}

/// The pieces that will be best.
pub(super) struct PieceQueue<'a> {
    nodes: &'a PathNodes,
    /// The largest distance of a centre from the boundary.
    reach: f64,
    /// The last end that matters.
    last: usize,
    reigns: VecDeque<PieceReign>,
}

/// The step length at which the search for a crossing tries the very end.
const HASTE: usize = 16;

impl<'a> PieceQueue<'a> {
    pub(super) fn new(nodes: &'a PathNodes, reach: f64) -> Self {
        Self { nodes, reach, last: nodes.len() - 1, reigns: VecDeque::new() }
    }

    /// Forgets all pieces.
    pub(super) fn clear(&mut self) {
        self.reigns.clear();
    }

    /// The predecessors of the pieces in the queue.
    pub(super) fn beginnings(&mut self) -> impl Iterator<Item = &mut u32> {
        self.reigns.iter_mut().map(|reign| &mut reign.piece.beginning)
    }

    /// The number of pieces in the queue.
    pub(super) fn len(&self) -> usize {
        self.reigns.len()
    }

    /// The best centre if the last cluster ends before node `end`, its cost, and its predecessor.
    #[inline(always)]
    pub(super) fn best(&mut self, end: usize) -> Option<(f64, f64, u32)> {
        while self.reigns.get(1).is_some_and(|next| next.since <= end) {
            self.reigns.pop_front();
        }
        let piece = self.reigns.front()?.piece;
        let (center, cost) = self.lowest(&piece, end);
        (cost < f64::INFINITY).then_some((center, cost, piece.beginning))
    }

    /// The minimiser of a piece and its cost: infinite if the piece is out of reach.
    #[inline(always)]
    fn lowest(&self, piece: &CenterPiece, end: usize) -> (f64, f64) {
        let from = if self.reach < f64::INFINITY { piece.from.max(self.nodes.x[end] - self.reach) } else { piece.from };
        if from > piece.to { (from, f64::INFINITY) } else { piece.lowest(&mut self.nodes.ending(end), from, piece.to) }
    }

    /// Whether `piece` is better than `rival`, which lies to its left and so is out of reach first.
    #[inline(always)]
    fn beats(&self, piece: &CenterPiece, rival: &CenterPiece, end: usize) -> bool {
        let rival = self.lowest(rival, end).1;
        rival == f64::INFINITY || self.lowest(piece, end).1 < rival
    }

    /// Adds a piece to the right of all others; clusters may end with it from node `first` on.
    #[inline(always)]
    pub(super) fn push(&mut self, piece: CenterPiece, first: usize) {
        if first > self.last {
            return;
        }
        while let Some(rival) = self.reigns.back() {
            let since = rival.since.max(first);
            if !self.beats(&piece, &rival.piece, since) {
                if let Some(since) = self.crossing(&piece, &rival.piece, since) {
                    self.reigns.push_back(PieceReign { piece, since });
                }
                return;
            }
            self.reigns.pop_back();
        }
        self.reigns.push_back(PieceReign { piece, since: first });
    }

    /// The first end after `lost`, where `rival` is still at least as good, at which `piece` is better.
    #[inline(always)]
    fn crossing(&self, piece: &CenterPiece, rival: &CenterPiece, lost: usize) -> Option<usize> {
        let last = self.last;
        let (mut low, mut high, mut step) = (lost, last + 1, 1);
        while low + step < high {
            // A piece that is not best within a few steps often never is.
            let probe = if step == HASTE { last } else { low + step };
            if self.beats(piece, rival, probe) {
                high = probe;
            } else if probe == last {
                return None;
            } else {
                low = probe;
            }
            step *= 2;
        }
        if high > last && (low == last || !self.beats(piece, rival, last)) {
            return None;
        }
        high = high.min(last);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.beats(piece, rival, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}
