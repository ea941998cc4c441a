//! The E step of data in intervals, and of data recorded only within a support.
//!
//! A point in an interval adds its expected sums: responsibilities are those of the interval's probabilities, and
//! powers of residuals are averages within it (`within`), also for the second derivatives. O(intervals × components).
//! Unseen points outside a support add their expected sums, too (Dempster, Laird and Rubin 1977).

use super::density::LEAST;
use super::local::MOST_CURVED;
use super::within::Within;
use crate::data::sample::Sample;
use crate::error::BoxError;
use crate::mixture::engine::{Engine, Moments};
use crate::mixture::parameters::Parameters;
use crate::numeric::portable::{exp2, ln, log2};
use crate::parallel::{Workers, map_in_order};
use std::borrow::Cow;
use std::f64::consts::LN_2;

/// Intervals per piece of work for a thread.
const PIECE: usize = 2048;

/// Components whose probability is below the largest by this many bits are left out, as for points.
const NEGLIGIBLE: f64 = 107.0;

/// The largest ratio of unseen to seen points, in bits: a mixture that lies farther outside is not a candidate.
const MOST_UNSEEN: f64 = 100.0;

/// Scores of one component: `r`, `rz`, `rz²`.
const SCORES: usize = 3;

/// One component in the engine's units.
struct Component {
    log_weight: f64,
    mean: f64,
    spread: f64,
}

fn components(parameters: &Parameters) -> Vec<Component> {
    let parts = parameters.weights().iter().zip(parameters.means()).zip(parameters.variances());
    parts
        .map(|((&weight, &mean), &variance)| Component {
            log_weight: log2(weight).max(LEAST),
            mean,
            spread: variance.sqrt(),
        })
        .collect()
}

impl Component {
    fn ends(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        [(low - self.mean) / self.spread, (high - self.mean) / self.spread]
    }

    /// This component within an interval.
    fn within(&self, interval: [f64; 2]) -> Within {
        let [low, high] = self.ends(interval);
        Within::new(low, high, (interval[1] - interval[0]) / self.spread)
    }

    /// An upper bound on the logarithm of its probability in an interval.
    fn at_most(&self, interval: [f64; 2]) -> f64 {
        let [low, high] = self.ends(interval);
        self.log_weight + Within::at_most(low, high)
    }
}

/// All components within one part of the line.
struct Parts {
    parts: Vec<Within>,
    /// Relative to the largest; zero if negligible.
    relative: Vec<f64>,
    largest: f64,
    total: f64,
}

impl Parts {
    fn new(count: usize) -> Self {
        let nothing = Within { log2: LEAST, moments: [0.0; 4] };
        Self { parts: vec![nothing; count], relative: vec![0.0; count], largest: LEAST, total: 1.0 }
    }

    /// Finds the components within an interval.
    fn find(&mut self, components: &[Component], interval: [f64; 2]) {
        let most: Vec<f64> = components.iter().map(|component| component.at_most(interval)).collect();
        let first = (0..most.len()).fold(0, |best, k| if most[k] > most[best] { k } else { best });
        self.parts[first] = components[first].within(interval);
        let sure = components[first].log_weight + self.parts[first].log2;
        for k in (0..most.len()).filter(|&k| k != first && most[k] >= sure - NEGLIGIBLE) {
            self.parts[k] = components[k].within(interval);
        }
        self.weigh(components, |k| k == first || most[k] >= sure - NEGLIGIBLE);
    }

    /// Finds the components beyond a support.
    fn find_beyond(&mut self, components: &[Component], [low, high]: [f64; 2]) {
        for (part, component) in self.parts.iter_mut().zip(components) {
            let below = component.within([f64::NEG_INFINITY, low]);
            let above = component.within([high, f64::INFINITY]);
            *part = match (low > f64::NEG_INFINITY, high < f64::INFINITY) {
                (true, true) => below.with(&above),
                (true, false) => below,
                _ => above,
            };
        }
        self.weigh(components, |_| true);
    }

    fn weigh(&mut self, components: &[Component], counts: impl Fn(usize) -> bool) {
        let height = |k: usize, part: &Within| components[k].log_weight + part.log2;
        let heights = self.parts.iter().enumerate().filter(|(k, _)| counts(*k)).map(|(k, part)| height(k, part));
        self.largest = heights.fold(2.0 * LEAST, f64::max);
        for (k, part) in self.parts.iter().enumerate() {
            self.relative[k] = if counts(k) { exp2(height(k, part) - self.largest) } else { 0.0 };
        }
        self.total = self.relative.iter().sum();
    }

    /// The binary logarithm of the mixture's probability.
    fn log2(&self) -> f64 {
        self.largest + log2(self.total)
    }

