//! One sweep: the best centres of all points when each cluster costs a penalty on top, however many clusters there are.
//!
//! `V(j, u)` is the least cost of the nodes before `j`, penalties included, when the last cluster is centred at `u`. In
//! an optimum the boundary of two clusters lies at the midpoint of their centres. So the clusters that begin with node
//! `j` have few centres `u`, by where the centre `v` before them is: at a bound, `u - v` is known and the midpoint lies
//! between the nodes `j - 1` and `j`; within the bounds `v` is the best centre of all that are admissible, which a
//! [`PieceQueue`] knows. A piece of `V` is touched when it begins, when it enters the queue and when a boundary passes
//! it: O(P log N) for P pieces. There are about as many as nodes where no bound is active, and `c` times as many after
//! `c` gaps at their bounds. So one sweep starts at either end, and they meet where both have had as much to do.

use super::forced::{ForcedRange, ForcedRanges, ForcedRules};
use super::nodes::PathNodes;
use super::piece::{Bottom, CenterPiece, CostParabola, append_lower};
use super::queue::PieceQueue;
use super::remaining::RemainingCosts;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::rounding::of_path;
use std::collections::VecDeque;
use std::ops::Range;

/// The optimum of a sweep.
pub(super) struct SweepOptimum {
    /// The cost, penalties included.
    pub(super) value: f64,
    /// The first node of each cluster.
    pub(super) starts: Vec<usize>,
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
    /// What an optimum costs at most, penalties included; infinite where paths are not to be given up.
    pub(super) enough: f64,
    /// What the nodes from each on cost at least, whatever the gaps, and what those from each of the mirrored nodes on
    /// do; nothing where these are empty.
    pub(super) unbounded: [&'a [f64]; 2],
    /// Whether the penalty may be a reward, or the number of clusters is given: then lower bounds alone force clusters
    /// to have points that are nearer to another centre.
    pub(super) rewarded: bool,
    /// For a given number of clusters, where the centre of each can be; empty where any number will do.
    pub(super) windows: &'a [(f64, f64)],
}

/// Which node a cluster began with, and which cluster came before it.
#[derive(Clone, Copy)]
struct Beginning {
    before: u32,
    start: u32,
}

/// The best centre before a boundary, its cost, and where its cluster began.
type BestBefore = (f64, f64, u32);

/// What paths cost by the centre of their last cluster.
struct PathCurve<'a> {
    /// Pieces that no further cluster changes, as far back as a boundary needs them.
    settled: VecDeque<CenterPiece>,
    /// Pieces farther right.
    ahead: VecDeque<CenterPiece>,
    queue: PieceQueue<'a>,
}

