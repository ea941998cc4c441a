//! The search for the penalty per cluster for which the best path has k links, with one sweep per trial.

use super::nodes::{Meaning, PathNodes};
use super::sweep::Sweep;
use super::{NO_LESS, PathSearch, TRIALS};
use crate::kmeans::alternation::nearest;
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::rounding::{CLEAR, of_addition};
use crate::kmeans::unconstrained::splice;
use crate::monitor::DEFAULT_TOL;
use crate::partition::Partition;
use std::cmp::Ordering;

/// How much more than the best path the incumbent may cost on coarse runs of points, as a share.
const COARSELY: f64 = 0.1;

/// The largest factor between the penalties of two trials.
const MOST_RISE: f64 = 1e6;

/// The steps of the first sweep under an upper bound: some seconds. If there are wide spaces in the data, there can be
/// very many pieces; later sweeps may take more.
const FIRST_STEPS: u64 = 1 << 26;

/// The optimum under one penalty.
pub(super) struct PenaltyTrial {
    pub(super) centers: Vec<f64>,
    /// Whether it divides runs of points.
    pub(super) cuts: bool,
    pub(super) cost: f64,
    pub(super) penalty: f64,
}

/// The result of a search for a penalty.
pub(super) struct PenaltyFound {
    pub(super) penalty: f64,
    /// Whether no positive penalty gives as many as k clusters.
    pub(super) vanished: bool,
    /// The centres of the best path of k links, or of those with fewer and more that cost the same.
    pub(super) paths: Vec<Vec<f64>>,
    /// Whether these divide runs of points.
    pub(super) cuts: bool,
}

impl PenaltyTrial {
    fn links(&self) -> usize {
        self.centers.len()
    }
}

impl PathSearch<'_> {
    /// Searches for the penalty for which the best path through the nodes has k links, and adopts better solutions on
    /// the way.
    pub(super) fn find_penalty(
        &mut self,
        nodes: &PathNodes,
        guess: f64,
        budget: &mut Budget<'_>,
    ) -> Result<PenaltyFound, Stop> {
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
            // With trials on one side only, one that finds as many links as the previous one still moves on.
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
            // If penalties have no more effect, these nodes do not allow as many clusters. Finer ones may.
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

    /// The factor for a penalty that gives too few, or too many, `links` of this `cost`, so that the answer is soon
    /// between two trials.
    fn step(&self, nodes: &PathNodes, penalty: f64, links: usize, cost: f64, count: usize) -> f64 {
        let k = self.problem.k as f64;
        // The cost of smooth data falls with the square of the number of clusters. Steps grow, and change the number by
        // at least about one cluster.
        let law = (links as f64 / k).powi(3 << count.min(16));
        let least = 2.0 / (k + 2.0);
        if (links as f64) < k {
            return law.clamp(1.0 / MOST_RISE, 1.0 - least);
        }
        // For this penalty, or a lower one if there is a better solution, the incumbent is as good.
        let chord = (self.best.cost - cost) / (links as f64 - k) / penalty;
        let step =
            if matches!(nodes.meaning, Meaning::Bound { .. }) { law } else { law.max(chord * (1.0 + DEFAULT_TOL)) };
        step.clamp(1.0 + least, MOST_RISE)
    }

    /// The optimum for a penalty. If every distinct value is a node, the lower bound may rise.
    fn trial(&mut self, nodes: &PathNodes, penalty: f64, budget: &mut Budget<'_>) -> Result<PenaltyTrial, Stop> {
        let (problem, k) = (self.problem, self.problem.k);
        let (lower, upper) = self.bounds;
        let domain = (problem.reach[0].0, problem.reach[k - 1].1);
        let penalties = penalty * k as f64;
        // A path that costs more than the incumbent is useless.
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
        if floor > self.floor {
            self.floor = floor;
            self.penalty = penalty.max(0.0);
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
            // A better incumbent leaves less to search.
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

    /// Searches for the reward per cluster for which there are k of them, if without one at most `links` pay.
    pub(super) fn find_reward(&mut self, nodes: &PathNodes, links: usize, budget: &mut Budget<'_>) -> Result<(), Stop> {
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

    /// Both paths are optimal for one penalty, so a path of k links that begins along one and ends along the other is
    /// too.
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

/// `k` centres, as far along the path of others.
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
mod tests {
    use super::*;

    #[test]
    fn stretched_centres_divide_the_path_of_others_evenly() {
        assert_eq!(stretched(&[0.0, 2.0, 10.0], 5), [0.0, 1.0, 2.0, 6.0, 10.0]);
        assert_eq!(stretched(&[-1.0, 3.0, 4.0, 8.0], 2), [-1.0, 8.0]);
        assert_eq!(stretched(&[1.0, 2.0, 5.0], 3), [1.0, 2.0, 5.0]);
    }
}
