//! Free centres when all gaps have the same bounds: a path of k links, found by a penalty a cluster.
//!
//! For neighbouring centres v < u the cost of the points between them is Monge, and so it stays where it is infinite
//! because the gap is out of bounds. So the optimum is convex in the number of clusters: there is a penalty a cluster
//! under which the best centres, however many, are k (docs/mathematics.md). A [`sweep`] finds them exactly, whatever k
//! is; its value less k penalties is a lower bound for every penalty. Sweeps over coarse runs of points find a penalty
//! to begin with. Where no penalty gives k clusters, because the bounds are too wide for so many, a sweep has a curve
//! for each number of clusters ([`levels`]).

mod forced;
mod levels;
mod nodes;
mod piece;
mod queue;
mod remaining;
mod runs;
mod sweep;

use super::Problem;
use super::Stop;
use super::budget::Budget;
use super::chain::{self, Target};
use super::incumbent::FreeSolution;
use crate::constraint::Rows;
use crate::kmeans::alternation::nearest;
use crate::kmeans::fit::PROVEN;
use crate::kmeans::rounding::{CLEAR, of_addition};
use crate::kmeans::unconstrained::splice;
use crate::partition::Partition;
use nodes::{Meaning, PathNodes};
use runs::Runs;
use std::cmp::Ordering;
use sweep::Sweep;

/// Runs a cluster in the search for a first penalty: enough for one within a percent, which is as near as the penalties
/// of neighbouring numbers of clusters are where these are a few hundred.
const RUNS_A_CLUSTER: usize = 16;

/// Grids with fewer and with more clusters, by this part of their number, tell what a cluster saves within a few
/// percent.
const GRIDS_APART: usize = 16;

/// How many times as many runs the next search has.
const FINER: usize = 8;

/// Penalties to try at most: each but the first few halves what is left.
const TRIALS: usize = 60;

/// Paths within this part of the best known are kept: far more than rounding can explain.
const NO_LESS: f64 = 1e-9;

/// What the best known may cost more on coarse runs of points, as a part of it.
const COARSELY: f64 = 0.1;

/// The most that a penalty grows or falls by from one trial to the next.
const MOST_RISE: f64 = 1e6;

/// How many times runs are made finer at most: then single points are about as many.
const GRADINGS: usize = 8;

/// Runs of points beside a boundary are no longer than this part of the distance to it, at first.
const FIRST_SHARE: f64 = 0.25;

/// By which factor that part falls. With steps larger or smaller, searches among a million points take longer.
const FINER_SHARE: f64 = 0.4;

/// Steps that the search for a reward may take: some seconds.
const REWARD_STEPS: u64 = 1 << 27;

/// Where centres of so few clusters can be at a place, levels come before penalties under an upper bound: these take
/// some dozen sweeps.
const FIRST_LEVELS: f64 = 4.0;

/// Where centres of so few clusters can be at a place, levels come before rewards: these take several sweeps.
const FEW_LEVELS: f64 = 16.0;

/// Steps that the first sweep may take under an upper bound: some seconds. Where spaces are wide pieces can be very
/// many; later sweeps have more.
const FIRST_STEPS: u64 = 1 << 26;

/// Steps that the search may take under an upper bound, a cluster and in all: some seconds. For few clusters the search
/// over cells proves sooner.
const MOST_STEPS: (u64, u64) = (1 << 20, 1 << 28);

/// Steps a point that it may take in any case: a dozen sweeps.
const STEPS_A_POINT: u64 = 1 << 8;

/// A search for the best path.
struct PathSearch<'a> {
    problem: &'a Problem<'a>,
    /// The lower and the upper bound of every gap.
    bounds: (f64, f64),
    best: FreeSolution,
    /// What no solution costs less than.
    floor: f64,
    /// What as many centres as wanted cost at least under the lower bound, if each added to k costs a penalty.
    inside: f64,
    /// The numbers of clusters and the costs of the paths found.
    paths: Vec<(usize, f64)>,
    /// Whether the penalty is a reward.
    rewarded: bool,
}

/// The optimum under one penalty.
struct PenaltyTrial {
    centers: Vec<f64>,
    /// Whether it cuts runs of points.
    cuts: bool,
    cost: f64,
    penalty: f64,
}

