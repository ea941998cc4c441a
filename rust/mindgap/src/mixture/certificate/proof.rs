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
        let strength = if self.upper { self.strength } else { -self.strength };
        format!(
            "{{\"component\":{},\"limit\":{:?},\"strength\":{strength:?},{}}}",
            self.component,
            self.limit,
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

    /// The proof as JSON, in preorder: what is shown of weights is a node with one child, which may use it.
    pub(super) fn to_json(&self, upper_bound: f64) -> String {
        let mut nodes = Vec::new();
        self.write(0, upper_bound, &mut nodes);
        format!("[{}]", nodes.join(",\n"))
    }

    fn write(&self, node: usize, upper_bound: f64, nodes: &mut Vec<String>) {
        let holds = |round: &&Vec<WeightBound>| round.iter().all(|bound| bound.threshold <= upper_bound);
        for round in self.weight_bounds[node].iter().filter(holds) {
            let facts: Vec<String> = round.iter().map(WeightBound::to_json).collect();
            nodes.push(format!("{{\"facts\":[{}]}}", facts.join(",")));
        }
        match &self.entries[node] {
            Entry::Split { cut, children } => {
                let axis = match cut.axis {
                    Axis::Mean => "mean",
                    Axis::Variance => "variance",
                };
                nodes.push(format!("{{\"component\":{},\"axis\":\"{axis}\",\"at\":{:?}}}", cut.component, cut.at));
                children.iter().for_each(|&child| self.write(child, upper_bound, nodes));
            }
            Entry::Leaf(Reason::Bound { coupling, atoms }) => {
                nodes.push(format!("{{{}}}", relaxation(coupling, atoms)));
            }
            Entry::Leaf(Reason::Weights | Reason::Empty) => nodes.push("{\"leaf\":\"void\"}".into()),
            Entry::Open => nodes.push("{\"leaf\":\"open\"}".into()),
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
