//! Fits a file of doubles (little-endian) in every way the crate knows and prints the bits of what comes out, one result
//! a line: `embedder DATA K DELTA`.

use mindgap::{Centers, GapBounds, KMeans, KMeansFit, LinearRows, Mixture, MixtureFit, Sample};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, k, delta] = arguments.as_slice() else {
        return Err("usage: embedder DATA K DELTA".into());
    };
    let (k, delta): (usize, f64) = (k.parse()?, delta.parse()?);
    let bytes = std::fs::read(path)?;
    let x: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect();
    let sample = Sample::new(&x)?;

    let lower = GapBounds::lower(delta);
    let both = GapBounds::between(delta, 1.25 * delta)?;
    clusters("kmeans", &KMeans::new(k).fit(&sample)?);
    clusters("kmeans-lower", &KMeans::new(k).constraint(lower.clone()).fit(&sample)?);
    clusters("kmeans-two-sided", &KMeans::new(k).constraint(both.clone()).fit(&sample)?);
    clusters("kmeans-free", &KMeans::new(k).constraint(lower.clone()).centers(Centers::Free).fit(&sample)?);
    components("mixture", &Mixture::new(k).fit(&sample)?);
    components("mixture-lower", &Mixture::new(k).constraint(lower).fit(&sample)?);
    components("mixture-two-sided", &Mixture::new(k).constraint(both).fit(&sample)?);
    components("mixture-rows", &Mixture::new(k).constraint(equal_spacing(k)?).fit(&sample)?);
    Ok(())
}

/// Every gap is as long as the one before.
fn equal_spacing(k: usize) -> Result<LinearRows, mindgap::ConstraintError> {
    let rows = k.saturating_sub(2);
    let coefficient = |at: usize| match (at % k).wrapping_sub(at / k) {
        0 | 2 => 1.0,
        1 => -2.0,
        _ => 0.0,
    };
    let matrix: Vec<f64> = (0..rows * k).map(coefficient).collect();
    LinearRows::new(k, &matrix, &vec![0.0; rows], &vec![0.0; rows])
}

fn clusters(name: &str, fit: &KMeansFit) {
    let sizes: Vec<String> = fit.sizes().iter().map(usize::to_string).collect();
    println!("{name} {} {} {}", hex(fit.centers()), hex(&[fit.inertia(), fit.lower_bound()]), sizes.join(" "));
}

fn components(name: &str, fit: &MixtureFit) {
    let parameters = [fit.weights(), fit.means(), fit.variances(), &[fit.log_likelihood()]].concat();
    println!("{name} {} {}", hex(&parameters), fit.n_iter());
}

/// The bits of doubles, sixteen digits each.
fn hex(numbers: &[f64]) -> String {
    let digits: Vec<String> = numbers.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
    digits.join(" ")
}
