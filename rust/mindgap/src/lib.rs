//! One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap.

mod constraint;
pub mod error;
mod frame;
mod kmeans;
mod mixture;
mod parallel;
mod progress;
mod qp;
mod restraint;
mod sample;

pub use constraint::{Constraint, GapBounds, LinearRows, Restriction, Unconstrained};
pub use error::{ConstraintError, Error, KMeansError, MixtureError, SampleError};
pub use kmeans::{Active, Centers, KMeans, KMeansFit, Method, Ties};
pub use mixture::{
    Auto, Ckmeans, ConstrainedKMeans, Engine, Initializer, LocalEngine, Mixture, MixtureFit, Moments, Start, Status,
    Summary, ToleranceScale, VarianceModel,
};
pub use progress::{Progress, Watch};
pub use sample::Sample;

/// The page on embedding, whose example is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct PageOnEmbedding;
