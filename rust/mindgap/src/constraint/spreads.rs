//! Constraints on the spreads of a mixture's components: rows on the precisions `1/σ²`.

use super::{BoxError, Constraint, LinearRows};
use crate::error::ConstraintError;

fn bad(what: String) -> ConstraintError {
    ConstraintError::BadSpreads { what }
}

/// A constraint on the precisions `1/σ²` of a mixture's components: a bound on the ratio of the standard deviations,
/// linear rows, or both.
///
/// ```
/// use mindgap::constraint::Variation;
/// use mindgap::{LinearRows, PrecisionRows};
///
/// // The first standard deviation is 2, so its precision is a quarter; no two differ more than fivefold.
/// let first = LinearRows::new(2, &[1.0, 0.0], &[0.25], &[0.25])?;
/// let rows = PrecisionRows::linear(first).and(&PrecisionRows::ratio(5.0)?);
/// assert_eq!((rows.largest_ratio(), rows.rows().map(LinearRows::len)), (5.0, Some(1)));
/// let proportional = PrecisionRows::constant_variation(Some(0.2))?;
/// assert_eq!(proportional.variation(), Some(Variation::Given { smallest: 0.2, largest: 0.2 }));
/// # Ok::<(), mindgap::ConstraintError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisionRows {
    ratio: f64,
    linear: Option<LinearRows>,
    variation: Option<Variation>,
}

/// The coefficient of variation `c` of a mixture whose standard deviations are proportional to its means, `σ = c·μ`.
///
/// ```
/// use mindgap::PrecisionRows;
/// use mindgap::constraint::Variation;
///
/// let estimated = PrecisionRows::constant_variation(None)?;
/// assert_eq!(estimated.variation(), Some(Variation::Estimated));
/// let both = estimated.and(&PrecisionRows::constant_variation(Some(0.2))?);
/// assert_eq!(both.variation(), Some(Variation::Given { smallest: 0.2, largest: 0.2 }));
/// # Ok::<(), mindgap::ConstraintError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variation {
    /// It is estimated, the same for all components.
    Estimated,
    /// It is given. If two constraints give different ones, no spreads satisfy both.
    Given {
        /// The smallest one that is given.
        smallest: f64,
        /// The largest one that is given.
        largest: f64,
    },
}

impl Variation {
    /// Combines two requirements.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Estimated, one) | (one, Self::Estimated) => one,
            (Self::Given { smallest: a, largest: b }, Self::Given { smallest: c, largest: d }) => {
                Self::Given { smallest: a.min(c), largest: b.max(d) }
            }
        }
    }
}

impl PrecisionRows {
    /// The largest standard deviation is at most `ratio` times the smallest: the rows `p_i ≤ ratio² p_j` of all pairs.
    ///
    /// # Errors
    /// A ratio that is below one or not finite.
    pub fn ratio(ratio: f64) -> Result<Self, ConstraintError> {
        if !(ratio >= 1.0 && ratio.is_finite()) {
            return Err(bad(format!("the ratio of spreads is {ratio:?}; it must be finite and at least 1")));
        }
        Ok(Self { ratio, linear: None, variation: None })
    }

    /// Linear rows on the precisions, in units of the data.
    pub fn linear(rows: LinearRows) -> Self {
        Self { ratio: f64::INFINITY, linear: Some(rows), variation: None }
    }

    /// Standard deviations proportional to the means, `σ = c·μ`; with `None`, `c` is estimated.
    ///
    /// # Errors
    /// A coefficient that is not positive and finite.
    pub fn constant_variation(coefficient: Option<f64>) -> Result<Self, ConstraintError> {
        if let Some(c) = coefficient.filter(|c| !(*c > 0.0 && c.is_finite())) {
            return Err(bad(format!("the coefficient of variation is {c:?}; it must be finite and positive")));
        }
        let variation = coefficient.map_or(Variation::Estimated, |c| Variation::Given { smallest: c, largest: c });
        Ok(Self { ratio: f64::INFINITY, linear: None, variation: Some(variation) })
    }

    /// Combines two sets of rows.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let linear = match (&self.linear, &other.linear) {
            (Some(a), Some(b)) => Some(a.followed_by(b)),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let variation = match (self.variation, other.variation) {
            (Some(one), Some(another)) => Some(one.and(another)),
            (one, another) => one.or(another),
        };
        Self { ratio: self.ratio.min(other.ratio), linear, variation }
    }

    /// The coefficient of variation, if spreads are proportional to the means.
    pub fn variation(&self) -> Option<Variation> {
        self.variation
    }

    /// The largest ratio of two standard deviations; infinite if it is not bounded.
    pub fn largest_ratio(&self) -> f64 {
        self.ratio
    }

    /// The linear rows, if there are any.
    pub fn rows(&self) -> Option<&LinearRows> {
        self.linear.as_ref()
    }
}