    /// Adds points of this `weight` that lie here; the outer product of their scores counts `outer` times.
    fn add(&self, components: &[Component], [weight, outer]: [f64; 2], moments: &mut Moments) {
        let share = |k: usize| self.relative[k] / self.total;
        for (k, Component { spread, .. }) in components.iter().enumerate().filter(|(k, _)| self.relative[*k] > 0.0) {
            let (n, [first, second, ..]) = (weight * share(k), self.parts[k].moments);
            moments.weight[k] += n;
            moments.first[k] += n * spread * first;
            moments.second[k] += n * spread * spread * second;
        }
        let Some(curvature) = &mut moments.curvature else {
            return;
        };
        let wide = SCORES * components.len();
        let score = |a: usize| {
            if self.relative[a / SCORES] == 0.0 {
                return 0.0;
            }
            let part = &self.parts[a / SCORES].moments;
            share(a / SCORES) * [1.0, part[0], part[1]][a % SCORES]
        };
        for (k, part) in self.parts.iter().enumerate().filter(|(k, _)| self.relative[*k] > 0.0) {
            curvature.third[k] += weight * share(k) * part.moments[2];
            curvature.fourth[k] += weight * share(k) * part.moments[3];
        }
        let scores: Vec<f64> = (0..wide).map(score).collect();
        for a in (0..wide).filter(|&a| self.relative[a / SCORES] > 0.0) {
            for b in a..wide {
                curvature.outer[a * wide + b] += weight * outer * scores[a] * scores[b];
            }
        }
    }
}

/// Sums the moments of weighted points in intervals.
pub(in crate::mixture) fn sum_intervals(
    intervals: &[[f64; 2]],
    weights: &[f64],
    parameters: &Parameters,
    [classify, curved]: [bool; 2],
) -> Moments {
    let components = components(parameters);
    let mut moments = Moments::of_nothing(components.len(), classify, curved && components.len() <= MOST_CURVED);
    let mut parts = Parts::new(components.len());
    for (&interval, &weight) in intervals.iter().zip(weights) {
        parts.find(&components, interval);
        parts.add(&components, [weight, 1.0], &mut moments);
        moments.log_likelihood += weight * LN_2 * parts.log2();
        if let Some(classification) = &mut moments.classification {
            let largest = parts.relative.iter().copied().fold(0.0, f64::max);
            *classification += weight * ln(largest / parts.total);
        }
    }
    moments
}

/// Adds the expected sums of unseen points outside `support` to the moments of `total` points.
pub(in crate::mixture) fn add_unseen(parameters: &Parameters, support: [f64; 2], total: f64, moments: &mut Moments) {
    let components = components(parameters);
    let mut parts = Parts::new(components.len());
    parts.find(&components, support);
    let seen = parts.log2();
    moments.log_likelihood -= total * LN_2 * seen;
    parts.find_beyond(&components, support);
    let odds = exp2((parts.log2() - seen).min(MOST_UNSEEN));
    let unseen = total * odds;
    // To first order -N log P(seen) is M log P(unseen), where M = N·odds; to second order it differs by this multiple
    // of the scores' product.
    parts.add(&components, [unseen, -odds], moments);
    moments.unseen += unseen;
}

/// Points in intervals, in frame units.
pub(in crate::mixture) struct IntervalEngine<'a> {
    intervals: &'a [[f64; 2]],
    weights: Vec<f64>,
    workers: Workers,
}

impl<'a> IntervalEngine<'a> {
    /// Makes an engine of the values of `sample`, each in its interval.
    pub(in crate::mixture) fn new(sample: &Sample, intervals: &'a [[f64; 2]]) -> Self {
        let weights = sample.weights().map_or_else(|| vec![1.0; sample.len()], <[f64]>::to_vec);
        Self { intervals, weights, workers: Workers::for_points(intervals.len()) }
    }

    fn pass(&self, parameters: &Parameters, wanted: [bool; 2]) -> Moments {
        let pieces: Vec<_> = self.intervals.chunks(PIECE).zip(self.weights.chunks(PIECE)).collect();
        let sum = |_: &mut (), (intervals, weights): (&[[f64; 2]], &[f64])| {
            sum_intervals(intervals, weights, parameters, wanted)
        };
        let curved = wanted[1] && parameters.k() <= MOST_CURVED;
        let mut moments = Moments::of_nothing(parameters.k(), wanted[0], curved);
        self.workers.run(|| map_in_order(pieces, sum)).iter().for_each(|part| moments.add(part));
        moments
    }
}

impl Engine for IntervalEngine<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Err("intervals are made from a sample".into())
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, [false, false]))
    }

    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, [false, true]))
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, [true, false]))
    }
}

/// The data of another engine, recorded only within a support, in the engine's units.
pub(in crate::mixture) struct Truncated<'a> {
    pub(in crate::mixture) engine: &'a mut dyn Engine,
    pub(in crate::mixture) support: [f64; 2],
    pub(in crate::mixture) total: f64,
}

impl Truncated<'_> {
    fn seen(&self, parameters: &Parameters, moments: Result<Moments, BoxError>) -> Result<Moments, BoxError> {
        let mut moments = moments?;
        add_unseen(parameters, self.support, self.total, &mut moments);
        Ok(moments)
    }
}

impl Engine for Truncated<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        self.engine.load()
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let moments = self.engine.moments(parameters);
        self.seen(parameters, moments)
    }

    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let moments = self.engine.curved(parameters);
        self.seen(parameters, moments)
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        let moments = self.engine.finish(parameters);
        self.seen(parameters, moments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However improbable an interval is, the components share it by their probabilities.
    #[test]
    fn components_that_are_as_far_share_an_interval() {
        for far in [2.0, 8.0, 15.0, 30.0] {
            let parameters = Parameters::new(&[0.5, 0.5], &[-far, far], &[1.0, 1.0]).unwrap();
            for half in [0.01, 0.1, 1.0] {
                let moments = sum_intervals(&[[-half, half]], &[1.0], &parameters, [false, false]);
                assert!(moments.weight.iter().all(|n| (n - 0.5).abs() < 1e-9), "{far} {half}: {:?}", moments.weight);
            }
        }
    }
}