/// What a search for a penalty found.
struct PenaltyFound {
    penalty: f64,
    /// Whether k clusters are more than pay under any penalty.
    vanished: bool,
    /// The centres of the best path of k links, or of those with fewer and more that cost the same.
    paths: Vec<Vec<f64>>,
    /// Whether these cut runs of points.
    cuts: bool,
}

impl PenaltyTrial {
    fn links(&self) -> usize {
        self.centers.len()
    }
}

/// The best centres found from `start` on, and what no solution costs less than; `relaxed` is the optimum without
/// bounds, or zero. The budget may end the search before the two meet. Applies where all gaps have the same bounds.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: FreeSolution,
    relaxed: f64,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, f64), Stop> {
    let Some(bounds) = problem.gaps.shared_bounds() else { return Ok((start, 0.0)) };
    let lower = (bounds.0, f64::INFINITY);
    let mut search = PathSearch { bounds: lower, ..PathSearch::new(problem, start) };
    match search.run(relaxed, bounds.1, budget) {
        Ok(()) | Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(stop) => Err(stop),
    }
}

impl<'a> PathSearch<'a> {
    fn new(problem: &'a Problem<'a>, best: FreeSolution) -> Self {
        let bounds = (0.0, f64::INFINITY);
        Self { problem, bounds, best, floor: 0.0, inside: 0.0, paths: Vec::new(), rewarded: false }
    }

    /// Searches under the lower bound alone, and then with the `upper` bound too. The best known holds both, so that
    /// the search ends early where the upper bound has no effect.
    fn run(&mut self, relaxed: f64, upper: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let mut penalty = self.run_lower(relaxed, upper, budget)?;
        if upper == f64::INFINITY || self.is_within(0.5 * PROVEN) {
            return Ok(());
        }
        self.bounds.1 = upper;
        self.paths.clear();
        if super::is_gridded(self.problem.k) {
            // Under upper bounds that bite everywhere little else comes near the optimum.
            self.adopt(FreeSolution::on_grid(self.problem), budget);
            penalty = penalty.max(self.grid_penalty());
        }
        let steps = (MOST_STEPS.0 * self.problem.k as u64).max(STEPS_A_POINT * self.problem.len() as u64);
        budget.limited(steps.min(MOST_STEPS.1), |budget| self.run_between(penalty, budget)).map(|_| ())
    }

    /// Searches under the lower bound alone, which the `upper` bound may make useless. Gives the last penalty.
    fn run_lower(&mut self, relaxed: f64, upper: f64, budget: &mut Budget<'_>) -> Result<f64, Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        // Where costs fall with the square of the number of clusters. Without bounds they do so more evenly.
        let mut guess = 2.0 * if relaxed > 0.0 { relaxed } else { self.best.cost } / k as f64;
        let runs = RUNS_A_CLUSTER * k;
        if prefixes.sample().distinct() > 4 * runs {
            let found = self.find_by_runs(&Runs::coarse(prefixes, runs), guess, budget)?;
            guess = found.penalty;
            if upper == f64::INFINITY {
                self.levels_if_vanished(&found, budget)?;
            }
            if self.is_within(0.5 * PROVEN) || upper < f64::INFINITY {
                return Ok(guess);
            }
        }
        budget.has_memory(PathNodes::bytes(PathNodes::count(prefixes, false)))?;
        let found = self.find_penalty(&PathNodes::all(prefixes, false), guess, budget)?;
        if upper == f64::INFINITY {
            self.reward_if_vanished(&found, budget)?;
        }
        Ok(found.penalty)
    }

    /// What a cluster more saves on even grids: where the upper bound bites, far more than under the lower bound alone.
    fn grid_penalty(&self) -> f64 {
        let (problem, k) = (self.problem, self.problem.k);
        let apart = (k / GRIDS_APART).max(1);
        let (few, many) = (k - apart, (k + apart).min(problem.len()));
        let cost = |k: usize| FreeSolution::on_grid(&problem.resized(self.bounds, k)).cost;
        (cost(few) - cost(many)) / (many - few) as f64
    }

