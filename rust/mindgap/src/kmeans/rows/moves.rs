//! Partitions to start from: even ones, and ones that differ a little from a known one.

use crate::data::Sample;
use crate::partition::Partition;

/// Centres evenly over the range of the data, in frame units.
pub(super) fn equal_widths(sample: &Sample, k: usize) -> Vec<f64> {
    let (first, last) = (sample.framed(0), sample.framed(sample.len() - 1));
    (0..k).map(|c| first + (last - first) * (c as f64 + 0.5) / k as f64).collect()
}

/// Partitions near this one: one boundary moved by a point or by part of a cluster, or taken away from between two
/// clusters and put into another.
pub(super) fn near(partition: &Partition) -> impl Iterator<Item = Partition> + '_ {
    let ends = partition.ends();
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
    shifted.chain(split).map(Partition::new)
}
