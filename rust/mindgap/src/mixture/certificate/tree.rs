//! Grows the tree. Nodes are examined in parallel, in batches whose order does not depend on the number of threads.

use super::maxima::{collapse, multipliers};
use super::node::{Context, Examined, LocalMaximum, Node, Outcome};
use super::points::Points;
use super::proof::{ProofNode, ProofTree, Reason};
use super::region::{Cell, Constraints, Region};
use super::weights::{MixingAtom, Workspace};
use crate::mixture::parameters::Parameters;
use crate::monitor::StopFlag;
use crate::numeric::portable::{exp2, ln};
use crate::parallel::Workers;
use std::f64::consts::{LOG2_E, TAU};
use std::ops::ControlFlow;

/// Nodes of a batch.
const BATCH_SIZE: usize = 16;

/// The number of split nodes, from the first, that each give a start for a climb.
const FIRST_CLIMBS: usize = 60;
/// After these, one split node in this many gives a start: a region around an unknown maximum would never close. Measured
/// on 60 problems of two to four components (57 to 1,079 nodes): every fifth node, none, and all between give the same
/// tree, and every fifth takes 5 % longer.
const CLIMB_EVERY: usize = 25;

/// The largest number of local maxima that are kept.
const MAX_MAXIMA: usize = 12;

/// Local maxima whose log-likelihoods differ by less than this count as one.
const SAME_MAXIMUM: f64 = 1e-3;

/// The problem to certify, in one system of units.
pub(super) struct Task<'a> {
    /// The data: as points, or in bins of several widths, the finest first.
    pub(super) points: Vec<Points>,
    pub(super) constraints: Constraints,
    /// A lower bound on the k-means cost of the values.
    pub(super) kmeans_cost: f64,
    /// The values of ε that the tree is closed for in turn, in decreasing order.
    pub(super) epsilons: &'a [f64],
    /// Nodes spent on the last ε before the others are tried.
    pub(super) first_try: usize,
    /// Whether to keep the tree.
    pub(super) record: bool,
    /// Says within a batch when to stop.
    pub(super) stop: StopFlag,
    /// Climbs from the given parameters to a local maximum that satisfies the constraints; `None` if it fails.
    pub(super) climb: &'a (dyn Fn(&Parameters) -> Option<Parameters> + Sync),
}

/// The progress of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeProgress {
    pub(super) nodes: usize,
    pub(super) open: usize,
    pub(super) epsilon: f64,
    pub(super) log_likelihood: f64,
}

/// What a tree has proven.
pub(super) struct TreeResult {
    /// The smallest ε for which the tree closed, and the bound on the log-likelihood of every admissible mixture.
    pub(super) closed: Option<(f64, f64)>,
    /// The best known mixture.
    pub(super) best: Parameters,
    /// Its log-likelihood.
    pub(super) log_likelihood: f64,
    pub(super) nodes: usize,
    /// The tree as it closed, if it was to be kept.
    pub(super) proof: Option<ProofTree>,
    pub(super) root: Region,
}

impl Task<'_> {
    /// Raises the flag if the monitor says to stop.
    fn ask(&self, monitor: &mut dyn FnMut(Option<&TreeProgress>) -> ControlFlow<()>) {
        if !self.stop.is_raised() && monitor(None).is_break() {
            self.stop.raise();
        }
    }

    /// The points, or the nodes of the finest bins.
    pub(super) fn finest(&self) -> &Points {
        &self.points[0]
    }

    /// Grows the tree, given mixtures that satisfy the constraints, until it is closed or `monitor` stops it. The monitor
    /// gets the progress before each batch, and `None` from time to time during one.
    pub(super) fn run(
        &self,
        known: &[Parameters],
        workers: &Workers,
        monitor: &mut dyn FnMut(Option<&TreeProgress>) -> ControlFlow<()>,
    ) -> TreeResult {
        Tree::new(self, known, workers).run(monitor)
    }
}

struct Tree<'a> {
    task: &'a Task<'a>,
    workers: &'a Workers,
    /// Known local maxima, the best first.
    maxima: Vec<LocalMaximum>,
    /// The best known mixture, which has multipliers or not, and its log-likelihood.
    best: Parameters,
    log_likelihood: f64,
    nodes: usize,
    splits: usize,
    proof: ProofTree,
    root: Region,
}

