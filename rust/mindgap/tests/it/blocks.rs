//! Constraints on weights and spreads: they hold, the likelihood never falls, and contradictions are named.

use crate::oracle::random::Random;
use mindgap::error::ErrorKind;
use mindgap::{
    All, BoxError, ConstantCv, Constraint, ConstraintError, EqualSpreads, Finding, FixedSpreads, FixedWeights,
    GapBounds, KMeans, KMeansError, LinearRows, Mixture, MixtureError, MixtureFit, Parameters, PrecisionRows, Rows,
    Sample, SpreadRatio, VarianceModel, WeightBounds, WeightRatio,
};
use std::sync::Arc;

/// Three overlapping heaps.
fn points(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| {
            let c = random.below(3);
            2.0 * c as f64 + (0..6).map(|_| random.uniform(-0.5, 0.5)).sum::<f64>() * (0.5 + 0.4 * c as f64)
        })
        .collect()
}

fn start() -> Parameters {
    Parameters::new(&[0.3, 0.3, 0.4], &[-0.5, 2.5, 3.5], &[1.0, 0.5, 0.8]).unwrap()
}

fn fit(constraint: impl Constraint + 'static, x: &[f64]) -> MixtureFit {
    let fit = Mixture::new(3).constraint(constraint).init(start()).max_iter(80).fit(&Sample::new(x).unwrap()).unwrap();
    for pair in fit.history()[1..].windows(2) {
        assert!(pair[1] >= pair[0] - 1e-11 * (x.len() as f64 + pair[0].abs()), "{pair:?}");
    }
    assert!((fit.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    fit
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * b.abs().max(1.0)
}

#[test]
fn weights_hold_and_the_likelihood_never_falls() {
    let mut random = Random::new(21);
    for _ in 0..40 {
        let x = points(&mut random, 150);
        let fixed = fit(FixedWeights::new(&[0.5, 0.2, 0.3]).unwrap(), &x);
        assert_eq!(fixed.weights(), [0.5, 0.2, 0.3]);
        let bounded = fit(WeightBounds::new(&[0.4, 0.0, 0.1], &[1.0, 0.3, 0.3]).unwrap(), &x);
        let w = bounded.weights();
        assert!(w[0] >= 0.4 - 1e-12 && w[1] <= 0.3 + 1e-12 && (0.1..=0.3 + 1e-12).contains(&w[2]), "{w:?}");
        let tied = fit(GapBounds::lower(1.0) & WeightRatio::new(0, 2, 2.0).unwrap(), &x);
        assert!(close(tied.weights()[0], 2.0 * tied.weights()[2]), "{:?}", tied.weights());
        assert!(tied.means().is_sorted() && tied.gaps().iter().all(|gap| *gap >= 1.0 - 1e-10));
        // A ratio and a bound together need the program; a free fit is never worse.
        let both =
            fit(WeightRatio::new(0, 2, 2.0).unwrap() & WeightBounds::new(&[0.0; 3], &[1.0, 0.2, 1.0]).unwrap(), &x);
        assert!(close(both.weights()[0], 2.0 * both.weights()[2]) && both.weights()[1] <= 0.2 + 1e-10);
    }
}

#[test]
fn spreads_hold_and_the_likelihood_never_falls() {
    let mut random = Random::new(22);
    for _ in 0..40 {
        let x = points(&mut random, 150);
        let spreads = |fit: &MixtureFit| fit.variances().iter().map(|v| v.sqrt()).collect::<Vec<f64>>();
        let fixed = spreads(&fit(FixedSpreads::new(&[Some(0.7), None, Some(1.1)]).unwrap(), &x));
        assert!(close(fixed[0], 0.7) && close(fixed[2], 1.1), "{fixed:?}");
        let equal = spreads(&fit(EqualSpreads, &x));
        assert!(close(equal[0], equal[1]) && close(equal[1], equal[2]));
        let all = fit(
            GapBounds::lower(1.5) & SpreadRatio::new(1.5).unwrap() & FixedWeights::new(&[0.3, 0.3, 0.4]).unwrap(),
            &x,
        );
        let ratio = spreads(&all);
        let (low, high) = ratio.iter().fold((f64::MAX, 0.0_f64), |(l, h), s| (l.min(*s), h.max(*s)));
        assert!(high <= 1.5 * low * (1.0 + 1e-12), "{ratio:?}");
        assert_eq!(all.weights(), [0.3, 0.3, 0.4]);
        // σ₂ is twice σ₀, which is no bound on a single spread: p₀ - 4 p₂ = 0.
        let linear = LinearRows::new(3, &[1.0, 0.0, -4.0], &[0.0], &[0.0]).unwrap();
        let tied = spreads(&fit(Own(linear), &x));
        assert!(close(tied[2], 2.0 * tied[0]), "{tied:?}");
    }
}

/// Rows on precisions that no built-in constraint has.
#[derive(Debug)]
struct Own(LinearRows);

impl Constraint for Own {
    fn rows(&self, k: usize) -> Result<mindgap::Rows, mindgap::BoxError> {
        Ok(mindgap::Rows::none(k))
    }

    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, mindgap::BoxError> {
        Ok(Some(PrecisionRows::linear(self.0.clone())))
    }
}

#[test]
fn units_do_not_matter() {
    let x = points(&mut Random::new(23), 200);
    let base = fit(FixedSpreads::new(&[Some(0.7), None, Some(1.1)]).unwrap() & SpreadRatio::new(3.0).unwrap(), &x);
    for scale in [1e-6, 3.0, 1e7] {
        let y: Vec<f64> = x.iter().map(|x| x * scale).collect();
        let known = FixedSpreads::new(&[Some(0.7 * scale), None, Some(1.1 * scale)]).unwrap();
        let scaled = |values: &[f64], by: f64| values.iter().map(|v| v * by).collect::<Vec<f64>>();
        let from = Parameters::new(
            start().weights(),
            &scaled(start().means(), scale),
            &scaled(start().variances(), scale * scale),
        );
        let constraint = known & SpreadRatio::new(3.0).unwrap();
        let sample = Sample::new(&y).unwrap();
        let fit = Mixture::new(3).constraint(constraint).init(from.unwrap()).max_iter(80).fit(&sample).unwrap();
        assert!(fit.variances().iter().zip(base.variances()).all(|(a, b)| (a / scale / scale / b - 1.0).abs() < 1e-9));
    }
}

/// Any rows on the weights.
#[derive(Debug)]
struct OnWeights(LinearRows);

impl Constraint for OnWeights {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        Ok(Rows::none(k))
    }

    fn weight_rows(&self, _k: usize) -> Result<Option<LinearRows>, BoxError> {
        Ok(Some(self.0.clone()))
    }
}

#[test]
fn what_nobody_can_hold_is_named() {
    let sample = Sample::new(&points(&mut Random::new(24), 60)).unwrap();
    let refused = |constraint: Arc<dyn Constraint>| Mixture::new(3).constraint(constraint).fit(&sample).unwrap_err();
    assert!(matches!(FixedWeights::new(&[0.5, 0.6]), Err(ConstraintError::BadWeights { .. })));
    assert!(matches!(FixedWeights::new(&[1.0, 0.0]), Err(ConstraintError::BadWeights { .. })));
    assert!(matches!(WeightBounds::new(&[0.6, 0.6], &[1.0, 1.0]), Err(ConstraintError::BadWeights { .. })));
    assert!(matches!(WeightRatio::new(1, 1, 2.0), Err(ConstraintError::BadWeights { .. })));
    assert!(matches!(SpreadRatio::new(0.5), Err(ConstraintError::BadSpreads { .. })));
    assert!(matches!(FixedSpreads::new(&[Some(-1.0)]), Err(ConstraintError::BadSpreads { .. })));
    let two = Arc::new(FixedWeights::new(&[0.5, 0.5]).unwrap());
    assert_eq!(refused(two).to_string(), "2 weights are given for 3 components; give one for each");
    let clash = FixedWeights::new(&[0.5, 0.2, 0.3]).unwrap() & FixedWeights::new(&[0.4, 0.3, 0.3]).unwrap();
    assert!(matches!(refused(Arc::new(clash)), MixtureError::InfeasibleBlock { block: "weights", .. }));
    // The first row contradicts the sum of one; the second contradicts nothing.
    let rows = LinearRows::new(3, &[1.0, 1.0, 1.0, 1.0, 1.0, 0.0], &[1.5, 0.1], &[2.0, 0.9]).unwrap();
    match refused(Arc::new(OnWeights(rows))) {
        MixtureError::InfeasibleBlock { block: "weights", what } => assert!(what.contains("[0]"), "{what}"),
        other => panic!("{other}"),
    }
    let clash = FixedSpreads::new(&[Some(1.0), None, Some(9.0)]).unwrap() & SpreadRatio::new(2.0).unwrap();
    assert!(matches!(refused(Arc::new(clash)), MixtureError::InfeasibleBlock { block: "spreads", .. }));
    let vanish = WeightRatio::new(0, 1, 2.0).unwrap() & WeightRatio::new(0, 1, 3.0).unwrap();
    let error = refused(Arc::new(vanish));
    assert!(error.to_string().contains("unless component"), "{error}");
    let kmeans = KMeans::new(3).constraint(SpreadRatio::new(2.0).unwrap()).fit(&sample).unwrap_err();
    assert_eq!(kmeans, KMeansError::Constraint(ConstraintError::NotOfCenters { what: "spreads" }));
    let kmeans = KMeans::new(3).constraint(All::new([two_weights()])).fit(&sample).unwrap_err();
    assert_eq!(kmeans, KMeansError::Constraint(ConstraintError::NotOfCenters { what: "weights" }));
}

fn two_weights() -> Arc<dyn Constraint> {
    Arc::new(FixedWeights::new(&[0.5, 0.2, 0.3]).unwrap())
}

#[test]
fn one_component_has_every_weight_and_any_spread() {
    let sample = Sample::new(&[1.0, 2.0, 4.0, 9.0]).unwrap();
    let known =
        FixedWeights::new(&[1.0]).unwrap() & SpreadRatio::new(1.0).unwrap() & FixedSpreads::new(&[Some(2.0)]).unwrap();
    let fit = Mixture::new(1).constraint(known).fit(&sample).unwrap();
    assert_eq!((fit.weights(), fit.means()), (&[1.0][..], &[4.0][..]));
    assert!(close(fit.variances()[0], 4.0));
}

/// Positive heaps whose spread is a share of their place.
fn shares(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| [10.0, 20.0, 40.0][random.below(3)] * (1.0 + 0.12 * random.normal())).collect()
}

