//! Free centres with bounds on the sizes of clusters.
//!
//! The minimum cost of clusters of admissible sizes without bounds on the gaps is known for the points before and after
//! every position ([`SizedCosts`]). These costs exclude boundaries that no better solution can have; the cost of moving
//! centres off the means of their clusters excludes centres; the exact program ([`functional`]) solves the rest. First
//! it finds a good solution on few boundaries, placed ever closer to each other and to the best solution.

use super::budget::Budget;
use super::functional::{self, SearchRegion};
use super::incumbent::FreeSolution;
use super::{Problem, STEPS, Stop, search};
use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::rounding::{CLEAR, of_prefix_sums};
use crate::kmeans::sizes::Sizes;
use crate::monitor::Monitor;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;

/// Boundaries per cluster in the search for a good solution: milliseconds of work for a few clusters.
const THINNED: usize = 48;

/// The minimum costs of clusters of admissible sizes without bounds on the gaps, in frame units; infinite where there
/// are no such clusters.
pub(in crate::kmeans) struct SizedCosts {
    /// `before[m][j]`: of the points before `j`, in `m + 1` clusters.
    pub(in crate::kmeans) before: Vec<Vec<f64>>,
    /// `after[m][j]`: of the points from `j` on, in `m + 1` clusters.
    pub(in crate::kmeans) after: Vec<Vec<f64>>,
}

/// The optimal free centres under `gaps` (in data units) of clusters of admissible `sizes`, from a partition `start`
/// with such sizes; none costs less than `floor`. Without `costs` (there was no time for them): the best centres of
/// `start`.
pub(in crate::kmeans) fn solve(
    prefixes: &Prefixes<'_>,
    gaps: &Rows,
    sizes: Sizes,
    start: Partition,
    costs: Option<&SizedCosts>,
    floor: f64,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let problem = Problem { sizes, ..Problem::new(prefixes, gaps) };
    problem.check_cost()?;
    let start = FreeSolution::of_partition(&problem, start);
    let mut budget = Budget::new(STEPS, monitor.part().in_frame(prefixes.sample().frame()));
    let Some(costs) = costs else { return Ok(solution(start, Proof::AtLeast(floor))) };
    let floor = floor.max(costs.least());
    let (best, region) = match costs.improve(&problem, start.clone(), floor, &mut budget) {
        Ok(found) => found,
        Err(Stop::Exhausted) => return Ok(solution(start, Proof::AtLeast(floor))),
        Err(stop) => return Err(stop.into()),
    };
    let (best, proof) = search::run_within(&problem, best, &region, floor, budget)?;
    Ok(solution(best, proof))
}

fn solution(best: FreeSolution, proof: Proof) -> Solution {
    Solution { partition: best.partition, centers: Some(best.centers), proof }
}

impl SizedCosts {
    /// The minimum cost of all points.
    fn least(&self) -> f64 {
        self.before.last().and_then(|costs| costs.last()).copied().unwrap_or(0.0)
    }

    /// A good solution, and a region that contains all better ones.
    fn improve(
        &self,
        problem: &Problem<'_>,
        mut best: FreeSolution,
        floor: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(FreeSolution, SearchRegion), Stop> {
        let mut reach = problem.len();
        loop {
            let region = self.region(problem, best.cost);
            let stride = region.ends.iter().map(Vec::len).max().unwrap_or(0).min(2 * reach).div_ceil(THINNED);
            if stride <= 1 && reach == problem.len() {
                return Ok((best, region));
            }
            let thinned = self.thinned(&region, &best.partition, reach, stride);
            if let Some(found) = functional::solve(problem, &thinned, best.cost, budget)? {
                best = best.or_better(FreeSolution::of_partition(problem, Partition::new(found.ends)));
            }
            budget.monitor.found(best.cost);
            budget.monitor.proved(floor);
            budget.monitor.report()?;
            if stride <= 1 {
                let region = self.region(problem, best.cost);
                return Ok((best, region));
            }
            reach = stride;
        }
    }

    /// The boundaries and centres of all solutions that cost at most `cost`.
    fn region(&self, problem: &Problem<'_>, cost: f64) -> SearchRegion {
        let (n, k, prefixes) = (problem.len(), problem.k, problem.prefixes);
        let cutoff = cost * (1.0 + CLEAR) + of_prefix_sums(prefixes.sample(), k);
        let may_end = |m: usize, j: &usize| self.before[m][*j] + self.after[k - 2 - m][*j] <= cutoff;
        let boundaries = (0..k - 1).map(|m| (m + 1..n).filter(|j| may_end(m, j)).collect::<Vec<usize>>());
        let ends: Vec<Vec<usize>> = boundaries.chain([vec![n]]).collect();
        let extent = |ends: &[usize]| (ends[0], ends[ends.len() - 1]);
        let center = |c: usize| {
            let (first_start, last_start) = if c == 0 { (0, 0) } else { extent(&ends[c - 1]) };
            let (first_end, last_end) = extent(&ends[c]);
            // The mean of a run increases with both ends.
            let least = prefixes.block(first_start, first_end.max(first_start + 1)).mean;
            let most = prefixes.block(last_start.min(last_end - 1), last_end).mean;
            let sure = if last_start < first_end { problem.weight(last_start, first_end) } else { 0.0 };
            let weight = sure.max(problem.sizes.least()).max(prefixes.sample().smallest_weight());
            // A cluster costs at least this about its mean, and a centre farther away than this costs too much.
            let far = ((cutoff - self.least()).max(0.0) / weight).sqrt() * (1.0 + CLEAR) + CLEAR;
            let (from, to) = problem.reach[c];
            ((least - far).max(from - CLEAR), (most + far).min(to + CLEAR))
        };
        SearchRegion { centers: (0..k).map(center).collect(), rests: self.rests(&ends), ends }
    }

    /// A lower bound on the cost of the points after each of the `ends` of each cluster.
    fn rests(&self, ends: &[Vec<usize>]) -> Vec<Vec<f64>> {
        let of = |m: usize| ends[m].iter().map(|&j| self.after[ends.len() - 2 - m][j]).collect();
        (0..ends.len() - 1).map(of).collect()
    }

    /// A region with fewer boundaries: those of `partition`, and some at equal steps within `reach` of them.
    fn thinned(&self, region: &SearchRegion, partition: &Partition, reach: usize, stride: usize) -> SearchRegion {
        let thin = |(ends, &own): (&Vec<usize>, &usize)| {
            let near = ends.iter().copied().filter(|end| end.abs_diff(own) <= reach);
            near.enumerate().filter(|&(i, end)| i % stride == 0 || end == own).map(|(_, end)| end).collect()
        };
        let ends: Vec<Vec<usize>> = region.ends.iter().zip(partition.ends()).map(thin).collect();
        SearchRegion { centers: region.centers.clone(), rests: self.rests(&ends), ends }
    }
}

#[cfg(test)]
mod tests;
