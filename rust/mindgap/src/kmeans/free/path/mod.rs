//! Free centres when all gaps have the same bounds: a path of k links, found by a penalty a cluster.
//!
//! For neighbouring centres v < u the cost of the points between them is Monge, and so it stays where it is infinite because
//! the gap is out of bounds. So the optimum is convex in the number of clusters: there is a penalty a cluster under which
//! the best centres, however many, are k (docs/mathematics.md). A [`sweep`] finds them exactly, whatever k is; its value less
//! k penalties is a lower bound for every penalty. Sweeps over coarse runs of points find a penalty to begin with.

mod nodes;
mod piece;
mod queue;
mod sweep;

use super::Problem;
use super::Stop;
use super::budget::Budget;
use super::chain::{self, Target};
use super::incumbent::FreeSolution;
use crate::constraint::Rows;
use crate::kmeans::rounding::of_addition;
use crate::kmeans::unconstrained::splice;
use crate::partition::Partition;
use nodes::PathNodes;
use sweep::Sweep;

/// Chains of clusters without points are told apart up to so many links; longer ones count as if they had no more.
const MOST_LINKS: usize = 6;

/// Runs a cluster in the search for a first penalty: enough for one within a percent, which is as near as the penalties of
/// neighbouring numbers of clusters are where these are a few hundred.
const RUNS_A_CLUSTER: usize = 16;

/// How many times as many runs the next search has.
const FINER: usize = 8;

/// Penalties to try at most: each but the first few halves what is left.
const TRIALS: usize = 60;

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
    links: usize,
    /// Not known where some clusters have no points.
    centers: Option<Vec<f64>>,
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
    let Some(bounds) = problem.gaps.shared_bounds() else { return Ok((start, 0.0)) };
    let mut search = PathSearch { problem, bounds, best: start, floor: 0.0 };
    match search.run(budget) {
        Ok(()) | Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(stop) => Err(stop),
    }
}

impl PathSearch<'_> {
    fn run(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        let mut guess = 2.0 * self.best.cost / k as f64;
        let distinct = prefixes.sample().distinct();
        let mut runs = RUNS_A_CLUSTER * k;
        while distinct > 4 * runs {
            guess = self.find_penalty(&PathNodes::coarse(prefixes, runs), guess, budget)?;
            runs *= FINER;
        }
        budget.has_memory(PathNodes::bytes(distinct))?;
        self.find_penalty(&PathNodes::distinct(prefixes), guess, budget)?;
        Ok(())
    }

    /// Looks for the penalty under which the best path through the nodes has k links, and adopts what it finds on the way.
    fn find_penalty(&mut self, nodes: &PathNodes, guess: f64, budget: &mut Budget<'_>) -> Result<f64, Stop> {
        let k = self.problem.k;
        let (mut few, mut many): (Option<PenaltyTrial>, Option<PenaltyTrial>) = (None, None);
        let (mut penalty, mut at_chord) = (guess, false);
        for count in 0..TRIALS {
            let trial = self.trial(nodes, penalty, budget)?;
            let links = trial.links;
            if links == k {
                break;
            }
            // From one side alone a trial that finds as many links as the last one still goes farther.
            let between = match links < k {
                true => many.is_none() || few.as_ref().is_none_or(|few| links > few.links),
                false => few.is_none() || many.as_ref().is_none_or(|many| links < many.links),
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
                    let apart = many.links - few.links;
                    at_chord = !between || count % 3 != 2 || apart <= 3;
                    if at_chord { (few.cost - many.cost) / apart as f64 } else { (few.penalty * many.penalty).sqrt() }
                }
                // The cost of smooth data falls with the square of the number of clusters.
                (Some(few), None) => few.penalty * (few.links as f64 / k as f64).powi(3).min(0.9),
                (None, Some(many)) => many.penalty * (many.links as f64 / k as f64).powi(3).max(1.1),
                (None, None) => penalty,
            };
            if !(penalty > 0.0 && penalty.is_finite()) {
                break;
            }
        }
        Ok(penalty)
    }

    /// The optimum under a penalty. Where every distinct value is a node the floor rises.
    fn trial(&mut self, nodes: &PathNodes, penalty: f64, budget: &mut Budget<'_>) -> Result<PenaltyTrial, Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        let (lower, upper) = self.bounds;
        let domain = (problem.reach[0].0, problem.reach[k - 1].1);
        let optimum = Sweep { nodes, lower, upper, penalty, domain }.run(budget)?;
        let penalties = penalty * k as f64;
        if nodes.len() == problem.prefixes.sample().distinct() {
            self.floor = self.floor.max(optimum.value - penalties - optimum.rounding - of_addition(penalties));
        }
        let ends = optimum.starts[1..].iter().map(|&start| nodes.points_before(start)).chain([problem.len()]);
        let mut ends: Vec<usize> = ends.filter(|&end| end > 0).collect();
        ends.dedup();
        let partition = Partition::new(ends);
        let (links, cost) = (optimum.links, optimum.value - penalty * optimum.links as f64);
        budget.monitor.proved(self.floor);
        budget.monitor.report()?;
        // With clusters that have no points there is no partition of as many to adopt.
        let centers = match partition.k() {
            clusters if clusters == links && links == k => {
                let found = FreeSolution::of_partition(problem, partition).improved(problem);
                let centers = found.centers.clone();
                self.adopt(found, budget);
                Some(centers)
            }
            clusters if clusters == links => Some(self.centers(&partition)),
            _ => None,
        };
        Ok(PenaltyTrial { links, centers, cost, penalty })
    }

    /// The best centres of any number of clusters.
    fn centers(&self, partition: &Partition) -> Vec<f64> {
        let blocks = partition.blocks(self.problem.prefixes);
        let targets: Vec<Target> = blocks.map(|block| Target { weight: block.weight, mean: block.mean }).collect();
        let gaps = targets.len() - 1;
        chain::solve(&targets, &Rows::of_gaps(vec![self.bounds.0; gaps], vec![self.bounds.1; gaps])).centers
    }

    fn adopt(&mut self, found: FreeSolution, budget: &mut Budget<'_>) {
        if found.cost < self.best.cost {
            self.best = found;
        }
        budget.monitor.found(self.best.cost);
    }

    /// Both paths are optimal under one penalty: so is one of k links that begins along one and ends along the other.
    fn adopt_spliced(&mut self, few: Option<&PenaltyTrial>, many: Option<&PenaltyTrial>) {
        let centers = |trial: Option<&PenaltyTrial>| trial.and_then(|trial| trial.centers.clone());
        let (Some(few), Some(many)) = (centers(few), centers(many)) else { return };
        let nodes = |centers: &[f64]| [&[f64::NEG_INFINITY], centers, &[f64::INFINITY]].concat();
        let path = splice(&nodes(&few), &nodes(&many), self.problem.k + 1);
        let found = FreeSolution::from_centers(self.problem, &path[1..path.len() - 1]);
        if found.cost < self.best.cost {
            self.best = found;
        }
    }
}

#[cfg(test)]
mod tests;
