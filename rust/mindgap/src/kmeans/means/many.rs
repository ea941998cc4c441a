//! Many clusters whose gaps all have the same bounds: one graph of runs of points for all clusters
//! ([`penalty`](super::penalty)).
//!
//! If the possible runs are too many to store, the best partition on coarse positions is improved first. Then one pass
//! in each direction, over the runs that an optimum without the bounds could have, keeps those that are possible under
//! all bounds but the two gaps at their ends. O(N²/K) at worst for data without heavy tails.

use super::cells::BoundaryCell;
use super::clusters::Clusters;
use super::feasible;
use super::incumbent::{MeansSolution, Steps, improved};
use super::penalty::DualSearch;
use super::positions::{PenalizedCosts, Positions};
use super::prefix_costs::penalized_costs;
use super::search::{MeansLimits, MeansOutcome};
use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::rounding::of_sum;
use crate::kmeans::sizes::Sizes;
use crate::kmeans::{free, unconstrained};
use crate::memory::product;
use crate::monitor::Monitor;

/// The largest number of runs between coarse positions: a search among them takes a tenth of a second.
const MAX_COARSE_RUNS: usize = 1 << 21;

/// The longest move of a boundary as positions become finer.
const COARSE_REACH: usize = 8;

/// The longest move at single positions, for the last hundredths of a percent.
const FINEST_REACH: usize = 32;

/// The largest number of runs that a search scans if it cannot store them all: some seconds of work.
const MAX_SCANNED_RUNS: usize = 1 << 28;

/// The largest number of points times clusters for which a feasible partition is found in a tenth of a second.
const MAX_QUICKLY_FEASIBLE: usize = 1 << 22;

/// The largest number of positions: a quarter of a gigabyte.
const MAX_POSITIONS: usize = 1 << 21;

/// The limits of successive searches, as fractions of the way from the proven bound to the best cost: low limits keep
/// few runs.
const LIMIT_SHARES: [f64; 3] = [0.0625, 0.25, 1.0];

/// If a pass keeps more than one in this many runs, another with a better penalty is not worth its time.
const MIN_SHRINKING: usize = 2;

/// Finds the best partition into `gaps.lower.len() + 1` clusters of admissible `sizes` whose means satisfy `gaps` (in
/// frame units; `asked` in data units), improving on the boundaries `start` if there are any. `None` if the search does
/// not apply or ends without a proof: then `start` is the best partition found, and the monitor has the proven bound.
pub(super) fn search(
    prefixes: &Prefixes<'_>,
    asked: &Rows,
    gaps: &Rows,
    sizes: Sizes,
    limits: &MeansLimits,
    start: &mut Option<Vec<usize>>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<MeansOutcome>, KMeansError> {
    let k = gaps.lower.len() + 1;
    let Some(gap) = gaps.shared_bounds().filter(|_| k >= limits.many) else { return Ok(None) };
    let mut search =
        ManyClusters { prefixes, asked, gaps, gap, sizes, k, most: limits.states, penalty: 0.0, best: None };
    let ended = match search.run(start.take(), monitor) {
        Err(KMeansError::TimeLimit) => ManyOutcome::Limited,
        ended => ended?,
    };
    Ok(match (ended, search.best) {
        (ManyOutcome::Decided, Some(best)) => Some(MeansOutcome::Optimal(best)),
        (ManyOutcome::Decided, None) => Some(MeansOutcome::Infeasible),
        (ManyOutcome::Limited, Some(best)) => Some(MeansOutcome::Bounded(best, monitor.lower_bound)),
        (ManyOutcome::Limited, None) => return Err(KMeansError::TimeLimit),
        (ManyOutcome::Open, best) => {
            *start = best.map(|best| best.boundaries);
            None
        }
    })
}

/// How a search ended.
enum ManyOutcome {
    /// The best partition is optimal, or there is none.
    Decided,
    /// The limits were reached.
    Limited,
    /// Another search may prove more.
    Open,
}

/// A search for the best partition of the points into many clusters.
struct ManyClusters<'a> {
    prefixes: &'a Prefixes<'a>,
    /// The bounds in data units.
    asked: &'a Rows,
    /// The bounds in frame units, and the pair that all gaps share.
    gaps: &'a Rows,
    gap: (f64, f64),
    sizes: Sizes,
    k: usize,
    /// The largest number of runs, and the most steps, to store at a time.
    most: usize,
    /// The best penalty known.
    penalty: f64,
    best: Option<MeansSolution>,
}

