//! One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap.
//!
//! # The two problems
//!
//! Given points `x₁ ≤ … ≤ xₙ` of weights `wᵢ` (one, if none are given), a number `k`, and bounds `lₖ`, `uₖ` on the gaps
//! between neighbours:
//!
//! **K-means** finds a partition into `k` nonempty clusters `C₁ < … < C_k` and ascending centres:
//!
//! ```text
//! minimise    Σₖ Σ_{i ∈ Cₖ} wᵢ (xᵢ - μₖ)²
//! subject to  lₖ ≤ μₖ₊₁ - μₖ ≤ uₖ                  k = 1 … K-1
//!             μₖ = the mean of Cₖ                  Centers::Means; by default (Centers::Free) any that satisfy the bounds
//! ```
//!
//! A **mixture** of Gaussian components has weights `πₖ`, means and variances:
//!
//! ```text
//! maximise    Σᵢ wᵢ log Σₖ πₖ N(xᵢ; μₖ, σₖ²)
//! subject to  lₖ ≤ μₖ₊₁ - μₖ ≤ uₖ,   or any rows  l ≤ A·μ ≤ u
//! ```
//!
//! K-means is solved to the optimum, and the fit carries its proof: no solution costs less than
//! [`KMeansFit::lower_bound`]. A mixture is fitted by climbing from many starts, by EM and Newton steps, to the highest
//! likelihood found; the means of each M step are the exact optimum of a quadratic program. Both problems are from
//! Jiang and Arias-Castro, *K-Means and Gaussian Mixture Modeling with a Separation Constraint*.
//!
//! # A first example
//!
//! ```
//! use mindgap::{GapBounds, KMeans, Mixture, Sample};
//!
//! let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0])?;
//!
//! let fit = KMeans::new(5).constraint(GapBounds::lower(1.75)).fit(&sample)?;
//! assert_eq!(fit.labels(), [0, 1, 1, 2, 3, 3, 4, 4]);
//! assert!((fit.inertia() - 1.5416667).abs() < 1e-7);
//! assert!(fit.is_optimal());
//!
//! let fit = Mixture::new(2).constraint(GapBounds::between(5.0, 6.0)?).fit(&sample)?;
//! assert!(fit.gaps()[0] > 5.0 - 1e-9 && fit.gaps()[0] < 6.0 + 1e-9);
//! println!("{:?} {:?}: {}", fit.means(), fit.variances(), fit.status());
//! # Ok::<(), mindgap::Error>(())
//! ```
//!
//! # The solvers, their costs and when to use which
//!
//! `n` points, `k` clusters; memory is in addition to the sample's own 12 bytes per point (20 with weights).
//!
//! | problem | entry point | time | memory | when to use it |
//! |---|---|---|---|---|
//! | the data | [`Sample::new`] | a sort: O(n) on smooth data, O(n log n) at worst | O(n) | once, for any number of fits |
//! | k-means | [`KMeans::new`] | O(n), then a search nearly independent of n and k; at worst a few dozen trials of O(n log n) | O(n) | nothing is known about gaps |
//! | separated means | [`Centers::Means`] | O(n), then a search over narrow bands of boundaries; O(k n²) at worst | O(n) and the bands | every centre must be its cluster's mean |
//! | separated k-means | [`.constraint(GapBounds)`](KMeans::constraint) | O(n), then a search over centres within a budget | O(n) | points belong to the nearest centre; always feasible |
//! | k-means under rows | [`.constraint(LinearRows)`](KMeans::constraint) | O(n), then O(k log n) and a quadratic program per round | O(n) | constraints other than gaps; a local optimum with a lower bound |
//! | the paper's program | [`KMeansMethod::Paper`] | O(k n²) and more | O(n²) | comparison with the paper; it misses some optima |
//! | mixture | [`Mixture::new`] | O(n k) per iteration on all cores, O(k³) more if a bound is active | O(n), nothing of size n·k | clusters overlap; for weights and spreads |
//! | k-means of each row of a matrix | [`KMeans::fit_rows`] | as above for each row, on all cores | labels of one byte and `k` centres per row | codebooks, many layers or series |
//! | data larger than memory | [`Chunked`] | one pass for a summary, then one per iteration of a mixture, a few for k-means | one chunk per thread | files and streams that can be read again; k-means is proven for the points |
//! | data seen once | [`Summary`] | O(n) | O(cells) | streams; summaries merge |
//! | mixture on data elsewhere | [`Mixture::fit`] with an [`Engine`] | the engine's | O(k) here | the data are on disk or on many machines |
//!
//! If a search cannot prove its result within its budget, [`KMeansFit::is_optimal`] is false and
//! [`KMeansFit::lower_bound`] bounds the distance to the optimum.
//!
//! # Bring your own
//!
//! Implement [`Constraint`] for a constraint of your own, [`Initializer`] for a mixture's start, [`Engine`] for data
//! outside this process: one or two methods each, as in `examples/`. [`constraint::from_fn`] and [`mixture::from_fn`]
//! turn functions into the first two, which are accepted as values, `Box<dyn _>` and `Arc<dyn _>`; an engine may be a
//! `Box<dyn Engine>`.
//!
//! # Guarantees
//!
//! * No input makes a function panic. Errors carry their facts in fields ([`error`]).
//! * Results are the same to the bit for every order of the input and number of threads, with the feature `rayon` (the
//!   default) or without.
//! * A fit prints nothing. [`KMeans::fit_with`] and [`Mixture::fit_with`] report [`Progress`] to a callback, which may
//!   stop them. [`KMeans::time_limit`] and [`KMeans::tol`] end a search early with the best solution and bound so far.
//! * A large fit makes one thread pool and drops it at its end; inside a rayon pool it uses that one. [`Chunked`] data
//!   and a [`LocalEngine`] keep their pool for all passes until they are dropped. No other thread outlives a fit, so a
//!   process may fork between fits.
//! * Data far from zero, or at scales from 1e-140 to 1e140, lose nothing: solvers work on shifted, scaled data.
//! * With the feature `serde`, constraints, parameters, summaries and fits can be stored; deserialising checks them as
//!   the constructors do.
//! * Without default features the crate builds for `wasm32-unknown-unknown`: 1.7 MB for all solvers, optimised for
//!   size; the runtime needs 128-bit SIMD. K-means has the same bits there; mixtures agree to rounding, because there
//!   is no fused multiply-add. Time limits do nothing, because there is no clock. Clarabel depends on `wasm-bindgen`
//!   there, for its timers.