impl<'a> Tree<'a> {
    fn new(task: &'a Task<'a>, known: &[Parameters], workers: &'a Workers) -> Self {
        let mut tree = Self {
            task,
            workers,
            maxima: Vec::new(),
            best: known[0].clone(),
            log_likelihood: f64::NEG_INFINITY,
            nodes: 0,
            splits: 0,
            proof: ProofTree::default(),
            root: Region::new(),
        };
        known.iter().for_each(|parameters| tree.add_maximum(parameters.clone()));
        tree.root = tree.root_region();
        tree
    }

    /// Keeps a local maximum if it is new and high enough.
    fn add_maximum(&mut self, parameters: Parameters) {
        let log_likelihood = self.task.finest().log_likelihood(&parameters);
        if !log_likelihood.is_finite() {
            return;
        }
        let same = |other: &LocalMaximum| (other.log_likelihood - log_likelihood).abs() < SAME_MAXIMUM;
        let same = self.maxima.iter().position(same);
        if same.is_some() && log_likelihood <= self.log_likelihood {
            return;
        }
        if let Some(multipliers) = multipliers(self.task.finest(), &self.task.constraints, &parameters) {
            if let Some(same) = same {
                self.maxima.remove(same);
            }
            let at = self.maxima.partition_point(|other| other.log_likelihood >= log_likelihood);
            let parameters = parameters.clone();
            self.maxima.insert(at, LocalMaximum { parameters, multipliers, log_likelihood });
            self.maxima.truncate(MAX_MAXIMA);
        }
        if log_likelihood > self.log_likelihood {
            self.log_likelihood = log_likelihood;
            self.best = parameters;
        }
    }

    /// Returns a box that contains a maximiser: see "The root" in docs/mathematics.md.
    fn root_region(&self) -> Region {
        let (first, last) = (self.task.finest().first(), self.task.finest().last());
        let Constraints { lower, ratio, least, .. } = &self.task.constraints;
        let k = lower.len() + 1;
        let mut region: Region = (0..k)
            .map(|c| Cell {
                low: lower[c..].iter().fold(first, |mean, gap| (mean - gap).next_down()),
                high: lower[..c].iter().fold(last, |mean, gap| (mean + gap).next_up()),
                least: 0.0,
                most: 0.0,
            })
            .collect();
        let reach = region.iter().map(|cell| (last - cell.low).max(cell.high - first)).fold(0.0, f64::max);
        let most = reach * reach * (1.0 + 1e-14);
        let least = self.least_variance(*ratio).min(most).max(*least);
        // Beyond `most` every density falls as the variance grows.
        let most = most.max(least);
        for cell in &mut region {
            (cell.least, cell.most) = (least, most);
        }
        self.task.constraints.propagate(&mut region);
        region
    }

    /// Bounds the variances from below: a mixture with a smaller one is less likely than the best known, since
    /// ln L ≤ -N/2·ln(2πv) - cost/(2·ratio·v).
    fn least_variance(&self, ratio: f64) -> f64 {
        let total = self.task.finest().total();
        let cost = self.task.kmeans_cost;
        // N is right to 1e-9: nodes may stand for points.
        let ceiling = |v: f64| -0.5 * total * (ln(TAU * v) - 2e-9 * ln(TAU * v).abs()) - cost / (2.0 * ratio * v);
        let peak = cost / (ratio * total) * (1.0 - 1e-9);
        let (mut low, mut high) = (ln(peak) - 60.0, ln(peak));
        let goal = self.log_likelihood - 1e-9 * (total + self.log_likelihood.abs());
        if ceiling(peak) <= goal {
            return peak;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if ceiling(exp2(middle * LOG2_E)) <= goal { low = middle } else { high = middle }
        }
        exp2(low * LOG2_E)
    }

    fn run(mut self, monitor: &mut dyn FnMut(Option<&TreeProgress>) -> ControlFlow<()>) -> TreeResult {
        let id = self.proof.add();
        let root = Node::root(id, self.root.clone(), self.first_atoms());
        let (mut closed, mut proof) = (None, None);
        let epsilons = self.task.epsilons;
        // Most trees are small and close for the last ε at once; only large ones go through all the values of ε.
        let last = epsilons.len().saturating_sub(1);
        let attempts = [(last, self.task.first_try)].into_iter().chain((0..=last).map(|i| (i, usize::MAX)));
        let mut open = vec![root];
        for (stage, budget) in attempts {
            let epsilon = epsilons[stage];
            let mut leaves = Vec::new();
            let stopped = self.close(&mut open, &mut leaves, epsilon, budget, monitor).is_break();
            if open.is_empty() {
                closed = Some((epsilon, self.log_likelihood + epsilon));
                // The tree as of now: leaves that are split again for a smaller ε may stay open.
                proof = self.task.record.then(|| self.proof.clone());
                if stage == last {
                    break;
                }
                open = leaves;
            }
            if stopped {
                break;
            }
        }
        TreeResult {
            closed,
            best: self.best,
            log_likelihood: self.log_likelihood,
            nodes: self.nodes,
            proof,
            root: self.root,
        }
    }

