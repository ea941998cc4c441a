//! Free centres when all gaps have the same bounds: a path of k links, found by a penalty a cluster.
//!
//! For neighbouring centres v < u the cost of the points between them is Monge, and so it stays where it is infinite because
//! the gap is out of bounds. So the optimum is convex in the number of clusters: there is a penalty a cluster under which
//! the best centres, however many, are k (docs/mathematics.md). A [`sweep`] finds them exactly, whatever k is; its value less
//! k penalties is a lower bound for every penalty. Sweeps over coarse runs of points find a penalty to begin with.

mod detour;
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

/// Runs a cluster in the search for a first penalty: enough for one within a percent, which is as near as the penalties of
/// neighbouring numbers of clusters are where these are a few hundred.
const RUNS_A_CLUSTER: usize = 16;

/// How many times as many runs the next search has.
const FINER: usize = 8;

/// Penalties to try at most: each but the first few halves what is left.
const TRIALS: usize = 60;

/// Paths within this part of the best known are kept: far more than rounding can explain.
const NO_LESS: f64 = 1e-9;

/// What the best known may cost more on coarse runs of points, by this factor.
const COARSELY: f64 = 1.1;

/// A step along a line to the right penalty is so many times as long, so that the penalty is soon between two.
const BEYOND: f64 = 1.1;

/// Steps that the search may take under an upper bound, a cluster and in all: some seconds. Where spaces are wide pieces can be very
/// many, and for few clusters the search over cells proves sooner.
const MOST_STEPS: (u64, u64) = (1 << 19, 1 << 26);

/// A search for the best path.
struct PathSearch<'a> {
    problem: &'a Problem<'a>,
    /// The lower and the upper bound of every gap.
    bounds: (f64, f64),
    best: FreeSolution,
    /// What no solution costs less than.
    floor: f64,
    /// The numbers of clusters and the costs of the paths found.
    paths: Vec<(usize, f64)>,
}

/// The optimum under one penalty.
struct PenaltyTrial {
    centers: Vec<f64>,
    cost: f64,
    penalty: f64,
}

impl PenaltyTrial {
    fn links(&self) -> usize {
        self.centers.len()
    }
}

/// The best centres found from `start` on, and what no solution costs less than; `relaxed` is the optimum without bounds, or zero. The budget may end the search before the
/// two meet. Applies where all gaps have the same bounds.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: FreeSolution,
    relaxed: f64,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, f64), Stop> {
    let Some(bounds) = problem.gaps.shared_bounds() else { return Ok((start, 0.0)) };
    let mut search = PathSearch { problem, bounds, best: start, floor: 0.0, paths: Vec::new() };
    let steps = if bounds.1 < f64::INFINITY { MOST_STEPS.1.min(MOST_STEPS.0 * problem.k as u64) } else { u64::MAX };
    match budget.limited(steps, |budget| search.run(relaxed, budget)) {
        Ok(_) | Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(stop) => Err(stop),
    }
}

