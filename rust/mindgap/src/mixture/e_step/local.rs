//! [`LocalEngine`]: sums over pieces of sorted data on all threads; the pieces depend on the number of points alone.

use super::density::Parabola;
use super::kernel::{CHUNK, Pass, Scratch};
use crate::data::sample::Sample;
use crate::error::BoxError;
use crate::memory::product;
use crate::mixture::engine::Curvature;
use crate::mixture::engine::{Engine, Moments};
use crate::mixture::parameters::Parameters;
use crate::parallel::{Workers, threads_for};
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "rayon")]
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt;

/// Points per piece of work: enough to repay a task, few enough to balance threads.
const PIECE: usize = 32 * CHUNK;

/// The most components whose second derivatives are summed: their square would take more memory than a piece of data.
pub(super) const MOST_CURVED: usize = 40;

/// Passes over sorted points in engine units on this thread, which share working memory.
#[derive(Default)]
pub(in crate::mixture) struct SortedPasses(Option<Box<Scratch>>);

impl SortedPasses {
    /// Sums the moments of `values`, with or without the second derivatives.
    pub(in crate::mixture) fn sum(
        &mut self,
        values: &[f64],
        weights: &[f64],
        parameters: &Parameters,
        curved: bool,
    ) -> Moments {
        let parabolas = Parabola::of(parameters);
        let curved = curved && parameters.k() <= MOST_CURVED;
        let pass = Pass { parabolas: &parabolas, scale: 1.0, shift: 0.0, classify: false, curved };
        let scratch = self.0.get_or_insert_with(|| Box::new(Scratch::new(parabolas.len(), curved)));
        scratch.hold(parabolas.len(), curved);
        Arch::new().dispatch(Piece { pass: &pass, values, weights: Some(weights), scratch })
    }
}

/// The engine of a [`Sample`] in memory.
///
/// ```
/// use mindgap::{Engine, LocalEngine, Parameters, Sample};
///
/// let sample = Sample::new(&[1.0, 2.0, 6.0])?;
/// let moments = LocalEngine::new(&sample).moments(&Parameters::new(&[1.0], &[2.0], &[1.0])?)?;
/// assert_eq!((moments.weight[0], moments.first[0]), (3.0, 3.0));
/// # Ok::<(), mindgap::BoxError>(())
/// ```
#[derive(Clone)]
pub struct LocalEngine<'a> {
    sample: &'a Sample,
    workers: Workers,
    scale: f64,
    shift: f64,
}

impl<'a> LocalEngine<'a> {
    /// Makes an engine in units of the data.
    pub fn new(sample: &'a Sample) -> Self {
        Self { sample, workers: Workers::for_points(sample.len()), scale: 1.0, shift: 0.0 }
    }

    /// The memory of a fit of `k` components to `n` points: labels and distinct values, the sums of every piece, and
    /// each thread's working memory.
    pub(in crate::mixture) fn bytes(n: usize, k: usize) -> usize {
        let curvature = if k <= MOST_CURVED { Curvature::bytes(k) } else { 0 };
        let moments = product(&[n.div_ceil(PIECE), product(&[k, 3 * size_of::<f64>()]).saturating_add(curvature)]);
        let scratch = product(&[threads_for(n), k, Scratch::BYTES_A_COMPONENT]);
        product(&[n, 16]).saturating_add(moments).saturating_add(scratch)
    }

    /// Makes an engine in frame units.
    pub(in crate::mixture) fn framed(sample: &'a Sample) -> Self {
        let frame = sample.frame();
        let scale = frame.enter_length(1.0);
        Self { scale, shift: frame.shift() * scale, ..Self::new(sample) }
    }

    fn pass(&self, parameters: &Parameters, classify: bool, curved: bool) -> Moments {
        let parabolas = Parabola::of(parameters);
        let pass = Pass { parabolas: &parabolas, scale: self.scale, shift: self.shift, classify, curved };
        let (values, weights) = (self.sample.values(), self.sample.weights());
        let piece = |index: usize| {
            let range = index * PIECE..((index + 1) * PIECE).min(values.len());
            Arch::new().dispatch(Piece {
                pass: &pass,
                values: &values[range.clone()],
                weights: weights.map(|weights| &weights[range]),
                scratch: &mut Scratch::new(pass.parabolas.len(), curved),
            })
        };
        let pieces = values.len().div_ceil(PIECE);
        let mut moments = Moments::of_nothing(parabolas.len(), classify, curved);
        if pieces == 1 {
            moments.add(&piece(0));
            return moments;
        }
        #[cfg(feature = "rayon")]
        let parts: Vec<Moments> = self.workers.run(|| (0..pieces).into_par_iter().map(piece).collect());
        #[cfg(not(feature = "rayon"))]
        let parts: Vec<Moments> = self.workers.run(|| (0..pieces).map(piece).collect());
        parts.iter().for_each(|part| moments.add(part));
        moments
    }
}

impl LocalEngine<'_> {
    /// The total weight of the data, and their variance in the engine's units, or one if it is zero.
    pub(in crate::mixture) fn scale(&self) -> [f64; 2] {
        // The moments of a single component are those of the data. Its mean is the middle of the frame, so that the
        // squares do not cancel.
        let center = self.sample.frame().shift() * self.scale - self.shift;
        let parameters = Parameters::sound(vec![1.0], vec![center], vec![f64::MAX.sqrt()]);
        let Moments { weight, first, second, .. } = self.pass(&parameters, false, false);
        let (total, mean) = (weight[0], first[0] / weight[0]);
        let within = self.sample.total_within() * self.scale * self.scale;
        let variance = (second[0] / total - mean * mean).max(0.0) + within / total;
        [self.sample.total_weight(), if variance > 0.0 { variance } else { 1.0 }]
    }
}

impl Engine for LocalEngine<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Ok(Cow::Borrowed(self.sample))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, false, false))
    }

    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, false, parameters.k() <= MOST_CURVED))
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.pass(parameters, true, false))
    }
}

impl fmt::Debug for LocalEngine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEngine").field("points", &self.sample.len()).finish_non_exhaustive()
    }
}

/// One piece of a pass, compiled for each kind of processor.
struct Piece<'a> {
    pass: &'a Pass<'a>,
    values: &'a [f64],
    weights: Option<&'a [f64]>,
    scratch: &'a mut Scratch,
}

impl WithSimd for Piece<'_> {
    type Output = Moments;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Moments {
        if S::IS_SCALAR { self.run::<false>() } else { self.run::<true>() }
    }
}

impl Piece<'_> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Moments {
        let components = self.pass.parabolas.len();
        let mut moments = Moments::of_nothing(components, self.pass.classify, self.pass.curved);
        for (c, values) in self.values.chunks(CHUNK).enumerate() {
            let weights = self.weights.map(|weights| &weights[c * CHUNK..c * CHUNK + values.len()]);
            let ends = [values[0], values[values.len() - 1]];
            self.pass.add_chunk::<FUSED>(values, weights, ends, self.scratch, &mut moments);
        }
        moments
    }
}
