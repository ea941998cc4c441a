//! Numbers that a caller might send: sound ones, tied ones, extreme ones, and any bit pattern at all.

use mindgap::{ConstraintError, GapBounds, LinearRows, Rows};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Cases a property, where `PROPTEST_CASES` does not say otherwise: the same ones every time, or with
/// `PROPTEST_RNG_SEED` others. Nothing is written on failure.
pub fn cases(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        rng_seed: proptest::test_runner::RngSeed::Fixed(seed.unwrap_or(0)),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Any double at all, with more than their share of zeros, infinities, NaN and the ends of the range.
pub fn any_bits() -> BoxedStrategy<f64> {
    let specials = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        1e-160,
        1e150,
        1e-9,
    ];
    prop_oneof![any::<u64>().prop_map(f64::from_bits), select(specials)].boxed()
}

/// Numbers of a size that fits most data.
pub fn mild() -> BoxedStrategy<f64> {
    prop_oneof![-10.0..10.0f64, (-5..5i32).prop_map(f64::from)].boxed()
}

/// Up to `most` data values of one kind: most of these kinds make a sample.
pub fn values(most: usize) -> BoxedStrategy<Vec<f64>> {
    let n = 0..=most;
    prop_oneof![
        4 => vec(-10.0..10.0f64, n.clone()),
        4 => vec((-4..4i32).prop_map(f64::from), n.clone()),
        2 => (vec(mild(), n.clone()), -500..500i32).prop_map(|(x, e)| scaled(x, 2f64.powi(e))),
        2 => (vec(mild(), n.clone()), mild()).prop_map(|(x, at)| x.iter().map(|x| x * 1e-3 + at * 1e9).collect()),
        2 => vec((-300..140i32, mild()).prop_map(|(e, x)| x * 10f64.powi(e)), n.clone()),
        1 => vec(prop_oneof![9 => mild(), 1 => any_bits()], n.clone()),
        1 => vec(any_bits(), n),
    ]
    .boxed()
}

fn scaled(x: Vec<f64>, by: f64) -> Vec<f64> {
    x.iter().map(|x| x * by).collect()
}

/// Data and, for some, weights.
pub fn data(most: usize) -> BoxedStrategy<(Vec<f64>, Option<Vec<f64>>)> {
    (values(most), 0..4usize)
        .prop_flat_map(|(x, kind)| {
            let n = x.len();
            let weights = match kind {
                0 | 1 => Just(None).boxed(),
                2 => vec(prop_oneof![Just(0.0), 0.1..3.0f64, (-30..30i32).prop_map(|e| 10f64.powi(e))], n)
                    .prop_map(Some)
                    .boxed(),
                _ => vec(prop_oneof![5 => 0.0..2.0f64, 1 => any_bits()], n.saturating_sub(1)..n + 2)
                    .prop_map(Some)
                    .boxed(),
            };
            (Just(x), weights)
        })
        .boxed()
}

/// A constraint as a caller would ask for it; building it may already fail.
#[derive(Clone, Debug)]
pub enum Asked {
    Lower(f64),
    Between(f64, f64),
    PerGap(Vec<f64>, Vec<f64>),
    Rows(usize, Vec<f64>, Vec<f64>, Vec<f64>),
}

impl Asked {
    pub fn rows(&self, k: usize) -> Result<Rows, ConstraintError> {
        match self {
            Self::Lower(delta) => GapBounds::lower(*delta).rows(k),
            Self::Between(lower, upper) => GapBounds::between(*lower, *upper)?.rows(k),
            Self::PerGap(lower, upper) => GapBounds::per_gap(lower, upper)?.rows(k),
            Self::Rows(k, matrix, lower, upper) => LinearRows::new(*k, matrix, lower, upper)?.rows(*k),
        }
    }

    /// Whether the gaps hold what was asked, to within `slack`.
    pub fn holds(&self, means: &[f64], slack: f64) -> bool {
        let within = |value: f64, lower: f64, upper: f64| value >= lower - slack && value <= upper + slack;
        let gaps: Vec<f64> = means.windows(2).map(|pair| pair[1] - pair[0]).collect();
        match self {
            Self::Lower(delta) => gaps.iter().all(|&gap| within(gap, *delta, f64::INFINITY)),
            Self::Between(lower, upper) => gaps.iter().all(|&gap| within(gap, *lower, *upper)),
            Self::PerGap(lower, upper) => gaps.iter().enumerate().all(|(g, &gap)| within(gap, lower[g], upper[g])),
            Self::Rows(k, matrix, lower, upper) => (0..lower.len()).all(|row| {
                let row_of = &matrix[row * k..(row + 1) * k];
                let value: f64 = row_of.iter().zip(means).map(|(a, m)| a * m).sum();
                let size: f64 = row_of.iter().zip(means).map(|(a, m)| (a * m).abs()).sum();
                let room = 1e-9 * size + slack * row_of.iter().map(|a| a.abs()).fold(0.0, f64::max);
                value >= lower[row] - room && value <= upper[row] + room
            }),
        }
    }
}

fn bound() -> BoxedStrategy<f64> {
    prop_oneof![6 => 0.0..3.0f64, 2 => Just(0.0), 1 => Just(f64::INFINITY), 1 => any_bits()].boxed()
}

/// Bounds on the gaps of about `k` centres.
pub fn gaps(k: usize) -> BoxedStrategy<Asked> {
    let n = k.saturating_sub(1);
    let each = |n: usize| vec(bound(), n);
    let sound = vec((0.0..2.0f64, 0.0..2.0f64), n).prop_map(|pairs| {
        let (lower, room): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let upper = lower.iter().zip(room).map(|(lower, room)| lower + room).collect();
        Asked::PerGap(lower, upper)
    });
    prop_oneof![
        3 => bound().prop_map(Asked::Lower),
        2 => (0.0..2.0f64, 0.0..2.0f64).prop_map(|(lower, room)| Asked::Between(lower, lower + room)),
        1 => (bound(), bound()).prop_map(|(lower, upper)| Asked::Between(lower, upper)),
        2 => sound,
        1 => (each(n), each(n)).prop_map(|(lower, upper)| Asked::PerGap(lower, upper)),
        1 => (each(n + 1), each(n)).prop_map(|(lower, upper)| Asked::PerGap(lower, upper)),
    ]
    .boxed()
}

/// Linear rows on about `k` means.
pub fn rows(k: usize) -> BoxedStrategy<Asked> {
    let sound = (1..5usize).prop_flat_map(move |rows| {
        let coefficient = prop_oneof![Just(0.0), Just(1.0), Just(-1.0), -3.0..3.0f64];
        (vec(coefficient, rows * k), vec((mild(), 0.0..3.0f64, 0..4usize), rows)).prop_map(move |(matrix, bounds)| {
            let (lower, upper) = bounds
                .into_iter()
                .map(|(at, room, kind)| match kind {
                    0 => (at, at),
                    1 => (at, f64::INFINITY),
                    2 => (f64::NEG_INFINITY, at),
                    _ => (at, at + room),
                })
                .unzip();
            Asked::Rows(k, matrix, lower, upper)
        })
    });
    let wild = (0..4usize, 0..2usize).prop_flat_map(move |(rows, off)| {
        (vec(prop_oneof![3 => mild(), 1 => any_bits()], rows * k + off), vec(any_bits(), rows), vec(any_bits(), rows))
            .prop_map(move |(matrix, lower, upper)| Asked::Rows(k, matrix, lower, upper))
    });
    prop_oneof![3 => sound, 1 => wild].boxed()
}