    /// Closes the open nodes, or as many as the budget and the monitor allow.
    fn close(
        &mut self,
        open: &mut Vec<Node>,
        leaves: &mut Vec<Node>,
        epsilon: f64,
        budget: usize,
        monitor: &mut dyn FnMut(Option<&TreeProgress>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        open.reverse();
        while !open.is_empty() && self.nodes < budget {
            let progress =
                TreeProgress { nodes: self.nodes, open: open.len(), epsilon, log_likelihood: self.log_likelihood };
            if self.task.stop.is_raised() {
                return ControlFlow::Break(());
            }
            monitor(Some(&progress))?;
            let batch = open.split_off(open.len().saturating_sub(BATCH_SIZE));
            let context = Context {
                points: &self.task.points,
                constraints: &self.task.constraints,
                maxima: &self.maxima,
                threshold: self.log_likelihood + epsilon,
                epsilon,
                stop: &self.task.stop,
            };
            let mut ask = || self.task.ask(monitor);
            let examine = |workspace: &mut Workspace, node| context.examine(node, workspace);
            let examined: Vec<Examined> = self.workers.map_asking(batch, examine, &mut ask);
            self.nodes += examined.len();
            let starts: Vec<Parameters> = examined.iter().filter_map(|examined| self.climb_start(examined)).collect();
            for examined in examined {
                self.record(examined, open, leaves);
            }
            let climb = self.task.climb;
            let climbed = self.workers.map_asking(starts, |_: &mut (), start| climb(&start), &mut ask);
            climbed.into_iter().flatten().for_each(|parameters| self.add_maximum(parameters));
        }
        ControlFlow::Continue(())
    }

    /// Returns a start for a climb, from some of the split nodes.
    fn climb_start(&mut self, examined: &Examined) -> Option<Parameters> {
        if matches!(examined.outcome, Outcome::Closed(_)) {
            return None;
        }
        self.splits += 1;
        let due = self.splits <= FIRST_CLIMBS || self.splits.is_multiple_of(CLIMB_EVERY);
        (due && !self.task.stop.is_due())
            .then(|| collapse(&examined.node.atoms, &examined.node.region, self.task.finest()))
    }

    /// Adds a closed node to the leaves, or the children of a split one to the open nodes.
    fn record(&mut self, examined: Examined, open: &mut Vec<Node>, leaves: &mut Vec<Node>) {
        let Examined { node, outcome, weight_bounds } = examined;
        let record = self.task.record;
        if record {
            self.proof.weight_bounds[node.id].extend(weight_bounds);
        }
        match outcome {
            Outcome::Closed(reason) => {
                if record {
                    self.proof.entries[node.id] = ProofNode::Leaf(reason);
                }
                leaves.push(node);
            }
            Outcome::Split(cut) => {
                let mut children = [0; 2];
                for above in [false, true] {
                    let mut region = cut.side(&node.region, above);
                    let holds = self.task.constraints.propagate(&mut region);
                    let id = if record { self.proof.add() } else { 0 };
                    children[usize::from(above)] = id;
                    if holds {
                        open.push(Node { id, region, ..node.clone() });
                    } else if record {
                        self.proof.entries[id] = ProofNode::Leaf(Reason::Empty);
                    }
                }
                if record {
                    self.proof.entries[node.id] = ProofNode::Split { cut, children };
                }
            }
        }
    }

    /// Returns atoms spread over the root.
    fn first_atoms(&self) -> Vec<MixingAtom> {
        let (first, last) = (self.task.finest().first(), self.task.finest().last());
        let cell = self.root[0];
        let (low, high) = (ln(cell.least), ln(cell.most));
        let mut atoms = Vec::new();
        for share in [0.0, 0.3, 0.6, 1.0] {
            for i in 0..20 {
                let mean = first + (last - first) * (f64::from(i) / 19.0);
                let variance = exp2(LOG2_E * (low + share * (high - low))).clamp(cell.least, cell.most);
                atoms.push(MixingAtom { mean, variance, weight: 1.0 / 80.0, group: 0 });
            }
        }
        atoms
    }
}
