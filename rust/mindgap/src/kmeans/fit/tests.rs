use super::*;
use crate::numeric::exact_sum::ExactSum;

/// A boundary is the midpoint wherever that gives back the labels: not below the last point of the left cluster, and
/// below the first of the right one.
#[test]
fn a_boundary_is_as_near_to_the_middle_as_the_labels_allow() {
    assert_eq!(boundary(5.0, 2.0, 8.0), 5.0);
    assert_eq!(boundary(2.0, 2.0, 8.0), 2.0);
    assert_eq!(boundary(1.0, 2.0, 8.0), 2.0);
    assert_eq!(boundary(8.0, 2.0, 8.0), 8.0_f64.next_down());
    assert_eq!(boundary(9.0, 2.0, 8.0), 8.0_f64.next_down());
    assert_eq!(boundary(5.0, 3.0, 3.0), 3.0);
    for (middle, left, right) in [(5.0, 2.0, 8.0), (1.0, 2.0, 8.0), (9.0, 2.0, 8.0)] {
        let boundaries = [boundary(middle, left, right)];
        assert_eq!((cluster_of(&boundaries, left), cluster_of(&boundaries, right)), (0, 1));
    }
    assert_eq!([-1.0, 1.0, 1.5, 2.0, 2.5].map(|x| cluster_of(&[1.0, 2.0], x)), [0, 0, 1, 1, 2]);
}

#[test]
fn sums_in_lanes_are_exact_to_the_last_bit() {
    for n in [0, 1, 7, 8, 9, 100, 1001] {
        let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin() * 10f64.powi(i % 17 - 8)).collect();
        let terms: Vec<f64> = x.iter().enumerate().map(|(i, x)| x * (i as f64 + 0.5)).collect();
        let found = compensated(&x, |i, x| x * (i as f64 + 0.5));
        let exact = ExactSum::of(&terms).round();
        assert!((found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(), "{n}: {found} for {exact}");
    }
}

#[test]
fn a_cluster_is_measured_about_its_mean_or_its_centre() {
    // Weights 1, 2, 1 at 10, 11, 16: a mean of 12 and squares of 4 + 2 + 16.
    let sample = Sample::weighted(&[10.0, 11.0, 16.0, 1e3], &[1.0, 2.0, 1.0, 1.0]).unwrap();
    let frame = sample.frame();
    let about = |center: Option<f64>| Cluster::new(&sample, 0..3, center.map(|center| frame.enter(center)));
    let mean = about(None);
    assert_eq!((mean.center(frame), mean.cost(frame), mean.weight()), (12.0, 22.0, 4.0));
    let free = about(Some(13.0));
    assert!((free.center(frame) - 13.0).abs() < 1e-12 && (free.cost(frame) - 26.0).abs() < 1e-9);
    // A centre that is the mean but for a rounding is the mean.
    assert_eq!(about(Some(12.0 + 1e-13)).center(frame), 12.0);
    assert!((mean.until(&free, frame) - 1.0).abs() < 1e-12);
    assert!((mean.framed(frame) - frame.enter(12.0)).abs() < 1e-15);
}
