//! The record of a closed tree, for a checker that shares no code with it.

use super::coupling::Coupling;
use super::region::{Axis, Cut};
use super::weights::MixingAtom;

/// A bound on one weight, valid for all mixtures of a node's region whose log-likelihood is at least `threshold`.
#[derive(Clone, Debug)]
pub(super) struct WeightBound {
    pub(super) threshold: f64,
    pub(super) component: usize,
    /// Whether the weight is at most `limit`; otherwise at least.
    pub(super) upper: bool,
    pub(super) limit: f64,
    /// The multiple of the weight that was added to the likelihood.
    pub(super) strength: f64,
    pub(super) coupling: Coupling,
    pub(super) atoms: Vec<MixingAtom>,
}

impl WeightBound {
    fn to_json(&self) -> String {
        format!(
            "{{\"component\":{},\"upper\":{},\"limit\":{:?},\"strength\":{:?},{}}}",
            self.component,
            self.upper,
            self.limit,
            self.strength,
            relaxation(&self.coupling, &self.atoms)
        )
    }
}

/// Why a region holds no mixture above the bound.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// The constraints leave nothing of it.
    Empty,
    /// Its weight bounds contradict one another.
    Weights,
    /// The relaxation is below.
    Bound { coupling: Coupling, atoms: Vec<MixingAtom> },
}

/// One node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Open,
    Split { cut: Cut, children: [usize; 2] },
    Leaf(Reason),
}

/// The tree: entries by number, the root first, and what was shown of weights at each.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofTree {
    pub(super) entries: Vec<Entry>,
    /// By node and round: those of one round rest on the rounds before.
    pub(super) weight_bounds: Vec<Vec<Vec<WeightBound>>>,
}

impl ProofTree {
    pub(super) fn add(&mut self) -> usize {
        self.entries.push(Entry::Open);
        self.weight_bounds.push(Vec::new());
        self.entries.len() - 1
    }

    /// The proof as JSON: the tree in preorder.
    pub(super) fn to_json(&self, upper_bound: f64) -> String {
        let mut text = String::from("[");
        self.write(0, upper_bound, &mut text);
        text.push(']');
        text
    }

    fn write(&self, node: usize, upper_bound: f64, text: &mut String) {
        use std::fmt::Write;
        if text.len() > 1 {
            text.push_str(",\n");
        }
        let rounds: Vec<String> = self.weight_bounds[node]
            .iter()
            .filter(|round| round.iter().all(|bound| bound.threshold <= upper_bound))
            .map(|round| format!("[{}]", round.iter().map(WeightBound::to_json).collect::<Vec<_>>().join(",")))
            .collect();
        let _ = write!(text, "{{\"weights\":[{}],", rounds.join(","));
        match &self.entries[node] {
            Entry::Split { cut, children } => {
                let axis = match cut.axis {
                    Axis::Mean => "mean",
                    Axis::Variance => "variance",
                };
                let _ = write!(text, "\"component\":{},\"axis\":\"{axis}\",\"at\":{:?}}}", cut.component, cut.at);
                children.iter().for_each(|&child| self.write(child, upper_bound, text));
            }
            Entry::Leaf(Reason::Bound { coupling, atoms }) => {
                let _ = write!(text, "\"leaf\":\"bound\",{}}}", relaxation(coupling, atoms));
            }
            Entry::Leaf(Reason::Weights) => text.push_str("\"leaf\":\"weights\"}"),
            Entry::Leaf(Reason::Empty) => text.push_str("\"leaf\":\"empty\"}"),
            Entry::Open => text.push_str("\"leaf\":\"open\"}"),
        }
    }
}

fn relaxation(coupling: &Coupling, atoms: &[MixingAtom]) -> String {
    let terms =
        coupling.terms.iter().map(|[a, b, zero]| format!("[{a:?},{b:?},{zero:?}]")).collect::<Vec<_>>().join(",");
    let atoms = atoms
        .iter()
        .map(|atom| format!("[{:?},{:?},{:?},{}]", atom.mean, atom.variance, atom.weight, atom.group))
        .collect::<Vec<_>>()
        .join(",");
    format!("\"terms\":[{terms}],\"atoms\":[{atoms}]")
}
