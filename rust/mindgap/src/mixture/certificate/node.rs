//! One node of the tree. Its relaxation is bounded; if the bound is above the threshold, it is bounded again with
//! multipliers and with bounds on the weights; if that fails too, the region is split.

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

/// The widest side of a box in which multipliers help, in standard deviations and in log v.
const MAX_WIDTH: f64 = 1.0;

/// The largest squared distance from a maximum at which its multipliers help, in standard deviations, weighted.
const MAX_DISTANCE: f64 = 0.5;

/// Bounds on weights are not tried where the relaxation exceeds the threshold by more than this.
const MAX_EXCESS: f64 = 6.0;

/// The same for each unit of weight, if that is more: the effect of multipliers grows with the data. Measured on 100,000
/// points (three overlapping components, equal variances): without it the tree has 17 times as many regions; 0.05 gives
/// as many as 0.002.
const MAX_EXCESS_SHARE: f64 = 0.002;

/// The tolerance of the excess of a relaxation, as a share of the largest useful one; at least ε.
const EXCESS_TOLERANCE: f64 = 0.005;

/// The smallest weight that is bounded.
const MIN_WEIGHT: f64 = 1e-4;

/// Weights whose bounds differ by less than this factor are not bounded again. Measured on 100,000 points (three
/// components, ratio 5 at its bound): 1,300 regions, with 1.05 more than 6,000; with 500 points both give the same trees.
const TIGHT_RANGE: f64 = 1.02;

/// To bound a weight, a multiple of it is added to the likelihood: this share of what would be best if the likelihood
/// were quadratic in the weight.
const STRENGTH: f64 = 0.6;

/// The tolerance of a bound on a weight is this share of the relaxation's excess and [`TOLERANCE_OF_EPSILON`] of ε: more
/// accuracy costs more than it saves.
const TOLERANCE_OF_EXCESS: f64 = 0.05;
/// See [`TOLERANCE_OF_EXCESS`].
const TOLERANCE_OF_EPSILON: f64 = 0.2;

/// The share of ε below which the headroom under a threshold is too small to prove a bound.
pub(super) const MARGIN: f64 = 0.1;

/// The share of the headroom that a background may use (see [`Points::blend`]) where much is left: bins can then be wide.
const MAX_BACKGROUND: f64 = 0.9;
/// The same share where the narrowest bins need a small background.
const MIN_BACKGROUND: f64 = 0.1;

/// A region that is not yet closed, with what it inherits from its parent.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) id: usize,
    pub(super) region: Region,
    pub(super) atoms: Vec<MixingAtom>,
    /// Bounds of each weight.
    pub(super) ranges: Vec<[f64; 2]>,
    /// The log-likelihood from which these bounds hold.
    pub(super) ranged_for: f64,
}

/// A local maximum of the likelihood and its multipliers.
#[derive(Clone)]
pub(super) struct LocalMaximum {
    pub(super) parameters: Parameters,
    pub(super) multipliers: Multipliers,
    pub(super) log_likelihood: f64,
}

/// What all nodes of a batch share.
pub(super) struct Context<'a> {
    /// The data: as points, or in bins of several widths, the finest first.
    pub(super) points: &'a [Points],
    pub(super) constraints: &'a Constraints,
    pub(super) maxima: &'a [LocalMaximum],
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
    /// The node of the whole parameter space.
    pub(super) fn root(id: usize, region: Region, atoms: Vec<MixingAtom>) -> Self {
        let ranges = vec![[0.0, 1.0]; region.len()];
        Self { id, region, atoms, ranges, ranged_for: f64::NEG_INFINITY }
    }

    /// Whether all weights that the multipliers concern are bounded away from zero.
    fn bounds_weights(&self, multipliers: &Multipliers) -> bool {
        self.ranges.iter().enumerate().all(|(c, range)| !multipliers.concerns(c) || range[0] > 0.0)
    }

    fn forget_ranges(&mut self) {
        self.ranges.fill([0.0, 1.0]);
        self.ranged_for = f64::NEG_INFINITY;
    }
}

