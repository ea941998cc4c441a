//! K-means under several kinds of bounds on the gaps, on the paper's worked example.

use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansFit, Sample};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0])?;

    show("no bounds", &KMeans::new(5).fit(&sample)?);
    show("gaps of at least 1.75", &KMeans::new(5).constraint(GapBounds::lower(1.75)).fit(&sample)?);
    let both = GapBounds::between(2.0, 4.5)?;
    show("gaps from 2 to 4.5", &KMeans::new(4).constraint(both).fit(&sample)?);
    let each = GapBounds::per_gap(&[3.0, 0.0], &[5.0, f64::INFINITY])?;
    show("the first gap from 3 to 5", &KMeans::new(3).constraint(each).fit(&sample)?);
    let means = KMeans::new(5).constraint(GapBounds::lower(1.75)).centers(Centers::Means);
    show("gaps of at least 1.75 between cluster means", &means.fit(&sample)?);

    // Infeasible bounds are an error with the facts in fields.
    match means.constraint(GapBounds::lower(4.0)).fit(&sample) {
        Err(KMeansError::Infeasible { largest: Some(largest), .. }) => {
            println!("means with gaps of at least 4: none such; the largest lower bound is {largest}");
            Ok(())
        }
        other => Err(format!("five clusters 4 apart do not fit in 12: {other:?}").into()),
    }
}

fn show(name: &str, fit: &KMeansFit) {
    let proven = if fit.is_optimal() { "optimal" } else { "not proven" };
    println!("{name}: centres {:?}, clusters {:?}, cost {} ({proven})", fit.centers(), fit.labels(), fit.inertia());
}
