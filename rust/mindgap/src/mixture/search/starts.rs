//! Where a search begins: partitions by exact dynamic programs on some hundred cells, and simple rules.
//!
//! On 1,600 problems the short climbs from here lead to the maximum that the search returns in four of five; the
//! moves from there (`moves`) find the rest.

use super::Random;
use super::cells::{CellPrefix, Cells};
use crate::mixture::parameters::Parameters;
use crate::numeric::elementary::ln;
use pulp::{Arch, Simd, WithSimd};

/// Cells of the partitions' dynamic programs, which cost the square of it.
const COARSE: usize = 100;

/// Positions that the centres under bounds may take.
const GRID: usize = 80;

/// What clusters' variances are blended with: as much of the average as two points have.
const PRIOR_POINTS: f64 = 2.0;

/// No cluster starts with a smaller share, times 1/k.
const LEAST_SHARE: f64 = 0.02;

/// Floors of the variance of points that know their component, as multiples of the data's divided by k².
const FLOORS: [f64; 2] = [0.02, 0.3];

/// Largest variances of points that know their component, as multiples of the data's divided by k². In the best fits of
/// tied data it is 1.6 to 1.9; with heavy tails it is larger.
const LARGEST_VARIANCES: [f64; 4] = [0.5, 1.0, 2.0, 8.0];

/// Where the bounds' chain is longer than this share of the data's range, or rigid, it also starts at several places.
const LONG_CHAIN: f64 = 0.6;

/// What starts need to know of the problem.
#[derive(Clone, Debug)]
pub(super) struct ProblemShape {
    pub(super) k: usize,
    /// The bounds of the gaps, in frame units; empty where the means have none.
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) equal_spreads: bool,
    /// The largest ratio of two variances, where they differ.
    pub(super) variance_ratio: Option<f64>,
}

impl ProblemShape {
    fn bounded(&self) -> bool {
        !self.lower.is_empty()
    }
}

