//! Sweeps against a program over all partitions of few points, which knows no pieces, strips or queues.

use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::kmeans::free::Problem;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::free::path::NO_LESS;
use crate::kmeans::free::tests::random;
use crate::monitor::Monitor;
use crate::partition::Partition;

/// The least penalised cost of all partitions into any number of runs, each with its best centres.
fn brute(prefixes: &Prefixes<'_>, bounds: (f64, f64), penalty: f64) -> f64 {
    let n = prefixes.len();
    let mut least = f64::INFINITY;
    for cuts in 0..1u32 << (n - 1) {
        let ends: Vec<usize> = (1..n).filter(|end| cuts & (1 << (end - 1)) != 0).chain([n]).collect();
        let gaps = ends.len() - 1;
        let frame = prefixes.sample().frame();
        let [lower, upper] = [bounds.0, bounds.1].map(|bound| vec![frame.leave_length(bound); gaps]);
        let problem = Problem::new(prefixes, &Rows::of_gaps(lower, upper));
        let cost = FreeSolution::of_partition(&problem, Partition::new(ends)).cost;
        least = least.min(cost + penalty * (gaps + 1) as f64);
    }
    least
}

/// Points in [0, 1] of which no two neighbours are farther apart than `most`.
fn points(random: &mut impl FnMut() -> f64, n: usize, most: f64) -> Vec<f64> {
    let mut at = 0.0;
    let step = |_| {
        // Some steps are equal.
        let step = random().powi(2);
        at += most * if random() < 0.3 { (4.0 * step).ceil() / 4.0 } else { step };
        at
    };
    (0..n).map(step).collect()
}

fn check(rounds: usize, n: usize, seed: u64) {
    let mut random = random(seed);
    for round in 0..rounds {
        let x = points(&mut random, n, 1.0);
        let w: Vec<f64> = (0..n).map(|_| if round % 2 == 0 { 1.0 } else { 0.1 + 3.0 * random() }).collect();
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let nodes = PathNodes::all(&prefixes, true);
        let lower = 0.6 * random();
        let upper = if round % 3 > 0 { lower + 0.6 * random().powi(2) } else { f64::INFINITY };
        let rewarded = random() < 0.4;
        let penalty = 2.0 * random().powi(3) * if rewarded && random() < 0.8 { -1.0 } else { 1.0 };
        // Far enough out for as many centres as there are points.
        let reach = lower * n as f64;
        let domain = (nodes.x[0] - reach, nodes.x[nodes.len() - 1] + reach);
        let truth = brute(&prefixes, (lower, upper), penalty);
        // Paths that cost more than the optimum may be given up, early or never.
        let pruned = upper < f64::INFINITY && !rewarded && round % 5 > 1;
        let unbounded = if pruned { nodes.rest_costs(&prefixes, penalty) } else { [Vec::new(), Vec::new()] };
        let enough = if pruned { truth + truth.abs() * NO_LESS } else { f64::INFINITY };
        let unbounded = unbounded.each_ref().map(Vec::as_slice);
        let sweep = Sweep { nodes: &nodes, lower, upper, penalty, domain, enough, unbounded, rewarded, windows: &[] };
        let found = sweep.run(&mut Budget::new(u64::MAX, Monitor::default())).unwrap();
        let facts = format!("lower {lower} upper {upper} penalty {penalty} x {x:?} w {w:?}");
        assert!(
            (found.value - truth).abs() <= 1e-12 * truth.abs() + found.rounding,
            "{} not {truth}: {facts}",
            found.value
        );
        assert_eq!(found.starts[0], 0, "{facts}");
    }
}

#[test]
fn a_sweep_finds_the_best_of_all_partitions() {
    check(300, 9, 1);
}

#[test]
#[ignore = "slow"]
fn a_sweep_finds_the_best_of_all_partitions_of_more_points() {
    check(20_000, 8, 2);
    check(600, 14, 3);
}

#[test]
fn the_costs_before_nodes_are_those_of_the_best_partitions() {
    let mut random = random(4);
    for round in 0..200 {
        let x = points(&mut random, 10, 1.0);
        let w: Vec<f64> = (0..10).map(|_| if round % 2 == 0 { 1.0 } else { 0.1 + 3.0 * random() }).collect();
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let nodes = PathNodes::all(&prefixes, true);
        let lower = 0.6 * random();
        let mut budget = Budget::new(u64::MAX, Monitor::default());
        let costs = Sweep::of_any_number(&nodes, lower).costs_before(&mut budget).unwrap();
        let facts = format!("lower {lower} x {x:?} w {w:?}");
        let close = |one: f64, other: f64| (one - other).abs() <= 1e-12 * (1.0 + other);
        for (end, &cost) in costs.iter().enumerate().skip(1) {
            let part = nodes.part(0..end);
            let own = Sweep::of_any_number(&part, lower).run(&mut budget).unwrap().value;
            assert!(close(cost, own), "{cost} is not {own} before {end}: {facts}");
        }
        let (all, truth) = (
            Sweep::of_any_number(&nodes, lower).run(&mut budget).unwrap().value,
            brute(&prefixes, (lower, f64::INFINITY), 0.0),
        );
        assert!(close(all, truth), "{all} is not {truth}: {facts}");
        let (from, to) = (3, 8);
        let part = Sweep::of_any_number(&nodes.part(from..to), lower).run(&mut budget).unwrap().value;
        assert!(part + costs[from] <= all + 1e-12, "{part} and {} exceed {all}: {facts}", costs[from]);
    }
}
