//! Cells, and the root: what they hold and what they leave out.

use super::*;

/// One cell contains another if it does on all four sides.
#[test]
fn a_cell_contains_what_lies_between_all_its_sides() {
    let cell = Cell { low: 1.0, high: 2.0, least: 3.0, most: 5.0 };
    assert!(cell.contains(&cell) && cell.holds(1.0, 3.0) && cell.holds(2.0, 5.0));
    for (low, high, least, most) in
        [(0.9, 2.0, 3.0, 5.0), (1.0, 2.1, 3.0, 5.0), (1.0, 2.0, 2.9, 5.0), (1.0, 2.0, 3.0, 5.1)]
    {
        let other = Cell { low, high, least, most };
        assert!(other.contains(&cell) && !cell.contains(&other), "{other:?}");
    }
    for (mean, variance) in [(0.9, 4.0), (2.1, 4.0), (1.5, 2.9), (1.5, 5.1)] {
        assert!(!cell.holds(mean, variance), "{mean} {variance}");
    }
    let within = cell.within(1.5, 1.75);
    assert_eq!((within.low, within.high, within.least, within.most), (1.5, 1.75, 3.0, 5.0));
    // Beside the data the side next to them is left.
    let (before, after) = (cell.within(4.0, 5.0), cell.within(-1.0, 0.0));
    assert_eq!((before.low, before.high, after.low, after.high), (2.0, 2.0, 1.0, 1.0));
}

/// Narrower than the root a mixture is less likely than the one that is known: the root's least variance is where
/// -N/2·ln(2πv) - cost/(2·ratio·v) first comes up to it.
#[test]
fn the_root_leaves_out_variances_that_are_too_small_and_no_others() {
    let mut below = 0;
    for seed in 1..60 {
        let (case, mut random) = Case::random(seed);
        let (total, cost, ratio): (f64, f64, f64) =
            (case.weights.iter().sum(), case.kmeans_cost(), case.constraints.ratio);
        if cost < 1e-6 {
            continue;
        }
        let shown = case.certify(&case.climb(&case.draw(&mut random), &mut random).1, 1.0, 0);
        let least = shown.root.iter().map(|cell| cell.least).fold(f64::INFINITY, f64::min);
        let ceiling = |v: f64| -0.5 * total * (std::f64::consts::TAU * v).ln() - cost / (2.0 * ratio * v);
        let peak = cost / (ratio * total);
        // The ceiling rises up to its peak.
        let expected = (0..60_000)
            .map(|i| peak * (-1e-3 * f64::from(i)).exp())
            .find(|&v| ceiling(v) <= shown.log_likelihood)
            .expect("small variances are unlikely");
        assert!((least / expected).ln().abs() < 2e-3, "seed {seed}: {least} is not {expected}");
        // Nodes may stand for points: N and the likelihood are right to 1e-9.
        if least < 0.99 * peak {
            let ln = (std::f64::consts::TAU * least).ln();
            let highest = ceiling(least) + 1e-9 * total * ln.abs();
            let known = shown.log_likelihood - 0.9e-9 * (total + shown.log_likelihood.abs());
            assert!(highest <= known, "seed {seed}: {highest} at {least} is above {known}");
        }
        below += usize::from(least < 0.99 * peak);
        for _ in 0..200 {
            let drawn = case.draw(&mut random);
            let narrow = drawn.variances().iter().any(|&variance| variance < least);
            assert!(!narrow || case.log_likelihood(&drawn) <= shown.log_likelihood, "seed {seed}");
        }
    }
    assert!(below > 20, "{below} roots are below the peak");
}

#[test]
fn propagation_loses_no_admissible_point() {
    for seed in 0..200 {
        let (case, mut random) = Case::random(seed);
        let points: Vec<Parameters> = (0..20).map(|_| case.draw(&mut random)).collect();
        let k = case.constraints.lower.len() + 1;
        let mut region: Vec<Cell> = (0..k)
            .map(|c| {
                let of = |values: &dyn Fn(&Parameters) -> f64| {
                    let all: Vec<f64> = points.iter().map(values).collect();
                    (
                        all.iter().copied().fold(f64::INFINITY, f64::min),
                        all.iter().copied().fold(0.0_f64.min(all[0]), f64::max),
                    )
                };
                let (low, high) = of(&|p| p.means()[c]);
                let (least, most) = of(&|p| p.variances()[c]);
                Cell { low, high, least, most }
            })
            .collect();
        assert!(case.constraints.propagate(&mut region));
        for point in &points {
            for c in 0..k {
                let slack = 1e-12 * case.range();
                let cell = region[c];
                let (mean, variance) = (point.means()[c], point.variances()[c]);
                assert!(cell.low - slack <= mean && mean <= cell.high + slack, "seed {seed}");
                assert!(cell.least * (1.0 - 1e-12) <= variance && variance <= cell.most * (1.0 + 1e-12), "seed {seed}");
            }
        }
    }
}

#[test]
fn the_root_holds_every_admissible_mixture_within_the_data() {
    let mut held = 0;
    for seed in 1..40 {
        let (case, mut random) = Case::random(seed);
        let known = case.draw(&mut random);
        let root = case.certify(&known, 1.0, 0).root;
        let within = case.values[0]..=case.values[case.values.len() - 1];
        for _ in 0..200 {
            let drawn = case.draw(&mut random);
            if drawn.means().iter().all(|mean| within.contains(mean)) {
                held += 1;
                let inside = |(mean, cell): (&f64, &Cell)| cell.low <= *mean && *mean <= cell.high;
                assert!(
                    drawn.means().iter().zip(&root).all(inside),
                    "seed {seed}: {:?} outside {root:?}",
                    drawn.means()
                );
            }
        }
    }
    assert!(held > 1000, "{held} drawn within the data");
}
