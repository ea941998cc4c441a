use super::*;
use crate::mixture::status::Status;

#[test]
fn shares_of_a_point_are_its_probabilities() {
    let parameters = Parameters::new(&[0.2, 0.5, 0.3], &[0.0, 1.0, 3.0], &[1.0, 0.25, 4.0]).unwrap();
    let density = |c: usize, x: f64| {
        let variance = parameters.variances()[c];
        parameters.weights()[c] * (-(x - parameters.means()[c]).powi(2) / (2.0 * variance)).exp() / variance.sqrt()
    };
    for x in [-3.0, 0.0, 0.4, 1.0, 2.5, 7.0] {
        let total: f64 = (0..3).map(|c| density(c, x)).sum();
        for c in 0..3 {
            assert!((share(&parameters, c, x) - density(c, x) / total).abs() < 1e-14, "{c} at {x}");
        }
    }
    assert_eq!(share(&parameters, 0, 1e9), 0.0, "no density left to share");
}

/// A hundred values from -1 to 1, none of them twice.
fn sample() -> Sample {
    Sample::new(&(0..100).map(|i| f64::from(i) / 49.5 - 1.0).collect::<Vec<_>>()).unwrap()
}

/// A climb that ended at a log-likelihood of -100; weights and means of three components.
fn climbed(weights: [f64; 3], means: [f64; 3]) -> Climbed {
    let sample = sample();
    let means = means.map(|mean| sample.frame().enter(mean));
    let parameters = Parameters::new(&weights, &means, &[0.01; 3]).unwrap();
    let (history, status) = (vec![-120.0, -100.0], Status::Converged);
    Climbed { parameters, history, classification: None, status, decrement: None, passes: 2, certainty: None }
}

fn sure(relative: [Option<[f64; 3]>; 3], held_back: f64, spreads_held: &[usize]) -> Certainty {
    Certainty {
        errors: vec![None; 3],
        gaps: vec![None; 2],
        at_bound: false,
        relative: relative.to_vec(),
        held_back,
        spreads_held: spreads_held.to_vec(),
    }
}

fn found(climbed: &Climbed, rival: Option<f64>) -> Vec<Finding> {
    findings(climbed, &sample(), &Observed::default(), 100.0, rival)
}

#[test]
fn components_are_empty_below_one_point_and_outside_beyond_the_data() {
    let inside = [-0.5, 0.0, 0.5];
    assert_eq!(found(&climbed([0.3, 0.3, 0.4], inside), None), []);
    assert_eq!(found(&climbed([0.01, 0.49, 0.5], inside), None), [], "one point is enough");
    let empty = found(&climbed([0.3, 0.0099, 0.6901], inside), None);
    assert!(
        matches!(empty[..], [Finding::Empty { component: 1, points }] if (points - 0.99).abs() < 1e-12),
        "{empty:?}"
    );
    // An empty component is nothing else besides.
    assert!(matches!(found(&climbed([0.001, 0.4, 0.599], [-9.0, 0.0, 0.5]), None)[..], [Finding::Empty { .. }]));
    let edges = climbed([0.3, 0.3, 0.4], [-1.0, 0.0, 1.0]);
    assert_eq!(found(&edges, None), [], "the smallest and the largest value are inside");
    let beyond = found(&climbed([0.3, 0.3, 0.4], [-1.01, 0.0, 1.01]), None);
    assert_eq!(beyond, [Finding::Outside { component: 0 }, Finding::Outside { component: 2 }]);
}

