//! Fits a file of doubles (little-endian) in every way the crate knows and prints the bits of what comes out, one
//! result a line: `embedder DATA K DELTA [ITERATIONS [WEIGHTS]]`. A fit that is refused is a line too. `embedder
//! --vectors` prints which vector instructions the crate finds on this processor.

use mindgap::{
    BoxError, Centers, Chunk, Chunked, GapBounds, KMeans, KMeansFit, LinearRows, Mixture, MixtureFit, MomentSums,
    Parameters, Sample,
};
use std::error::Error;
use std::fmt::Display;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--vectors"] => vectors(),
        [path, k, delta] => fits(doubles(path)?, None, k.parse()?, delta.parse()?, None)?,
        [path, k, delta, most] => fits(doubles(path)?, None, k.parse()?, delta.parse()?, Some(most.parse()?))?,
        [path, k, delta, most, weights] => {
            fits(doubles(path)?, Some(doubles(weights)?), k.parse()?, delta.parse()?, Some(most.parse()?))?;
        }
        _ => return Err("usage: embedder DATA K DELTA [ITERATIONS [WEIGHTS]], or embedder --vectors".into()),
    }
    Ok(())
}

fn vectors() {
    let found = format!("{:?}", pulp::Arch::new());
    println!("{}", found.split('(').next().unwrap_or(&found));
}

fn doubles(path: &str) -> std::io::Result<Vec<f64>> {
    Ok(std::fs::read(path)?.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect())
}

fn fits(
    x: Vec<f64>,
    weights: Option<Vec<f64>>,
    k: usize,
    delta: f64,
    most: Option<usize>,
) -> Result<(), Box<dyn Error>> {
    let sample = match &weights {
        Some(weights) => Sample::weighted(&x, weights)?,
        None => Sample::new(&x)?,
    };
    let lower = GapBounds::lower(delta);
    let both = GapBounds::between(delta, 1.25 * delta)?;
    let rows = equal_spacing(k)?;
    let kmeans = || KMeans::new(k);
    let mixture = || most.map_or(Mixture::new(k), |most| Mixture::new(k).max_iter(most));
    clusters("kmeans", kmeans().fit(&sample));
    clusters("kmeans-lower", kmeans().constraint(lower.clone()).centers(Centers::Means).fit(&sample));
    clusters("kmeans-two-sided", kmeans().constraint(both.clone()).centers(Centers::Means).fit(&sample));
    clusters("kmeans-free", kmeans().constraint(lower.clone()).fit(&sample));
    clusters("kmeans-rows", kmeans().constraint(rows.clone()).fit(&sample));
    let free = mixture().fit(&sample);
    if let Ok(fit) = &free {
        let mixture = Parameters::new(fit.weights(), fit.means(), fit.variances())?;
        evaluated("mixture-at-points", &mixture, &x[..x.len().min(100)]);
    }
    components("mixture", free);
    components("mixture-lower", mixture().constraint(lower.clone()).fit(&sample));
    components("mixture-two-sided", mixture().constraint(both).fit(&sample));
    components("mixture-rows", mixture().constraint(rows).fit(&sample));

    let mut data = Chunked::new(move || chunks(x.clone(), weights.clone()))?;
    clusters("kmeans-chunked", kmeans().constraint(lower.clone()).fit(&data.sample()?));
    components("mixture-chunked", mixture().constraint(lower).fit(&mut data));
    Ok(())
}

/// The data in pieces of one run.
fn chunks(x: Vec<f64>, weights: Option<Vec<f64>>) -> impl Iterator<Item = Result<Chunk, BoxError>> {
    (0..x.len()).step_by(MomentSums::RUN).map(move |start| {
        let part = start..(start + MomentSums::RUN).min(x.len());
        let values = x[part.clone()].to_vec();
        Ok(match &weights {
            Some(weights) => Chunk::weighted(values, weights[part].to_vec()),
            None => Chunk::from(values),
        })
    })
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

fn clusters(name: &str, fit: Result<KMeansFit, impl Display>) {
    let said = fit.map(|fit| {
        let sizes: Vec<String> = fit.sizes().iter().map(usize::to_string).collect();
        format!("{} {} {}", hex(fit.centers()), hex(&[fit.inertia(), fit.lower_bound()]), sizes.join(" "))
    });
    say(name, said);
}

fn components(name: &str, fit: Result<MixtureFit, impl Display>) {
    let said = fit.map(|fit| {
        let parameters = [fit.weights(), fit.means(), fit.variances(), &[fit.log_likelihood()]].concat();
        format!("{} {}", hex(&parameters), fit.n_iter())
    });
    say(name, said);
}

/// What a mixture says of points.
fn evaluated(name: &str, mixture: &Parameters, x: &[f64]) {
    let numbers = [mixture.score_samples(x), mixture.predict_proba(x)].concat();
    say(name, Ok::<_, String>(hex(&numbers)));
}

fn say(name: &str, answer: Result<String, impl Display>) {
    match answer {
        Ok(bits) => println!("{name} {bits}"),
        Err(error) => println!("{name} refused: {error}"),
    }
}

/// The bits of doubles, sixteen digits each.
fn hex(numbers: &[f64]) -> String {
    let digits: Vec<String> = numbers.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
    digits.join(" ")
}