    /// Searches under both bounds.
    fn run_between(&mut self, mut guess: f64, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (prefixes, k) = (self.problem.prefixes, self.problem.k);
        if super::is_gridded(k) {
            budget.limited(REWARD_STEPS, |budget| self.run_levels(FIRST_LEVELS, budget))?;
            if self.is_within(0.5 * PROVEN) {
                return Ok(());
            }
        }
        let mut runs = RUNS_A_CLUSTER * k;
        while prefixes.sample().distinct() > 4 * runs {
            let nodes = PathNodes::coarse(prefixes, &Runs::coarse(prefixes, runs));
            let found = self.find_penalty(&nodes, guess, budget)?;
            self.levels_if_vanished(&found, budget)?;
            if self.is_within(0.5 * PROVEN) {
                return Ok(());
            }
            guess = found.penalty;
            runs *= FINER;
        }
        // Clusters of one point may part equal ones.
        budget.has_memory(PathNodes::bytes(PathNodes::count(prefixes, true)))?;
        let found = self.find_penalty(&PathNodes::all(prefixes, true), guess, budget)?;
        self.reward_if_vanished(&found, budget)
    }

    /// Searches with one curve for each number of clusters where no penalty gives k of them and few centres can be at
    /// a place.
    fn levels_if_vanished(&mut self, found: &PenaltyFound, budget: &mut Budget<'_>) -> Result<(), Stop> {
        if !found.vanished || self.is_within(0.5 * PROVEN) || !super::is_gridded(self.problem.k) {
            return Ok(());
        }
        budget.limited(REWARD_STEPS, |budget| self.run_levels(FEW_LEVELS, budget)).map(|_| ())
    }

    /// Looks for a reward where no penalty gives k clusters.
    fn reward_if_vanished(&mut self, found: &PenaltyFound, budget: &mut Budget<'_>) -> Result<(), Stop> {
        self.levels_if_vanished(found, budget)?;
        if !found.vanished || self.is_within(PROVEN) {
            return Ok(());
        }
        let nodes = PathNodes::all(self.problem.prefixes, true);
        let links = found.paths.iter().map(Vec::len).max().unwrap_or(1);
        budget.limited(REWARD_STEPS, |budget| self.find_reward(&nodes, links, budget))?;
        if self.is_within(PROVEN) || !super::is_gridded(self.problem.k) {
            return Ok(());
        }
        budget.limited(REWARD_STEPS, |budget| self.run_levels(f64::INFINITY, budget)).map(|_| ())
    }

    /// Looks for the reward of a cluster under which there are k of them, where no more than `links` pay without one.
    fn find_reward(&mut self, nodes: &PathNodes, links: usize, budget: &mut Budget<'_>) -> Result<(), Stop> {
        self.rewarded = true;
        let k = self.problem.k;
        let (mut few, mut many) = ((links, self.floor), None);
        let mut penalty = -(self.best.cost - self.floor) / (k - links.min(k - 1)) as f64;
        for _ in 0..TRIALS {
            let trial = self.trial(nodes, penalty, budget)?;
            let found = (trial.links(), trial.cost);
            let between = few.0 < found.0 && many.is_none_or(|many: (usize, f64)| found.0 < many.0);
            match found.0.cmp(&k) {
                Ordering::Equal => break,
                _ if !between && many.is_some() => break,
                Ordering::Less => few = if between { found } else { few },
                Ordering::Greater => many = Some(found),
            }
            penalty = match many {
                Some(many) => (few.1 - many.1) / (many.0 - few.0) as f64,
                None => 4.0 * penalty,
            };
        }
        Ok(())
    }

