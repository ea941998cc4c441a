//! Every solver against a slow, obvious one, by proptest.

use crate::hostile::cases;
use crate::oracle::em;
use crate::oracle::partitions::{self, Bounds};
use crate::oracle::{free, tables};
use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansMethod, LinearRows, Mixture, Parameters, Sample, Ties};
use proptest::collection::vec;
use proptest::prelude::*;

/// Up to eleven points, some of them tied, with weights.
fn points() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let value = prop_oneof![-10.0..10.0f64, (-3..4i32).prop_map(f64::from)];
    vec((value, 0.1..3.0f64), 1..11).prop_map(|pairs| pairs.into_iter().unzip())
}

/// Bounds for four gaps, of which a problem takes as many as it has.
fn bounds() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let room = prop_oneof![0.0..3.0f64, Just(0.0), Just(f64::INFINITY)];
    vec((prop_oneof![0.0..4.0f64, Just(0.0)], room), 4)
        .prop_map(|pairs| pairs.into_iter().map(|(lower, room)| (lower, lower + room)).unzip())
}

/// A sample, its points as the oracles take them, and a `k` that they allow.
fn problem(x: &[f64], w: &[f64], k: usize) -> (Sample, Vec<f64>, Vec<f64>, usize) {
    let sample = Sample::weighted(x, w).unwrap();
    let (x, w) = partitions::atoms(sample.values(), sample.weights().unwrap());
    let k = k.min(sample.distinct());
    (sample, x, w, k)
}

