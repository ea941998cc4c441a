//! One sweep: the optimal centres of all points if each cluster costs a penalty and their number is free.
//!
//! `V(j, u)` is the minimum cost of the nodes before `j`, penalties included, if the last cluster is centred at `u`. In
//! an optimum the boundary of two clusters lies at the midpoint of their centres. So a cluster that begins with node
//! `j` has few possible centres `u`, depending on the centre `v` before: at a bound, `u - v` is known and the midpoint
//! lies between the nodes `j - 1` and `j`; within the bounds `v` is the best of all admissible centres, which a
//! [`PieceQueue`] finds. A piece of `V` is touched when it begins, when it enters the queue and when a boundary passes
//! it: O(P log N) for P pieces. There are about as many as nodes if no bound is active, and `c` times as many after `c`
//! active gaps. So one sweep starts from each end, and they meet where both have done the same work.

mod curve;
mod pieces;
mod rest;

use super::forced::{ForcedRange, ForcedRanges, ForcedRules};
use super::nodes::PathNodes;
use super::piece::CenterPiece;
use super::remaining::RemainingCosts;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::rounding::of_path;
use curve::PathCurve;
use std::cell::OnceCell;
use std::ops::Range;

/// The optimum of a sweep.
pub(super) struct SweepOptimum {
    /// The cost, penalties included.
    pub(super) value: f64,
    /// The first node of each cluster.
    pub(super) starts: Vec<usize>,
    /// An upper limit on the rounding error of the value.
    pub(super) rounding: f64,
}

/// The input of a sweep.
pub(super) struct Sweep<'a> {
    pub(super) nodes: &'a PathNodes,
    /// The bounds on every gap.
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) penalty: f64,
    /// The range of the centres.
    pub(super) domain: (f64, f64),
    /// The cost, penalties included, up to which paths are kept.
    pub(super) enough: f64,
    /// Lower bounds on the cost, penalties included, of the nodes from each one on, and on that of the mirrored nodes,
    /// wherever the centres before are; empty if there are none.
    pub(super) unbounded: [&'a [f64]; 2],
    /// Whether the penalty may be a reward, or the number of clusters is given: then lower bounds alone can force a
    /// cluster to have points nearer to another centre.
    pub(super) rewarded: bool,
    /// For a given number of clusters, the window of each centre; empty if the number is free.
    pub(super) windows: &'a [(f64, f64)],
}

/// The first node of a cluster, and the cluster before it.
#[derive(Clone, Copy)]
struct Beginning {
    before: u32,
    start: u32,
}

/// The best centre before a boundary, its cost, and its cluster's record.
type BestBefore = (f64, f64, u32);

/// The state of a sweep.
struct SweepProgress<'a> {
    sweep: &'a Sweep<'a>,
    /// A curve for each number of clusters, or one for any number.
    curves: Vec<PathCurve<'a>>,
    /// The curves that have pieces.
    active: Range<usize>,
    forced_ranges: ForcedRanges<'a>,
    remaining: RemainingCosts<'a>,
    beginnings: Vec<Beginning>,
    /// Under an upper bound: the best last cluster among the pieces that no boundary needs any more.
    best: Option<BestBefore>,
    /// The next node at which clusters may begin.
    next: usize,
    /// The number of pieces visited.
    seen: u64,
    // The numbers of pieces and beginnings that there is memory for. Lists double their length by copying.
    pieces: usize,
    kept: usize,
    // Lists reused for every node.
    begun: Vec<CenterPiece>,
    bests: Vec<BestBefore>,
    near: Vec<CenterPiece>,
    merged: Vec<CenterPiece>,
}

/// This many pieces need no check of the memory: some hundred kilobytes.
const FEW_PIECES: usize = 1 << 12;

