//! The pieces that begin and end clusters at a node, and how they merge with those of other nodes.

use super::super::forced::ForcedRange;
use super::super::piece::{Bottom, CenterPiece, CostParabola, append_lower};
use super::curve::PathCurve;
use super::{Beginning, BestBefore, Sweep, SweepProgress};

impl SweepProgress<'_> {
    /// Starts clusters at node `j` whose gap is at the upper bound, and adds those after the best centres in the strip
    /// to `bests`. Returns the number of pieces.
    pub(super) fn stretch(
        &mut self,
        j: usize,
        (from, to): (usize, usize),
        strip: (f64, f64),
        ordered: bool,
        first: Option<BestBefore>,
        bests: &mut Vec<BestBefore>,
    ) -> usize {
        let Sweep { upper, penalty, .. } = *self.sweep;
        let mut stretched = Vec::new();
        let added = bests.len();
        let mut ending = self.sweep.nodes.ending(j);
        self.curves[from].over(strip, |piece, from, to| {
            let bottom = piece.bottom(&mut ending, from, to);
            if self.remaining.are_too_much(j, bottom.cost.level, to) {
                return;
            }
            if bottom.center < to {
                stretched.push(piece.moved(&bottom, (bottom.center, to), upper, penalty, j as u32));
            }
            if !bottom.is_elsewhere(from, to) {
                bests.push((bottom.center, bottom.cost.level, piece.beginning));
            }
        });
        let mut record = first.map_or(f64::INFINITY, |best| best.1);
        // From the right: a centre farther left is useful only if it costs less than all in between.
        bests[added..].reverse();
        let mut place = 0;
        bests.retain(|best| {
            place += 1;
            let kept = place <= added || !ordered || best.1 < record;
            record = if place > added && kept { best.1 } else { record };
            kept
        });
        self.note(&mut stretched, j, to);
        self.merge_back(j, to, &stretched);
        stretched.len()
    }

    /// All clusters that begin with node `j` at a position in the forced range.
    pub(super) fn all_after(
        &mut self,
        j: usize,
        (from, to): ForcedRange,
        source: usize,
        target: usize,
    ) -> Vec<CenterPiece> {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let mut ending = nodes.ending(j);
        let (mut tight, mut stretched, mut flat) = (Vec::new(), Vec::new(), Vec::<CenterPiece>::new());
        // The path continues with a cluster that costs at least what it would if it began here.
        let remaining = &self.remaining;
        if remaining.is_known() {
            self.curves[source].settled.retain(|piece| {
                let cost = piece.lowest(&mut ending, piece.from, piece.to).1;
                !remaining.are_too_much(j, cost - penalty.max(0.0), piece.to)
            });
        }
        self.curves[source].over((from - upper, to - lower), |piece, start, end| {
            let bottom = piece.bottom(&mut ending, start, end);
            let Bottom { center, cost: CostParabola { level: cost, .. } } = bottom;
            if self.remaining.are_too_much(j, cost, end) {
                return;
            }
            let mut at_bound = |part: (f64, f64), gap: f64, moved: &mut Vec<CenterPiece>| {
                let part = (part.0.max(from - gap), part.1.min(to - gap));
                if part.0 < part.1 && !self.remaining.are_too_much_within(j, cost, (part.0 + gap, part.1 + gap)) {
                    let bottom = piece.bottom(&mut ending, part.0, part.1);
                    moved.push(piece.moved(&bottom, part, gap, penalty, j as u32));
                }
            };
            at_bound((start, center), lower, &mut tight);
            at_bound((center, end), upper, &mut stretched);
            let (mut start, level) = (from.max(center + lower), cost + penalty);
            while let Some(last) = flat.last_mut() {
                if last.before.level <= level {
                    start = start.max(last.to);
                } else if last.from >= start {
                    flat.pop();
                    continue;
                } else {
                    last.to = last.to.min(start);
                }
                break;
            }
            let end = to.min(center + upper);
            if start < end && !self.remaining.are_too_much_within(j, cost, (start, end)) {
                flat.push(CenterPiece::flat((start, end), level, j as u32, piece.beginning));
            }
        });
        [&mut tight, &mut stretched, &mut flat].into_iter().for_each(|begun| self.note(begun, j, target));
        let (mut at_bounds, mut all) = (Vec::new(), Vec::new());
        append_lower(&mut ending, &tight, &stretched, &mut at_bounds);
        append_lower(&mut ending, &at_bounds, &flat, &mut all);
        all
    }

    /// Merges the clusters that begin with node `j` in a forced range, at any position; the pieces up to `limit` are
    /// final. Returns the number of pieces visited.
    pub(super) fn merge_anywhere(&mut self, j: usize, to_curve: usize, begun: &[CenterPiece], limit: f64) -> usize {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let (from, to) = begun.first().zip(begun.last()).map_or((limit, limit), |(first, last)| (first.from, last.to));
        let curve = &mut self.curves[to_curve];
        let first = curve.settled.partition_point(|piece| piece.to <= from);
        let mut near: Vec<CenterPiece> = curve.settled.drain(first..).collect();
        let covered = curve.ahead.partition_point(|piece| piece.from < to);
        near.extend(curve.ahead.drain(..covered));
        let (mut merged, mut ending) = (Vec::new(), nodes.ending(j));
        append_lower(&mut ending, &near, begun, &mut merged);
        // A piece costs at most one penalty more than without it if all later points are in clusters of their own.
        merged.retain(|piece: &CenterPiece| {
            let cost = piece.lowest(&mut ending, piece.from, piece.to).1;
            !self.remaining.are_too_far(j, cost, piece.to)
                && !self.remaining.are_too_much_within(j, cost - penalty, (piece.from, piece.to + upper))
        });
        let settled = merged.iter().filter(|piece| piece.from < limit);
        curve.settled.extend(settled.map(|piece| CenterPiece { to: piece.to.min(limit), ..*piece }));
        for piece in merged.iter().rev().filter(|piece| piece.to > limit) {
            curve.ahead.push_front(CenterPiece { from: piece.from.max(limit), ..*piece });
        }
        curve.queue.clear();
        let (from, to) = self.sweep.strip(j, lower);
        begun.len() + merged.len() + self.enqueue(j, to_curve, (from.min(nodes.x[j] - 0.5 * upper), to))
    }

    /// Starts a cluster at node `j` after the centre `best`, with a gap within the bounds.
    #[inline(always)]
    pub(super) fn begin_within(&mut self, j: usize, curve: usize, (center, cost, before): BestBefore) {
        let Sweep { nodes, lower, upper, penalty, rewarded, .. } = *self.sweep;
        let from = (2.0 * nodes.x[j - 1] - center).max(center + lower).max(self.sweep.strip(j, lower).0 + lower);
        if upper == f64::INFINITY && !rewarded {
            return self.stack(j, from, cost + penalty, before);
        }
        let to = (2.0 * nodes.x[j] - center).min(center + upper);
        let window = self.sweep.window(curve);
        let (from, to) = (from.max(window.0), to.min(window.1));
        if from < to {
            let beginning = self.begin(before, j);
            self.merge_back(j, curve, &[CenterPiece::flat((from, to), cost + penalty, j as u32, beginning)]);
        }
    }

    /// Starts clusters at node `j` of cost `level` at positions from `from` on, without an upper bound or forced
    /// ranges. All pieces ahead are then constant. The farther right the centre, the more the nodes of earlier clusters
    /// cost there: so the new piece is better from some position on, and each piece is removed from the end only once.
    #[inline(always)]
    fn stack(&mut self, j: usize, mut from: f64, level: f64, before: u32) {
        let mut ending = self.sweep.nodes.ending(j);
        while let Some(rival) = self.curves[0].ahead.back_mut() {
            let run = ending.since(rival.start as usize);
            let block = run.block;
            let own = level - (rival.before.level + block.cost);
            let cost = |u: f64| block.weight * run.off(u).powi(2);
            if cost(rival.from.max(from)) < own {
                // Beyond the last remaining piece there is only the new one.
                let crossing = (block.mean + (own / block.weight).sqrt()).max(rival.from);
                from = from.max(if cost(rival.to) <= own { rival.to } else { crossing.min(rival.to) });
            } else if rival.from >= from {
                self.curves[0].ahead.pop_back();
                continue;
            }
            rival.to = from;
            break;
        }
        let to = self.sweep.domain.1;
        if from < to {
            let beginning = self.begin(before, j);
            self.curves[0].ahead.push_back(CenterPiece::flat((from, to), level, j as u32, beginning));
        }
    }

    #[inline(always)]
    fn begin(&mut self, before: u32, j: usize) -> u32 {
        self.beginnings.push(Beginning { before, start: j as u32 });
        self.beginnings.len() as u32 - 1
    }

    /// Records the predecessors of new pieces, and removes what lies outside the window of their curve.
    #[inline(always)]
    pub(super) fn note(&mut self, begun: &mut Vec<CenterPiece>, j: usize, curve: usize) {
        if !self.sweep.windows.is_empty() {
            let (from, to) = self.sweep.window(curve);
            begun.iter_mut().for_each(|piece| (piece.from, piece.to) = (piece.from.max(from), piece.to.min(to)));
            begun.retain(|piece| piece.from < piece.to);
        }
        for piece in begun {
            piece.beginning = self.begin(piece.beginning, j);
        }
    }

    /// Merges new pieces into those ahead.
    #[inline(always)]
    fn merge_back(&mut self, j: usize, curve: usize, begun: &[CenterPiece]) {
        let Some(first) = begun.first() else { return };
        let ahead = &mut self.curves[curve].ahead;
        self.near.clear();
        while let Some(piece) = ahead.back().filter(|piece| piece.to > first.from) {
            self.near.push(*piece);
            ahead.pop_back();
        }
        self.near.reverse();
        self.merged.clear();
        append_lower(&mut self.sweep.nodes.ending(j), &self.near, begun, &mut self.merged);
        ahead.extend(&self.merged);
    }

    /// Merges new pieces with those ahead up to `limit`, beyond which later clusters begin.
    #[inline(always)]
    pub(super) fn settle(&mut self, j: usize, curve: usize, begun: &[CenterPiece], limit: f64) {
        let PathCurve { settled, ahead, .. } = &mut self.curves[curve];
        self.near.clear();
        while let Some(piece) = ahead.front_mut().filter(|piece| piece.from < limit) {
            self.near.push(CenterPiece { to: piece.to.min(limit), ..*piece });
            if piece.to > limit {
                piece.from = limit;
                break;
            }
            ahead.pop_front();
        }
        self.merged.clear();
        append_lower(&mut self.sweep.nodes.ending(j), &self.near, begun, &mut self.merged);
        settled.extend(&self.merged);
    }

    /// Lets the pieces within `strip` end clusters before node `j + 1`; returns their number.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, j: usize, curve: usize, strip: (f64, f64)) -> usize {
        let nodes = self.sweep.nodes;
        let mut parts = std::mem::take(&mut self.near);
        parts.clear();
        let curve = &mut self.curves[curve];
        curve.over(strip, |piece, from, to| parts.push(CenterPiece { from, to, ..*piece }));
        let mut ending = nodes.ending(j + 1);
        for piece in &parts {
            // If the cost falls beyond the piece it always will: the minimiser is elsewhere.
            let now = piece.until(&mut ending, piece.to);
            let falls = now.slope + 2.0 * now.bend * (piece.to - piece.from) < 0.0;
            if !falls {
                curve.queue.push(*piece, j + 1);
            }
        }
        let seen = parts.len();
        self.near = parts;
        seen
    }

    /// Lets the last cluster have its centre in a piece.
    pub(super) fn offer_last(&mut self, piece: &CenterPiece) {
        let nodes = self.sweep.nodes;
        let (center, cost) = piece.lowest(&mut nodes.ending(nodes.len()), piece.from, piece.to);
        if self.best.is_none_or(|best| cost < best.1) {
            self.best = Some((center, cost, piece.beginning));
        }
    }
}