/// A sweep on its way.
struct SweepProgress<'a> {
    sweep: &'a Sweep<'a>,
    /// A curve for each number of clusters, or one for any number.
    curves: Vec<PathCurve<'a>>,
    /// The curves that have pieces.
    active: Range<usize>,
    forced_ranges: ForcedRanges<'a>,
    remaining: RemainingCosts<'a>,
    beginnings: Vec<Beginning>,
    /// The best last cluster of all among the pieces that no boundary needs any more, under an upper bound.
    best: Option<BestBefore>,
    /// The next node that clusters may begin with.
    next: usize,
    /// How many pieces were seen.
    seen: u64,
    // So many pieces and beginnings there is memory for. Lists grow to twice their length, with a copy beside them.
    pieces: usize,
    kept: usize,
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
        let mirrored = self.nodes.mirrored();
        let (domain, unbounded) = ((-self.domain.1, -self.domain.0), [self.unbounded[1], self.unbounded[0]]);
        let windows: Vec<(f64, f64)> = self.windows.iter().rev().map(|&(from, to)| (-to, -from)).collect();
        let other = Sweep { nodes: &mirrored, domain, unbounded, windows: &windows, ..*self };
        let (mut left, mut right) = (SweepProgress::new(self), SweepProgress::new(&other));
        // One node is left between them: its cluster is where they meet.
        for _ in 1..self.nodes.len() {
            let behind = if right.seen < left.seen { &mut right } else { &mut left };
            behind.advance(budget)?;
        }
        Ok(self.joined(&left, &right))
    }

    /// The best of all paths, by the last cluster of one sweep and that of the other.
    fn joined(&self, left: &SweepProgress<'_>, right: &SweepProgress<'_>) -> SweepOptimum {
        let n = self.nodes.len();
        let mut best = (f64::INFINITY, None, None);
        if let Some((_, cost, beginning)) = left.best {
            best = (cost, Some(beginning), None);
        }
        if let Some((_, cost, beginning)) = right.best.filter(|other| other.1 < best.0) {
            best = (cost, None, Some(beginning));
        }
        // Of a given number of clusters, as many as the one sweep has, the other lacks.
        for (before, after) in left.curves.iter().zip(right.curves.iter().rev()) {
            let mut after = after.pieces().rev().map(|piece| piece.mirrored(n)).peekable();
            for before in before.pieces() {
                while let Some(next) = after.peek().filter(|next| next.from <= before.to) {
                    let cost = before.lowest_with(next, self.nodes).map(|cost| cost - self.penalty);
                    if let Some(cost) = cost.filter(|&cost| cost < best.0) {
                        best = (cost, Some(before.beginning), Some(next.beginning));
                    }
                    if next.to > before.to {
                        break;
                    }
                    after.next();
                }
            }
        }
        let (value, before, after) = best;
        let mut starts = before.map_or(vec![0], |before| left.starts(before));
        let ends = after.map_or(Vec::new(), |after| right.starts(after));
        starts.extend(ends.iter().rev().filter(|&&end| end > 0).map(|&end| n - end));
        let far = self.domain.0.abs().max(self.domain.1.abs());
        // Rewards are taken off what is larger.
        let size = value + 2.0 * (-self.penalty).max(0.0) * starts.len() as f64;
        let rounding = of_path(starts.len(), size, self.nodes.weight(), far);
        SweepOptimum { value, starts, rounding }
    }

    fn remaining(&self) -> RemainingCosts<'_> {
        let far = self.domain.0.abs().max(self.domain.1.abs());
        RemainingCosts::new(self.nodes, self.unbounded[0], (self.upper, self.penalty), self.enough, far)
    }

    fn forced_rules(&self) -> ForcedRules {
        // Every second centre is more than the upper bound farther on, and always twice the lower bound.
        let stride = if self.rewarded { self.lower } else { 0.5 * self.upper };
        ForcedRules { stride, upper: self.upper, ends: self.rewarded.then_some(self.domain) }
    }

    /// Where the centres of a curve can be.
    fn window(&self, curve: usize) -> (f64, f64) {
        self.windows.get(curve).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Where the centre before the boundary at node `j` is if the gap is `gap` and the midpoint lies at the boundary.
    #[inline(always)]
    fn strip(&self, j: usize, gap: f64) -> (f64, f64) {
        (self.nodes.x[j - 1] - 0.5 * gap, self.nodes.x[j] - 0.5 * gap)
    }
}

impl<'a> PathCurve<'a> {
    fn new(sweep: &'a Sweep<'a>) -> Self {
        let queue = PieceQueue::new(sweep.nodes, 0.5 * sweep.upper);
        Self { settled: VecDeque::new(), ahead: VecDeque::new(), queue }
    }

    /// The best paths to every place of the last cluster's centre.
    fn pieces(&self) -> impl DoubleEndedIterator<Item = &CenterPiece> {
        self.settled.iter().chain(&self.ahead)
    }

    fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.ahead.is_empty() && self.queue.len() == 0
    }

    fn clear(&mut self) {
        self.settled.clear();
        self.ahead.clear();
        self.queue.clear();
    }

    fn len(&self) -> usize {
        self.settled.len() + self.ahead.len() + self.queue.len()
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
}

