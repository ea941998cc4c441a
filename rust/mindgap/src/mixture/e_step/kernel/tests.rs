//! Every path of the inner loop against plain sums.

use super::*;
use crate::mixture::parameters::Parameters;

fn moments<const FUSED: bool>(x: &[f64], weights: Option<&[f64]>, parameters: &Parameters) -> Moments {
    let parabolas = Parabola::of(parameters);
    let pass = Pass { parabolas: &parabolas, scale: 1.0, shift: 0.0, classify: true, curved: false };
    let (mut scratch, mut moments) = (Scratch::new(parameters.k(), false), Moments::zero(parameters));
    let ends = [x[0], x[x.len() - 1]];
    pass.add_chunk::<FUSED>(x, weights, ends, &mut scratch, &mut moments);
    moments
}

/// The same sums, point by point with the library's functions.
fn plain(x: &[f64], weights: Option<&[f64]>, parameters: &Parameters) -> Moments {
    let mut moments = Moments::zero(parameters);
    for (i, &x) in x.iter().enumerate() {
        let w = weights.map_or(1.0, |weights| weights[i]);
        let logs: Vec<f64> = Parabola::of(parameters).iter().map(|p| p.at(x) * LN_2).collect();
        let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|l| (l - peak).exp()).sum();
        for (k, l) in logs.iter().enumerate() {
            let (r, d) = (w * (l - peak).exp() / total, x - parameters.means()[k]);
            moments.weight[k] += r;
            moments.first[k] += r * d;
            moments.second[k] += r * d * d;
        }
        moments.log_likelihood += w * (peak + total.ln());
        moments.classification = moments.classification.map(|sum| sum - w * total.ln());
    }
    moments
}

fn assert_close(a: &Moments, b: &Moments) {
    let all =
        |m: &Moments| [&m.weight[..], &m.first, &m.second, &[m.log_likelihood, m.classification.unwrap()]].concat();
    for (a, b) in all(a).iter().zip(all(b)) {
        assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{a} for {b}");
    }
}

#[test]
fn every_path_agrees_with_the_plain_sums() {
    let near = Parameters::new(&[0.3, 0.3, 0.4], &[-0.2, 0.1, 0.4], &[0.02, 0.01, 0.04]).unwrap();
    // Far apart and narrow: each point needs a reference of its own.
    let far = Parameters::new(&[0.3, 0.3, 0.4], &[-0.5, 0.1, 0.5], &[1e-4, 1e-3, 1e-6]).unwrap();
    for parameters in [near, far] {
        for n in [1, 15, 128, 130, 511, 512] {
            let x: Vec<f64> = (0..n).map(|i| f64::from(i) / f64::from(n) - 0.5).collect();
            let w: Vec<f64> = (0..n).map(|i| f64::from(i % 7) * 0.3 + 0.1).collect();
            for weights in [None, Some(&w[..])] {
                let expected = plain(&x, weights, &parameters);
                assert_close(&moments::<true>(&x, weights, &parameters), &expected);
                assert_close(&moments::<false>(&x, weights, &parameters), &expected);
            }
        }
    }
}
