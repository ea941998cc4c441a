//! Steps, rows and estimates of a climb against their definitions.

use super::ascent::{Workspace, ascend};
use super::em::StoppingRule;
use super::model::{BLOCK, Model, QuasiNewton, units};
use super::rows::{self, LEAST_WEIGHT, RowKind};
use super::step::{Program, stepped};
use super::{ClimbLimits, ClimbOptions, Leave};
use crate::constraint::{GapBounds, LinearRows, PrecisionRows};
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::dice::Dice;
use crate::mixture::e_step::LocalEngine;
use crate::mixture::engine::{Engine, Moments};
use crate::mixture::m_step::{MStep, MeanBlock, PrecisionBlock, VarianceModel, WeightBlock};
use crate::mixture::parameters::Parameters;
use crate::mixture::surface::Surface;
use crate::monitor::Monitor;
use crate::qp::MeanProgram;
use crate::qp::dense::SparseRows;
use std::cell::RefCell;

const K: usize = 3;

fn frame() -> Frame {
    Frame::of_sorted(&[0.0, 0.0]).unwrap()
}

/// What a mixture of three components is asked to satisfy.
struct Asked {
    weights: Option<LinearRows>,
    gaps: Option<[f64; 2]>,
    precisions: Option<PrecisionRows>,
}

fn m_step(asked: &Asked) -> MStep {
    let monitor = &mut Monitor::default();
    let gaps = asked.gaps.map(|[lower, upper]| GapBounds::between(lower, upper).unwrap().rows(K).unwrap());
    let program = gaps.and_then(|rows| MeanProgram::of(&rows, &frame(), 1e6, monitor).unwrap());
    MStep {
        weights: WeightBlock::new(asked.weights.as_ref(), K, monitor).unwrap(),
        means: MeanBlock { program },
        precisions: PrecisionBlock::new(
            VarianceModel::Free,
            K,
            asked.precisions.as_ref(),
            &frame(),
            [1e-3, 1.0],
            monitor,
        )
        .unwrap(),
    }
}

fn parameters(dice: &mut Dice) -> Parameters {
    let shares: Vec<f64> = (0..K).map(|_| 0.1 + dice.unit()).collect();
    let total: f64 = shares.iter().sum();
    let weights: Vec<f64> = shares.iter().map(|share| share / total).collect();
    let means: Vec<f64> = (0..K).map(|c| c as f64 + 0.5 * dice.unit()).collect();
    let variances: Vec<f64> = (0..K).map(|_| dice.size(1.0)).collect();
    Parameters::new(&weights, &means, &variances).unwrap()
}

/// The weights, means and precisions after a step; they are linear in it.
fn after(at: &Parameters, step: &[f64]) -> [Vec<f64>; 3] {
    let weights = (0..K).map(|c| at.weights()[c] * (1.0 + step[BLOCK * c])).collect();
    let means = (0..K).map(|c| at.means()[c] + at.variances()[c].sqrt() * step[BLOCK * c + 1]).collect();
    let precisions = (0..K).map(|c| (1.0 + step[BLOCK * c + 2]) / at.variances()[c]).collect();
    [weights, means, precisions]
}

fn satisfied(rows: &SparseRows, row: usize, step: &[f64]) -> bool {
    let value: f64 = rows.terms(row).iter().map(|&(variable, a)| a * step[variable]).sum();
    if rows.is_equality(row) { (value - rows.level(row)).abs() < 1e-9 } else { value >= rows.level(row) - 1e-12 }
}

