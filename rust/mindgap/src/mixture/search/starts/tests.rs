use super::*;
use crate::data::sample::Sample;
use crate::mixture::observed::Observed;

/// The cost of a run of cells, by its definition.
fn slow(cells: &Cells, from: usize, to: usize, cost: RunCost) -> f64 {
    let run = || cells.positions[from..to].iter().zip(&cells.weights[from..to]);
    let n: f64 = run().map(|(_, w)| w).sum();
    let mean = run().map(|(x, w)| w * x).sum::<f64>() / n;
    let s: f64 = run().map(|(x, w)| w * (x - mean) * (x - mean)).sum();
    match cost {
        RunCost::Squares => s,
        RunCost::Raised(floor) => 0.5 * n * (s / n + floor).ln() - n * n.ln(),
        RunCost::Within(least, most) => {
            let v = (s / n).clamp(least, most);
            0.5 * (n * v.ln() + s / v) - n * n.ln()
        }
    }
}

#[test]
fn partitions_cost_least() {
    for case in 0..20_u32 {
        // Some values twice: cells of different weights.
        let x: Vec<f64> = (0..19).map(|i| f64::from((i * (i + case) * 7) % 31) * 0.3).collect();
        let sample = Sample::new(&x).unwrap();
        let cells = Cells::of(&sample, 40, &Observed::default());
        let (prefix, n) = (cells.prefix(), cells.len());
        let runs = Arch::new().dispatch(FillRuns(&prefix, n));
        for cost in [RunCost::Squares, RunCost::Raised(0.02), RunCost::Within(0.01, 0.3)] {
            let found = partition(&cells, &prefix, &runs, 3, cost);
            let of =
                |a: usize, b: usize| slow(&cells, 0, a, cost) + slow(&cells, a, b, cost) + slow(&cells, b, n, cost);
            let pairs = (1..n - 1).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
            let best = pairs.min_by(|&(a, b), &(c, d)| of(a, b).total_cmp(&of(c, d))).unwrap();
            let cuts = [0, best.0, best.1, n];
            for m in 0..3 {
                let own = cells.positions[cuts[m]..cuts[m + 1]].iter().zip(&cells.weights[cuts[m]..cuts[m + 1]]);
                let (sum, weight) = own.fold((0.0, 0.0), |(sum, weight), (x, w)| (sum + w * x, weight + w));
                let mean = found.means()[m];
                assert!((mean - sum / weight).abs() < 1e-9, "case {case}: {mean} for {}", sum / weight);
            }
        }
    }
}

/// Cells of 23 points, some of them tied.
fn cells(case: u32) -> Cells {
    let x: Vec<f64> = (0..23).map(|i| f64::from((i * (i + case) * 7) % 31) * 0.3 + f64::from(i % 2)).collect();
    Cells::of(&Sample::new(&x).unwrap(), 40, &Observed::default())
}

/// What the points cost, each with the nearest centre.
fn cost(cells: &Cells, centers: &[f64]) -> f64 {
    let own = |x: f64| centers.iter().map(|center| (x - center) * (x - center)).fold(f64::INFINITY, f64::min);
    cells.positions.iter().zip(&cells.weights).map(|(&x, w)| w * own(x)).sum()
}

#[test]
fn no_centres_on_the_grid_that_hold_the_bounds_cost_less() {
    let bounds = [(0.0, f64::INFINITY), (4.0, f64::INFINITY), (0.0, 2.0), (3.0, 3.5), (14.0, f64::INFINITY)];
    for (case, (lower, upper)) in (0..8).flat_map(|case| bounds.map(|bounds| (case, bounds))) {
        let cells = cells(case);
        let shape =
            ProblemShape { k: 2, lower: vec![lower], upper: vec![upper], equal_spreads: false, variance_ratio: None };
        let found = free_centers(&cells, &cells.prefix(), &shape).unwrap();
        let [low, high] = cells.ends();
        let over = (lower - (high - low)).max(0.0);
        let step = (high - low + 2.0 * over) / GRID as f64;
        let at = |i: usize| low - over + step * (i as f64 + 0.5);
        let holds = |gap: f64| (lower - 0.51 * step..=upper + 0.51 * step).contains(&gap);
        let inner = |gap: f64| (lower - 0.49 * step..=upper + 0.49 * step).contains(&gap);
        assert!(holds(found[1] - found[0]) && found[1] > found[0], "case {case} {lower} {upper}: {found:?}");
        let pairs = (0..GRID).flat_map(|i| (i + 1..GRID).map(move |j| [at(i), at(j)]));
        let best = pairs.filter(|pair| inner(pair[1] - pair[0])).map(|pair| cost(&cells, &pair));
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(cost(&cells, &found) <= best * (1.0 + 1e-9), "case {case} {lower} {upper}: {found:?} for {best}");
    }
}

#[test]
fn clusters_are_those_of_the_nearest_points() {
    for case in 0..20 {
        let cells = cells(case);
        let [low, high] = cells.ends();
        let centers: Vec<f64> = [0.2, 0.45, 0.9].map(|share| low + share * (high - low)).into();
        let found = nearest(&cells, &cells.prefix(), centers.clone());
        assert_eq!(found.means(), centers);
        let mut sums = [[0.0; 2]; 3];
        for (&x, w) in cells.positions.iter().zip(&cells.weights) {
            let off = |c: &usize| (x - centers[*c]).abs();
            let own = (0..3).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
            sums[own][0] += w;
            sums[own][1] += w * off(&own) * off(&own);
        }
        let average = sums.iter().map(|[_, squares]| squares).sum::<f64>() / cells.total;
        let least = LEAST_SHARE / 3.0;
        let total: f64 = sums.iter().map(|[weight, _]| (weight / cells.total).max(least)).sum();
        for (c, [weight, squares]) in sums.into_iter().enumerate() {
            let (share, variance) = (found.weights()[c], found.variances()[c]);
            assert!((share - (weight / cells.total).max(least) / total).abs() < 1e-12, "case {case}: {share}");
            let wanted = (squares + PRIOR_POINTS * average) / (weight + PRIOR_POINTS);
            assert!((variance - wanted).abs() < 1e-9 * wanted, "case {case}: {variance} for {wanted}");
        }
    }
}