impl PathSearch<'_> {
    fn run(&mut self, relaxed: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        // Where costs fall with the square of the number of clusters. Without bounds they do so more evenly.
        let mut guess = 2.0 * if relaxed > 0.0 { relaxed } else { self.best.cost } / k as f64;
        // Under an upper bound clusters of one point may part equal ones.
        let parted = self.bounds.1 < f64::INFINITY;
        let count = PathNodes::count(prefixes, parted);
        let mut runs = RUNS_A_CLUSTER * k;
        while prefixes.sample().distinct() > 4 * runs {
            guess = self.find_penalty(&PathNodes::coarse(prefixes, runs), guess, budget)?;
            runs *= FINER;
        }
        budget.has_memory(PathNodes::bytes(count))?;
        self.find_penalty(&PathNodes::all(prefixes, parted), guess, budget)?;
        Ok(())
    }

    /// Looks for the penalty under which the best path through the nodes has k links, and adopts what it finds on the way.
    fn find_penalty(&mut self, nodes: &PathNodes, guess: f64, budget: &mut Budget<'_>) -> Result<f64, Stop> {
        let k = self.problem.k;
        let (mut few, mut many): (Option<PenaltyTrial>, Option<PenaltyTrial>) = (None, None);
        let (mut penalty, mut at_chord, mut last) = (guess, false, None);
        for count in 0..TRIALS {
            let trial = self.trial(nodes, penalty, budget)?;
            let links = trial.links();
            if links == k {
                break;
            }
            // From one side alone a trial that finds as many links as the last one still goes farther.
            let between = match links < k {
                true => many.is_none() || few.as_ref().is_none_or(|few| links > few.links()),
                false => few.is_none() || many.as_ref().is_none_or(|many| links < many.links()),
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
                    let apart = many.links() - few.links();
                    at_chord = !between || count % 3 != 2 || apart <= 3;
                    if at_chord { (few.cost - many.cost) / apart as f64 } else { (few.penalty * many.penalty).sqrt() }
                }
                // The cost of smooth data falls with the square of the number of clusters.
                (Some(few), None) => {
                    let by_law = (few.links() as f64 / k as f64).powi(3);
                    few.penalty * by_secant(&mut last, few, k).unwrap_or(by_law).clamp(0.25, 0.9)
                }
                (None, Some(many)) => {
                    let by_law = (many.links() as f64 / k as f64).powi(3);
                    many.penalty * by_secant(&mut last, many, k).unwrap_or(by_law).clamp(1.1, 4.0)
                }
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
        let penalties = penalty * k as f64;
        // No path that costs more than the best known is of use.
        let known = self.paths.iter().map(|&(links, cost)| cost + penalty * links as f64);
        let enough =
            known.fold(self.best.cost + penalties, f64::min) * if nodes.are_all { 1.0 + NO_LESS } else { COARSELY };
        let most: Vec<f64> = match upper < f64::INFINITY {
            true => nodes.suffix_costs(problem.prefixes, penalty).iter().map(|rest| enough - rest).collect(),
            false => Vec::new(),
        };
        let optimum = Sweep { nodes, lower, upper, penalty, domain, most: &most }.run(budget)?;
        if nodes.are_all {
            self.floor =
                self.floor.max(optimum.value.min(enough) - penalties - optimum.rounding - of_addition(penalties));
        }
        let ends = optimum.starts[1..].iter().map(|&start| nodes.points_before(start)).chain([problem.len()]);
        let partition = Partition::new(ends.collect());
        let links = partition.k();
        budget.monitor.proved(self.floor);
        budget.monitor.report()?;
        let centers = match links == k {
            true => {
                let found = FreeSolution::of_partition(problem, partition).improved(problem);
                let centers = found.centers.clone();
                self.adopt(found, budget);
                centers
            }
            false => self.centers(&partition),
        };
        let cost = optimum.value - penalty * links as f64;
        self.paths.push((links, cost));
        Ok(PenaltyTrial { centers, cost, penalty })
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
        let (Some(few), Some(many)) = (few, many) else { return };
        let nodes = |centers: &[f64]| [&[f64::NEG_INFINITY], centers, &[f64::INFINITY]].concat();
        let path = splice(&nodes(&few.centers), &nodes(&many.centers), self.problem.k + 1);
        let found = FreeSolution::from_centers(self.problem, &path[1..path.len() - 1]);
        if found.cost < self.best.cost {
            self.best = found;
        }
    }
}

/// By how much to change the penalty of a trial so that a line through it and the `last` one leads to `k` clusters, and a little farther;
/// the trial is the last one from then on.
fn by_secant(last: &mut Option<(f64, usize)>, trial: &PenaltyTrial, k: usize) -> Option<f64> {
    let (penalty, links) = last.replace((trial.penalty, trial.links()))?;
    let (off, moved) = (k as f64 - trial.links() as f64, trial.links() as f64 - links as f64);
    let step = BEYOND * off / moved * (trial.penalty - penalty);
    (moved != 0.0).then(|| 1.0 + step / trial.penalty)
}

#[cfg(test)]
mod tests;
