//! The rows as solvers see them, against what the caller asked for.

use super::*;

#[test]
fn a_row_is_missed_by_what_is_lacking_at_the_side_that_lacks_it() {
    let rows = RowMatrix::plain(2, [(vec![-2.0, 2.0], 1.0, 3.0), (vec![1.0, 1.0], 2.0, 2.0)]);
    // Scaled: the largest coefficient is one.
    assert_eq!((rows.row(0), rows.bounds(0)), (&[-1.0, 1.0][..], (0.5, 1.5)));
    assert_eq!((rows.gap(0), rows.gap(1), rows.given(), rows.len()), (Some(0), None, 2, 2));
    assert_eq!(rows.value(0, &[0.25, 1.0]), 0.75);
    assert!(rows.is_equality(1) && !rows.is_equality(0));
    let missed = |row, means: &[f64]| rows.is_missed(row, means, 0.0);
    assert!(!missed(0, &[0.0, 0.5]) && !missed(0, &[0.0, 1.5]) && !missed(0, &[0.5, 1.5]));
    assert!(missed(0, &[0.0, 0.5 - 1e-9]) && missed(0, &[0.0, 1.5 + 1e-9]));
    assert!(missed(1, &[1.0, 1.0 + 1e-9]) && missed(1, &[1.0, 1.0 - 1e-9]) && !missed(1, &[0.5, 1.5]));
    // A rounding of large targets is no miss, and one of large means is not either.
    assert!(!rows.is_missed(0, &[0.0, 0.5 - 1e-9], 1e6) && !missed(0, &[1e6, 1e6 + 0.5 - 1e-9]));
    let worst = |means: &[f64]| rows.worst_miss(means, 0.0).map(|bound| (bound.row, bound.side));
    assert_eq!(worst(&[0.0, 0.4]), Some((1, Side::Both)));
    assert_eq!(worst(&[1.0, 1.2]), Some((0, Side::Lower)));
    assert_eq!(worst(&[-1.0, 2.5]), Some((0, Side::Upper)));
    assert_eq!(worst(&[0.5, 1.5]), None);
    let level = |row, side| rows.level(Bound { row, side });
    assert_eq!([level(0, Side::Lower), level(0, Side::Upper), level(1, Side::Both)], [0.5, 1.5, 2.0]);
}

#[test]
fn a_loosened_row_allows_what_computing_its_bounds_may_have_lost() {
    // Means near 1e6 in data of range one: a bound computed there is off by roundings of 1e6.
    let frame = Frame::of_sorted(&[1e6, 1e6 + 0.5, 1e6 + 1.0]).unwrap();
    let linear = LinearRows::new(2, &[1.0, 1.0], &[2e6], &[2e6]).unwrap();
    let mut rows = linear_matrix(&linear, &frame);
    let before = rows.bounds(0);
    assert_eq!(before.0, before.1);
    rows.loosen(0);
    let after = rows.bounds(0);
    let lost = frame.enter_length(2e6) * f64::EPSILON;
    for slack in [before.0 - after.0, after.1 - before.1] {
        assert!((lost..100.0 * lost).contains(&slack), "{slack} for {lost}");
    }
}

#[test]
fn ascending_order_is_a_row_unless_gaps_are_bounded() {
    let linear = |k: usize| LinearRows::new(k, &vec![1.0; k], &[0.0], &[1.0]).unwrap().rows(k).unwrap();
    let rows = matrix(&linear(4), &frame());
    assert_eq!((rows.len(), rows.given()), (4, 1));
    for gap in 0..3 {
        assert_eq!((rows.gap(1 + gap), rows.bounds(1 + gap)), (Some(gap), (0.0, f64::INFINITY)));
    }
    let both = matrix(&GapBounds::lower(0.25).rows(4).unwrap().and(&linear(4)).unwrap(), &frame());
    assert_eq!((both.len(), both.given()), (4, 4));
    assert_eq!(both.likely(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(matrix(&linear(1), &frame()).len(), 1);
}

#[test]
fn rows_that_only_far_means_satisfy_are_refused() {
    let of = |matrix: &[f64], lower: f64, upper: f64| {
        let rows = LinearRows::new(2, matrix, &[lower], &[upper]).unwrap().rows(2).unwrap();
        RowMatrix::new(&rows, &frame(), 10.0, &Monitor::default()).map(|rows| rows.len())
    };
    // |μ₀ + μ₁| ≤ 20 where no mean is farther than 10.
    assert!(of(&[1.0, 1.0], 19.9, f64::INFINITY).is_ok() && of(&[1.0, 1.0], f64::NEG_INFINITY, -19.9).is_ok());
    assert!(of(&[1.0, 1.0], 20.1, f64::INFINITY).is_err() && of(&[1.0, 1.0], f64::NEG_INFINITY, -20.1).is_err());
    assert!(of(&[0.5, 0.0], 4.9, f64::INFINITY).is_ok() && of(&[0.5, 0.0], 5.1, f64::INFINITY).is_err());
}
