//! [`Partition`]: consecutive clusters of sorted points, none of them empty; [`Solution`]: one with centres and a proof.

use crate::data::sample::{Block, Prefixes};
use crate::proof::Proof;
use std::ops::Range;

/// A division of sorted points into consecutive, nonempty clusters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition {
    /// One past the last point of each cluster, ascending; the last is the number of points.
    ends: Vec<usize>,
}

impl Partition {
    /// Makes a partition of the end of each cluster, one past its last point.
    pub(crate) fn new(ends: Vec<usize>) -> Self {
        debug_assert!(ends.first().is_some_and(|&end| end > 0) && ends.is_sorted_by(|a, b| a < b), "{ends:?}");
        Self { ends }
    }

    /// Makes a partition of `n` points from the first point of each cluster but the first.
    pub(crate) fn of_boundaries(mut boundaries: Vec<usize>, n: usize) -> Self {
        boundaries.push(n);
        Self::new(boundaries)
    }

    /// Makes `k` clusters of nearly equal numbers of points.
    pub(crate) fn even(n: usize, k: usize) -> Self {
        Self::new((1..=k).map(|c| (c as u128 * n as u128 / k as u128) as usize).collect())
    }

    /// The number of clusters.
    pub(crate) fn k(&self) -> usize {
        self.ends.len()
    }

    /// One past the last point of each cluster.
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The first point of each cluster but the first.
    pub(crate) fn boundaries(&self) -> &[usize] {
        &self.ends[..self.ends.len() - 1]
    }

    /// The points of cluster `c`.
    pub(crate) fn cluster(&self, c: usize) -> Range<usize> {
        let start = if c == 0 { 0 } else { self.ends[c - 1] };
        start..self.ends[c]
    }

    /// The points of each cluster.
    pub(crate) fn clusters(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        (0..self.k()).map(|c| self.cluster(c))
    }

    /// Weight, mean and cost of each cluster, in frame units.
    pub(crate) fn blocks<'a>(&'a self, prefixes: &'a Prefixes<'_>) -> impl ExactSizeIterator<Item = Block> + 'a {
        self.clusters().map(|points| prefixes.block(points.start, points.end))
    }

    /// The mean of each cluster, in frame units.
    pub(crate) fn means(&self, prefixes: &Prefixes<'_>) -> Vec<f64> {
        self.blocks(prefixes).map(|block| block.mean).collect()
    }

    /// The sum of squares about the cluster means, in frame units.
    pub(crate) fn cost(&self, prefixes: &Prefixes<'_>) -> f64 {
        self.blocks(prefixes).map(|block| block.cost).sum()
    }

    /// The sum of squares about `centers`, in frame units.
    pub(crate) fn cost_about(&self, prefixes: &Prefixes<'_>, centers: &[f64]) -> f64 {
        self.blocks(prefixes).zip(centers).map(|(block, &center)| block.cost_about(center)).sum()
    }

    /// Turns a partition of distinct values into one of the points; the points of value `i` end before `ends[i]`.
    #[must_use]
    pub(crate) fn expanded(mut self, ends: &[usize]) -> Self {
        self.ends.iter_mut().for_each(|end| *end = ends[*end - 1]);
        self
    }
}

/// The result of a k-means solver: a partition with its centres and its proof.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Sample;

    #[test]
    fn clusters_have_their_points_means_and_costs() {
        let sample = Sample::new(&[0.0, 2.0, 10.0, 11.0, 15.0]).unwrap();
        let prefixes = Prefixes::new(&sample);
        let partition = Partition::of_boundaries(vec![2], 5);
        assert_eq!(partition, Partition::even(5, 2));
        assert_eq!((partition.k(), partition.ends(), partition.boundaries()), (2, &[2, 5][..], &[2][..]));
        assert_eq!(partition.clusters().collect::<Vec<_>>(), [0..2, 2..5]);
        let means: Vec<f64> = partition.means(&prefixes).iter().map(|&mean| sample.frame().leave(mean)).collect();
        assert_eq!(means, [1.0, 12.0]);
        assert_eq!(sample.frame().leave_square(partition.cost(&prefixes)), 16.0);
        let centers = [1.0, 13.0].map(|center| sample.frame().enter(center));
        assert_eq!(sample.frame().leave_square(partition.cost_about(&prefixes, &centers)), 19.0);
    }

    #[test]
    fn a_partition_of_values_is_one_of_points() {
        assert_eq!(Partition::new(vec![1, 3]).expanded(&[4, 5, 9]).ends(), [4, 9]);
    }
}
