//! Extreme starts, data, weights and bounds: no fit panics or returns a number that is not finite.

use crate::oracle::random::Random;
use mindgap::{ConstraintError, GapBounds, LinearRows, Mixture, MixtureError, MixtureFit, Parameters, Sample, Status};

fn sound(fit: &MixtureFit) {
    let numbers = [fit.weights(), fit.means(), fit.variances(), fit.history(), fit.gaps()].concat();
    assert!(numbers.iter().all(|x| x.is_finite()), "{fit:?}");
    assert!(fit.variances().iter().all(|&v| v > 0.0), "{fit:?}");
    assert!(fit.means().is_sorted(), "{fit:?}");
    assert!((fit.weights().iter().sum::<f64>() - 1.0).abs() < 1e-9, "{fit:?}");
    assert_eq!(fit.history().len(), fit.n_iter() + 1);
}

#[test]
fn starts_from_nowhere() {
    let x: Vec<f64> = (0..300).map(|i| f64::from(i % 17) + f64::from(i) * 1e-3).collect();
    let sample = Sample::new(&x).unwrap();
    let extremes = [-1e300, -1e150, -1e9, -1e7, 0.0, 3.0, 1e4, 1e9, 1e150, 1e300];
    let variances = [1e-300, 1e-30, 1.0, 1e30, 1e300];
    for &a in &extremes {
        for &b in &extremes {
            for &v in &variances {
                let start = Parameters::new(&[0.5, 0.5], &[a, b], &[v, 1.0]).unwrap();
                for (lower, upper) in [(0.0, f64::INFINITY), (2.0, f64::INFINITY), (1.0, 1.0)] {
                    let constraint = GapBounds::between(lower, upper).unwrap();
                    let far = a.abs().max(b.abs()) > 1e8 || v > 1e20;
                    match Mixture::new(2).constraint(constraint).init(start.clone()).max_iter(30).fit(&sample) {
                        Ok(fit) => sound(&fit),
                        Err(error) => {
                            assert!(far && matches!(error, MixtureError::ParametersOffScale { .. }), "{error}")
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn extreme_data_bounds_and_floors() {
    let mut random = Random::new(11);
    let base: Vec<f64> = (0..80).map(|i| f64::from(i % 3) * 5.0 + random.uniform(-1.0, 1.0)).collect();
    for scale in [1e-130, 1e-9, 1.0, 1e9, 1e130] {
        let x: Vec<f64> = base.iter().map(|x| x * scale).collect();
        let sample = Sample::new(&x).unwrap();
        let start = |spread: f64| {
            let means = [0.0, 5.0 * scale, 10.0 * scale];
            Parameters::new(&[0.2, 0.3, 0.5], &means, &[spread * scale * scale; 3]).unwrap()
        };
        for delta in [0.0, 1e-3, 5.0, 1e3, 1e12] {
            let mixture = Mixture::new(3).constraint(GapBounds::lower(delta * scale)).max_iter(50);
            match mixture.init(start(1.0)).fit(&sample) {
                Ok(fit) => {
                    sound(&fit);
                    assert!(fit.gaps().iter().all(|gap| *gap >= delta * scale * (1.0 - 1e-9)));
                }
                Err(error) => {
                    let off_scale = matches!(error, MixtureError::Constraint(ConstraintError::OffScale { .. }));
                    assert!(off_scale && delta == 1e12, "{error}");
                }
            }
        }
        for floor in [1e-200, 1e-12, 1.0, 1e12] {
            let mixture = Mixture::new(3).min_variance(floor * scale * scale).max_iter(50).init(start(1e-3));
            match mixture.fit(&sample) {
                Ok(fit) => sound(&fit),
                // The floor itself may vanish at the smallest scale.
                Err(error) => assert!(matches!(error, MixtureError::BadSetting { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn weights_of_all_sizes_and_points_of_no_weight() {
    let mut random = Random::new(12);
    let x: Vec<f64> = (0..200).map(|i| f64::from(i % 2) * 4.0 + random.uniform(-1.0, 1.0)).collect();
    let w: Vec<f64> =
        (0..200).map(|i| if i % 5 == 0 { 0.0 } else { 10f64.powi(random.below(20) as i32 - 10) }).collect();
    let start = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0]).unwrap();
    let fit = Mixture::new(2).init(start.clone()).fit(&Sample::weighted(&x, &w).unwrap()).unwrap();
    sound(&fit);
    assert_eq!(fit.labels().len(), 200);
    assert_eq!(fit.predict(&x), fit.labels());
    // Weights in other units change nothing but the likelihood's.
    let doubled: Vec<f64> = w.iter().map(|w| w * 1024.0).collect();
    let other = Mixture::new(2).init(start).fit(&Sample::weighted(&x, &doubled).unwrap()).unwrap();
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs());
    assert!(near(fit.means(), other.means()) && near(fit.variances(), other.variances()), "{fit:?} {other:?}");
    // The tolerance is in log units, of which heavier weights have more.
    assert!(fit.n_iter().abs_diff(other.n_iter()) <= 1, "{} {}", fit.n_iter(), other.n_iter());
}

#[test]
fn a_start_without_weight_on_a_component_goes_on_without_it() {
    let x: Vec<f64> = (0..50).map(f64::from).collect();
    let start = Parameters::new(&[1.0, 0.0], &[10.0, 20.0], &[9.0, 9.0]).unwrap();
    let fit = Mixture::new(2).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    sound(&fit);
    assert!(matches!(fit.status(), Status::LostWeight { .. }));
}

#[test]
fn rows_that_fix_every_mean() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.1).collect();
    let rows = LinearRows::new(2, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], &[1.0, 4.0, 5.0], &[1.0, 4.0, 5.0]).unwrap();
    let start = Parameters::new(&[0.5, 0.5], &[2.0, 3.0], &[1.0, 1.0]).unwrap();
    let fit = Mixture::new(2).constraint(rows).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    sound(&fit);
    assert!((fit.means()[0] - 1.0).abs() < 1e-12 && (fit.means()[1] - 4.0).abs() < 1e-12);
    let one = LinearRows::new(1, &[-3.0], &[-6.0], &[f64::INFINITY]).unwrap();
    let start = Parameters::new(&[1.0], &[9.0], &[1.0]).unwrap();
    let fit = Mixture::new(1).constraint(one).init(start).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!((fit.means()[0] - 2.0).abs() < 1e-12);
}

#[test]
fn many_components_under_bounds() {
    let mut random = Random::new(13);
    let k = 60;
    let x: Vec<f64> = (0..3000).map(|_| random.uniform(0.0, k as f64)).collect();
    let means: Vec<f64> = (0..k).map(|c| c as f64 + random.uniform(-0.4, 0.4)).collect();
    let start = Parameters::new(&vec![1.0 / k as f64; k], &means, &vec![0.3; k]).unwrap();
    let bounds = GapBounds::between(0.9, 1.05).unwrap();
    let fit = Mixture::new(k).constraint(bounds).init(start).max_iter(30).fit(&Sample::new(&x).unwrap()).unwrap();
    sound(&fit);
    assert!(fit.gaps().iter().all(|gap| (0.9 - 1e-9..=1.05 + 1e-9).contains(gap)));
    assert!(fit.history()[1..].windows(2).all(|pair| pair[1] >= pair[0] - 1e-8));
}
