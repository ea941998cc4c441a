//! Chooses the number of components by an information criterion, under the same bound for every number.

use mindgap::{GapBounds, Mixture, MixtureError, Sample, VarianceModel};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Four lumps, 3 apart: logistic quantiles.
    let lump = |at: f64| (1..120).map(move |i| at + 0.35 * (f64::from(i) / (120.0 - f64::from(i))).ln());
    let x: Vec<f64> = [0.0, 3.0, 6.0, 9.0].into_iter().flat_map(lump).collect();
    let sample = Sample::new(&x)?;

    let mut best: Option<(usize, f64)> = None;
    for k in 1..=7 {
        let mixture = Mixture::new(k).constraint(GapBounds::lower(1.5)).variances(VarianceModel::Equal);
        match mixture.fit(&sample) {
            Ok(fit) => {
                println!("k = {k}: BIC {:9.2}, ICL {:9.2}, {}", fit.bic(), fit.icl().unwrap_or(f64::NAN), fit.status());
                if best.is_none_or(|(_, least)| fit.bic() < least) {
                    best = Some((k, fit.bic()));
                }
            }
            // This many components at this distance are infeasible; the comparison goes on.
            Err(error @ (MixtureError::Infeasible { .. } | MixtureError::KMeansStart(_))) => {
                println!("k = {k}: {error}")
            }
            Err(error) => return Err(error.into()),
        }
    }
    let (k, _) = best.ok_or("no number of components could be fitted")?;
    println!("BIC is least for {k} components");
    assert_eq!(k, 4);
    Ok(())
}
