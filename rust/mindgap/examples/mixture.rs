//! A mixture of three components with bounds on the gaps between their means, and a report of every tenth iteration.

use mindgap::{GapBounds, Mixture, Monitor, Progress, Sample};
use std::error::Error;
use std::ops::ControlFlow;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Three overlapping groups at 0, 2 and 4: the quantiles of a logistic distribution.
    let lump = |at: f64| (1..100).map(move |i| at + 0.4 * (f64::from(i) / (100.0 - f64::from(i))).ln());
    let x: Vec<f64> = [0.0, 2.0, 4.0].into_iter().flat_map(lump).collect();
    let sample = Sample::new(&x)?;

    let mut watch = |progress: &Progress| {
        if let Progress::Iteration { iteration, log_likelihood, .. } = progress
            && iteration % 10 == 0
        {
            println!("iteration {iteration}: log-likelihood {log_likelihood:.4}");
        }
        ControlFlow::Continue(())
    };
    let mixture = Mixture::new(3).constraint(GapBounds::between(1.9, 2.1)?);
    let fit = mixture.fit_with(&sample, &mut Monitor::new(&mut watch))?;

    println!("{} after {} iterations", fit.status(), fit.n_iter());
    for k in 0..3 {
        println!("weight {:.3}, mean {:.3}, variance {:.3}", fit.weights()[k], fit.means()[k], fit.variances()[k]);
    }
    println!("BIC {:.2}, gaps {:?}, at their bounds: {:?}", fit.bic(), fit.gaps(), fit.active());
    assert!(fit.gaps().iter().all(|gap| (1.9 - 1e-9..=2.1 + 1e-9).contains(gap)));
    Ok(())
}
