//! The best path of `k` clusters by a penalty per cluster, instead of a table for each of the `k`.
//!
//! Under a penalty λ the best path over clusters, however many, has the value `F(λ)`, and no partition into `k` costs
//! less than `F(λ) - λk`. One trial costs O(1) for each possible cluster, for any `k`. The problem is not Monge, so the
//! best penalty may leave a duality gap. The program with [`levels`](super::levels) closes it: it finds the best
//! partition within a limit above the bound, or the limit becomes the new bound and the next one is higher.
//! docs/mathematics.md has the derivation.

use super::clusters::{Clusters, PenalizedPath};
use super::incumbent::MeansSolution;
use super::levels::{BestWithin, PenalizedRest, best_within};
use crate::error::KMeansError;
use crate::kmeans::rounding::of_sum;
use crate::monitor::Monitor;

/// The largest number of penalties to try: after the first few, each halves the interval or follows the chord.
const MAX_TRIALS: usize = 60;

/// Trials from one side by the law cost ~ k⁻² of smooth data; later ones go ever farther, even below zero.
const TRIALS_BY_LAW: usize = 6;

/// Between sides that differ by at most this many clusters only chords are tried.
const CLOSE_CLUSTERS: usize = 3;

/// The growth of the limit's distance from the bound.
const LIMIT_GROWTH: f64 = 4.0;

/// The best path under a penalty.
struct DualTrial {
    penalty: f64,
    links: usize,
    /// The cost without penalties.
    cost: f64,
}

/// A search for the best partition into `k` clusters.
pub(super) struct DualSearch<'a> {
    clusters: &'a Clusters,
    k: usize,
    /// An upper bound on the optimum.
    limit: f64,
    /// The trials nearest to `k` with fewer and with more clusters.
    few: Option<DualTrial>,
    many: Option<DualTrial>,
    /// A lower bound on the optimum, and the penalty that proves it.
    bound: f64,
    pub(super) penalty: f64,
    /// The rounding error that was subtracted from the bound.
    rounding: f64,
    /// The best partition found.
    pub(super) best: Option<MeansSolution>,
}

impl<'a> DualSearch<'a> {
    /// A search among the partitions that cost at most `limit`, whose clusters are all among `clusters`.
    pub(super) fn new(clusters: &'a Clusters, k: usize, limit: f64) -> Self {
        Self {
            clusters,
            k,
            limit,
            few: None,
            many: None,
            bound: f64::NEG_INFINITY,
            penalty: 0.0,
            rounding: 0.0,
            best: None,
        }
    }

    /// Finds the best partition of cost at most the limit, if there is one; false if that needs more than `most` steps.
    /// `guess` is the first penalty.
    pub(super) fn run(&mut self, guess: f64, most: usize, monitor: &mut Monitor<'_>) -> Result<bool, KMeansError> {
        if !self.find_penalty(guess, monitor)? {
            return Ok(true);
        }
        let rest = PenalizedRest { penalty: self.penalty, after: self.clusters.after(self.penalty, monitor)? };
        // The typical duality gap of smooth data, and at least the rounding error.
        let smooth = self.bound.abs() / (self.k * self.k) as f64;
        let mut above = smooth.max(4.0 * self.rounding).max(f64::MIN_POSITIVE);
        loop {
            let within = (self.bound + above).min(self.limit);
            match best_within(self.clusters, self.k, &rest, within, most, monitor)? {
                BestWithin::Path(found) => {
                    self.adopt(found, monitor);
                    return Ok(true);
                }
                BestWithin::Nothing if within >= self.limit => return Ok(true),
                BestWithin::Nothing => monitor.proved(within),
                // Many partitions may have the same cost up to rounding: one of them is enough.
                BestWithin::TooMany => return Ok(self.best.as_ref().is_some_and(|best| self.is_least(best.cost))),
            }
            monitor.report()?;
            if monitor.is_proven() {
                return Ok(monitor.cost <= monitor.lower_bound);
            }
            above *= LIMIT_GROWTH;
        }
    }

