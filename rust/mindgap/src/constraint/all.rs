//! [`All`]: the conjunction of several constraints, and the operator `&`.

use super::{
    BoxError, ConstantCv, Constraint, EqualSpreads, FixedSpreads, FixedWeights, GapBounds, LinearRows, PrecisionRows,
    Rows, SpreadRatio, Unconstrained, WeightBounds, WeightRatio,
};
use std::ops::BitAnd;
use std::sync::Arc;

/// Several constraints at once; `&` combines constraints into one.
///
/// ```
/// use mindgap::{EqualSpreads, FixedWeights, GapBounds, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.5, 6.1])?;
/// let known = GapBounds::lower(4.0) & FixedWeights::new(&[0.4, 0.6])? & EqualSpreads;
/// let fit = Mixture::new(2).constraint(known).fit(&sample)?;
/// assert_eq!((fit.weights()[1], fit.variances()[0]), (0.6, fit.variances()[1]));
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct All(Vec<Arc<dyn Constraint>>);

impl All {
    /// Combines `constraints`.
    pub fn new(constraints: impl IntoIterator<Item = Arc<dyn Constraint>>) -> Self {
        Self(constraints.into_iter().collect())
    }
}

impl Constraint for All {
    fn rows(&self, k: usize) -> Result<Rows, BoxError> {
        self.0.iter().try_fold(Rows::none(k), |rows, constraint| Ok(rows.and(&constraint.rows(k)?)?))
    }

    fn weight_rows(&self, k: usize) -> Result<Option<LinearRows>, BoxError> {
        let mut all: Option<LinearRows> = None;
        for constraint in &self.0 {
            if let Some(rows) = constraint.weight_rows(k)? {
                rows.check_k(k)?;
                all = Some(all.map_or(rows.clone(), |all| all.followed_by(&rows)));
            }
        }
        Ok(all)
    }

    fn precision_rows(&self, k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        let mut all: Option<PrecisionRows> = None;
        for constraint in &self.0 {
            if let Some(rows) = constraint.precision_rows(k)? {
                rows.rows().map_or(Ok(()), |linear| linear.check_k(k))?;
                all = Some(all.map_or(rows.clone(), |all| all.and(&rows)));
            }
        }
        Ok(all)
    }
}

impl<C: Constraint + 'static> BitAnd<C> for All {
    type Output = All;

    fn bitand(mut self, other: C) -> All {
        self.0.push(Arc::new(other));
        self
    }
}

/// Implements `&` for the crate's own constraints.
macro_rules! combine {
    ($($constraint:ty),*) => {$(
        impl<C: Constraint + 'static> BitAnd<C> for $constraint {
            type Output = All;

            fn bitand(self, other: C) -> All {
                All(vec![Arc::new(self), Arc::new(other)])
            }
        }
    )*};
}

combine!(
    ConstantCv,
    EqualSpreads,
    FixedSpreads,
    FixedWeights,
    GapBounds,
    LinearRows,
    Rows,
    SpreadRatio,
    Unconstrained,
    WeightBounds,
    WeightRatio
);
