//! The blocks against their definitions, from points and responsibilities.

use super::*;
use crate::constraint::{LinearRows, PrecisionRows, Rows};
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::dice::Dice;
use crate::mixture::e_step::LocalEngine;
use crate::mixture::engine::Engine;

/// Points of a frame of their own, and the moments of two components there.
fn moments(dice: &mut Dice, parameters: &Parameters) -> (Vec<f64>, Moments) {
    let x: Vec<f64> = (0..30).map(|_| 1.0 + 4.0 * dice.unit()).collect();
    let sample = Sample::new(&x).unwrap();
    let moments = LocalEngine::new(&sample).moments(parameters).unwrap();
    (x, moments)
}

fn parameters(dice: &mut Dice) -> Parameters {
    let share = 0.2 + 0.6 * dice.unit();
    let means = [1.0 + 2.0 * dice.unit(), 3.0 + 2.0 * dice.unit()];
    Parameters::new(&[share, 1.0 - share], &means, &[dice.size(1.0), dice.size(1.0)]).unwrap()
}

#[test]
fn variances_about_any_means_are_those_of_the_points() {
    let mut dice = Dice(0xab0f_77aa);
    for _ in 0..50 {
        let at = parameters(&mut dice);
        let (x, moments) = moments(&mut dice, &at);
        let responsibilities = at.predict_proba(&x);
        let targets = Targets::new(&at, &moments);
        let means = [5.0 * dice.unit(), 5.0 * dice.unit()];
        let found = about(&at, &moments, &targets, &means);
        for c in 0..2 {
            let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
                x.iter().zip(responsibilities.chunks(2)).map(|(&x, r)| r[c] * of(x)).sum()
            };
            let n = sum(&|_| 1.0);
            assert!((targets.means[c] - sum(&|x| x) / n).abs() < 1e-12);
            assert!((found[c] - sum(&|x| (x - means[c]).powi(2)) / n).abs() < 1e-11);
        }
    }
    // A component without weight stays as it is.
    let at = Parameters::new(&[1.0, 0.0], &[2.0, 9.0], &[1.0, 0.5]).unwrap();
    let nothing = Moments::new(vec![3.0, 0.0], vec![1.0, 0.0], vec![4.0, 0.0], -1.0);
    let targets = Targets::new(&at, &nothing);
    assert_eq!((targets.means[1], about(&at, &nothing, &targets, &[2.0, 8.0])[1]), (9.0, 0.5));
}

#[test]
fn bounds_on_single_components_are_read_off_rows() {
    let bounds = |matrix: &[f64], lower: &[f64], upper: &[f64]| {
        single_bounds(&LinearRows::new(2, matrix, lower, upper).unwrap(), [0.0, 1.0])
    };
    let inf = f64::INFINITY;
    assert_eq!(bounds(&[2.0, 0.0], &[0.4], &[1.0]), Some([vec![0.2, 0.0], vec![0.5, 1.0]]));
    assert_eq!(bounds(&[0.0, -2.0], &[-1.0], &[-0.4]), Some([vec![0.0, 0.2], vec![1.0, 0.5]]));
    // The narrower of several, and never beyond what is given.
    assert_eq!(bounds(&[1.0, 0.0, 1.0, 0.0], &[0.1, 0.3], &[0.9, inf]), Some([vec![0.3, 0.0], vec![0.9, 1.0]]));
    assert_eq!(bounds(&[1.0, 0.0], &[-5.0], &[5.0]), Some([vec![0.0, 0.0], vec![1.0, 1.0]]));
    assert_eq!(bounds(&[1.0, 1.0], &[0.0], &[1.0]), None, "a row on two components");
}

fn block(model: VarianceModel, rows: Option<&PrecisionRows>) -> Result<PrecisionBlock, crate::MixtureError> {
    let frame = Frame::of_sorted(&[0.0, 0.0]).unwrap();
    PrecisionBlock::new(model, 2, rows, &frame, [1e-6, 1.0], &mut Monitor::default())
}

