//! What a sweep passes: distinct values, or runs of neighbouring points taken at their means.

use crate::data::sample::{Block, Prefix, Prefixes};
use crate::kmeans::unconstrained;
use crate::numeric::first_false;

/// Places in ascending order with the sums over the points before each.
pub(super) struct PathNodes {
    /// Where the points of each node are taken to be.
    pub(super) x: Vec<f64>,
    /// The sums before each node, and over all.
    sums: Vec<Prefix>,
    /// One past the last point of each node.
    ends: Vec<usize>,
    /// Whether a node has points of one value only.
    pub(super) are_all: bool,
}

impl PathNodes {
    /// Every distinct value; every point if equal ones may be `parted`.
    pub(super) fn all(prefixes: &Prefixes<'_>, parted: bool) -> Self {
        let mut ends = Vec::with_capacity(Self::count(prefixes, parted));
        let mut end = 0;
        ends.extend(prefixes.sample().values().chunk_by(|a, b| !parted && a == b).map(|tied| {
            end += tied.len();
            end
        }));
        Self { are_all: true, ..Self::ending_at(prefixes, ends) }
    }

    /// The number of all nodes.
    pub(super) fn count(prefixes: &Prefixes<'_>, parted: bool) -> usize {
        if parted { prefixes.len() } else { prefixes.sample().distinct() }
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
        Self { x, sums, ends, are_all: false }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// The weight of all nodes.
    pub(super) fn weight(&self) -> f64 {
        self.sums[0].weight_until(&self.sums[self.len()])
    }

    #[inline(always)]
    fn run(&self, start: usize, end: usize) -> NodeRun {
        let (start, end) = (&self.sums[start], &self.sums[end]);
        let block = start.until(end);
        NodeRun { block, rest: start.rest_of_mean(end, block.mean) }
    }

    /// The least cost of the nodes from each on, in clusters that cost a penalty each, whatever the gaps between them.
    pub(super) fn suffix_costs(&self, prefixes: &Prefixes<'_>, penalty: f64) -> Vec<f64> {
        let positions: Vec<u32> = std::iter::once(0).chain(self.ends.iter().map(|&end| end as u32)).collect();
        unconstrained::suffix_costs(prefixes, &positions, penalty)
    }

    /// The clusters that end before node `end`.
    #[inline(always)]
    pub(super) fn ending(&self, end: usize) -> NodeEnding<'_> {
        NodeEnding { nodes: self, end, start: end, run: NodeRun::EMPTY }
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

/// A run of nodes as one cluster.
#[derive(Clone, Copy)]
pub(super) struct NodeRun {
    pub(super) block: Block,
    /// What rounding took off the mean.
    rest: f64,
}

impl NodeRun {
    const EMPTY: Self = Self { block: Block { weight: 0.0, mean: 0.0, cost: 0.0 }, rest: 0.0 };

    /// How far the mean is from `place`: right to its last bits, however far both are from zero.
    #[inline(always)]
    pub(super) fn off(&self, place: f64) -> f64 {
        (self.block.mean - place) + self.rest
    }
}

/// Clusters that end before a given node. Neighbouring pieces of a curve mostly start with the same node: the last cluster asked
/// for is kept.
pub(super) struct NodeEnding<'a> {
    nodes: &'a PathNodes,
    end: usize,
    start: usize,
    run: NodeRun,
}

impl NodeEnding<'_> {
    /// The cluster that starts with node `start`; one of no weight where it is empty.
    #[inline(always)]
    pub(super) fn since(&mut self, start: usize) -> NodeRun {
        if start != self.start {
            self.start = start;
            self.run = if start < self.end { self.nodes.run(start, self.end) } else { NodeRun::EMPTY };
        }
        self.run
    }
}
