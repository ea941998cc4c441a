//! The hills that a search has found, and the way from one to others.

use super::SHORT_PASSES;
use super::ground::Ground;
use super::moves::moves;
use crate::error::MixtureError;
use crate::mixture::climb::{Ascent, Model};
use crate::mixture::parameters::Parameters;
use std::borrow::Cow;

/// Passes of a climb to the top; 99 % of those measured took less than half of it.
const LONG_PASSES: usize = 150;

/// A move that is below the best by more than this after its short climb, with what more it may gain, is not finished.
/// Some climbs stay several units below for many passes and then end far above: with 1 instead, one problem of 300
/// ended 13 units lower.
const HOPELESS_MOVE: f64 = 5.0;

/// What more a short climb may gain counts for no more than this.
const MOST_HOPED: f64 = 3.0;

/// Short climbs of each round of moves that are finished.
const FINISHED: usize = 2;

/// Moves that are climbed, the most promising: in the first round and after a higher hill was found, and after a round
/// that found none. In 783 rounds of 372 problems the latter found 9 higher hills, all but one by the four most
/// promising moves.
const CLIMBED_MOVES: [usize; 2] = [14, 6];

/// Hills below the best by more than this are not moved from. With 3 one problem of 1,600 fewer was missed.
const NEAR_HILL: f64 = 2.0;

/// So many moves in a row that end on known hills end a round. With 6, three more of 1,600 problems were missed.
const KNOWN_IN_A_ROW: usize = 8;

/// Rounds of moves at most. The search ends sooner where as many in a row as there are components found no higher hill.
const ROUNDS: usize = 14;

/// Where more than this share of the climbs ended on the highest hill, the first round of moves that finds no higher
/// one is the last.
const SURE: f64 = 0.5;

/// Hills within this of each other, at about the same parameters, are one.
pub(super) const SAME_HEIGHT: f64 = 1e-3;

/// A climb that is below a hill by less than this, at about the same parameters, is about to arrive there. With a tenth
/// the same problems were missed.
const JOINING: f64 = 0.5;

/// Hills of the search within this of its best, in log units, are climbed on the points: the summary may have them in
/// another order.
const CLIMBED_AGAIN: f64 = 1.0;

/// At most so many of them.
const MOST_CLIMBED_AGAIN: usize = 3;

/// What a search has found, highest first, on its summary.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct Found {
    pub(super) hills: Vec<Hill>,
    /// Starts and moves that were climbed.
    pub(in crate::mixture) starts: usize,
    /// How many of them ended on the highest hill.
    pub(in crate::mixture) at_best: usize,
    /// Whether the time limit ended it.
    pub(in crate::mixture) out_of_time: bool,
}

/// The top of a hill.
#[derive(Clone, Debug)]
pub(super) struct Hill {
    pub(super) ascent: Ascent,
    /// Climbs that ended here.
    ended: usize,
}

impl Hill {
    fn height(&self) -> f64 {
        self.ascent.log_likelihood
    }
}

/// The hills known so far.
#[derive(Default)]
pub(super) struct Hills {
    tops: Vec<Hill>,
    /// What was left of those moved from, each time without a component, so that nothing is put into the same rest
    /// twice.
    rests: Vec<Parameters>,
    pub(super) starts: usize,
    /// Starts that were not climbed, because others were higher after the same EM steps.
    pub(super) passed_over: usize,
}

impl Hills {
    /// The share of all starts and moves that ended on the highest hill.
    fn share_at_best(&self) -> f64 {
        let highest = self.tops.iter().reduce(|a, b| if b.height() > a.height() { b } else { a });
        highest.map_or(0.0, |hill| hill.ended as f64 / (self.starts + self.passed_over) as f64)
    }

