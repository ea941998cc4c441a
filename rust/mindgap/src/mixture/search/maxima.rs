//! The local maxima that a search has found, and the moves from them.

use super::SHORT_PASSES;
use super::moves::moves;
use super::problem::CellProblem;
use crate::error::MixtureError;
use crate::mixture::climb::{Ascent, Model};
use crate::mixture::parameters::Parameters;
use std::borrow::Cow;

/// The most passes of a climb to convergence; 99 % of those measured took less than half of it.
const LONG_PASSES: usize = 150;

/// A short climb from a move is not finished if it is below the best by more than this after adding what more it may
/// gain. Some climbs stay several units below for many passes and then end far above: with 1 instead, one problem of
/// 300 ended 13 units lower.
const MOVE_MARGIN: f64 = 5.0;

/// The most that a short climb is expected to gain further.
const MOST_FURTHER_GAIN: f64 = 3.0;

/// The most short climbs that are finished in a round of moves.
const FINISHED: usize = 2;

/// The most moves that are climbed, those of the highest likelihood: in the first round and after a higher maximum was
/// found; after a round that found none. In 783 rounds of 372 problems the latter found 9 higher maxima, all but one by
/// the first four moves.
const CLIMBED_MOVES: [usize; 2] = [14, 6];

/// Maxima below the best by more than this are not moved from. With 3, five of 2,400 problems fewer were missed, in a
/// twentieth more time.
const NEAR_BEST: f64 = 2.0;

/// A round ends after this many moves in a row that end on known maxima. With 6, two more of 1,600 problems were
/// missed; without this limit one fewer.
const KNOWN_IN_A_ROW: usize = 8;

/// The most rounds of moves. The search ends sooner, after as many rounds without a higher maximum as there are
/// components.
const ROUNDS: usize = 14;

/// If more than this share of the climbs ended on the highest maximum, the search ends after the first round that finds
/// no higher one.
const ENOUGH_AT_BEST: f64 = 0.5;

/// Maxima within this of each other, at about the same parameters, are one.
pub(super) const SAME_LIKELIHOOD: f64 = 1e-3;

/// A climb below a maximum by less than this, at about the same parameters, is taken to converge to it. With a tenth
/// the same problems were missed.
const JOINING: f64 = 0.5;

/// Maxima of the search within this of its best, in log units, are climbed on the points, where their order may differ.
const CLIMBED_AGAIN: f64 = 1.0;

/// The most maxima that are climbed on the points.
const MOST_CLIMBED_AGAIN: usize = 3;

/// The result of a search on cells, by falling likelihood.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct Found {
    pub(super) maxima: Vec<Maximum>,
    /// Starts and moves that were climbed.
    pub(in crate::mixture) starts: usize,
    /// How many of them ended on the highest maximum.
    pub(in crate::mixture) at_best: usize,
    /// Whether the time limit ended it.
    pub(in crate::mixture) out_of_time: bool,
}

/// A local maximum.
#[derive(Clone, Debug)]
pub(super) struct Maximum {
    pub(super) ascent: Ascent,
    /// Climbs that ended here.
    ended: usize,
}

impl Maximum {
    fn log_likelihood(&self) -> f64 {
        self.ascent.log_likelihood
    }
}

/// The maxima known so far.
#[derive(Default)]
pub(super) struct Maxima {
    known: Vec<Maximum>,
    /// The mixtures without one component to which another was added before: each is tried once.
    rests: Vec<Parameters>,
    pub(super) starts: usize,
    /// Starts that were not climbed, because others were higher after the same EM steps.
    pub(super) passed_over: usize,
}

impl Maxima {
    /// The share of all starts and moves that ended on the highest maximum.
    fn share_at_best(&self) -> f64 {
        let highest = self.known.iter().reduce(|a, b| if b.log_likelihood() > a.log_likelihood() { b } else { a });
        highest.map_or(0.0, |maximum| maximum.ended as f64 / (self.starts + self.passed_over) as f64)
    }

