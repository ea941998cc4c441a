//! Moves: starts of further climbs, made from a local maximum. One component is removed, and added again where the
//! others fit worst, or one of the others is split in two; or a component gets another spread. Under bounds on the gaps
//! neighbours are also exchanged and the chain of means is shifted by one component.
//!
//! The others, of density `f`, fit worst where a component of density `φ` gains most, `max_ε Σ w log(1 - ε + ε φ/f)`:
//! on a grid of positions for a few spreads (`insertion`). O(cells) a position. Derivation in `docs/mathematics.md`.

use super::cells::Cells;
use super::insertion::{Inserted, Insertions};
use super::maxima::{SAME_LIKELIHOOD, alike};
use super::problem::CellProblem;
use crate::error::MixtureError;
use crate::mixture::m_step::{MStep, MeanBlock, WeightBlock};
use crate::mixture::parameters::Parameters;
use crate::numeric::portable::{exp2, log2};
use crate::qp::Objective;

/// Cells on which moves are judged.
const COARSE: usize = 400;

/// EM steps of the rest before it is judged.
const SETTLING: usize = 2;

/// Spreads that are tried for a new component.
const SPREADS: usize = 4;

/// Positions that are tried for it, at most.
const POSITIONS: usize = 150;

/// Distance of positions in spreads. With 0.7, two of 1,600 problems fewer were missed, with a third more positions.
const SPACING: f64 = 1.0;

/// Moves tried for each component that is dropped.
const QUOTA: usize = 4;

/// Insertions that are judged for each component that is dropped, those that gain most. Of 1,600 problems 46
/// were missed with 4, 41 with 6, 39 with 12; of 1,600 others 29 with 6 and with 8.
const INSERTIONS: usize = 6;

/// Neighbours are exchanged if their gap is below this multiple of its lower bound. With 2, more problems were missed:
/// the exchanges took the places of other moves.
const CLOSE: f64 = 1.3;

/// The range of the ratio of two variances that are about the same.
const SAME_SPREAD: std::ops::Range<f64> = 1.0 / 2.7..2.7;

/// A component that is tried with another spread has at least this weight. Without it the heights of pupils, taken as
/// intervals, end 9 log units lower.
const LITTLE_WEIGHT: f64 = 0.02;

/// A component of less weight is empty.
const EMPTY: f64 = 1e-6;

/// Splits: how far apart the halves are, in spreads, and their spreads; side by side, and one within the other.
const SPLITS: [(f64, f64, f64); 2] = [(0.75, 0.65, 0.65), (0.0, 0.5, 1.5)];

/// A start, and a lower bound on its log-likelihood.
struct Move {
    parameters: Parameters,
    at_least: f64,
    dropped: usize,
}

/// At most `most` moves from `parameters`, those of the highest log-likelihood. `rests` are the mixtures without one
/// component to which another was added before.
///
/// # Errors
/// As those of the M step.
pub(super) fn moves(
    problem: &mut CellProblem<'_>,
    parameters: &Parameters,
    most: usize,
    rests: &mut Vec<Parameters>,
) -> Result<Vec<Parameters>, MixtureError> {
    let k = parameters.k();
    let mut coarse = problem.cells.merged(COARSE);
    let mut found = Vec::new();
    for dropped in 0..k {
        let rest = settled_rest(problem, &mut coarse, parameters, dropped)?;
        let mut starts = Vec::new();
        if !rests.iter().any(|other| alike(other, &rest)) {
            starts.extend(insertions(problem, &coarse, parameters, &rest, dropped));
            starts.extend(splits(problem, &mut coarse, &rest)?);
            rests.push(rest.clone());
        }
        starts.extend(respread(problem, parameters, &rest, dropped));
        let starts: Vec<Parameters> = starts.into_iter().flat_map(|start| with_empty_aside(problem, start)).collect();
        for start in starts {
            found.push(judged(problem, &mut coarse, start, dropped)?);
        }
    }
    for start in exchanges(problem, parameters) {
        found.push(judged(problem, &mut coarse, start, k)?);
    }
    let mut found = promising(found, k);
    for start in shifts(problem, parameters) {
        found.push(judged(problem, &mut coarse, start, k)?);
    }
    found.sort_by(|a, b| b.at_least.total_cmp(&a.at_least));
    found.truncate(most);
    Ok(found.into_iter().map(|candidate| candidate.parameters).collect())
}

