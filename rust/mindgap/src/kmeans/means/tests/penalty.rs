//! The search by a penalty per cluster against tables of all clusters.

use super::super::clusters::Clusters;
use super::super::many;
use super::super::positions::{PenalizedCosts, Positions};
use super::super::prefix_costs::penalized_costs;
use super::*;
use crate::kmeans::unconstrained;
use crate::monitor::{Halt, Progress};
use std::ops::ControlFlow;

/// Means and costs of all runs of atoms, by plain sums over their points: `[start][end - start - 1]`.
fn runs(sample: &Sample) -> Vec<Vec<(f64, f64)>> {
    let n = sample.len();
    let run = |start: usize, end: usize| {
        let points = || (start..end).map(|i| (sample.weight(i), sample.framed(i)));
        let weight: f64 = points().map(|(w, _)| w).sum();
        let mean = points().map(|(w, z)| w * z).sum::<f64>() / weight;
        (mean, points().map(|(w, z)| w * (z - mean).powi(2)).sum::<f64>())
    };
    (0..n).map(|start| (start + 1..=n).map(|end| run(start, end)).collect()).collect()
}

/// The least cost of `k` clusters of admissible `sizes` whose means satisfy the bounds, from tables over all starts and
/// ends of the last cluster.
fn tables(sample: &Sample, k: usize, (lower, upper): (f64, f64), sizes: Sizes) -> Option<f64> {
    let n = sample.len();
    let runs = runs(sample);
    let tolerance = 1e-12 * sample.framed_range();
    let weight = |start: usize, end: usize| (start..end).map(|i| sample.weight(i)).sum::<f64>();
    let admitted = |start: usize, end: usize| sizes.are_any() || sizes.admit_weight(weight(start, end));
    let mut best = vec![vec![f64::INFINITY; n + 1]; n];
    for end in (1..=n).filter(|&end| admitted(0, end)) {
        best[0][end] = runs[0][end - 1].1;
    }
    for _ in 1..k {
        let mut next = vec![vec![f64::INFINITY; n + 1]; n];
        for start in 1..n {
            for end in (start + 1..=n).filter(|&end| admitted(start, end)) {
                let (mean, cost) = runs[start][end - start - 1];
                let admissible = |before: &usize| {
                    let gap = mean - runs[*before][start - before - 1].0;
                    gap >= lower - tolerance && gap <= upper + tolerance
                };
                let least =
                    (0..start).filter(admissible).map(|before| best[before][start]).fold(f64::INFINITY, f64::min);
                next[start][end] = cost + least;
            }
        }
        best = next;
    }
    let least = best.iter().map(|ends| ends[n]).fold(f64::INFINITY, f64::min);
    least.is_finite().then_some(least)
}

/// Data of several kinds, and bounds in frame units and as rows in data units.
struct Instance {
    sample: Sample,
    k: usize,
    gap: (f64, f64),
    rows: Rows,
}

fn instance(noise: &mut impl FnMut() -> f64, most: usize) -> Instance {
    let n = 3 + (noise() * (most - 3) as f64) as usize;
    let lattice = if noise() < 0.3 { 8.0 } else { 1e6 };
    let skew = 1 + (noise() * 3.0) as i32;
    let clumps = if noise() < 0.3 { 4.0 } else { 0.0 };
    let x: Vec<f64> = (0..n).map(|_| ((noise().powi(skew) + (clumps * noise()).floor()) * lattice).floor()).collect();
    let sample = match noise() < 0.5 {
        true => Sample::new(&x).unwrap(),
        false => Sample::weighted(&x, &(0..n).map(|_| 0.1 + 4.0 * noise()).collect::<Vec<_>>()).unwrap().collapsed().0,
    };
    let k = (2 + (noise() * (sample.len() / 2) as f64) as usize).min(sample.distinct());
    let even = sample.framed_range() / k as f64;
    let lower = even * 1.2 * noise();
    let upper = if noise() < 0.5 { f64::INFINITY } else { lower + 3.0 * even * noise() };
    let data = |length: f64| sample.frame().leave_length(length);
    let rows = GapBounds::between(data(lower), data(upper)).unwrap().rows(k).unwrap();
    Instance { sample, k, gap: (lower, upper), rows }
}