/// The starts, by no particular order; `random` of them drawn.
pub(super) fn starts(cells: &Cells, shape: &ProblemShape, random: usize, draws: &mut Random) -> Vec<Parameters> {
    let (k, variance) = (shape.k, cells.variance);
    let coarse = cells.merged(COARSE);
    let prefix = coarse.prefix();
    let share = variance / (k * k) as f64;
    let mut starts = Vec::new();
    if coarse.len() >= k {
        let runs = Arch::new().dispatch(FillRuns(&prefix, coarse.len()));
        starts.push(partition(&coarse, &prefix, &runs, k, RunCost::Squares));
        for cost in known_components(cells.variance, shape) {
            let start = partition(&coarse, &prefix, &runs, k, cost);
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
    }
    let spread = |precision: f64| vec![1.0 / precision; k];
    let even = |from: f64, to: f64| (0..k).map(move |j| from + (to - from) * (j as f64 + 0.5) / k as f64);
    let quantiles = even(0.0, 1.0).map(|share| cells.quantile(share)).collect();
    starts.push(equal_shares(quantiles, spread(0.5 / share)));
    let (low, high) = (cells.quantile(0.01), cells.quantile(0.99));
    let width = if high > low { (high - low) / (1.5 * k as f64) } else { share.sqrt() };
    starts.push(equal_shares(even(low, high).collect(), vec![width * width; k]));
    if !shape.equal_spreads && k > 1 {
        starts.extend(broad(cells, starts[0].means()));
    }
    if shape.bounded() && k > 1 {
        starts.extend(chained(&coarse, &prefix, shape, [low, high]));
    }
    if !shape.equal_spreads {
        starts.extend((0..random).map(|_| drawn(cells, k, draws)));
    }
    starts
}

/// The likelihood of points that know their component. Where variances differ by a ratio at most, for a few sizes of
/// the largest: data with ties have components on single values, whose spread the largest limits. Else with two floors
/// of the variance.
fn known_components(variance: f64, shape: &ProblemShape) -> Vec<RunCost> {
    let share = variance / (shape.k * shape.k) as f64;
    match shape.variance_ratio {
        Some(ratio) => {
            let largest = LARGEST_VARIANCES.iter().map(|size| size * share).filter(|&largest| largest <= variance);
            largest.map(|largest| RunCost::Within(largest / ratio, largest)).collect()
        }
        None => FLOORS.iter().map(|size| RunCost::Raised(size * share)).collect(),
    }
}

fn equal_shares(means: Vec<f64>, variances: Vec<f64>) -> Parameters {
    let k = means.len();
    Parameters::sound(vec![1.0 / k as f64; k], means, variances)
}

/// K-means with one of its components broad.
fn broad(cells: &Cells, centers: &[f64]) -> Vec<Parameters> {
    let (k, variance) = (centers.len(), cells.variance);
    let variances = |wide: usize| (0..k).map(|c| if c == wide { variance } else { variance / 9.0 }).collect();
    (0..k).map(|wide| equal_shares(centers.to_vec(), variances(wide))).collect()
}

/// Means at points or within the range, spreads at random.
fn drawn(cells: &Cells, k: usize, draws: &mut Random) -> Parameters {
    let [low, high] = cells.ends();
    let mut means: Vec<f64> = (0..k)
        .map(|_| match draws.uniform() < 0.7 {
            true => cells.quantile(draws.uniform()),
            false => low + (high - low) * draws.uniform(),
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let variances = (0..k).map(|_| cells.variance * (0.02 + 0.6 * draws.uniform() * draws.uniform())).collect();
    equal_shares(means, variances)
}

/// What a run of cells costs.
#[derive(Clone, Copy)]
enum RunCost {
    /// Its squares about its mean, `s`.
    Squares,
    /// `n/2 log(s/n + floor) - n log n`.
    Raised(f64),
    /// `n/2 log v + s/2v - n log n` with the best variance between two bounds.
    Within(f64, f64),
}

/// What the costs of all runs are made of: the runs from 0, 1, … that end before cell 1, those that end before cell 2,
/// and so on.
struct RunSums {
    /// Weight and sum of squares about the mean.
    sums: Vec<[f64; 2]>,
    /// The variance and its logarithm.
    variances: Vec<[f64; 2]>,
    /// `n log n`.
    entropies: Vec<f64>,
}

/// Fills the runs of so many cells.
struct FillRuns<'a>(&'a CellPrefix, usize);

impl WithSimd for FillRuns<'_> {
    type Output = RunSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> RunSums {
        let Self(prefix, cells) = self;
        let count = cells * (cells + 1) / 2;
        let mut sums = Vec::with_capacity(count);
        (1..=cells).for_each(|end| sums.extend((0..end).map(|start| prefix.within(start, end))));
        let variances = sums.iter().map(|[weight, squares]| {
            let variance = (squares / weight).max(f64::MIN_POSITIVE);
            [variance, ln::<false>(variance)]
        });
        let variances = variances.collect();
        let entropies = sums.iter().map(|[weight, _]| weight * ln::<false>(*weight)).collect();
        RunSums { sums, variances, entropies }
    }
}

/// The levels of the dynamic program: the least cost of the first cells in so many runs.
struct Levels<'a> {
    runs: &'a RunSums,
    cells: usize,
    k: usize,
    cost: RunCost,
}

/// Sums that are compared side by side.
const LANES: usize = 8;

