//! What a bound may be too low by in data units.

use super::*;

/// Calls `test` with the task of some points of one weight.
fn with_task(values: &[f64], weight: f64, test: impl FnOnce(&Task<'_>)) {
    test(&Task {
        points: vec![Points::new(values, &vec![weight; values.len()])],
        constraints: Constraints { lower: Vec::new(), upper: Vec::new(), ratio: 1.0, least: 0.0 },
        kmeans_cost: 0.0,
        epsilons: &[],
        first_try: 0,
        record: false,
        stop: StopFlag::default(),
        climb: &|_| None,
    });
}

/// Rounded values are off by half a last place: so far does the likelihood of a component that is as far and as narrow
/// as a root allows change, and little more is allowed for.
#[test]
fn values_that_were_rounded_are_allowed_for() {
    for (shift, weight) in [(0.0, 1.0), (3.0, 1.0), (-1e6, 20.0)] {
        let values: Vec<f64> = (0..12).map(|i| shift + f64::from(i) / 16.0).collect();
        let (first, last) = (values[0], values[11]);
        let root = [
            Cell { low: first - 0.5, high: last, least: 0.02, most: 1.0 },
            Cell { low: first, high: last + 0.25, least: 0.01, most: 2.0 },
        ];
        with_task(&values, weight, |task| {
            let allowance = task.unit_allowance(&root, 0.0, 0.0, 0.0);
            let delta = f64::EPSILON * first.abs().max(last.abs());
            let log_density = |distance: f64| -0.5 * distance * distance / 0.01;
            let farthest = last - (first - 0.5);
            let total = 12.0 * weight;
            // In units of δ, so that the difference does not round.
            let step = 1e-6;
            let slope = (log_density(farthest) - log_density(farthest + step)) / step;
            // No log-density is above that at a component's mean.
            let of_weights = 16.0 * f64::EPSILON * total * (-0.5 * (TAU * 0.01).ln());
            let expected = total * slope * delta + of_weights;
            assert!((0.9999 * expected..1.01 * expected).contains(&allowance), "{allowance} {expected}");
        });
    }
}

/// Sums of weights and of logarithms of units have a rounding for each term.
#[test]
fn roundings_of_sums_are_allowed_for() {
    with_task(&[0.0, 0.5, 1.0], 1.0, |task| {
        let root = [Cell { low: 0.0, high: 1.0, least: 10.0, most: 20.0 }];
        let more = |bound: f64, units: f64, summed: f64| {
            let known = task.unit_allowance(&root, 0.0, 0.0, 0.0);
            (task.unit_allowance(&root, bound, units, summed) - known) / f64::EPSILON
        };
        for (found, expected) in [
            (more(1e6, 0.0, 5.0), 8e6),
            (more(-1e6, 0.0, 5.0), 8e6),
            (more(0.0, 1e6, 5.0), 13e6),
            (more(0.0, -1e6, 0.0), 8e6),
            (more(1e6, 1e6, 100.0), 116e6),
        ] {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
        }
    });
}
