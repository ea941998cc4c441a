//! [`Observed`]: values recorded to a step, counts in bins, and a support outside which nothing was recorded.

use crate::data::Binned;
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::error::MixtureError;

/// Values closer than this fraction of a step are the same recorded value: rounding of decimals.
const SAME_VALUE: f64 = 1e-6;

/// Different values closer than this fraction of a step were not recorded to it.
const TOO_CLOSE: f64 = 0.5;

/// The intervals that the points lie in, and the support, in frame units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Observed {
    /// The interval of each value of the sample; `None` for exact values.
    pub(super) intervals: Option<Vec<[f64; 2]>>,
    /// The interval outside which nothing was recorded.
    pub(super) support: Option<[f64; 2]>,
}

impl Observed {
    /// Checks the values of `sample`, recorded to steps of `resolution` within `support`.
    ///
    /// # Errors
    /// A step or a support that these values contradict.
    pub(super) fn values(
        sample: &Sample,
        resolution: Option<f64>,
        support: Option<[f64; 2]>,
    ) -> Result<Self, MixtureError> {
        let frame = sample.frame();
        let mut observed = Self { intervals: None, support: support_of(support, frame)? };
        let values = sample.values();
        if let Some([low, high]) = support {
            // A rounded value may lie beyond an end that its interval contains.
            let half = 0.5 * resolution.filter(|step| *step > 0.0).unwrap_or(0.0);
            let outside = |value: f64| match half > 0.0 {
                true => value + half <= low || value - half >= high,
                false => value < low || value > high,
            };
            if let Some(&value) = values.iter().find(|&&value| outside(value)) {
                return Err(MixtureError::OutsideSupport { value, low, high });
            }
        }
        let Some(step) = resolution else {
            return Ok(observed);
        };
        if !(step > 0.0 && step.is_finite()) {
            return Err(bad("resolution", step, "it must be finite and positive"));
        }
        if sample.has_widths() {
            return Err(bad("resolution", step, "it needs the values themselves; these are cells of a summary"));
        }
        let close = |pair: &&[f64]| (SAME_VALUE * step..TOO_CLOSE * step).contains(&(pair[1] - pair[0]));
        if let Some(pair) = values.windows(2).find(close) {
            return Err(MixtureError::NotRounded { resolution: step, first: pair[0], second: pair[1] });
        }
        let half = 0.5 * frame.enter_length(step);
        let about = |&x: &f64| observed.seen([frame.enter(x) - half, frame.enter(x) + half]);
        observed.intervals = Some(values.iter().map(about).collect());
        Ok(observed)
    }

    /// Checks counts in bins within `support`.
    ///
    /// # Errors
    /// Occupied bins outside the support.
    pub(super) fn bins(binned: &Binned, support: Option<[f64; 2]>) -> Result<Self, MixtureError> {
        let frame = binned.sample().frame();
        let mut observed = Self { intervals: None, support: support_of(support, frame)? };
        let mut intervals = Vec::new();
        for ends in binned.intervals() {
            if let Some([low, high]) = support.filter(|[low, high]| ends[1] <= *low || ends[0] >= *high) {
                let value = if ends[0].is_finite() { ends[0] } else { ends[1] };
                return Err(MixtureError::OutsideSupport { value, low, high });
            }
            intervals.push(observed.seen(ends.map(|end| frame.enter(end))));
        }
        observed.intervals = Some(intervals);
        Ok(observed)
    }

    /// The narrowest interval, if there are intervals.
    pub(super) fn narrowest(&self) -> Option<f64> {
        let intervals = self.intervals.as_ref()?;
        Some(intervals.iter().map(|[low, high]| high - low).fold(f64::INFINITY, f64::min))
    }

    /// The part of an interval within the support.
    fn seen(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        let [least, most] = self.support.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        [low.max(least), high.min(most)]
    }
}

fn support_of(support: Option<[f64; 2]>, frame: &Frame) -> Result<Option<[f64; 2]>, MixtureError> {
    match support {
        Some([low, high]) if low >= high || low.is_nan() || high.is_nan() => {
            Err(bad("support", low, "its low end must be below its high end"))
        }
        Some([f64::NEG_INFINITY, f64::INFINITY]) | None => Ok(None),
        Some(ends) => Ok(Some(ends.map(|end| frame.enter(end)))),
    }
}

fn bad(name: &'static str, value: f64, expected: &'static str) -> MixtureError {
    MixtureError::BadSetting { name, value, expected }
}
