//! The search for a penalty against the exact finish on the whole problem, which knows no penalty.

use super::super::tests::{random, whole};
use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::monitor::Monitor;

/// Whether the floor proves the best, and whether the best is the optimum. Nothing may be on the wrong side of the truth.
fn judge(x: &[f64], w: &[f64], k: usize, (lower, upper): (f64, f64)) -> (bool, bool) {
    let sample = Sample::weighted(x, w).unwrap();
    let prefixes = Prefixes::new(&sample);
    let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]));
    let truth = whole(&problem);
    let mut budget = Budget::new(u64::MAX, Monitor::default());
    let (best, floor) = solve(&problem, FreeSolution::even(&problem), &mut budget).unwrap();
    let facts = || format!("k {k} lower {lower} upper {upper} x {x:?} w {w:?}");
    assert!(floor <= truth * (1.0 + 1e-9) + 1e-24, "{floor} is above {truth}: {}", facts());
    assert!(best.cost >= truth * (1.0 - 1e-9) - 1e-24, "{} is below {truth}: {}", best.cost, facts());
    (floor >= best.cost * (1.0 - 1e-9) - 1e-24, best.cost <= truth * (1.0 + 1e-9) + 1e-24)
}

fn points(random: &mut impl FnMut() -> f64, n: usize, kind: usize) -> (Vec<f64>, Vec<f64>) {
    let x = (0..n)
        .map(|_| match kind % 7 {
            0 => random(),
            1 => (8.0 * random()).floor() / 8.0,
            2 => random().powi(5),
            3 => (0..4).map(|_| random()).sum(),
            4 => random() * 0.2 + (3.0 * random()).floor() * 0.4,
            5 => 10_f64.powf(-4.0 * random()),
            _ => (3.0 * random()).floor() * 0.4 + 1e-3 * (4.0 * random()).floor() + 1e-5 * random(),
        })
        .collect();
    let w = (0..n)
        .map(|_| match kind % 4 {
            0 | 2 => 1.0,
            1 => 0.2 + 2.0 * random(),
            _ => 10_f64.powf(4.0 * random()),
        })
        .collect();
    (x, w)
}

fn tally(rounds: usize, sizes: (usize, usize), clusters: usize, seed: u64) -> (usize, usize, usize) {
    let mut random = random(seed);
    let (mut proven, mut optimal) = (0, 0);
    for round in 0..rounds {
        let n = sizes.0 + ((sizes.1 - sizes.0) as f64 * random()) as usize;
        let k = 2 + (clusters as f64 * random()) as usize % (n / 2);
        let (x, w) = points(&mut random, n, round);
        let lower = 1.2 * random() / k as f64;
        let upper = if round.is_multiple_of(3) { lower * (1.0 + 2.0 * random()) } else { f64::INFINITY };
        let judged = judge(&x, &w, k, (lower, upper));
        proven += usize::from(judged.0);
        optimal += usize::from(judged.1);
    }
    (proven, optimal, rounds)
}

#[test]
fn few_points_are_proven() {
    let (proven, _, rounds) = tally(1500, (6, 26), 5, 1);
    assert!(2 * proven > rounds, "{proven} of {rounds} proven");
}

#[test]
fn more_points_are_proven() {
    let (proven, optimal, rounds) = tally(100, (60, 250), 4, 2);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
}

#[test]
#[ignore = "slow"]
fn nothing_is_proven_wrongly_in_twenty_thousand_problems() {
    let (proven, optimal, rounds) = tally(17_000, (4, 24), 10, 3);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
    let (proven, optimal, rounds) = tally(300, (60, 250), 4, 2);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
    let (proven, optimal, rounds) = tally(3_000, (40, 160), 8, 4);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
}
