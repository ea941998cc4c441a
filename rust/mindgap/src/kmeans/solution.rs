//! [`Solution`]: the result of a k-means solver, in frame units and sorted positions.

use crate::data::sample::Prefixes;
use crate::partition::Partition;
use crate::proof::Proof;

/// A partition with its centres and its proof.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) partition: Partition,
    /// The centres in frame units; `None` if they are the cluster means.
    pub(crate) centers: Option<Vec<f64>>,
    /// The proof of the cost, in frame units.
    pub(crate) proof: Proof,
}

impl Solution {
    /// Clusters about their means.
    pub(crate) fn of_means(partition: Partition, proof: Proof) -> Self {
        Self { partition, centers: None, proof }
    }

    /// The cost, in frame units.
    pub(crate) fn cost(&self, prefixes: &Prefixes<'_>) -> f64 {
        match &self.centers {
            None => self.partition.cost(prefixes),
            Some(centers) => self.partition.cost_about(prefixes, centers),
        }
    }

    /// The lower bound on the cost of every solution, in frame units.
    pub(crate) fn lower_bound(&self, prefixes: &Prefixes<'_>) -> f64 {
        self.proof.lower_bound(self.cost(prefixes))
    }

    /// Turns a partition of distinct values into one of the points; the points of value `i` end before `ends[i]`.
    pub(crate) fn expanded(mut self, ends: &[usize]) -> Self {
        self.partition = self.partition.expanded(ends);
        self
    }
}
