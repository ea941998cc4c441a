use super::*;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::kmeans::unconstrained::grid::EdgeGrid;
use crate::kmeans::unconstrained::penalty::backward;
use crate::kmeans::unconstrained::tests::{random, shape};

/// Checks the values of plain doubles against those with all digits; says how many comparisons were not sure.
fn check(sample: &Sample, penalty: f64, name: &str) -> usize {
    let prefixes = Prefixes::new(sample);
    let grid = EdgeGrid::finest(&prefixes, &[]);
    let candidates = Candidates::gather(&prefixes, grid.edges());
    let (all, rough) = (backward::<Precise>(&candidates, penalty), backward::<Rough>(&candidates, penalty));
    let lost = Rough::lost(&candidates, penalty, rough.values[candidates.cells()], rough.unsure);
    for (end, (&exact, &value)) in all.values.iter().zip(&rough.values).enumerate() {
        let above = Double::from(value).minus(exact);
        assert!(above <= lost, "{name}, penalty {penalty:e}: {above:e} too large at {end}, {lost:e} allowed");
    }
    assert!(lost > 0.0, "{name}");
    rough.unsure
}

/// Equal distances make many starts as good, so that plain doubles decide at random.
#[test]
fn values_in_plain_doubles_are_as_right_as_they_say() {
    let mut unsure = 0;
    for case in 0..200 {
        let n = 50 + case % 400;
        let x: Vec<f64> = match case % 7 {
            5 => (0..n).map(|i| i as f64 / 3.0).collect(),
            6 => (0..n).map(|i| 1e6 + (i * i % 40) as f64 * 0.1).collect(),
            _ => (0..n).map(|i| shape(random(case * 1000 + i), case)).collect(),
        };
        let weights: Vec<f64> = (0..n).map(|i| if case % 2 == 0 { 0.7 } else { 0.1 + random(i + case) }).collect();
        for sample in [Sample::new(&x).unwrap(), Sample::weighted(&x, &weights).unwrap()] {
            for penalty in [1e-9, 1e-6, 1e-3, 0.1, 10.0, 1e9] {
                unsure += check(&sample, penalty, &format!("case {case}"));
            }
        }
    }
    assert!(unsure > 100, "{unsure}");
}

/// If plain doubles cannot distinguish the clusters of two penalties, their error is infinite.
#[test]
fn penalties_below_rounding_are_of_no_use_to_plain_doubles() {
    let x: Vec<f64> = (0..300).map(random).collect();
    let sample = Sample::new(&x).unwrap();
    let prefixes = Prefixes::new(&sample);
    let grid = EdgeGrid::finest(&prefixes, &[]);
    let candidates = Candidates::gather(&prefixes, grid.edges());
    let lost = |penalty| Rough::lost(&candidates, penalty, 1.0, 0);
    assert!(lost(1e-16) == f64::INFINITY && lost(0.0) == f64::INFINITY && lost(1.0) < 1e-8);
}