    fn best(&self) -> f64 {
        self.tops.iter().map(Hill::height).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Climbs on from where a short climb ended, unless that is a hill that is known. Returns which hill it is.
    pub(super) fn finish(&mut self, ground: &mut Ground<'_>, from: Ascent) -> Result<usize, MixtureError> {
        let ascent = match self.known(&from) {
            Some(hill) => {
                self.join(hill);
                return Ok(hill);
            }
            None => {
                let tops = &self.tops;
                let joining = |p: &Parameters, h: f64| tops.iter().any(|hill| joins(p, h, &hill.ascent));
                ground.climb(from.parameters, 0, LONG_PASSES, f64::NEG_INFINITY, &joining)?
            }
        };
        match self.known(&ascent) {
            Some(hill) => {
                self.join(hill);
                Ok(hill)
            }
            None => {
                self.tops.push(Hill { ascent, ended: 1 });
                Ok(self.tops.len() - 1)
            }
        }
    }

    /// Counts a climb that ended on a known hill.
    pub(super) fn join(&mut self, hill: usize) {
        self.tops[hill].ended += 1;
    }

    fn known(&self, ascent: &Ascent) -> Option<usize> {
        self.tops.iter().position(|hill| joins(&ascent.parameters, ascent.log_likelihood, &hill.ascent))
    }

    /// Moves from the highest hill not yet moved from, until that no longer finds a higher one.
    pub(super) fn explore(&mut self, ground: &mut Ground<'_>) -> Result<(), MixtureError> {
        let mut moved_from: Vec<Ascent> = Vec::new();
        let mut fruitless = 0;
        for _ in 0..ROUNDS {
            let best = self.best();
            let fresh = self.tops.iter().filter(|hill| {
                let gone = moved_from.iter().any(|other| same(other, &hill.ascent, SAME_HEIGHT));
                hill.height() > best - NEAR_HILL && !gone
            });
            let Some(hill) = fresh.reduce(|a, b| if b.height() > a.height() { b } else { a }) else {
                break;
            };
            let from = hill.ascent.clone();
            moved_from.push(from.clone());
            let most = CLIMBED_MOVES[usize::from(fruitless > 0)];
            self.moves_from(ground, &from, best, most)?;
            fruitless = if self.best() > best + SAME_HEIGHT { 0 } else { fruitless + 1 };
            let enough = if self.share_at_best() > SURE { 1 } else { from.parameters.k() };
            if fruitless >= enough {
                break;
            }
        }
        Ok(())
    }

    /// Climbs the `most` promising moves from a hill, and finishes the best of them.
    fn moves_from(
        &mut self,
        ground: &mut Ground<'_>,
        from: &Ascent,
        best: f64,
        most: usize,
    ) -> Result<(), MixtureError> {
        let mut hopes: Vec<(f64, Ascent)> = Vec::new();
        let mut known_in_a_row = 0;
        for candidate in moves(ground, &from.parameters, most, &mut self.rests)? {
            let tops = &self.tops;
            let highest = hopes.iter().map(|(_, ascent)| ascent.log_likelihood).fold(best, f64::max);
            let joining = |p: &Parameters, h: f64| tops.iter().any(|hill| joins(p, h, &hill.ascent));
            let ascent = ground.climb(candidate, 1, SHORT_PASSES, highest, &joining)?;
            if ground.out_of_time {
                return Err(MixtureError::TimeLimit);
            }
            self.starts += 1;
            let height = ascent.log_likelihood;
            if let Some(hill) = self.known(&ascent) {
                self.join(hill);
                known_in_a_row += 1;
                if known_in_a_row == KNOWN_IN_A_ROW {
                    break;
                }
                continue;
            }
            known_in_a_row = 0;
            if height > best + SAME_HEIGHT {
                hopes.push((f64::MAX, ascent));
            } else if !same(&ascent, from, f64::INFINITY) {
                hopes.push((height + (2.0 * ascent.decrement).min(MOST_HOPED), ascent));
            }
        }
        hopes.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.log_likelihood.total_cmp(&a.1.log_likelihood)));
        for (hope, ascent) in hopes.into_iter().take(FINISHED) {
            if hope >= best - HOPELESS_MOVE {
                self.finish(ground, ascent)?;
            }
        }
        Ok(())
    }

    pub(super) fn found(mut self, out_of_time: bool) -> Found {
        self.tops.sort_by(|a, b| b.height().total_cmp(&a.height()));
        let at_best = self.tops[0].ended;
        Found { hills: self.tops, starts: self.starts, at_best, out_of_time }
    }
}

impl Found {
    /// The hills that are worth climbing on the points, with the likelihood near them; the highest alone where a pass
    /// is costly.
    pub(in crate::mixture) fn worth(&self, local: bool) -> impl Iterator<Item = (&Parameters, Option<&Model>)> {
        let best = self.hills[0].height();
        let near = self.hills.iter().take_while(move |hill| hill.height() >= best - CLIMBED_AGAIN);
        let most = if local { MOST_CLIMBED_AGAIN } else { 1 };
        near.take(most).map(|hill| (&hill.ascent.before, hill.ascent.model.as_ref()))
    }

    /// The highest hill but `best`: among those climbed on the points, `others`, or else on the summary.
    pub(in crate::mixture) fn runner_up(
        &self,
        best: &Ascent,
        mut others: impl Iterator<Item = (Parameters, f64)>,
    ) -> Option<(Parameters, f64)> {
        others.find(|(parameters, _)| !alike(parameters, &best.parameters)).or_else(|| {
            let hill = self.hills.iter().find(|hill| !alike(&hill.ascent.parameters, &best.parameters))?;
            let lower = hill.height() - self.hills[0].height();
            Some((hill.ascent.parameters.clone(), best.log_likelihood + lower.min(0.0)))
        })
    }
}

/// Whether two climbs are on one hill: heights within `apart`, and every component that matters at about the same
/// place.
pub(super) fn same(a: &Ascent, b: &Ascent, apart: f64) -> bool {
    (a.log_likelihood - b.log_likelihood).abs() < apart && alike(&a.parameters, &b.parameters)
}

/// Whether a climb at `parameters`, of this log-likelihood, is about to arrive where `other` has.
pub(super) fn joins(parameters: &Parameters, log_likelihood: f64, other: &Ascent) -> bool {
    let below = other.log_likelihood - log_likelihood;
    (-SAME_HEIGHT..JOINING).contains(&below) && alike(parameters, &other.parameters)
}

/// Means of one component differ by less than this fraction of its spread. With half the tolerances here, more climbs
/// are finished on hills that are known, and six more of 1,600 problems were missed.
const SAME_MEAN: f64 = 0.2;

/// Variances of one component differ by a factor in this range.
const SAME_VARIANCE: std::ops::Range<f64> = 0.72..1.39;

/// Weights of one component differ by less than this.
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
