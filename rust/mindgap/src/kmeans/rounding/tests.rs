use super::*;
use crate::data::sample::Prefixes;
use crate::numeric::double::Double;

/// Sums in pairs of doubles lose less than the allowance for them.
#[test]
fn what_prefix_sums_lose_is_allowed_for() {
    let weighted = |n: usize, weight: f64| {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.618_033_988_7).fract()).collect();
        Sample::weighted(&x, &vec![weight; n]).unwrap()
    };
    let thousand = Sample::new(&(0..1000).map(f64::from).collect::<Vec<_>>()).unwrap();
    let unit = (f64::EPSILON * thousand.framed(0)).powi(2);
    assert_eq!(of_prefix_sums(&thousand, 3), (1000.0 * (500.0 + 99.0) + 288.0 * 8.0) * unit);
    assert_eq!(of_prefix_sums(&weighted(1000, 4.0), 3), 4.0 * of_prefix_sums(&weighted(1000, 1.0), 3));
    assert_eq!(zero_cost(&weighted(50, 2.0)), 1e-28 * 100.0);
    let sample = weighted(4000, 3.0);
    let prefixes = Prefixes::new(&sample);
    for end in [2, 9, 500, 4000] {
        // The cost about the middle of the frame, term by term in pairs of doubles; about a mean it differs by rounding
        // only.
        let square = (0..end).fold(Double::ZERO, |sum, i| sum + sample.framed_exactly(i).squared().times(3.0));
        let lost = (prefixes.at(0).cost_about(&prefixes.at(end), 0.0) - square.whole()).abs();
        assert!(lost <= of_prefix_sums(&sample, 1) + f64::EPSILON * square.whole(), "{end}: {lost}");
    }
}

/// An allowance is as many roundings as docs/mathematics.md counts, of the numbers at hand, whatever their unit.
#[test]
fn allowances_are_roundings_of_the_size_at_hand() {
    type Allowance = fn(f64) -> f64;
    let allowances: [(Allowance, f64); 9] = [
        (of_moments, 32.0),
        (of_squares, 48.0),
        (of_curve, 8.0),
        (of_addition, 1.0),
        (of_rough_costs, 32.0),
        (of_place, 8.0),
        (|size| of_difference(size, -size), 2.0 * 4.0),
        (|size| of_sum(3, size), 3.0 * 16.0),
        (|size| of_path(3, size, 0.0, 1.0), 3.0 * 16.0),
    ];
    for (of, roundings) in allowances {
        assert_eq!(of(1.0), roundings * f64::EPSILON);
        for size in [1e-30, 1e-3, 8.0, 1e30] {
            assert!((of(size) / size / of(1.0) - 1.0).abs() < 1e-15);
        }
    }
    assert_eq!(of_sum(6, 1.0), 2.0 * of_sum(3, 1.0));
    let (near, far) = (of_path(3, 0.0, 1.0, 1.0), of_path(3, 0.0, 1.0, 4.0));
    assert_eq!((near, far), (30.0 * (of_place(1.0) + 1.5 * f64::EPSILON).powi(2), 16.0 * near));
}

/// The error of a run's cost is in units of the squares in its sums: each value is moved by the mean.
#[test]
fn a_run_is_known_to_the_last_bits_of_its_sums() {
    let sample = Sample::weighted(&[-1.0, -0.5, 0.25, 1.0], &[4.0; 4]).unwrap();
    let end = Prefixes::new(&sample).at(4);
    let (square, weight) = (end.square.value(), 16.0);
    assert!((square - 4.0 * (0..4).map(|i| sample.framed(i).powi(2)).sum::<f64>()).abs() < 1e-12);
    for mean in [-0.5_f64, 0.0, 0.75] {
        let size = square + 2.0 * mean.abs() * (square * weight).sqrt() + mean * mean * weight;
        let expected = 129.0 * f64::EPSILON * f64::EPSILON * size;
        assert!((of_run(&end, mean) / expected - 1.0).abs() < 1e-12);
    }
}
