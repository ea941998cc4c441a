//! K-means under gap bounds by the full table of (cluster, start, end), with the plain minimum over all predecessors
//! that hold the bounds: O(n³k) time, O(n²) memory, no pruning.

use super::partitions::{Best, Bounds};

/// Bounds count as held when missed by no more than this fraction of the range.
const SLACK: f64 = 1e-12;

/// The cheapest partition of the ascending points `x` (weights `w`) whose means hold `bounds`.
pub fn best_partition(x: &[f64], w: &[f64], bounds: Bounds<'_>) -> Option<Best> {
    let (n, k) = (x.len(), bounds.lower.len() + 1);
    let slack = SLACK * (x[n - 1] - x[0]);
    // About the first point, so that data far from zero keep their digits.
    let x: Vec<f64> = x.iter().map(|z| z - x[0]).collect();
    let (mean, cost) = runs(&x, w);
    // table[start][end] is the least cost of the points before `end` whose last cluster starts at `start`.
    let mut table = vec![vec![f64::INFINITY; n + 1]; n];
    table[0].clone_from(&cost[0]);
    let mut came_from: Vec<Vec<Vec<usize>>> = Vec::new();
    for m in 1..k {
        let (lower, upper) = (bounds.lower[m - 1] - slack, bounds.upper[m - 1] + slack);
        let mut next = vec![vec![f64::INFINITY; n + 1]; n];
        let mut from = vec![vec![0; n + 1]; n];
        for start in 1..n {
            let reached: Vec<usize> = (0..start).filter(|&before| table[before][start].is_finite()).collect();
            for end in start + 1..=n {
                for &before in &reached {
                    let gap = mean[start][end] - mean[before][start];
                    let total = table[before][start] + cost[start][end];
                    if gap >= lower && gap <= upper && total < next[start][end] {
                        (next[start][end], from[start][end]) = (total, before);
                    }
                }
            }
        }
        table = next;
        came_from.push(from);
    }
    let mut start = (0..n).min_by(|&a, &b| table[a][n].total_cmp(&table[b][n]))?;
    let cost = table[start][n];
    let mut ends = vec![n];
    for from in came_from.iter().rev() {
        let end = ends[ends.len() - 1];
        ends.push(start);
        start = from[start][end];
    }
    ends.reverse();
    cost.is_finite().then_some(Best { cost, ends })
}

/// The mean and the sum of squares of every run, point by point (Welford).
fn runs(x: &[f64], w: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let n = x.len();
    let mut means = vec![vec![f64::NAN; n + 1]; n];
    let mut costs = vec![vec![f64::INFINITY; n + 1]; n];
    for start in 0..n {
        let (mut weight, mut mean, mut cost) = (0.0, x[start], 0.0);
        for end in start..n {
            weight += w[end];
            let off = x[end] - mean;
            mean += off * w[end] / weight;
            cost += w[end] * off * (x[end] - mean);
            (means[start][end + 1], costs[start][end + 1]) = (mean, cost);
        }
    }
    (means, costs)
}