    fn best(&self) -> f64 {
        self.known.iter().map(Maximum::log_likelihood).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Climbs on from where a short climb ended, unless that is a maximum that is known. Returns which maximum it is.
    pub(super) fn finish(&mut self, problem: &mut CellProblem<'_>, from: Ascent) -> Result<usize, MixtureError> {
        let ascent = match self.find(&from) {
            Some(maximum) => {
                self.join(maximum);
                return Ok(maximum);
            }
            None => {
                let known = &self.known;
                let joining = |p: &Parameters, h: f64| known.iter().any(|maximum| joins(p, h, &maximum.ascent));
                problem.climb(from.parameters, 0, LONG_PASSES, f64::NEG_INFINITY, &joining)?
            }
        };
        match self.find(&ascent) {
            Some(maximum) => {
                self.join(maximum);
                Ok(maximum)
            }
            None => {
                self.known.push(Maximum { ascent, ended: 1 });
                Ok(self.known.len() - 1)
            }
        }
    }

    /// Counts a climb that ended on a known maximum.
    pub(super) fn join(&mut self, maximum: usize) {
        self.known[maximum].ended += 1;
    }

    fn find(&self, ascent: &Ascent) -> Option<usize> {
        self.known.iter().position(|maximum| joins(&ascent.parameters, ascent.log_likelihood, &maximum.ascent))
    }

    /// Moves from the highest maximum not yet moved from, until that no longer finds a higher one.
    pub(super) fn explore(&mut self, problem: &mut CellProblem<'_>) -> Result<(), MixtureError> {
        let mut moved_from: Vec<Ascent> = Vec::new();
        let mut without_success = 0;
        for _ in 0..ROUNDS {
            let best = self.best();
            let fresh = self.known.iter().filter(|maximum| {
                let gone = moved_from.iter().any(|other| same(other, &maximum.ascent, SAME_LIKELIHOOD));
                maximum.log_likelihood() > best - problem.margin(NEAR_BEST) && !gone
            });
            let Some(maximum) = fresh.reduce(|a, b| if b.log_likelihood() > a.log_likelihood() { b } else { a }) else {
                break;
            };
            let from = maximum.ascent.clone();
            moved_from.push(from.clone());
            let most = CLIMBED_MOVES[usize::from(without_success > 0)];
            self.moves_from(problem, &from, best, most)?;
            without_success = if self.best() > best + SAME_LIKELIHOOD { 0 } else { without_success + 1 };
            let enough = if self.share_at_best() > ENOUGH_AT_BEST { 1 } else { from.parameters.k() };
            if without_success >= enough {
                break;
            }
        }
        Ok(())
    }

    /// Climbs the `most` promising moves from a maximum, and finishes the best of them.
    fn moves_from(
        &mut self,
        problem: &mut CellProblem<'_>,
        from: &Ascent,
        best: f64,
        most: usize,
    ) -> Result<(), MixtureError> {
        let mut unfinished: Vec<(f64, Ascent)> = Vec::new();
        let mut known_in_a_row = 0;
        let mut begun: Vec<Parameters> = Vec::new();
        for candidate in moves(problem, &from.parameters, most, &mut self.rests)? {
            if begun.iter().any(|other| alike(other, &candidate)) {
                continue;
            }
            begun.push(candidate.clone());
            let known = &self.known;
            let highest = unfinished.iter().map(|(_, ascent)| ascent.log_likelihood).fold(best, f64::max);
            let joining = |p: &Parameters, h: f64| known.iter().any(|maximum| joins(p, h, &maximum.ascent));
            let ascent = problem.climb(candidate, 1, SHORT_PASSES, highest, &joining)?;
            if problem.out_of_time {
                return Err(MixtureError::TimeLimit);
            }
            self.starts += 1;
            let log_likelihood = ascent.log_likelihood;
            if let Some(maximum) = self.find(&ascent) {
                self.join(maximum);
                known_in_a_row += 1;
                if known_in_a_row == KNOWN_IN_A_ROW {
                    break;
                }
                continue;
            }
            known_in_a_row = 0;
            if log_likelihood > best + SAME_LIKELIHOOD {
                unfinished.push((f64::MAX, ascent));
            } else if !same(&ascent, from, f64::INFINITY) {
                unfinished
                    .push((log_likelihood + (2.0 * ascent.decrement).min(problem.margin(MOST_FURTHER_GAIN)), ascent));
            }
        }
        unfinished.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.log_likelihood.total_cmp(&a.1.log_likelihood)));
        for (estimate, ascent) in unfinished.into_iter().take(FINISHED) {
            if estimate >= best - problem.margin(MOVE_MARGIN) {
                self.finish(problem, ascent)?;
            }
        }
        Ok(())
    }

    pub(super) fn found(mut self, out_of_time: bool) -> Found {
        self.known.sort_by(|a, b| b.log_likelihood().total_cmp(&a.log_likelihood()));
        let at_best = self.known[0].ended;
        Found { maxima: self.known, starts: self.starts, at_best, out_of_time }
    }
}

