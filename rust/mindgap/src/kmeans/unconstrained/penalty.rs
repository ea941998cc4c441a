//! The search for the penalty under which the best partition has `k` clusters.
//!
//! Monge costs make the optimal cost convex in the number of clusters, so there is such a penalty. Every trial is one
//! [`PenaltyChain`]. Trials alternate between the law cost ~ k⁻² of smooth data, the chord between the known sides, and
//! bisection. The trial at a chord either lies between its two sides or proves both optimal under that penalty, and
//! then [`splice`] makes the solution of both. So every second trial makes progress, even with ties.

use super::candidates::{Candidates, CostTask, Costs, Reversed};
use super::chain::{Digits, PenaltyChain, Precise};
use crate::numeric::double::Double;
use crate::numeric::portable::{exp2, log2};
use std::cell::OnceCell;

/// An optimal partition of the candidates, with the penalty that proves it.
pub(super) struct PenaltyOptimum<D: Digits> {
    /// Nodes, from 0 to the last candidate.
    pub(super) path: Vec<u32>,
    pub(super) cost: f64,
    pub(super) penalty: f64,
    /// The first penalty for finer candidates: the middle of the penalties that give `k` clusters.
    pub(super) next_guess: f64,
    /// The chain of that penalty, without its paths.
    pub(super) chain: PenaltyChain<D>,
}

/// A path and the penalty under which it costs least.
struct Trial {
    path: Path,
    /// Computed on demand: the longest path has as many costs as candidates.
    cost: OnceCell<f64>,
    penalty: f64,
}

/// The nodes of a path; those of the longest one are implicit.
enum Path {
    Nodes(Vec<u32>),
    All { last: u32 },
}

impl Path {
    fn links(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.len() - 1,
            Self::All { last } => *last as usize,
        }
    }

    fn nodes(self) -> Vec<u32> {
        match self {
            Self::Nodes(nodes) => nodes,
            Self::All { last } => (0..=last).collect(),
        }
    }
}

impl Trial {
    fn new(path: Path, penalty: f64) -> Self {
        Self { path, cost: OnceCell::new(), penalty }
    }

    fn cost(&self, candidates: &Candidates<'_>) -> f64 {
        *self.cost.get_or_init(|| match &self.path {
            Path::Nodes(nodes) => path_cost(candidates, nodes.iter().copied()),
            Path::All { last } => path_cost(candidates, 0..=*last),
        })
    }

    fn links(&self) -> usize {
        self.path.links()
    }
}

/// Between sides that differ by at most this many clusters only chords are tried.
const CLOSE: usize = 8;

/// The most trials by the law of smooth data while one side is unknown.
const ONE_SIDED: usize = 5;

/// How a penalty was chosen.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Law,
    Chord,
    Bisection,
}

/// The state of the search: the nearest trials with fewer and with more than `k` clusters.
struct PenaltySearch<'a> {
    candidates: &'a Candidates<'a>,
    k: usize,
    few: Trial,
    many: Trial,
}

