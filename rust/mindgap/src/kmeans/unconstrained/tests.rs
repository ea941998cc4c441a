use super::*;
use crate::monitor::Progress;
use std::ops::ControlFlow;

/// Numbers that look random.
pub(in crate::kmeans) fn random(i: usize) -> f64 {
    let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The optimum with every distinct value a cell, from the first guess on: no cell closed, none split.
pub(super) fn without_levels(sample: &Sample, k: usize) -> Vec<usize> {
    let prefixes = Prefixes::new(sample);
    let grid = EdgeGrid::finest(&prefixes, &[]);
    let candidates = Candidates::gather(&prefixes, grid.edges());
    let found = penalty::search::<Precise, _>(&candidates, k, 1.0, || Ok::<(), ()>(())).unwrap();
    ends(&grid, found.path[1..].iter().map(|&node| node as usize))
}

fn cost(sample: &Sample, partition: Partition) -> f64 {
    partition.cost(&Prefixes::new(sample))
}

fn assert_levels_lose_nothing(sample: &Sample, name: &str) {
    for k in [2, 3, 7, 40, 300].into_iter().filter(|&k| k <= sample.distinct()) {
        let (levels, all) = (solve(sample, k, &mut Monitor::default()).unwrap().partition, without_levels(sample, k));
        assert_eq!((levels.k(), all.len()), (k, k));
        let (levels, all) = (cost(sample, levels), cost(sample, Partition::new(all)));
        assert!((levels - all).abs() <= 1e-12 * all, "{name}, k = {k}: {levels:e} with levels, {all:e} without");
    }
}

#[test]
fn levels_of_cells_lose_nothing() {
    type Source = fn(usize) -> f64;
    let n = 100_000;
    let values = |of: Source| -> Vec<f64> { (0..n).map(of).collect() };
    let sources: [(&str, Source); 6] = [
        ("uniform", random),
        ("lumps", |i| (i % 5) as f64 + random(i) * random(i + 1) * random(i + 2)),
        ("heavy tails", |i| (3.1 * (random(i) - 0.5)).tan()),
        ("equally spaced", |i| i as f64),
        ("tied", |i| (500.0 * random(i)).floor().sqrt()),
        ("outliers", |i| if i < 3 { 1e9 * (i as f64 - 1.0) } else { random(i) }),
    ];
    for (name, of) in sources {
        let x = values(of);
        assert_levels_lose_nothing(&Sample::new(&x).unwrap(), name);
    }
    let weights = values(|i| 10f64.powf(12.0 * random(i + (1 << 20)) - 6.0));
    assert_levels_lose_nothing(&Sample::weighted(&values(random), &weights).unwrap(), "weighted");
}

#[test]
fn few_cells_lose_nothing_either() {
    for case in 0..1500 {
        let n = 100 + case % 400;
        let x: Vec<f64> = (0..n).map(|i| random(case * 1000 + i)).map(|u| shape(u, case)).collect();
        let weights: Vec<f64> = (0..n).map(|i| if case % 2 == 0 { 1.0 } else { 0.1 + random(i + case) }).collect();
        let sample = Sample::weighted(&x, &weights).unwrap();
        let k = 2 + case % 9;
        let (levels, all) = (
            solve_in_cells(&sample, k, &[], None, 2 * k, &mut Monitor::default()).unwrap().solution.partition,
            without_levels(&sample, k),
        );
        let (levels, all) = (cost(&sample, levels), cost(&sample, Partition::new(all)));
        assert!((levels - all).abs() <= 1e-12 * all, "case {case}: {levels:e} with levels, {all:e} without");
    }
}

pub(super) fn shape(u: f64, case: usize) -> f64 {
    match case % 5 {
        0 => u,
        1 => (u * 30.0).floor(),
        2 => (3.1 * (u - 0.5)).tan(),
        3 => (u * 4.0).floor() + 0.05 * (u * 4.0).fract().powi(3),
        _ => (20.0 * u).exp(),
    }
}

#[test]
fn a_watcher_stops_the_fit() {
    let x: Vec<f64> = (0..10_000).map(random).collect();
    let sample = Sample::new(&x).unwrap();
    let mut calls = 0;
    let mut monitor = Monitor::new(|progress: &Progress| {
        calls += 1;
        let Progress::Search { cost, lower_bound } = *progress else { return ControlFlow::Continue(()) };
        assert!(cost.is_none_or(|cost| lower_bound <= cost));
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(solve(&sample, 5, &mut monitor).unwrap_err(), KMeansError::Interrupted);
    drop(monitor);
    assert_eq!(calls, 2);
}
