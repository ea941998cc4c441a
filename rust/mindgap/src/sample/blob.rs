//! tmp
use super::Sample;
use crate::error::SampleError;
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blob {
    pub(crate) mean: f64,
    pub(crate) weight: f64,
    pub(crate) within: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) count: u64,
}
impl Sample {
    pub(crate) fn of_blobs(b: Vec<Blob>) -> Result<Sample, SampleError> {
        let v: Vec<f64> = b.iter().map(|b| b.mean).collect();
        let w: Vec<f64> = b.iter().map(|b| b.weight).collect();
        Sample::weighted(&v, &w)
    }
}
impl Sample {
    pub(crate) fn with_source(self, _s: crate::summary::SharedSource) -> Self {
        self
    }
}
