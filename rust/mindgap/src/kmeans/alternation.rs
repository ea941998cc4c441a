//! Alternation (Lloyd's method): assign each point to its nearest centre, place the centres best for their points,
//! repeat.
//!
//! The assignment costs O(k log n). If it would leave a cluster empty, a dynamic program moves boundaries, O(k²) at
//! worst. Its costs add over boundaries, because moving one passes points from one centre to the next only.

use std::ops::Range;

use crate::data::Sample;
use crate::partition::Partition;

/// Clusters with centres that are the best for them, in frame units.
pub(super) trait Clustering {
    fn partition(&self) -> &Partition;
    fn centers(&self) -> &[f64];
    fn cost(&self) -> f64;
}

/// Alternates until the clusters no longer change, the cost no longer falls, or `place`, which finds the best centres
/// of given clusters, returns none.
pub(super) fn alternate<C: Clustering, E>(
    sample: &Sample,
    mut now: C,
    mut place: impl FnMut(Partition) -> Result<Option<C>, E>,
) -> Result<C, E> {
    loop {
        let partition = nearest(sample, now.centers());
        if partition == *now.partition() {
            return Ok(now);
        }
        match place(partition)? {
            Some(next) if next.cost() < now.cost() => now = next,
            _ => return Ok(now),
        }
    }
}

/// Returns the best clusters of ascending `centers` (in frame units): each point with its nearest centre, and no
/// cluster empty.
pub(super) fn nearest(sample: &Sample, centers: &[f64]) -> Partition {
    let (n, frame) = (sample.len(), sample.frame());
    let mut reached = 0;
    let mut ends: Vec<usize> = centers
        .windows(2)
        .map(|pair| {
            let midpoint = 0.5 * (pair[0] + pair[1]);
            // Centres ascend only up to rounding.
            reached = reached.max(sample.values().partition_point(|&x| frame.enter(x) <= midpoint));
            reached
        })
        .collect();
    let filled = |ends: &[usize]| ends.windows(2).all(|pair| pair[0] < pair[1]);
    let outer_filled = ends.first().is_none_or(|&end| end > 0) && ends.last().is_none_or(|&end| end < n);
    if !(outer_filled && filled(&ends)) {
        ends = spread(sample, centers, &ends);
    }
    Partition::of_boundaries(ends, n)
}

/// The possible places of a boundary, and for each the least cost of this boundary and those before it.
struct Column {
    places: Range<usize>,
    costs: Vec<f64>,
    /// The place of the previous boundary that attains this cost, from the first of its places.
    origins: Vec<usize>,
}

impl Column {
    /// The first boundary.
    fn first(places: Range<usize>, costs: Vec<f64>) -> Self {
        Self { origins: vec![0; costs.len()], places, costs }
    }

    /// Makes the column of the next boundary, which costs `prices` at `places`.
    fn next(&self, places: Range<usize>, mut prices: Vec<f64>) -> Self {
        let mut best = (f64::INFINITY, 0);
        let mut open = self.places.clone().zip(&self.costs).enumerate().peekable();
        let mut origins = Vec::with_capacity(prices.len());
        for (end, price) in places.clone().zip(&mut prices) {
            while let Some((index, (_, &cost))) = open.next_if(|(_, (place, _))| *place < end) {
                best = if cost < best.0 { (cost, index) } else { best };
            }
            *price += best.0;
            origins.push(best.1);
        }
        Self { places, costs: prices, origins }
    }
}

/// Returns the boundaries of least cost that leave no cluster empty.
fn spread(sample: &Sample, centers: &[f64], wanted: &[usize]) -> Vec<usize> {
    let mut table: Vec<Column> = Vec::with_capacity(wanted.len());
    for ((pair, &wanted), places) in centers.windows(2).zip(wanted).zip(places(wanted, sample.len())) {
        let prices = prices(sample, pair, wanted, &places);
        let column = match table.last() {
            None => Column::first(places, prices),
            Some(before) => before.next(places, prices),
        };
        table.push(column);
    }
    trace(&table)
}

