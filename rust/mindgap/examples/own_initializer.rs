//! An initializer of your own: means at equally spaced quantiles, one variance for all.

use mindgap::{BoxError, GapBounds, Initializer, Mixture, Monitor, Parameters, Rows, Sample};
use std::error::Error;

/// Component `c` starts at the quantile `(c + ½) / k`.
#[derive(Debug)]
struct Quantiles;

impl Initializer for Quantiles {
    fn start(
        &self,
        sample: &Sample,
        k: usize,
        _rows: &Rows,
        _monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, BoxError> {
        // A sample's values are sorted, so quantiles are lookups.
        let x = sample.values();
        let means: Vec<f64> = (0..k).map(|c| x[(2 * c + 1) * x.len() / (2 * k)]).collect();
        let spread = (x[x.len() - 1] - x[0]) / k as f64;
        if spread == 0.0 {
            return Err("the data are all equal; there are no quantiles to start from".into());
        }
        Ok(Parameters::new(&vec![1.0 / k as f64; k], &means, &vec![spread * spread; k])?)
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let x: Vec<f64> = (0..600).map(|i| f64::from(i % 3) * 2.0 + 0.5 * (f64::from(i) * 12.9898).sin()).collect();
    let sample = Sample::new(&x)?;
    let fit = Mixture::new(3).constraint(GapBounds::lower(1.5)).init(Quantiles).fit(&sample)?;
    println!("means {:?}, variances {:?}: {}", fit.means(), fit.variances(), fit.status());
    assert!(fit.converged() && fit.gaps().iter().all(|&gap| gap >= 1.5 - 1e-9));

    // The fit returns the initializer's error.
    let refusal = Mixture::new(1).init(Quantiles).fit(&Sample::new(&[7.0, 7.0])?);
    println!("on equal data: {}", refusal.err().ok_or("equal data have no quantiles")?);
    Ok(())
}
