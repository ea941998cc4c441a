use super::*;

/// Moments of ten points, of which three are hidden by a support.
fn moments() -> Moments {
    let mut moments = Moments::new(vec![6.0, 7.0], vec![0.5, -1.0], vec![2.0, 3.0], -4.0);
    moments.unseen = 3.0;
    moments
}

#[test]
fn answers_that_no_data_give_are_named() {
    assert_eq!(moments().fault(2, 10.0), None);
    // A point left out, a point counted twice, half of all, and no points at all.
    for total in [11.0, 9.0, 20.0, 10.0 * (1.0 + 1e-9)] {
        assert!(moments().fault(2, total).is_some(), "{total}");
    }
    assert_eq!(moments().fault(2, 10.0 * (1.0 + 1e-11)), None, "a rounding");
    let nothing = Moments::of_nothing(2, false, false);
    assert!(nothing.fault(2, 10.0).is_some());
    type Damage = fn(&mut Moments);
    let damages: [(&str, Damage); 9] = [
        ("a component more", |m| m.weight.push(0.0)),
        ("a component less", |m| m.second.truncate(1)),
        ("no first moments", |m| m.first.clear()),
        ("a weight that is no number", |m| m.weight[0] = f64::NAN),
        ("a first moment that is infinite", |m| m.first[1] = f64::INFINITY),
        ("a negative weight", |m| (m.weight[0], m.weight[1]) = (-1.0, 14.0)),
        ("negative squares", |m| m.second[0] = -1e-9),
        ("no likelihood", |m| m.log_likelihood = f64::NAN),
        ("second derivatives of another number of components", |m| m.curvature = Some(Curvature::zero(3))),
    ];
    for (name, damage) in damages {
        let mut moments = moments();
        damage(&mut moments);
        assert!(moments.fault(2, 10.0).is_some(), "{name}");
    }
    let mut curved = moments();
    curved.curvature = Some(Curvature::zero(2));
    assert_eq!(curved.fault(2, 10.0), None);
    curved.curvature.as_mut().unwrap().outer[35] = f64::NAN;
    assert!(curved.fault(2, 10.0).is_some());
}

#[test]
fn moments_of_parts_add_up_and_start_again_at_nothing() {
    let mut sum = moments();
    sum.classification = Some(-1.0);
    sum.curvature = Some(Curvature { third: vec![1.0, 2.0], fourth: vec![3.0, 4.0], outer: vec![5.0; 36] });
    sum.add(&sum.clone());
    assert_eq!(
        (&sum.weight[..], &sum.first[..], &sum.second[..]),
        (&[12.0, 14.0][..], &[1.0, -2.0][..], &[4.0, 6.0][..])
    );
    assert_eq!((sum.log_likelihood, sum.unseen, sum.classification), (-8.0, 6.0, Some(-2.0)));
    let curvature = sum.curvature.clone().unwrap();
    assert_eq!((&curvature.third[..], &curvature.fourth[..]), (&[2.0, 4.0][..], &[6.0, 8.0][..]));
    assert_eq!(curvature.outer, [10.0; 36]);
    // What one part does not know is not known of both.
    let mut partly = sum.clone();
    partly.add(&moments());
    assert_eq!((partly.classification, partly.curvature), (None, None));
    sum.clear();
    assert_eq!(sum, Moments::of_nothing(2, true, true));
}

/// The variance by which tolerances and floors are measured keeps its digits far from zero.
#[test]
fn the_scale_of_data_does_not_depend_on_where_they_are() {
    use crate::data::sample::Sample;
    use crate::mixture::e_step::LocalEngine;

    let values: Vec<f64> = (0..64).map(|i: i32| f64::from(i * i % 61)).collect();
    let of = |shift: f64| {
        let sample = Sample::new(&values.iter().map(|x| x + shift).collect::<Vec<_>>()).unwrap();
        [LocalEngine::new(&sample).scale(), LocalEngine::framed(&sample).scale()]
    };
    let mean = values.iter().sum::<f64>() / 64.0;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 64.0;
    for shift in [0.0, 1e6, -1e6] {
        let [[total, in_data_units], [_, in_frame_units]] = of(shift);
        assert_eq!(total, 64.0);
        assert!((in_data_units / variance - 1.0).abs() < if shift == 0.0 { 1e-12 } else { 1e-2 });
        assert!((in_frame_units / of(0.0)[1][1] - 1.0).abs() < 1e-12, "{shift}");
    }
}

#[test]
fn the_memory_of_second_derivatives_is_that_of_their_sums() {
    for k in [1, 2, 7] {
        let Curvature { third, fourth, outer } = Curvature::zero(k);
        assert_eq!(Curvature::bytes(k), size_of_val(&third[..]) + size_of_val(&fourth[..]) + size_of_val(&outer[..]));
    }
    assert_eq!(Curvature::bytes(usize::MAX), usize::MAX);
}