/// A step satisfies the rows if and only if the parameters after it satisfy what was asked.
#[test]
fn rows_say_what_was_asked_of_the_parameters_after_a_step() {
    let mut dice = Dice(0x0570_11ed);
    let cases = [
        Asked { weights: None, gaps: None, precisions: None },
        Asked {
            weights: Some(LinearRows::new(K, &[1.0, 0.0, 0.0], &[0.03], &[0.9]).unwrap()),
            gaps: Some([0.3, 1.9]),
            precisions: Some(PrecisionRows::ratio(4.0).unwrap()),
        },
        Asked {
            weights: Some(LinearRows::new(K, &[1.0, -0.1, 0.0], &[0.0], &[9.0]).unwrap()),
            gaps: Some([0.4, f64::INFINITY]),
            precisions: Some(PrecisionRows::linear(LinearRows::new(K, &[1.0, 0.0, 0.0], &[0.1], &[10.0]).unwrap())),
        },
    ];
    for (case, asked) in cases.iter().enumerate() {
        let m_step = m_step(asked);
        let (mut yes, mut no) = (0, 0);
        for round in 0..3000 {
            let at = parameters(&mut dice);
            let (mut rows, mut kinds) = (SparseRows::default(), Vec::new());
            rows::write(&m_step, &at, &mut rows, &mut kinds);
            assert_eq!(rows.len(), kinds.len());
            let size = dice.size(2.0) * 0.3;
            let mut step: Vec<f64> = (0..BLOCK * K).map(|_| size * (2.0 * dice.unit() - 1.0)).collect();
            // The weights keep their sum in most rounds.
            if round % 5 > 0 {
                let moved: f64 = (1..K).map(|c| at.weights()[c] * step[BLOCK * c]).sum();
                step[0] = -moved / at.weights()[0];
            }
            let [weights, means, precisions] = after(&at, &step);
            // Those that miss what is asked before the step are not within the climb's reach.
            let sum = (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9;
            let least = weights.iter().all(|&weight| weight >= LEAST_WEIGHT);
            let floor = precisions.iter().all(|&p| p <= 1e3);
            let gaps = asked.gaps.is_none_or(|[lower, upper]| {
                means.windows(2).all(|pair| (lower..=upper).contains(&(pair[1] - pair[0])))
            });
            let given = asked.weights.as_ref().is_none_or(|rows| {
                let value: f64 = rows.row(0).iter().zip(&weights).map(|(a, w)| a * w).sum();
                (rows.lower()[0]..=rows.upper()[0]).contains(&value)
            });
            let spreads = asked.precisions.as_ref().is_none_or(|rows| {
                let (low, high) = precisions.iter().fold((f64::MAX, f64::MIN), |(l, h), &p| (l.min(p), h.max(p)));
                let linear =
                    rows.rows().is_none_or(|rows| (rows.lower()[0]..=rows.upper()[0]).contains(&precisions[0]));
                (rows.largest_ratio() == f64::INFINITY || high <= rows.largest_ratio().powi(2) * low) && linear
            });
            let expected = sum && least && floor && gaps && given && spreads;
            let zero = vec![0.0; BLOCK * K];
            let begins = (0..rows.len()).all(|row| satisfied(&rows, row, &zero));
            if !begins {
                // A start that misses a row: the step must lead there, and bounds on single components only stop it.
                continue;
            }
            let found = (0..rows.len()).all(|row| satisfied(&rows, row, &step));
            assert_eq!(found, expected, "case {case}, round {round}: {at:?} {step:?}");
            (yes, no) = (yes + usize::from(found), no + usize::from(!found));
        }
        assert!(yes > 50 && no > 50, "case {case}: {yes} and {no}");
        let has = |kind: RowKind| {
            let (mut rows, mut kinds) = (SparseRows::default(), Vec::new());
            rows::write(&m_step, &parameters(&mut Dice(9)), &mut rows, &mut kinds);
            kinds.contains(&kind)
        };
        assert_eq!(has(RowKind::Mean), asked.gaps.is_some());
        assert!(has(RowKind::Sum) && has(RowKind::Weight(0)));
    }
}

#[test]
fn a_step_moves_each_parameter_by_its_own_unit() {
    let mut dice = Dice(0x57e9);
    let m_step = m_step(&Asked { weights: None, gaps: None, precisions: None });
    for _ in 0..200 {
        let at = parameters(&mut dice);
        let step: Vec<f64> = (0..BLOCK * K).map(|_| 0.8 * (2.0 * dice.unit() - 1.0)).collect();
        let (next, share) = stepped(&at, &m_step, &step);
        assert_eq!(share, 1.0);
        let [weights, means, precisions] = after(&at, &step);
        for c in 0..K {
            assert!((next.weights()[c] - weights[c].clamp(LEAST_WEIGHT, 1.0)).abs() < 1e-14);
            assert!((next.means()[c] - means[c]).abs() < 1e-14);
            assert!((next.variances()[c] * precisions[c] - 1.0).abs() < 1e-13);
        }
    }
    // No precision falls by more than nine tenths: the whole step is shortened.
    let at = parameters(&mut dice);
    let mut step = vec![0.1; BLOCK * K];
    step[2] = -1.8;
    let (next, share) = stepped(&at, &m_step, &step);
    assert_eq!(share, 0.5);
    assert!((next.variances()[0] / at.variances()[0] - 10.0).abs() < 1e-12);
    assert!((next.means()[1] - at.means()[1] - 0.05 * at.variances()[1].sqrt()).abs() < 1e-15);
}

#[test]
fn the_largest_movement_is_in_the_units_of_the_rule() {
    let rule = StoppingRule { tol: 0.1, max_iter: 9, mean_unit: 2.0, variance_unit: 0.5 };
    let of = |weight: f64, mean: f64, variance: f64| {
        Parameters::new(&[weight, 1.0 - weight], &[mean, 3.0], &[1.0, variance]).unwrap()
    };
    let from = of(0.5, 1.0, 1.0);
    let moved = |to: Parameters| rule.movement(&from, &to);
    assert_eq!(moved(from.clone()), 0.0);
    assert_eq!([moved(of(0.25, 1.0, 1.0)), moved(of(0.5, 2.0, 1.0)), moved(of(0.5, 1.0, 0.75))], [0.25, 0.5, 0.5]);
    assert_eq!(moved(of(0.25, 0.0, 2.0)), 2.0);
}

/// Moments, with second derivatives, of points about the parameters.
/// The model at `at`, from second derivatives or from moments alone.
fn model_of(at: &Parameters, moments: &Moments, exact: bool) -> Model {
    let mut model = Model::default();
    match moments.curvature.as_ref().filter(|_| exact) {
        Some(curvature) => model.write(at, moments, curvature),
        None => model.write_moments(at, moments),
    }
    model
}

fn curved(at: &Parameters, x: &[f64]) -> Moments {
    LocalEngine::new(&Sample::new(x).unwrap()).curved(at).unwrap()
}

#[test]
fn an_estimate_of_the_information_meets_the_last_change_of_the_gradient() {
    let mut dice = Dice(0x0b46_5000);
    let x: Vec<f64> = (0..60).map(|_| 3.0 * dice.unit()).collect();
    for case in 0..40 {
        let (from, to) = (parameters(&mut dice), parameters(&mut dice));
        let model = |at: &Parameters| model_of(at, &curved(at, &x), false);
        let (before, mut now) = (model(&from), model(&to));
        let mut quasi = QuasiNewton::new(&from, &before);
        let own = |at: &Parameters, model: &Model| -> Vec<f64> {
            model.gradient.iter().zip(units(at)).map(|(g, unit)| g / unit).collect()
        };
        let (first, last) = (own(&from, &before), own(&to, &now));
        quasi.learn(&to, &mut now);
        // In the variables' own units: information · step is the fall of the gradient, unless that was damped.
        let step: Vec<f64> = (0..K)
            .flat_map(|c| {
                let precision = |at: &Parameters| 1.0 / at.variances()[c];
                [
                    to.weights()[c] - from.weights()[c],
                    to.means()[c] - from.means()[c],
                    precision(&to) - precision(&from),
                ]
            })
            .collect();
        let unit = units(&to);
        let n = unit.len();
        let information = |a: usize, b: usize| now.information[a * n + b] / unit[a] / unit[b];
        let seen: f64 = (0..n).map(|a| (first[a] - last[a]) * step[a]).sum();
        let bend: f64 = (0..n).map(|a| step[a] * (0..n).map(|b| information(a, b) * step[b]).sum::<f64>()).sum();
        let expected: f64 = {
            let unit = units(&from);
            (0..n).map(|a| step[a] * before.information[a * n + a] / unit[a] / unit[a] * step[a]).sum()
        };
        let size = expected.abs().max(seen.abs());
        // Powell's rule: the curvature along the step is what was seen, but at least a tenth of what was expected.
        assert!((bend - seen.max(0.1 * expected)).abs() < 1e-9 * size, "case {case}: {bend}, {seen}, {expected}");
        if seen >= 0.1 * expected {
            for a in 0..n {
                let met: f64 = (0..n).map(|b| information(a, b) * step[b]).sum();
                assert!((met - (first[a] - last[a])).abs() < 1e-7 * (1.0 + met.abs()), "case {case}");
            }
        }
        for a in 0..n {
            for b in 0..a {
                assert!((information(a, b) - information(b, a)).abs() <= 1e-9 * (1.0 + information(a, b).abs()));
            }
        }
    }
}

#[test]
fn the_model_predicts_small_steps_to_second_order() {
    let mut dice = Dice(0x0de1_0001);
    let x: Vec<f64> = (0..40).map(|_| 3.0 * dice.unit()).collect();
    let m_step = m_step(&Asked { weights: None, gaps: None, precisions: None });
    let mut bent = 0;
    for case in 0..30 {
        let at = parameters(&mut dice);
        let weights: Vec<f64> = x.iter().map(|_| if case % 2 == 0 { 1.0 } else { 0.1 + 3.0 * dice.unit() }).collect();
        let sample = Sample::weighted(&x, &weights).unwrap();
        let moments = LocalEngine::new(&sample).curved(&at).unwrap();
        let model = model_of(&at, &moments, true);
        assert!(model.is_exact() && !model_of(&at, &moments, false).is_exact());
        let mut step: Vec<f64> = (0..BLOCK * K).map(|_| 2.0 * dice.unit() - 1.0).collect();
        let moved: f64 = (1..K).map(|c| at.weights()[c] * step[BLOCK * c]).sum();
        step[0] = -moved / at.weights()[0];
        let gained = |size: f64| {
            let short: Vec<f64> = step.iter().map(|u| size * u).collect();
            let height = |at: &Parameters| -> f64 {
                at.score_samples(&x).iter().zip(&weights).map(|(score, weight)| score * weight).sum()
            };
            (height(&stepped(&at, &m_step, &short).0) - height(&at), model.gain(&short), model.slope(&short))
        };
        // The error of a second-order model is of third order: small beside the terms of second order.
        let size = 1e-4;
        let (gain, predicted, slope) = gained(size);
        let n = BLOCK * K;
        let terms: f64 =
            (0..n * n).map(|at| (model.information[at] * step[at / n] * step[at % n]).abs()).sum::<f64>() * size * size;
        assert!((gain - predicted).abs() < 0.02 * terms, "case {case}: {gain} for {predicted}");
        bent += usize::from((gain - slope).abs() > 0.05 * terms);
    }
    assert!(bent > 5, "the slope alone would do in all but {bent} cases");
}

#[test]
fn a_lost_component_has_no_say_in_the_model() {
    let mut dice = Dice(0x0150);
    let x: Vec<f64> = (0..40).map(|_| 3.0 * dice.unit()).collect();
    let at = parameters(&mut dice);
    let moments = curved(&at, &x);
    let mut full = model_of(&at, &moments, true);
    let n = BLOCK * K;
    // It has no weight, or is so far from the data that it has no points.
    for weights in [[0.5, 1e-16, 0.5], [0.4, 0.2, 0.4]] {
        let mut model = full.clone();
        model.isolate_empty(&weights, 1e-15);
        let points = 1e-12 * (full.complete[0] + full.complete[BLOCK] + full.complete[2 * BLOCK]);
        for a in 0..n {
            for b in 0..n {
                let (own, other) = (a / BLOCK == 1, b / BLOCK == 1);
                let expected = match (own || other, a == b) {
                    (false, _) => full.information[a * n + b],
                    (true, true) => full.complete[a].max(points),
                    (true, false) => 0.0,
                };
                assert_eq!(model.information[a * n + b], expected, "{a} {b}");
            }
        }
        full.complete[BLOCK..2 * BLOCK].fill(1e-34);
    }
}

#[test]
fn a_program_solves_the_damped_model_in_units_of_em() {
    let mut dice = Dice(0x9406);
    let x: Vec<f64> = (0..60).map(|_| 3.0 * dice.unit()).collect();
    let m_step = m_step(&Asked { weights: None, gaps: Some([0.2, 2.5]), precisions: None });
    for case in 0..20 {
        let at = parameters(&mut dice);
        let model = model_of(&at, &curved(&at, &x), false);
        let (mut rows, mut kinds) = (SparseRows::default(), Vec::new());
        rows::write(&m_step, &at, &mut rows, &mut kinds);
        let plain = rows.clone();
        let mut program = Program::new(&model, &mut rows);
        let damping = 0.5;
        let step = program.step(&rows, damping).unwrap();
        assert!((0..plain.len()).all(|row| satisfied(&plain, row, &step)), "case {case}");
        // With EM's metric as the information the damped optimum of the plain gain is the best of all admissible steps.
        let damped = |step: &[f64]| {
            let metric: f64 = step.iter().zip(&model.complete).map(|(u, c)| u * u * c).sum();
            model.gain(step) - 0.5 * damping * metric
        };
        let best = damped(&step);
        for _ in 0..200 {
            let mut other: Vec<f64> = step.iter().map(|u| u + 0.05 * (2.0 * dice.unit() - 1.0)).collect();
            let moved: f64 = (1..K).map(|c| at.weights()[c] * other[BLOCK * c]).sum();
            other[0] = -moved / at.weights()[0];
            if (0..plain.len()).all(|row| satisfied(&plain, row, &other)) {
                assert!(damped(&other) <= best + 1e-9 * best.abs().max(1.0), "case {case}");
            }
        }
    }
}

#[test]
fn a_climb_can_be_left_before_the_pass_of_its_next_step() {
    let mut dice = Dice(0x1ea5);
    let x: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 3.0 + dice.unit() + dice.unit()).collect();
    let sample = Sample::new(&x).unwrap();
    let start = parameters(&mut dice);
    let climb = |leave: Leave<'_>| {
        let mut engine = LocalEngine::framed(&sample);
        let scale = engine.scale();
        let mut surface = Surface::new(&mut engine, *sample.frame(), true, scale);
        let mut m_step = m_step(&Asked { weights: None, gaps: None, precisions: None });
        let limits = ClimbLimits { em_steps: 3, passes: 100, tolerance: ClimbLimits::TOLERANCE };
        let (workspace, monitor) = (&mut Workspace::default(), &mut Monitor::default());
        let options = ClimbOptions { leave, ..limits.into() };
        ascend(&mut surface, &mut m_step, start.clone(), options, workspace, monitor).unwrap()
    };
    let [announced, reached] = [0; 2].map(|_| RefCell::new(Vec::new()));
    let whole = climb(&|at| {
        let list = if at.next.is_some() { &announced } else { &reached };
        list.borrow_mut().push((at.passes, at.next.unwrap_or(at.parameters).clone()));
        false
    });
    let ((passes, next), (after, there)) = (announced.take().pop().unwrap(), reached.take().pop().unwrap());
    assert_eq!((passes + 1, next), (after, there));
    let left = climb(&|at| at.next.is_some() && at.passes == passes);
    assert_eq!((left.passes, left.log_likelihood), (passes, whole.history[whole.history.len() - 2]));
    assert_eq!(left.parameters, left.before);
}