/// The moves of the highest log-likelihood, each once, and at most [`QUOTA`] that drop the same component.
fn promising(mut found: Vec<Move>, k: usize) -> Vec<Move> {
    found.sort_by(|a, b| b.at_least.total_cmp(&a.at_least));
    let mut distinct: Vec<Move> = Vec::new();
    let mut tried = vec![0; k + 1];
    for candidate in found {
        let level = |other: &&Move| other.at_least - candidate.at_least < SAME_LIKELIHOOD;
        let again =
            distinct.iter().rev().take_while(level).any(|other| alike(&other.parameters, &candidate.parameters));
        if !again && tried[candidate.dropped] < QUOTA {
            tried[candidate.dropped] += 1;
            distinct.push(candidate);
        }
    }
    distinct.truncate(2 * k + 4);
    distinct
}

/// Makes the start satisfy the rows, and takes an EM step.
fn judged(
    problem: &mut CellProblem<'_>,
    coarse: &mut Cells,
    start: Parameters,
    dropped: usize,
) -> Result<Move, MixtureError> {
    let start = hold(problem, start)?;
    let (parameters, at_least) = problem.em(coarse, start)?;
    Ok(Move { parameters, at_least, dropped })
}

/// The mixture without one component, after a few EM steps without rows on the means.
fn settled_rest(
    problem: &mut CellProblem<'_>,
    coarse: &mut Cells,
    parameters: &Parameters,
    dropped: usize,
) -> Result<Parameters, MixtureError> {
    let keep = |values: &[f64]| -> Vec<f64> {
        values.iter().enumerate().filter(|&(c, _)| c != dropped).map(|(_, &value)| value).collect()
    };
    let mut weights = keep(parameters.weights());
    let sum: f64 = weights.iter().sum();
    let count = weights.len();
    weights.iter_mut().for_each(|w| *w = if sum > 1e-12 { *w / sum } else { 1.0 / count as f64 });
    let mut rest = Parameters::sound(weights, keep(parameters.means()), keep(parameters.variances()));
    let mut m_step = MStep {
        weights: WeightBlock::Free,
        means: MeanBlock { program: None },
        precisions: problem.m_step.precisions.fewer(parameters.k() - 1),
    };
    for _ in 0..SETTLING {
        rest = problem.em_with(coarse, rest, &mut m_step)?.0;
    }
    Ok(rest)
}

/// The rest with a new component at each local maximum of its gain, but not where the dropped one was.
fn insertions(
    problem: &CellProblem<'_>,
    coarse: &Cells,
    parameters: &Parameters,
    rest: &Parameters,
    dropped: usize,
) -> Vec<Parameters> {
    let mut places = Insertions::new(coarse, rest);
    let [low, high] = coarse.ends();
    let (old_weight, old_mean) = (parameters.weights()[dropped], parameters.means()[dropped]);
    let old_variance = parameters.variances()[dropped];
    let mut maxima: Vec<(f64, f64, Inserted)> = Vec::new();
    for variance in spreads(problem, rest) {
        let spread = variance.sqrt();
        let count = 1 + ((high - low) / (SPACING * spread)).ceil().min(POSITIONS as f64) as usize;
        let at = |i: usize| low + (high - low) * i as f64 / count as f64;
        let means: Vec<f64> = (0..=count).map(at).collect();
        let gains = places.along(&means, variance);
        for i in 0..=count {
            let gain = gains[i].gain;
            let maximum =
                gain > 0.0 && (i == 0 || gains[i - 1].gain <= gain) && (i == count || gains[i + 1].gain < gain);
            let reach = 0.8 * old_variance.sqrt().max(spread).min(2.0 * old_variance.sqrt());
            let ratio = variance / old_variance;
            let same = old_weight > 1e-4 && (at(i) - old_mean).abs() < reach && SAME_SPREAD.contains(&ratio);
            if maximum && !same {
                maxima.push((at(i), variance, gains[i]));
            }
        }
    }
    maxima.sort_by(|a, b| b.2.gain.total_cmp(&a.2.gain));
    let mut kept: Vec<(f64, f64, Inserted)> = Vec::new();
    for maximum in maxima {
        // The same place with another spread.
        let near = |other: &(f64, f64, Inserted)| (other.0 - maximum.0).abs() < other.1.min(maximum.1).sqrt();
        if !kept.iter().any(near) {
            kept.push(maximum);
        }
    }
    let with = |&(mean, variance, Inserted { share, .. }): &(f64, f64, Inserted)| {
        let append = |values: &[f64], value: f64| values.iter().copied().chain([value]).collect();
        let shares: Vec<f64> = rest.weights().iter().map(|weight| weight * (1.0 - share)).collect();
        let means = append(rest.means(), mean);
        Parameters::sound(append(&shares, share), means, append(rest.variances(), variance))
    };
    kept.iter().take(INSERTIONS).map(with).collect()
}

