//! One sweep: the best centres of all points when each cluster costs a penalty on top, however many clusters there are.
//!
//! `V(j, u)` is the least cost of the nodes before `j`, penalties included, when the last cluster is centred at `u`. In an
//! optimum the boundary of two clusters lies at the midpoint of their centres. So the clusters that begin with node `j` have few
//! centres `u`, by where the centre `v` before them is: at a bound, `u - v` is known and the midpoint lies between the nodes
//! `j - 1` and `j`; within the bounds `v` is the best centre of all that are admissible, which a [`PieceQueue`] knows. A piece of `V`
//! is touched when it begins, when it enters the queue and when a boundary passes it: O(P log N) for P pieces. There are
//! about as many as nodes where no bound is active, and `c` times as many after `c` gaps at their bounds.

use super::MOST_LINKS;
use super::nodes::{NodeEnding, PathNodes};
use super::piece::{Anchor, CenterPiece, CostParabola, append_lower};
use super::queue::PieceQueue;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::piecewise::{Curve, Quadratic, window};
use crate::kmeans::rounding::of_path;
use std::collections::VecDeque;

/// The optimum of a sweep.
pub(super) struct SweepOptimum {
    /// The cost, penalties included.
    pub(super) value: f64,
    /// The first node of each cluster that has points.
    pub(super) starts: Vec<usize>,
    /// The number of clusters, with those that have no points.
    pub(super) links: usize,
    /// What rounding may have added to the value.
    pub(super) rounding: f64,
}

/// What a sweep rests on.
pub(super) struct Sweep<'a> {
    pub(super) nodes: &'a PathNodes,
    /// The bounds on every gap.
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) penalty: f64,
    /// Where centres may be.
    pub(super) domain: (f64, f64),
}

/// Which node a cluster began with, which cluster came before it, and how many links away.
#[derive(Clone, Copy)]
struct Beginning {
    before: u32,
    start: u32,
    links: u32,
}

/// The best centre before a boundary, its cost, and where its cluster began.
type BestBefore = (f64, f64, u32);

/// A sweep on its way.
struct SweepProgress<'a> {
    sweep: &'a Sweep<'a>,
    /// Pieces that no further cluster changes, as far back as a boundary needs them.
    settled: VecDeque<CenterPiece>,
    /// Pieces farther right.
    ahead: VecDeque<CenterPiece>,
    queue: PieceQueue<'a>,
    beginnings: Vec<Beginning>,
    /// The best last cluster of all among the settled pieces, under an upper bound.
    best: Option<BestBefore>,
    // Lists that are used again for every node.
    begun: Vec<CenterPiece>,
    bests: Vec<BestBefore>,
    near: Vec<CenterPiece>,
    merged: Vec<CenterPiece>,
}

/// So many pieces are kept without a look at the memory: some hundred kilobytes.
const FEW_PIECES: usize = 1 << 12;

impl Sweep<'_> {
    /// Sweeps the nodes.
    pub(super) fn run(&self, budget: &mut Budget<'_>) -> Result<SweepOptimum, Stop> {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.run_here(budget),
        )
    }

    #[inline(always)]
    fn run_here(&self, budget: &mut Budget<'_>) -> Result<SweepOptimum, Stop> {
        let all = CenterPiece::flat(self.domain, self.penalty, 0, 0);
        let mut progress = SweepProgress {
            sweep: self,
            settled: VecDeque::new(),
            ahead: VecDeque::from([all]),
            queue: PieceQueue::new(self.nodes, 0.5 * self.upper),
            beginnings: vec![Beginning { before: 0, start: 0, links: 1 }],
            best: None,
            begun: Vec::new(),
            bests: Vec::new(),
            near: Vec::new(),
            merged: Vec::new(),
        };
        let mut allowed = FEW_PIECES;
        for j in 1..self.nodes.len() {
            let pieces = progress.pass(j);
            budget.spend(pieces)?;
            if progress.pieces() > allowed {
                // Lists grow to twice their length, with a copy beside them.
                allowed = 2 * progress.pieces();
                budget.has_memory(2 * allowed * size_of::<CenterPiece>())?;
            }
            if progress.beginnings.len() == progress.beginnings.capacity() {
                // The list grows to twice its length.
                budget.has_memory(2 * progress.beginnings.len() * size_of::<Beginning>())?;
            }
        }
        Ok(progress.end())
    }

    /// Where the centre before the boundary at node `j` is if the gap is `gap` and the midpoint lies at the boundary.
    #[inline(always)]
    fn strip(&self, j: usize, gap: f64) -> (f64, f64) {
        (self.nodes.x[j - 1] - 0.5 * gap, self.nodes.x[j] - 0.5 * gap)
    }
}

