use super::*;

/// A miss is counted in units of the row's largest coefficient; rows that are satisfied to rounding are not missed.
#[test]
fn rows_are_missed_by_what_is_lacking() {
    let mut rows = SparseRows::default();
    rows.push([(0, 4.0), (1, -2.0)], 3.0, false);
    rows.push([(0, 4.0), (1, -2.0)], 3.0, true);
    for (u, lacking) in [([0.5, 1.5], 4.0), ([1.0, 0.5], 0.0), ([1.0, 0.5 + 1e-15], 0.0), ([2.0, 0.0], -5.0)] {
        let missed = (lacking > 0.0).then_some(lacking / 4.0);
        assert_eq!(rows.miss(0, &u), missed, "at {u:?}");
        assert_eq!(rows.miss(1, &u).is_some(), lacking != 0.0, "at {u:?}");
    }
    // A level of zero leaves only the terms to tell what rounding is.
    rows.push([(0, 1.0), (1, -1.0)], 0.0, false);
    assert_eq!(rows.miss(2, &[1e3, 1e3 * (1.0 + f64::EPSILON)]), None);
    assert!(rows.miss(2, &[1e-9, 2e-9]).is_some());
}

/// `t·u` satisfies the rows as far as `t` reaches, and no farther.
#[test]
fn a_step_reaches_as_far_as_the_rows_allow() {
    let mut random = crate::dice::Dice(0x2eac);
    let mut between = 0;
    for case in 0..200 {
        let mut rows = SparseRows::default();
        let u: Vec<f64> = (0..4).map(|_| random.unit() - 0.5).collect();
        for variable in 0..4 {
            let terms = [(variable, random.unit() - 0.5), ((variable + 1) % 4, random.unit() - 0.5)];
            let value = terms.iter().map(|&(variable, a)| a * u[variable]).sum::<f64>();
            rows.push(terms, value.min(0.0) * (1.0 + 9.0 * random.unit()) - 1e-3, false);
        }
        if case % 3 == 0 {
            rows.push([(0, u[1]), (1, -u[0])], 0.0, true);
        }
        let reach = rows.reach(&u, &[1.0; 4]);
        let holds = |t: f64| {
            let moved: Vec<f64> = u.iter().map(|u| t * u).collect();
            (0..rows.len()).all(|row| rows.is_equality(row) || rows.value(row, &moved) >= rows.level(row))
        };
        match reach.is_finite() {
            true => assert!(reach >= 1.0 && holds(reach * (1.0 - 1e-9)) && !holds(reach * (1.0 + 1e-9)), "{reach}"),
            false => assert!(holds(1e9)),
        }
        between += usize::from(reach > 1.5 && reach.is_finite());
        rows.push([(0, 1.0)], u[0], true);
        let off = |units: f64| (rows.reach(&u, &[units; 4]) - 1.0) * u[0].abs();
        assert!(off(1.0) <= 1.1e-12, "in its own units");
        assert!(off(1e9) <= 1.1e-21, "however large those of the program are");
    }
    assert!(between > 50, "{between}");
}

/// A factor in the memory of another one, which failed half-way, is that of the damped matrix.
#[test]
fn a_factor_that_replaces_another_is_that_of_the_damped_matrix() {
    let matrix = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 3.0];
    let damped: Vec<f64> = (0..9).map(|at| matrix[at] + if at % 4 == 0 { 0.25 } else { 0.0 }).collect();
    let (mut factor, mut fresh) = (Factor::default(), Factor::default());
    assert!(!factor.replace(&[1.0, 2.0, 2.0, 1.0], 2, 0.5, 1e-14));
    assert!(factor.replace(&matrix, 3, 0.25, 1e-14));
    let solved = |factor: &Factor| {
        let mut b = [1.0, -2.0, 0.5, 0.0];
        factor.forward(&mut b, 0);
        factor.backward(&mut b);
        b
    };
    let x = solved(&factor);
    assert!(fresh.replace(&damped, 3, 0.0, 1e-14));
    assert_eq!(x, solved(&fresh));
    for (row, wanted) in damped.chunks(3).zip([1.0, -2.0, 0.5]) {
        assert!((dot(row, &x[..3]) - wanted).abs() < 1e-14);
    }
    // Leading zeros stay zeros.
    let [mut whole, mut part] = [[0.0, 0.0, 1.5, 0.0]; 2];
    factor.forward(&mut whole, 0);
    factor.forward(&mut part, 2);
    assert_eq!(whole, part);
}