const PENALIZED: MeansLimits = MeansLimits { first_cells: 1, direct: 0, states: usize::MAX, many: 2 };

/// The search agrees with the tables for all kinds of data, weights, ties and bounds, also if there is no partition.
#[test]
fn a_penalty_finds_the_optimum_of_the_tables() {
    let mut noise = noise(31);
    let mut found = [0, 0];
    for trial in 0..700 {
        let case = instance(&mut noise, if trial % 50 == 0 { 120 } else { 30 });
        let truth = tables(&case.sample, case.k, case.gap, Sizes::ANY);
        match (cost(&case.sample, &case.rows, &PENALIZED), truth) {
            (Some(found), Some(truth)) => {
                assert!((found - truth).abs() <= 1e-10 * (truth + 1e-12), "trial {trial}: {found} not {truth}");
            }
            (found, truth) => assert_eq!(found, truth, "trial {trial}"),
        }
        found[usize::from(truth.is_some())] += 1;
    }
    assert!(found[0] > 100 && found[1] > 200, "{found:?}");
}

/// Clumps of all widths, half of the points equal to others, weights over eight orders, and gaps that are tiny beside
/// the data.
fn hostile(noise: &mut impl FnMut() -> f64) -> Instance {
    let n = 4 + (noise() * 26.0) as usize;
    let clumps: Vec<(f64, f64)> = (0..1 + (noise() * 4.0) as usize)
        .map(|_| (noise(), if noise() < 0.3 { 0.0 } else { 10_f64.powf(-5.0 * noise()) }))
        .collect();
    let mut x: Vec<f64> = Vec::new();
    while x.len() < n {
        let (center, width) = clumps[(noise() * clumps.len() as f64) as usize];
        let tied = !x.is_empty() && noise() < 0.5;
        x.push(if tied { x[(noise() * x.len() as f64) as usize] } else { center + width * noise() });
    }
    let w: Vec<f64> = (0..n).map(|_| 10_f64.powf(8.0 * noise() - 4.0)).collect();
    let sample = match noise() < 0.4 {
        true => Sample::new(&x).unwrap(),
        false => Sample::weighted(&x, &w).unwrap().collapsed().0,
    };
    let k = (2 + (noise() * (sample.len() / 2) as f64) as usize).min(sample.distinct());
    let lower = 10_f64.powf(-6.0 * noise()) * sample.framed_range() / k as f64;
    let upper = if noise() < 0.5 { f64::INFINITY } else { lower * (1.0 + 10_f64.powf(5.0 * noise() - 1.0)) };
    let data = |length: f64| sample.frame().leave_length(length);
    let rows = GapBounds::between(data(lower), data(upper)).unwrap().rows(k).unwrap();
    Instance { sample, k, gap: (lower, upper), rows }
}