impl Found {
    /// The starts of the climbs on the points, with the model of the likelihood there; only the highest maximum if a
    /// pass is costly.
    pub(in crate::mixture) fn starts_on_points(
        &self,
        local: bool,
    ) -> impl Iterator<Item = (&Parameters, Option<&Model>)> {
        let best = self.maxima[0].log_likelihood();
        let near = self.maxima.iter().take_while(move |maximum| maximum.log_likelihood() >= best - CLIMBED_AGAIN);
        let most = if local { MOST_CLIMBED_AGAIN } else { 1 };
        near.take(most).map(|maximum| (&maximum.ascent.before, maximum.ascent.model.as_ref()))
    }

    /// The highest maximum but `best`: among those climbed on the points, `others`, or else on the summary.
    pub(in crate::mixture) fn runner_up(
        &self,
        best: &Ascent,
        mut others: impl Iterator<Item = (Parameters, f64)>,
    ) -> Option<(Parameters, f64)> {
        others.find(|(parameters, _)| !alike(parameters, &best.parameters)).or_else(|| {
            let maximum = self.maxima.iter().find(|maximum| !alike(&maximum.ascent.parameters, &best.parameters))?;
            let lower = maximum.log_likelihood() - self.maxima[0].log_likelihood();
            Some((maximum.ascent.parameters.clone(), best.log_likelihood + lower.min(0.0)))
        })
    }
}

/// Whether two climbs ended on one maximum: log-likelihoods within `apart`, and about the same parameters.
pub(super) fn same(a: &Ascent, b: &Ascent, apart: f64) -> bool {
    (a.log_likelihood - b.log_likelihood).abs() < apart && alike(&a.parameters, &b.parameters)
}

/// Whether a climb at `parameters`, of this log-likelihood, is taken to converge to the maximum that `other` reached.
pub(super) fn joins(parameters: &Parameters, log_likelihood: f64, other: &Ascent) -> bool {
    let below = other.log_likelihood - log_likelihood;
    (-SAME_LIKELIHOOD..JOINING).contains(&below) && alike(parameters, &other.parameters)
}

/// The means of one component at the same maximum differ by less than this fraction of its spread. With half of these
/// three tolerances more climbs are finished on known maxima, and six more of 1,600 problems were missed.
const SAME_MEAN: f64 = 0.2;

/// The range of the ratio of its variances.
const SAME_VARIANCE: std::ops::Range<f64> = 0.72..1.39;

/// The largest difference of its weights.
const SAME_WEIGHT: f64 = 0.04;

/// Whether two sets of parameters, each by its ascending means, are about the same.
pub(super) fn alike(a: &Parameters, b: &Parameters) -> bool {
    let (a, b) = (ascending(a), ascending(b));
    (0..a.k()).all(|c| {
        let (weight, variance) = (a.weights()[c], a.variances()[c].min(b.variances()[c]));
        let ratio = a.variances()[c] / b.variances()[c];
        let near = (a.means()[c] - b.means()[c]).abs() < SAME_MEAN * variance.sqrt() && SAME_VARIANCE.contains(&ratio);
        (weight - b.weights()[c]).abs() < SAME_WEIGHT && (near || weight < 1e-3)
    })
}

fn ascending(parameters: &Parameters) -> Cow<'_, Parameters> {
    match parameters.means().is_sorted() {
        true => Cow::Borrowed(parameters),
        false => Cow::Owned(parameters.clone().sorted().0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_alike_within_the_tolerances_in_any_order() {
        let one = Parameters::new(&[0.5, 0.5], &[0.0, 3.0], &[1.0, 2.0]).unwrap();
        let moved = |share: f64, mean: f64, variance: f64| {
            let other = Parameters::new(&[0.5 - share, 0.5 + share], &[3.0, mean], &[2.0, variance]).unwrap();
            [alike(&one, &other), alike(&other, &one)]
        };
        assert_eq!(moved(0.03, 0.15, 1.3), [true; 2]);
        assert_eq!(moved(0.05, 0.15, 1.3), [false; 2]);
        assert_eq!(moved(0.03, 0.25, 1.3), [false; 2]);
        assert_eq!(moved(0.03, 0.15, 1.5), [false; 2]);
        // The place of a component of hardly any weight does not matter.
        let lost = |mean: f64| Parameters::new(&[1e-4, 0.9999], &[mean, 3.0], &[1.0, 2.0]).unwrap();
        assert!(alike(&lost(-1.0), &lost(1.0)));
    }
}