    /// Finds the penalty with the highest bound; false if every partition costs more than the limit.
    fn find_penalty(&mut self, guess: f64, monitor: &mut Monitor<'_>) -> Result<bool, KMeansError> {
        let (mut penalty, mut at_chord) = (guess, false);
        for count in 0..MAX_TRIALS {
            let reached = self.clusters.reached(penalty, monitor)?;
            let Some(path) = self.clusters.best_path(&reached) else { return Ok(false) };
            let trial = self.trial(path, penalty, monitor);
            monitor.report()?;
            if self.bound > self.limit {
                return Ok(false);
            }
            let side = if trial.links < self.k { &mut self.few } else { &mut self.many };
            let nearer = side.as_ref().is_none_or(|side| trial.links.abs_diff(self.k) < side.links.abs_diff(self.k));
            // If the trial at a chord is not between its sides, both are optimal under it, and no penalty has a higher
            // bound.
            if trial.links == self.k || (at_chord && !nearer) {
                break;
            }
            if nearer {
                *side = Some(trial);
            }
            (penalty, at_chord) = self.next(penalty, guess, count, nearer);
        }
        Ok(true)
    }

    /// Records the best path under a penalty, and its bound.
    fn trial(&mut self, path: PenalizedPath, penalty: f64, monitor: &mut Monitor<'_>) -> DualTrial {
        let (links, penalties) = (path.boundaries.len() + 1, penalty * self.k as f64);
        let rounding = of_sum(2 * self.k, path.value.abs() + penalties.abs());
        let bound = path.value - penalties - rounding;
        if bound > self.bound {
            (self.bound, self.penalty, self.rounding) = (bound, penalty, rounding);
            monitor.proved(bound.min(self.limit));
        }
        if links == self.k {
            let cost = self.clusters.cost_of(&path.boundaries);
            self.adopt(MeansSolution { boundaries: path.boundaries, cost }, monitor);
        }
        DualTrial { penalty, links, cost: path.value - penalty * links as f64 }
    }

    /// Whether a partition of this cost is optimal up to rounding.
    fn is_least(&self, cost: f64) -> bool {
        cost <= self.bound + 2.0 * self.rounding
    }

    /// Keeps the better of two partitions; the first of equal ones.
    fn adopt(&mut self, found: MeansSolution, monitor: &mut Monitor<'_>) {
        if self.best.as_ref().is_none_or(|best| found.cost < best.cost) {
            self.limit = self.limit.min(found.cost);
            monitor.found(found.cost);
            self.best = Some(found);
        }
    }

    /// The next penalty, and whether it is the chord: that under which both sides cost the same.
    fn next(&self, penalty: f64, guess: f64, count: usize, nearer: bool) -> (f64, bool) {
        match (&self.few, &self.many) {
            (Some(few), Some(many)) => {
                let apart = many.links - few.links;
                if !nearer || count % 3 != 2 || apart <= CLOSE_CLUSTERS {
                    return ((few.cost - many.cost) / apart as f64, true);
                }
                let positive = many.penalty > 0.0;
                let middle =
                    if positive { (few.penalty * many.penalty).sqrt() } else { 0.5 * (few.penalty + many.penalty) };
                (middle, false)
            }
            (few, many) => {
                let links = few.as_ref().or(many.as_ref()).map_or(self.k, |side| side.links) as f64;
                let law = (links / self.k as f64).powi(3);
                let step = guess * (1u64 << count) as f64;
                let next = match few.is_some() {
                    true if count < TRIALS_BY_LAW => penalty * law.min(0.9),
                    true => penalty - step,
                    false if count < TRIALS_BY_LAW => penalty * law.max(1.1),
                    false => penalty + step,
                };
                (next, false)
            }
        }
    }
}
