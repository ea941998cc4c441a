//! The best path of exactly `k` clusters that costs at most a limit: a dynamic program, one level per cluster.
//!
//! A cluster is kept at a level only if the least cost of a path to it, plus the penalty's lower bound on the rest, is
//! within the limit. So the work depends mainly on the distance from the penalty's bound to the limit.

use super::clusters::Clusters;
use super::incumbent::MeansSolution;
use super::window::Window;
use crate::error::KMeansError;
use crate::kmeans::rounding::of_sum;
use crate::memory::product;
use crate::monitor::Monitor;

/// The least cost of a path from the end of each cluster, under a penalty per cluster.
pub(super) struct PenalizedRest {
    pub(super) penalty: f64,
    pub(super) after: Vec<f64>,
}

/// The result of the program.
pub(super) enum BestWithin {
    /// The best path.
    Path(MeansSolution),
    /// Every path costs more than the limit.
    Nothing,
    /// The steps exceed the limit or the memory.
    TooMany,
}

/// A step of a path: a cluster on a level.
#[derive(Clone, Copy)]
struct LevelStep {
    /// The least cost of reaching its end.
    cost: f64,
    state: u32,
    start: u32,
    end: u32,
    /// The index of the previous step on its level.
    before: u32,
}

/// Finds the best path of `k` clusters if it costs at most `limit`, in at most `most` steps.
pub(super) fn best_within(
    clusters: &Clusters,
    k: usize,
    rest: &PenalizedRest,
    limit: f64,
    most: usize,
    monitor: &mut Monitor<'_>,
) -> Result<BestWithin, KMeansError> {
    let limit = limit + of_sum(2 * k, limit.abs() + rest.penalty.abs() * k as f64);
    // Whether a path of `k` clusters with this step on this level may be within the limit.
    let is_kept = |step: &LevelStep, level: usize| {
        step.cost + rest.after[step.state as usize] - rest.penalty * (k - 1 - level) as f64 <= limit
    };
    let first = clusters.table.states(0).zip(clusters.table.ends(0));
    let first = first.map(|(state, end)| LevelStep::new(clusters.cost[state], state, (0, end), 0));
    let mut levels: Vec<Vec<LevelStep>> = vec![first.filter(|step| is_kept(step, 0)).collect()];
    let mut count = 0;
    for level in 1..k {
        let before = &levels[level - 1];
        count += before.len();
        let bytes = product(&[2, count, size_of::<LevelStep>()]);
        if count > most || monitor.check_memory("the search for separated means", bytes).is_err() {
            return Ok(BestWithin::TooMany);
        }
        levels.push(next_level(clusters, before, |step| is_kept(step, level), monitor)?);
    }
    Ok(traced(&levels, clusters.n).map_or(BestWithin::Nothing, BestWithin::Path))
}

/// The steps that follow those of a level and that `is_kept` keeps.
fn next_level(
    clusters: &Clusters,
    before: &[LevelStep],
    is_kept: impl Fn(&LevelStep) -> bool,
    monitor: &mut Monitor<'_>,
) -> Result<Vec<LevelStep>, KMeansError> {
    let mut next = Vec::new();
    // By end; a stable sort keeps those of one end in the order of their starts, and so of their means.
    let mut order: Vec<u32> = (0..before.len() as u32).collect();
    order.sort_by_key(|&step| before[step as usize].end);
    let mut window = Window::default();
    for into in order.chunk_by(|&a, &b| before[a as usize].end == before[b as usize].end) {
        let start = before[into[0] as usize].end as usize;
        if start == clusters.n {
            break;
        }
        let mean = |i: usize| clusters.mean[before[into[i] as usize].state as usize];
        window.restart();
        for (state, end) in clusters.table.states(start).zip(clusters.table.ends(start)) {
            while window.next() < into.len() && clusters.is_low_enough(mean(window.next()), state) {
                window.enter(before[into[window.next()] as usize].cost);
            }
            window.drop_while(|i| clusters.is_too_low(mean(i), state));
            if let Some(best) = window.first() {
                let step = LevelStep::new(clusters.cost[state] + window.least(), state, (start, end), into[best]);
                if is_kept(&step) {
                    next.push(step);
                }
            }
        }
        monitor.spend((into.len() + clusters.table.ends(start).len()) as u64)?;
    }
    Ok(next)
}

/// The best path to the last point, with the leftmost boundaries of equal ones.
fn traced(levels: &[Vec<LevelStep>], n: usize) -> Option<MeansSolution> {
    let (last, inner) = levels.split_last()?;
    let ends = last.iter().filter(|step| step.end as usize == n);
    let mut step = *ends.min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    let cost = step.cost;
    let mut boundaries = Vec::with_capacity(inner.len());
    for level in inner.iter().rev() {
        boundaries.push(step.start as usize);
        step = level[step.before as usize];
    }
    boundaries.reverse();
    Some(MeansSolution { boundaries, cost })
}

impl LevelStep {
    fn new(cost: f64, state: usize, (start, end): (usize, usize), before: u32) -> Self {
        Self { cost, state: state as u32, start: start as u32, end: end as u32, before }
    }
}
