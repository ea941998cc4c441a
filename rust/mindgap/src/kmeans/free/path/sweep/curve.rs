//! [`PathCurve`]: the cost of paths as a function of the centre of their last cluster, in pieces.

use super::super::piece::CenterPiece;
use super::super::queue::PieceQueue;
use super::Sweep;
use std::collections::VecDeque;

/// The cost of paths as a function of the centre of their last cluster.
pub(super) struct PathCurve<'a> {
    /// Pieces that later clusters do not change, as far back as a boundary needs them.
    pub(super) settled: VecDeque<CenterPiece>,
    /// Pieces farther right.
    pub(super) ahead: VecDeque<CenterPiece>,
    pub(super) queue: PieceQueue<'a>,
}

impl<'a> PathCurve<'a> {
    pub(super) fn new(sweep: &'a Sweep<'a>) -> Self {
        let queue = PieceQueue::new(sweep.nodes, 0.5 * sweep.upper);
        Self { settled: VecDeque::new(), ahead: VecDeque::new(), queue }
    }

    /// The best paths for every position of the last cluster's centre.
    pub(super) fn pieces(&self) -> impl DoubleEndedIterator<Item = &CenterPiece> {
        self.settled.iter().chain(&self.ahead)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.ahead.is_empty() && self.queue.len() == 0
    }

    pub(super) fn clear(&mut self) {
        self.settled.clear();
        self.ahead.clear();
        self.queue.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.settled.len() + self.ahead.len() + self.queue.len()
    }

    /// The pieces between two positions, each with the part that lies there.
    #[inline(always)]
    pub(super) fn over(&self, (from, to): (f64, f64), mut see: impl FnMut(&CenterPiece, f64, f64)) {
        let first = match self.settled.front() {
            Some(piece) if piece.to > from => 0,
            _ => self.settled.partition_point(|piece| piece.to <= from),
        };
        for piece in self.settled.range(first..).chain(&self.ahead) {
            if piece.from >= to {
                break;
            }
            if piece.to > from {
                see(piece, piece.from.max(from), piece.to.min(to));
            }
        }
    }
}
