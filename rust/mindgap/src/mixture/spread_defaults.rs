//! The default bounds on the spreads of a mixture, and all bounds in the form that a certificate needs.

use super::e_step::LocalEngine;
use super::m_step::{FLOOR, VarianceModel};
use super::observed::Observed;
use super::problem::{Mixture, MixtureMethod};
use super::surface::Surface;
use crate::constraint::{Rows, resolve, resolve_blocks};
use crate::data::sample::Sample;
use crate::error::MixtureError;

/// The default floor of the standard deviations of data in intervals, as a fraction of the narrowest: within an
/// interval the likelihood hardly depends on smaller ones.
const NARROWEST: f64 = 0.05;

/// The largest standard deviation under a support, in units of the data's range: without a bound, ever wider components
/// fit data of monotone or constant density ever better.
pub(super) const WIDEST: f64 = 2.0;

/// The lowest floor, in frame units: far below the resolution of doubles, and its square does not underflow.
const LEAST_FLOOR: f64 = 1e-100;

/// The highest floor, as a multiple of the data's variance: beyond it the data are one point to doubles.
const LARGEST_FLOOR: f64 = 1e12;

/// The default bound on the ratio of standard deviations: without one the likelihood has no maximum, because a
/// component on a single point makes it infinite.
const SPREAD_RATIO: f64 = 10.0;

/// The default least standard deviation of a component, in steps of data that look rounded. From half a step on, the
/// densities at the grid sum to one within 1.4 % (2·exp(-π²/2)), so they approximate probabilities of the recorded
/// values; narrower components gain likelihood from ties alone.
const LEAST_STEPS: f64 = 0.5;

/// The bounds on the variances of a mixture, in frame units.
pub(super) struct SpreadBounds {
    /// The largest ratio of two variances; infinite if there is no bound.
    pub(super) ratio: f64,
    /// The least variance; zero if there is no bound.
    pub(super) least: f64,
}

impl Mixture {
    /// The bounds of the gaps, and those of the variances for data like `sample`; `None` if there are linear rows.
    pub(super) fn gaps_and_spreads(&self, sample: &Sample) -> Result<Option<(Rows, SpreadBounds)>, MixtureError> {
        self.check()?;
        if self.resolution.is_some() || self.support.is_some() {
            let reason = "it is fitted to intervals or to a support; certify a fit to the values themselves";
            return Err(MixtureError::NotCertifiable { reason });
        }
        let rows = resolve(&*self.constraint, self.k)?;
        let (weights, precisions) = resolve_blocks(&*self.constraint, self.k)?;
        let linear = rows.linear().is_some() || weights.is_some();
        if linear || precisions.as_ref().is_some_and(|p| p.rows().is_some() || p.variation().is_some()) {
            return Ok(None);
        }
        let ratio = match (self.variances, &precisions) {
            (VarianceModel::Equal, _) => 1.0,
            (_, Some(precisions)) => precisions.largest_ratio(),
            (_, None) => self.default_ratio().unwrap_or(f64::INFINITY),
        };
        let [_, variance] = LocalEngine::framed(sample).scale();
        let least = self.default_least(sample, variance, precisions.is_some());
        let given = self.min_variance.map_or(0.0, |floor| sample.frame().enter_square(floor));
        Ok(Some((rows, SpreadBounds { ratio: ratio * ratio, least: least.max(given) })))
    }

    /// The bound on the ratio of spreads if the constraint does not bound them.
    pub(super) fn default_ratio(&self) -> Option<f64> {
        let default = if self.method == MixtureMethod::Best { SPREAD_RATIO } else { f64::INFINITY };
        Some(self.spread_ratio.unwrap_or(default)).filter(|ratio| ratio.is_finite())
    }

    /// The least variance if the caller bounds no spreads, in frame units: on data that look rounded, components
    /// narrower than [`LEAST_STEPS`] would fit ties. At most the data's variance, so that a single component is not
    /// affected.
    pub(super) fn default_least(&self, sample: &Sample, variance: f64, asked: bool) -> f64 {
        let asked = asked || self.spread_ratio.is_some() || self.min_variance.is_some();
        if asked || self.method == MixtureMethod::Paper || self.variances == VarianceModel::Equal {
            return 0.0;
        }
        let width = |step: f64| sample.frame().enter_length(LEAST_STEPS * step);
        sample.rounding_step().map_or(0.0, |step| width(step).powi(2).min(variance))
    }

    /// The floor of the variances, in frame units.
    pub(super) fn floor(&self, surface: &Surface<'_>, observed: &Observed) -> Result<f64, MixtureError> {
        let variance = surface.variance();
        let narrowest = observed.narrowest().filter(|width| width.is_finite()).unwrap_or(0.0);
        let default = (FLOOR * variance).max((NARROWEST * narrowest).powi(2));
        let floor = self.min_variance.map_or(default, |floor| surface.frame().enter_square(floor));
        let floor = floor.max(LEAST_FLOOR);
        if floor > LARGEST_FLOOR * variance {
            let value = self.min_variance.unwrap_or(floor);
            let expected = "it must not be more than 1e12 times the data's variance";
            return Err(MixtureError::BadSetting { name: "min_variance", value, expected });
        }
        Ok(floor)
    }
}