/// Two components of the rest, each split in two: side by side the one whose points have the least excess kurtosis, one
/// within the other the one whose points have the most. To first order in the distance, and in the difference of the
/// spreads, those gain most.
fn splits(
    problem: &mut CellProblem<'_>,
    coarse: &mut Cells,
    rest: &Parameters,
) -> Result<Vec<Parameters>, MixtureError> {
    let equal = problem.shape.equal_spreads;
    let excesses = problem.excesses(coarse, rest)?;
    let mut found = Vec::new();
    for (apart, first, second) in SPLITS.into_iter().filter(|(apart, ..)| !equal || *apart > 0.0) {
        let sign = if apart > 0.0 { -1.0 } else { 1.0 };
        let best = (0..rest.k()).reduce(|a, b| if sign * excesses[b] > sign * excesses[a] { b } else { a });
        if let Some(c) = best {
            let (mut weights, mut means) = (rest.weights().to_vec(), rest.means().to_vec());
            let mut variances = rest.variances().to_vec();
            let (mean, variance) = (means[c], variances[c]);
            // Never quite at one place: equal components stay equal.
            let apart = (apart + 1e-3) * variance.sqrt();
            weights[c] *= 0.5;
            means[c] = mean - apart;
            weights.push(weights[c]);
            means.push(mean + apart);
            variances.push(if equal { variance } else { second * second * variance });
            variances[c] = if equal { variance } else { first * first * variance };
            found.push(Parameters::sound(weights, means, variances));
        }
    }
    Ok(found)
}

/// The same component with another spread, and at least some weight, without which its spread has no effect.
fn respread(problem: &CellProblem<'_>, parameters: &Parameters, rest: &Parameters, changed: usize) -> Vec<Parameters> {
    if problem.shape.equal_spreads {
        return Vec::new();
    }
    let tried = spreads(problem, rest);
    let (low, high, own) = (tried[0], tried[SPREADS - 1], parameters.variances()[changed]);
    let others =
        [low, (low * high).sqrt(), high].into_iter().filter(|variance| !SAME_SPREAD.contains(&(variance / own)));
    let weight = parameters.weights()[changed].max(LITTLE_WEIGHT);
    let mut weights = parameters.weights().to_vec();
    let left = (1.0 - weight) / (1.0 - weights[changed]).max(f64::MIN_POSITIVE);
    weights.iter_mut().for_each(|weight| *weight *= left);
    weights[changed] = weight;
    let with = |variance: f64| {
        let mut variances = parameters.variances().to_vec();
        variances[changed] = variance;
        Parameters::sound(weights.clone(), parameters.means().to_vec(), variances)
    };
    others.map(with).collect()
}

/// Under bounds on the gaps: the chain of means without the component at one end and with a new one at the other, whose
/// spread is that of its neighbour or the largest; and the weights and spreads shifted by one component, while the
/// means stay, or all move by as much as keeps the mean of the mixture.
fn shifts(problem: &CellProblem<'_>, parameters: &Parameters) -> Vec<Parameters> {
    let k = parameters.k();
    if problem.shape.lower.is_empty() {
        return Vec::new();
    }
    let from = parameters.clone().sorted().0;
    let widest = from.variances().iter().copied().fold(0.0, f64::max);
    let mut found = Vec::new();
    for up in [true, false] {
        let rolled = |values: &[f64]| -> Vec<f64> {
            let mut values = values.to_vec();
            if up {
                values.rotate_left(1)
            } else {
                values.rotate_right(1)
            }
            values
        };
        let (new, neighbour, end) = if up { (k - 1, k - 2, k - 1) } else { (0, 1, 0) };
        let (mut weights, mut means, mut variances) =
            (rolled(from.weights()), rolled(from.means()), rolled(from.variances()));
        found.push(Parameters::sound(weights.clone(), from.means().to_vec(), variances.clone()));
        // Also with the chain where the mixture keeps its mean: a heavy component stays at its place.
        let center = |weights: &[f64]| -> f64 { weights.iter().zip(from.means()).map(|(w, mean)| w * mean).sum() };
        let moved = center(from.weights()) - center(&weights);
        let kept = from.means().iter().map(|mean| mean + moved).collect();
        found.push(Parameters::sound(weights.clone(), kept, variances.clone()));
        means[new] = 2.0 * from.means()[end] - from.means()[neighbour];
        weights[new] = 0.5 * weights[neighbour];
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        variances[new] = variances[neighbour];
        found.push(Parameters::sound(weights.clone(), means.clone(), variances.clone()));
        if !problem.shape.equal_spreads && variances[new] < widest {
            variances[new] = widest;
            found.push(Parameters::sound(weights, means, variances));
        }
    }
    found
}

