//! How much work fits take, in counts that are the same on every machine.
//!
//! A search that takes a wrong turn still ends at the right result, only later; here it shows. Limits are a hundredth
//! above what was counted when they were set: who makes a search longer on purpose raises them, who makes it shorter
//! lowers them.

use std::ops::Range;

use crate::dice::Dice;
use crate::monitor::COUNTED;
use crate::{
    Centers, CertifyOptions, GapBounds, KMeans, LinearRows, Mixture, Monitor, Sample, SpreadRatio, VarianceModel,
};

/// Units of work, reports, and results that are not proven, have not converged, or do not exist.
type Effort = [u64; 3];

/// What fits to samples of six kinds count.
fn effort(n: usize, seed: u64, fit: impl FnMut(&Sample) -> bool) -> Effort {
    effort_on(0..6, n, seed, fit)
}

/// What fits to these kinds of samples count: overlapping groups, even values, ties, weights, heavy tails, tight groups
/// far apart.
fn effort_on(kinds: Range<u64>, n: usize, seed: u64, mut fit: impl FnMut(&Sample) -> bool) -> Effort {
    COUNTED.set([0; 2]);
    let mut open = 0;
    for kind in kinds {
        let mut dice = Dice(seed + kind);
        let values: Vec<f64> = (0..n).map(|i| value(kind, i, &mut dice)).collect();
        let sample = match kind {
            3 => Sample::weighted(&values, &values.iter().map(|_| dice.size(1.0)).collect::<Vec<_>>()),
            _ => Sample::new(&values),
        };
        open += u64::from(!fit(&sample.unwrap()));
    }
    let [work, reports] = COUNTED.get();
    [work, reports, open]
}

fn value(kind: u64, i: usize, dice: &mut Dice) -> f64 {
    let normal = (0..12).map(|_| dice.unit()).sum::<f64>() - 6.0;
    match kind {
        0 => 2.0 * (i % 5) as f64 + normal,
        1 => 10.0 * dice.unit(),
        2 => (4.0 * (2.5 * (i % 4) as f64 + normal)).round() / 4.0,
        3 => 3.0 * (i % 3) as f64 + normal,
        4 => normal.powi(3),
        _ => [0.0, 1.0, 4.0, 4.5, 20.0][i % 5] + 0.05 * normal,
    }
}

#[track_caller]
fn assert_within<const N: usize>(counted: [Effort; N], limits: [Effort; N]) {
    let within = counted.iter().flatten().zip(limits.iter().flatten()).all(|(counted, limit)| counted <= limit);
    assert!(within, "counted {counted:?}, at most {limits:?}");
}

fn kmeans(k: usize, centers: Centers, constraint: GapBounds) -> impl FnMut(&Sample) -> bool {
    let kmeans = KMeans::new(k).centers(centers).constraint(constraint);
    move |sample| kmeans.fit(sample).is_ok_and(|fit| fit.is_optimal())
}

#[test]
fn without_a_constraint() {
    let free = |n: usize, k: usize| effort(n, 11, kmeans(k, Centers::Free, GapBounds::lower(0.0)));
    assert_within(
        [free(3000, 2), free(3000, 7), free(3000, 40), free(700, 150), free(40_000, 6)],
        [[1_851, 49, 0], [7_223, 70, 0], [24_887, 88, 0], [19_089, 82, 1], [18_393, 192, 0]],
    );
}

