//! The paper's two tables to the letter, for comparison: lower bound only, no weights, O(N²) memory, O(N²K) time.
//! They miss the optimum on some data, and on some find no solution where there is one.
//!
//! Names, and indices from 1, are the paper's. One exception: its formula for `W` divides by the count, but the program
//! needs (and the authors' code has) the plain sum of squares.

use crate::constraint::Rows;
use crate::data::sample::{Prefix, Prefixes, Sample};
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;

/// The most points: the tables are quadratic, and of more points do not fit into a gigabyte.
const MOST_POINTS: usize = 10_000;

/// Runs the paper's program under `gaps` (in data units).
pub(super) fn solve(sample: &Sample, gaps: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    let k = gaps.k();
    let delta = check(sample, gaps, monitor)?;
    let framed = gaps.enter(sample.frame()).loosened(sample.framed_range());
    let routine = Routine::new(sample, k, framed.lower.first().copied().unwrap_or(0.0));
    let rows = routine.run(&mut monitor.part().in_frame(sample.frame()))?;
    let starts = routine.starts(&rows).ok_or(KMeansError::PaperFailed { k, delta })?;
    let ends = starts[1..].iter().map(|start| start - 1).chain([sample.len()]).collect();
    Ok(Solution::of_means(Partition::new(ends), Proof::AtLeast(0.0)))
}

/// Returns the lower bound of all gaps, if the paper's program applies to this problem.
fn check(sample: &Sample, gaps: &Rows, monitor: &Monitor<'_>) -> Result<f64, KMeansError> {
    if sample.weights().is_some() {
        return Err(unsupported("takes no weights"));
    }
    if gaps.have_upper() {
        return Err(unsupported("takes no upper bounds on the gaps"));
    }
    if sample.len() > MOST_POINTS {
        return Err(unsupported(&format!("keeps tables of N² entries and is limited here to N = {MOST_POINTS}")));
    }
    let n = sample.len() + 1;
    // Sums over the points, two layers of U, and D, I and B for every m.
    let bytes = product(&[n, n, size_of::<f64>()]).saturating_add(product(&[gaps.lower.len() + 4, n, 24]));
    monitor.check_memory("the paper's program", bytes)?;
    match gaps.single_lower() {
        Some(delta) => Ok(delta),
        None if gaps.lower.is_empty() => Ok(0.0),
        None => Err(unsupported("takes one lower bound for all gaps")),
    }
}

/// The error of a setting that the paper's program does not support.
pub(super) fn unsupported(what: &str) -> KMeansError {
    KMeansError::Unsupported(format!("the paper's program {what}; KMeansMethod::Exact solves this problem"))
}

/// Row m of the matrices D, I and B: one column for each number of points, from 0.
#[derive(Clone)]
struct PaperRow {
    d: Vec<f64>,
    i: Vec<usize>,
    b: Vec<usize>,
}

/// The data and settings of the paper's second table.
struct Routine {
    prefixes: Vec<Prefix>,
    k: usize,
    delta: f64,
    beta: f64,
}

impl Routine {
    fn new(sample: &Sample, k: usize, delta: f64) -> Self {
        let prefixes = Prefixes::new(sample).gathered();
        let beta = prefixes[0].until(&prefixes[sample.len()]).cost + 1.0;
        Self { prefixes, k, delta, beta }
    }

    fn n(&self) -> usize {
        self.prefixes.len() - 1
    }

    /// C[first, last].
    #[inline(always)]
    fn c(&self, first: usize, last: usize) -> f64 {
        self.prefixes[first - 1].mean_until(&self.prefixes[last])
    }

    /// W[first, last].
    #[inline(always)]
    fn w(&self, first: usize, last: usize) -> f64 {
        self.prefixes[first - 1].until(&self.prefixes[last]).cost
    }

    /// The paper's second table, filled by the start j of a cluster, not by its end i, so that terms in j alone are
    /// computed once. The results are the same, because a row depends on the previous row only.
    fn run(&self, monitor: &mut Monitor<'_>) -> Result<Vec<PaperRow>, KMeansError> {
        let n = self.n();
        let empty = PaperRow { d: vec![self.beta; n + 1], i: vec![0; n + 1], b: vec![0; n + 1] };
        let mut rows = vec![empty; self.k + 1];
        for i in 1..=n {
            (rows[1].d[i], rows[1].i[i], rows[1].b[i]) = (self.w(1, i), 1, 1);
        }
        // U for m - 1 and for m; the paper stores all of them.
        let mut before = Triangle::new(n, self.beta);
        before.starting_at(1).fill(0.0);
        let arch = pulp::Arch::new();
        for m in 2..=self.k {
            let mut u = Triangle::new(n, self.beta);
            for j in m..=n {
                let (done, row) = rows.split_at_mut(m);
                let (last_row, row) = (&done[m - 1], &mut row[0]);
                arch.dispatch(ClustersFrom { routine: self, last_row, row, before: &before, u: u.starting_at(j), j });
                if j % 64 == 0 {
                    let cost = rows[self.k].d[n];
                    if cost < self.beta {
                        monitor.found(cost);
                    }
                    monitor.report()?;
                }
            }
            before = u;
        }
        Ok(rows)
    }

