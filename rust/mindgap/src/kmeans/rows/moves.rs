//! Partitions to start from: even ones, and ones that differ a little from a known one.

use crate::data::sample::{Block, Prefixes};
use crate::kmeans::solution::Solution;

/// The clusters of a partition.
pub(super) fn blocks<'a>(prefixes: &'a Prefixes<'_>, ends: &'a [usize]) -> impl Iterator<Item = Block> + 'a {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| prefixes.block(start, end))
}

/// What a solution costs, in frame units.
pub(in crate::kmeans) fn cost(prefixes: &Prefixes<'_>, solution: &Solution) -> f64 {
    let blocks = blocks(prefixes, &solution.ends);
    match &solution.centers {
        None => blocks.map(|block| block.cost).sum(),
        Some(centers) => blocks.zip(centers).map(|(block, &center)| about(&block, center)).sum(),
    }
}

/// The cost of a cluster about a centre.
pub(super) fn about(block: &Block, center: f64) -> f64 {
    block.cost + block.weight * (block.mean - center).powi(2)
}

/// Clusters of about equal numbers of points.
pub(super) fn equal_numbers(n: usize, k: usize) -> Vec<usize> {
    (1..=k).map(|c| (c as u128 * n as u128 / k as u128) as usize).collect()
}

/// Centres evenly over the range of the data, in frame units.
pub(super) fn equal_widths(prefixes: &Prefixes<'_>, k: usize) -> Vec<f64> {
    let sample = prefixes.sample();
    let (first, last) = (sample.framed(0), sample.framed(sample.len() - 1));
    (0..k).map(|c| first + (last - first) * (c as f64 + 0.5) / k as f64).collect()
}

/// Partitions near this one: one boundary moved by a point or by part of a cluster, or taken away from between two
/// clusters and put into another.
pub(super) fn near(ends: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let inner = ends.len() - 1;
    let shifted = (0..inner).flat_map(move |gap| {
        let start = if gap == 0 { 0 } else { ends[gap - 1] };
        let (left, right) = (ends[gap] - start, ends[gap + 1] - ends[gap]);
        let back = [1, left / 4, left / 2].map(|step| ends[gap] - step.min(left - 1));
        let forth = [1, right / 4, right / 2].map(|step| ends[gap] + step.min(right - 1));
        back.into_iter().chain(forth).filter(move |&end| end != ends[gap]).map(move |end| {
            let mut moved = ends.to_vec();
            moved[gap] = end;
            moved
        })
    });
    let split = (0..inner).flat_map(move |gap| {
        (0..ends.len()).filter(move |&cluster| cluster != gap && cluster != gap + 1).filter_map(move |cluster| {
            let start = if cluster == 0 { 0 } else { ends[cluster - 1] };
            let middle = start + (ends[cluster] - start) / 2;
            let mut moved = ends.to_vec();
            moved[gap] = middle;
            moved.sort_unstable();
            (middle > start).then_some(moved)
        })
    });
    shifted.chain(split)
}
