//! Exact k-means with free centres: their gaps satisfy bounds, but they need not be cluster means.
//!
//! Minimises `Σ wᵢ (xᵢ - μₖ)²` over partitions into non-empty clusters and centres that satisfy the bounds, with proof.
//! Branch and bound over cells of centres: bounds that are exact to first order drop all but a few cells, which are
//! then halved; once few boundaries remain, an exact dynamic program over them ends the search. After the prefix sums
//! the work hardly depends on the number of points. It is limited in steps and to about a gigabyte of memory.

pub(super) mod atoms;
mod bound;
pub(super) mod budget;
mod chain;
mod functional;
mod grid;
mod halving;
mod incumbent;
mod kinks;
mod level;
mod path;
mod piecewise;
mod region;
mod search;
mod sized;

pub(super) use sized::{SizedCosts, solve as solve_sized};

use std::ops::Range;

use super::rounding::zero_cost;
use super::sizes::Sizes;
use super::unconstrained;
use crate::constraint::Rows;
use crate::data::sample::{Prefixes, Sample};
use crate::error::{KMeansError, OutOfMemory};
use crate::monitor::{Halt, Monitor};
use crate::numeric::first_false;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;
use budget::Budget;
use grid::PointMoments;
use incumbent::FreeSolution;

/// The work after which a search returns its best result, in steps of some ten nanoseconds.
const STEPS: u64 = 1_000_000_000;

/// From this many clusters on, the search for a penalty comes first: its work does not grow with their number, while
/// that of the levels of cells, one list of cells for every centre, does.
const MANY_CLUSTERS: usize = 12;

/// Up to this many clusters, a solution that is not proven is compared with even grids and separated means, whose work
/// and memory grow with k²: at most 0.4 s for 4,096 points in 512 clusters.
const MOST_COMPARED: usize = 512;

/// Up to this many points, and from [`MANY_CLUSTERS`] on, the search starts from the optimum without bounds; if it
/// satisfies them, it is the answer.
const WORTH_SOLVING: usize = 1 << 12;

/// Bounds under which the cost may be higher, in frame units, are refused: sums of such costs would overflow.
const LARGEST_COST: f64 = 1e280;

/// Why a search ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// The work or the time limit is used up.
    Exhausted,
    /// The caller stopped it.
    Interrupted,
    /// Its tables are too large.
    OutOfMemory(OutOfMemory),
}

impl From<Stop> for KMeansError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Exhausted => Self::Undecided,
            Stop::Interrupted => Self::Interrupted,
            Stop::OutOfMemory(out_of_memory) => out_of_memory.into(),
        }
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Interrupted => Self::Interrupted,
            Halt::TimeLimit => Self::Exhausted,
        }
    }
}

impl From<OutOfMemory> for Stop {
    fn from(out_of_memory: OutOfMemory) -> Self {
        Self::OutOfMemory(out_of_memory)
    }
}

/// The optimal free centres under `gaps` (in data units), proven if the limits of the search suffice.
pub(super) fn solve(sample: &Sample, gaps: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    let prefixes = Prefixes::dense(sample);
    let problem = Problem::new(&prefixes, gaps);
    problem.check_cost()?;
    let (mut start, mut known) = (FreeSolution::even(&problem), 0.0);
    if sample.len() <= WORTH_SOLVING || problem.k >= MANY_CLUSTERS {
        match unconstrained::solve(sample, problem.k, &mut monitor.relaxed()) {
            Ok(unbounded) => {
                known = unbounded.lower_bound(&prefixes);
                let other = FreeSolution::of_partition(&problem, unbounded.partition);
                if other.is_at_means() {
                    return Ok(Solution::of_means(other.partition, unbounded.proof));
                }
                start = start.or_better(other.improved(&problem));
            }
            // The search can do without it.
            Err(KMeansError::TimeLimit) => {}
            Err(error) => return Err(error),
        }
    }
    if is_compared(problem.k) && problem.gaps.have_upper() && problem.gaps.shared_bounds().is_none() {
        // If upper bounds are active everywhere, little else comes near the optimum.
        start = start.or_better(FreeSolution::on_grid(&problem));
    }
    let (best, proof) = searched(&problem, start, known, monitor)?;
    Ok(Solution { partition: best.partition, centers: Some(best.centers), proof })
}