impl ManyClusters<'_> {
    fn run(&mut self, start: Option<Vec<usize>>, monitor: &mut Monitor<'_>) -> Result<ManyOutcome, KMeansError> {
        let (n, k) = (self.prefixes.len(), self.k);
        let steps = Steps { reach: n / k, fineness: 4, unit: 1 };
        if let Some(start) = start {
            self.improve(&start, &steps, monitor)?;
        }
        if product(&[n, k]) <= MAX_QUICKLY_FEASIBLE && !self.find_feasible(&steps, monitor)? {
            return Ok(ManyOutcome::Decided);
        }
        if self.best.as_ref().is_some_and(|best| best.cost <= monitor.lower_bound + of_sum(k, best.cost)) {
            return Ok(ManyOutcome::Decided);
        }
        let memory = monitor.check_memory("sums over the data", product(&[n + 1, size_of::<BoundaryCell>()]));
        let mut positions = (n <= MAX_POSITIONS && memory.is_ok()).then(|| Positions::every(1, self.prefixes));
        if let Some(positions) = &mut positions
            && positions.keep_up_to(self.limit(), self.most)
        {
            self.penalty = self.smooth_penalty(monitor);
            return self.search_among(positions, self.limit(), monitor);
        }
        if let Some((boundaries, floor)) = self.free_relaxation(monitor)? {
            monitor.proved(floor);
            self.improve(&boundaries, &steps, monitor)?;
            monitor.report()?;
        }
        if !self.find_feasible(&steps, monitor)? {
            return Ok(ManyOutcome::Decided);
        }
        if monitor.is_proven() {
            return Ok(ManyOutcome::Limited);
        }
        self.penalty = self.smooth_penalty(monitor);
        // Clusters have n/k points on average.
        let Some(positions) = positions.filter(|_| n / k <= MAX_SCANNED_RUNS / n) else { return Ok(ManyOutcome::Open) };
        self.coarse(monitor)?;
        if self.penalty > 0.0 { self.search_narrowing(positions, monitor) } else { Ok(ManyOutcome::Open) }
    }

    /// Finds some partition if none is known; false if there is none. Does nothing under upper bounds or bounds on
    /// sizes.
    fn find_feasible(&mut self, steps: &Steps, monitor: &mut Monitor<'_>) -> Result<bool, KMeansError> {
        if self.best.is_none() && !self.gaps.have_upper() && self.sizes.are_any() {
            monitor.check_memory("sums over the data", self.prefixes.bytes())?;
            match feasible::partition(&self.prefixes.gathered(), &self.gaps.lower, monitor)? {
                Some(boundaries) => self.improve(&boundaries, steps, monitor)?,
                None => return Ok(false),
            };
        }
        Ok(true)
    }

    /// The penalty of smooth data, whose cost is proportional to k⁻².
    fn smooth_penalty(&self, monitor: &Monitor<'_>) -> f64 {
        let least = monitor.lower_bound.max(self.limit() / (self.k * self.k) as f64);
        2.0 * self.best.as_ref().map_or(least, |best| best.cost) / self.k as f64
    }

    /// Finds the best partition by passes over all runs that keep ever fewer of them.
    fn search_narrowing(
        &mut self,
        mut positions: Positions,
        monitor: &mut Monitor<'_>,
    ) -> Result<ManyOutcome, KMeansError> {
        let k = self.k;
        let every: Vec<u32> = (0..=self.prefixes.len() as u32).collect();
        let [before, after] = unconstrained::rest_costs(self.prefixes, &every, self.penalty);
        let mut known = PenalizedCosts { penalty: self.penalty, before, after };
        if !positions.keep_without_bounds(&known, k, self.limit(), MAX_SCANNED_RUNS, monitor)? {
            return Ok(ManyOutcome::Open);
        }
        let mut table = positions.table(&self.sizes);
        loop {
            let runs = table.len();
            let limit = known.limit(k, self.limit());
            let passed = penalized_costs(&positions, &table, self.gap, &known, limit, self.most, monitor)?;
            let Some(mut costs) = passed else { return Ok(ManyOutcome::Open) };
            let (value, penalties) = (costs.before[positions.last()], costs.penalty * k as f64);
            let bound = value - penalties - of_sum(2 * k, value.abs() + penalties.abs());
            if bound > self.limit() {
                return Ok(ManyOutcome::Decided);
            }
            monitor.proved(bound);
            monitor.report()?;
            positions.keep(&table, &mut costs, k, self.limit(), monitor)?;
            table = positions.table(&self.sizes);
            for share in LIMIT_SHARES {
                let limit = self.limit();
                let within = if share < 1.0 { bound + share * (limit - bound) } else { limit };
                let (mut nearer, mut costs) = (positions.clone(), costs.clone());
                nearer.keep(&table, &mut costs, k, within, monitor)?;
                match self.search_among(&nearer, within, monitor)? {
                    ManyOutcome::Decided if within < limit && self.limit() > within => monitor.proved(within),
                    ManyOutcome::Open => break,
                    ended => return Ok(ended),
                }
                monitor.report()?;
                if monitor.is_proven() {
                    return Ok(ManyOutcome::Limited);
                }
            }
            if MIN_SHRINKING * table.len() > runs {
                return Ok(if self.best.is_some() { ManyOutcome::Limited } else { ManyOutcome::Open });
            }
            // Under another penalty costs are only known to be nonnegative.
            known = PenalizedCosts::unknown(self.penalty, positions.last());
        }
    }

    /// The boundaries of the best free centres, and their cost, a lower bound on the optimum.
    fn free_relaxation(&self, monitor: &mut Monitor<'_>) -> Result<Option<(Vec<usize>, f64)>, KMeansError> {
        let sample = self.prefixes.sample();
        // Means satisfy the bounds to a tolerance, so a relaxation must allow it, too.
        let mut loosened = self.asked.loosened(sample.frame().leave_length(sample.framed_range()));
        loosened.lower.iter_mut().for_each(|lower| *lower = lower.max(0.0));
        let relaxed = free::relaxation(sample, &loosened, &mut monitor.relaxed())?;
        Ok(relaxed.map(|(partition, floor)| (partition.boundaries().to_vec(), floor)))
    }

    /// An upper bound on the optimum: the cost of the best partition, or of one cluster.
    fn limit(&self) -> f64 {
        self.best.as_ref().map_or_else(|| self.one_cluster(), |best| best.cost)
    }

    /// The cost of all points as one cluster.
    fn one_cluster(&self) -> f64 {
        self.prefixes.block(0, self.prefixes.len()).cost
    }

    /// Improves some boundaries and adopts the result if it is the best.
    fn improve(
        &mut self,
        from: &[usize],
        steps: &Steps,
        monitor: &mut Monitor<'_>,
    ) -> Result<Option<MeansSolution>, KMeansError> {
        let found = improved(self.prefixes, self.gaps, self.sizes, from, steps, monitor)?;
        if let Some(found) = &found
            && self.best.as_ref().is_none_or(|best| found.cost < best.cost)
        {
            monitor.found(found.cost);
            self.best = Some(found.clone());
        }
        Ok(found)
    }

    /// Finds the best partition of cost at most `limit` into runs that `positions` allow.
    fn search_among(
        &mut self,
        positions: &Positions,
        limit: f64,
        monitor: &mut Monitor<'_>,
    ) -> Result<ManyOutcome, KMeansError> {
        let Some(clusters) = Clusters::between(positions, self.gap, &self.sizes, self.most, monitor)? else {
            return Ok(ManyOutcome::Open);
        };
        let mut search = DualSearch::new(&clusters, self.k, limit);
        let decided = search.run(self.penalty, self.most, monitor);
        self.penalty = search.penalty;
        let better = |found: &MeansSolution| self.best.as_ref().is_none_or(|best| found.cost < best.cost);
        if let Some(found) = search.best.filter(better) {
            self.best = Some(MeansSolution { boundaries: positions.places(&found.boundaries), cost: found.cost });
        }
        Ok(match decided? {
            true => ManyOutcome::Decided,
            false if monitor.is_proven() => ManyOutcome::Limited,
            false => ManyOutcome::Open,
        })
    }

    /// Improves the best partition and the penalty by a search on coarse positions; repeats while the better limit
    /// allows finer ones.
    fn coarse(&mut self, monitor: &mut Monitor<'_>) -> Result<(), KMeansError> {
        let mut last = usize::MAX;
        loop {
            let (limit, mut stride) = (self.limit(), 2);
            let mut positions = Positions::every(stride, self.prefixes);
            while !positions.keep_up_to(limit, MAX_COARSE_RUNS) {
                stride *= 2;
                positions = Positions::every(stride, self.prefixes);
            }
            if stride >= last {
                return Ok(());
            }
            let Some(clusters) = Clusters::between(&positions, self.gap, &self.sizes, MAX_COARSE_RUNS, monitor)? else {
                return Ok(());
            };
            // On coarse positions the best partition may cost more than the best one known, so the limit is that of one
            // cluster.
            let mut search = DualSearch::new(&clusters, self.k, self.one_cluster());
            search.run(self.penalty, self.most, &mut monitor.restricted().in_frame(self.prefixes.sample().frame()))?;
            last = stride;
            let Some(found) = search.best else { return Ok(()) };
            self.penalty = search.penalty;
            let mut boundaries = positions.places(&found.boundaries);
            while stride > 1 {
                stride /= 2;
                let reach = if stride == 1 { FINEST_REACH } else { COARSE_REACH };
                let steps = Steps { reach, fineness: reach, unit: stride };
                if let Some(found) = self.improve(&boundaries, &steps, monitor)? {
                    boundaries = found.boundaries;
                }
            }
        }
    }
}
