//! Errors: one enum for each of data, constraint, k-means and mixture, with the facts in fields.

mod constraint;
mod kind;
mod kmeans;
mod mixture;
mod sample;

pub use constraint::ConstraintError;
pub use kind::ErrorKind;
pub use kmeans::KMeansError;
pub use mixture::MixtureError;
pub use sample::SampleError;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Any error of this crate, for callers that need no finer distinction.
///
/// ```
/// use mindgap::{Error, GapBounds, KMeans, Sample};
///
/// fn centers(x: &[f64], lower: f64, upper: f64) -> Result<Vec<f64>, Error> {
///     let bounds = GapBounds::between(lower, upper)?;
///     Ok(KMeans::new(2).constraint(bounds).fit(&Sample::new(x)?)?.centers().to_vec())
/// }
///
/// assert!(matches!(centers(&[], 1.0, 2.0), Err(Error::Sample(_))));
/// assert!(matches!(centers(&[1.0, 2.0], 2.0, 1.0), Err(Error::Constraint(_))));
/// assert!(matches!(centers(&[1.0, 1.0], 1.0, 2.0), Err(Error::KMeans(_))));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An error in the data.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// An error in the constraint.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// An error of a k-means fit.
    #[error(transparent)]
    KMeans(#[from] KMeansError),
    /// An error of a mixture fit.
    #[error(transparent)]
    Mixture(#[from] MixtureError),
    /// An error in one row of a table.
    #[error("in row {row}, {fault}")]
    InRow {
        /// The row, from 0.
        row: usize,
        /// The error.
        #[source]
        fault: Box<Error>,
    },
}

impl Error {
    /// Wraps this error as one of a table's row.
    pub(crate) fn in_row(self, row: usize) -> Self {
        Self::InRow { row, fault: Box::new(self) }
    }
}

/// The error of a caller's own constraint, initializer, engine or source: any error, or a message.
///
/// ```
/// use mindgap::{BoxError, Constraint, GapBounds, Rows};
///
/// /// Reads the smallest gap from the environment.
/// #[derive(Debug)]
/// struct FromEnvironment;
///
/// impl Constraint for FromEnvironment {
///     fn rows(&self, k: usize) -> Result<Rows, BoxError> {
///         let delta: f64 = std::env::var("NO_SUCH_VARIABLE")?.parse()?;
///         Ok(GapBounds::lower(delta).rows(k)?)
///     }
/// }
///
/// assert!(FromEnvironment.rows(2).is_err());
/// ```
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// The error of a caller's own constraint, initializer, engine or source, with its chain of sources. Two are equal if
/// their messages are.
///
/// ```
/// use mindgap::{ConstraintError, KMeans, KMeansError, Rows, Sample, constraint};
///
/// let refuses = constraint::from_fn(|k| "many".parse::<u32>().map(|_| Rows::none(k)));
/// match KMeans::new(1).constraint(refuses).fit(&Sample::new(&[1.0])?) {
///     Err(KMeansError::Constraint(ConstraintError::Refused(cause))) => {
///         assert!(cause.error().is::<std::num::ParseIntError>());
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cause(Arc<dyn StdError + Send + Sync>);

impl Cause {
    /// Wraps an error or a message.
    ///
    /// ```
    /// assert_eq!(mindgap::Cause::new("the disk is full").to_string(), "the disk is full");
    /// ```
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(Arc::from(error.into()))
    }

    /// Returns the error, for a downcast.
    ///
    /// ```
    /// let cause = mindgap::Cause::new("x".parse::<u8>().unwrap_err());
    /// assert!(cause.error().is::<std::num::ParseIntError>());
    /// ```
    pub fn error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// The work needs more memory than is available; nothing has been computed.
///
/// ```
/// use mindgap::{KMeans, KMeansError, Sample};
///
/// let sample = Sample::new(&[1.0, 2.0, 8.0])?;
/// match KMeans::new(2).memory_limit(10).fit(&sample) {
///     Err(KMeansError::OutOfMemory(refused)) => assert!(refused.bytes > 10),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} would take {} of memory, more than is available or allowed; ask for fewer clusters, or give fewer points",
    size(*.bytes)
)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// The table or step that needs the memory.
    pub what: &'static str,
    /// The size in bytes.
    pub bytes: usize,
}

/// Writes a size in memory with its unit.
fn size(bytes: usize) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|(unit, _)| bytes as f64 >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}

/// Describes rows that no `what` satisfy, for a message; `ordering`: ascending order is part of the contradiction.
fn clash(rows: &[usize], ordering: bool, what: &str) -> String {
    let ascending = if ordering { "ascending " } else { "" };
    match rows {
        [row] => format!("{ascending}{what} satisfy row {row}"),
        rows => format!("{ascending}{what} satisfy rows {rows:?} together"),
    }
}
