//! K-means by trying every partition into runs of neighbouring points: exponential, for a dozen points.

/// A partition and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    pub cost: f64,
    /// One past the last point of each cluster.
    pub ends: Vec<usize>,
}

/// Bounds on the gaps between neighbouring means, one of each a gap.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Bounds count as held when missed by no more than this fraction of the range.
const SLACK: f64 = 1e-12;

/// The cheapest partition of the ascending points `x` (weights `w`) into `k` runs whose means hold `bounds`.
pub fn best_partition(x: &[f64], w: &[f64], k: usize, bounds: Option<Bounds<'_>>) -> Option<Best> {
    assert!(x.windows(2).all(|pair| pair[0] <= pair[1]) && x.len() == w.len());
    let mut best: Option<Best> = None;
    for_each_partition(x.len(), k, &mut |ends| {
        if bounds.is_some_and(|bounds| !holds(x, w, ends, bounds)) {
            return;
        }
        let cost = cost(x, w, ends);
        if best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Best { cost, ends: ends.to_vec() });
        }
    });
    best
}

/// The largest that the smallest gap between neighbouring means of `k` runs can be.
pub fn largest_smallest_gap(x: &[f64], w: &[f64], k: usize) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for_each_partition(x.len(), k, &mut |ends| {
        let smallest = means(x, w, ends).windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        largest = largest.max(smallest);
    });
    largest
}

/// The weighted sum of squares about the means.
pub fn cost(x: &[f64], w: &[f64], ends: &[usize]) -> f64 {
    runs(ends).map(|(start, end)| run_cost(&x[start..end], &w[start..end])).sum()
}

/// The weighted mean of each run.
pub fn means(x: &[f64], w: &[f64], ends: &[usize]) -> Vec<f64> {
    runs(ends).map(|(start, end)| mean(&x[start..end], &w[start..end])).collect()
}

/// The weighted sum of squares about the mean of some points, in two passes.
pub fn run_cost(x: &[f64], w: &[f64]) -> f64 {
    let mean = mean(x, w);
    x.iter().zip(w).map(|(x, w)| w * (x - mean).powi(2)).sum()
}

fn mean(x: &[f64], w: &[f64]) -> f64 {
    // About the first point, so that data far from zero keep their digits.
    let weight: f64 = w.iter().sum();
    x[0] + x.iter().zip(w).map(|(z, w)| w * (z - x[0])).sum::<f64>() / weight
}

/// Whether the means of some runs hold `bounds`.
pub fn holds(x: &[f64], w: &[f64], ends: &[usize], bounds: Bounds<'_>) -> bool {
    let slack = SLACK * (x[x.len() - 1] - x[0]);
    let means = means(x, w, ends);
    means.windows(2).enumerate().all(|(g, pair)| {
        let gap = pair[1] - pair[0];
        gap >= bounds.lower[g] - slack && gap <= bounds.upper[g] + slack
    })
}

/// The first point of each run and one past its last.
pub fn runs(ends: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    std::iter::once(0).chain(ends.iter().copied()).zip(ends.iter().copied())
}

/// Calls `visit` with the ends of every partition of `n` points into `k` runs, none of them empty.
pub fn for_each_partition(n: usize, k: usize, visit: &mut dyn FnMut(&[usize])) {
    fn extend(ends: &mut Vec<usize>, n: usize, k: usize, visit: &mut dyn FnMut(&[usize])) {
        let start = ends.last().copied().unwrap_or(0);
        if k == 1 {
            ends.push(n);
            visit(ends);
            ends.pop();
            return;
        }
        for end in start + 1..=n.saturating_sub(k - 1) {
            ends.push(end);
            extend(ends, n, k - 1, visit);
            ends.pop();
        }
    }
    if 1 <= k && k <= n {
        extend(&mut Vec::with_capacity(k), n, k, visit);
    }
}

/// The points that no partition divides: where weights differ, equal points are one.
pub fn atoms(x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
    if w.iter().all(|&weight| weight == w[0]) {
        return (x.to_vec(), w.to_vec());
    }
    let (mut values, mut weights): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for (&value, &weight) in x.iter().zip(w) {
        match weights.last_mut() {
            Some(last) if values.last() == Some(&value) => *last += weight,
            _ => {
                values.push(value);
                weights.push(weight);
            }
        }
    }
    (values, weights)
}