impl<'a> SweepProgress<'a> {
    fn new(sweep: &'a Sweep<'a>) -> Self {
        let mut curves: Vec<PathCurve<'a>> = (0..sweep.windows.len().max(1)).map(|_| PathCurve::new(sweep)).collect();
        let first = sweep.windows.first().copied().unwrap_or(sweep.domain);
        curves[0].ahead.push_back(CenterPiece::flat(first, sweep.penalty, 0, 0));
        Self {
            sweep,
            curves,
            active: 0..1,
            forced_ranges: ForcedRanges::new(&sweep.nodes.x, sweep.forced_rules()),
            remaining: sweep.remaining(),
            beginnings: vec![Beginning { before: 0, start: 0 }],
            best: None,
            next: 1,
            seen: 0,
            pieces: FEW_PIECES,
            kept: FEW_PIECES,
            begun: Vec::new(),
            bests: Vec::new(),
            near: Vec::new(),
            merged: Vec::new(),
        }
    }

    /// Passes the next node.
    #[inline(always)]
    fn advance(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let seen = self.pass(self.next);
        self.next += 1;
        self.seen += seen;
        budget.spend(seen)?;
        let pieces: usize = self.curves[self.active.clone()].iter().map(PathCurve::len).sum();
        if pieces > self.pieces {
            self.pieces = 2 * pieces;
            budget.has_memory(2 * self.pieces * size_of::<CenterPiece>())?;
        }
        if self.beginnings.len() > self.kept {
            budget.spend(self.kept as u64)?;
            self.forget_beginnings();
            self.kept = self.kept.max(2 * self.beginnings.len());
            budget.has_memory(2 * self.kept * (size_of::<Beginning>() + size_of::<u32>()))?;
        }
        Ok(())
    }

    /// The first node of each cluster of a path.
    fn starts(&self, mut beginning: u32) -> Vec<usize> {
        let mut starts = Vec::new();
        loop {
            let Beginning { before, start } = self.beginnings[beginning as usize];
            starts.push(start as usize);
            if beginning == 0 {
                break;
            }
            beginning = before;
        }
        starts.reverse();
        starts
    }

    /// Forgets the beginnings that no piece comes from any more: of many pieces few stay.
    fn forget_beginnings(&mut self) {
        let Self { curves, active, best, beginnings, .. } = self;
        let mut pieces: Vec<&mut u32> = Vec::new();
        for PathCurve { settled, ahead, queue } in &mut curves[active.clone()] {
            pieces.extend(settled.iter_mut().chain(ahead).map(|piece| &mut piece.beginning));
            pieces.extend(queue.beginnings());
        }
        pieces.extend(best.as_mut().map(|best| &mut best.2));
        // Whether each is needed; then its new place. The first is where all of them come from.
        let mut places = vec![0; beginnings.len()];
        places[0] = 1;
        pieces.iter().for_each(|beginning| places[**beginning as usize] = 1);
        for i in (1..beginnings.len()).rev() {
            if places[i] == 1 {
                places[beginnings[i].before as usize] = 1;
            }
        }
        let mut kept = 0;
        for i in 0..beginnings.len() {
            if places[i] == 1 {
                let Beginning { before, start } = beginnings[i];
                places[i] = kept;
                beginnings[kept as usize] = Beginning { before: places[before as usize], start };
                kept += 1;
            }
        }
        beginnings.truncate(kept as usize);
        pieces.into_iter().for_each(|beginning| *beginning = places[*beginning as usize]);
    }