/// The penalty and the levels find the optimum of hostile data, and with few states prove nothing that is wrong.
fn assert_hostile_data_are_solved(rounds: usize, seed: u64) {
    let mut noise = noise(seed);
    let mut found = [0, 0];
    for trial in 0..rounds {
        let case = hostile(&mut noise);
        if case.k == 1 {
            continue;
        }
        let truth = tables(&case.sample, case.k, case.gap, Sizes::ANY);
        // The plain sums of the tables lose digits of points that lie close together.
        let lost = 1e-28 * case.sample.total_weight();
        let facts = || format!("trial {trial}: k {} {:?} {:?}", case.k, case.gap, case.sample.values());
        for limits in [PENALIZED, MeansLimits { many: usize::MAX, ..LIMITS }] {
            match (cost(&case.sample, &case.rows, &limits), truth) {
                (Some(found), Some(truth)) => {
                    assert!((found - truth).abs() <= 1e-8 * truth + lost, "{found} not {truth}, {}", facts());
                }
                (found, truth) => assert_eq!(found, truth, "{}", facts()),
            }
        }
        found[usize::from(truth.is_some())] += 1;
        let Some(truth) = truth else { continue };
        let limits = MeansLimits { states: [20, 60, 200][trial % 3], ..PENALIZED };
        let mut monitor = Monitor::default().tol(0.0);
        let best = solve_within(&case.sample, &case.rows, &mut [], &limits, &mut monitor).unwrap();
        let cost = best.partition.map_or(f64::INFINITY, |partition| partition.cost(&Prefixes::new(&case.sample)));
        assert!(best.proof.lower_bound(cost) <= truth * (1.0 + 1e-8) + lost, "{cost} for {truth}, {}", facts());
        assert!(cost >= truth * (1.0 - 1e-8) - lost, "{cost} below {truth}, {}", facts());
    }
    assert!(found[0] > rounds / 10 && found[1] > rounds / 3, "{found:?}");
}

#[test]
fn hostile_data_are_solved() {
    assert_hostile_data_are_solved(400, 41);
}

#[test]
#[ignore = "slow"]
fn hostile_data_are_solved_many_times() {
    assert_hostile_data_are_solved(10_000, 42);
}

/// The same where sizes are bounded too.
#[test]
fn a_penalty_finds_the_optimum_of_sized_clusters() {
    let mut noise = noise(32);
    let mut found = [0, 0];
    for trial in 0..300 {
        let case = instance(&mut noise, 30);
        let even = case.sample.total_weight() / case.k as f64;
        let sizes = Sizes::new(Some(0.7 * even * noise()), Some(even * (1.2 + 2.0 * noise()))).unwrap();
        let truth = tables(&case.sample, case.k, case.gap, sizes);
        match (sized_cost(&case.sample, &case.rows, sizes, &PENALIZED), truth) {
            (Some(found), Some(truth)) => {
                assert!((found - truth).abs() <= 1e-10 * (truth + 1e-12), "trial {trial}: {found} not {truth}");
            }
            (found, truth) => assert_eq!(found, truth, "trial {trial}"),
        }
        found[usize::from(truth.is_some())] += 1;
    }
    assert!(found[0] > 30 && found[1] > 50, "{found:?}");
}

/// With too few states for all runs, or for any, the bound is never above the optimum and the partition never below it.
#[test]
fn a_penalty_with_few_states_proves_nothing_that_is_wrong() {
    let mut noise = noise(33);
    let (mut proven, mut open) = (0, 0);
    for trial in 0..600 {
        let case = instance(&mut noise, 40);
        let Some(truth) = tables(&case.sample, case.k, case.gap, Sizes::ANY) else { continue };
        let states = [8, 40, 100, 200, 400][trial % 5];
        let limits = MeansLimits { states, ..PENALIZED };
        let mut monitor = Monitor::default().tol(0.0);
        let best = solve_within(&case.sample, &case.rows, &mut [], &limits, &mut monitor).unwrap();
        let prefixes = Prefixes::new(&case.sample);
        let slack = 1e-10 * (truth + 1e-12);
        let cost = best.partition.map_or(f64::INFINITY, |partition| partition.cost(&prefixes));
        assert!(cost >= truth - slack, "trial {trial}: {cost} below {truth}");
        match best.proof {
            Proof::Optimal => {
                assert!(cost <= truth + slack, "trial {trial}: {cost} for {truth}");
                proven += 1;
            }
            Proof::AtLeast(bound) => {
                assert!(bound <= truth + slack, "trial {trial}: {bound} above {truth}");
                open += 1;
            }
        }
    }
    assert!(proven > 100 && open > 20, "{proven} proven, {open} not");
}