/// Finds the best partition of the candidates into `k` clusters, `1 < k <=` their number of cells. `guess` is the first
/// penalty; `pause` is called before every trial and may end the search.
pub(super) fn search<D: Digits, E>(
    candidates: &Candidates<'_>,
    k: usize,
    guess: f64,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<PenaltyOptimum<D>, E> {
    let mut search = PenaltySearch::new(candidates, k);
    let mut chain = PenaltyChain::<D>::default();
    let (mut step, mut penalty) = (Choice::Law, guess);
    for count in 0.. {
        pause()?;
        candidates.with_costs(Compute { chain: &mut chain, penalty, direction: Direction::Forward });
        let trial = Trial::new(Path::Nodes(chain.path()), penalty);
        if trial.links() == k {
            let cost = trial.cost(candidates);
            let near = search.is_tried() && search.many.links() - search.few.links() <= CLOSE;
            let next_guess = if near { search.amid(cost) } else { penalty };
            let chain = chain.without_paths();
            return Ok(PenaltyOptimum { path: trial.path.nodes(), cost, penalty, next_guess, chain });
        }
        let between = search.few.links() < trial.links() && trial.links() < search.many.links();
        if !between && step == Choice::Chord {
            break;
        }
        let last = (penalty, trial.links());
        if between {
            search.narrow(trial);
        }
        let one_sided = !search.is_tried() && count < ONE_SIDED;
        (step, penalty) = if between || one_sided { search.next(count, last) } else { (Choice::Chord, search.chord()) };
    }
    let path = splice(&search.few.path.nodes(), &search.many.path.nodes(), k);
    let cost = path_cost(candidates, path.iter().copied());
    Ok(PenaltyOptimum { path, cost, penalty, next_guess: penalty, chain: chain.without_paths() })
}

impl<'a> PenaltySearch<'a> {
    /// Starts from one cluster and from one per cell.
    fn new(candidates: &'a Candidates<'a>, k: usize) -> Self {
        let last = candidates.cells() as u32;
        let few = Trial::new(Path::Nodes(vec![0, last]), f64::INFINITY);
        let many = Trial::new(Path::All { last }, 0.0);
        Self { candidates, k, few, many }
    }

    fn narrow(&mut self, trial: Trial) {
        if trial.links() < self.k {
            self.few = trial;
        } else {
            self.many = trial;
        }
    }

    /// The penalty under which both sides cost the same.
    fn chord(&self) -> f64 {
        let (few, many) = (self.few.cost(self.candidates), self.many.cost(self.candidates));
        ((few - many) / (self.many.links() - self.few.links()) as f64).max(0.0)
    }

    /// The middle between the penalties under which `k` clusters of this `cost` tie with either side. If the sides have
    /// `k - 1` and `k + 1` clusters, it is the middle of the penalties that give `k`.
    fn amid(&self, cost: f64) -> f64 {
        let most = (self.few.cost(self.candidates) - cost) / (self.k - self.few.links()) as f64;
        let least = (cost - self.many.cost(self.candidates)) / (self.many.links() - self.k) as f64;
        0.5 * (most + least)
    }

    /// The next penalty after one that gave `links` clusters; strictly between those of the two sides.
    fn next(&self, count: usize, (penalty, links): (f64, usize)) -> (Choice, f64) {
        let (low, high) = (self.many.penalty, self.few.penalty);
        let tried = self.is_tried();
        let close = self.many.links() - self.few.links() <= CLOSE;
        let (step, next) = match count % 3 {
            _ if close => (Choice::Chord, self.chord()),
            // After many steps from one side alone, the chord is tried.
            _ if !tried && count < ONE_SIDED => (Choice::Law, self.by_law(penalty, links, count)),
            0 | 1 if tried => (Choice::Law, self.interpolated()),
            2 if tried => (Choice::Bisection, (low * high).sqrt()),
            _ => (Choice::Chord, self.chord()),
        };
        if low < next && next < high { (step, next) } else { (Choice::Chord, self.chord()) }
    }

    /// The penalty for `k` clusters on smooth data, given that this one gave `links`. Penalties of `k - ½` to `k + ½`
    /// clusters give `k`; the nearer end is the better guess. Each further trial aims farther beyond, to reach the
    /// other side.
    fn by_law(&self, penalty: f64, links: usize, count: usize) -> f64 {
        let k = self.k as f64;
        let beyond = (0.5 * (3f64.powi(count as i32) - 1.0)).min(0.5 * k);
        let ratio =
            if links > self.k { (links as f64 - 0.5) / (k - beyond) } else { (links as f64 + 0.5) / (k + beyond) };
        penalty * ratio.powi(3)
    }

    /// Whether both sides are results of trials.
    fn is_tried(&self) -> bool {
        self.many.penalty > 0.0 && self.few.penalty < f64::INFINITY
    }

    /// Interpolation of log penalty over log k.
    fn interpolated(&self) -> f64 {
        let log = |links: usize| log2(links as f64);
        let (few, many) = (log(self.few.links()), log(self.many.links()));
        let part = (log(self.k) - few) / (many - few);
        exp2(log2(self.few.penalty) * (1.0 - part) + log2(self.many.penalty) * part)
    }
}

/// The cost of a path, without penalties.
fn path_cost(candidates: &Candidates<'_>, nodes: impl Iterator<Item = u32>) -> f64 {
    candidates.with_costs(PathCost { nodes })
}

struct PathCost<I> {
    nodes: I,
}

impl<I: Iterator<Item = u32>> CostTask for PathCost<I> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(mut self, costs: &C) -> f64 {
        let mut total = Double::ZERO;
        let mut start = self.nodes.next().unwrap_or_default() as usize;
        for end in self.nodes {
            total.gather(Double::from(costs.cost(start, end as usize)));
            start = end as usize;
        }
        total.whole()
    }
}

/// Computes the chain over prefixes.
pub(super) fn forward(candidates: &Candidates<'_>, penalty: f64) -> PenaltyChain<Precise> {
    let mut chain = PenaltyChain::default();
    candidates.with_costs(Compute { chain: &mut chain, penalty, direction: Direction::Forward });
    chain
}

/// Computes the chain over suffixes: `values[i]` belongs to the candidate `i` from the end.
pub(super) fn backward<D: Digits>(candidates: &Candidates<'_>, penalty: f64) -> PenaltyChain<D> {
    let mut chain = PenaltyChain::default();
    candidates.with_costs(Compute { chain: &mut chain, penalty, direction: Direction::Backward });
    chain
}

enum Direction {
    Forward,
    Backward,
}

struct Compute<'a, D: Digits> {
    chain: &'a mut PenaltyChain<D>,
    penalty: f64,
    direction: Direction,
}

impl<D: Digits> CostTask for Compute<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) {
        match self.direction {
            Direction::Forward => self.chain.compute(costs, self.penalty),
            Direction::Backward => self.chain.compute(&Reversed(costs), self.penalty),
        }
    }
}

/// Splices two paths, in O(k): returns the path of `k` links that starts along `few` and ends along `many`, which have at most and at least `k` links;
/// both are nodes in ascending order with the same first and last.
///
/// If costs are Monge and both paths are optimal under one penalty, so is the spliced one (Aggarwal, Schieber and
/// Tokuyama). Let `shift` be the number of links of `many` minus `k`. Some link of `few` spans the link of `many` that is `shift`
/// further on: the first one whose end is not before that link's end (the last link is such a one); if its start were
/// after that link's start, the link before it would be the first. Swapping the two ends costs nothing, by Monge.
pub(in crate::kmeans) fn splice<T: Copy + PartialOrd>(few: &[T], many: &[T], k: usize) -> Vec<T> {
    let shift = many.len() - 1 - k;
    let links = few.len() - 1;
    let link = (0..links).find(|&link| many[link + shift + 1] <= few[link + 1]).unwrap_or(links);
    [&few[..=link], &many[link + shift + 1..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spliced_paths_ascend_and_have_the_asked_number_of_links() {
        let few = [0, 5, 9, 20];
        let many = [0, 1, 2, 6, 8, 12, 15, 20];
        for k in 3..=7 {
            let path = splice(&few, &many, k);
            assert_eq!(path.len(), k + 1);
            assert!(path.windows(2).all(|pair| pair[0] < pair[1]), "{path:?}");
            assert_eq!((path[0], path[k]), (0, 20));
        }
    }
}
