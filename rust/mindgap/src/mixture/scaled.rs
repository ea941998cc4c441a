//! An engine in units of the data, seen in units in which the data's spread is about one.

use super::engine::{Engine, Moments, Overview};
use super::parameters::Parameters;
use crate::data::frame::Frame;

/// An engine that speaks in frame units for one that speaks in those of the data.
pub(super) struct Scaled<'a> {
    engine: &'a mut dyn Engine,
    overview: Overview,
    frame: Frame,
}

impl<'a> Scaled<'a> {
    /// `overview` is what the engine has said, of a variance above zero.
    pub(super) fn new(engine: &'a mut dyn Engine, overview: Overview) -> Self {
        Self { engine, overview, frame: Frame::of_spread(overview.variance.sqrt()) }
    }

    pub(super) fn frame(&self) -> Frame {
        self.frame
    }

    fn enter(&self, moments: Moments) -> Moments {
        let Self { frame, overview, .. } = self;
        Moments {
            first: moments.first.into_iter().map(|value| frame.enter_length(value)).collect(),
            second: moments.second.into_iter().map(|value| frame.enter_square(value)).collect(),
            log_likelihood: moments.log_likelihood - frame.log_density(overview.total_weight),
            ..moments
        }
    }
}

impl Engine for Scaled<'_> {
    fn overview(&mut self) -> Result<Overview, String> {
        let Overview { total_weight, variance } = self.overview;
        Ok(Overview { total_weight, variance: self.frame.enter_square(variance) })
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, String> {
        let moments = self.engine.moments(&parameters.leave(&self.frame))?;
        Ok(self.enter(moments))
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, String> {
        let moments = self.engine.finish(&parameters.leave(&self.frame))?;
        Ok(self.enter(moments))
    }
}
