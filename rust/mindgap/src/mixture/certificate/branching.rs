//! Chooses where to split a region: across the parameter over which a component's atoms spread most, or where they
//! violate a constraint most.

use super::coupling::Coupling;
use super::points::Points;
use super::region::{Axis, Constraints, Cut, Region};
use super::weights::MixingAtom;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::LOG2_E;

/// Groups lighter than this are ignored.
const MIN_GROUP_WEIGHT: f64 = 1e-6;

/// The smallest width of a child, as a share of its parent's.
const MIN_CHILD_SHARE: f64 = 0.1;

/// The score of a split of the common variance, relative to one of a mean with the same spread.
const COMMON_VARIANCE_FACTOR: f64 = 2.0;

/// The atoms of each component together: their weight, mean, and mean logarithm of the variance.
pub(super) struct Groups {
    pub(super) weight: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) log_variance: Vec<f64>,
}

impl Groups {
    pub(super) fn of(atoms: &[MixingAtom], region: &Region) -> Self {
        let k = region.len();
        let mut groups = Self { weight: vec![0.0; k], mean: vec![0.0; k], log_variance: vec![0.0; k] };
        for atom in atoms {
            groups.weight[atom.group] += atom.weight;
            groups.mean[atom.group] += atom.weight * atom.mean;
            groups.log_variance[atom.group] += atom.weight * ln(atom.variance);
        }
        for (g, cell) in region.iter().enumerate() {
            if groups.weight[g] > MIN_GROUP_WEIGHT {
                groups.mean[g] /= groups.weight[g];
                groups.log_variance[g] /= groups.weight[g];
            } else {
                groups.mean[g] = 0.5 * (cell.low + cell.high);
                groups.log_variance[g] = 0.5 * (ln(cell.least) + ln(cell.most));
            }
        }
        groups
    }

    pub(super) fn counts(&self, g: usize) -> bool {
        self.weight[g] > MIN_GROUP_WEIGHT
    }
}

/// Assigns each atom to a component whose box contains it, so that the groups are in order and their total spread is
/// least. Leaves the groups alone if no assignment in order exists.
pub(super) fn regroup(points: &Points, region: &Region, atoms: &mut [MixingAtom], clip: bool) {
    let (k, m) = (region.len(), atoms.len());
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| atoms[a].mean.total_cmp(&atoms[b].mean));
    let cells: Vec<_> =
        region.iter().map(|cell| if clip { cell.within(points.first(), points.last()) } else { *cell }).collect();
    let mut cost = vec![f64::INFINITY; (k + 1) * (m + 1)];
    let mut from = vec![0; (k + 1) * (m + 1)];
    cost[0] = 0.0;
    for (g, cell) in cells.iter().enumerate() {
        for i in 0..=m {
            let before = cost[g * (m + 1) + i];
            if before == f64::INFINITY {
                continue;
            }
            let (mut weight, mut sum, mut square, mut precision) = (0.0, 0.0, 0.0, 0.0);
            for j in i..=m {
                let spread = if weight > 0.0 { (square - sum * sum / weight) * precision / weight } else { 0.0 };
                let entry = (g + 1) * (m + 1) + j;
                if before + spread < cost[entry] {
                    cost[entry] = before + spread;
                    from[entry] = i;
                }
                let Some(&next) = order.get(j) else { break };
                let atom = &atoms[next];
                if !cell.holds(atom.mean, atom.variance) {
                    break;
                }
                let offset = atom.mean - points.first();
                weight += atom.weight;
                sum += atom.weight * offset;
                square += atom.weight * offset * offset;
                precision += atom.weight / atom.variance;
            }
        }
    }
    if cost[k * (m + 1) + m] == f64::INFINITY {
        return;
    }
    let mut end = m;
    for g in (0..k).rev() {
        let start = from[(g + 1) * (m + 1) + end];
        order[start..end].iter().for_each(|&atom| atoms[atom].group = g);
        end = start;
    }
}

