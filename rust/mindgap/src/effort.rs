//! How much work fits take, in counts that are the same on every machine.
//!
//! A search that takes a wrong turn still ends at the right result, only later; here it shows. Limits are a tenth above what was
//! counted when they were set.

use crate::dice::Dice;
use crate::monitor::COUNTED;
use crate::{
    Centers, CertifyOptions, GapBounds, KMeans, LinearRows, Mixture, Monitor, Sample, SpreadRatio, VarianceModel,
};

/// Units of work, reports, and results that are not proven or have not converged.
type Effort = [u64; 3];

/// What fits to four samples count: overlapping groups, even values, ties, weights.
fn effort(n: usize, seed: u64, mut fit: impl FnMut(&Sample) -> bool) -> Effort {
    COUNTED.set([0; 2]);
    let mut open = 0;
    for kind in 0..4 {
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
        _ => 3.0 * (i % 3) as f64 + normal,
    }
}

#[track_caller]
fn assert_within<const N: usize>(counted: [Effort; N], limits: [Effort; N]) {
    let within = counted.iter().flatten().zip(limits.iter().flatten()).all(|(counted, limit)| counted <= limit);
    assert!(within, "counted {counted:?}, at most {limits:?}");
}

fn kmeans(k: usize, centers: Centers, constraint: GapBounds) -> impl FnMut(&Sample) -> bool {
    let kmeans = KMeans::new(k).centers(centers).constraint(constraint);
    move |sample| kmeans.fit(sample).unwrap().is_optimal()
}

#[test]
fn without_a_constraint() {
    let counted = [2, 7, 40].map(|k| effort(3000, 11, kmeans(k, Centers::Free, GapBounds::lower(0.0))));
    assert_within(counted, [[0, 27, 0], [0, 53, 0], [0, 70, 0]]);
}

#[test]
fn free_centres() {
    let gaps = GapBounds::per_gap(&[1.0, 2.5, 0.0, 3.0], &[2.0, 2.6, 2.0, f64::INFINITY]).unwrap();
    let counted = [
        effort(2000, 12, kmeans(5, Centers::Free, GapBounds::lower(2.2))),
        effort(500, 13, kmeans(4, Centers::Free, GapBounds::between(2.4, 2.5).unwrap())),
        effort(700, 14, kmeans(5, Centers::Free, gaps)),
        effort(1000, 15, kmeans(40, Centers::Free, GapBounds::lower(0.2))),
        effort(1000, 15, kmeans(40, Centers::Free, GapBounds::between(0.2, 0.25).unwrap())),
        effort(1000, 15, kmeans(40, Centers::Free, GapBounds::lower(0.4))),
    ];
    let few = [[724_557, 107, 0], [496_323, 80, 0], [448_802, 93, 0]];
    let many = [[29_268, 148, 0], [538_267, 273, 0], [1_100_015, 257, 0]];
    assert_within(counted, [few[0], few[1], few[2], many[0], many[1], many[2]]);
}

#[test]
fn means() {
    let counted = [
        effort(2000, 16, kmeans(5, Centers::Means, GapBounds::lower(1.9))),
        effort(500, 17, kmeans(4, Centers::Means, GapBounds::between(1.5, 2.6).unwrap())),
        effort(1000, 18, kmeans(40, Centers::Means, GapBounds::lower(0.2))),
    ];
    assert_within(counted, [[423_643, 60, 0], [158_815, 30, 0], [1_741_702, 203, 0]]);
}

#[test]
fn sizes() {
    let counted = [Centers::Free, Centers::Means].map(|centers| {
        let kmeans = KMeans::new(4).centers(centers).min_size(40.0).max_size(240.0).constraint(GapBounds::lower(1.0));
        effort(400, 19, |sample| kmeans.fit(sample).is_ok_and(|fit| fit.is_optimal()))
    });
    assert_within(counted, [[1_760, 66, 0], [133_600, 0, 0]]);
}

#[test]
fn rows() {
    let kmeans = KMeans::new(3).constraint(LinearRows::new(3, &[1.0, -2.0, 1.0], &[0.0], &[0.0]).unwrap());
    let counted = effort(600, 20, |sample| kmeans.fit(sample).unwrap().is_optimal());
    assert_within([counted], [[0, 935, 4]]);
}

#[test]
fn mixtures() {
    let fitted = |mixture: Mixture| move |sample: &Sample| mixture.fit(sample).unwrap().converged();
    let counted = [
        effort(300, 21, fitted(Mixture::new(3))),
        effort(300, 22, fitted(Mixture::new(4).variances(VarianceModel::Equal))),
        effort(300, 23, fitted(Mixture::new(4).constraint(GapBounds::between(1.9, 2.1).unwrap()))),
        effort(300, 24, fitted(Mixture::new(5).constraint(GapBounds::lower(1.8)))),
    ];
    assert_within(counted, [[0, 1_337, 0], [0, 656, 0], [0, 7_094, 0], [0, 7_443, 0]]);
}

/// The nodes of certificates, and how many stay open.
fn certified(mixture: Mixture, seed: u64) -> Effort {
    let mut nodes = 0;
    let [.., open] = effort(200, seed, |sample| {
        let fit = mixture.fit(sample).unwrap();
        let certificate = mixture.certify(sample, &fit, CertifyOptions::default(), &mut Monitor::default()).unwrap();
        nodes += certificate.nodes() as u64;
        certificate.upper_bound().is_some()
    });
    [nodes, 0, open]
}

#[test]
fn certificates() {
    let (gaps, ratio) = (GapBounds::between(1.9, 2.1).unwrap(), SpreadRatio::new(5.0).unwrap());
    let counted = [
        certified(Mixture::new(2).constraint(ratio), 25),
        certified(Mixture::new(3).variances(VarianceModel::Equal).constraint(gaps), 26),
        certified(Mixture::new(3).constraint(GapBounds::lower(1.9) & ratio), 27),
    ];
    assert_within(counted, [[392, 0, 0], [539, 0, 0], [2_407, 0, 0]]);
}