// docs.rs marks items that need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Results use `numeric::portable` only; tests may compare with the standard library's functions.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod constraint;
pub mod data;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod effort;
pub mod error;
pub mod kmeans;
mod memory;
pub mod mixture;
mod monitor;
mod numeric;
mod parallel;
mod partition;
mod proof;
mod qp;
mod shortened;
#[cfg(feature = "serde")]
mod stored;

pub use constraint::{
    All, ConstantCv, Constraint, EqualSpreads, FixedSpreads, FixedWeights, GapBounds, LinearRows, PrecisionRows, Rows,
    Side, SpreadRatio, Unconstrained, WeightBounds, WeightRatio,
};
pub use data::{Binned, Chunk, Chunked, Chunks, Numbers, Sample, Source, Summary, SummaryColumns, Table};
pub use error::{BoxError, Cause, ConstraintError, Error, KMeansError, MixtureError, OutOfMemory, SampleError};
pub use kmeans::{Centers, KMeans, KMeansFit, KMeansMethod, KMeansRows, RowLabels, Ties};
pub use mixture::{
    Certificate, CertifyOptions, Ckmeans, ConstrainedKMeans, Engine, Finding, Initializer, LocalEngine, Mixture,
    MixtureFit, MixtureMethod, MomentSums, Moments, PaperStart, Parameters, Search, StandardErrors, Status,
    ToleranceScale, VarianceModel,
};
pub use monitor::{Halt, Monitor, Progress};
pub use proof::Proof;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
