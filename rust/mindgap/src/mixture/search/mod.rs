//! The search for the highest hill: many starts, climbed a little; the best of them, climbed to the top; moves from there to others.
//!
//! It runs on a summary of some hundred to some thousand cells, so it costs no more for a million points than for ten thousand. The
//! hills it finds are climbed again on the points.

mod cells;
mod initializer;
mod moves;
mod random;
mod starts;

pub use initializer::{Ckmeans, ConstrainedKMeans, Initializer, InitializerFn, PaperStart, from_fn};

use super::climb::{Ascent, ClimbLimits, Ending, Model, ascend};
use super::e_step::Observed;
use super::m_step::MStep;
use super::parameters::Parameters;
use super::surface::Surface;
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::error::MixtureError;
use crate::memory::product;
use crate::monitor::{Monitor, Progress};
use cells::Cells;
use moves::moves;
use random::Random;
use starts::{Shape, starts};

/// Cells of a search as a multiple of the square root of the number of points.
const CELLS_A_ROOT: f64 = 8.0;

/// Cells at least: with 200, the search of 500 points missed as few of the 1,152 measured problems as on the points.
const FEWEST_CELLS: usize = 200;

/// Cells at most: the search stays short whatever the number of points.
const MOST_CELLS: usize = 4096;

/// Passes of a short climb: enough for its hill to show. With five instead of seven, three times as many problems were missed.
const SHORT_PASSES: usize = 7;

/// Passes of a climb to the top; 99 % of those measured took less than half of it.
const LONG_PASSES: usize = 150;

/// Short climbs that are finished, of the starts and of each round of moves.
const FINISHED: usize = 3;

/// A start that is below the best by more than this, after its short climb, is not finished.
const HOPELESS_START: f64 = 5.0;

/// The same for a move.
const HOPELESS_MOVE: f64 = 3.0;

/// Hills below the best by more than this are not moved from.
const NEAR_HILL: f64 = 2.0;

/// Rounds of moves at most.
const ROUNDS: usize = 8;

/// Rounds in a row without a higher hill, after which the search ends.
const FRUITLESS_ROUNDS: usize = 3;

/// The work of the programs of a pass, as a multiple of k³: a factor of the second derivatives, three parameters a component.
const STEP_WORK: usize = 27;

/// Hills within this of each other, at about the same parameters, are one.
const SAME_HEIGHT: f64 = 1e-3;

/// Hills of the search within this of its best, in log units, are climbed on the points: the summary may have them in another order.
const CLIMBED_AGAIN: f64 = 1.0;

/// At most so many of them.
const MOST_CLIMBED_AGAIN: usize = 3;

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

/// What a search has found, highest first, on its summary.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) hills: Vec<Hill>,
    /// Starts and moves that were climbed.
    pub(super) starts: usize,
    /// How many of them ended on the highest hill.
    pub(super) at_best: usize,
    /// Whether the time limit ended it.
    pub(super) out_of_time: bool,
}

/// The top of a hill.
#[derive(Clone, Debug)]
pub(super) struct Hill {
    pub(super) ascent: Ascent,
    /// Climbs that ended here.
    ended: usize,
}

impl Hill {
    fn height(&self) -> f64 {
        self.ascent.log_likelihood
    }
}

/// What a search works on.
pub(super) struct Ground<'a> {
    cells: Cells,
    shape: Shape,
    m_step: &'a mut MStep,
    frame: Frame,
    /// Counts the passes of the search as work.
    monitor: Monitor<'a>,
    /// Whether the time limit has passed.
    out_of_time: bool,
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

    /// Climbs from all starts, and moves on from where they end.
    fn climb_all(&self, ground: &mut Ground<'_>, k: usize, hills: &mut Hills) -> Result<(), MixtureError> {
        let mut draws = Random::new(self.seed);
        let mut short = Vec::new();
        for start in starts(&ground.cells, &ground.shape, self.random, &mut draws) {
            short.push(ground.climb(start, 2, SHORT_PASSES)?);
            hills.starts += 1;
            if ground.out_of_time {
                break;
            }
        }
        short.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
        let best = short[0].log_likelihood;
        let mut finished: Vec<Ascent> = Vec::new();
        for ascent in short {
            if finished.iter().any(|other| same(other, &ascent, 50.0 * SAME_HEIGHT)) {
                continue;
            }
            if finished.len() >= FINISHED || ascent.log_likelihood < best - HOPELESS_START {
                break;
            }
            finished.push(ascent.clone());
            hills.finish(ground, ascent)?;
        }
        if k > 1 && !ground.out_of_time { hills.explore(ground) } else { Ok(()) }
    }
}

