//! Ranges of atoms near their ends.

use super::*;
use crate::data::sample::Atom;

/// Atoms of two points each.
fn pairs() -> Sample {
    let pair = |i: usize| {
        let low = 0.37 * i as f64 - 11.3;
        let high = low + 0.11;
        let (mean, within) = (0.5 * (low + high), 0.5 * (high - low).powi(2));
        Atom { mean, rest: 0.0, weight: 2.0, within, low, high, count: 2, even: true }
    };
    Sample::of_atoms((0..60).map(pair).collect()).unwrap()
}

#[test]
fn atoms_that_rounded_nodes_just_miss_are_in_the_range() {
    let sample = pairs();
    let kinks = Kinks::new(&sample, &vec![true; sample.len()]);
    for i in 0..sample.len() {
        let [low, high] = [sample.lowest(i), sample.highest(i)].map(|x| sample.frame().enter(x));
        for share in [0.0, 0.5, 0.9] {
            let after = high + share * of_place(1.0 + high.abs());
            let before = low - share * of_place(1.0 + low.abs());
            assert_eq!(kinks.atoms(after, after), (i, i + 1), "atom {i}, {share} of the error after it");
            assert_eq!(kinks.atoms(before, before), (i, i + 1), "atom {i}, {share} of the error before it");
        }
        // The allowance is the error of a node, not much more.
        let (after, before) = (high + 3.0 * of_place(1.0 + high.abs()), low - 3.0 * of_place(1.0 + low.abs()));
        assert_eq!(kinks.atoms(after, after), (i + 1, i + 1), "after atom {i}");
        assert_eq!(kinks.atoms(before, before), (i, i), "before atom {i}");
    }
}