impl WithSimd for Levels<'_> {
    /// The costs of the runs, and the levels one after the other.
    type Output = [Vec<f64>; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> [Vec<f64>; 2] {
        let Self { runs, cells, k, cost } = self;
        let parts = runs.sums.iter().zip(&runs.variances).zip(&runs.entropies);
        let costs: Vec<f64> = match cost {
            RunCost::Squares => runs.sums.iter().map(|[_, squares]| *squares).collect(),
            RunCost::Within(least, most) => {
                let logs = [least, most].map(ln::<false>);
                let cost = |(([weight, squares], [variance, log]), entropy): ((&[f64; 2], &[f64; 2]), &f64)| {
                    let (variance, log) = (variance.max(least).min(most), log.max(logs[0]).min(logs[1]));
                    0.5 * (weight * log + squares / variance) - entropy
                };
                parts.map(cost).collect()
            }
            RunCost::Raised(floor) => {
                let cost = |(([weight, _], [variance, _]), entropy): ((&[f64; 2], &[f64; 2]), &f64)| {
                    0.5 * weight * ln::<false>(variance + floor) - entropy
                };
                parts.map(cost).collect()
            }
        };
        let width = cells + 1;
        let mut levels = vec![f64::INFINITY; (k + 1) * width];
        levels[0] = 0.0;
        for m in 0..k {
            let (before, after) = levels.split_at_mut((m + 1) * width);
            let before = &before[m * width..];
            for end in m + 1..=cells {
                after[end] = least_sum(&before[..end], &costs[end * (end - 1) / 2..][..end]);
            }
        }
        [costs, levels]
    }
}

/// The least of the sums of two numbers each.
#[inline(always)]
fn least_sum(a: &[f64], b: &[f64]) -> f64 {
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut least = [f64::INFINITY; LANES];
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            let sum = a[l] + b[l];
            least[l] = if sum < least[l] { sum } else { least[l] };
        }
    }
    last_a.iter().zip(last_b).map(|(a, b)| a + b).chain(least).fold(f64::INFINITY, f64::min)
}

/// The partition into `k` runs of cells with the least sum of costs, by an exact dynamic program.
fn partition(cells: &Cells, prefix: &CellPrefix, runs: &RunSums, k: usize, cost: RunCost) -> Parameters {
    let n = cells.len();
    let [costs, levels] = Arch::new().dispatch(Levels { runs, cells: n, k, cost });
    let level = |m: usize, end: usize| levels[m * (n + 1) + end];
    let mut cuts = vec![n];
    for m in (0..k).rev() {
        let end = cuts[cuts.len() - 1];
        let costs = &costs[end * (end - 1) / 2..][..end];
        let reached = |&start: &usize| level(m, start) + costs[start] <= level(m + 1, end);
        cuts.push((m..end).find(reached).unwrap_or(m));
    }
    cuts.reverse();
    let mean = |m: usize| {
        let [weight, sum, _] = prefix.over(cuts[m], cuts[m + 1]);
        prefix.origin + sum / weight
    };
    clusters(cells, prefix, &cuts, (0..k).map(mean).collect())
}

/// Shares, and variances about `centers`, of the clusters between `cuts`.
fn clusters(cells: &Cells, prefix: &CellPrefix, cuts: &[usize], centers: Vec<f64>) -> Parameters {
    let k = centers.len();
    let squares: Vec<f64> = (0..k).map(|m| prefix.about(cuts[m], cuts[m + 1], centers[m])).collect();
    let average = (squares.iter().sum::<f64>() / cells.total).max(1e-6 * cells.variance);
    let weight = |m: usize| prefix.over(cuts[m], cuts[m + 1])[0];
    let variance = |m: usize| (squares[m] + PRIOR_POINTS * average) / (weight(m) + PRIOR_POINTS);
    let shares: Vec<f64> = (0..k).map(|m| (weight(m) / cells.total).max(LEAST_SHARE / k as f64)).collect();
    let sum: f64 = shares.iter().sum();
    Parameters::sound(shares.iter().map(|share| share / sum).collect(), centers, (0..k).map(variance).collect())
}

/// The clusters of the points that are nearest to each of `centers`.
fn nearest(cells: &Cells, prefix: &CellPrefix, centers: Vec<f64>) -> Parameters {
    let mut cuts = vec![0];
    cuts.extend(centers.windows(2).map(|pair| below(cells, 0.5 * (pair[0] + pair[1]))));
    cuts.push(cells.len());
    clusters(cells, prefix, &cuts, centers)
}

