//! The tree. Nodes are examined in batches, in parallel, in an order that does not depend on the number of threads.

use super::maxima::{collapse, multipliers};
use super::node::{Context, Examined, Known, Node, Outcome};
use super::points::Points;
use super::proof::{Entry, ProofTree, Reason};
use super::region::{Cell, Constraints, Region};
use super::weights::{MixingAtom, Workspace};
use crate::mixture::parameters::Parameters;
use crate::monitor::StopFlag;
use crate::numeric::portable::{exp2, ln};
use crate::parallel::Workers;
use std::f64::consts::{LOG2_E, TAU};
use std::ops::ControlFlow;

/// Nodes of a batch.
const BATCH: usize = 16;

/// The first so many split nodes each give a start for a climb, and after them every so many-th node.
const FIRST_CLIMBS: usize = 60;
/// Then one climb for every so many nodes, since a region around an unknown maximum would never close. Measured on 60
/// problems of two to four components (57 to 1,079 nodes): anything from every fifth node to none gives the same tree,
/// and every fifth takes 5 % longer.
const CLIMB_EVERY: usize = 25;

/// The largest number of local maxima that are kept.
const KNOWN: usize = 12;

/// Local maxima whose log-likelihoods differ by less are counted as one.
const SAME: f64 = 1e-3;

/// The problem to certify, in one system of units.
pub(super) struct Task<'a> {
    /// Sorted distinct values with positive weights, or the nodes that replace them, from the finest bins to the
    /// widest.
    pub(super) points: Vec<Points>,
    pub(super) constraints: Constraints,
    /// A lower bound on the k-means cost of the values.
    pub(super) kmeans_cost: f64,
    /// In decreasing order. The tree is closed for each in turn, as far as it gets.
    pub(super) epsilons: &'a [f64],
    /// Nodes spent on the last ε before the others are tried.
    pub(super) first_try: usize,
    /// Whether to keep the tree.
    pub(super) record: bool,
    /// Asked within a batch whether to stop.
    pub(super) stop: StopFlag,
    /// Climbs from the given parameters to a local maximum that satisfies the constraints, if it finds one.
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
    /// The smallest ε that closed, and the bound: no admissible mixture has a higher log-likelihood.
    pub(super) closed: Option<(f64, f64)>,
    /// The best mixture known and its log-likelihood.
    pub(super) best: Parameters,
    pub(super) log_likelihood: f64,
    pub(super) nodes: usize,
    /// The tree as it closed, if it is kept.
    pub(super) proof: Option<ProofTree>,
    pub(super) root: Region,
}

impl Task<'_> {
    /// Asks the monitor whether to go on, until it says no.
    fn ask(&self, monitor: &mut dyn FnMut(Option<&TreeProgress>) -> ControlFlow<()>) {
        if !self.stop.is_raised() && monitor(None).is_break() {
            self.stop.raise();
        }
    }

    /// The most accurate form of the data.
    pub(super) fn finest(&self) -> &Points {
        &self.points[0]
    }

    /// Grows the tree, from mixtures that satisfy the constraints, until it is closed or `monitor` stops it. The
    /// monitor is told of each batch, and asked again while a batch takes long.
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
    /// Local maxima, the best first, and their log-likelihoods.
    known: Vec<Known>,
    values: Vec<f64>,
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
            known: Vec::new(),
            values: Vec::new(),
            best: known[0].clone(),
            log_likelihood: f64::NEG_INFINITY,
            nodes: 0,
            splits: 0,
            proof: ProofTree::default(),
            root: Region::new(),
        };
        known.iter().for_each(|parameters| tree.keep(parameters.clone()));
        tree.root = tree.region();
        tree
    }

    /// Keeps a local maximum if it is new and high enough.
    fn keep(&mut self, parameters: Parameters) {
        let value = self.task.finest().log_likelihood(&parameters);
        if !value.is_finite() {
            return;
        }
        let same = self.values.iter().position(|&other| (other - value).abs() < SAME);
        if same.is_some() && value <= self.log_likelihood {
            return;
        }
        if let Some(multipliers) = multipliers(self.task.finest(), &self.task.constraints, &parameters) {
            let known = Known { parameters: parameters.clone(), multipliers };
            if let Some(same) = same {
                self.values.remove(same);
                self.known.remove(same);
            }
            let at = self.values.partition_point(|&other| other >= value);
            self.values.insert(at, value);
            self.known.insert(at, known);
        }
        if value > self.log_likelihood {
            self.log_likelihood = value;
            self.best = parameters;
        }
        self.values.truncate(KNOWN);
        self.known.truncate(KNOWN);
    }

    /// A box that contains a maximiser: see "The root" in docs/mathematics.md.
    fn region(&self) -> Region {
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

    /// No mixture with a smaller variance is as likely as the best known: ln L ≤ -N/2·ln(2πv) - cost/(2·ratio·v).
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
            let batch = open.split_off(open.len().saturating_sub(BATCH));
            let context = Context {
                points: &self.task.points,
                constraints: &self.task.constraints,
                known: &self.known,
                threshold: self.log_likelihood + epsilon,
                epsilon,
                stop: &self.task.stop,
            };
            let mut ask = || self.task.ask(monitor);
            let examine = |workspace: &mut Workspace, node| context.examine(node, workspace);
            let examined: Vec<Examined> = self.workers.map_asking(batch, examine, &mut ask);
            self.nodes += examined.len();
            let starts: Vec<Parameters> = examined.iter().filter_map(|examined| self.start(examined)).collect();
            for examined in examined {
                self.file(examined, open, leaves);
            }
            let climb = self.task.climb;
            let climbed = self.workers.map_asking(starts, |_: &mut (), start| climb(&start), &mut ask);
            climbed.into_iter().flatten().for_each(|parameters| self.keep(parameters));
        }
        ControlFlow::Continue(())
    }

    /// A start for a climb, from some of the split nodes.
    fn start(&mut self, examined: &Examined) -> Option<Parameters> {
        if matches!(examined.outcome, Outcome::Closed(_)) {
            return None;
        }
        self.splits += 1;
        let due = self.splits <= FIRST_CLIMBS || self.splits.is_multiple_of(CLIMB_EVERY);
        (due && !self.task.stop.is_due())
            .then(|| collapse(&examined.node.atoms, &examined.node.region, self.task.finest()))
    }

    /// Adds a closed node to the leaves, or the children of a split one to the open nodes.
    fn file(&mut self, examined: Examined, open: &mut Vec<Node>, leaves: &mut Vec<Node>) {
        let Examined { node, outcome, weight_bounds } = examined;
        let record = self.task.record;
        if record {
            self.proof.weight_bounds[node.id].extend(weight_bounds);
        }
        match outcome {
            Outcome::Closed(reason) => {
                if record {
                    self.proof.entries[node.id] = Entry::Leaf(reason);
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
                        self.proof.entries[id] = Entry::Leaf(Reason::Empty);
                    }
                }
                if record {
                    self.proof.entries[node.id] = Entry::Split { cut, children };
                }
            }
        }
    }

    /// Atoms spread over the root.
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