/// Returns the range of places of each boundary that contains the best one without an empty cluster of `n` points.
///
/// The place of boundary `b` minus `b` must be nondecreasing in `b`, and its cost grows with the distance from its best
/// place (`wanted`): an isotonic regression. Its optimum lies between the smallest `wanted` value from `b` on and the
/// largest up to `b`.
fn places(wanted: &[usize], n: usize) -> Vec<Range<usize>> {
    let most = n - wanted.len();
    let levels = || wanted.iter().enumerate().map(|(b, &end)| end.saturating_sub(b).clamp(1, most));
    let mut least: Vec<usize> = levels().collect();
    for b in (1..least.len()).rev() {
        least[b - 1] = least[b - 1].min(least[b]);
    }
    let mut largest = 0;
    let upto = levels().map(|level| {
        largest = largest.max(level);
        largest
    });
    least.iter().zip(upto).enumerate().map(|(b, (&from, to))| from + b..to + b + 1).collect()
}

/// The cost, above that at `wanted`, of ending the cluster of `pair[0]` at each of `places`.
fn prices(sample: &Sample, pair: &[f64], wanted: usize, places: &Range<usize>) -> Vec<f64> {
    let gap = (pair[1] - pair[0]).max(0.0);
    let excess = |i: usize| sample.weight(i) * gap * (2.0 * sample.framed(i) - pair[0] - pair[1]);
    // Outwards from the place nearest to the wanted one.
    let nearest = wanted.clamp(places.start, places.end - 1);
    let start: f64 = match nearest >= wanted {
        true => (wanted..nearest).map(excess).sum(),
        false => -(nearest..wanted).map(excess).sum::<f64>(),
    };
    let mut prices = vec![start; places.len()];
    for end in nearest + 1..places.end {
        prices[end - places.start] = prices[end - 1 - places.start] + excess(end - 1);
    }
    for end in (places.start..nearest).rev() {
        prices[end - places.start] = prices[end + 1 - places.start] - excess(end);
    }
    prices
}

/// Traces the best boundaries back from the last one.
fn trace(table: &[Column]) -> Vec<usize> {
    let mut ends = vec![0; table.len()];
    let last = table.last().map_or(&[][..], |column| &column.costs);
    let mut index = (0..last.len()).min_by(|&a, &b| last[a].total_cmp(&last[b])).unwrap_or(0);
    for (end, column) in ends.iter_mut().zip(table).rev() {
        *end = column.places.start + index;
        index = column.origins[index];
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    fn cost(sample: &Sample, centers: &[f64], ends: &[usize]) -> f64 {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let run = |((start, &end), center): ((usize, &usize), &f64)| {
            (start..end).map(|i| sample.weight(i) * (sample.framed(i) - center).powi(2)).sum::<f64>()
        };
        starts.zip(ends).zip(centers).map(run).sum()
    }

    /// The least cost over all ends that go on from `ends`.
    fn least(sample: &Sample, centers: &[f64], ends: &mut Vec<usize>) -> f64 {
        let start = ends.last().copied().unwrap_or(0);
        let left = centers.len() - ends.len();
        let range = if left == 1 { sample.len()..=sample.len() } else { start + 1..=sample.len() - (left - 1) };
        let mut best = f64::INFINITY;
        for end in range {
            ends.push(end);
            let found = if left == 1 { cost(sample, centers, ends) } else { least(sample, centers, ends) };
            best = best.min(found);
            ends.pop();
        }
        best
    }

    #[test]
    fn no_other_clusters_cost_less() {
        let mut dice = Dice(1);
        let mut next = |n: usize| dice.below(n);
        for _ in 0..2000 {
            let n = 2 + next(9);
            let k = 1 + next(n.min(5));
            let x: Vec<f64> = (0..n).map(|_| next(12) as f64).collect();
            let w: Vec<f64> = (0..n).map(|_| 1.0 + next(3) as f64).collect();
            let sample = Sample::weighted(&x, &w).unwrap();
            let mut centers: Vec<f64> = (0..k).map(|_| next(40) as f64 / 16.0 - 1.0).collect();
            centers.sort_by(f64::total_cmp);
            let ends = nearest(&sample, &centers).ends().to_vec();
            assert!(ends.len() == k && ends[0] > 0 && ends[k - 1] == n && ends.windows(2).all(|e| e[0] < e[1]));
            let (found, truth) = (cost(&sample, &centers, &ends), least(&sample, &centers, &mut Vec::new()));
            assert!(found <= truth * (1.0 + 1e-12) + 1e-15, "{found} {truth}: {x:?} {w:?} {centers:?}");
        }
    }
}