impl Context<'_> {
    /// Closes or splits a node.
    pub(super) fn examine(&self, mut node: Node, workspace: &mut Workspace) -> Examined {
        workspace.stop = self.stop.clone();
        if node.ranged_for > self.threshold {
            node.forget_ranges();
        }
        let mut weight_bounds = Vec::new();
        if let Some(reason) = self.close_plainly(&mut node, workspace) {
            return Examined { node, outcome: Outcome::Closed(reason), weight_bounds };
        }
        let points = &self.points[0];
        regroup(points, &node.region, &mut node.atoms, true);
        let mut last = (node.atoms.clone(), Coupling::none(node.region.len()));
        let nearest = self.nearest(&node.region);
        let too_wide = nearest.and_then(|maximum| widest_side(&maximum.multipliers, &node.region, points.total()));
        if let Some(maximum) = nearest.filter(|_| too_wide.is_none()) {
            let closed = self.close_coupled(&mut node, maximum, workspace, &mut weight_bounds, &mut last);
            if let Some(reason) = closed {
                return Examined { node, outcome: Outcome::Closed(reason), weight_bounds };
            }
        }
        let (atoms, coupling) = last;
        let cut = choose(self.constraints, &node.region, &atoms, &coupling, points.total(), too_wide);
        Examined { node, outcome: Outcome::Split(cut), weight_bounds }
    }

    /// What closes a node: a bound below the threshold.
    fn goal(&self) -> Goal {
        Goal::Below { threshold: self.threshold, margin: MARGIN * self.epsilon }
    }

    /// Tries to close a node without multipliers, over the widest bins first. Where even the narrowest are too coarse, a
    /// smaller background may do.
    fn close_plainly(&self, node: &mut Node, workspace: &mut Workspace) -> Option<Reason> {
        let coupling = Coupling::none(node.region.len());
        let attempts = self.points.iter().rev().map(|points| (points, MAX_BACKGROUND));
        let last = (self.points.len() > 1).then_some((&self.points[0], MIN_BACKGROUND));
        for (points, background_share) in attempts.chain(last) {
            workspace.background_share = background_share;
            let plain = relax(points, &node.region, &node.atoms, &coupling, true, self.goal(), workspace);
            node.atoms = plain.atoms;
            if plain.bound.is_some() {
                return Some(Reason::Bound { coupling, atoms: node.atoms.clone() });
            }
            if !plain.blurred {
                break;
            }
        }
        None
    }

    /// Tries to close a node with the multipliers of a maximum: with the bounds on weights it has, then with new ones.
    /// `last` becomes the atoms and the coupling of the last relaxation.
    fn close_coupled(
        &self,
        node: &mut Node,
        maximum: &LocalMaximum,
        workspace: &mut Workspace,
        weight_bounds: &mut Vec<Vec<WeightBound>>,
        last: &mut (Vec<MixingAtom>, Coupling),
    ) -> Option<Reason> {
        let multipliers = &maximum.multipliers;
        for attempt in 0..2 {
            if attempt == 1 || !node.bounds_weights(multipliers) {
                if !weight_bounds.is_empty() {
                    break;
                }
                let mut round = Vec::new();
                let bounded = self.bound_weights(node, maximum, workspace, &mut round);
                weight_bounds.push(round);
                if node.ranges.iter().any(|[least, most]| least > most) {
                    return Some(Reason::Weights);
                }
                if !bounded {
                    break;
                }
            }
            let coupling = Coupling::new(maximum, &node.region, &node.ranges)?;
            let coupled = self.relax_clearly(&node.region, &node.atoms, &coupling, false, self.goal(), workspace);
            let mut atoms = coupled.atoms;
            if coupled.bound.is_some() {
                return Some(Reason::Bound { coupling, atoms });
            }
            regroup(&self.points[0], &node.region, &mut atoms, false);
            *last = (atoms, coupling);
        }
        None
    }

    /// Bounds the relaxation over bins of the width that suits the region, after a try with bins one step wider. Measured
    /// on 100,000 points (three components, ratio 5 at its bound): the wider bins suffice for three bounds in four, still
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
        let narrowest = self.points.iter().rposition(|points| points.suit(region)).unwrap_or(0);
        let mut relaxed = Relaxed { bound: None, blurred: true, atoms: start.to_vec() };
        for (i, points) in self.points.iter().enumerate().skip(narrowest).take(2).rev() {
            workspace.background_share = if i == narrowest { MIN_BACKGROUND } else { MAX_BACKGROUND };
            relaxed = relax(points, region, &relaxed.atoms, coupling, clip, goal, workspace);
            if !relaxed.blurred {
                break;
            }
        }
        relaxed
    }

    /// Returns the nearest maximum, if it is near enough for its multipliers to help.
    fn nearest(&self, region: &Region) -> Option<&LocalMaximum> {
        let distance = |maximum: &LocalMaximum| -> f64 {
            let parameters = &maximum.parameters;
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
            self.maxima.iter().map(|maximum| (maximum, distance(maximum))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        (far < MAX_DISTANCE).then_some(nearest)
    }

    /// Bounds the weights that the multipliers concern. Returns false if the relaxation is too high for that.
    fn bound_weights(
        &self,
        node: &mut Node,
        maximum: &LocalMaximum,
        workspace: &mut Workspace,
        round: &mut Vec<WeightBound>,
    ) -> bool {
        let (k, multipliers) = (node.region.len(), &maximum.multipliers);
        let total = self.points[0].total();
        node.ranged_for = self.threshold;
        let base = Coupling::new(maximum, &node.region, &node.ranges);
        let clip = base.is_none();
        let base = base.unwrap_or_else(|| Coupling::none(k));
        let most = MAX_EXCESS.max(MAX_EXCESS_SHARE * total);
        let tolerance = self.epsilon.max(EXCESS_TOLERANCE * most);
        let goal = Goal::Within { tolerance, highest: self.threshold + most };
        let relaxed = self.relax_clearly(&node.region, &node.atoms, &base, clip, goal, workspace);
        let Some(bound) = relaxed.bound else { return false };
        let above = (bound - self.threshold).max(TOLERANCE_OF_EPSILON * self.epsilon);
        let groups = Groups::of(&relaxed.atoms, &node.region);
        for component in (0..k).filter(|&c| multipliers.concerns(c)) {
            let weight = groups.weight[component];
            let [least, most] = node.ranges[component];
            if weight < MIN_WEIGHT || most < TIGHT_RANGE * least {
                continue;
            }
            let strength = STRENGTH * (2.0 * above * total / (weight * (1.0 - weight) + 1e-6)).sqrt();
            for upper in [true, false] {
                let mut coupling = base.clone();
                coupling.constants[component] += if upper { strength } else { -strength };
                let tolerance = TOLERANCE_OF_EXCESS * above + TOLERANCE_OF_EPSILON * self.epsilon;
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
                round.push(WeightBound {
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

/// Cuts the widest side of a region, if it is too wide for multipliers to help. The cut's score is what multipliers would
/// gain from the other sides. Measured on 100,000 points (Model D, three components, a ratio of 10, two-sided gaps): 959
/// regions, without this cut 14,029.
pub(super) fn widest_side(multipliers: &Multipliers, region: &Region, total: f64) -> Option<ScoredCut> {
    let (mut widest, mut width, mut gain) = (None, MAX_WIDTH, 0.0);
    for (c, cell) in region.iter().enumerate().filter(|&(c, _)| multipliers.concerns(c)) {
        let (across, along) = (cell.high - cell.low, ln(cell.most / cell.least));
        let by_mean = multipliers.mean[c].abs() * across;
        let by_precision = multipliers.precision[c].abs() * (1.0 / cell.least - 1.0 / cell.most);
        let middle = 0.5 * (ln(cell.least) + ln(cell.most));
        for (relative, lost, cut) in [
            (across / cell.least.sqrt(), by_mean, (c, Axis::Mean, 0.5 * (cell.low + cell.high))),
            (along, by_precision, (c, Axis::Variance, middle)),
        ] {
            if relative < MAX_WIDTH {
                gain += lost;
            } else if widest.is_none() || relative > width {
                (widest, width) = (Some(cut), relative);
            }
        }
    }
    widest.map(|cut| (gain / total, cut))
}
