//! Bounds on weights against mixtures whose weights are moved.

use super::super::node::{Context, LocalMaximum, Node};
use super::*;

/// A mixture in the region that is as likely as the threshold asks for has weights within their bounds, which are about
/// as narrow as the likelihood says.
#[test]
fn weights_of_likely_mixtures_are_within_their_bounds() {
    let (mut bounded, mut inside) = (0, 0);
    for seed in 0..60 {
        let (case, mut random) = Case::random(seed);
        let k = case.constraints.lower.len() + 1;
        let (value, best) = case.climb(&case.draw(&mut random), &mut random);
        let gaps: Vec<f64> = case.constraints.lower.iter().map(|&lower| if lower > 0.0 { 2.0 } else { 0.0 }).collect();
        let Some(multipliers) = Multipliers::new(&case.constraints, &gaps, &vec![0.0; k]) else { continue };
        let known = [LocalMaximum { parameters: best.clone(), multipliers, log_likelihood: value }];
        let narrow = 1e-3;
        let cell = |c: usize| {
            let (mean, variance) = (best.means()[c], best.variances()[c]);
            let off = narrow * variance.sqrt();
            Cell {
                low: mean - off,
                high: mean + off,
                least: variance * (1.0 - narrow),
                most: variance * (1.0 + narrow),
            }
        };
        let region: Vec<Cell> = (0..k).map(cell).collect();
        let atom = |group: usize| MixingAtom {
            mean: best.means()[group],
            variance: best.variances()[group],
            weight: best.weights()[group],
            group,
        };
        let points = [Points::new(&case.values, &case.weights)];
        let room = 0.2 + 2.0 * random.next();
        let context = Context {
            points: &points,
            constraints: &case.constraints,
            maxima: &known,
            threshold: value - room,
            epsilon: 0.1,
            stop: &StopFlag::default(),
        };
        let node = Node::root(0, region, (0..k).map(atom).collect());
        // What was shown of likelier mixtures only does not count.
        let stale = Node { ranges: vec![[0.9, 1.0]; k], ranged_for: context.threshold + 1.0, ..node.clone() };
        let ranges = context.examine(node, &mut Workspace::default()).node.ranges;
        assert_eq!(context.examine(stale, &mut Workspace::default()).node.ranges, ranges, "seed {seed}");
        let mut seen = vec![[1.0_f64, 0.0_f64]; k];
        for _ in 0..2000 {
            let size = 10_f64.powf(-2.0 * random.next());
            let moved: Vec<f64> = best.weights().iter().map(|weight| weight * (size * random.normal()).exp()).collect();
            let sum: f64 = moved.iter().sum();
            let weights: Vec<f64> = moved.iter().map(|weight| weight / sum).collect();
            let mixture = Parameters::sound(weights.clone(), best.means().to_vec(), best.variances().to_vec());
            if case.log_likelihood(&mixture) < context.threshold {
                continue;
            }
            inside += 1;
            for (c, &weight) in weights.iter().enumerate() {
                let [least, most] = ranges[c];
                assert!(least <= weight && weight <= most, "seed {seed}: {weight} is outside of {least} to {most}");
                seen[c] = [seen[c][0].min(weight), seen[c][1].max(weight)];
            }
        }
        for (range, seen) in ranges.iter().zip(&seen) {
            bounded += usize::from(*range != [0.0, 1.0]);
            if *range != [0.0, 1.0] && seen[0] > 0.1 && seen[1] < 0.9 {
                let wide = 3.0 * (seen[1] - seen[0]) + 0.02;
                assert!(range[1] - range[0] <= wide, "seed {seed}: {range:?} where weights are in {seen:?}");
            }
        }
    }
    assert!(bounded > 20 && inside > 5000, "{bounded} bounded, {inside} likely");
}