/// Stopped at any report, the search has a bound and a partition on either side of the optimum.
#[test]
fn a_penalty_that_runs_out_of_time_proves_nothing_that_is_wrong() {
    let mut noise = noise(34);
    let mut stopped = 0;
    for _ in 0..60 {
        let case = instance(&mut noise, 40);
        let Some(truth) = tables(&case.sample, case.k, case.gap, Sizes::ANY) else { continue };
        for last in 0..12 {
            let mut reports = 0;
            let mut monitor = Monitor::stopping(|_: &Progress| {
                reports += 1;
                if reports > last { ControlFlow::Break(Halt::TimeLimit) } else { ControlFlow::Continue(()) }
            });
            let prefixes = Prefixes::new(&case.sample);
            match solve_within(&case.sample, &case.rows, &mut [], &PENALIZED, &mut monitor) {
                Ok(best) => {
                    let cost = best.partition.unwrap().cost(&prefixes);
                    let slack = 1e-10 * (truth + 1e-12);
                    assert!(best.proof.lower_bound(cost) <= truth + slack && cost >= truth - slack);
                    stopped += usize::from(best.proof != Proof::Optimal);
                }
                Err(error) => assert!(matches!(error, KMeansError::TimeLimit), "{error}"),
            }
        }
    }
    assert!(stopped > 10, "{stopped}");
}

/// Passes that forget runs find the same costs as those that keep them; no partition costs less than they say, and none
/// that costs at most the limit loses a run.
#[test]
fn runs_of_good_partitions_are_kept() {
    let mut noise = noise(35);
    let (mut dropped, mut optima) = (0, 0);
    for trial in 0..300 {
        let case = instance(&mut noise, 40);
        let (prefixes, k) = (Prefixes::new(&case.sample), case.k);
        if k == 1 {
            continue;
        }
        let Some(truth) = tables(&case.sample, k, case.gap, Sizes::ANY) else { continue };
        optima += 1;
        let mut monitor = Monitor::default().tol(0.0);
        let range = case.sample.framed_range();
        let framed = case.rows.enter(case.sample.frame()).loosened(range).reachable(range);
        let gap = framed.shared_bounds().unwrap();
        let limit = truth * (1.0 + noise());
        let penalty = (0.1 + 3.0 * noise()) * (truth + 1e-6) / k as f64;
        let all = |positions: &Positions| positions.table(&Sizes::ANY).len();
        let mut positions = Positions::every(1, &prefixes);
        assert!(positions.keep_up_to(limit + 1e-12, usize::MAX));
        let mut kept = Positions::every(1, &prefixes);
        let before_bounds = all(&kept);
        let every: Vec<u32> = (0..=prefixes.len() as u32).collect();
        let [before, after] = unconstrained::rest_costs(&prefixes, &every, penalty);
        let free = PenalizedCosts { penalty, before, after };
        assert!(kept.keep_without_bounds(&free, k, limit, usize::MAX, &mut monitor).unwrap());
        let table = kept.table(&Sizes::ANY);
        let within = free.limit(k, limit);
        let passed = penalized_costs(&kept, &table, gap, &free, within, usize::MAX, &mut monitor).unwrap();
        let mut costs = passed.unwrap();
        let unknown = PenalizedCosts::unknown(penalty, kept.last());
        let again = penalized_costs(&kept, &table, gap, &unknown, within, usize::MAX, &mut monitor).unwrap().unwrap();
        assert_eq!(again.before[kept.last()], costs.before[kept.last()], "trial {trial}");
        assert!(penalized_costs(&kept, &table, gap, &free, within, 0, &mut monitor).unwrap().is_none());
        let clusters = Clusters::between(&kept, gap, &Sizes::ANY, usize::MAX, &mut monitor).unwrap().unwrap();
        let reached = clusters.reached(penalty, &mut monitor).unwrap();
        let value = clusters.best_path(&reached).unwrap().value;
        let n = kept.last();
        for of_passes in [costs.before[n], costs.after[0]] {
            assert!((of_passes - value).abs() <= 1e-12 * value, "trial {trial}: {of_passes} not {value}");
        }
        assert!(value - penalty * k as f64 <= truth + 1e-12, "trial {trial}");
        kept.keep(&table, &mut costs, k, limit, &mut monitor).unwrap();
        dropped += usize::from(all(&kept) < before_bounds / 2);
        // The optimum is still there.
        let clusters = Clusters::between(&kept, gap, &Sizes::ANY, usize::MAX, &mut monitor).unwrap().unwrap();
        let mut search = super::super::penalty::DualSearch::new(&clusters, k, limit);
        assert!(search.run(penalty, usize::MAX, &mut monitor).unwrap());
        let best = search.best.unwrap_or_else(|| panic!("trial {trial}: nothing at {truth}")).cost;
        assert!((best - truth).abs() <= 1e-10 * (truth + 1e-12), "trial {trial}: {best} not {truth}");
    }
    assert!(optima > 100 && dropped > 50, "{dropped} of {optima}");
}