#[test]
fn a_precision_block_knows_its_bounds() {
    let free = block(VarianceModel::Free, None).unwrap();
    assert_eq!((free.floor(), free.bounds(1), free.is_equal()), (1e-6, [1e-6, f64::INFINITY], false));
    assert!(free.variance_ratio().is_none() && free.rows().is_none() && free.tie().is_none());
    assert_eq!(free.nearest(&[1.0, 3.0], &[4.0, 0.0]), [4.0, 1e-6]);
    let equal = block(VarianceModel::Equal, None).unwrap();
    assert!(equal.is_equal() && equal.variance_ratio().is_none());
    assert_eq!(equal.nearest(&[1.0, 3.0], &[4.0, 8.0]), [7.0, 7.0]);
    let ratio = block(VarianceModel::Free, Some(&PrecisionRows::ratio(3.0).unwrap())).unwrap();
    assert_eq!((ratio.variance_ratio(), ratio.is_equal()), (Some(9.0), false));
    assert_eq!(ratio.fewer(1).nearest(&[1.0], &[5.0]), [5.0]);
    assert!(block(VarianceModel::Free, Some(&PrecisionRows::ratio(1.0).unwrap())).unwrap().is_equal());
    // A least variance that is no floor, and a largest one.
    let within = block(VarianceModel::Free, None).unwrap().at_least(0.25).capped(4.0);
    assert_eq!((within.bounds(0), within.floor()), ([0.25, 4.0], 1e-6));
    assert_eq!(within.nearest(&[1.0, 1.0], &[0.1, 9.0]), [0.25, 4.0]);
    assert_eq!(within.capped(9.0).bounds(0), [0.25, 4.0]);
    // Precisions from 1/4 to 1 are variances from 1 to 4; what is fixed below the floor stays there.
    let rows =
        |lower: f64, upper: f64| PrecisionRows::linear(LinearRows::new(2, &[1.0, 0.0], &[lower], &[upper]).unwrap());
    assert_eq!(block(VarianceModel::Free, Some(&rows(0.25, 1.0))).unwrap().bounds(0), [1.0, 4.0]);
    assert_eq!(block(VarianceModel::Free, Some(&rows(1e7, 1e8))).unwrap().bounds(0), [1e-8, 1e-7]);
    assert_eq!(block(VarianceModel::Free, Some(&rows(0.5, 1e9))).unwrap().bounds(0), [1e-6, 2.0]);
    assert!(block(VarianceModel::Free, Some(&rows(-2.0, -1.0))).is_err(), "a negative precision");
    let apart = rows(0.25, 0.25).and(&PrecisionRows::linear(LinearRows::new(2, &[0.0, 1.0], &[9.0], &[9.0]).unwrap()));
    assert!(block(VarianceModel::Free, Some(&apart)).is_ok());
    assert!(block(VarianceModel::Free, Some(&apart.and(&PrecisionRows::ratio(5.9).unwrap()))).is_err());
    assert!(block(VarianceModel::Free, Some(&apart.and(&PrecisionRows::ratio(6.1).unwrap()))).is_ok());
    let tied = PrecisionRows::constant_variation(Some(0.2)).unwrap();
    assert_eq!(block(VarianceModel::Free, Some(&tied)).unwrap().tie().unwrap().given, Some(0.2));
    assert!(block(VarianceModel::Equal, Some(&tied)).is_err());
    assert!(
        block(VarianceModel::Free, Some(&tied.and(&PrecisionRows::constant_variation(Some(0.3)).unwrap()))).is_err()
    );
    let estimated = PrecisionRows::constant_variation(None).unwrap();
    assert_eq!(block(VarianceModel::Free, Some(&estimated)).unwrap().tie().unwrap().given, None);
}

/// The M step's objective where `σ = c·μ`: what of the expected log-likelihood depends on means and `c`.
fn objective(x: &[f64], responsibilities: &[f64], means: &[f64], c: f64) -> f64 {
    let term = |x: f64, k: usize| -(c * means[k]).ln() - (x - means[k]).powi(2) / (2.0 * (c * means[k]).powi(2));
    x.iter().zip(responsibilities.chunks(2)).map(|(&x, r)| (0..2).map(|k| r[k] * term(x, k)).sum::<f64>()).sum()
}

