//! Constraints on the centres, and on the weights and spreads of a mixture.
//!
//! A [`Constraint`] is the user's request, [`Rows`] are its form for solvers, and a bound is one side of a row.
//! Resolving a constraint for `k` centres costs O(k) for bounds on gaps and O(k × rows) for linear rows.

mod all;
mod gap_bounds;
mod linear_rows;
mod rows;
#[cfg(feature = "serde")]
pub(crate) mod serde_form;
mod spreads;
mod weights;

pub use all::All;
pub use gap_bounds::GapBounds;
pub use linear_rows::LinearRows;
pub(crate) use rows::AT_BOUND;
pub use rows::{Rows, Side};
pub use spreads::{ConstantCv, EqualSpreads, FixedSpreads, PrecisionRows, SpreadRatio, Variation};
pub use weights::{FixedWeights, WeightBounds, WeightRatio};

use crate::error::{BoxError, ConstraintError};
use std::fmt;
use std::sync::Arc;

/// A constraint on the centres. Implement it for a constraint of your own.
///
/// ```
/// use mindgap::{BoxError, Constraint, GapBounds, KMeans, Rows, Sample};
///
/// /// Given the total length of the gaps, each is at least half of the average gap.
/// #[derive(Debug)]
/// struct HalfShares(f64);
///
/// impl Constraint for HalfShares {
///     fn rows(&self, k: usize) -> Result<Rows, BoxError> {
///         Ok(GapBounds::lower(0.5 * self.0 / (k - 1) as f64).rows(k)?)
///     }
/// }
///
/// let sample = Sample::new(&[0.0, 1.0, 4.0, 5.0])?;
/// let fit = KMeans::new(2).constraint(HalfShares(6.0)).fit(&sample)?;
/// assert_eq!(fit.centers(), [0.5, 4.5]);
/// # Ok::<(), mindgap::Error>(())
/// ```
pub trait Constraint: fmt::Debug + Send + Sync {
    /// Returns the rows that `k` centres must satisfy: by default none.
    ///
    /// ```
    /// use mindgap::{Constraint, GapBounds};
    ///
    /// assert_eq!(Constraint::rows(&GapBounds::lower(2.0), 3)?.gap_lower(), [2.0, 2.0]);
    /// # Ok::<(), mindgap::BoxError>(())
    /// ```
    ///
    /// # Errors
    /// If it does not apply to `k` centres. A fit returns a [`ConstraintError`] as it is and wraps any other error in
    /// [`ConstraintError::Refused`].
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        Ok(Rows::none(k))
    }

    /// Returns rows on the weights of a mixture's `k` components, in order of their means: by default none. A row for
    /// the sum of one is not needed.
    ///
    /// ```
    /// use mindgap::{Constraint, WeightBounds};
    ///
    /// let at_least_a_tenth = WeightBounds::new(&[0.1; 3], &[1.0; 3])?;
    /// assert_eq!(at_least_a_tenth.weight_rows(3)?.map(|rows| rows.len()), Some(3));
    /// # Ok::<(), mindgap::BoxError>(())
    /// ```
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    fn weight_rows(&self, _k: usize) -> Result<Option<LinearRows>, BoxError> {
        Ok(None)
    }

    /// Returns rows on the precisions `1/σ²` of a mixture's `k` components, in units of the data: by default none.
    ///
    /// ```
    /// use mindgap::{Constraint, SpreadRatio};
    ///
    /// let rows = SpreadRatio::new(4.0)?.precision_rows(3)?;
    /// assert_eq!(rows.map(|rows| rows.largest_ratio()), Some(4.0));
    /// # Ok::<(), mindgap::BoxError>(())
    /// ```
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        Ok(None)
    }
}

/// Returns the rows of a constraint on `k` centres, checked.
pub(crate) fn resolve(constraint: &dyn Constraint, k: usize) -> Result<Rows, ConstraintError> {
    let rows = constraint.rows(k)?;
    rows.check_k(k).map(|()| rows)
}

/// Returns the rows of a constraint for k-means, which has no weights or spreads.
pub(crate) fn resolve_centers(constraint: &dyn Constraint, k: usize) -> Result<Rows, ConstraintError> {
    let asked = |what| Err(ConstraintError::NotOfCenters { what });
    if constraint.weight_rows(k)?.is_some() {
        return asked("weights");
    }
    if constraint.precision_rows(k)?.is_some() {
        return asked("spreads");
    }
    resolve(constraint, k)
}

/// Returns the rows of a constraint on the weights and on the precisions of `k` components.
pub(crate) fn resolve_blocks(
    constraint: &dyn Constraint,
    k: usize,
) -> Result<(Option<LinearRows>, Option<PrecisionRows>), ConstraintError> {
    let weights = constraint.weight_rows(k)?;
    let precisions = constraint.precision_rows(k)?;
    let linear = precisions.iter().filter_map(PrecisionRows::rows);
    weights.iter().chain(linear).try_for_each(|rows| rows.check_k(k))?;
    Ok((weights, precisions))
}

