//! What a problem says of its centres and its costs.

use super::super::grid::PointMoments;
use super::*;

/// A cell of centres counts if it comes within half its radius of the places where the centre may be.
#[test]
fn cells_beside_the_reach_of_a_centre_are_kept() {
    let sample = Sample::new(&[0.0, 0.1, 0.5, 1.0]).unwrap();
    let prefixes = Prefixes::new(&sample);
    let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![0.2, 0.3], vec![f64::INFINITY; 2]));
    for (k, &(from, to)) in problem.reach.iter().enumerate() {
        for radius in [1e-6, 0.1, 3.0] {
            for (off, kept) in [(1.49, true), (1.51, false), (0.5, true), (-0.5, true)] {
                assert_eq!(problem.in_reach(k, from - off * radius, radius), kept || off < 0.0, "{k} {radius} {off}");
                assert_eq!(problem.in_reach(k, to + off * radius, radius), kept || off < 0.0, "{k} {radius} {off}");
            }
            assert!(problem.in_reach(k, 0.5 * (from + to), radius));
        }
    }
    assert!(problem.reach.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
}

/// Costs are at most the weight times the square of the distance that all lower bounds may push a centre.
#[test]
fn bounds_under_which_costs_overflow_are_refused() {
    for weight in [2.0, 1e60, 1e-20, 1e-6] {
        let refused = |length: f64| {
            let sample = Sample::weighted(&[-1.0, 1.0], &[0.5 * weight; 2]).unwrap();
            let prefixes = Prefixes::new(&sample);
            let scale = prefixes.sample().frame().leave_length(1.0);
            let rows = Rows::of_gaps(vec![length * scale], vec![f64::INFINITY]);
            Problem::new(&prefixes, &rows).check_cost().is_err()
        };
        let most: f64 = (LARGEST_COST / weight).sqrt();
        assert!(!refused(0.99 * most) && refused(1.01 * most), "{weight}");
    }
}

#[test]
fn moments_are_sums_over_points() {
    let mut random = random(67);
    for _ in 0..50 {
        let points: Vec<(f64, f64)> = (0..6).map(|_| (2.0 * random() - 1.0, 0.1 + random())).collect();
        let sums = |points: &[(f64, f64)], by: f64| {
            [0, 1, 2].map(|power| points.iter().map(|(z, w)| w * (z - by).powi(power)).sum::<f64>())
        };
        let same = |moments: PointMoments, expected: [f64; 3]| {
            let found = [moments.weight, moments.first, moments.second];
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} is not {expected:?}");
        };
        let of = |points: &[(f64, f64)]| {
            points.iter().map(|&(z, w)| PointMoments::of_point(z, w)).reduce(|a, b| a.with(&b)).unwrap()
        };
        let (all, some, by) = (of(&points), of(&points[..2]), random());
        same(all, sums(&points, 0.0));
        same(all.without(&some), sums(&points[2..], 0.0));
        same(all.about(by), sums(&points, by));
        let scale: f64 = points.iter().map(|(z, w)| w * (z * z + by * by)).sum();
        assert!((all.scale(by) - scale).abs() < 1e-12);
    }
}