    /// The first t of from, from - 1, .., to with C[last + 1, i] - C[t, last] ≥ δ.
    fn admissible(&self, from: usize, to: usize, last: usize, i: usize) -> Option<usize> {
        let c = self.c(last + 1, i);
        (to..=from).rev().find(|&t| c - self.c(t, last) >= self.delta)
    }

    /// The paper's first table: the first point of each cluster.
    fn starts(&self, rows: &[PaperRow]) -> Option<Vec<usize>> {
        let n = self.n();
        if rows[self.k].d[n] >= self.beta {
            return None;
        }
        let mut starts = vec![rows[self.k].i[n]];
        let mut end = n;
        for row in rows[1..self.k].iter().rev() {
            let next = starts[starts.len() - 1];
            let l = next - 1;
            if row.b[l] == 0 {
                return None;
            }
            starts.push(self.admissible(row.i[l], row.b[l], l, end)?);
            end = l;
        }
        starts.reverse();
        Some(starts)
    }
}

/// Processes all clusters of row m that start at j: updates D, I and B, and fills U[j, ., m]. Compiled for the
/// processor, where a fused multiply-add is an instruction.
struct ClustersFrom<'a> {
    routine: &'a Routine,
    last_row: &'a PaperRow,
    row: &'a mut PaperRow,
    before: &'a Triangle,
    u: &'a mut [f64],
    j: usize,
}

impl pulp::WithSimd for ClustersFrom<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { routine, last_row, row, before, u, j } = self;
        let (from, to) = (last_row.i[j - 1], last_row.b[j - 1]);
        if to == 0 {
            return;
        }
        let least = least_from(routine, from, to, j - 1);
        // The number of admissible t in to..=from, and the cost of the points before j at the last of them.
        let mut admissible = 0;
        let mut cost = routine.beta;
        for i in j..=routine.n() {
            if last_row.d[i - 1] >= routine.beta {
                continue;
            }
            let c = routine.c(j, i);
            let count = moved(admissible, &least, |mean| c - mean >= routine.delta);
            if count != admissible {
                admissible = count;
                cost = match count {
                    0 => routine.beta,
                    all if all == least.len() => last_row.d[j - 1],
                    some => before.at(to + some - 1, j - 1) + routine.w(to + some - 1, j - 1),
                };
            }
            if admissible == 0 {
                continue;
            }
            u[i - j] = cost;
            let p = cost + routine.w(j, i);
            if p < row.d[i] {
                (row.d[i], row.i[i]) = (p, j);
            }
            if p < routine.beta && row.b[i] == 0 {
                row.b[i] = j;
            }
        }
    }
}

/// For each t of to..=from the least of C[t, last], .., C[from, last]. Means ascend with t only up to rounding, but
/// these minima always do. The first admissible t on the way down from I is the last one whose minimum is admissible.
#[inline(always)]
fn least_from(routine: &Routine, from: usize, to: usize, last: usize) -> Vec<f64> {
    let mut least: Vec<f64> = (to..=from).map(|t| routine.c(t, last)).collect();
    for t in (1..least.len()).rev() {
        least[t - 1] = least[t - 1].min(least[t]);
    }
    least
}

/// The number of admissible values among the ascending ones, searched from the last answer on.
#[inline(always)]
fn moved(mut count: usize, ascending: &[f64], admissible: impl Fn(f64) -> bool) -> usize {
    while count < ascending.len() && admissible(ascending[count]) {
        count += 1;
    }
    while count > 0 && !admissible(ascending[count - 1]) {
        count -= 1;
    }
    count
}

/// One layer of U: an entry for each first and last point of a cluster.
struct Triangle {
    n: usize,
    entries: Vec<f64>,
}

impl Triangle {
    fn new(n: usize, value: f64) -> Self {
        Self { n, entries: vec![value; n * (n + 1) / 2] }
    }

    /// The index of the first entry of the clusters that start at `first`.
    fn begin(&self, first: usize) -> usize {
        (first - 1) * (2 * self.n + 2 - first) / 2
    }

    fn at(&self, first: usize, last: usize) -> f64 {
        self.entries[self.begin(first) + last - first]
    }

    /// The entries of the clusters that start at `first`, by their last point.
    fn starting_at(&mut self, first: usize) -> &mut [f64] {
        let begin = self.begin(first);
        &mut self.entries[begin..=begin + self.n - first]
    }
}
