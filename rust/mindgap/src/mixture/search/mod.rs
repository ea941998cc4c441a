//! The search for the highest hill: many starts, a few EM steps from each; the best of them, climbed; moves from there
//! to others.
//!
//! It runs on a summary of some hundred to some thousand cells, so it costs no more for a million points than for ten
//! thousand. The hills it finds are climbed again on the points.

mod cells;
mod ground;
mod hills;
mod initializer;
mod insertion;
mod moves;
mod random;
mod starts;

pub use initializer::{Ckmeans, ConstrainedKMeans, Initializer, InitializerFn, PaperStart, from_fn};

pub(super) use hills::Found;

use super::climb::Ascent;
use super::m_step::MStep;
use super::observed::Observed;
use super::parameters::Parameters;
use crate::data::sample::Sample;
use crate::error::MixtureError;
use crate::memory::product;
use crate::monitor::Monitor;
use cells::Cells;
use ground::{Ground, shape};
use hills::{Hills, joins};
use random::Random;
use starts::starts;

/// Cells of a search as a multiple of the square root of the number of points.
const CELLS_A_ROOT: f64 = 4.0;

/// Cells at least: with 128, the search of 400 problems of 60 to 3,000 points missed 13, with 200 cells 14.
const FEWEST_CELLS: usize = 128;

/// Cells at most: the search stays short whatever the number of points.
const MOST_CELLS: usize = 4096;

/// EM steps of every start: the log-likelihood after them says which of the starts are climbed.
const FIRST_STEPS: usize = 2;

/// Starts that are climbed: a third of them, but no fewer than this. Among 1,900 problems 19 were missed with this and
/// without it.
const FEWEST_CLIMBED: usize = 12;

/// So many starts in a row whose short climbs join others are the last to be climbed. Of 1,600 problems one more was
/// missed.
const JOINED_IN_A_ROW: usize = 3;

/// Passes of a short climb: enough for its hill to show. With five instead of seven, three times as many problems were
/// missed.
const SHORT_PASSES: usize = 7;

/// Short climbs of starts that are finished: one more than there are components, but no more than this. With three for
/// all, the misses among 4,480 problems were a quarter more.
const MOST_STARTS_FINISHED: usize = 6;

/// A start that is below the best by more than this, after its short climb, is not finished.
const HOPELESS_START: f64 = 5.0;

/// The work of the programs of a pass, as a multiple of k³: a factor of the second derivatives, three parameters a
/// component.
const STEP_WORK: usize = 27;

/// How a search draws its random starts.
///
/// ```
/// use mindgap::{Mixture, Sample, Search};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.3, 6.1])?;
/// let fit = Mixture::new(2).search(Search::new().random_starts(8).seed(1)).fit(&sample)?;
/// assert!(fit.starts() >= 8);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    random: usize,
    seed: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self { random: 12, seed: 0 }
    }
}

impl Search {
    /// The deterministic starts, twelve random ones, and seed 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many starts are drawn at random, beside the deterministic ones.
    #[must_use]
    pub fn random_starts(mut self, random: usize) -> Self {
        self.random = random;
        self
    }

    /// Sets the seed of the random starts.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

impl Search {
    /// Searches the hills of the likelihood of `sample`, of `k` components, under the rows of `m_step`.
    ///
    /// # Errors
    /// A program that is not solved, and an interruption. A time limit ends it with what was found.
    pub(super) fn run(
        &self,
        sample: &Sample,
        observed: &Observed,
        k: usize,
        m_step: &mut MStep,
        monitor: &mut Monitor<'_>,
    ) -> Result<Found, MixtureError> {
        let most = (CELLS_A_ROOT * (sample.len() as f64).sqrt()) as usize;
        let cells = Cells::of(sample, most.clamp(FEWEST_CELLS.max(4 * k), MOST_CELLS.max(4 * k)), observed);
        let shape = shape(m_step, k);
        let work = product(&[cells.len(), k]).saturating_add(product(&[STEP_WORK, k, k, k])) as u64;
        let mut ground = Ground {
            cells,
            shape,
            m_step,
            frame: *sample.frame(),
            monitor: monitor.counting(work),
            out_of_time: false,
        };
        let mut hills = Hills::default();
        match self.climb_all(&mut ground, k, &mut hills) {
            Err(MixtureError::TimeLimit) => ground.out_of_time = true,
            ended => ended?,
        }
        Ok(hills.found(ground.out_of_time))
    }

    /// Climbs from the best of all starts, and moves on from where they end.
    fn climb_all(&self, ground: &mut Ground<'_>, k: usize, hills: &mut Hills) -> Result<(), MixtureError> {
        let mut ranked = Vec::new();
        for start in starts(&ground.cells, &ground.shape, self.random, &mut Random::new(self.seed)) {
            ranked.push(ground.em_steps(start, FIRST_STEPS)?);
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let climbed = FEWEST_CLIMBED.max(ranked.len() / 3).min(ranked.len());
        hills.passed_over = ranked.len() - climbed;
        let mut joined_in_a_row = 0;
        let mut short: Vec<Ascent> = Vec::new();
        for (start, _) in ranked.into_iter().take(climbed) {
            let best = short.iter().map(|ascent| ascent.log_likelihood).fold(f64::NEG_INFINITY, f64::max);
            let ahead = |p: &Parameters, h: f64| short.iter().any(|other| joins(p, h, other));
            let ascent = ground.climb(start, 0, SHORT_PASSES - FIRST_STEPS, best, &ahead)?;
            let joined = ahead(&ascent.parameters, ascent.log_likelihood);
            joined_in_a_row = if joined { joined_in_a_row + 1 } else { 0 };
            short.push(ascent);
            hills.starts += 1;
            if ground.out_of_time || joined_in_a_row == JOINED_IN_A_ROW {
                hills.passed_over += climbed - short.len();
                break;
            }
        }
        short.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
        let best = short[0].log_likelihood;
        let most = (k + 1).min(MOST_STARTS_FINISHED);
        let mut finished: Vec<(Ascent, usize)> = Vec::new();
        for ascent in short {
            let joined = finished.iter().find(|(other, _)| joins(&ascent.parameters, ascent.log_likelihood, other));
            if let Some(&(_, hill)) = joined {
                hills.join(hill);
            } else if finished.len() < most && ascent.log_likelihood >= best - HOPELESS_START {
                let hill = hills.finish(ground, ascent.clone())?;
                finished.push((ascent, hill));
            }
        }
        if k > 1 && !ground.out_of_time { hills.explore(ground) } else { Ok(()) }
    }
}