#[test]
fn free_centres() {
    let gaps = GapBounds::per_gap(&[1.0, 2.5, 0.0, 3.0], &[2.0, 2.6, 2.0, f64::INFINITY]).unwrap();
    let free = |n, seed, k, gaps| effort(n, seed, kmeans(k, Centers::Free, gaps));
    let between = |lower, upper| GapBounds::between(lower, upper).unwrap();
    assert_within(
        [
            effort_on(0..4, 2000, 12, kmeans(5, Centers::Free, GapBounds::lower(2.2))),
            free(500, 13, 4, between(2.4, 2.5)),
            free(700, 14, 5, gaps),
            free(30, 28, 3, GapBounds::lower(2.0)),
            free(1000, 15, 40, GapBounds::lower(0.2)),
            free(1000, 15, 40, between(0.2, 0.25)),
            free(1000, 15, 40, GapBounds::lower(0.4)),
        ],
        [
            [665_275, 117, 0],
            [538_333, 149, 0],
            [485_682, 157, 0],
            [370, 66, 0],
            [1_656_419, 291, 0],
            [1_658_256, 417, 0],
            [2_051_204, 380, 0],
        ],
    );
}

#[test]
fn means() {
    let means = |n, seed, k, gaps| effort(n, seed, kmeans(k, Centers::Means, gaps));
    let between = |lower, upper| GapBounds::between(lower, upper).unwrap();
    assert_within(
        [
            means(2000, 16, 5, GapBounds::lower(1.9)),
            means(500, 17, 4, between(1.5, 2.6)),
            means(1000, 18, 40, GapBounds::lower(0.2)),
        ],
        [[643_024, 85, 0], [188_289, 37, 2], [3_342_763, 291, 1]],
    );
}

#[test]
fn sizes() {
    let counted = [Centers::Free, Centers::Means].map(|centers| {
        let kmeans = KMeans::new(4).centers(centers).min_size(40.0).max_size(240.0).constraint(GapBounds::lower(1.0));
        effort(400, 19, |sample| kmeans.fit(sample).is_ok_and(|fit| fit.is_optimal()))
    });
    assert_within(counted, [[72_546, 97, 0], [177_399, 0, 0]]);
}

#[test]
fn rows() {
    let kmeans = KMeans::new(3).constraint(LinearRows::new(3, &[1.0, -2.0, 1.0], &[0.0], &[0.0]).unwrap());
    let counted = effort(600, 20, |sample| kmeans.fit(sample).is_ok_and(|fit| fit.is_optimal()));
    assert_within([counted], [[1_171, 1_065, 6]]);
}

#[test]
fn mixtures() {
    let fitted =
        |n, seed, mixture: Mixture| effort(n, seed, |sample| mixture.fit(sample).is_ok_and(|fit| fit.converged()));
    let between = GapBounds::between(1.9, 2.1).unwrap();
    assert_within(
        [
            fitted(300, 21, Mixture::new(3)),
            fitted(300, 22, Mixture::new(4).variances(VarianceModel::Equal)),
            fitted(200, 23, Mixture::new(4).constraint(between)),
            fitted(200, 24, Mixture::new(5).constraint(GapBounds::lower(1.8))),
        ],
        [[0, 1_661, 0], [0, 825, 0], [0, 9_200, 0], [0, 12_518, 0]],
    );
}

/// What certificates count: values of the derivative, steps of the weights; and how many stay open. On one thread,
/// where they count.
fn certified(mixture: Mixture, seed: u64) -> Effort {
    let work = || {
        effort_on(0..4, 200, seed, |sample| {
            let fit = mixture.fit(sample).unwrap();
            let certificate = mixture.certify(sample, &fit, CertifyOptions::default(), &mut Monitor::default());
            certificate.unwrap().upper_bound().is_some()
        })
    };
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work)
}

#[test]
fn certificates() {
    let (gaps, ratio) = (GapBounds::between(1.9, 2.1).unwrap(), SpreadRatio::new(5.0).unwrap());
    let counted = [
        certified(Mixture::new(2).constraint(ratio), 25),
        certified(Mixture::new(3).variances(VarianceModel::Equal).constraint(gaps), 26),
        certified(Mixture::new(2).constraint(GapBounds::lower(1.9) & ratio), 27),
    ];
    assert_within(counted, [[118_801, 7_270, 0], [37_776, 14_985, 0], [117_962, 9_087, 0]]);
}