#[test]
fn tied_spreads_climb_the_objective_to_where_it_is_flat() {
    let mut dice = Dice(0x71ed_0123);
    for case in 0..40 {
        let tie = Tie { given: (case % 2 == 0).then_some(0.3), origin: 0.0 };
        let mut block = MeanBlock { program: None };
        let at = parameters(&mut dice);
        let start = Parameters::new(at.weights(), at.means(), &tie.variances(at.means(), 0.3)).unwrap();
        let (x, moments) = moments(&mut dice, &start);
        let responsibilities = start.predict_proba(&x);
        let (mut means, mut height) = (start.means().to_vec(), f64::NEG_INFINITY);
        let mut c = 0.3;
        // Moments stay those of the start; a step goes from means to means.
        for _ in 0..60 {
            let here = Parameters::new(at.weights(), &means, &tie.variances(&means, c)).unwrap();
            let shift = |k: usize| means[k] - start.means()[k];
            let second =
                |k: usize| moments.second[k] - 2.0 * shift(k) * moments.first[k] + shift(k).powi(2) * moments.weight[k];
            let first = |k: usize| moments.first[k] - shift(k) * moments.weight[k];
            let moved = Moments::new(
                moments.weight.clone(),
                (0..2).map(first).collect(),
                (0..2).map(second).collect(),
                moments.log_likelihood,
            );
            let targets = Targets::new(&here, &moved);
            let (next, variances) =
                tie.best(&here, &moved, &targets, &mut block, 1e-12, &mut Monitor::default()).unwrap();
            c = variances[0].sqrt() / next[0];
            assert!(
                (variances[1].sqrt() / next[1] - c).abs() < 1e-12
                    && tie.given.is_none_or(|given| (c - given).abs() < 1e-12)
            );
            let reached = objective(&x, &responsibilities, &next, c);
            assert!(reached >= height - 1e-9, "case {case}: {reached} after {height}");
            (means, height) = (next, reached);
        }
        let nudge = 1e-4;
        for k in 0..2 {
            for step in [nudge, -nudge] {
                let mut aside = means.clone();
                aside[k] += step;
                let there = objective(&x, &responsibilities, &aside, c);
                assert!(there <= height + 1e-7, "case {case}: {there} beside {height}");
            }
        }
        if tie.given.is_none() {
            for other in [c * (1.0 + nudge), c * (1.0 - nudge)] {
                assert!(objective(&x, &responsibilities, &means, other) <= height + 1e-7, "case {case}");
            }
        }
    }
}

#[test]
fn means_under_rows_are_drawn_by_weight_over_variance() {
    // Two means that must be equal settle at their average, weighed by n/v.
    let rows = LinearRows::new(2, &[-1.0, 1.0], &[0.0], &[0.0]).unwrap().rows(2).unwrap();
    let frame = Frame::of_sorted(&[0.0, 0.0]).unwrap();
    let program = |rows: &Rows| crate::qp::MeanProgram::of(rows, &frame, 1e6, &mut Monitor::default()).unwrap();
    let mut block = MeanBlock { program: program(&rows) };
    let at = Parameters::new(&[0.5, 0.5], &[0.0, 0.0], &[1.0, 4.0]).unwrap();
    let moments = Moments::new(vec![2.0, 8.0], vec![2.0, 40.0], vec![9.0, 300.0], -1.0);
    let targets = Targets::new(&at, &moments);
    assert_eq!(targets.means, [1.0, 5.0]);
    let found = block.best(&at, &moments, &targets, &mut Monitor::default()).unwrap();
    assert!(found.iter().all(|mean| (mean - 3.0).abs() < 1e-12), "{found:?}");
    let mut free = MeanBlock { program: program(&Rows::none(2)) };
    assert_eq!(free.best(&at, &moments, &targets, &mut Monitor::default()).unwrap(), [1.0, 5.0]);
}
