//! One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap.

mod constraint;
pub mod error;
mod frame;
mod kmeans;
mod parallel;
mod progress;
mod sample;

pub use constraint::{Constraint, GapBounds, LinearRows, Restriction, Unconstrained};
pub use error::{ConstraintError, Error, KMeansError, SampleError};
pub use kmeans::{Active, Centers, KMeans, KMeansFit, Method, Ties};
pub use progress::{Progress, Watch};
pub use sample::Sample;