/// Searches over cells of centres and for a penalty per cluster until a solution is proven, first in the way that suits
/// the number of clusters; no solution costs less than `known`. What is not proven has been compared with even grids.
fn searched(
    problem: &Problem<'_>,
    mut best: FreeSolution,
    known: f64,
    monitor: &mut Monitor<'_>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    let (sample, few) = (problem.prefixes.sample(), problem.k < MANY_CLUSTERS);
    let (tol, mut proof) = (monitor.tolerance(), Proof::AtLeast(known));
    if few {
        (best, proof) = by_cells(problem, best, proof, &mut budget(sample, monitor))?;
        if proof.is_optimal(best.cost, tol) {
            return Ok((best, proof));
        }
    }
    let mut budget = budget(sample, monitor);
    budget.monitor.proved(known);
    if best.cost > zero_cost(sample) {
        match path::solve(problem, best.clone(), known, &mut budget) {
            Ok((better, floor)) => (best, proof) = (better, proof.and(Proof::AtLeast(floor))),
            // The result so far stays valid.
            Err(Stop::OutOfMemory(_)) if few => {}
            Err(stop) => return Err(stop.into()),
        }
    }
    if proof.is_optimal(best.cost, tol) {
        return Ok((best, proof));
    }
    if is_compared(problem.k) {
        best = best.or_better(FreeSolution::on_grid(problem));
    }
    if few {
        return Ok((best, proof));
    }
    match by_cells(problem, best.clone(), proof, &mut budget) {
        Err(KMeansError::OutOfMemory(_)) => Ok((best, proof)),
        ended => ended,
    }
}

fn budget<'a>(sample: &Sample, monitor: &'a mut Monitor<'_>) -> Budget<'a> {
    Budget::new(STEPS, monitor.part().in_frame(sample.frame()))
}

/// Searches over cells.
fn by_cells(
    problem: &Problem<'_>,
    best: FreeSolution,
    proof: Proof,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    let (best, other) = search::run(problem, best, budget)?;
    Ok((best, proof.and(other)))
}

/// Whether a solution that is not proven is compared with even grids and separated means.
pub(super) fn is_compared(k: usize) -> bool {
    k <= MOST_COMPARED
}

/// Whether the search for a penalty applies. It is faster than any search over atoms, even including a sort.
pub(super) fn has_path(gaps: &Rows) -> bool {
    gaps.lower.len() + 1 >= MANY_CLUSTERS && gaps.shared_bounds().is_some()
}

/// The better of `found` and the local optimum reached from the clusters `other`, under `gaps` (in data units).
pub(super) fn or_better(sample: &Sample, gaps: &Rows, found: Solution, other: Partition) -> Solution {
    let prefixes = Prefixes::new(sample);
    let problem = Problem::new(&prefixes, gaps);
    let other = FreeSolution::of_partition(&problem, other).improved(&problem);
    match other.cost < found.cost(&prefixes) {
        true => Solution { partition: other.partition, centers: Some(other.centers), proof: found.proof },
        false => found,
    }
}

/// A start for a search for means under `gaps` (in data units): the best free centres and a lower bound on their cost
/// in frame units, which also bounds that of means. `None` unless all gaps have the same bounds.
pub(super) fn relaxation(
    sample: &Sample,
    gaps: &Rows,
    monitor: &mut Monitor<'_>,
) -> Result<Option<(Partition, f64)>, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let problem = Problem::new(&prefixes, gaps);
    if problem.gaps.shared_bounds().is_none() {
        return Ok(None);
    }
    let mut budget = Budget::new(STEPS, monitor.part().in_frame(sample.frame()));
    match path::solve(&problem, FreeSolution::even(&problem), 0.0, &mut budget) {
        Ok((best, floor)) => Ok(Some((best.partition, floor))),
        // The caller can do without it.
        Err(Stop::OutOfMemory(_)) => Ok(None),
        Err(stop) => Err(stop.into()),
    }
}

/// A problem in frame units.
struct Problem<'a> {
    prefixes: &'a Prefixes<'a>,
    gaps: Rows,
    k: usize,
    /// For each centre, an interval that contains it in some optimum.
    reach: Vec<(f64, f64)>,
    /// Whether clusters may be empty; then every point belongs to its nearest centre.
    empty: bool,
    /// The bounds on the sizes of clusters.
    sizes: Sizes,
}

impl<'a> Problem<'a> {
    fn new(prefixes: &'a Prefixes<'a>, gaps: &Rows) -> Self {
        let sample = prefixes.sample();
        Self::of_range(prefixes, gaps, (sample.framed(0), sample.framed(sample.len() - 1)))
    }

