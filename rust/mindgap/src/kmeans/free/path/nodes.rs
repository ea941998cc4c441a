//! The nodes of a sweep: distinct values, or runs of neighbouring points at their means or at their ends.

use super::runs::Runs;
use crate::data::sample::{Block, Prefix, Prefixes};
use crate::kmeans::rounding::{of_run, of_sum};
use crate::kmeans::unconstrained;
use crate::numeric::double::Double;
use std::ops::Range;

/// Positions in ascending order, with the sums over the points before each.
pub(super) struct PathNodes {
    /// The position that stands for the points of each node.
    pub(super) x: Vec<f64>,
    /// The sums before each node, and over all.
    sums: Vec<Prefix>,
    /// One past the last point of each node.
    ends: Vec<usize>,
    /// How the best path relates to the points.
    pub(super) meaning: Meaning,
}

/// How the best path through the nodes relates to the points.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// Every node has points of one value: the path is optimal for the points.
    Exact,
    /// The path is a path of the points.
    Path,
    /// The cost minus `less` is a lower bound for the points, up to a `rounding` error.
    Bound { less: f64, rounding: f64 },
}

impl PathNodes {
    /// A node for every distinct value, or for every point if equal ones may be `parted`.
    pub(super) fn all(prefixes: &Prefixes<'_>, parted: bool) -> Self {
        let mut ends = Vec::with_capacity(Self::count(prefixes, parted));
        let mut end = 0;
        ends.extend(prefixes.sample().values().chunk_by(|a, b| !parted && a == b).map(|tied| {
            end += tied.len();
            end
        }));
        Self { meaning: Meaning::Exact, ..Self::ending_at(prefixes, ends) }
    }

    /// The number of all nodes.
    pub(super) fn count(prefixes: &Prefixes<'_>, parted: bool) -> usize {
        if parted { prefixes.len() } else { prefixes.sample().distinct() }
    }

    /// Runs of points, each at its mean.
    pub(super) fn coarse(prefixes: &Prefixes<'_>, runs: &Runs) -> Self {
        Self::ending_at(prefixes, runs.ends.clone())
    }

    /// Runs of points, each moved to the two ends of the run so that the mean stays the same. For any centres the cost
    /// of a point is its square minus a convex function, so the nodes cost no more than the points except for the
    /// squares, whose sums are known.
    pub(super) fn spread(prefixes: &Prefixes<'_>, runs: &Runs) -> Self {
        let sample = prefixes.sample();
        let count = 2 * runs.ends.len();
        let (mut x, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut sums = Vec::with_capacity(count + 1);
        let mut total = Prefix::default();
        sums.push(total);
        let mut before = prefixes.at(0);
        // The sum of squares added by moving the points, the magnitude of its terms, and the rounding errors of their
        // sums.
        let (mut less, mut size, mut lost) = (Double::ZERO, 0.0, 0.0);
        for run in runs.iter() {
            let after = prefixes.at(run.end);
            let (low, high) = (sample.lowest(run.start), sample.highest(run.end - 1));
            let (mut places, mut weights) = ([sample.framed_exactly(run.start); 2], [0.0; 2]);
            if low < high {
                places = [low, high].map(|end| sample.frame().enter_exactly(end));
                let block = before.until(&after);
                let rest = before.rest_of_mean(&after, block.mean);
                let mean = Double::from(block.mean);
                let (left, right) = ((mean.minus(places[0]) + rest).max(0.0), (places[1].minus(mean) - rest).max(0.0));
                // The smaller part is accurate to a few roundings, and so is the other.
                let smaller = block.weight * left.min(right) / places[1].minus(places[0]);
                weights = [block.weight - smaller, smaller];
                if right < left {
                    weights.reverse();
                }
                let added = block.weight * left * right;
                less = less + Double::from(added) - Double::from(block.cost);
                size += added + block.cost;
                lost += of_run(&after, block.mean);
            }
            for (place, weight) in places.into_iter().zip(weights).take(1 + usize::from(low < high)) {
                let sum = if low < high { total.with_point(place, weight) } else { total.plus(&after.less(&before)) };
                x.push(place.value());
                ends.push(run.end);
                sums.push(sum);
                total = sum;
            }
            before = after;
        }
        Self { x, sums, ends, meaning: Meaning::Bound { less: less.whole(), rounding: of_sum(1, size) + lost } }
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
        Self { x, sums, ends, meaning: Meaning::Path }
    }

    /// The same nodes from right to left.
    pub(super) fn mirrored(&self) -> Self {
        let all = &self.sums[self.len()];
        let after = |before: &Prefix| {
            let after = all.less(before);
            Prefix { sum: -after.sum, ..after }
        };
        Self {
            x: self.x.iter().rev().map(|x| -x).collect(),
            sums: self.sums.iter().rev().map(after).collect(),
            ends: Vec::new(),
            meaning: self.meaning,
        }
    }

    /// The nodes of the points `range`, which divides no node.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let [start, stop] = [range.start, range.end].map(|end| self.ends.partition_point(|&node| node <= end));
        Self {
            x: self.x[start..stop].to_vec(),
            sums: self.sums[start..=stop].to_vec(),
            ends: self.ends[start..stop].iter().map(|end| end - range.start).collect(),
            meaning: self.meaning,
        }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// The weight of all nodes.
    pub(super) fn weight(&self) -> f64 {
        self.sums[0].weight_until(&self.sums[self.len()])
    }

    /// Whether a cluster that begins with this node divides a run of points.
    pub(super) fn cuts_run(&self, node: usize) -> bool {
        node > 0 && self.ends[node] == self.ends[node - 1]
    }

    /// The nodes `start..end` as one cluster.
    pub(super) fn block(&self, start: usize, end: usize) -> Block {
        self.sums[start].until(&self.sums[end])
    }

    #[inline(always)]
    fn run(&self, start: usize, end: usize) -> NodeRun {
        let (start, end) = (&self.sums[start], &self.sums[end]);
        let block = start.until(end);
        NodeRun { block, rest: start.rest_of_mean(end, block.mean) }
    }

    /// The minimum cost of the nodes from each node on, and of as many from the other end, in clusters that cost a
    /// penalty each, without bounds on the gaps.
    pub(super) fn rest_costs(&self, prefixes: &Prefixes<'_>, penalty: f64) -> [Vec<f64>; 2] {
        let positions: Vec<u32> = std::iter::once(0).chain(self.ends.iter().map(|&end| end as u32)).collect();
        let [mut before, after] = unconstrained::rest_costs(prefixes, &positions, penalty);
        before.reverse();
        [after, before]
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

    /// The memory of this many `nodes`.
    pub(super) fn bytes(nodes: usize) -> usize {
        nodes.saturating_mul(size_of::<f64>() + size_of::<Prefix>() + size_of::<usize>())
    }
}

/// A run of nodes as one cluster.
#[derive(Clone, Copy)]
pub(super) struct NodeRun {
    pub(super) block: Block,
    /// The exact mean minus the rounded one.
    rest: f64,
}

impl NodeRun {
    const EMPTY: Self = Self { block: Block { weight: 0.0, mean: 0.0, cost: 0.0 }, rest: 0.0 };

    /// The distance of the mean from `place`, accurate to its last bits however far both are from zero.
    #[inline(always)]
    pub(super) fn off(&self, place: f64) -> f64 {
        (self.block.mean - place) + self.rest
    }
}

/// Clusters that end before a given node. Neighbouring pieces of a curve mostly start with the same node, so the last
/// cluster requested is cached.
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
