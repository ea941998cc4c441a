//! Mixtures of binned and truncated data, slowly: every integral by Simpson's rule, plain EM.

use super::em::Parameters;

/// `∫ (x - μ)^j N(x; μ, v) dx` from `low` to `high`, j = 0, 1, 2.
fn integrals(mean: f64, variance: f64, low: f64, high: f64) -> [f64; 3] {
    let spread = variance.sqrt();
    let (from, to) = (low.max(mean - 12.0 * spread), high.min(mean + 12.0 * spread));
    let mut sums = [0.0; 3];
    if from >= to {
        return sums;
    }
    let pieces = 400;
    let step = (to - from) / f64::from(pieces);
    for i in 0..=pieces {
        let d = from + step * f64::from(i) - mean;
        let rule = if i == 0 || i == pieces { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
        let density = (-d * d / (2.0 * variance)).exp() / (std::f64::consts::TAU * variance).sqrt();
        (0..3).for_each(|j| sums[j] += rule * step / 3.0 * density * d.powi(j as i32));
    }
    sums
}

/// One iteration; the log-likelihood is that of the parameters given.
pub fn iterate(intervals: &[[f64; 2]], counts: &[f64], support: [f64; 2], p: &Parameters) -> (Parameters, f64) {
    let k = p.means.len();
    let (mut sums, mut likelihood) = (vec![[0.0; 3]; k], 0.0);
    let add = |parts: Vec<[f64; 3]>, weight: f64, sums: &mut Vec<[f64; 3]>| -> f64 {
        let probability: f64 = (0..k).map(|c| p.weights[c] * parts[c][0]).sum();
        for c in 0..k {
            (0..3).for_each(|j| sums[c][j] += weight * p.weights[c] * parts[c][j] / probability);
        }
        probability
    };
    let within = |low: f64, high: f64| -> Vec<[f64; 3]> {
        (0..k).map(|c| integrals(p.means[c], p.variances[c], low, high)).collect()
    };
    let total: f64 = counts.iter().sum();
    for (&[low, high], &count) in intervals.iter().zip(counts) {
        likelihood += count * add(within(low, high), count, &mut sums).ln();
    }
    let seen: f64 = within(support[0], support[1]).iter().zip(&p.weights).map(|(part, w)| w * part[0]).sum();
    likelihood -= total * seen.ln();
    let (below, above) = (within(f64::NEG_INFINITY, support[0]), within(support[1], f64::INFINITY));
    let beyond: Vec<[f64; 3]> =
        below.iter().zip(&above).map(|(a, b)| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]).collect();
    if support != [f64::NEG_INFINITY, f64::INFINITY] {
        add(beyond, total * (1.0 - seen) / seen, &mut sums);
    }
    let all: f64 = sums.iter().map(|sum| sum[0]).sum();
    let step = |c: usize| sums[c][1] / sums[c][0];
    let next = Parameters {
        weights: sums.iter().map(|sum| sum[0] / all).collect(),
        means: (0..k).map(|c| p.means[c] + step(c)).collect(),
        variances: (0..k).map(|c| sums[c][2] / sums[c][0] - step(c) * step(c)).collect(),
    };
    (next, likelihood)
}