/// The start by ascending means. If gaps are bounded and some components are empty, also with these on either side of
/// the others: between them they would only keep their neighbours apart.
fn with_empty_aside(problem: &CellProblem<'_>, start: Parameters) -> Vec<Parameters> {
    let start = start.sorted().0;
    let (empty, used): (Vec<usize>, Vec<usize>) = (0..start.k()).partition(|&c| start.weights()[c] < EMPTY);
    if empty.is_empty() || used.is_empty() || problem.shape.lower.is_empty() {
        return vec![start];
    }
    let gap = |g: usize| problem.shape.lower[g].max(0.0);
    let arranged = |order: Vec<usize>, first: usize| {
        let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&c| values[c]).collect() };
        let mut means = pick(start.means());
        (0..first).rev().for_each(|c| means[c] = means[c + 1] - gap(c));
        (first + used.len()..order.len()).for_each(|c| means[c] = means[c - 1] + gap(c - 1));
        Parameters::sound(pick(start.weights()), means, pick(start.variances()))
    };
    let left = arranged(empty.iter().chain(&used).copied().collect(), empty.len());
    let right = arranged(used.iter().chain(&empty).copied().collect(), 0);
    vec![start, left, right]
}

/// Neighbours whose gap is near its lower bound, exchanged: bounds that keep them apart also keep them from passing
/// each other.
fn exchanges(problem: &CellProblem<'_>, parameters: &Parameters) -> Vec<Parameters> {
    let shape = &problem.shape;
    let from = parameters.clone().sorted().0;
    let near = |&g: &usize| shape.lower[g] > 0.0 && from.means()[g + 1] - from.means()[g] < CLOSE * shape.lower[g];
    let exchanged = |g: usize| {
        let swapped = |values: &[f64]| {
            let mut values = values.to_vec();
            values.swap(g, g + 1);
            values
        };
        Parameters::sound(swapped(from.weights()), swapped(from.means()), swapped(from.variances()))
    };
    (0..shape.lower.len()).filter(near).map(exchanged).collect()
}

/// The start, made to satisfy the rows.
fn hold(problem: &mut CellProblem<'_>, start: Parameters) -> Result<Parameters, MixtureError> {
    let (weights, variances) = (start.weights(), start.variances());
    let means = match &mut problem.m_step.means.program {
        None => start.means().to_vec(),
        Some(program) => {
            let stiffness: Vec<f64> = weights.iter().zip(variances).map(|(w, v)| w.max(1e-3) / v).collect();
            let objective = Objective { targets: start.means(), stiffness: &stiffness };
            program.solve(objective, &mut problem.monitor).map_err(|failure| failure.in_iteration(0))?
        }
    };
    let variances = problem.m_step.precisions.nearest(weights, variances);
    Ok(Parameters::sound(weights.to_vec(), means, variances))
}

/// Variances to try: all that the rows allow beside the rest's, or a wide range.
fn spreads(problem: &CellProblem<'_>, rest: &Parameters) -> Vec<f64> {
    let least = rest.variances().iter().copied().fold(f64::INFINITY, f64::min);
    let most = rest.variances().iter().copied().fold(0.0, f64::max);
    let (low, high) = match problem.m_step.precisions.variance_ratio() {
        _ if problem.shape.equal_spreads => return vec![most],
        Some(ratio) => ((most / ratio).min(least * ratio), (most / ratio).max(least * ratio)),
        None => (most / 20.0, most * 8.0),
    };
    let step = log2(high / low) / (SPREADS - 1) as f64;
    (0..SPREADS).map(|i| (low * exp2(step * i as f64)).max(problem.m_step.precisions.floor())).collect()
}
