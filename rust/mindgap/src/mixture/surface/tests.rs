use super::*;
use crate::data::sample::Sample;
use crate::error::BoxError;
use std::borrow::Cow;

/// No data.
struct Nothing;

impl Engine for Nothing {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Err("nothing".into())
    }

    fn moments(&mut self, _: &Parameters) -> Result<Moments, BoxError> {
        Err("nothing".into())
    }
}

/// Sums about means in data units become sums about means in frame units, however far apart the two are.
#[test]
fn moments_are_moved_to_the_means_of_the_frame() {
    let values = [2.0, 3.0, 7.0, 8.0, 12.0];
    let frame = Frame::of_sorted(&values).unwrap();
    let (asked, means) = ([3.5, 9.0], [-0.3, 0.4]);
    let share = |k: usize, x: f64| if k == 0 { 1.0 / x } else { 1.0 - 1.0 / x };
    let sums = |power: i32, off: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
        (0..2).map(|k| values.iter().map(|&x| share(k, x) * off(k, x).powi(power)).sum()).collect()
    };
    let in_data = |k: usize, x: f64| x - asked[k];
    let in_frame = |k: usize, x: f64| frame.enter(x) - means[k];
    let given = Moments::new(sums(0, &in_data), sums(1, &in_data), sums(2, &in_data), -1.0);
    let entered = Surface::new(&mut Nothing, frame, false, [5.0, 1.0]).enter(given, &means, &asked);
    for (found, power) in [(entered.weight, 0), (entered.first, 1), (entered.second, 2)] {
        for (a, b) in found.iter().zip(sums(power, &in_frame)) {
            assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        }
    }
}