fn height(x: &[f64], weights: &[f64], means: &[f64], spreads: &[f64]) -> f64 {
    let density = |x: f64, c: usize| {
        weights[c] * (-0.5 * ((x - means[c]) / spreads[c]).powi(2)).exp() / spreads[c] / std::f64::consts::TAU.sqrt()
    };
    x.iter().map(|&x| (0..means.len()).map(|c| density(x, c)).sum::<f64>().ln()).sum()
}

#[test]
fn a_constant_coefficient_of_variation_holds_and_is_best() {
    let mut random = Random::new(31);
    for (case, given) in [None, Some(0.1), None].into_iter().enumerate() {
        let x = shares(&mut random, 400);
        let known = GapBounds::lower(if case == 2 { 15.0 } else { 1.0 }) & ConstantCv::new(given).unwrap();
        let fit = Mixture::new(3).constraint(known).fit(&Sample::new(&x).unwrap()).unwrap();
        let ratios: Vec<f64> = (0..3).map(|c| fit.variances()[c].sqrt() / fit.means()[c]).collect();
        assert!(ratios.iter().all(|ratio| close(*ratio, given.unwrap_or(ratios[0]))), "{ratios:?}");
        assert!(fit.converged() && fit.newton_decrement().unwrap() < 1e-8, "{:?}", fit.status());
        assert!(fit.history().windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{:?}", fit.history());
        let at = |weights: &[f64], means: &[f64], c: f64| {
            height(&x, weights, means, &means.iter().map(|m| c * m).collect::<Vec<_>>())
        };
        let top = at(fit.weights(), fit.means(), ratios[0]);
        assert!((top - fit.log_likelihood()).abs() < 1e-8 * top.abs());
        for size in [1e-3, 1e-2, 0.1] {
            for _ in 0..100 {
                let means: Vec<f64> = fit.means().iter().map(|m| m * (1.0 + size * random.normal())).collect();
                let mut weights: Vec<f64> =
                    fit.weights().iter().map(|w| w * (1.0 + size * random.normal()).abs()).collect();
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|w| *w /= sum);
                let c = given.unwrap_or(ratios[0] * (1.0 + size * random.normal()));
                if means.windows(2).all(|pair| pair[1] - pair[0] >= if case == 2 { 15.0 } else { 1.0 }) && c > 0.0 {
                    assert!(at(&weights, &means, c) <= top + 1e-7, "better at {weights:?} {means:?} {c}");
                }
            }
        }
    }
}