    /// Looks for the penalty on runs of points, finer and finer where the best paths have their boundaries, until these
    /// cut no run. Gives what the last of them has found.
    fn find_by_runs(&mut self, coarse: &Runs, penalty: f64, budget: &mut Budget<'_>) -> Result<PenaltyFound, Stop> {
        let prefixes = self.problem.prefixes;
        let mut nodes = PathNodes::spread(prefixes, coarse);
        let (mut share, mut boundaries) = (FIRST_SHARE, Vec::new());
        let mut found = self.find_penalty(&nodes, penalty, budget)?;
        for _ in 1..GRADINGS {
            if self.is_within(CLEAR) || !found.cuts || self.exceeds_upper(&found.paths) {
                break;
            }
            // Those of earlier rounds too: rows of tight gaps move as one, to and fro.
            boundaries.extend(self.best.partition.boundaries());
            found.paths.iter().for_each(|centers| boundaries.extend(self.boundaries(centers)));
            boundaries.sort_unstable();
            boundaries.dedup();
            let graded = coarse.graded(&boundaries, share);
            budget.has_memory(PathNodes::bytes(2 * graded.len()))?;
            if 2 * graded.len() > prefixes.sample().distinct() {
                break;
            }
            nodes = PathNodes::spread(prefixes, &Runs::ending_at(prefixes, graded));
            share *= FINER_SHARE;
            found = self.find_penalty(&nodes, found.penalty, budget)?;
        }
        Ok(found)
    }

    /// Whether paths that were found under the lower bound alone miss the upper bound, so that finer ones will.
    fn exceeds_upper(&self, paths: &[Vec<f64>]) -> bool {
        let upper = self.problem.gaps.upper[0];
        paths.iter().any(|centers| centers.windows(2).any(|pair| pair[1] - pair[0] > upper))
    }

    /// The number of points before each boundary of clusters with these centres.
    fn boundaries(&self, centers: &[f64]) -> Vec<usize> {
        let midpoints = centers.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        midpoints.map(|midpoint| self.problem.points_until(midpoint, 0..self.problem.len())).collect()
    }

    /// Whether nothing costs less than the best by more than this part of it.
    fn is_within(&self, part: f64) -> bool {
        self.floor >= self.best.cost * (1.0 - part)
    }

    /// Looks for the penalty under which the best path through the nodes has k links, and adopts what it finds on the
    /// way.
    fn find_penalty(&mut self, nodes: &PathNodes, guess: f64, budget: &mut Budget<'_>) -> Result<PenaltyFound, Stop> {
        let k = self.problem.k;
        let (mut few, mut many): (Option<PenaltyTrial>, Option<PenaltyTrial>) = (None, None);
        let (mut penalty, mut at_chord, mut vanished) = (guess, false, false);
        for count in 0..TRIALS {
            let trial = self.trial(nodes, penalty, budget)?;
            let (links, trial_cost) = (trial.links(), trial.cost);
            if links == k {
                let (cuts, paths) = (trial.cuts, vec![trial.centers]);
                return Ok(PenaltyFound { penalty, vanished: false, cuts, paths });
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
                _ => penalty * self.step(nodes, penalty, links, trial_cost, count),
            };
            // Where penalties do not matter any more these nodes do not allow as many clusters. Finer ones may.
            vanished = links < k && penalty * k as f64 <= CLEAR * self.best.cost;
            if vanished || penalty <= 0.0 || !penalty.is_finite() {
                penalty = guess;
                break;
            }
        }
        let sides = || few.iter().chain(&many);
        let cuts = sides().any(|side| side.cuts);
        Ok(PenaltyFound { penalty, vanished, cuts, paths: sides().map(|side| side.centers.clone()).collect() })
    }

    /// By which factor to change a penalty under which there are too few, or too many, `links` of this `cost`, so that
    /// it is soon between two that give k clusters or miss them on either side.
    fn step(&self, nodes: &PathNodes, penalty: f64, links: usize, cost: f64, count: usize) -> f64 {
        let k = self.problem.k as f64;
        // The cost of smooth data falls with the square of the number of clusters. Ever longer steps, and at least by
        // about one cluster.
        let law = (links as f64 / k).powi(3 << count.min(16));
        let least = 2.0 / (k + 2.0);
        if (links as f64) < k {
            return law.clamp(1.0 / MOST_RISE, 1.0 - least);
        }
        // Under this penalty, or a lower one if there is something better, the best known is as good.
        let chord = (self.best.cost - cost) / (links as f64 - k) / penalty;
        let step = if matches!(nodes.meaning, Meaning::Bound { .. }) { law } else { law.max(chord * (1.0 + PROVEN)) };
        step.clamp(1.0 + least, MOST_RISE)
    }

