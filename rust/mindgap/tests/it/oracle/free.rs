//! K-means with free centres by trying every partition, and for each every choice of gaps that are at a bound:
//! exponential twice, for a dozen points.

use super::partitions::{Bounds, for_each_partition, runs};

/// The least cost of the ascending points `x` (weights `w`) in `k` runs about centres that hold `bounds`.
pub fn least_cost(x: &[f64], w: &[f64], k: usize, bounds: Bounds<'_>) -> f64 {
    let mut least = f64::INFINITY;
    for_each_partition(x.len(), k, &mut |ends| least = least.min(partition_cost(x, w, ends, bounds)));
    least
}

/// The least cost of one partition. The optimum is where some gaps are at a bound and nothing else holds the centres,
/// so the cheapest of these places that holds all bounds is the optimum.
pub fn partition_cost(x: &[f64], w: &[f64], ends: &[usize], bounds: Bounds<'_>) -> f64 {
    let gaps = ends.len() - 1;
    let slack = 1e-12 * (x[x.len() - 1] - x[0] + bounds.lower.iter().sum::<f64>());
    let mut least = f64::INFINITY;
    for choice in 0..3usize.pow(gaps as u32) {
        let tight: Vec<Option<f64>> = (0..gaps)
            .map(|gap| match choice / 3usize.pow(gap as u32) % 3 {
                0 => None,
                1 => Some(bounds.lower[gap]),
                _ => Some(bounds.upper[gap]),
            })
            .collect();
        if tight.iter().flatten().any(|bound| bound.is_infinite()) {
            continue;
        }
        let centers = centers(x, w, ends, &tight);
        let held = centers.windows(2).enumerate().all(|(gap, pair)| {
            let distance = pair[1] - pair[0];
            distance >= bounds.lower[gap] - slack && distance <= bounds.upper[gap] + slack
        });
        if held {
            least = least.min(cost(x, w, ends, &centers));
        }
    }
    least
}

/// The weighted sum of squares about given centres.
pub fn cost(x: &[f64], w: &[f64], ends: &[usize], centers: &[f64]) -> f64 {
    let run = |((start, end), center): ((usize, usize), &f64)| {
        (start..end).map(|i| w[i] * (x[i] - center).powi(2)).sum::<f64>()
    };
    runs(ends).zip(centers).map(run).sum()
}

/// The best centres where the gaps of `tight` have just that length and the others are free.
fn centers(x: &[f64], w: &[f64], ends: &[usize], tight: &[Option<f64>]) -> Vec<f64> {
    let runs: Vec<_> = runs(ends).collect();
    let mut centers = Vec::with_capacity(runs.len());
    while centers.len() < runs.len() {
        let first = centers.len();
        let mut offsets = vec![0.0];
        while let Some(&Some(gap)) = tight.get(first + offsets.len() - 1) {
            offsets.push(offsets[offsets.len() - 1] + gap);
        }
        let (mut weight, mut pull) = (0.0, 0.0);
        for (offset, &(start, end)) in offsets.iter().zip(&runs[first..]) {
            for i in start..end {
                weight += w[i];
                pull += w[i] * (x[i] - x[0] - offset);
            }
        }
        centers.extend(offsets.iter().map(|offset| x[0] + pull / weight + offset));
    }
    centers
}
