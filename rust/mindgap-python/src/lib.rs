//! The binding: convert, release the interpreter, call, convert back. Nothing else.

mod constraint;
mod errors;
mod kmeans;
mod sample;
mod watch;

/// The compiled core of mindgap.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::kmeans::{KMeansFit, kmeans};
    #[pymodule_export]
    use crate::sample::Sample;

    /// The version of the core, which is that of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