/// A possible cut: its score (the expected gain in log-likelihood for each unit of weight), and the component, the axis,
/// and the mean or the logarithm of the variance to cut at.
pub(super) type ScoredCut = (f64, (usize, Axis, f64));

/// Chooses the best cut of a region, given the atoms of its relaxation, their coupling and the total weight of the data;
/// or the `other` cut, if its score is higher.
pub(super) fn choose(
    constraints: &Constraints,
    region: &Region,
    atoms: &[MixingAtom],
    coupling: &Coupling,
    total: f64,
    other: Option<ScoredCut>,
) -> Cut {
    let groups = Groups::of(atoms, region);
    let mut best = BestCut { score: 1e-9, cut: None };
    spreads(constraints, region, atoms, &groups, &mut best);
    gaps(constraints, region, &groups, &mut best);
    ratios(constraints, region, &groups, &mut best);
    unknown_weights(constraints, region, &groups, coupling, total, &mut best);
    if let Some((score, cut)) = other {
        best.consider(score, cut);
    }
    let (component, axis, at) = best.cut.unwrap_or_else(|| widest(constraints, region, &groups));
    let cell = region[component];
    let at = match axis {
        Axis::Mean => inside(at, cell.low, cell.high),
        Axis::Variance => exp2(LOG2_E * inside(at, ln(cell.least), ln(cell.most))).clamp(cell.least, cell.most),
    };
    Cut { component, axis, at }
}

struct BestCut {
    score: f64,
    /// Component, axis, and where: the mean or the logarithm of the variance.
    cut: Option<(usize, Axis, f64)>,
}

impl BestCut {
    fn consider(&mut self, score: f64, cut: (usize, Axis, f64)) {
        if score > self.score {
            *self = Self { score, cut: Some(cut) };
        }
    }
}

fn inside(at: f64, low: f64, high: f64) -> f64 {
    let edge = MIN_CHILD_SHARE * (high - low);
    at.max(low + edge).min(high - edge)
}

/// The spread of each group's atoms, in units of its effect on the likelihood.
fn spreads(constraints: &Constraints, region: &Region, atoms: &[MixingAtom], groups: &Groups, best: &mut BestCut) {
    let k = region.len();
    let (mut of_mean, mut of_variance) = (vec![0.0; k], vec![0.0; k]);
    let common: f64 = atoms.iter().map(|atom| atom.weight * ln(atom.variance)).sum::<f64>()
        / atoms.iter().map(|atom| atom.weight).sum::<f64>();
    let mut of_common = 0.0;
    for atom in atoms {
        let g = atom.group;
        let log = ln(atom.variance);
        if groups.counts(g) {
            let d = atom.mean - groups.mean[g];
            of_mean[g] += atom.weight * d * d * exp2(-LOG2_E * groups.log_variance[g]);
            of_variance[g] += 0.5 * atom.weight * (log - groups.log_variance[g]) * (log - groups.log_variance[g]);
        }
        of_common += 0.5 * COMMON_VARIANCE_FACTOR * atom.weight * (log - common) * (log - common);
    }
    for g in 0..k {
        if region[g].high > region[g].low {
            best.consider(of_mean[g], (g, Axis::Mean, groups.mean[g]));
        }
        if constraints.ratio > 1.0 && region[g].most > region[g].least {
            best.consider(of_variance[g], (g, Axis::Variance, groups.log_variance[g]));
        }
    }
    if constraints.ratio == 1.0 {
        best.consider(of_common, (0, Axis::Variance, common));
    }
}

