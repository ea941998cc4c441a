//! Runs of neighbouring points, refined at the boundaries of the best paths through them.

use crate::data::sample::Prefixes;
use crate::numeric::first_false;
use std::ops::Range;

/// Runs of points that cover all of them; equal points are in one.
pub(super) struct Runs {
    /// One past the last point of each.
    pub(super) ends: Vec<usize>,
}

impl Runs {
    /// `count` runs of equal numbers of points, also divided at as many positions of equal distance.
    pub(super) fn coarse(prefixes: &Prefixes<'_>, count: usize) -> Self {
        let (n, sample) = (prefixes.len(), prefixes.sample());
        let (first, last) = (sample.framed(0), sample.framed(n - 1));
        let mut ends: Vec<usize> = (1..=count).map(|c| (c as u128 * n as u128 / count as u128) as usize).collect();
        let step = (last - first) / count as f64;
        ends.extend((1..count).map(|c| first_false(0, n, |i| sample.framed(i) <= first + step * c as f64)));
        Self::ending_at(prefixes, ends)
    }

    /// The runs that end near there, in any order; one of them at the end of all.
    pub(super) fn ending_at(prefixes: &Prefixes<'_>, mut ends: Vec<usize>) -> Self {
        let values = prefixes.sample().values();
        ends.iter_mut().for_each(|end| *end = after_ties(values, *end));
        ends.sort_unstable();
        ends.dedup();
        Self { ends }
    }

    /// The same runs, also divided at `ends`, even between equal points.
    pub(super) fn with(mut self, ends: &[usize]) -> Self {
        self.ends.extend(ends.iter().filter(|&&end| end > 0));
        self.ends.sort_unstable();
        self.ends.dedup();
        self
    }

    /// The runs as ranges.
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        std::iter::once(0).chain(self.ends.iter().copied()).zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// The ends of finer runs: single points beside `boundaries` (ascending), and none longer than a `share` of the
    /// distance to one.
    pub(super) fn graded(&self, boundaries: &[usize], share: f64) -> Vec<usize> {
        let mut ends = self.ends.clone();
        let n = ends[ends.len() - 1];
        for (i, &boundary) in boundaries.iter().enumerate() {
            // Up to the middle of the clusters.
            let before = if i == 0 { boundary } else { (boundary - boundaries[i - 1]) / 2 };
            let after = boundaries.get(i + 1).map_or(n - boundary, |next| (next - boundary) / 2);
            ends.push(boundary);
            let mut distance = 1;
            while distance <= before.max(after) {
                ends.extend((distance <= before).then(|| boundary - distance));
                ends.extend((distance <= after).then(|| boundary + distance));
                distance += 1 + (distance as f64 * share) as usize;
            }
        }
        ends
    }
}

/// The first position from `end` on between two distinct values.
fn after_ties(values: &[f64], end: usize) -> usize {
    let end = end.max(1);
    end + values[end..].partition_point(|&x| x <= values[end - 1])
}
