//! One node of the tree: relax; if that is too high, bound the weights, add the multipliers and relax again; else
//! split.

use super::branching::{Groups, Offer, choose, regroup};
use super::coupling::{Coupling, Multipliers};
use super::points::Points;
use super::proof::{Reason, WeightBound};
use super::region::{Axis, Constraints, Cut, Region};
use super::relaxation::{Goal, Relaxed, relax};
use super::weights::{MixingAtom, Workspace};
use crate::mixture::parameters::Parameters;
use crate::monitor::Stop;
use crate::numeric::portable::ln;

/// Multipliers help in boxes narrower than this many standard deviations (and in log v).
const WIDEST: f64 = 1.0;

/// Multipliers help within this distance (squared, in standard deviations, by weight) of the maximum they come from.
const FARTHEST: f64 = 0.5;

/// Where the relaxation is higher than this above the threshold, bounds on weights say nothing.
const HIGHEST: f64 = 6.0;

/// The same for each unit of weight, where that is more: what multipliers bring back grows with the data. Measured on
/// 100,000 points (three overlapping components, equal variances): without it the tree has 17 times as many regions;
/// with 0.05 it has as many.
const HIGHEST_SHARE: f64 = 0.002;

/// What a relaxation is above the threshold by is sought to this share of the highest that is of use, or to ε.
const OF_HIGHEST: f64 = 0.005;

/// Weights below this are not bounded.
const LIGHTEST: f64 = 1e-4;

/// Nor are those whose bounds differ by less than this factor. Measured on 100,000 points (three components, ratio 5 at
/// its bound): 1,300 regions, with 1.05 more than 6,000; with 500 points both give the same trees.
const TIGHT: f64 = 1.02;

/// The multiple of a weight that is added to bound it, as a share of what is best where the likelihood is a parabola in
/// it.
const STRENGTH: f64 = 0.6;

/// A bound on a weight is sought to these shares of what the relaxation is above the threshold by, and of ε: finer ones
/// cost more than they cut off.
const OF_ABOVE: f64 = 0.05;
/// See [`OF_ABOVE`].
const OF_EPSILON: f64 = 0.2;

/// The share of ε below which a relaxation's room is not worth certifying.
pub(super) const MARGIN: f64 = 0.1;

/// The shares of the room that a background may take from a relaxation: see [`Points::blend`]. Most where much is left,
/// since bins can then be wide; little where that is not enough.
const MOST_BLENDED: f64 = 0.9;
/// See [`MOST_BLENDED`].
const LEAST_BLENDED: f64 = 0.1;

/// A region that is not yet closed, and what is inherited from its parent.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) id: usize,
    pub(super) region: Region,
    pub(super) atoms: Vec<MixingAtom>,
    /// Bounds of each weight.
    pub(super) ranges: Vec<[f64; 2]>,
    /// They hold for mixtures with at least this log-likelihood.
    pub(super) ranged_for: f64,
}

/// A local maximum and its multipliers.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) parameters: Parameters,
    pub(super) multipliers: Multipliers,
}

/// What does not change while a batch of nodes is looked at.
pub(super) struct Context<'a> {
    /// One form of the data or several, from the finest bins to the widest.
    pub(super) points: &'a [Points],
    pub(super) constraints: &'a Constraints,
    pub(super) known: &'a [Known],
    pub(super) threshold: f64,
    pub(super) epsilon: f64,
    /// When nodes are split as they are.
    pub(super) stop: &'a Stop,
}

/// What became of a node.
pub(super) enum Fate {
    Closed(Reason),
    Split(Cut),
}

/// A node that was looked at.
pub(super) struct Looked {
    pub(super) node: Node,
    pub(super) fate: Fate,
    /// What was shown of weights, round by round.
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
    pub(super) fn look(&self, mut node: Node, workspace: &mut Workspace) -> Looked {
        let k = node.region.len();
        let points = &self.points[0];
        workspace.stop = self.stop.clone();
        if node.ranged_for > self.threshold {
            node.forget_ranges();
        }
        let mut weight_bounds = Vec::new();
        let none = Coupling::none(k);
        let goal = Goal::Below { threshold: self.threshold, margin: MARGIN * self.epsilon };
        // The widest bins first. What stays blurred in the narrowest may be clear with less of a background.
        let attempts = self.points.iter().rev().map(|points| (points, MOST_BLENDED));
        let last = (self.points.len() > 1).then_some((&self.points[0], LEAST_BLENDED));
        for (points, blended) in attempts.chain(last) {
            workspace.blended = blended;
            let plain = relax(points, &node.region, &node.atoms, &none, true, goal, workspace);
            node.atoms = plain.atoms;
            if plain.bound.is_some() {
                let atoms = node.atoms.clone();
                return Looked { node, fate: Fate::Closed(Reason::Bound { coupling: none, atoms }), weight_bounds };
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
                        return Looked { node, fate: Fate::Closed(Reason::Weights), weight_bounds };
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
                    return Looked { node, fate: Fate::Closed(reason), weight_bounds };
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
        Looked { node, fate: Fate::Split(cut), weight_bounds }
    }

    /// Relaxes over bins of the width that suits the region; but first of a width more. On 100,000 points (three
    /// components, ratio 5 at its bound) these are clear enough for three bounds in four, still wider ones for none.
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

    /// Bounds the weights that the multipliers concern; false if the relaxation is too high to tell.
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

/// A cut of the widest side of a region in which multipliers do not help, since that side is too wide; its worth is what
/// they would bring back from the other sides. Measured on 100,000 points (Model D, three components, a ratio of 10,
/// bounds on both sides of the gaps): 959 regions, without it 14,029.
pub(super) fn widest_side(multipliers: &Multipliers, region: &Region, total: f64) -> Option<Offer> {
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