/// The bounds of the gaps, from the rows that are gaps.
fn shape(m_step: &MStep, k: usize) -> Shape {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    if let Some(program) = &m_step.means.program {
        (lower, upper) = (vec![0.0; k.saturating_sub(1)], vec![f64::INFINITY; k.saturating_sub(1)]);
        let rows = program.rows();
        for row in 0..rows.len() {
            if let Some(gap) = rows.gap(row) {
                let bounds = rows.bounds(row);
                lower[gap] = f64::max(lower[gap], bounds.0);
                upper[gap] = f64::min(upper[gap], bounds.1);
            }
        }
    }
    Shape { k, lower, upper, equal_spreads: m_step.precisions.is_equal() }
}

impl Ground<'_> {
    /// Climbs on the cells, as far as time allows.
    fn climb(&mut self, start: Parameters, em_steps: usize, passes: usize) -> Result<Ascent, MixtureError> {
        self.monitor.untimed().send(&Progress::Working)?;
        let scale = [self.cells.total, self.cells.variance];
        let mut surface = Surface::new(&mut self.cells, self.frame, true, scale);
        let limits = ClimbLimits { em_steps, passes, tolerance: ClimbLimits::TOLERANCE };
        let start = start.sorted().0.raised(self.m_step.precisions.floor());
        let ascent = ascend(&mut surface, self.m_step, start, limits, None, &mut self.monitor)?;
        self.out_of_time |= ascent.ending == Ending::OutOfTime;
        Ok(ascent)
    }

    /// One EM step on `cells`, and the log-likelihood before it.
    fn em(&mut self, cells: &Cells, start: Parameters) -> Result<(Parameters, f64), MixtureError> {
        let mut cells = cells.clone();
        let scale = [cells.total, cells.variance];
        step(&mut Surface::new(&mut cells, self.frame, true, scale), self.m_step, start, &mut self.monitor)
    }

    /// The same with other rows.
    fn em_with(
        &mut self,
        cells: &Cells,
        start: Parameters,
        m_step: &mut MStep,
    ) -> Result<(Parameters, f64), MixtureError> {
        let mut cells = cells.clone();
        let scale = [cells.total, cells.variance];
        step(&mut Surface::new(&mut cells, self.frame, true, scale), m_step, start, &mut self.monitor)
    }

    /// The log-likelihood of `cells`.
    fn height(&self, cells: &Cells, parameters: &Parameters) -> Result<f64, MixtureError> {
        let mut cells = cells.clone();
        let scale = [cells.total, cells.variance];
        Ok(Surface::new(&mut cells, self.frame, true, scale).at(parameters)?.log_likelihood)
    }
}

fn step(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    start: Parameters,
    monitor: &mut Monitor<'_>,
) -> Result<(Parameters, f64), MixtureError> {
    monitor.send(&Progress::Working)?;
    let moments = surface.at(&start)?;
    let next = m_step.run(&start, &moments, monitor).map_err(|failure| failure.in_iteration(0))?;
    Ok((next, moments.log_likelihood))
}

/// The hills known so far.
#[derive(Default)]
struct Hills {
    tops: Vec<Hill>,
    starts: usize,
}