    /// The problem of data between `first` and `last`.
    fn of_range(prefixes: &'a Prefixes<'a>, gaps: &Rows, (first, last): (f64, f64)) -> Self {
        Self::of_framed(prefixes, gaps.enter(prefixes.sample().frame()), (first, last))
    }

    /// The same data in `k` clusters whose gaps all have these bounds, in frame units.
    fn resized(&self, (lower, upper): (f64, f64), k: usize) -> Self {
        let sample = self.prefixes.sample();
        let gaps = Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]);
        Self::of_framed(self.prefixes, gaps, (sample.framed(0), sample.framed(sample.len() - 1)))
    }

    fn of_framed(prefixes: &'a Prefixes<'a>, gaps: Rows, (first, last): (f64, f64)) -> Self {
        let k = gaps.lower.len() + 1;
        // Centres outside the data can be moved inwards until consecutive lower bounds stop them.
        let total: f64 = gaps.lower.iter().sum();
        let mut before = 0.0;
        let mut reach = Vec::with_capacity(k);
        for lower in gaps.lower.iter().chain([&0.0]) {
            reach.push((first - (total - before), last + before));
            before += lower;
        }
        let gaps = gaps.reachable(reach[k - 1].1 - reach[0].0);
        Self { prefixes, gaps, k, reach, empty: false, sizes: Sizes::ANY }
    }

    /// Refuses bounds under which costs would overflow.
    fn check_cost(&self) -> Result<(), KMeansError> {
        let spread = 1.0 + self.gaps.lower.iter().sum::<f64>();
        let cost = spread * spread * self.prefixes.sample().total_weight();
        if cost <= LARGEST_COST { Ok(()) } else { Err(KMeansError::OutOfRange) }
    }

    /// Whether the points `start..end` are too few for a cluster.
    fn is_too_small(&self, start: usize, end: usize) -> bool {
        !self.sizes.are_any() && self.sizes.is_too_small(self.weight(start, end))
    }

    /// Whether the points `start..end` are too many for a cluster.
    fn is_too_large(&self, start: usize, end: usize) -> bool {
        !self.sizes.are_any() && self.sizes.is_too_large(self.weight(start, end))
    }

    fn weight(&self, start: usize, end: usize) -> f64 {
        self.prefixes.at(start).weight_until(&self.prefixes.at(end))
    }

    /// The number of points.
    fn len(&self) -> usize {
        self.prefixes.len()
    }

    /// Whether centre `k` may be within `radius` of `middle`.
    fn in_reach(&self, k: usize, middle: f64, radius: f64) -> bool {
        let (from, to) = self.reach[k];
        middle + 1.5 * radius >= from && middle - 1.5 * radius <= to
    }

    /// The number of points up to `z`, known to be within `range`.
    fn points_until(&self, z: f64, range: Range<usize>) -> usize {
        let sample = self.prefixes.sample();
        first_false(range.start, range.end, |i| sample.framed(i) <= z)
    }

    /// The number of points up to `z`, known to be within `range` and likely to be near its start.
    fn points_until_after(&self, z: f64, range: Range<usize>) -> usize {
        let sample = self.prefixes.sample();
        let mut step = 1;
        let mut low = range.start;
        while low + step <= range.end && sample.framed(low + step - 1) <= z {
            low += step;
            step *= 2;
        }
        self.points_until(z, low..range.end.min(low + step))
    }

    /// The range of the boundary between clusters `gap` and `gap + 1` in which no cluster is empty.
    fn boundaries(&self, gap: usize) -> Range<usize> {
        if self.empty { 0..self.len() } else { gap + 1..self.len() - self.k + gap + 1 }
    }

    /// The moments of the points `start..end` about `origin`.
    fn moments(&self, start: usize, end: usize, origin: f64) -> PointMoments {
        let (second, slope, weight) = self.quadratic(start, end, origin);
        PointMoments { weight, first: -0.5 * slope, second }
    }

    /// The cost of the points `start..end` about `origin + t` as `level + slope·t + bend·t²`.
    fn quadratic(&self, start: usize, end: usize, origin: f64) -> (f64, f64, f64) {
        if start >= end {
            return (0.0, 0.0, 0.0);
        }
        let block = self.prefixes.block(start, end);
        let off = block.mean - origin;
        (block.cost + block.weight * off * off, -2.0 * block.weight * off, block.weight)
    }
}

#[cfg(test)]
mod tests;
