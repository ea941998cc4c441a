//! The Python binding: converts arguments, detaches from the interpreter, calls the core and converts the result.

mod certificate;
mod choice;
mod constraint;
mod engine;
mod errors;
mod evaluate;
mod kmeans;
mod kmeans_rows;
mod memory;
mod mixture;
mod moment_sums;
mod sample;
mod snapshot;
mod source;
mod start;
mod summary;
mod watch;

/// The compiled core of mindgap.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::certificate::{Certificate, certify};
    #[pymodule_export]
    use crate::engine::moments;
    #[pymodule_export]
    use crate::evaluate::{classify, predict, predict_proba, score_samples};
    #[pymodule_export]
    use crate::kmeans::{KMeansFit, kmeans};
    #[pymodule_export]
    use crate::kmeans_rows::kmeans_rows;
    #[pymodule_export]
    use crate::memory::check_memory;
    #[pymodule_export]
    use crate::mixture::{MixtureFit, mixture};
    #[pymodule_export]
    use crate::moment_sums::MomentSums;
    #[pymodule_export]
    use crate::sample::Sample;
    #[pymodule_export]
    use crate::start::{ckmeans_start, constrained_kmeans_start, paper_start};
    #[pymodule_export]
    use crate::summary::Summary;

    /// The version of the core, which is that of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