#[test]
fn a_constant_coefficient_of_variation_says_what_it_cannot_do() {
    let cv = |c: Option<f64>| ConstantCv::new(c).unwrap();
    assert!(ConstantCv::new(Some(0.0)).is_err() && ConstantCv::new(Some(f64::NAN)).is_err());
    let fit = |constraint: All, x: &[f64]| Mixture::new(2).constraint(constraint).fit(&Sample::new(x).unwrap());
    let x = [1.0, 1.2, 1.3, 3.0, 3.4, 3.9];
    for clash in [cv(None) & SpreadRatio::new(2.0).unwrap(), cv(Some(0.1)) & cv(Some(0.2)), cv(None) & EqualSpreads] {
        assert!(matches!(fit(clash, &x), Err(MixtureError::InfeasibleBlock { block: "spreads", .. })));
    }
    let negative = fit(cv(None) & mindgap::Unconstrained, &[-1.0, 1.0, 2.0, 3.0]);
    assert!(matches!(negative, Err(MixtureError::Constraint(ConstraintError::BadSpreads { .. }))));
    let kmeans = KMeans::new(2).constraint(cv(None)).fit(&Sample::new(&x).unwrap());
    assert!(matches!(kmeans, Err(KMeansError::Constraint(ConstraintError::NotOfCenters { .. }))));
    let one = Mixture::new(1).constraint(cv(Some(0.5))).fit(&Sample::new(&x).unwrap()).unwrap();
    assert!(close(one.variances()[0].sqrt(), 0.5 * one.means()[0]));
}

