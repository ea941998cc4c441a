//! The work of many small fits of k-means, each drawn at random, and how far their bounds are from their costs.

use super::sample as drawn;
use super::{assert_within, counted};
use crate::dice::Dice;
use crate::monitor::CHECKED;
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

/// Units of work, reports, and the distance of the bound from the cost in millionths of it, of two dozen fits; and the
/// bytes that they checked.
fn work(family: Family) -> (Vec<u64>, u64) {
    let (work, bytes): (Vec<[u64; 3]>, Vec<u64>) = (1..=24).map(|seed| problem(family, seed)).unzip();
    (work.concat(), bytes.iter().sum())
}

fn problem(family: Family, seed: u64) -> ([u64; 3], u64) {
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
    let ((fit, bytes), [work, reports]) = counted(|| {
        CHECKED.set(0);
        (kmeans.fit(&sample), CHECKED.get())
    });
    let apart = fit.map_or(0.0, |fit| (fit.inertia() - fit.lower_bound()) / fit.inertia().max(f64::MIN_POSITIVE));
    ([work, reports, (1e6 * apart).ceil() as u64], bytes)
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

/// A check of less memory than a table takes does not protect from an abort, and one of more refuses what would fit.
const BYTES: [u64; 7] = [223488, 8195696, 1730976, 8559851, 77883296, 211440696, 181957008];

#[test]
fn random_problems() {
    let (counted, bytes): (Vec<Vec<u64>>, Vec<u64>) = FAMILIES.into_iter().map(work).unzip();
    assert_within::<7>(
        counted.try_into().unwrap(),
        [
            &[
                224, 6, 0, 1477, 21, 0, 154, 6, 0, 1199, 15, 0, 12671, 21, 0, 298, 6, 0, 242, 9, 0, 0, 0, 0, 146, 6, 0,
                2318, 15, 0, 6715, 12, 0, 262, 6, 0, 210, 15, 0, 651, 9, 0, 148, 6, 0, 0, 0, 0, 5207, 6, 0, 262, 6, 0,
                1350, 6, 0, 308, 6, 0, 138, 6, 0, 1080, 12, 0, 4309, 6, 0, 0, 0, 0,
            ],
            &[
                48722, 8, 1, 111426, 31, 1, 18502, 8, 1, 1199, 20, 0, 200645, 40, 1, 97852, 8, 1, 242, 12, 0, 0, 0, 0,
                871, 0, 0, 83861, 23, 1, 1120864, 31, 1, 25336, 8, 1, 356, 0, 0, 651, 12, 0, 6214, 8, 1, 4544, 0, 0,
                506174, 23, 1, 14572, 8, 1, 34041, 14, 1, 308, 8, 0, 1188, 8, 1, 4601, 0, 0, 37137, 11, 1, 63516, 0, 1,
            ],
            &[
                2124, 0, 0, 19582, 3, 0, 1417, 0, 0, 382, 3, 0, 57793, 9, 0, 3404, 0, 0, 64, 0, 0, 410, 0, 0, 871, 0,
                0, 14358, 3, 0, 132738, 0, 0, 1748, 0, 0, 356, 0, 0, 406, 3, 0, 371, 0, 0, 4544, 0, 0, 7005, 3, 0, 920,
                0, 0, 8768, 0, 0, 4968, 3, 0, 52, 0, 0, 4601, 0, 0, 5040, 3, 0, 2124, 0, 0,
            ],
            &[
                67456, 10, 1, 111426, 39, 1, 18635, 10, 1, 4661, 25, 1, 851091, 57, 1, 144470, 10, 1, 242, 15, 0, 0, 0,
                0, 956, 0, 0, 125787, 29, 1, 1183868, 40, 1, 25336, 10, 1, 759, 0, 0, 651, 15, 0, 6612, 10, 1, 7399, 0,
                0, 576534, 36, 1, 17888, 10, 1, 41417, 18, 1, 308, 10, 0, 1216, 10, 1, 5104, 0, 0, 233973, 20, 1, 0, 0,
                0,
            ],
            &[
                931844, 10, 866968, 220670, 18, 1, 1761274, 14, 1000000, 114612, 20, 1, 415622, 50, 315324, 986417, 10,
                287498, 443239, 15, 312020, 239228, 18, 1, 572, 6, 0, 1364855, 24, 792383, 1727053, 19, 940590, 79680,
                10, 121200, 430, 6, 0, 5838, 10, 1, 397748, 20, 238388, 851, 6, 0, 90655, 20, 3932, 29570, 10, 1,
                202586, 10, 233, 998022, 10, 304821, 340998, 15, 343338, 84, 0, 0, 39378, 15, 69910, 526096, 30,
                278994,
            ],
            &[
                22033, 26, 1, 16868881, 94, 1, 31977133, 116, 1, 24442, 40, 1, 42557, 22, 1, 23041, 46, 1, 15936, 17,
                1, 845749, 32, 1, 132596, 47, 1, 2860181, 41, 1, 15426499, 64, 1, 39647, 36, 1, 27910, 44, 1, 8938, 27,
                1, 1271995, 21, 1, 34355, 39, 1, 23992, 18, 1, 30811, 25, 1, 11642123, 55, 1, 21792, 32, 1, 20585, 18,
                1, 12078, 38, 1, 1756266, 46, 1, 4407574, 34, 1,
            ],
            &[
                1535902, 58, 0, 805927, 15, 0, 2755097, 49, 0, 59456, 0, 0, 4921482, 65, 0, 6475963, 80, 0, 288955, 15,
                0, 67904, 0, 0, 1003487, 0, 0, 184682, 6, 0, 3193094, 21, 0, 126110, 3, 0, 135806, 3, 0, 354395, 15, 0,
                1226725, 18, 0, 80576, 0, 0, 76352, 0, 0, 1080925, 18, 0, 3028245, 24, 0, 72128, 0, 0, 187335, 12, 0,
                330588, 15, 0, 1409589, 21, 0, 526729, 35, 0,
            ],
        ],
    );
    let near = |(counted, listed): (&u64, &u64)| counted.abs_diff(*listed) <= listed / 100;
    assert!(bytes.iter().zip(&BYTES).all(near), "{bytes:?}");
}
