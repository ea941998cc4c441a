//! The rounding of divisors, with numbers whose sums and products are exact.

use super::*;

#[test]
fn a_divisor_is_rounded_down_by_a_share_of_its_terms() {
    let mut state = 5_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as f64 / 16.0 - 8.0
    };
    let cell = Cell { low: -3.5, high: 2.25, least: 0.25, most: 4.0 };
    let total = 64.0;
    for _ in 0..1000 {
        let (a, b, zero, constant, average) = (random(), random(), random(), random(), random());
        let scales = [2.0, 1.0];
        let coupling = Coupling { terms: vec![[a, b, zero]], scales: vec![scales], constants: vec![constant] };
        let divisor = coupling.divisor(0, &cell, average, total);
        for ([least, by_mean, by_precision], scale) in divisor.pieces.into_iter().zip(scales) {
            assert_eq!((by_mean, by_precision), (-scale * a / total, -scale * b / total));
            let exact = 1.0 + (average - constant + scale * zero) / total;
            let terms = average.abs() + constant.abs() + scale * (zero.abs() + 3.5 * a.abs() + 4.0 * b.abs());
            let share = (exact - least) / (1.0 + terms / total);
            // Values of the divisor have some roundings of its terms: 2⁻⁵³ of them each.
            assert!((2.0_f64.powi(-49)..2.0_f64.powi(-47)).contains(&share), "{share:e} of the terms");
        }
    }
}
