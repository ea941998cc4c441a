//! One node of the tree. Its relaxation is bounded; if the bound is above the threshold, bounds on the weights and
//! multipliers are added and the relaxation is bounded again; if that fails too, the region is split.

use super::branching::{Groups, ScoredCut, choose, regroup};
use super::coupling::{Coupling, Multipliers};
use super::points::Points;
use super::proof::{Reason, WeightBound};
use super::region::{Axis, Constraints, Cut, Region};
use super::relaxation::{Goal, Relaxed, relax};
use super::weights::{MixingAtom, Workspace};
use crate::mixture::parameters::Parameters;
use crate::monitor::StopFlag;
use crate::numeric::portable::ln;

/// Multipliers help in boxes narrower than this many standard deviations (and in log v).
const WIDEST: f64 = 1.0;

/// Multipliers help within this distance (squared, in standard deviations, by weight) of the maximum they come from.
const FARTHEST: f64 = 0.5;

/// Bounds on weights are not tried where the relaxation is further above the threshold than this.
const HIGHEST: f64 = 6.0;

/// The same for each unit of weight, where that is more: the effect of multipliers grows with the data. Measured on
/// 100,000 points (three overlapping components, equal variances): without it the tree has 17 times as many regions;
/// with 0.05 it has as many.
const HIGHEST_SHARE: f64 = 0.002;

/// The excess of a relaxation over the threshold is computed to this share of the largest useful excess, or to ε.
const OF_HIGHEST: f64 = 0.005;

/// No bounds are sought on weights below this.
const LIGHTEST: f64 = 1e-4;

/// Nor on weights whose bounds differ by less than this factor. Measured on 100,000 points (three components, ratio 5
/// at its bound): 1,300 regions, and more than 6,000 with 1.05; with 500 points both give the same trees.
const TIGHT: f64 = 1.02;

/// The multiple of a weight that is added to the likelihood to bound that weight, relative to the best multiple if the
/// likelihood were quadratic in it.
const STRENGTH: f64 = 0.6;

/// The accuracy of a bound on a weight, as shares of the relaxation's excess and of ε: more accuracy costs more than it
/// saves.
const OF_ABOVE: f64 = 0.05;
/// See [`OF_ABOVE`].
const OF_EPSILON: f64 = 0.2;

/// The share of ε below which the room under a threshold is too small to prove a bound in.
pub(super) const MARGIN: f64 = 0.1;

/// The shares of the room that a background may use: see [`Points::blend`]. The largest where much room is left, since
/// bins can then be wide.
const MOST_BLENDED: f64 = 0.9;
/// See [`MOST_BLENDED`].
const LEAST_BLENDED: f64 = 0.1;

/// A region that is not yet closed, with what it inherits from its parent.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) id: usize,
    pub(super) region: Region,
    pub(super) atoms: Vec<MixingAtom>,
    /// Bounds of each weight.
    pub(super) ranges: Vec<[f64; 2]>,
    /// These bounds hold for mixtures with at least this log-likelihood.
    pub(super) ranged_for: f64,
}

/// A local maximum and its multipliers.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) parameters: Parameters,
    pub(super) multipliers: Multipliers,
}

/// Shared by all nodes of a batch.
pub(super) struct Context<'a> {
    /// The data in one form or several, from the finest bins to the widest.
    pub(super) points: &'a [Points],
    pub(super) constraints: &'a Constraints,
    pub(super) known: &'a [Known],
    pub(super) threshold: f64,
    pub(super) epsilon: f64,
    /// Says when to stop; nodes are then split without further work.
    pub(super) stop: &'a StopFlag,
}

/// The outcome for a node.
pub(super) enum Outcome {
    Closed(Reason),
    Split(Cut),
}

/// An examined node.
pub(super) struct Examined {
    pub(super) node: Node,
    pub(super) outcome: Outcome,
    /// Bounds proven on weights, round by round.
    pub(super) weight_bounds: Vec<Vec<WeightBound>>,
}

impl Node {
    /// The whole space of parameters.
    pub(super) fn root(id: usize, region: Region, atoms: Vec<MixingAtom>) -> Self {
        let ranges = vec![[0.0, 1.0]; region.len()];
        Self { id, region, atoms, ranges, ranged_for: f64::NEG_INFINITY }
    }

    fn forget_ranges(&mut self) {
        self.ranges.fill([0.0, 1.0]);
        self.ranged_for = f64::NEG_INFINITY;
    }
}

