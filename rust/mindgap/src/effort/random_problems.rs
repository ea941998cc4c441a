//! The work of many small fits of k-means, each drawn at random, and how far their bounds are from their costs.

use super::sample as drawn;
use super::{Effort, add, assert_within, counted};
use crate::dice::Dice;
use crate::{Centers, GapBounds, KMeans, Sample, Summary};

/// What is fitted.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    Unconstrained,
    Free,
    Means,
    Sized,
    /// Cells of a summary in place of points.
    Cells,
    /// Free centres of dozens of clusters.
    ManyFree,
    /// Means of dozens of clusters.
    ManyMeans,
}

/// Units of work, reports, and the distance of the bound from the cost in millionths of it, of two dozen fits.
fn work(family: Family) -> Effort {
    let mut total = [0; 3];
    (1..=24).for_each(|seed| add(&mut total, problem(family, seed)));
    total
}

fn problem(family: Family, seed: u64) -> Effort {
    let mut dice = Dice(seed * 0x9e37_79b9);
    let many = matches!(family, Family::ManyFree | Family::ManyMeans);
    let (n, k) = match many {
        true => (300 + dice.below(400), 15 + dice.below(25)),
        false => (10 + dice.below([20, 90, 500][seed as usize % 3]), 2 + dice.below(6)),
    };
    let sample = match (family, seed % 8) {
        (Family::Cells, _) => in_cells(&drawn(seed % 6, n, seed)),
        // No cluster costs anything.
        (_, 0) if !many => Sample::new(&(0..n).map(|i| (i % k * (i % k)) as f64).collect::<Vec<_>>()).unwrap(),
        _ => drawn(seed % if many { 4 } else { 6 }, n, seed),
    };
    let gap = (sample.values()[sample.len() - 1] - sample.values()[0]) / k as f64;
    let mut kmeans = KMeans::new(k).constraint(bounds(family, gap, k, &mut dice));
    let means = match family {
        Family::Means | Family::ManyMeans => true,
        Family::ManyFree => false,
        _ => dice.unit() < 0.3,
    };
    kmeans = kmeans.centers(if means { Centers::Means } else { Centers::Free });
    if family == Family::Sized {
        let even = sample.total_weight() / k as f64;
        kmeans = kmeans.min_size(even * dice.unit()).max_size(even * (1.0 + dice.unit()));
    }
    let (fit, [work, reports]) = counted(|| kmeans.fit(&sample));
    let apart = fit.map_or(0.0, |fit| (fit.inertia() - fit.lower_bound()) / fit.inertia().max(f64::MIN_POSITIVE));
    [work, reports, (1e6 * apart).ceil() as u64]
}

fn bounds(family: Family, gap: f64, k: usize, dice: &mut Dice) -> GapBounds {
    let mut one = || gap * dice.unit();
    let (a, b) = (one(), one());
    let each: Vec<f64> = (1..k).map(|_| one()).collect();
    let wider = each.iter().map(|lower| lower + b).collect::<Vec<_>>();
    match (family, dice.below(5)) {
        (Family::Unconstrained, _) => GapBounds::lower(0.0),
        (_, 0) => GapBounds::lower(2.0 * a),
        (_, 1) => GapBounds::between(a, a + 0.3 * b).unwrap(),
        (_, 2) => GapBounds::between(0.0, a).unwrap(),
        (_, 3) => GapBounds::per_gap(&each, &vec![f64::INFINITY; k - 1]).unwrap(),
        _ => GapBounds::per_gap(&each, &wider).unwrap(),
    }
}

fn in_cells(sample: &Sample) -> Sample {
    let mut summary = Summary::with_cells(sample.len().div_ceil(2).max(8));
    summary.add(sample.values()).unwrap();
    summary.sample().unwrap()
}

const FAMILIES: [Family; 7] = [
    Family::Unconstrained,
    Family::Free,
    Family::Means,
    Family::Sized,
    Family::Cells,
    Family::ManyFree,
    Family::ManyMeans,
];

#[test]
fn random_problems() {
    assert_within(
        FAMILIES.map(work),
        [
            [39369, 201, 0],
            [2382822, 356, 15],
            [274046, 30, 0],
            [3425789, 374, 15],
            [10917322, 432, 5875604],
            [87839891, 1251, 24],
            [29927452, 473, 0],
        ],
    );
}
