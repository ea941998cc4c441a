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
