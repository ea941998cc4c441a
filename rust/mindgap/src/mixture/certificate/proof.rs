//! The record of a closed tree, written as JSON for an independent checker.

use super::coupling::Coupling;
use super::region::{Axis, Cut};
use super::tree::Task;
use super::weights::MixingAtom;
use crate::data::frame::Frame;

/// A bound on one weight, valid for all mixtures of a node's region whose log-likelihood is at least `threshold`.
#[derive(Clone, Debug)]
pub(super) struct WeightBound {
    pub(super) threshold: f64,
    pub(super) component: usize,
    /// Whether `limit` is an upper bound; otherwise it is a lower one.
    pub(super) upper: bool,
    pub(super) limit: f64,
    /// The multiple of the weight that is added to the likelihood.
    pub(super) strength: f64,
    pub(super) coupling: Coupling,
    pub(super) atoms: Vec<MixingAtom>,
}

/// Why a leaf contains no mixture above the bound.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// The constraints exclude all of it.
    Empty,
    /// Its bounds on weights contradict one another.
    Weights,
    /// The relaxation is below the bound.
    Bound { coupling: Coupling, atoms: Vec<MixingAtom> },
}

/// One node of the tree.
#[derive(Clone, Debug)]
pub(super) enum ProofNode {
    Open,
    Split { cut: Cut, children: [usize; 2] },
    Leaf(Reason),
}

/// The tree: entries by number, the root first, and the bounds on weights proven at each.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofTree {
    pub(super) entries: Vec<ProofNode>,
    /// For each node, round by round: the bounds of a round use those of earlier rounds.
    pub(super) weight_bounds: Vec<Vec<Vec<WeightBound>>>,
}

impl ProofTree {
    pub(super) fn add(&mut self) -> usize {
        self.entries.push(ProofNode::Open);
        self.weight_bounds.push(Vec::new());
        self.entries.len() - 1
    }

    /// Writes the tree as JSON, in preorder and in data units: splits, and for each leaf the multipliers and the mixture
    /// that prove its bound.
    pub(super) fn to_json(&self, threshold: f64, frame: &Frame) -> String {
        let mut nodes = Vec::new();
        self.write(0, threshold, frame, &mut nodes);
        format!("[{}]", nodes.join(",\n"))
    }

    fn write(&self, node: usize, threshold: f64, frame: &Frame, nodes: &mut Vec<String>) {
        // A bound on a weight is written as a split there: the part beyond it is a leaf, the other part everything else.
        let mut beyond = Vec::new();
        let holds = |round: &&Vec<WeightBound>| round.iter().all(|bound| bound.threshold <= threshold);
        for bound in self.weight_bounds[node].iter().filter(holds).flatten() {
            let reward = if bound.upper { bound.strength } else { -bound.strength };
            let leaf = leaf(&bound.coupling, Some((bound.component, reward, bound.limit)), &bound.atoms, frame);
            nodes.push(split(bound.component, "weight", bound.limit));
            if bound.upper { beyond.push(leaf) } else { nodes.push(leaf) }
        }
        match &self.entries[node] {
            ProofNode::Split { cut: Cut { component, axis, at }, children } => {
                nodes.push(match axis {
                    Axis::Mean => split(*component, "mean", frame.leave(*at)),
                    Axis::Variance => split(*component, "variance", frame.leave_square(*at)),
                });
                children.iter().for_each(|&child| self.write(child, threshold, frame, nodes));
            }
            ProofNode::Leaf(Reason::Bound { coupling, atoms }) => {
                nodes.push(leaf(coupling, None, atoms, frame));
            }
            ProofNode::Leaf(Reason::Weights | Reason::Empty) => nodes.push("{\"leaf\":\"void\"}".into()),
            ProofNode::Open => nodes.push("{\"leaf\":\"open\"}".into()),
        }
        nodes.extend(beyond.into_iter().rev());
    }
}

fn split(component: usize, axis: &str, at: f64) -> String {
    format!("{{\"component\":{component},\"axis\":\"{axis}\",\"at\":{at:?}}}")
}

/// A leaf: the multipliers of gaps, precisions and weights, the zeros and scales of T's brackets, T's average, and a
/// mixture. `rewarded` is a component, the multiplier of its weight, and the bound of that weight.
fn leaf(coupling: &Coupling, rewarded: Option<(usize, f64, f64)>, atoms: &[MixingAtom], frame: &Frame) -> String {
    let (mut gaps, mut precisions, mut zeros, mut gap) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
    for &[a, b, zero] in &coupling.terms {
        // In data units a slope is a multiple by a power of two, so that sums stay exact.
        let slope = frame.enter_length(a);
        gap -= slope;
        gaps.push(gap);
        precisions.push(frame.leave_square(b));
        zeros.push(zero + slope * frame.shift());
    }
    gaps.pop();
    let mut rewards = vec![0.0; coupling.terms.len()];
    let mut average: f64 =
        atoms.iter().map(|atom| atom.weight * coupling.at(atom.group, atom.mean, atom.variance)).sum();
    if let Some((component, reward, bound)) = rewarded {
        rewards[component] = reward;
        let weight: f64 = atoms.iter().filter(|atom| atom.group == component).map(|atom| atom.weight).sum();
        average += reward * (weight - bound);
    }
    let atoms = atoms.iter().map(|atom| {
        format!("[{:?},{:?},{:?}]", frame.leave(atom.mean), frame.leave_square(atom.variance), atom.weight)
    });
    format!(
        "{{\"gaps\":{gaps:?},\"precisions\":{precisions:?},\"weights\":{rewards:?},\"zeros\":{zeros:?},\"scales\":{:?},\"average\":{average:?},\"atoms\":[{}]}}",
        coupling.scales,
        atoms.collect::<Vec<_>>().join(",")
    )
}

impl Task<'_> {
    /// Writes the problem and the proof in data units, `upper_bound` included; `threshold` is in units of the tree.
    pub(super) fn proof_text(
        &self,
        proof: &ProofTree,
        upper_bound: f64,
        threshold: f64,
        smallest: f64,
        values: &[f64],
        frame: &Frame,
    ) -> String {
        let numbers = |values: &mut dyn Iterator<Item = f64>| {
            let text: Vec<String> = values.map(number).collect();
            format!("[{}]", text.join(","))
        };
        let lengths = |values: &[f64]| numbers(&mut values.iter().map(|&length| frame.leave_length(length)));
        format!(
            "{{\"values\":{},\n\"weights\":{},\n\"lower\":{},\"upper\":{},\"variance_ratio\":{},\"least_variance\":{},\"smallest_variance\":{},\"upper_bound\":{},\n\"tree\":{}}}\n",
            numbers(&mut values.iter().copied()),
            numbers(&mut self.finest().weights().iter().copied()),
            lengths(&self.constraints.lower),
            lengths(&self.constraints.upper),
            number(self.constraints.ratio),
            number(frame.leave_square(self.constraints.least)),
            number(frame.leave_square(smallest)),
            number(upper_bound),
            proof.to_json(threshold, frame)
        )
    }
}

/// Writes a number with all its digits; JSON has no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".into() }
}
