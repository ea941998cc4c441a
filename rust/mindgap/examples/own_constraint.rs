//! A constraint of your own: all gaps are equal.

use mindgap::{BoxError, Constraint, KMeans, LinearRows, Mixture, Rows, Sample};
use std::error::Error;

/// `μ[c+2] - μ[c+1] = μ[c+1] - μ[c]` for every triple of neighbours.
#[derive(Debug)]
struct EqualSpacing;

impl Constraint for EqualSpacing {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        let rows = k.saturating_sub(2);
        let mut matrix = vec![0.0; rows * k];
        for row in 0..rows {
            matrix[row * k + row..row * k + row + 3].copy_from_slice(&[1.0, -2.0, 1.0]);
        }
        let zeros = vec![0.0; rows];
        LinearRows::new(k, &matrix, &zeros, &zeros)?.rows(k).map_err(Into::into)
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Five groups, about 3 apart.
    let x: Vec<f64> = (0..500).map(|i| [0.0, 3.1, 5.8, 9.2, 11.9][i % 5] + 0.6 * ((i * i) as f64).sin()).collect();
    let sample = Sample::new(&x)?;

    let clusters = KMeans::new(5).constraint(EqualSpacing).fit(&sample)?;
    println!("k-means: centres {:?}, gaps {:?}", clusters.centers(), clusters.gaps());
    let fit = Mixture::new(5).constraint(EqualSpacing).fit(&sample)?;
    println!("mixture: means {:?}, gaps {:?}, {}", fit.means(), fit.gaps(), fit.status());

    for gaps in [clusters.gaps(), fit.gaps()] {
        assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 1e-9), "the gaps are not equal: {gaps:?}");
    }
    Ok(())
}