#[test]
fn rivals_and_bounds_count_from_two_units_on() {
    let fit = climbed([0.3, 0.3, 0.4], [-0.5, 0.0, 0.5]);
    assert_eq!(found(&fit, Some(-102.0)), []);
    assert_eq!(found(&fit, Some(-101.5)), [Finding::Rival { behind: 1.5 }]);
    assert_eq!(found(&fit, Some(-99.0)), [Finding::Rival { behind: 0.0 }], "rounding puts none ahead");
    let known = [Some([0.1, 0.1, 0.1]); 3];
    let with = |certainty: Certainty| found(&Climbed { certainty: Some(certainty), ..fit.clone() }, None);
    assert_eq!(with(sure(known, 2.0, &[])), []);
    assert_eq!(with(sure(known, 2.5, &[])), [Finding::BoundDecides { gain: 2.5 }]);
    assert_eq!(with(sure(known, 0.0, &[2])), [Finding::SpreadAtBound { component: 2 }]);
    // A component is undetermined if any of its errors is as large as itself, or is not known.
    for (component, share) in
        [(0, Some([1.0, 0.1, 0.1])), (1, Some([0.1, 1.5, 0.1])), (2, Some([0.1, 0.1, 1.0])), (1, None)]
    {
        let mut shares = known;
        shares[component] = share;
        assert_eq!(with(sure(shares, 0.0, &[])), [Finding::Undetermined { component }], "{share:?}");
    }
}

/// Ninety-nine values from 0 to 98, forty of them moved to 40; a narrow component there, a wide one for the rest.
#[test]
fn a_component_on_equal_points_is_a_spike() {
    let spread = |tied: usize, spread: f64| {
        let x: Vec<f64> = (0..99).map(|i| if i < tied { 40.25 } else { f64::from(i as u32) * 1.1 }).collect();
        let sample = Sample::new(&x).unwrap();
        let frame = sample.frame();
        let share = (tied as f64 / 99.0).max(0.01);
        let means = [frame.enter(40.25), frame.enter(70.0)];
        let variances = [spread, 30.0].map(|spread: f64| frame.enter_length(spread).powi(2));
        spikes(&Parameters::new(&[share, 1.0 - share], &means, &variances).unwrap(), &sample)
    };
    assert_eq!(spread(40, 0.01), [true, false]);
    assert_eq!(spread(1, 0.01), [false, false], "one point is no tie");
    // Most of its weight is elsewhere: it is as wide as the data.
    assert_eq!(spread(4, 60.0), [false, false]);
}

/// On rounded data every value repeats: a component is a spike below half a step, or where one value is far heavier
/// than others.
#[test]
fn rounding_alone_makes_no_spike() {
    let on_grid = |extra: usize, spread: f64| {
        let mut x: Vec<f64> = (0..400).map(|i| f64::from(i % 20)).collect();
        x.extend(vec![7.0; extra]);
        let sample = Sample::new(&x).unwrap();
        assert!((sample.rounding_step().unwrap() - 1.0).abs() < 1e-9);
        let frame = sample.frame();
        let share = (20 + extra) as f64 / x.len() as f64;
        let means = [frame.enter(7.0), frame.enter(10.0)];
        let variances = [spread, 6.0].map(|spread: f64| frame.enter_length(spread).powi(2));
        spikes(&Parameters::new(&[share, 1.0 - share], &means, &variances).unwrap(), &sample)[0]
    };
    assert!(on_grid(0, 0.1) && !on_grid(0, 0.5), "half a step is where densities become probabilities");
    assert!(
        on_grid(200, 0.1) && !on_grid(200, 0.5),
        "a normal component of half a step has most of its weight on one value"
    );
    assert!(on_grid(200, 3.0) && !on_grid(30, 3.0), "more points than rounding explains, and no more");
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_finding_is_the_one_that_was_stored() {
    for finding in [
        Finding::Empty { component: 2, points: 0.25 },
        Finding::Outside { component: 0 },
        Finding::SpreadAtBound { component: 1 },
        Finding::Spike { component: 3 },
        Finding::Undetermined { component: 4 },
        Finding::Rival { behind: 0.5 },
        Finding::BoundDecides { gain: 3.0 },
    ] {
        let read = Finding::of_code(finding.code(), finding.component(), finding.value());
        assert_eq!(read, Some(finding));
    }
}