    /// Lets clusters begin with node `j`; says how many pieces it saw.
    #[inline(always)]
    fn pass(&mut self, j: usize) -> u64 {
        let tight = self.sweep.strip(j, self.sweep.lower);
        let forced_range = self.forced_ranges.at(j);
        if forced_range.is_none() && tight.0 == tight.1 {
            // Equal points: some optimum parts them nowhere but in a forced range.
            return 1;
        }
        if self.sweep.windows.is_empty() {
            return self.follow(j, forced_range, 0, 0) + 1;
        }
        let mut seen = 1;
        // Clusters that begin with this node do not end before it: the later ones come first.
        for to in (self.active.start..self.curves.len().min(self.active.end + 1)).rev() {
            if to > self.active.start {
                seen += self.follow(j, forced_range, to - 1, to);
                self.forget_if_passed(j, forced_range, to);
            } else {
                self.settle(j, to, &[], tight.1 + self.sweep.lower);
                seen += self.enqueue(j, to, tight) as u64;
            }
        }
        self.active.end += usize::from(self.curves.get(self.active.end).is_some_and(|curve| !curve.is_empty()));
        while self.active.len() > 1 && self.curves[self.active.start].is_empty() {
            self.active.start += 1;
        }
        seen
    }

    /// Forgets what comes before cluster `to` if it cannot begin after node `j`.
    fn forget_if_passed(&mut self, j: usize, forced_range: Option<ForcedRange>, to: usize) {
        // Forced ranges to come begin with a later point, or farther from an earlier one than this one does.
        let first = self.sweep.nodes.x[j - 1].min(forced_range.map_or(f64::INFINITY, |forced_range| forced_range.0));
        if self.sweep.windows[to].1 <= first {
            self.curves[to - 1].clear();
        }
    }

