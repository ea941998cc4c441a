use super::*;

/// Errors of two components, as shares of themselves; `None` where they are not known.
fn certainty(relative: [Option<[f64; 3]>; 2], at_bound: bool) -> Certainty {
    Certainty {
        errors: vec![Some([0.1, 0.25, 0.5]), None],
        gaps: vec![Some(0.75)],
        at_bound,
        relative: relative.to_vec(),
        held_back: 0.0,
        spreads_held: Vec::new(),
    }
}

#[test]
fn errors_are_in_units_of_the_data() {
    // A frame in which four units of the data are about one.
    let frame = Frame::of_sorted(&[0.0, 2.0, 4.0]).unwrap();
    let unit = frame.leave_length(1.0);
    let errors = StandardErrors::new(&frame, &certainty([Some([0.1; 3]); 2], false), &[]);
    assert_eq!(errors.weights, [Some(0.1), None]);
    assert_eq!((errors.means[0], errors.gaps[0]), (Some(0.25 * unit), Some(0.75 * unit)));
    assert_eq!(errors.variances, [Some(0.5 * unit * unit), None]);
    assert!(unit > 1.0 && errors.unreliable.is_empty());
}

#[test]
fn each_reason_to_doubt_is_named() {
    let frame = Frame::of_sorted(&[0.0, 1.0]).unwrap();
    let known = [0.1; 3];
    let reasons = |relative: [Option<[f64; 3]>; 2], at_bound: bool, findings: &[Finding]| {
        StandardErrors::new(&frame, &certainty(relative, at_bound), findings).unreliable
    };
    let plain = [Some(known); 2];
    assert_eq!(reasons(plain, true, &[]), [Unreliable::AtBound.to_string()]);
    let rival = [Finding::Empty { component: 0, points: 0.5 }, Finding::Rival { behind: 1.0 }];
    assert_eq!(reasons(plain, false, &rival), [Unreliable::Rival.to_string()]);
    assert!(reasons(plain, false, &rival[..1]).is_empty());
    let of = |component: usize, shares: Option<[f64; 3]>| {
        let mut relative = plain;
        relative[component] = shares;
        reasons(relative, false, &[])
    };
    // A weight that is known to half of itself may be zero; a mean or a spread is unknown from its own size on.
    assert!(of(1, Some([0.49, 0.99, 0.99])).is_empty());
    assert_eq!(of(1, Some([0.5, 2.0, 2.0])), [Unreliable::Vanishing { component: 1 }.to_string()]);
    assert_eq!(of(0, Some([0.1, 1.0, 0.1])), [Unreliable::Undetermined { component: 0 }.to_string()]);
    assert_eq!(of(0, Some([0.1, 0.1, 1.0])), [Unreliable::Undetermined { component: 0 }.to_string()]);
    assert_eq!(of(0, None), [Unreliable::Undetermined { component: 0 }.to_string()]);
}
