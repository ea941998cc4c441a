//! Exact k-means without a constraint.

use super::solution::Solution;
use crate::error::KMeansError;
use crate::progress::Watch;
use crate::sample::{Prefix, Prefixes, Sample};

/// The optimal partition into `k` clusters.
pub(super) fn solve(sample: &Sample, k: usize, _watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let prefixes = Prefixes::new(sample);
    let n = prefixes.len();
    let at: Vec<Prefix> = (0..=n).map(|i| prefixes.at(i)).collect();
    let mut best: Vec<f64> = (0..=n).map(|i| if i == 0 { f64::INFINITY } else { at[0].until(&at[i]).cost }).collect();
    let mut starts: Vec<Vec<usize>> = Vec::new();
    for m in 1..k {
        let mut next = vec![f64::INFINITY; n + 1];
        let mut start = vec![0; n + 1];
        for i in m + 1..=n {
            for j in m..i {
                let cost = best[j] + at[j].until(&at[i]).cost;
                if cost < next[i] {
                    (next[i], start[i]) = (cost, j);
                }
            }
        }
        best = next;
        starts.push(start);
    }
    let mut ends = vec![n];
    for start in starts.iter().rev() {
        ends.push(start[ends[ends.len() - 1]]);
    }
    ends.reverse();
    Ok(Solution::optimal(ends))
}