impl Sweep<'_> {
    /// Sweeps the nodes.
    pub(super) fn run(&self, budget: &mut Budget<'_>) -> Result<SweepOptimum, Stop> {
        self.run_aided(u64::MAX, budget)
    }

    /// Sweeps the nodes without a penalty. After this many `unaided` steps lower bounds on the remaining costs are
    /// computed, and paths that cost too much with them are dropped.
    pub(super) fn run_aided(&self, unaided: u64, budget: &mut Budget<'_>) -> Result<SweepOptimum, Stop> {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.run_here(unaided, budget),
        )
    }

    #[inline(always)]
    fn run_here(&self, unaided: u64, budget: &mut Budget<'_>) -> Result<SweepOptimum, Stop> {
        let rest = OnceCell::new();
        let mirrored = self.nodes.mirrored();
        let (domain, unbounded) = ((-self.domain.1, -self.domain.0), [self.unbounded[1], self.unbounded[0]]);
        let windows: Vec<(f64, f64)> = self.windows.iter().rev().map(|&(from, to)| (-to, -from)).collect();
        let other = Sweep { nodes: &mirrored, domain, unbounded, windows: &windows, ..*self };
        let (mut left, mut right) = (SweepProgress::new(self), SweepProgress::new(&other));
        // One node is left between them: its cluster is where they meet.
        for _ in 1..self.nodes.len() {
            if left.seen + right.seen >= unaided && rest.get().is_none() {
                let costs = rest::costs(self.nodes, self.lower, budget)?;
                let [after, before] = rest.get_or_init(|| costs);
                left.remaining.limit(after);
                right.remaining.limit(before);
            }
            let behind = if right.seen < left.seen { &mut right } else { &mut left };
            behind.advance(budget)?;
        }
        Ok(self.joined(&left, &right))
    }

    /// The best of all paths, from the last cluster of either sweep.
    fn joined(&self, left: &SweepProgress<'_>, right: &SweepProgress<'_>) -> SweepOptimum {
        let n = self.nodes.len();
        let mut best = (f64::INFINITY, None, None);
        if let Some((_, cost, beginning)) = left.best {
            best = (cost, Some(beginning), None);
        }
        if let Some((_, cost, beginning)) = right.best.filter(|other| other.1 < best.0) {
            best = (cost, None, Some(beginning));
        }
        // If the number of clusters is given, one sweep has those that the other lacks.
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
        // Rewards are subtracted from something larger.
        let size = value + 2.0 * (-self.penalty).max(0.0) * starts.len() as f64;
        let rounding = of_path(starts.len(), size, self.nodes.weight(), far);
        SweepOptimum { value, starts, rounding }
    }

    fn remaining(&self) -> RemainingCosts<'_> {
        let far = self.domain.0.abs().max(self.domain.1.abs());
        RemainingCosts::new(self.nodes, self.unbounded[0], (self.upper, self.penalty), self.enough, far)
    }

    fn forced_rules(&self) -> ForcedRules {
        // Every second centre is more than the upper bound farther on, and always at least twice the lower bound.
        let stride = if self.rewarded { self.lower } else { 0.5 * self.upper };
        ForcedRules { stride, upper: self.upper, ends: self.rewarded.then_some(self.domain) }
    }

    /// The window of a curve.
    fn window(&self, curve: usize) -> (f64, f64) {
        self.windows.get(curve).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    /// The position of the centre before the boundary at node `j` if the gap is `gap` and the midpoint lies at the
    /// boundary.
    #[inline(always)]
    fn strip(&self, j: usize, gap: f64) -> (f64, f64) {
        (self.nodes.x[j - 1] - 0.5 * gap, self.nodes.x[j] - 0.5 * gap)
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

    /// Advances by one node.
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

    /// Drops the beginnings that no piece refers to any more: of many pieces few remain.
    fn forget_beginnings(&mut self) {
        let Self { curves, active, best, beginnings, .. } = self;
        let mut pieces: Vec<&mut u32> = Vec::new();
        for PathCurve { settled, ahead, queue } in &mut curves[active.clone()] {
            pieces.extend(settled.iter_mut().chain(ahead).map(|piece| &mut piece.beginning));
            pieces.extend(queue.beginnings());
        }
        pieces.extend(best.as_mut().map(|best| &mut best.2));
        // First whether each is needed, then its new index. The first is the origin of all.
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

    /// Starts clusters at node `j`; returns the number of pieces visited.
    #[inline(always)]
    fn pass(&mut self, j: usize) -> u64 {
        let tight = self.sweep.strip(j, self.sweep.lower);
        let forced_range = self.forced_ranges.at(j);
        if forced_range.is_none() && tight.0 == tight.1 {
            // Equal points: some optimum separates them only in a forced range.
            return 1;
        }
        if self.sweep.windows.is_empty() {
            return self.follow(j, forced_range, 0, 0) + 1;
        }
        let mut seen = 1;
        // A cluster that begins with this node does not end before it, so the later curves come first.
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

    /// Drops what comes before cluster `to` if it cannot begin after node `j`.
    fn forget_if_passed(&mut self, j: usize, forced_range: Option<ForcedRange>, to: usize) {
        // Later forced ranges begin with a later point, or farther from an earlier one, than this one.
        let first = self.sweep.nodes.x[j - 1].min(forced_range.map_or(f64::INFINITY, |forced_range| forced_range.0));
        if self.sweep.windows[to].1 <= first {
            self.curves[to - 1].clear();
        }
    }

    /// Starts clusters of the curve `to` at node `j`, after those of the curve `from`; returns the number of pieces
    /// visited.
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
        // If the strips overlap, there is nothing in between to compare with.
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
            // If the cost rises, a centre farther left would be better: the gap is not at its lower bound.
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
}

#[cfg(test)]
mod tests;
