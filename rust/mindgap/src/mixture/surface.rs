//! [`Surface`]: the log-likelihood and the moments as functions of the parameters, for data in memory or elsewhere.
//!
//! A climb sees the data only through this. Parameters and moments are in frame units, log-likelihoods in those of the
//! data; the engine's moments are checked.

use super::engine::{Engine, Moments};
use super::parameters::Parameters;
use crate::data::frame::Frame;
use crate::error::{BoxError, Cause, MixtureError};

/// The log-likelihood of one data set.
pub(super) struct Surface<'a> {
    engine: &'a mut dyn Engine,
    frame: Frame,
    /// Whether the engine works in frame units.
    framed: bool,
    total_weight: f64,
    variance: f64,
    /// Whether the likelihood is one of densities, which have units; else of probabilities.
    of_densities: bool,
}

impl<'a> Surface<'a> {
    /// Makes the surface of data with this total weight and `variance` (in frame units). The engine works in frame
    /// units if `framed`, else in those of the data.
    pub(super) fn new(
        engine: &'a mut dyn Engine,
        frame: Frame,
        framed: bool,
        [total_weight, variance]: [f64; 2],
    ) -> Self {
        Self { engine, frame, framed, total_weight, variance, of_densities: true }
    }

    /// Makes the likelihood one of probabilities.
    pub(super) fn of_probabilities(mut self) -> Self {
        self.of_densities = false;
        self
    }

    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Whether the data are in this process, where a pass costs little.
    pub(super) fn is_local(&self) -> bool {
        self.framed
    }

    pub(super) fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// The data's variance in frame units.
    pub(super) fn variance(&self) -> f64 {
        self.variance
    }

    /// Returns the moments and the log-likelihood at `parameters`.
    ///
    /// # Errors
    /// An engine that fails or returns invalid moments.
    pub(super) fn at(&mut self, parameters: &Parameters) -> Result<Moments, MixtureError> {
        self.ask(parameters, |engine, parameters| engine.moments(parameters))
    }

    /// As [`at`](Self::at), with the sums for the second derivatives if the engine returns them.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub(super) fn curved(&mut self, parameters: &Parameters) -> Result<Moments, MixtureError> {
        self.ask(parameters, |engine, parameters| engine.curved(parameters))
    }

    /// As [`curved`](Self::curved), or `None` where the sums over data in memory overflow: a spread is too small for them.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub(super) fn tried(&mut self, parameters: &Parameters) -> Result<Option<Moments>, MixtureError> {
        match self.curved(parameters) {
            Err(MixtureError::Engine(_)) if self.is_local() => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// As [`at`](Self::at), with the classification if the engine returns it.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub(super) fn finish(&mut self, parameters: &Parameters) -> Result<Moments, MixtureError> {
        self.ask(parameters, |engine, parameters| engine.finish(parameters))
    }

    fn ask(
        &mut self,
        parameters: &Parameters,
        ask: impl FnOnce(&mut dyn Engine, &Parameters) -> Result<Moments, BoxError>,
    ) -> Result<Moments, MixtureError> {
        let outside = (!self.framed).then(|| parameters.leave(&self.frame));
        let asked = outside.as_ref().unwrap_or(parameters);
        if !asked.is_finite() {
            return Err(MixtureError::OutOfRange);
        }
        let answer = ask(self.engine, asked).map_err(|error| MixtureError::Engine(Cause::new(error)))?;
        if let Some(fault) = answer.fault(parameters.k(), self.total_weight) {
            return Err(MixtureError::Engine(Cause::new(fault)));
        }
        Ok(match &outside {
            Some(outside) => self.enter(answer, parameters.means(), outside.means()),
            None => {
                let units = if self.of_densities { self.frame.log_density(self.total_weight) } else { 0.0 };
                Moments { log_likelihood: answer.log_likelihood + units, ..answer }
            }
        })
    }

    /// Converts moments about `asked`, in data units, to moments about `means` in frame units. The two means differ by
    /// rounding if the data are far from zero.
    fn enter(&self, mut moments: Moments, means: &[f64], asked: &[f64]) -> Moments {
        for k in 0..means.len() {
            let (n, off) = (moments.weight[k], self.frame.enter(asked[k]) - means[k]);
            let (first, second) =
                (self.frame.enter_length(moments.first[k]), self.frame.enter_square(moments.second[k]));
            moments.first[k] = first + n * off;
            moments.second[k] = (second + off * (2.0 * first + n * off)).max(0.0);
        }
        moments
    }
}

#[cfg(test)]
mod tests;