#[test]
fn climbs_under_fixed_and_tied_weights_arrive() {
    let mut random = Random::new(33);
    let x = points(&mut random, 300);
    let sample = Sample::new(&x).unwrap();
    let known: [Arc<dyn Constraint>; 4] = [
        Arc::new(FixedWeights::new(&[0.3, 0.3, 0.4]).unwrap()),
        Arc::new(WeightRatio::new(0, 1, 0.5).unwrap()),
        Arc::new(FixedWeights::new(&[0.2, 0.4, 0.4]).unwrap() & WeightRatio::new(0, 1, 0.5).unwrap()),
        Arc::new(GapBounds::lower(1.5) & FixedWeights::new(&[0.3, 0.3, 0.4]).unwrap() & EqualSpreads),
    ];
    for constraint in known {
        let fit = Mixture::new(3).constraint(constraint).fit(&sample).unwrap();
        assert!(fit.converged() && fit.newton_decrement().unwrap() < 1e-8, "{:?} {:?}", fit.status(), fit.weights());
    }
}

#[test]
fn equal_variances_beside_rows_are_equal_or_infeasible() {
    let x = points(&mut Random::new(24), 200);
    let sample = Sample::new(&x).unwrap();
    let equal = |constraint: Own| Mixture::new(3).variances(VarianceModel::Equal).constraint(constraint).fit(&sample);
    let spreads = |fit: &MixtureFit| fit.variances().iter().map(|v| v.sqrt()).collect::<Vec<f64>>();
    let fixed = |spreads: &[Option<f64>]| Mixture::new(3).constraint(FixedSpreads::new(spreads).unwrap());
    let one = fixed(&[Some(0.7), None, None]).variances(VarianceModel::Equal).fit(&sample).unwrap();
    assert!(spreads(&one).iter().all(|spread| close(*spread, 0.7)), "{:?}", spreads(&one));
    let two = fixed(&[Some(0.7), None, Some(1.1)]).variances(VarianceModel::Equal).fit(&sample).unwrap_err();
    assert_eq!(two.kind(), ErrorKind::Infeasible);
    let halves = LinearRows::new(3, &[1.0, 0.0, -4.0], &[0.0], &[0.0]).unwrap();
    assert_eq!(equal(Own(halves)).unwrap_err().kind(), ErrorKind::Infeasible);
    // No bound on a single precision, and satisfied by equal ones.
    let sum = LinearRows::new(3, &[1.0, 1.0, 1.0], &[3.0], &[f64::INFINITY]).unwrap();
    let summed = equal(Own(sum)).unwrap();
    assert!(spreads(&summed).windows(2).all(|pair| close(pair[0], pair[1])), "{:?}", spreads(&summed));
}