impl Context<'_> {
    pub(super) fn examine(&self, mut node: Node, workspace: &mut Workspace) -> Examined {
        let k = node.region.len();
        let points = &self.points[0];
        workspace.stop = self.stop.clone();
        if node.ranged_for > self.threshold {
            node.forget_ranges();
        }
        let mut weight_bounds = Vec::new();
        let none = Coupling::none(k);
        let goal = Goal::Below { threshold: self.threshold, margin: MARGIN * self.epsilon };
        // The widest bins first. Where even the narrowest are too coarse, a smaller background may do.
        let attempts = self.points.iter().rev().map(|points| (points, MOST_BLENDED));
        let last = (self.points.len() > 1).then_some((&self.points[0], LEAST_BLENDED));
        for (points, blended) in attempts.chain(last) {
            workspace.blended = blended;
            let plain = relax(points, &node.region, &node.atoms, &none, true, goal, workspace);
            node.atoms = plain.atoms;
            if plain.bound.is_some() {
                let atoms = node.atoms.clone();
                return Examined {
                    node,
                    outcome: Outcome::Closed(Reason::Bound { coupling: none, atoms }),
                    weight_bounds,
                };
            }
            if !plain.blurred {
                break;
            }
        }
        regroup(points, &node.region, &mut node.atoms, true);
        let mut branching = None;
        let nearest = self.nearest(&node.region);
        let too_wide = nearest.and_then(|known| widest_side(&known.multipliers, &node.region, points.total()));
        if let Some(known) = nearest.filter(|_| too_wide.is_none()) {
            let multipliers = &known.multipliers;
            for attempt in 0..2 {
                let ready = |node: &Node| (0..k).all(|c| !multipliers.concerns(c) || node.ranges[c][0] > 0.0);
                if attempt == 1 || !ready(&node) {
                    if !weight_bounds.is_empty() {
                        break;
                    }
                    let mut round = Vec::new();
                    let shown = self.bound_weights(&mut node, known, workspace, &mut round);
                    weight_bounds.push(round);
                    if node.ranges.iter().any(|[least, most]| least > most) {
                        return Examined { node, outcome: Outcome::Closed(Reason::Weights), weight_bounds };
                    }
                    if !shown {
                        break;
                    }
                }
                let Some(coupling) = Coupling::new(known, &node.region, &node.ranges).filter(|_| ready(&node)) else {
                    break;
                };
                let coupled = self.relax_clearly(&node.region, &node.atoms, &coupling, false, goal, workspace);
                if coupled.bound.is_some() {
                    let reason = Reason::Bound { coupling, atoms: coupled.atoms };
                    return Examined { node, outcome: Outcome::Closed(reason), weight_bounds };
                }
                branching = Some((coupled.atoms, coupling));
            }
        }
        let (atoms, coupling) = match branching {
            Some((mut atoms, coupling)) => {
                regroup(points, &node.region, &mut atoms, false);
                (atoms, coupling)
            }
            None => (node.atoms.clone(), Coupling::none(k)),
        };
        let cut = choose(self.constraints, &node.region, &atoms, &coupling, points.total(), too_wide);
        Examined { node, outcome: Outcome::Split(cut), weight_bounds }
    }

    /// Bounds the relaxation over bins of the width that suits the region, after a try with bins one step wider. On
    /// 100,000 points (three components, ratio 5 at its bound) the wider bins suffice for three bounds in four, still
    /// wider ones for none.
    fn relax_clearly(
        &self,
        region: &Region,
        start: &[MixingAtom],
        coupling: &Coupling,
        clip: bool,
        goal: Goal,
        workspace: &mut Workspace,
    ) -> Relaxed {
        let narrowest = self.points.iter().rposition(|points| points.are_meant_for(region)).unwrap_or(0);
        let mut relaxed = Relaxed { bound: None, blurred: true, atoms: start.to_vec() };
        for (i, points) in self.points.iter().enumerate().skip(narrowest).take(2).rev() {
            workspace.blended = if i == narrowest { LEAST_BLENDED } else { MOST_BLENDED };
            relaxed = relax(points, region, &relaxed.atoms, coupling, clip, goal, workspace);
            if !relaxed.blurred {
                break;
            }
        }
        relaxed
    }

    /// The nearest known maximum, if its multipliers can help in a narrow box.
    fn nearest(&self, region: &Region) -> Option<&Known> {
        let distance = |known: &Known| -> f64 {
            let parameters = &known.parameters;
            let (weights, means, variances) = (parameters.weights(), parameters.means(), parameters.variances());
            (0..region.len())
                .map(|k| {
                    let cell = region[k];
                    let off = (cell.low - means[k]).max(means[k] - cell.high).max(0.0);
                    let ratio = (cell.least / variances[k]).max(variances[k] / cell.most).max(1.0);
                    let log = ln(ratio);
                    weights[k] * (off * off / variances[k] + 0.5 * log * log)
                })
                .sum()
        };
        let (nearest, far) =
            self.known.iter().map(|known| (known, distance(known))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        (far < FARTHEST).then_some(nearest)
    }

    /// Bounds the weights that the multipliers concern; false if the relaxation is too high for that.
    fn bound_weights(
        &self,
        node: &mut Node,
        known: &Known,
        workspace: &mut Workspace,
        shown: &mut Vec<WeightBound>,
    ) -> bool {
        let (k, multipliers) = (node.region.len(), &known.multipliers);
        let total = self.points[0].total();
        node.ranged_for = self.threshold;
        let ready = (0..k).all(|c| !multipliers.concerns(c) || node.ranges[c][0] > 0.0);
        let base = if ready { Coupling::new(known, &node.region, &node.ranges) } else { None };
        let clip = base.is_none();
        let base = base.unwrap_or_else(|| Coupling::none(k));
        let most = HIGHEST.max(HIGHEST_SHARE * total);
        let tolerance = self.epsilon.max(OF_HIGHEST * most);
        let goal = Goal::Within { tolerance, highest: self.threshold + most };
        let relaxed = self.relax_clearly(&node.region, &node.atoms, &base, clip, goal, workspace);
        let Some(bound) = relaxed.bound else { return false };
        let above = (bound - self.threshold).max(OF_EPSILON * self.epsilon);
        let groups = Groups::of(&relaxed.atoms, &node.region);
        for component in (0..k).filter(|&c| multipliers.concerns(c)) {
            let weight = groups.weight[component];
            let [least, most] = node.ranges[component];
            if weight < LIGHTEST || most < TIGHT * least {
                continue;
            }
            let strength = STRENGTH * (2.0 * above * total / (weight * (1.0 - weight) + 1e-6)).sqrt();
            for upper in [true, false] {
                let mut coupling = base.clone();
                coupling.constants[component] += if upper { strength } else { -strength };
                let tolerance = OF_ABOVE * above + OF_EPSILON * self.epsilon;
                let goal = Goal::Within { tolerance, highest: f64::INFINITY };
                let relaxed = self.relax_clearly(&node.region, &relaxed.atoms, &coupling, clip, goal, workspace);
                let Some(value) = relaxed.bound else { continue };
                let limit = (value - self.threshold) / strength;
                let limit = if upper { limit * (1.0 + 1e-9) + 1e-12 } else { -limit * (1.0 - 1e-9) - 1e-12 };
                let range = &mut node.ranges[component];
                if upper && limit < range[1] {
                    range[1] = limit;
                } else if !upper && limit > range[0] {
                    range[0] = limit;
                } else {
                    continue;
                }
                let threshold = self.threshold;
                shown.push(WeightBound {
                    threshold,
                    component,
                    upper,
                    limit,
                    strength,
                    coupling: base.clone(),
                    atoms: relaxed.atoms,
                });
            }
        }
        true
    }
}

