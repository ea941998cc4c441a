//! Free centres when all gaps have the same bounds: a path of k links, found by a penalty a cluster.
//!
//! For neighbouring centres v < u the cost of the points between them is Monge, and so it stays where it is infinite because
//! the gap is too small. So the optimum is convex in the number of clusters: there is a penalty a cluster under which
//! the best centres, however many, are k (docs/mathematics.md). A [`pass`] finds them exactly, whatever k is; its value less
//! k penalties is a lower bound for every penalty. The work is about N²/k pieces of curves. Where there are many points to a
//! cluster, [`pruning`] goes from coarse runs of points to fine ones and keeps only those near which a boundary can be.

mod pass;
mod pruning;
mod runs;

use super::Problem;
use super::Stop;
use super::budget::Budget;
use super::incumbent::FreeSolution;
use crate::kmeans::rounding::{of_addition, of_sum};
use crate::kmeans::unconstrained::splice;
use crate::partition::Partition;
use pass::{PassOptimum, PathPass};
use runs::{Reach, Runs};

/// Chains of clusters without points are told apart up to so many links; longer ones count as if they had no more.
const MOST_LINKS: usize = 6;

/// Up to so many distinct values a cluster the pass over all of them is the whole search: 4,096 points in 64 clusters take
/// half a second.
const FEW_POINTS: usize = 64;

/// Runs a cluster to begin with where there are more: enough for a bound within a percent.
const RUNS_A_CLUSTER: usize = 16;

/// Parts that a run which may hold a boundary is cut into.
const PARTS: usize = 4;

/// Penalties to try at most: each but the first few halves what is left.
const TRIALS: usize = 60;

/// One more centre may save more than the penalty by as much as the bounds are off; to begin with, so many times the penalty.
const FIRST_SLACK: f64 = 3.0;

/// Solutions that cost less than the best by a smaller fraction may have been pruned: rounding must not decide.
const PRUNED: f64 = 1e-10;

/// The penalty counts as equal to what one more centre saves, to this factor: sums in doubles must not decide.
const CLEARLY: f64 = 1.001;

/// A search for the best path.
struct PathSearch<'a> {
    problem: &'a Problem<'a>,
    /// The lower and the upper bound of every gap.
    bounds: (f64, f64),
    best: FreeSolution,
    /// What no solution costs less than.
    floor: f64,
}

/// The optimum under one penalty.
struct PenaltyTrial {
    centers: Vec<f64>,
    cost: f64,
    penalty: f64,
}

/// The best centres found from `start` on, and what no solution costs less than; the budget may end the search before the
/// two meet. Applies where all gaps have the same bounds.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: FreeSolution,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, f64), Stop> {
    solve_from(problem, start, FEW_POINTS, budget)
}

/// The same, with one pass over all values up to `few` of them a cluster.
fn solve_from(
    problem: &Problem<'_>,
    start: FreeSolution,
    few: usize,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, f64), Stop> {
    let Some(bounds) = problem.gaps.shared_bounds() else { return Ok((start, 0.0)) };
    let mut search = PathSearch { problem, bounds, best: start, floor: 0.0 };
    match search.run(few, budget) {
        Ok(()) | Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(stop) => Err(stop),
    }
}

