//! The search for the highest local maximum: a few EM steps from each of many starts; short climbs from the best of
//! them, finished where they may be best; then moves from the maxima found (`moves`), climbed in the same way.
//!
//! It runs on a summary of some hundred to some thousand cells, so its cost does not grow with the number of points.
//! The best maxima are climbed again on the points.

mod cells;
mod initializer;
mod insertion;
mod maxima;
mod moves;
mod problem;
mod starts;

pub use initializer::{Ckmeans, ConstrainedKMeans, Initializer, InitializerFn, PaperStart, from_fn};

pub(super) use maxima::Found;

use super::climb::{Ascent, Workspace};
use super::m_step::MStep;
use super::observed::Observed;
use super::parameters::Parameters;
use crate::data::sample::Sample;
use crate::error::MixtureError;
use crate::memory::product;
use crate::monitor::Monitor;
use cells::Cells;
use maxima::{Maxima, alike, joins};
use problem::{CellProblem, shape};
use starts::starts;

/// Cells of a search as a multiple of the square root of the number of points.
const CELLS_A_ROOT: f64 = 4.0;

/// Cells at least: with 128, the search of 400 problems of 60 to 3,000 points missed 13, with 200 cells 14.
const FEWEST_CELLS: usize = 128;

/// Cells at most: the search stays short whatever the number of points.
const MOST_CELLS: usize = 4096;

/// EM steps of every start: the log-likelihood after them says which of the starts are climbed.
const FIRST_STEPS: usize = 2;

/// A third of the starts are climbed, but no fewer than this. Of 1,600 problems 28 were missed with this, 29 with 12.
const FEWEST_CLIMBED: usize = 8;

/// No more starts are climbed after this many in a row whose short climbs join others. Of 1,600 problems two more were
/// missed than without.
const JOINED_IN_A_ROW: usize = 3;

/// Passes of a short climb: enough to tell where it leads. With five instead of seven, three times as many problems
/// were missed.
const SHORT_PASSES: usize = 7;

/// Short climbs of starts that are finished: one more than there are components, but no more than this. With three for
/// all, the misses among 4,480 problems were a quarter more.
const MOST_STARTS_FINISHED: usize = 6;

/// A start that is below the best by more than this, after its short climb, is not finished.
const START_MARGIN: f64 = 5.0;

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
    /// Searches for the highest maximum of the likelihood of `k` components under the rows of `m_step`.
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
        let mut problem = CellProblem {
            cells,
            shape,
            m_step,
            frame: *sample.frame(),
            workspace: Workspace::default(),
            monitor: monitor.counting(work),
            out_of_time: false,
        };
        let mut maxima = Maxima::default();
        match self.climb_all(&mut problem, k, &mut maxima) {
            Err(MixtureError::TimeLimit) => problem.out_of_time = true,
            ended => ended?,
        }
        Ok(maxima.found(problem.out_of_time))
    }

    /// Climbs from the best of all starts, and moves on from where they end.
    fn climb_all(&self, problem: &mut CellProblem<'_>, k: usize, maxima: &mut Maxima) -> Result<(), MixtureError> {
        let mut ranked = Vec::new();
        for start in starts(&problem.cells, &problem.shape, self.random, &mut Random::new(self.seed)) {
            ranked.push(problem.em_steps(start, FIRST_STEPS)?);
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let climbed = FEWEST_CLIMBED.max(ranked.len() / 3).min(ranked.len());
        maxima.passed_over = ranked.len() - climbed;
        let mut joined_in_a_row = 0;
        let mut short: Vec<Ascent> = Vec::new();
        let mut climbed_from: Vec<Parameters> = Vec::new();
        for (start, _) in ranked.into_iter().take(climbed) {
            if climbed_from.iter().any(|other| alike(other, &start)) {
                maxima.passed_over += 1;
                continue;
            }
            climbed_from.push(start.clone());
            let best = short.iter().map(|ascent| ascent.log_likelihood).fold(f64::NEG_INFINITY, f64::max);
            let joining = |p: &Parameters, h: f64| short.iter().any(|other| joins(p, h, other));
            let ascent = problem.climb(start, 0, SHORT_PASSES - FIRST_STEPS, best, &joining)?;
            let joined = joining(&ascent.parameters, ascent.log_likelihood);
            joined_in_a_row = if joined { joined_in_a_row + 1 } else { 0 };
            short.push(ascent);
            maxima.starts += 1;
            if problem.out_of_time || joined_in_a_row == JOINED_IN_A_ROW {
                maxima.passed_over += climbed - climbed_from.len();
                break;
            }
        }
        short.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
        let best = short[0].log_likelihood;
        let most = (k + 1).min(MOST_STARTS_FINISHED);
        let mut finished: Vec<(Ascent, usize)> = Vec::new();
        for ascent in short {
            let joined = finished.iter().find(|(other, _)| joins(&ascent.parameters, ascent.log_likelihood, other));
            if let Some(&(_, maximum)) = joined {
                maxima.join(maximum);
            } else if finished.len() < most && ascent.log_likelihood >= best - problem.margin(START_MARGIN) {
                let maximum = maxima.finish(problem, ascent.clone())?;
                finished.push((ascent, maximum));
            }
        }
        if k > 1 && !problem.out_of_time { maxima.explore(problem) } else { Ok(()) }
    }
}

/// A stream of random numbers that are the same everywhere (Steele, Lea and Flood's SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