impl Hills {
    fn best(&self) -> f64 {
        self.tops.iter().map(Hill::height).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Climbs on from where a short climb ended, unless that is a hill that is known.
    fn finish(&mut self, ground: &mut Ground<'_>, from: Ascent) -> Result<(), MixtureError> {
        let ascent = match self.known(&from) {
            Some(hill) => {
                hill.ended += 1;
                return Ok(());
            }
            None => ground.climb(from.parameters, 0, LONG_PASSES)?,
        };
        match self.known(&ascent) {
            Some(hill) => hill.ended += 1,
            None => self.tops.push(Hill { ascent, ended: 1 }),
        }
        Ok(())
    }

    fn known(&mut self, ascent: &Ascent) -> Option<&mut Hill> {
        self.tops.iter_mut().find(|hill| same(&hill.ascent, ascent, SAME_HEIGHT))
    }

    /// Moves from the highest hill not yet moved from, until that no longer finds a higher one.
    fn explore(&mut self, ground: &mut Ground<'_>) -> Result<(), MixtureError> {
        let mut moved_from: Vec<Ascent> = Vec::new();
        let mut fruitless = 0;
        for _ in 0..ROUNDS {
            let best = self.best();
            let fresh = self.tops.iter().filter(|hill| {
                let gone = moved_from.iter().any(|other| same(other, &hill.ascent, SAME_HEIGHT));
                hill.height() > best - NEAR_HILL && !gone
            });
            let Some(hill) = fresh.reduce(|a, b| if b.height() > a.height() { b } else { a }) else {
                break;
            };
            let from = hill.ascent.clone();
            moved_from.push(from.clone());
            self.moves_from(ground, &from, best)?;
            fruitless = if self.best() > best + SAME_HEIGHT { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS_ROUNDS {
                break;
            }
        }
        Ok(())
    }

    fn moves_from(&mut self, ground: &mut Ground<'_>, from: &Ascent, best: f64) -> Result<(), MixtureError> {
        let most = 2 * from.parameters.k() + 4;
        let mut hopes = Vec::new();
        for candidate in moves(ground, &from.parameters, most)? {
            let ascent = ground.climb(candidate.parameters, 1, SHORT_PASSES)?;
            if ground.out_of_time {
                return Err(MixtureError::TimeLimit);
            }
            self.starts += 1;
            let height = ascent.log_likelihood;
            if height > best + SAME_HEIGHT {
                hopes.push((f64::MAX, ascent));
            } else if !same(&ascent, from, f64::INFINITY) {
                hopes.push((height + (2.0 * ascent.decrement).min(HOPELESS_MOVE), ascent));
            } else if let Some(hill) = self.known(&ascent) {
                hill.ended += 1;
            }
        }
        hopes.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.log_likelihood.total_cmp(&a.1.log_likelihood)));
        for (hope, ascent) in hopes.into_iter().take(FINISHED) {
            if hope >= best - HOPELESS_MOVE {
                self.finish(ground, ascent)?;
            }
        }
        Ok(())
    }

    fn found(mut self, out_of_time: bool) -> Found {
        self.tops.sort_by(|a, b| b.height().total_cmp(&a.height()));
        let at_best = self.tops[0].ended;
        Found { hills: self.tops, starts: self.starts, at_best, out_of_time }
    }
}

impl Found {
    /// The hills that are worth climbing on the points, with the likelihood near them; the highest alone where a pass is costly.
    pub(super) fn worth(&self, local: bool) -> impl Iterator<Item = (&Parameters, Option<&Model>)> {
        let best = self.hills[0].height();
        let near = self.hills.iter().take_while(move |hill| hill.height() >= best - CLIMBED_AGAIN);
        let most = if local { MOST_CLIMBED_AGAIN } else { 1 };
        near.take(most).map(|hill| (&hill.ascent.before, hill.ascent.model.as_ref()))
    }

    /// The highest hill but `best`: among those climbed on the points, `others`, or else on the summary.
    pub(super) fn runner_up(
        &self,
        best: &Ascent,
        mut others: impl Iterator<Item = (Parameters, f64)>,
    ) -> Option<(Parameters, f64)> {
        others.find(|(parameters, _)| !alike(parameters, &best.parameters)).or_else(|| {
            let hill = self.hills.iter().find(|hill| !alike(&hill.ascent.parameters, &best.parameters))?;
            let lower = hill.height() - self.hills[0].height();
            Some((hill.ascent.parameters.clone(), best.log_likelihood + lower.min(0.0)))
        })
    }
}

/// Whether two climbs are on one hill: heights within `apart`, and every component that matters at about the same place.
fn same(a: &Ascent, b: &Ascent, apart: f64) -> bool {
    (a.log_likelihood - b.log_likelihood).abs() < apart && alike(&a.parameters, &b.parameters)
}

/// Whether two sets of parameters, each by its ascending means, are about the same.
fn alike(a: &Parameters, b: &Parameters) -> bool {
    let (a, b) = (a.clone().sorted().0, b.clone().sorted().0);
    (0..a.k()).all(|c| {
        let (weight, variance) = (a.weights()[c], a.variances()[c].min(b.variances()[c]));
        let ratio = a.variances()[c] / b.variances()[c];
        let near = (a.means()[c] - b.means()[c]).abs() < 0.1 * variance.sqrt() && (0.86..1.16).contains(&ratio);
        (weight - b.weights()[c]).abs() < 0.02 && (near || weight < 1e-3)
    })
}