fn close(found: f64, truth: f64) -> bool {
    (found - truth).abs() <= 1e-9 * truth + 1e-12
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn unconstrained_is_the_cheapest_partition((x, w) in points(), k in 1..6usize) {
        let (sample, x, w, k) = problem(&x, &w, k);
        let fit = KMeans::new(k).fit(&sample).unwrap();
        let best = partitions::best_partition(&x, &w, k, None).unwrap();
        prop_assert!(fit.is_optimal() && close(fit.inertia(), best.cost), "{} {}", fit.inertia(), best.cost);
    }

    #[test]
    fn separated_is_the_cheapest_partition_that_holds((x, w) in points(), k in 1..6usize, (lower, upper) in bounds()) {
        let (sample, x, w, k) = problem(&x, &w, k);
        let bounds = Bounds { lower: &lower[..k - 1], upper: &upper[..k - 1] };
        let asked = GapBounds::per_gap(bounds.lower, bounds.upper).unwrap();
        match (KMeans::new(k).centers(Centers::Means).constraint(asked).fit(&sample), tables::best_partition(&x, &w, bounds)) {
            (Ok(fit), Some(best)) => {
                prop_assert!(fit.is_optimal() && close(fit.inertia(), best.cost), "{} {}", fit.inertia(), best.cost);
            }
            (Err(KMeansError::Infeasible { .. }), None) => {}
            (found, truth) => prop_assert!(false, "{found:?} where {truth:?} is true"),
        }
    }

    #[test]
    fn free_centres_are_the_best_of_any_partition((x, w) in points(), k in 1..5usize, (lower, upper) in bounds()) {
        let (sample, x, w, k) = problem(&x, &w, k);
        let bounds = Bounds { lower: &lower[..k - 1], upper: &upper[..k - 1] };
        let asked = GapBounds::per_gap(bounds.lower, bounds.upper).unwrap();
        let fit = KMeans::new(k).constraint(asked).centers(Centers::Free).fit(&sample).unwrap();
        let truth = free::least_cost(&x, &w, k, bounds);
        prop_assert!(close(fit.inertia(), truth), "{} is not {truth}", fit.inertia());
        prop_assert!(fit.lower_bound() <= truth * (1.0 + 1e-9) + 1e-12);
    }

    #[test]
    fn alternation_under_rows_is_bounded_by_the_truth((x, w) in points(), k in 2..5usize, (lower, upper) in bounds()) {
        // Bounds on gaps written as rows: what alternation finds is no better than the optimum, nor its bound above it.
        let (sample, x, w, k) = problem(&x, &w, k);
        prop_assume!(k > 1);
        let bounds = Bounds { lower: &lower[..k - 1], upper: &upper[..k - 1] };
        let matrix: Vec<f64> = (0..(k - 1) * k)
            .map(|at| match (at % k).wrapping_sub(at / k) {
                0 => -1.0,
                1 => 1.0,
                _ => 0.0,
            })
            .collect();
        let rows = LinearRows::new(k, &matrix, bounds.lower, bounds.upper).unwrap();
        let fit = KMeans::new(k).constraint(rows).fit(&sample).unwrap();
        let truth = free::least_cost(&x, &w, k, bounds);
        prop_assert!(fit.inertia() >= truth * (1.0 - 1e-9) - 1e-12, "{} beats {truth}", fit.inertia());
        prop_assert!(fit.lower_bound() <= truth * (1.0 + 1e-9) + 1e-12, "{} is above {truth}", fit.lower_bound());
    }

    #[test]
    fn the_papers_program_is_never_better_than_the_exact_one((x, _) in points(), k in 2..5usize, delta in 0.0..3.0f64) {
        let sample = Sample::new(&x).unwrap();
        let k = k.min(sample.distinct());
        let problem = || KMeans::new(k).centers(Centers::Means).constraint(GapBounds::lower(delta));
        if let Ok(paper) = problem().method(KMeansMethod::Paper).fit(&sample) {
            let exact = problem().fit(&sample).unwrap();
            prop_assert!(exact.inertia() <= paper.inertia() * (1.0 + 1e-9) + 1e-12);
        }
    }

    #[test]
    fn ties_together_is_the_same_as_distinct_values_with_weights((x, w) in points(), k in 1..5usize) {
        let (sample, x, w, k) = problem(&x, &w, k);
        let mut distinct: Vec<(f64, f64)> = Vec::new();
        for (&x, &w) in x.iter().zip(&w) {
            match distinct.last_mut() {
                Some(last) if last.0 == x => last.1 += w,
                _ => distinct.push((x, w)),
            }
        }
        let (values, weights): (Vec<f64>, Vec<f64>) = distinct.into_iter().unzip();
        let together = KMeans::new(k).ties(Ties::Together).fit(&sample).unwrap();
        let best = partitions::best_partition(&values, &weights, k, None).unwrap();
        prop_assert!(close(together.inertia(), best.cost));
    }

    #[test]
    fn an_iteration_is_the_plain_one(
        (x, w) in points(),
        means in vec(-8.0..8.0f64, 3),
        variances in vec(1.0..9.0f64, 3),
        (lower, upper) in bounds(),
    ) {
        let (sample, x, w, k) = problem(&x, &w, 3);
        prop_assume!(k == 3);
        let mut means = means;
        means.sort_by(f64::total_cmp);
        let start = Parameters::new(&[0.2, 0.5, 0.3], &means, &variances).unwrap();
        let asked = GapBounds::per_gap(&lower[..2], &upper[..2]).unwrap();
        let mixture = Mixture::new(3).method(mindgap::MixtureMethod::Paper).constraint(asked).init(start).max_iter(1);
        let fit = mixture.min_variance(1e-9).fit(&sample).unwrap();
        let from = em::Parameters { weights: vec![0.2, 0.5, 0.3], means, variances };
        let (next, likelihood) = em::iterate(&x, &w, &from, &lower[..2], &upper[..2]);
        prop_assume!(next.variances.iter().all(|&v| v > 1e-6) && next.means.is_sorted());
        prop_assert!((fit.history()[0] - likelihood).abs() <= 1e-8 * (1.0 + likelihood.abs()));
        // Means with no room between them may come back in either order.
        let plain_of = |plain: &[f64]| fit.origins().iter().map(|&k| plain[k]).collect::<Vec<_>>();
        let pairs = [
            (fit.means(), plain_of(&next.means)),
            (fit.weights(), plain_of(&next.weights)),
            (fit.variances(), plain_of(&next.variances)),
        ];
        for (ours, plain) in pairs {
            let close = ours.iter().zip(&plain).all(|(a, b)| (a - b).abs() <= 1e-6 * (1.0 + b.abs()));
            prop_assert!(close, "{ours:?} {plain:?}");
        }
    }
}
