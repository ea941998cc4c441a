//! What a further centre saves, against the sum over all points.

use super::*;
use crate::kmeans::free::tests::random;

#[test]
fn savings_are_those_of_the_points_nearer_than_a_quarter_of_the_gap() {
    let mut random = random(6);
    for round in 0..300 {
        let mut mean = 0.0;
        let mut run = |j: usize| {
            mean += 0.2 * random();
            let spread = if round % 2 == 1 && random() < 0.3 { 1.0 } else { 0.0 };
            Run { points: j..j + 1, mean, weight: 0.5 + random(), cost: spread, spread }
        };
        let runs: Vec<Run> = (0..12).map(&mut run).collect();
        let savings = Savings::new(&runs);
        for b in 1..runs.len() {
            let gap = 3.0 * random();
            let saved = |j: usize, run: &Run| {
                let beside = j + 1 == b || j == b;
                let distance = if j < b { runs[b].mean - run.mean } else { run.mean - runs[b - 1].mean };
                let counts = distance < 0.25 * gap && !(beside && run.is_open());
                if counts { run.weight * gap * (0.25 * gap - distance) } else { 0.0 }
            };
            let expected: f64 = runs.iter().enumerate().map(|(j, run)| saved(j, run)).sum();
            let found = savings.at(b, gap);
            assert!(found <= expected && found >= expected - 1e-12, "{found}, not {expected}");
        }
    }
}
