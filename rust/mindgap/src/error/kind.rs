//! [`ErrorKind`]: the class of an error, for callers that map errors to classes of their own.

use super::{ConstraintError, Error, KMeansError, MixtureError, SampleError};

/// The class of an error. Every variant of every error of this crate has one, and a match on it needs no wildcard.
///
/// ```
/// use mindgap::error::ErrorKind;
/// use mindgap::{Centers, GapBounds, KMeans, Sample};
///
/// let sample = Sample::new(&[0.0, 1.0, 2.0])?;
/// let far = KMeans::new(2).centers(Centers::Means).constraint(GapBounds::lower(5.0)).fit(&sample);
/// let advice = match far.unwrap_err().kind() {
///     ErrorKind::InvalidInput | ErrorKind::UnusableStart => "correct the input",
///     ErrorKind::Infeasible => "widen the bounds",
///     ErrorKind::Unsolved | ErrorKind::TimeLimit => "allow more time",
///     ErrorKind::Engine | ErrorKind::Source => "look at your own part",
///     ErrorKind::OutOfMemory => "summarise the data",
///     ErrorKind::Interrupted => "nothing",
/// };
/// assert_eq!(advice, "widen the bounds");
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The data, a setting or a constraint is invalid; nothing was computed.
    InvalidInput,
    /// The start cannot be used for these data.
    UnusableStart,
    /// No solution satisfies the constraint, or the paper's program found none.
    Infeasible,
    /// The search or a solver ended without a result.
    Unsolved,
    /// The caller's own engine failed or returned an invalid answer.
    Engine,
    /// The caller's own source failed, or returned other data than before.
    Source,
    /// The work needs more memory than is available or allowed.
    OutOfMemory,
    /// The caller stopped the fit.
    Interrupted,
    /// The time limit passed before there was a result.
    TimeLimit,
}

impl SampleError {
    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::InChunk { fault, .. } => fault.kind(),
            Self::Empty
            | Self::TooMany { .. }
            | Self::NotFinite { .. }
            | Self::NotSorted { .. }
            | Self::RangeNotSquarable { .. }
            | Self::Ragged { .. }
            | Self::WeightCount { .. }
            | Self::BadWeight { .. }
            | Self::NoWeight
            | Self::WeightOverflow { .. }
            | Self::BadBins { .. }
            | Self::BadWindow { .. }
            | Self::BadSummary { .. }
            | Self::Unread { .. } => ErrorKind::InvalidInput,
        }
    }
}

impl ConstraintError {
    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::BadLower { .. }
            | Self::BadUpper { .. }
            | Self::Crossed { .. }
            | Self::GapCount { .. }
            | Self::RowShape { .. }
            | Self::BadRow { .. }
            | Self::OffScale { .. }
            | Self::BadWeights { .. }
            | Self::BadSpreads { .. }
            | Self::NotOfCenters { .. }
            | Self::Refused(_) => ErrorKind::InvalidInput,
        }
    }
}

impl KMeansError {
    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Constraint(error) => error.kind(),
            Self::Infeasible { .. }
            | Self::InfeasibleRows { .. }
            | Self::InfeasibleSizes { .. }
            | Self::PaperFailed { .. } => ErrorKind::Infeasible,
            Self::Undecided | Self::Solver(_) => ErrorKind::Unsolved,
            Self::Source(_) => ErrorKind::Source,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::TimeLimit => ErrorKind::TimeLimit,
            Self::NoClusters
            | Self::TooManyClusters { .. }
            | Self::TooFewDistinct { .. }
            | Self::BadSetting { .. }
            | Self::WeightsTooUneven { .. }
            | Self::InvalidSizes { .. }
            | Self::OutOfRange
            | Self::TooCoarse { .. }
            | Self::BadFit { .. }
            | Self::Unsupported(_) => ErrorKind::InvalidInput,
        }
    }
}

impl MixtureError {
    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Constraint(error) => error.kind(),
            Self::KMeansStart(error) => error.kind(),
            Self::Infeasible { .. } | Self::InfeasibleBlock { .. } => ErrorKind::Infeasible,
            Self::ParametersOffScale { .. } => ErrorKind::UnusableStart,
            Self::Solver { .. } => ErrorKind::Unsolved,
            Self::Engine(_) => ErrorKind::Engine,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::TimeLimit => ErrorKind::TimeLimit,
            Self::NoComponents
            | Self::TooManyComponents { .. }
            | Self::BadSetting { .. }
            | Self::ParametersShape { .. }
            | Self::ParametersCount { .. }
            | Self::BadParameter { .. }
            | Self::ParametersWeights { .. }
            | Self::OutOfRange
            | Self::Refused(_)
            | Self::NotRounded { .. }
            | Self::OutsideSupport { .. }
            | Self::NotCertifiable { .. }
            | Self::BadFit { .. } => ErrorKind::InvalidInput,
        }
    }
}

impl Error {
    /// The class of this error.
    ///
    /// ```
    /// use mindgap::error::ErrorKind;
    /// use mindgap::{Error, KMeans, Sample};
    ///
    /// let fit = KMeans::new(9).fit(&Sample::new(&[1.0, 2.0])?);
    /// assert_eq!(Error::from(fit.unwrap_err()).kind(), ErrorKind::InvalidInput);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Sample(error) => error.kind(),
            Self::Constraint(error) => error.kind(),
            Self::KMeans(error) => error.kind(),
            Self::Mixture(error) => error.kind(),
            Self::InRow { fault, .. } => fault.kind(),
        }
    }
}