    /// Lets clusters of the curve `to` begin with node `j` after those of the curve `from`; says how many pieces it
    /// saw.
    #[inline(always)]
    fn follow(&mut self, j: usize, forced_range: Option<ForcedRange>, from: usize, to: usize) -> u64 {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let tight = self.sweep.strip(j, lower);
        let stretched = if upper < f64::INFINITY { self.sweep.strip(j, upper) } else { (f64::NEG_INFINITY, tight.0) };
        let far = stretched.0.min(tight.0).min(self.forced_ranges.back());
        while let Some(piece) = self.curves[from].settled.front().copied().filter(|piece| piece.to <= far) {
            if self.curves.len() == 1 {
                self.offer_last(&piece);
            }
            self.curves[from].settled.pop_front();
        }
        let around = forced_range.map(|forced_range| self.all_after(j, forced_range, from, to));
        let first = self.curves[from].queue.best(j);
        // Where the strips overlap there is nothing in between to be compared with.
        let ordered = stretched.1 <= tight.0;
        let mut record = first.map_or(f64::INFINITY, |best| best.1);
        let (mut begun, mut bests) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.bests));
        begun.clear();
        bests.clear();
        bests.extend(first.filter(|best| !self.remaining.are_too_much(j, best.1, best.0)));
        let mut ending = nodes.ending(j);
        self.curves[from].over(tight, |piece, from, to| {
            let bottom = piece.bottom(&mut ending, from, to);
            if self.remaining.are_too_much(j, bottom.cost.level, to) {
                return;
            }
            // Where the cost rises, a centre farther left would do better: the gap is not at its lower bound.
            if from < bottom.center {
                begun.push(piece.moved(&bottom, (from, bottom.center), lower, penalty, j as u32));
            }
            if !bottom.is_elsewhere(from, to) && (bottom.cost.level < record || !ordered) {
                record = bottom.cost.level;
                bests.push((bottom.center, bottom.cost.level, piece.beginning));
            }
        });
        let mut seen = begun.len();
        if upper < f64::INFINITY {
            seen += self.stretch(j, (from, to), stretched, ordered, first, &mut bests);
        }
        for &best in &bests {
            self.begin_within(j, to, best);
        }
        self.bests = bests;
        self.note(&mut begun, j, to);
        self.settle(j, to, &begun, tight.1 + lower);
        self.begun = begun;
        match around {
            Some(begun) => seen += self.merge_anywhere(j, to, &begun, tight.1 + lower),
            None => seen += self.enqueue(j, to, tight),
        }
        seen as u64
    }

    /// Clusters whose gap is at the upper bound begin with node `j`, and those after the best centres in the strip are
    /// added to `bests`. Says how many pieces there were.
    fn stretch(
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
        // From the right: a centre farther left is of use only if it costs less than all those in between.
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

    /// All clusters that begin with node `j` at a place of the forced range.
    fn all_after(&mut self, j: usize, (from, to): ForcedRange, source: usize, target: usize) -> Vec<CenterPiece> {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let mut ending = nodes.ending(j);
        let (mut tight, mut stretched, mut flat) = (Vec::new(), Vec::new(), Vec::<CenterPiece>::new());
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

    /// Merges clusters that begin with node `j` in a forced range, wherever they are; the pieces up to `limit` are
    /// settled. Says how many pieces it saw.
    fn merge_anywhere(&mut self, j: usize, to_curve: usize, begun: &[CenterPiece], limit: f64) -> usize {
        let Sweep { nodes, lower, upper, penalty, .. } = *self.sweep;
        let (from, to) = begun.first().zip(begun.last()).map_or((limit, limit), |(first, last)| (first.from, last.to));
        let curve = &mut self.curves[to_curve];
        let first = curve.settled.partition_point(|piece| piece.to <= from);
        let mut near: Vec<CenterPiece> = curve.settled.drain(first..).collect();
        let covered = curve.ahead.partition_point(|piece| piece.from < to);
        near.extend(curve.ahead.drain(..covered));
        let (mut merged, mut ending) = (Vec::new(), nodes.ending(j));
        append_lower(&mut ending, &near, begun, &mut merged);
        // With all the points to come in clusters of their own a piece costs one penalty more than without them.
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

    /// Clusters begin with node `j` after the centre `best`, at a gap within the bounds.
    #[inline(always)]
    fn begin_within(&mut self, j: usize, curve: usize, (center, cost, before): BestBefore) {
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

    /// Clusters begin with node `j` at `level` from the place `from` on, without an upper bound or forced ranges. All
    /// pieces ahead are flat then. The farther right the centre, the more the nodes of earlier clusters cost there: so
    /// the new piece is better from some place on, and each piece is taken off the end but once.
    #[inline(always)]
    fn stack(&mut self, j: usize, mut from: f64, level: f64, before: u32) {
        let mut ending = self.sweep.nodes.ending(j);
        while let Some(rival) = self.curves[0].ahead.back_mut() {
            let run = ending.since(rival.start as usize);
            let block = run.block;
            let own = level - (rival.before.level + block.cost);
            let cost = |u: f64| block.weight * run.off(u).powi(2);
            if cost(rival.from.max(from)) < own {
                // Right of the last piece that is left there is nothing but the new one.
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

    /// Notes where new pieces come from, and leaves out what lies beyond the window of their curve.
    #[inline(always)]
    fn note(&mut self, begun: &mut Vec<CenterPiece>, j: usize, curve: usize) {
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
    fn settle(&mut self, j: usize, curve: usize, begun: &[CenterPiece], limit: f64) {
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

    /// Lets the pieces within `strip` end clusters from node `j + 1` on; says how many there were.
    #[inline(always)]
    fn enqueue(&mut self, j: usize, curve: usize, strip: (f64, f64)) -> usize {
        let nodes = self.sweep.nodes;
        let mut parts = std::mem::take(&mut self.near);
        parts.clear();
        let curve = &mut self.curves[curve];
        curve.over(strip, |piece, from, to| parts.push(CenterPiece { from, to, ..*piece }));
        let mut ending = nodes.ending(j + 1);
        for piece in &parts {
            // Where the cost falls beyond the piece it will do so ever after: the best centre is elsewhere.
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

    /// Lets the last cluster of all have its centre in a piece.
    fn offer_last(&mut self, piece: &CenterPiece) {
        let nodes = self.sweep.nodes;
        let (center, cost) = piece.lowest(&mut nodes.ending(nodes.len()), piece.from, piece.to);
        if self.best.is_none_or(|best| cost < best.1) {
            self.best = Some((center, cost, piece.beginning));
        }
    }
}

#[cfg(test)]
mod tests;
