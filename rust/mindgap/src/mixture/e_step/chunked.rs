//! The engine of data in chunks: a pass reads all chunks once, on all threads.

use super::moment_sums::MomentSums;
use crate::data::sample::Sample;
use crate::data::{Chunk, Chunked};
use crate::error::{BoxError, SampleError};
use crate::mixture::engine::{Engine, Moments};
use crate::mixture::parameters::Parameters;
use std::borrow::Cow;

/// Sums the moments of a chunk.
type OfChunk = fn(&[f64], Option<&[f64]>, &Parameters) -> Result<MomentSums, SampleError>;

impl Engine for Chunked {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Owned(self.sample()?))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(sum(self, parameters, MomentSums::unclassified)?)
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(sum(self, parameters, MomentSums::of_chunk)?)
    }
}

fn sum(data: &Chunked, parameters: &Parameters, of_chunk: OfChunk) -> Result<Moments, SampleError> {
    let mut sums = MomentSums::zero(parameters);
    let work = |chunk: &Chunk| of_chunk(&chunk.values, chunk.weights.as_deref(), parameters);
    data.fold(work, |part| {
        sums.add(&part);
        Ok(())
    })?;
    Ok(sums.moments())
}