#[test]
fn spreads_that_are_fixed_or_as_large_as_allowed_are_no_finding() {
    let x = points(&mut Random::new(25), 200);
    let sample = Sample::new(&x).unwrap();
    let held = |constraint: Box<dyn Constraint>| {
        let fit = Mixture::new(3).constraint(constraint).fit(&sample).unwrap();
        fit.findings().iter().filter(|finding| matches!(finding, Finding::SpreadAtBound { .. })).count()
    };
    assert_eq!(held(Box::new(FixedSpreads::new(&[Some(0.7), None, Some(1.1)]).unwrap())), 0);
    // Precisions of at least 100: no spread above 0.1.
    let wide = LinearRows::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[100.0; 3], &[f64::INFINITY; 3]);
    assert_eq!(held(Box::new(Own(wide.unwrap()))), 0);
    // Precisions of at most 0.01: no spread below 10.
    let narrow = LinearRows::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 3], &[0.01; 3]);
    assert!(held(Box::new(Own(narrow.unwrap()))) > 0);
}

#[test]
fn bounds_on_weights_that_cannot_sum_to_one_say_which() {
    let sample = Sample::new(&points(&mut Random::new(26), 50)).unwrap();
    let bounds = |lower: [f64; 3], upper: [f64; 3]| WeightBounds::new(&lower, &upper).unwrap();
    let refused = |both: All| Mixture::new(3).constraint(both).fit(&sample).unwrap_err().to_string();
    let high = bounds([0.5, 0.0, 0.0], [1.0; 3]) & bounds([0.0, 0.5, 0.25], [1.0; 3]);
    assert!(refused(high).contains("lower bounds that sum to 1.25, which is more than 1"));
    let low = bounds([0.0; 3], [0.25, 1.0, 1.0]) & bounds([0.0; 3], [1.0, 0.25, 0.25]);
    assert!(refused(low).contains("upper bounds that sum to 0.75, which is less than 1"));
}
