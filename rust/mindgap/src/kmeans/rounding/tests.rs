use super::*;

/// An allowance is a few roundings of the numbers at hand, whatever their unit.
#[test]
fn allowances_are_roundings_of_the_size_at_hand() {
    let allowances: [fn(f64) -> f64; 10] = [
        of_moments,
        of_squares,
        of_curve,
        of_step,
        of_move,
        of_addition,
        of_rough_costs,
        of_place,
        |size| of_difference(size, -size),
        |size| of_sum(3, size).max(of_running_sum(3, size)),
    ];
    for of in allowances {
        let roundings = of(1.0) / f64::EPSILON;
        assert!((1.0..1000.0).contains(&roundings), "{roundings}");
        for size in [1e-30, 1e-3, 8.0, 1e30] {
            assert!((of(size) / size / of(1.0) - 1.0).abs() < 1e-15);
        }
    }
    assert_eq!((of_sum(6, 1.0), of_running_sum(6, 1.0)), (2.0 * of_sum(3, 1.0), 2.0 * of_running_sum(3, 1.0)));
}