/// Where not all runs can be kept, coarse positions and passes lead to the same proof.
#[test]
fn narrowed_runs_lead_to_the_same_optimum() {
    let mut noise = noise(36);
    let x: Vec<f64> = (0..1500).map(|_| (noise() + noise() + noise()) * 1e3).collect();
    let sample = Sample::new(&x).unwrap();
    for (k, upper) in [(40, f64::INFINITY), (40, 120.0), (70, f64::INFINITY)] {
        let rows = GapBounds::between(1800.0 / k as f64, upper).unwrap().rows(k).unwrap();
        let all = MeansLimits { states: usize::MAX, ..LIMITS };
        let truth = cost(&sample, &rows, &all).unwrap();
        let few = MeansLimits { states: 1 << 16, ..LIMITS };
        let (prefixes, range) = (Prefixes::new(&sample), sample.framed_range());
        let framed = rows.enter(sample.frame()).loosened(range).reachable(range);
        // Too few for all runs.
        let mut positions = Positions::every(1, &prefixes);
        assert!(!positions.keep_up_to(truth, few.states));
        let mut start =
            Some(unconstrained::solve(&sample, k, &mut Monitor::default()).unwrap().partition.boundaries().to_vec());
        let mut monitor = Monitor::default().tol(0.0);
        let outcome = many::search(&prefixes, &rows, &framed, Sizes::ANY, &few, &mut start, &mut monitor).unwrap();
        let Some(MeansOutcome::Optimal(best)) = outcome else { panic!("k = {k}: {outcome:?}") };
        assert!((best.cost - truth).abs() <= 1e-12 * truth, "k = {k}: {} not {truth}", best.cost);
    }
}

/// Bounds that no partition satisfies are found to be such without one, whichever way.
#[test]
fn bounds_that_cannot_be_satisfied_are_found_out() {
    let mut noise = noise(37);
    let x: Vec<f64> = (0..300).map(|_| noise().powi(3)).collect();
    let sample = Sample::new(&x).unwrap();
    let prefixes = Prefixes::new(&sample);
    for (lower, upper) in [(0.03, f64::INFINITY), (0.001, 0.02), (0.0, 1e-4)] {
        let rows = GapBounds::between(lower, upper).unwrap().rows(40).unwrap();
        assert_eq!(cost(&sample, &rows, &PENALIZED), None, "{lower} to {upper}");
        let framed = rows.enter(sample.frame());
        let outcome =
            many::search(&prefixes, &rows, &framed, Sizes::ANY, &PENALIZED, &mut None, &mut Monitor::default());
        assert!(matches!(outcome, Ok(Some(MeansOutcome::Infeasible))), "{lower} to {upper}: {outcome:?}");
    }
}