/// Bounds the ratio of the largest to the smallest standard deviation (Hathaway 1985), so that the likelihood has a
/// maximum.
///
/// ```
/// use mindgap::{GapBounds, Mixture, Sample, SpreadRatio};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.0, 5.0])?;
/// let fit = Mixture::new(2).constraint(GapBounds::lower(3.0) & SpreadRatio::new(4.0)?).fit(&sample)?;
/// assert!((fit.variances()[0] / fit.variances()[1] - 16.0).abs() < 1e-9);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadRatio(f64);

impl SpreadRatio {
    /// The largest ratio.
    ///
    /// # Errors
    /// A ratio that is below one or not finite.
    pub fn new(ratio: f64) -> Result<Self, ConstraintError> {
        PrecisionRows::ratio(ratio).map(|_| Self(ratio))
    }
}

impl Constraint for SpreadRatio {
    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        Ok(Some(PrecisionRows::ratio(self.0)?))
    }
}

/// All standard deviations are equal.
///
/// ```
/// use mindgap::{EqualSpreads, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.1, 5.2])?;
/// let fit = Mixture::new(2).constraint(EqualSpreads).fit(&sample)?;
/// assert_eq!(fit.variances()[0], fit.variances()[1]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EqualSpreads;

impl Constraint for EqualSpreads {
    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        Ok(Some(PrecisionRows::ratio(1.0)?))
    }
}

/// The standard deviations are proportional to the means, `σ = c·μ`, as for noise that grows with the signal. The data
/// must be positive.
///
/// ```
/// use mindgap::{ConstantCv, Mixture, Sample};
///
/// let sample = Sample::new(&[9.0, 9.7, 10.0, 10.4, 11.0, 18.1, 19.3, 20.0, 20.9, 21.8])?;
/// let fit = Mixture::new(2).constraint(ConstantCv::new(None)?).fit(&sample)?;
/// let cv = |c: usize| fit.variances()[c].sqrt() / fit.means()[c];
/// assert!((cv(0) - cv(1)).abs() < 1e-12);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantCv(Option<f64>);

impl ConstantCv {
    /// The coefficient; `None` to estimate it.
    ///
    /// # Errors
    /// A coefficient that is not positive and finite.
    pub fn new(coefficient: Option<f64>) -> Result<Self, ConstraintError> {
        PrecisionRows::constant_variation(coefficient).map(|_| Self(coefficient))
    }
}

impl Constraint for ConstantCv {
    fn precision_rows(&self, _k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        Ok(Some(PrecisionRows::constant_variation(self.0)?))
    }
}

/// Fixes some or all of the standard deviations.
///
/// ```
/// use mindgap::{FixedSpreads, Mixture, Sample};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.5, 6.1])?;
/// let known = FixedSpreads::new(&[Some(0.5), None])?;
/// let fit = Mixture::new(2).constraint(known).fit(&sample)?;
/// assert!((fit.variances()[0] - 0.25).abs() < 1e-12);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FixedSpreads(Vec<Option<f64>>);

impl FixedSpreads {
    /// The standard deviation of each component by ascending mean, in units of the data; `None` for a free one.
    ///
    /// # Errors
    /// Standard deviations that are not positive and finite.
    pub fn new(spreads: &[Option<f64>]) -> Result<Self, ConstraintError> {
        let fault = |s: &Option<f64>| s.is_some_and(|s| !(s > 0.0 && s.is_finite()));
        match spreads.iter().position(fault) {
            Some(component) => Err(bad(format!(
                "spread {component} is {:?}; standard deviations must be positive",
                spreads[component].unwrap_or_default()
            ))),
            None => Ok(Self(spreads.to_vec())),
        }
    }
}

impl Constraint for FixedSpreads {
    fn precision_rows(&self, k: usize) -> Result<Option<PrecisionRows>, BoxError> {
        if self.0.len() != k {
            return Err(bad(format!(
                "{} spreads are given for {k} components; give one for each, or None where it is free",
                self.0.len()
            ))
            .into());
        }
        let (mut matrix, mut level) = (Vec::new(), Vec::new());
        for (component, spread) in self.0.iter().enumerate() {
            if let Some(spread) = spread {
                matrix.extend((0..k).map(|c| if c == component { 1.0 } else { 0.0 }));
                level.push((spread * spread).recip());
            }
        }
        Ok(Some(PrecisionRows::linear(LinearRows::new(k, &matrix, &level, &level)?)))
    }
}