/// No constraint at all.
///
/// ```
/// use mindgap::{Constraint, GapBounds, KMeans, Sample, Unconstrained};
///
/// let delta: Option<f64> = None;
/// let chosen: Box<dyn Constraint> = match delta {
///     Some(delta) => Box::new(GapBounds::lower(delta)),
///     None => Box::new(Unconstrained),
/// };
/// let fit = KMeans::new(2).constraint(chosen).fit(&Sample::new(&[0.0, 1.0, 4.0, 5.0])?)?;
/// assert_eq!(fit.centers(), [0.5, 4.5]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unconstrained;

impl Constraint for Unconstrained {}

impl Constraint for Rows {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        self.check_k(k)?;
        Ok(self.clone())
    }
}

impl Constraint for GapBounds {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        Ok(GapBounds::rows(self, k)?)
    }
}

impl Constraint for LinearRows {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        Ok(LinearRows::rows(self, k)?)
    }
}

/// Implements [`Constraint`] for pointers to constraints.
macro_rules! forward {
    ($($pointer:ident),*) => {$(
        impl<C: Constraint + ?Sized> Constraint for $pointer<C> {
            fn rows(&self, k: usize) -> Result<Rows, BoxError> {
                (**self).rows(k)
            }

            fn weight_rows(&self, k: usize) -> Result<Option<LinearRows>, BoxError> {
                (**self).weight_rows(k)
            }

            fn precision_rows(&self, k: usize) -> Result<Option<PrecisionRows>, BoxError> {
                (**self).precision_rows(k)
            }
        }
    )*};
}

forward!(Box, Arc);

/// Turns a function from the number of centres to the rows into a constraint.
///
/// ```
/// use mindgap::{GapBounds, KMeans, Sample, constraint};
///
/// let sample = Sample::new(&[0.0, 1.0, 4.0, 5.0])?;
/// let wide = constraint::from_fn(|k| GapBounds::lower(6.0 / k as f64).rows(k));
/// assert_eq!(KMeans::new(2).constraint(wide).fit(&sample)?.centers(), [0.5, 4.5]);
/// # Ok::<(), mindgap::Error>(())
/// ```
pub fn from_fn<F, E>(function: F) -> ConstraintFn<F>
where
    F: Fn(usize) -> Result<Rows, E> + Send + Sync,
    E: Into<BoxError>,
{
    ConstraintFn(function)
}

/// The constraint that [`from_fn`] returns.
///
/// ```
/// use mindgap::constraint::{Constraint, from_fn};
/// use mindgap::{BoxError, Rows};
///
/// let none = from_fn(|k| Ok::<_, BoxError>(Rows::none(k)));
/// assert!(none.rows(3)?.is_empty());
/// # Ok::<(), mindgap::BoxError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ConstraintFn<F>(F);

impl<F> fmt::Debug for ConstraintFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConstraintFn")
    }
}

impl<F, E> Constraint for ConstraintFn<F>
where
    F: Fn(usize) -> Result<Rows, E> + Send + Sync,
    E: Into<BoxError>,
{
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        (self.0)(k).map_err(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, KMeans, Sample};

    #[test]
    fn constraints_can_be_chosen_at_run_time() {
        let chosen: [Box<dyn Constraint>; 2] = [Box::new(Unconstrained), Box::new(GapBounds::lower(1.0))];
        for constraint in chosen {
            assert!(resolve(&constraint, 2).is_ok());
            let shared: Arc<dyn Constraint> = Arc::from(constraint);
            let kmeans = KMeans::new(2).constraint(Arc::clone(&shared));
            let copy = kmeans.clone();
            let sample = Sample::new(&[0.0, 3.0]).unwrap();
            assert_eq!(kmeans.fit(&sample), copy.fit(&sample));
            assert!(!format!("{kmeans:?}").is_empty());
        }
    }

    #[test]
    fn an_error_of_ones_own_keeps_its_source() {
        let refuse = from_fn(|_| "x".parse::<i32>().map(|_| Rows::none(1)));
        let error = resolve(&refuse, 1).unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        assert!(source.downcast_ref::<Cause>().unwrap().error().is::<std::num::ParseIntError>());
        assert_eq!(error.to_string(), source.to_string());
        let typed = from_fn(|k| GapBounds::lower(-1.0).rows(k));
        assert!(matches!(resolve(&typed, 2), Err(ConstraintError::BadLower { .. })));
        assert!(matches!(
            resolve(&from_fn(|_| Ok::<_, BoxError>(Rows::none(3))), 2),
            Err(ConstraintError::RowShape { .. })
        ));
    }
}