impl SweepProgress<'_> {
    /// The number of pieces that are kept.
    fn pieces(&self) -> usize {
        self.settled.len() + self.ahead.len() + self.queue.len()
    }

    /// Lets clusters begin with node `j`; says how many pieces it saw.
    #[inline(always)]
    fn pass(&mut self, j: usize) -> u64 {
        let Sweep { nodes, lower, upper, .. } = *self.sweep;
        let tight = self.sweep.strip(j, lower);
        let stretched = if upper < f64::INFINITY { self.sweep.strip(j, upper) } else { (f64::NEG_INFINITY, tight.0) };
        let far = stretched.0.min(tight.0);
        while self.settled.front().is_some_and(|piece| piece.to <= far) {
            self.settled.pop_front();
        }
        let first = self.queue.best(j);
        // Where the strips overlap there is nothing in between to be compared with.
        let ordered = stretched.1 <= tight.0;
        let mut record = first.map_or(f64::INFINITY, |best| best.1);
        let (mut begun, mut bests) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.bests));
        begun.clear();
        bests.clear();
        bests.extend(first);
        let mut ending = nodes.ending(j);
        self.over(tight, |piece, from, to| {
            begun.push(self.tight_piece(piece, &mut ending, j, (from, to), (1, 0)));
            if let Some(best) = valley(piece, &mut ending, from, to).filter(|best| best.1 < record || !ordered) {
                record = best.1;
                bests.push(best);
            }
        });
        let mut seen = begun.len();
        if upper < f64::INFINITY {
            seen += self.stretch(j, stretched, ordered, first, &mut bests);
            if nodes.x[j] - nodes.x[j - 1] > 0.5 * upper {
                seen += self.bridge(j, (stretched.0, tight.1));
            }
        }
        for &best in &bests {
            self.begin_within(j, best);
        }
        self.bests = bests;
        self.note(&mut begun, j);
        self.settle(j, &begun, tight.1 + lower);
        self.begun = begun;
        seen += self.enqueue(j, tight);
        seen as u64 + 1
    }

    /// The pieces between two places, each with the part that lies there.
    #[inline(always)]
    fn over(&self, (from, to): (f64, f64), mut see: impl FnMut(&CenterPiece, f64, f64)) {
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

    /// The clusters that begin with node `j` after centres from `from` to `to` of `piece`, at one of the bounds.
    #[inline(always)]
    fn tight_piece(
        &self,
        piece: &CenterPiece,
        ending: &mut NodeEnding<'_>,
        j: usize,
        (from, to): (f64, f64),
        tight: (u32, u32),
    ) -> CenterPiece {
        let Sweep { lower, upper, penalty, .. } = *self.sweep;
        let gap = if tight.0 > 0 { lower } else { upper };
        let mut piece = *piece;
        if piece.is_flat() {
            // Its origin matters to nobody yet: the nearer, the less rounding.
            piece.origin = 0.5 * (from + to);
            piece.anchor = Anchor { place: piece.origin, tight: (0, 0) };
        }
        let before = piece.until(ending, piece.origin);
        let gaps = (piece.anchor.tight.0 + tight.0, piece.anchor.tight.1 + tight.1);
        let uppers = if gaps.1 > 0 { f64::from(gaps.1) * upper } else { 0.0 };
        CenterPiece {
            from: from + gap,
            to: to + gap,
            before: CostParabola { level: before.level + penalty, ..before },
            origin: piece.anchor.place + (f64::from(gaps.0) * lower + uppers),
            anchor: Anchor { place: piece.anchor.place, tight: gaps },
            start: j as u32,
            beginning: piece.beginning,
        }
    }

    /// Clusters whose gap is at the upper bound begin with node `j`, and those after the best centres in the strip are added to
    /// `bests`. Says how many pieces there were.
    fn stretch(
        &mut self,
        j: usize,
        strip: (f64, f64),
        ordered: bool,
        first: Option<BestBefore>,
        bests: &mut Vec<BestBefore>,
    ) -> usize {
        let mut stretched = Vec::new();
        let added = bests.len();
        let mut ending = self.sweep.nodes.ending(j);
        self.over(strip, |piece, from, to| {
            stretched.push(self.tight_piece(piece, &mut ending, j, (from, to), (0, 1)));
            bests.extend(valley(piece, &mut ending, from, to));
        });
        let mut record = first.map_or(f64::INFINITY, |best| best.1);
        // From the right: a centre farther left is of use only if it costs less than all those in between.
        bests[added..].reverse();
        let mut place = 0;
        bests.retain(|best| {
            place += 1;
            let kept = place <= added || !ordered || best.1 < record;
            record = if place > added && kept { best.1 } else { record };
            kept
        });
        self.note(&mut stretched, j);
        self.merge_back(j, &stretched);
        stretched.len()
    }

    /// Crosses the space before node `j` by centres that no point is nearest to, after centres within `range`. Says how many
    /// pieces there were.
    fn bridge(&mut self, j: usize, range: (f64, f64)) -> usize {
        let Sweep { nodes, lower, upper, penalty, domain } = *self.sweep;
        let (origin, space) = (nodes.x[j - 1], nodes.x[j] - nodes.x[j - 1]);
        let mut before = Curve::new();
        let mut ending = nodes.ending(j);
        self.over(range, |piece, from, to| {
            let CostParabola { level, slope, bend } = piece.until(&mut ending, origin);
            let (start, end) = (from - origin, to - origin);
            before.push(Quadratic { start, end, level, slope, bend, origin: piece.beginning });
        });
        let most = 2 + (space / upper) as usize;
        let from = self.sweep.strip(j, lower).0 + lower - origin;
        let mut seen = before.len();
        for links in 2..=most.min(MOST_LINKS) {
            let count = links as f64;
            let farthest = if links < MOST_LINKS { count * upper } else { f64::INFINITY };
            let slid = window(&before, count * lower, farthest, from, domain.1 - origin);
            let begun: Vec<CenterPiece> = slid
                .iter()
                .map(|piece| {
                    let beginning = self.begin(piece.origin, j, links as u32);
                    let level = piece.level + count * penalty;
                    CenterPiece {
                        from: piece.start + origin,
                        to: piece.end + origin,
                        before: CostParabola { level, slope: piece.slope, bend: piece.bend },
                        origin,
                        anchor: Anchor { place: origin, tight: (0, 0) },
                        start: j as u32,
                        beginning,
                    }
                })
                .collect();
            seen += begun.len();
            self.merge_back(j, &begun);
        }
        seen
    }

    /// Clusters begin with node `j` after the centre `best`, at a gap within the bounds.
    #[inline(always)]
    fn begin_within(&mut self, j: usize, (center, cost, before): BestBefore) {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let from = (2.0 * nodes.x[j - 1] - center).max(center + lower).max(self.sweep.strip(j, lower).0 + lower);
        if upper == f64::INFINITY {
            return self.stack(j, from, cost + penalty, before);
        }
        let to = (2.0 * nodes.x[j] - center).min(center + upper);
        if from < to {
            let beginning = self.begin(before, j, 1);
            self.merge_back(j, &[CenterPiece::flat((from, to), cost + penalty, j as u32, beginning)]);
        }
    }

    /// Clusters begin with node `j` at `level` from the place `from` on, without an upper bound. All pieces ahead are flat then. The
    /// farther right the centre, the more the nodes of earlier clusters cost there: so the new piece is better from some place on,
    /// and each piece is taken off the end but once.
    #[inline(always)]
    fn stack(&mut self, j: usize, mut from: f64, level: f64, before: u32) {
        let mut ending = self.sweep.nodes.ending(j);
        while let Some(rival) = self.ahead.back_mut() {
            let block = ending.since(rival.start as usize);
            let own = level - (rival.before.level + block.cost);
            let cost = |u: f64| block.weight * (u - block.mean).powi(2);
            if cost(rival.from.max(from)) < own {
                // Right of the last piece that is left there is nothing but the new one.
                let crossing = (block.mean + (own / block.weight).sqrt()).max(rival.from);
                from = from.max(if cost(rival.to) <= own { rival.to } else { crossing.min(rival.to) });
            } else if rival.from >= from {
                self.ahead.pop_back();
                continue;
            }
            rival.to = from;
            break;
        }
        let to = self.sweep.domain.1;
        if from < to {
            let beginning = self.begin(before, j, 1);
            self.ahead.push_back(CenterPiece::flat((from, to), level, j as u32, beginning));
        }
    }

    #[inline(always)]
    fn begin(&mut self, before: u32, j: usize, links: u32) -> u32 {
        self.beginnings.push(Beginning { before, start: j as u32, links });
        self.beginnings.len() as u32 - 1
    }

    /// Notes where new pieces come from.
    #[inline(always)]
    fn note(&mut self, begun: &mut [CenterPiece], j: usize) {
        for piece in begun {
            piece.beginning = self.begin(piece.beginning, j, 1);
        }
    }

    /// Merges new pieces into those ahead.
    #[inline(always)]
    fn merge_back(&mut self, j: usize, begun: &[CenterPiece]) {
        let Some(first) = begun.first() else { return };
        self.near.clear();
        while let Some(piece) = self.ahead.back().filter(|piece| piece.to > first.from) {
            self.near.push(*piece);
            self.ahead.pop_back();
        }
        self.near.reverse();
        self.merged.clear();
        append_lower(&mut self.sweep.nodes.ending(j), &self.near, begun, &mut self.merged);
        self.ahead.extend(&self.merged);
    }

    /// Merges new pieces with those ahead up to `limit`, beyond which later clusters begin.
    #[inline(always)]
    fn settle(&mut self, j: usize, begun: &[CenterPiece], limit: f64) {
        self.near.clear();
        while let Some(piece) = self.ahead.front_mut().filter(|piece| piece.from < limit) {
            self.near.push(CenterPiece { to: piece.to.min(limit), ..*piece });
            if piece.to > limit {
                piece.from = limit;
                break;
            }
            self.ahead.pop_front();
        }
        self.merged.clear();
        append_lower(&mut self.sweep.nodes.ending(j), &self.near, begun, &mut self.merged);
        self.settled.extend(&self.merged);
    }

    /// Lets the pieces within `strip` end clusters from node `j + 1` on; says how many there were.
    #[inline(always)]
    fn enqueue(&mut self, j: usize, strip: (f64, f64)) -> usize {
        let nodes = self.sweep.nodes;
        let mut parts = std::mem::take(&mut self.near);
        parts.clear();
        self.over(strip, |piece, from, to| parts.push(CenterPiece { from, to, ..*piece }));
        let (mut ending, mut last) = (nodes.ending(j + 1), nodes.ending(nodes.len()));
        for piece in &parts {
            // Where the cost falls beyond the piece it will do so ever after: the best centre is elsewhere.
            let origin = piece.near(&mut ending, piece.from, piece.to);
            let now = piece.until(&mut ending, origin);
            let end = piece.to - origin;
            let falls = now.slope + 2.0 * now.bend * (end + (piece.to - piece.from)) < 0.0;
            if !falls {
                self.queue.push(*piece, j + 1);
            }
            if self.sweep.upper < f64::INFINITY {
                self.offer_last(piece, &mut last);
            }
        }
        let seen = parts.len();
        self.near = parts;
        seen
    }

    /// Lets the last cluster of all have its centre in a piece.
    #[inline(always)]
    fn offer_last(&mut self, piece: &CenterPiece, ending: &mut NodeEnding<'_>) {
        let (center, cost) = piece.lowest(ending, piece.from, piece.to);
        if self.best.is_none_or(|best| cost < best.1) {
            self.best = Some((center, cost, piece.beginning));
        }
    }

    /// The best of all.
    fn end(mut self) -> SweepOptimum {
        let n = self.sweep.nodes.len();
        if self.sweep.upper == f64::INFINITY {
            self.best = self.queue.best(n);
        }
        let left: Vec<CenterPiece> = self.settled.iter().chain(&self.ahead).copied().collect();
        let mut ending = self.sweep.nodes.ending(n);
        left.iter().for_each(|piece| self.offer_last(piece, &mut ending));
        let (value, mut node) = self.best.map_or((f64::INFINITY, 0), |best| (best.1, best.2));
        let (mut starts, mut links) = (Vec::new(), 0);
        loop {
            let Beginning { before, start, links: since } = self.beginnings[node as usize];
            starts.push(start as usize);
            links += since as usize;
            if node == 0 {
                break;
            }
            node = before;
        }
        starts.reverse();
        let far = self.sweep.domain.0.abs().max(self.sweep.domain.1.abs());
        let squares = self.sweep.nodes.block(0, n).weight * (value - self.sweep.penalty * links as f64).max(0.0);
        SweepOptimum { value, starts, links, rounding: of_path(links, value, squares, far) }
    }
}

/// The best centre of a piece from `from` to `to`; `None` if the cost falls or rises throughout, so that the best is elsewhere.
#[inline(always)]
fn valley(piece: &CenterPiece, ending: &mut NodeEnding<'_>, from: f64, to: f64) -> Option<BestBefore> {
    let origin = piece.near(ending, from, to);
    let cost = piece.until(ending, origin);
    let (start, end, width) = (from - origin, to - origin, to - from);
    // By a width to either side, so that rounding does not decide.
    let slope = |t: f64| cost.slope + 2.0 * cost.bend * t;
    if slope(start - width) > 0.0 || slope(end + width) < 0.0 {
        return None;
    }
    let (t, value) = cost.lowest(start, end);
    Some((origin + t, value, piece.beginning))
}

#[cfg(test)]
mod tests;