/// Cuts the side of a region that is too wide for multipliers to help; the cut's score is what multipliers would gain
/// from the other sides. Measured on 100,000 points (Model D, three components, a ratio of 10, bounds on both sides of
/// the gaps): 959 regions, without it 14,029.
pub(super) fn widest_side(multipliers: &Multipliers, region: &Region, total: f64) -> Option<ScoredCut> {
    let (mut widest, mut width, mut gain) = (None, WIDEST, 0.0);
    for (c, cell) in region.iter().enumerate().filter(|&(c, _)| multipliers.concerns(c)) {
        let (across, along) = (cell.high - cell.low, ln(cell.most / cell.least));
        let by_mean = multipliers.mean[c].abs() * across;
        let by_precision = multipliers.precision[c].abs() * (1.0 / cell.least - 1.0 / cell.most);
        let middle = 0.5 * (ln(cell.least) + ln(cell.most));
        for (relative, lost, cut) in [
            (across / cell.least.sqrt(), by_mean, (c, Axis::Mean, 0.5 * (cell.low + cell.high))),
            (along, by_precision, (c, Axis::Variance, middle)),
        ] {
            if relative < WIDEST {
                gain += lost;
            } else if widest.is_none() || relative > width {
                (widest, width) = (Some(cut), relative);
            }
        }
    }
    widest.map(|cut| (gain / total, cut))
}