/// Scores cuts at gaps that violate their bounds: a cut midway excludes the atoms of both means.
fn gaps(constraints: &Constraints, region: &Region, groups: &Groups, best: &mut BestCut) {
    for g in 0..region.len().saturating_sub(1) {
        if !(groups.counts(g) && groups.counts(g + 1)) {
            continue;
        }
        let gap = groups.mean[g + 1] - groups.mean[g];
        let bound = gap.clamp(constraints.lower[g], constraints.upper[g]);
        let miss = (gap - bound).abs() * exp2(-0.5 * LOG2_E * groups.log_variance[g].min(groups.log_variance[g + 1]));
        let score = 0.5 * groups.weight[g].min(groups.weight[g + 1]) * miss * (4.0 * miss + 0.05).min(1.0);
        let at = 0.5 * (groups.mean[g] + groups.mean[g + 1] - bound);
        if miss > 0.0 && at > region[g].low && at < region[g].high {
            best.consider(score, (g, Axis::Mean, at));
        }
    }
}

/// Scores cuts at ratios of spreads that violate their bound.
fn ratios(constraints: &Constraints, region: &Region, groups: &Groups, best: &mut BestCut) {
    if constraints.ratio == 1.0 {
        return;
    }
    let limit = ln(constraints.ratio);
    for i in 0..region.len() {
        for j in 0..region.len() {
            let miss = groups.log_variance[i] - groups.log_variance[j] - limit;
            if !(groups.counts(i) && groups.counts(j)) || miss <= 1e-9 {
                continue;
            }
            let at = 0.5 * (groups.log_variance[i] + groups.log_variance[j] + limit);
            if at > ln(region[i].least) && at < ln(region[i].most) {
                best.consider(0.3 * groups.weight[i].min(groups.weight[j]) * miss, (i, Axis::Variance, at));
            }
        }
    }
}

/// Scores cuts by what the relaxation gains because a component's weight is known only within a range: the wider its
/// cell, the more. Measured: without this score slightly violated gaps are cut in cells that are narrow already, and
/// some trees over 30,000 points and more (Model D, three components, two-sided gaps) do not close.
fn unknown_weights(
    constraints: &Constraints,
    region: &Region,
    groups: &Groups,
    coupling: &Coupling,
    total: f64,
    best: &mut BestCut,
) {
    for (c, cell) in region.iter().enumerate().filter(|&(c, _)| groups.counts(c)) {
        let [a, b, zero] = coupling.terms[c];
        let tau = a * groups.mean[c] + b * exp2(-LOG2_E * groups.log_variance[c]) - zero;
        let scale = coupling.scales[c][usize::from(tau < 0.0)];
        let score = tau * (groups.weight[c] * scale - 1.0) / total;
        let (of_mean, of_variance) = (a.abs() * (cell.high - cell.low), b.abs() * (1.0 / cell.least - 1.0 / cell.most));
        if of_mean >= of_variance {
            best.consider(score, (c, Axis::Mean, 0.5 * (cell.low + cell.high)));
        } else {
            let component = if constraints.ratio == 1.0 { 0 } else { c };
            best.consider(score, (component, Axis::Variance, 0.5 * (ln(cell.least) + ln(cell.most))));
        }
    }
}

/// Cuts the widest side; for atoms that do not spread.
fn widest(constraints: &Constraints, region: &Region, groups: &Groups) -> (usize, Axis, f64) {
    let mut best = BestCut { score: f64::NEG_INFINITY, cut: None };
    for (g, cell) in region.iter().enumerate() {
        let (width, low, high) = (cell.high - cell.low, ln(cell.least), ln(cell.most));
        let weight = groups.weight[g] + 0.01;
        best.consider(
            weight * width * width * exp2(-LOG2_E * groups.log_variance[g]),
            (g, Axis::Mean, 0.5 * (cell.low + cell.high)),
        );
        if constraints.ratio > 1.0 || g == 0 {
            best.consider(0.5 * weight * (high - low) * (high - low), (g, Axis::Variance, 0.5 * (low + high)));
        }
    }
    best.cut.unwrap_or((0, Axis::Mean, 0.5 * (region[0].low + region[0].high)))
}
