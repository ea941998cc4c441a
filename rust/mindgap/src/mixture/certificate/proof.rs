//! The record of a closed tree, for an independent checker.

use super::coupling::Coupling;
use super::region::{Axis, Cut};
use super::weights::MixingAtom;
use crate::data::frame::Frame;

/// A bound on one weight, valid for all mixtures of a node's region whose log-likelihood is at least `threshold`.
#[derive(Clone, Debug)]
pub(super) struct WeightBound {
    pub(super) threshold: f64,
    pub(super) component: usize,
    /// Whether the weight is at most `limit`; otherwise at least.
    pub(super) upper: bool,
    pub(super) limit: f64,
    /// The multiple of the weight that is added to the likelihood.
    pub(super) strength: f64,
    pub(super) coupling: Coupling,
    pub(super) atoms: Vec<MixingAtom>,
}

/// Why a region contains no mixture above the bound.
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
pub(super) enum Entry {
    Open,
    Split { cut: Cut, children: [usize; 2] },
    Leaf(Reason),
}

/// The tree: entries by number, the root first, and the bounds on weights proven at each.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofTree {
    pub(super) entries: Vec<Entry>,
    /// By node and round: the bounds of one round use those of the rounds before.
    pub(super) weight_bounds: Vec<Vec<Vec<WeightBound>>>,
}

impl ProofTree {
    pub(super) fn add(&mut self) -> usize {
        self.entries.push(Entry::Open);
        self.weight_bounds.push(Vec::new());
        self.entries.len() - 1
    }

    /// The tree as JSON, in preorder and in data units: splits, and for each leaf the multipliers and the mixture that
    /// prove its bound.
    pub(super) fn to_json(&self, threshold: f64, frame: &Frame) -> String {
        let mut nodes = Vec::new();
        self.write(0, threshold, frame, &mut nodes);
        format!("[{}]", nodes.join(",\n"))
    }

    fn write(&self, node: usize, threshold: f64, frame: &Frame, nodes: &mut Vec<String>) {
        // A bound on a weight is written as a split at it: the part beyond is a leaf, everything else the other part.
        let mut beyond = Vec::new();
        let holds = |round: &&Vec<WeightBound>| round.iter().all(|bound| bound.threshold <= threshold);
        for bound in self.weight_bounds[node].iter().filter(holds).flatten() {
            let reward = if bound.upper { bound.strength } else { -bound.strength };
            let leaf = leaf(&bound.coupling, Some((bound.component, reward, bound.limit)), &bound.atoms, frame);
            nodes.push(split(bound.component, "weight", bound.limit));
            if bound.upper { beyond.push(leaf) } else { nodes.push(leaf) }
        }
        match &self.entries[node] {
            Entry::Split { cut: Cut { component, axis, at }, children } => {
                nodes.push(match axis {
                    Axis::Mean => split(*component, "mean", frame.leave(*at)),
                    Axis::Variance => split(*component, "variance", frame.leave_square(*at)),
                });
                children.iter().for_each(|&child| self.write(child, threshold, frame, nodes));
            }
            Entry::Leaf(Reason::Bound { coupling, atoms }) => {
                nodes.push(leaf(coupling, None, atoms, frame));
            }
            Entry::Leaf(Reason::Weights | Reason::Empty) => nodes.push("{\"leaf\":\"void\"}".into()),
            Entry::Open => nodes.push("{\"leaf\":\"open\"}".into()),
        }
        nodes.extend(beyond.into_iter().rev());
    }
}

fn split(component: usize, axis: &str, at: f64) -> String {
    format!("{{\"component\":{component},\"axis\":\"{axis}\",\"at\":{at:?}}}")
}

/// Multipliers of gaps, of precisions and of weights, the zeros and scales of T's brackets, its average, and a mixture.
/// `rewarded`: a component, the multiplier of its weight, and the weight's bound.
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
