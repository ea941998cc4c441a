//! The optimum of partitions that do not cut atoms, and what it says of those that do.
//!
//! [`pruning`](super::pruning) has the argument, with atoms for cells: moving the boundaries of an optimum of the points
//! to the edges of the atoms that they cut costs at most a slack; so the optimum over atoms less the slack is a lower
//! bound, and atoms beside edges at which no partition comes as near to the best as that are not cut by any optimum. What
//! is known of the points inside an atom is less than what cells know, hence a slack of its own. Several boundaries may
//! cut one atom: then the sum of their gaps is bounded as one gap is. O(M log M) for M atoms.

use super::candidates::{Candidates, CostTask, Costs};
use super::grid::EdgeGrid;
use super::penalty::{self, backward};
use super::{CELLS, smooth_penalty};
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::kmeans::rounding::CLEAR;
use crate::kmeans::solution::Solution;
use crate::monitor::Monitor;
use crate::numeric::double::Double;
use crate::partition::Partition;
use crate::proof::Proof;

/// The best partition of the atoms of `sample` into `k` clusters, at most their number, with a bound that holds for their
/// points. Of the atoms that an optimum of the points may cut, `open`, those that none can are closed.
pub(in crate::kmeans) fn solve(
    sample: &Sample,
    k: usize,
    open: &mut [bool],
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    if k == 1 || !open.contains(&true) {
        // Atoms that no boundary can cut are points.
        open.fill(false);
        return super::solve(sample, k, monitor);
    }
    let prefixes = Prefixes::new(sample);
    let guess = smooth_penalty(&prefixes, &EdgeGrid::even(&prefixes, CELLS.min(sample.len() / 8 + 1)), k);
    let edges: Vec<u32> = (0..=sample.len() as u32).collect();
    let candidates = Candidates::gather(&prefixes, &edges);
    let found = penalty::search(&candidates, k, guess, || monitor.report())?;
    let (forward, backward) = (&found.chain.values, backward(&candidates, found.penalty).values);
    let whole = forward[sample.len()];
    let dual = (whole - Double::product(found.penalty, k as f64)).value();
    let best = found.cost * (1.0 + CLEAR);
    let mut lower_bound = f64::NEG_INFINITY;
    loop {
        let slack = candidates.with_costs(AtomSlack { sample, open, best, k });
        lower_bound = lower_bound.max(dual - slack);
        let limit = (best - dual).max(0.0) + slack + CLEAR * (best + found.penalty);
        // A boundary moved to an end of the data leaves its cluster empty, which saves a penalty at most.
        let alive = |edge: usize| match edge {
            edge if edge == 0 || edge == sample.len() => found.penalty <= limit,
            edge => (forward[edge] + backward[sample.len() - edge]).minus(whole) <= limit,
        };
        let mut closed = false;
        for (atom, open) in open.iter_mut().enumerate().filter(|(_, open)| **open) {
            *open = alive(atom) || alive(atom + 1);
            closed |= !*open;
        }
        if !closed {
            break;
        }
    }
    let proof = if open.contains(&true) { Proof::AtLeast(lower_bound) } else { Proof::Optimal };
    let ends = found.path[1..].iter().map(|&edge| edge as usize).collect();
    Ok(Solution::of_means(Partition::new(ends), proof))
}

/// What moving the boundaries of an optimum of the points out of atoms costs at most.
struct AtomSlack<'a> {
    sample: &'a Sample,
    open: &'a [bool],
    best: f64,
    k: usize,
}

impl CostTask for AtomSlack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> f64 {
        let (sample, last) = (self.sample, costs.last());
        let mut widest = 0.0_f64;
        let mut slacks = Vec::new();
        // A cluster that ends inside an atom begins after the edge before `left`: else it would cost more than the best
        // solution. One that begins inside it ends before `right`.
        let (mut left, mut right) = (0, 0);
        for atom in (0..last).filter(|&atom| self.open[atom]) {
            while left < atom && costs.cost(left, atom) > self.best {
                left += 1;
            }
            right = right.max(atom + 2);
            while right <= last && costs.cost(atom + 1, right) <= self.best {
                right += 1;
            }
            let first = if left > 0 && self.open[left - 1] { left - 1 } else { left };
            let end = match right {
                right if right > last => last - 1,
                right if self.open[right - 1] => right - 1,
                right => right - 2,
            };
            let (lowest, highest) = (sample.framed_lowest(first), sample.framed_highest(end));
            let (low, high) = (sample.framed_lowest(atom), sample.framed_highest(atom));
            // The middle between the two means lies within the atom.
            let gap = (highest - lowest).min(2.0 * (high - lowest)).min(2.0 * (highest - low));
            let spread = sample.framed_spread(atom);
            widest = widest.max(spread);
            slacks.push(gap * spread);
        }
        let range = sample.framed_highest(last - 1) - sample.framed_lowest(0);
        let cuts = slacks.len().min(self.k - 1);
        if cuts < slacks.len() {
            slacks.select_nth_unstable_by(cuts, |a, b| b.total_cmp(a));
        }
        (range * widest).min(slacks[..cuts].iter().sum::<f64>()) * (1.0 + CLEAR)
    }
}
