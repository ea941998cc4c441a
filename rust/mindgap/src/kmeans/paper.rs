//! The paper's two tables to the letter, for comparison: lower bound only, no weights, O(N²) memory, O(N³K) time at
//! worst. They miss the optimum on some data, and on some find no solution where there is one.
//!
//! Names, and indices from 1, are the paper's. One thing is not: its formula for `W` divides by the count, where the
//! program needs (and the authors' own code has) the plain sum of squares.

use super::solution::Solution;
use crate::constraint::Gaps;
use crate::error::KMeansError;
use crate::frame::Frame;
use crate::progress::{Progress, Watch, report};
use crate::sample::{Prefix, Prefixes, Sample};

/// The tables grow with the square of the number of points; beyond this they no longer fit a gigabyte.
const MOST_POINTS: usize = 10_000;

/// What the paper's program finds under `gaps` (in data units).
pub(super) fn solve(sample: &Sample, gaps: &Gaps, mut watch: Option<Watch<'_>>) -> Result<Solution, KMeansError> {
    let k = gaps.lower.len() + 1;
    let delta = check(sample, gaps)?;
    let framed = gaps.enter(sample.frame()).loosened();
    let routine = Routine::new(sample, k, framed.lower.first().copied().unwrap_or(0.0));
    let tables = routine.run(sample.frame(), &mut watch)?;
    let starts = routine.starts(&tables).ok_or(KMeansError::PaperFailed { k, delta })?;
    let ends = starts[1..].iter().map(|start| start - 1).chain([sample.len()]).collect();
    Ok(Solution { ends, centers: None, lower_bound: 0.0 })
}

/// The one lower bound, if the paper's program takes this problem.
fn check(sample: &Sample, gaps: &Gaps) -> Result<f64, KMeansError> {
    let refuse = |what: &str| {
        Err(KMeansError::Unsupported(format!("the paper's program {what}; method \"exact\" solves this problem")))
    };
    if sample.weights().is_some() {
        return refuse("takes no weights");
    }
    if gaps.have_upper() {
        return refuse("takes no upper bounds on the gaps");
    }
    if sample.len() > MOST_POINTS {
        return refuse(&format!("keeps tables of N² entries and is limited here to N = {MOST_POINTS}"));
    }
    match gaps.single_lower() {
        Some(delta) => Ok(delta),
        None if gaps.lower.is_empty() => Ok(0.0),
        None => refuse("takes one lower bound for all gaps"),
    }
}

/// The matrices D, I, B: one row for each number of clusters, one column for each number of points, both from 0.
struct Tables {
    d: Vec<Vec<f64>>,
    i: Vec<Vec<usize>>,
    b: Vec<Vec<usize>>,
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
    fn c(&self, first: usize, last: usize) -> f64 {
        self.prefixes[first - 1].mean_until(&self.prefixes[last])
    }

    /// W[first, last].
    fn w(&self, first: usize, last: usize) -> f64 {
        self.prefixes[first - 1].until(&self.prefixes[last]).cost
    }

    /// The paper's second table.
    fn run(&self, frame: &Frame, watch: &mut Option<Watch<'_>>) -> Result<Tables, KMeansError> {
        let n = self.n();
        let mut tables = Tables {
            d: vec![vec![self.beta; n + 1]; self.k + 1],
            i: vec![vec![0; n + 1]; self.k + 1],
            b: vec![vec![0; n + 1]; self.k + 1],
        };
        for i in 1..=n {
            (tables.d[1][i], tables.i[1][i], tables.b[1][i]) = (self.w(1, i), 1, 1);
        }
        // U for m - 1 and for m; the paper keeps all of them.
        let mut before = Triangle::new(n, self.beta);
        (1..=n).for_each(|r| *before.at(1, r) = 0.0);
        for m in 2..=self.k {
            let mut u = Triangle::new(n, self.beta);
            for i in m..=n {
                if tables.d[m - 1][i - 1] < self.beta {
                    self.fill(&mut tables, &mut before, &mut u, m, i);
                }
                if i % 64 == 0 {
                    let cost = frame.leave_square(tables.d[self.k][n]);
                    let cost = if tables.d[self.k][n] < self.beta { cost } else { f64::INFINITY };
                    report(watch, Progress::Search { cost, lower_bound: 0.0 }).map_err(|_| KMeansError::Interrupted)?;
                }
            }
            before = u;
        }
        Ok(tables)
    }

    /// D[i, m], I[i, m], B[i, m] and U[., i, m].
    fn fill(&self, tables: &mut Tables, before: &mut Triangle, u: &mut Triangle, m: usize, i: usize) {
        let (d, first_start, smallest_start) = (&tables.d[m - 1], &tables.i[m - 1], &tables.b[m - 1]);
        let mut least = (self.beta, 0);
        let mut smallest = 0;
        for j in m..=i {
            if smallest_start[j - 1] == 0 {
                continue;
            }
            let mut p = self.beta;
            if self.c(j, i) - self.c(first_start[j - 1], j - 1) >= self.delta {
                p = d[j - 1] + self.w(j, i);
                *u.at(j, i) = d[j - 1];
            } else if let Some(t) = self.admissible(first_start[j - 1], smallest_start[j - 1], j - 1, i) {
                let cost = *before.at(t, j - 1) + self.w(t, j - 1);
                p = p.min(cost + self.w(j, i));
                *u.at(j, i) = cost;
            }
            if p < least.0 {
                least = (p, j);
            }
            if p < self.beta && smallest == 0 {
                smallest = j;
            }
        }
        (tables.d[m][i], tables.i[m][i], tables.b[m][i]) = (least.0, least.1, smallest);
    }

    /// The first t of from, from - 1, .., to with C[last + 1, i] - C[t, last] ≥ δ.
    fn admissible(&self, from: usize, to: usize, last: usize, i: usize) -> Option<usize> {
        let c = self.c(last + 1, i);
        (to..=from).rev().find(|&t| c - self.c(t, last) >= self.delta)
    }

    /// The paper's first table: the first point of each cluster.
    fn starts(&self, tables: &Tables) -> Option<Vec<usize>> {
        let n = self.n();
        if tables.d[self.k][n] >= self.beta {
            return None;
        }
        let mut starts = vec![tables.i[self.k][n]];
        let mut end = n;
        for k in (1..self.k).rev() {
            let next = starts[starts.len() - 1];
            let l = next - 1;
            if tables.b[k][l] == 0 {
                return None;
            }
            starts.push(self.admissible(tables.i[k][l], tables.b[k][l], l, end)?);
            end = l;
        }
        starts.reverse();
        Some(starts)
    }
}

/// One layer of U: an entry for each first and last point of a cluster.
struct Triangle(Vec<f64>);

impl Triangle {
    fn new(n: usize, value: f64) -> Self {
        Self(vec![value; n * (n + 1) / 2])
    }

    fn at(&mut self, first: usize, last: usize) -> &mut f64 {
        &mut self.0[last * (last - 1) / 2 + first - 1]
    }
}
