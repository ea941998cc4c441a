//! What a sweep passes: distinct values, or runs of neighbouring points taken at their means.

use crate::data::sample::{Block, Prefix, Prefixes};
use crate::numeric::first_false;

/// Places in ascending order with the sums over the points before each.
pub(super) struct PathNodes {
    /// Where the points of each node are taken to be.
    pub(super) x: Vec<f64>,
    /// The sums before each node, and over all.
    sums: Vec<Prefix>,
    /// One past the last point of each node.
    ends: Vec<usize>,
}

impl PathNodes {
    /// Every distinct value.
    pub(super) fn distinct(prefixes: &Prefixes<'_>) -> Self {
        let mut ends = Vec::with_capacity(prefixes.sample().distinct());
        let mut end = 0;
        ends.extend(prefixes.sample().values().chunk_by(|a, b| a == b).map(|tied| {
            end += tied.len();
            end
        }));
        Self::ending_at(prefixes, ends)
    }

    /// About `count` runs with as many points each, and as many of equal width.
    pub(super) fn coarse(prefixes: &Prefixes<'_>, count: usize) -> Self {
        let (n, sample) = (prefixes.len(), prefixes.sample());
        let (first, last) = (sample.framed(0), sample.framed(n - 1));
        let mut cuts: Vec<usize> = (1..=count).map(|c| (c as u128 * n as u128 / count as u128) as usize).collect();
        let step = (last - first) / count as f64;
        cuts.extend((1..count).map(|c| first_false(0, n, |i| sample.framed(i) <= first + step * c as f64)));
        let values = sample.values();
        let after_ties = |cut: usize| values.partition_point(|&x| x <= values[cut.max(1) - 1]);
        cuts.iter_mut().for_each(|cut| *cut = after_ties(*cut));
        cuts.sort_unstable();
        cuts.dedup();
        Self::ending_at(prefixes, cuts)
    }

    fn ending_at(prefixes: &Prefixes<'_>, ends: Vec<usize>) -> Self {
        let sums: Vec<Prefix> = std::iter::once(0).chain(ends.iter().copied()).map(|end| prefixes.at(end)).collect();
        let (sample, starts) = (prefixes.sample(), std::iter::once(0).chain(ends.iter().copied()));
        let place = |((start, &end), sums): ((usize, &usize), &[Prefix])| match sample.values()[start] {
            // The mean of equal points is their value, without rounding.
            x if x == sample.values()[end - 1] => sample.framed(start),
            _ => sums[0].mean_until(&sums[1]),
        };
        let x = starts.zip(&ends).zip(sums.windows(2)).map(place).collect();
        Self { x, sums, ends }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// The points of the nodes `start..end`, which must not be empty.
    #[inline(always)]
    pub(super) fn block(&self, start: usize, end: usize) -> Block {
        self.sums[start].until(&self.sums[end])
    }

    /// The clusters that end before node `end`.
    #[inline(always)]
    pub(super) fn ending(&self, end: usize) -> NodeEnding<'_> {
        let none = Block { weight: 0.0, mean: 0.0, cost: 0.0 };
        NodeEnding { nodes: self, end, start: end, block: none }
    }

    /// The number of points before node `node`.
    pub(super) fn points_before(&self, node: usize) -> usize {
        if node == 0 { 0 } else { self.ends[node - 1] }
    }

    /// What `nodes` of them take in memory.
    pub(super) fn bytes(nodes: usize) -> usize {
        nodes.saturating_mul(size_of::<f64>() + size_of::<Prefix>() + size_of::<usize>())
    }
}

/// Clusters that end before a given node. Neighbouring pieces of a curve mostly start with the same node: the last cluster asked
/// for is kept.
pub(super) struct NodeEnding<'a> {
    nodes: &'a PathNodes,
    end: usize,
    start: usize,
    block: Block,
}

impl NodeEnding<'_> {
    /// The cluster that starts with node `start`; one of no weight where it is empty.
    #[inline(always)]
    pub(super) fn since(&mut self, start: usize) -> Block {
        if start != self.start {
            self.start = start;
            self.block = match start < self.end {
                true => self.nodes.block(start, self.end),
                false => Block { weight: 0.0, mean: 0.0, cost: 0.0 },
            };
        }
        self.block
    }
}