impl PathSearch<'_> {
    fn run(&mut self, few: usize, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        let guess = 2.0 * self.best.cost / k as f64;
        if prefixes.sample().distinct() <= few.saturating_mul(k) {
            self.find_penalty(&Runs::finest(prefixes), guess, None, budget)?;
            return Ok(());
        }
        if self.bounds.1.is_finite() {
            // Curves of coarse runs are too long there: the levels of cells do better.
            return Ok(());
        }
        let mut runs = Runs::coarse(prefixes, RUNS_A_CLUSTER * k);
        let Some(penalty) = self.find_penalty(&runs, guess, None, budget)? else { return Ok(()) };
        let mut slack = FIRST_SLACK * penalty;
        while runs.any_open() {
            let Some((next, gap)) = self.refine(&runs, penalty, slack, budget)? else { return Ok(()) };
            if gap > slack {
                // Some solution that matters may have a gap that was left out.
                slack = 2.0 * gap;
                continue;
            }
            (runs, slack) = (next, gap.max(0.0));
        }
        self.find_penalty(&runs, penalty, Some(CLEARLY * penalty + slack), budget)?;
        Ok(())
    }

    /// Looks for the penalty under which the best path through the runs has k links, and adopts what it finds on the way.
    /// Where the runs are not open, the floor rises. One more centre saves solutions that matter no more than `most`, or
    /// nobody knows. `None` if the windows leave no path.
    fn find_penalty(
        &mut self,
        runs: &Runs,
        guess: f64,
        most: Option<f64>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<f64>, Stop> {
        let k = self.problem.k;
        let (mut few, mut many): (Option<PenaltyTrial>, Option<PenaltyTrial>) = (None, None);
        let (mut penalty, mut at_chord) = (guess, false);
        for count in 0..TRIALS {
            let Some(trial) = self.trial(runs, penalty, most.unwrap_or(CLEARLY * penalty), budget)? else {
                return Ok(None);
            };
            let links = trial.centers.len();
            if links == k {
                break;
            }
            // From one side alone a trial that finds as many links as the last one still goes farther.
            let between = match links < k {
                true => many.is_none() || few.as_ref().is_none_or(|few| links > few.centers.len()),
                false => few.is_none() || many.as_ref().is_none_or(|many| links < many.centers.len()),
            };
            if at_chord && !between {
                self.adopt_spliced(few.as_ref(), many.as_ref());
                break;
            }
            if between {
                *(if links < k { &mut few } else { &mut many }) = Some(trial);
            }
            at_chord = false;
            penalty = match (&few, &many) {
                (Some(few), Some(many)) => {
                    let apart = many.centers.len() - few.centers.len();
                    at_chord = !between || count % 3 != 2 || apart <= 3;
                    if at_chord { (few.cost - many.cost) / apart as f64 } else { (few.penalty * many.penalty).sqrt() }
                }
                // The cost of smooth data falls with the square of the number of clusters.
                (Some(few), None) => few.penalty * (few.centers.len() as f64 / k as f64).powi(3).min(0.9),
                (None, Some(many)) => many.penalty * (many.centers.len() as f64 / k as f64).powi(3).max(1.1),
                (None, None) => penalty,
            };
            if !(penalty > 0.0 && penalty.is_finite()) {
                break;
            }
        }
        Ok(Some(penalty))
    }

    /// The optimum under a penalty.
    fn trial(
        &mut self,
        runs: &Runs,
        penalty: f64,
        most: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<PenaltyTrial>, Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        let reach = Reach::new(problem, runs, self.bounds, most);
        let pass = PathPass {
            runs: &runs.runs,
            reach: &reach,
            lower: self.bounds.0,
            upper: self.bounds.1,
            penalty,
            rebates: false,
            // Open runs prove nothing.
            only_best: runs.any_open() || !runs.pruned,
        };
        let Some(optimum) = pass.run(budget, |_| Ok(()))? else { return Ok(None) };
        if !runs.any_open() {
            self.raise_floor(self.bound(&optimum, runs, penalty));
        }
        let links = optimum.ends.len();
        let partition = Partition::new(optimum.ends.iter().map(|&end| runs.runs[end - 1].points.end).collect());
        let cost = optimum.value + runs.within() - penalty * links as f64;
        let centers = match links == k {
            true => {
                let found = FreeSolution::of_partition(problem, partition).improved(problem);
                let centers = found.centers.clone();
                self.adopt(found, budget)?;
                centers
            }
            false => partition.means(problem.prefixes),
        };
        Ok(Some(PenaltyTrial { centers, cost, penalty }))
    }

    /// What no solution costs less than, by the optimum of a pass.
    fn bound(&self, optimum: &PassOptimum, runs: &Runs, penalty: f64) -> f64 {
        let penalties = penalty * self.problem.k as f64;
        let rounding = optimum.rounding
            + of_sum(self.problem.k, optimum.value.abs() + penalties)
            + of_addition(runs.len() as f64 * runs.within());
        optimum.value + runs.within() - penalties - rounding
    }

    /// Whatever was pruned costs no less than the best, so a bound on the rest is one on all, up to the best.
    fn raise_floor(&mut self, bound: f64) {
        if bound > self.floor {
            self.floor = self.floor.max(bound.min(self.best.cost * (1.0 - PRUNED)));
        }
    }

    fn adopt(&mut self, found: FreeSolution, budget: &mut Budget<'_>) -> Result<(), Stop> {
        if found.cost < self.best.cost {
            self.best = found;
        }
        budget.monitor.found(self.best.cost);
        budget.monitor.proved(self.floor);
        Ok(budget.monitor.report()?)
    }

    /// Both paths are optimal under one penalty: so is one of k links that begins along one and ends along the other.
    fn adopt_spliced(&mut self, few: Option<&PenaltyTrial>, many: Option<&PenaltyTrial>) {
        let (Some(few), Some(many)) = (few, many) else { return };
        let nodes = |trial: &PenaltyTrial| {
            let ends = [f64::NEG_INFINITY].into_iter().chain(trial.centers.iter().copied());
            ends.chain([f64::INFINITY]).collect::<Vec<f64>>()
        };
        let path = splice(&nodes(few), &nodes(many), self.problem.k + 1);
        let found = FreeSolution::from_centers(self.problem, &path[1..path.len() - 1]);
        if found.cost < self.best.cost {
            self.best = found;
        }
    }
}

#[cfg(test)]
mod tests;