/// How many cells lie at or below `x`.
fn below(cells: &Cells, x: f64) -> usize {
    cells.positions.partition_point(|&position| position <= x)
}

/// K-means whose free centres hold the gaps, and a chain of centres at several places.
fn chained(cells: &Cells, prefix: &CellPrefix, shape: &ProblemShape, [low, high]: [f64; 2]) -> Vec<Parameters> {
    let k = shape.k;
    let mut starts: Vec<Parameters> =
        free_centers(cells, prefix, shape).map(|centers| nearest(cells, prefix, centers)).into_iter().collect();
    let needed: f64 = shape.lower.iter().map(|lower| lower.max(0.0)).sum();
    let rigid = shape.upper.iter().all(|upper| upper.is_finite());
    if rigid || needed > LONG_CHAIN * (high - low) {
        let natural = (high - low) / k as f64;
        let gap = |g: usize| natural.max(shape.lower[g].max(0.0)).min(shape.upper[g]);
        let length: f64 = (0..k - 1).map(gap).sum();
        let places = k + 3;
        for place in 0..places {
            let first = low - length + (high - low + length) * (place as f64 + 0.5) / places as f64;
            let mut centers = vec![first];
            (0..k - 1).for_each(|g| centers.push(centers[g] + gap(g)));
            starts.push(nearest(cells, prefix, centers));
        }
    }
    starts
}

/// The free centres of least cost on a grid, under the gaps' bounds; `None` if none of the grid's hold them.
fn free_centers(cells: &Cells, prefix: &CellPrefix, shape: &ProblemShape) -> Option<Vec<f64>> {
    let (n, [low, high]) = (cells.len(), cells.ends());
    let needed: f64 = shape.lower.iter().map(|lower| lower.max(0.0)).sum();
    let over = (needed - (high - low)).max(0.0);
    let step = (high - low + 2.0 * over) / GRID as f64;
    let grid: Vec<f64> = (0..GRID).map(|i| low - over + step * (i as f64 + 0.5)).collect();
    let ends: Vec<usize> = grid.iter().map(|&x| below(cells, x)).collect();
    // The cost between two centres, the second's before the first's.
    let mut between = vec![0.0; GRID * GRID];
    for a in 0..GRID {
        let mut middle = ends[a];
        for b in a + 1..GRID {
            let half = 0.5 * (grid[a] + grid[b]);
            middle += cells.positions[middle..].iter().take_while(|&&position| position <= half).count();
            between[b * GRID + a] = prefix.about(ends[a], middle, grid[a]) + prefix.about(middle, ends[b], grid[b]);
        }
    }
    let mut best: Vec<f64> = (0..GRID).map(|b| prefix.about(0, ends[b], grid[b])).collect();
    let mut from = Vec::new();
    for g in 0..shape.k - 1 {
        let (lower, upper) = (shape.lower[g].max(0.0) - 0.5 * step, shape.upper[g] + 0.5 * step);
        let (mut next, mut back) = (vec![f64::INFINITY; GRID], vec![0; GRID]);
        for b in 0..GRID {
            for a in (0..b).filter(|&a| (lower..=upper).contains(&(grid[b] - grid[a])) && best[a].is_finite()) {
                let cost = best[a] + between[b * GRID + a];
                if cost < next[b] {
                    (next[b], back[b]) = (cost, a);
                }
            }
        }
        best = next;
        from.push(back);
    }
    let cost = |b: usize| best[b] + prefix.about(ends[b], n, grid[b]);
    let mut last = (0..GRID).filter(|&b| best[b].is_finite()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    let mut centers = vec![grid[last]];
    for back in from.iter().rev() {
        last = back[last];
        centers.push(grid[last]);
    }
    centers.reverse();
    Some(centers)
}

#[cfg(test)]
mod tests;