    /// The optimum under a penalty. Where every distinct value is a node the floor rises.
    fn trial(&mut self, nodes: &PathNodes, penalty: f64, budget: &mut Budget<'_>) -> Result<PenaltyTrial, Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        let (lower, upper) = self.bounds;
        let domain = (problem.reach[0].0, problem.reach[k - 1].1);
        let penalties = penalty * k as f64;
        // No path that costs more than the best known is of use.
        let known = self.paths.iter().map(|&(links, cost)| cost + penalty * links as f64);
        let least = known.fold(self.best.cost + penalties, f64::min);
        let enough = least + least.abs() * if matches!(nodes.meaning, Meaning::Exact) { NO_LESS } else { COARSELY };
        let pruned = upper < f64::INFINITY && !self.rewarded;
        let unbounded = if pruned { nodes.rest_costs(problem.prefixes, penalty) } else { [Vec::new(), Vec::new()] };
        let steps = if upper < f64::INFINITY && self.paths.is_empty() { FIRST_STEPS } else { u64::MAX };
        let sweep = Sweep {
            nodes,
            lower,
            upper,
            penalty,
            domain,
            enough: if pruned { enough } else { f64::INFINITY },
            unbounded: unbounded.each_ref().map(Vec::as_slice),
            rewarded: self.rewarded,
            windows: &[],
        };
        let optimum = budget.limited(steps, |budget| sweep.run(budget))?.ok_or(Stop::Exhausted)?;
        let rounding = optimum.rounding + of_addition(penalties.abs());
        let mut floor = 0.0;
        let value = match nodes.meaning {
            Meaning::Exact => {
                floor = optimum.value.min(enough) - penalties - rounding;
                optimum.value
            }
            Meaning::Path => optimum.value,
            Meaning::Bound { less, rounding: of_runs } => {
                let value = optimum.value - less;
                floor = value - penalties - rounding - of_addition(value) - of_runs;
                value
            }
        };
        self.floor = self.floor.max(floor);
        if upper == f64::INFINITY && !self.rewarded {
            // For up to 3k centres.
            self.inside = self.inside.max(floor - 2.0 * penalties);
        }
        budget.monitor.proved(self.floor);
        budget.monitor.report()?;
        let links = optimum.starts.len();
        let centers = self.centers(nodes, &optimum.starts);
        if links == k {
            let found = match nodes.meaning {
                Meaning::Bound { .. } => FreeSolution::from_centers(problem, &centers),
                _ => {
                    let ends = optimum.starts[1..].iter().map(|&start| nodes.points_before(start));
                    let partition = Partition::new(ends.chain([problem.len()]).collect());
                    FreeSolution::of_partition(problem, partition).improved(problem)
                }
            };
            self.adopt(found, budget);
        } else if upper < f64::INFINITY {
            // A better solution in hand leaves less to be searched.
            let partition = nearest(problem.prefixes.sample(), &stretched(&centers, k));
            self.adopt(FreeSolution::of_partition(problem, partition), budget);
        }
        let cost = value - penalty * links as f64;
        if !matches!(nodes.meaning, Meaning::Bound { .. }) {
            self.paths.push((links, cost));
        }
        let cuts = optimum.starts.iter().any(|&start| nodes.cuts_run(start));
        Ok(PenaltyTrial { centers, cuts, cost, penalty })
    }

    /// The best centres of any number of clusters, which begin with these nodes.
    fn centers(&self, nodes: &PathNodes, starts: &[usize]) -> Vec<f64> {
        let ends = starts[1..].iter().copied().chain([nodes.len()]);
        let targets: Vec<Target> = starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| nodes.block(start, end))
            .map(|block| Target { weight: block.weight, mean: block.mean })
            .collect();
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

/// As many centres as `k`, as far along the path of others.
fn stretched(centers: &[f64], k: usize) -> Vec<f64> {
    let last = centers.len() - 1;
    let at = |i: usize| {
        let place = (i * last) as f64 / (k - 1) as f64;
        let before = (place as usize).min(last);
        centers[before] + (place - before as f64) * (centers[(before + 1).min(last)] - centers[before])
    };
    (0..k).map(at).collect()
}

#[cfg(test)]
mod tests;
