//! The region that a level leaves open for the exact program: intervals of centres and candidate boundaries.

use std::ops::Range;

use super::Problem;
use super::functional::SearchRegion;
use super::level::CenterLevel;

impl SearchRegion {
    /// The whole problem: every boundary, and every position that a centre may need.
    pub(super) fn whole(problem: &Problem<'_>) -> Self {
        let (n, k) = (problem.len(), problem.k);
        let margin = 0.01;
        let centers = problem.reach.iter().map(|&(from, to)| (from - margin, to + margin)).collect();
        let ends = (0..k - 1)
            .map(|gap| problem.boundaries(gap))
            .map(|range| (range.start..=range.end).collect())
            .chain([vec![n]])
            .collect();
        Self { centers, ends, rests: Vec::new() }
    }

    /// The cells of a level; `None` if they leave more than `most` boundaries.
    ///
    /// A point belongs to the nearest centre, so a boundary is at a midpoint, except where that would leave a cluster
    /// empty: there boundaries crowd together, and each may have to move by as many positions as there are boundaries
    /// in the crowd.
    pub(super) fn of_level(problem: &Problem<'_>, level: &CenterLevel, most: usize) -> Option<Self> {
        let n = problem.len();
        let centers: Vec<(f64, f64)> = level
            .cells
            .iter()
            .map(|cells| {
                let (first, last) = (cells[0].index, cells[cells.len() - 1].index);
                (level.grid.node(2 * first), level.grid.node(2 * last + 2))
            })
            .collect();
        let midpoint = |a: f64, b: f64| problem.points_until(0.5 * (a + b), 0..n);
        let windows: Vec<(usize, usize)> =
            centers.windows(2).map(|pair| (midpoint(pair[0].0, pair[1].0), midpoint(pair[0].1, pair[1].1))).collect();
        let crowding = if problem.empty { vec![0; windows.len()] } else { crowding(&windows, n) };
        let mut left = most;
        let mut ends = Vec::with_capacity(problem.k);
        for (gap, (&window, &crowd)) in windows.iter().zip(&crowding).enumerate() {
            let candidates = boundaries(problem, window, crowd, left, problem.boundaries(gap))?;
            left -= candidates.len();
            ends.push(candidates);
        }
        ends.push(vec![n]);
        Some(Self { centers, ends, rests: Vec::new() })
    }
}

/// The ends of runs of equal points within `window`, with `crowd` positions on either side of each; `None` if too many.
fn boundaries(
    problem: &Problem<'_>,
    window: (usize, usize),
    crowd: usize,
    most: usize,
    range: Range<usize>,
) -> Option<Vec<usize>> {
    let sample = problem.prefixes.sample();
    let mut out: Vec<usize> = Vec::new();
    let mut end = window.0;
    loop {
        let from = end.saturating_sub(crowd).max(range.start);
        let from = out.last().map_or(from, |&last| from.max(last + 1));
        out.extend(from..=(end + crowd).min(range.end));
        #[cfg(test)]
        crate::monitor::count(out.len() as u64, 0);
        if out.len() > most {
            return None;
        }
        if end >= window.1 {
            return Some(out);
        }
        end = problem.points_until_after(sample.framed(end), end + 1..sample.len());
    }
}

/// For each boundary, how far a crowd that contains it can move it: zero if no cluster can be empty.
fn crowding(windows: &[(usize, usize)], n: usize) -> Vec<usize> {
    let reach = 2 * windows.len() + 3;
    let fixed = |at: usize| (at, at);
    let all: Vec<(usize, usize)> = std::iter::once(fixed(0)).chain(windows.iter().copied()).chain([fixed(n)]).collect();
    let mut crowding = vec![0; all.len()];
    let mut start = 0;
    while start < all.len() {
        let joined = all[start..].windows(2).take_while(|pair| pair[1].0 <= pair[0].1 + reach).count();
        let crowd = &all[start..start + joined + 1];
        if crowd.windows(2).any(|pair| pair[1].0 <= pair[0].1) {
            crowding[start..start + joined + 1].fill(joined + 1);
        }
        start += joined + 1;
    }
    crowding[1..all.len() - 1].to_vec()
}
