//! Bounds on the sizes of clusters, against every partition.

use crate::oracle::free::partition_cost;
use crate::oracle::partitions::{self, Bounds, for_each_partition, runs};
use crate::oracle::random::Random;
use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansFit, KMeansMethod, LinearRows, Sample, Summary, Ties};

/// A random problem: sorted points that no partition divides with their weights, and all bounds.
struct Problem {
    x: Vec<f64>,
    w: Vec<f64>,
    k: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    min: f64,
    max: f64,
}

const SLACK: f64 = 1e-12;

impl Problem {
    /// A problem of at most 12 points; `gaps` says whether the centres must keep some.
    fn random(random: &mut Random, gaps: bool) -> Option<Self> {
        let n = 2 + random.below(11);
        let k = 1 + random.below(5.min(n));
        let tied = random.below(2) == 0;
        let mut x: Vec<f64> =
            (0..n).map(|_| if tied { random.below(7) as f64 } else { random.uniform(0.0, 10.0) }).collect();
        x.sort_by(f64::total_cmp);
        let weights = random.below(3);
        let weigh = |_| match weights {
            0 => 1.0,
            1 => 1.0 + random.below(3) as f64,
            _ => random.uniform(0.1, 3.0),
        };
        let w: Vec<f64> = (0..n).map(weigh).collect();
        let (x, w) = partitions::atoms(&x, &w);
        if x.len() < k || 1 + x.windows(2).filter(|pair| pair[0] < pair[1]).count() < k {
            return None;
        }
        let (mut lower, mut upper) = (vec![0.0; k - 1], vec![f64::INFINITY; k - 1]);
        if gaps {
            let one = random.uniform(0.0, 4.0);
            for g in 0..k - 1 {
                lower[g] = if random.below(4) == 0 { random.uniform(0.0, 4.0) } else { one };
                upper[g] = lower[g] + [0.0, 0.7, 2.0, f64::INFINITY, f64::INFINITY][random.below(5)];
            }
        }
        let even = w.iter().sum::<f64>() / k as f64;
        let whole = random.below(2) == 0;
        let mut size = |low: f64, high: f64| {
            let size = random.uniform(low, high) * even;
            if whole { size.round() } else { size }
        };
        let (mut min, mut max) = (size(0.0, 1.1), size(0.9, 2.5).max(0.5));
        match random.below(3) {
            0 => min = 0.0,
            1 => max = f64::INFINITY,
            _ => max = max.max(min),
        }
        Some(Self { x, w, k, lower, upper, min, max })
    }

    fn solver(&self, centers: Centers) -> KMeans {
        let bounds = GapBounds::per_gap(&self.lower, &self.upper).unwrap();
        KMeans::new(self.k).constraint(bounds).centers(centers).min_size(self.min).max_size(self.max)
    }

    fn fit(&self, centers: Centers) -> Result<KMeansFit, KMeansError> {
        self.solver(centers).fit(&Sample::weighted(&self.x, &self.w).unwrap())
    }

    fn holds_sizes(&self, ends: &[usize]) -> bool {
        runs(ends).all(|(start, end)| {
            let weight: f64 = self.w[start..end].iter().sum();
            weight >= self.min * (1.0 - SLACK) && weight <= self.max * (1.0 + SLACK)
        })
    }

    fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// The least cost over all partitions.
    fn least(&self, centers: Centers) -> f64 {
        let mut least = f64::INFINITY;
        for_each_partition(self.x.len(), self.k, &mut |ends| {
            if self.holds_sizes(ends) {
                let cost = match centers {
                    Centers::Free => partition_cost(&self.x, &self.w, ends, self.bounds()),
                    _ => match partitions::holds(&self.x, &self.w, ends, self.bounds()) {
                        true => partitions::cost(&self.x, &self.w, ends),
                        false => f64::INFINITY,
                    },
                };
                least = least.min(cost);
            }
        });
        least
    }

    /// What every fit must be.
    fn check(&self, fit: &KMeansFit) {
        let held = |&weight: &f64| weight >= self.min * (1.0 - SLACK) && weight <= self.max * (1.0 + SLACK);
        assert!(fit.weights().iter().all(held), "{:?}: {} to {}", fit.weights(), self.min, self.max);
        let range = self.x[self.x.len() - 1] - self.x[0] + self.lower.iter().sum::<f64>();
        for (g, &gap) in fit.gaps().iter().enumerate() {
            assert!(gap >= self.lower[g] - 1e-10 * range && gap <= self.upper[g] + 1e-10 * range, "gap {g}: {gap}");
        }
        let about = |i: usize| self.w[i] * (self.x[i] - fit.centers()[fit.labels()[i] as usize]).powi(2);
        let cost: f64 = (0..self.x.len()).map(about).sum();
        assert!((cost - fit.inertia()).abs() <= 1e-9 * cost + 1e-18, "{cost} {}", fit.inertia());
        assert!(fit.labels().is_sorted() && fit.lower_bound() <= fit.inertia());
    }
}

/// Compares `count` random problems with every partition; says how many were feasible.
fn compare(seed: u64, count: usize, gaps: bool, centers: Centers) -> usize {
    let mut random = Random::new(seed);
    let (mut compared, mut feasible) = (0, 0);
    while compared < count {
        let Some(problem) = Problem::random(&mut random, gaps) else { continue };
        compared += 1;
        let truth = problem.least(centers);
        match problem.fit(centers) {
            Ok(fit) => {
                feasible += 1;
                problem.check(&fit);
                assert!(fit.is_optimal(), "{} above {}", fit.inertia(), fit.lower_bound());
                let (cost, bound) = (fit.inertia(), fit.lower_bound());
                assert!((cost - truth).abs() <= 1e-9 * truth + 1e-15, "{cost} is not {truth}, problem {compared}");
                assert!(bound <= truth * (1.0 + 1e-12) + 1e-15, "{bound} is above {truth}");
            }
            Err(KMeansError::InfeasibleSizes { .. } | KMeansError::Infeasible { .. }) => {
                assert_eq!(truth, f64::INFINITY, "problem {compared}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    feasible
}

#[test]
fn sizes_alone_agree_with_every_partition() {
    assert!((1000..2900).contains(&compare(1, 3000, false, Centers::Free)));
    assert!((300..970).contains(&compare(2, 1000, false, Centers::Means)));
}

#[test]
fn means_agree_with_every_partition() {
    assert!((500..2700).contains(&compare(3, 3000, true, Centers::Means)));
}

#[test]
fn free_centers_agree_with_every_partition() {
    assert!((500..2900).contains(&compare(4, 3000, true, Centers::Free)));
}

/// Clusters that are no runs of points do not cost less, where points weigh the same.
#[test]
fn no_other_clusters_cost_less() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let (n, k) = (4 + random.below(4), 2 + random.below(2));
        let mut x: Vec<f64> = (0..n).map(|_| random.uniform(0.0, 10.0)).collect();
        x.sort_by(f64::total_cmp);
        let (min, max) = (random.below(n / k + 1), n.div_ceil(k) + random.below(3));
        let mut least = f64::INFINITY;
        for code in 0..k.pow(n as u32) {
            let label = |i: usize| code / k.pow(i as u32) % k;
            let cost = |c: usize| {
                let points: Vec<f64> = (0..n).filter(|&i| label(i) == c).map(|i| x[i]).collect();
                let admissible = (min.max(1)..=max).contains(&points.len());
                if admissible { partitions::run_cost(&points, &vec![1.0; points.len()]) } else { f64::INFINITY }
            };
            least = least.min((0..k).map(cost).sum());
        }
        let fit = KMeans::new(k).min_size(min as f64).max_size(max as f64).fit(&Sample::new(&x).unwrap()).unwrap();
        assert!((fit.inertia() - least).abs() <= 1e-9 * least, "{} {least}", fit.inertia());
    }
}

/// The error names the largest feasible lower bound, or the smallest feasible upper one.
#[test]
fn the_error_names_a_feasible_size() {
    let mut random = Random::new(6);
    let (mut mins, mut maxes) = (0, 0);
    while mins < 150 || maxes < 150 {
        let gaps = random.below(2) == 0;
        let Some(mut problem) = Problem::random(&mut random, gaps) else { continue };
        let Err(KMeansError::InfeasibleSizes { largest_min, smallest_max, .. }) = problem.fit(Centers::Means) else {
            continue;
        };
        match (largest_min, smallest_max) {
            (Some(size), None) => {
                mins += 1;
                assert!(size < problem.min);
                problem.min = size;
                problem.fit(Centers::Means).unwrap_or_else(|error| {
                    panic!("{error}: {:?}", (&problem.x, &problem.w, &problem.lower, &problem.upper))
                });
                problem.min = size * (1.0 + 1e-9) + 1e-9;
            }
            (None, Some(size)) => {
                maxes += 1;
                assert!(size > problem.max);
                problem.max = size;
                if problem.fit(Centers::Means).is_err() {
                    problem.min = 0.0;
                    problem.fit(Centers::Means).unwrap();
                }
                problem.max = size * (1.0 - 1e-9) - 1e-9;
            }
            other => panic!("{other:?}"),
        }
        if problem.min <= problem.max {
            assert_eq!(problem.least(Centers::Means), f64::INFINITY);
        }
    }
}

#[test]
fn equal_points_stay_together_if_asked() {
    let sample = Sample::new(&[0.0, 0.0, 0.0, 1.0, 2.0, 2.0]).unwrap();
    let split = KMeans::new(2).max_size(3.0).fit(&sample).unwrap();
    assert_eq!(split.sizes(), [3, 3]);
    let sized = KMeans::new(2).min_size(3.0).ties(Ties::Together).fit(&sample).unwrap();
    assert_eq!(sized.labels(), [0, 0, 0, 1, 1, 1]);
    let torn = KMeans::new(3).min_size(2.0);
    assert_eq!(torn.fit(&sample).unwrap().sizes(), [2, 2, 2]);
    assert_eq!(
        torn.ties(Ties::Together).fit(&sample),
        Err(KMeansError::InfeasibleSizes {
            k: 3,
            min: 2.0,
            max: f64::INFINITY,
            gaps: false,
            largest_min: Some(1.0),
            smallest_max: None
        })
    );
}

/// Sizes that the optimum has anyway change nothing.
#[test]
fn sizes_that_do_not_bind_change_nothing() {
    let mut random = Random::new(7);
    let x: Vec<f64> = (0..500).map(|_| random.normal()).collect();
    let sample = Sample::new(&x).unwrap();
    for bounds in [GapBounds::lower(0.0), GapBounds::lower(1.0), GapBounds::between(0.8, 1.0).unwrap()] {
        let plain = KMeans::new(4).centers(Centers::Means).constraint(bounds.clone());
        let free = plain.fit(&sample).unwrap();
        let smallest = free.weights().iter().copied().fold(f64::INFINITY, f64::min);
        let largest = free.weights().iter().copied().fold(0.0, f64::max);
        let sized = plain.min_size(smallest).max_size(largest).fit(&sample).unwrap();
        assert_eq!(sized.labels(), free.labels());
        assert!((sized.inertia() - free.inertia()).abs() <= 1e-9 * free.inertia() && sized.is_optimal());
    }
}

/// More points and clusters than every partition can be tried for.
#[test]
fn larger_problems_agree_with_the_plain_program() {
    let mut random = Random::new(8);
    for (n, k, weighted) in [(300, 5, false), (300, 60, false), (250, 7, true), (400, 30, true)] {
        let mut x: Vec<f64> = (0..n).map(|_| random.normal().powi(3)).collect();
        x.sort_by(f64::total_cmp);
        let w: Vec<f64> = (0..n).map(|_| if weighted { random.uniform(0.5, 2.0) } else { 1.0 }).collect();
        let even = w.iter().sum::<f64>() / k as f64;
        let (min, max) = (0.6 * even, 1.7 * even);
        let sample = Sample::weighted(&x, &w).unwrap();
        let fit = KMeans::new(k).min_size(min).max_size(max).fit(&sample).unwrap();
        let truth = plain_program(&x, &w, k, min, max);
        assert!(fit.is_optimal() && (fit.inertia() - truth).abs() <= 1e-9 * truth, "{} {truth}", fit.inertia());
    }
}

/// So many boundaries are left that the program is thinned out first, and clusters leave the window of starts again.
#[test]
fn many_boundaries_agree_with_every_partition() {
    let mut random = Random::new(9);
    for (n, weighted, lower, upper) in [(260, false, 1.4, 9.0), (200, true, 0.3, 0.6), (230, false, 0.2, 0.9)] {
        let mut x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        x.sort_by(f64::total_cmp);
        let w: Vec<f64> = (0..n).map(|_| if weighted { random.uniform(0.5, 2.0) } else { 1.0 }).collect();
        let even = w.iter().sum::<f64>() / 3.0;
        for (min, max) in [(0.0, 1.1 * even), (0.9 * even, f64::INFINITY), (0.8 * even, 1.15 * even)] {
            let (lower, upper) = (vec![lower; 2], vec![upper; 2]);
            let problem = Problem { x: x.clone(), w: w.clone(), k: 3, lower, upper, min, max };
            let (fit, truth) = (problem.fit(Centers::Free).unwrap(), problem.least(Centers::Free));
            problem.check(&fit);
            assert!(fit.is_optimal() && (fit.inertia() - truth).abs() <= 1e-9 * truth, "{} {truth}", fit.inertia());
        }
    }
}

/// O(N²K), from running sums.
fn plain_program(x: &[f64], w: &[f64], k: usize, min: f64, max: f64) -> f64 {
    let n = x.len();
    let mut before = vec![f64::INFINITY; n + 1];
    before[0] = 0.0;
    for _ in 0..k {
        let mut next = vec![f64::INFINITY; n + 1];
        for (start, &cost) in before.iter().enumerate().filter(|(_, cost)| cost.is_finite()) {
            let (mut weight, mut mean, mut within) = (0.0, 0.0, 0.0);
            for end in start + 1..=n {
                let (z, share) = (x[end - 1], w[end - 1]);
                weight += share;
                let step = z - mean;
                mean += step * share / weight;
                within += share * step * (z - mean);
                if weight >= min && weight <= max {
                    next[end] = next[end].min(cost + within);
                }
            }
        }
        before = next;
    }
    before[n]
}

#[test]
fn each_fault_has_its_error() {
    let sample = Sample::new(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let two = || KMeans::new(2);
    for bad in [
        two().min_size(-1.0),
        two().min_size(f64::NAN),
        two().min_size(f64::INFINITY),
        two().max_size(0.0),
        two().max_size(f64::NAN),
        two().min_size(3.0).max_size(2.0),
    ] {
        assert!(matches!(bad.fit(&sample), Err(KMeansError::InvalidSizes { .. })));
    }
    let swapped = two().min_size(3.0).max_size(2.0).fit(&sample).unwrap_err().to_string();
    assert!(swapped.starts_with("min_size is 3 and max_size is 2; give"), "{swapped}");
    let infeasible = two().min_size(3.0).fit(&sample).unwrap_err();
    assert!(matches!(infeasible, KMeansError::InfeasibleSizes { largest_min: Some(2.0), smallest_max: None, .. }));
    let infeasible = two().max_size(2.0).fit(&sample).unwrap_err();
    assert!(matches!(infeasible, KMeansError::InfeasibleSizes { largest_min: None, smallest_max: Some(3.0), .. }));
    let rows = LinearRows::new(2, &[1.0, 1.0], &[5.0], &[6.0]).unwrap();
    let unsupported = |fit: Result<KMeansFit, KMeansError>| matches!(fit, Err(KMeansError::Unsupported(_)));
    assert!(unsupported(two().constraint(rows).min_size(2.0).fit(&sample)));
    assert!(unsupported(two().method(KMeansMethod::Paper).centers(Centers::Means).min_size(2.0).fit(&sample)));
    let mut summary = Summary::with_cells(50);
    summary.add(&(0..1000).map(f64::from).collect::<Vec<_>>()).unwrap();
    assert!(unsupported(two().min_size(2.0).fit(&summary.sample().unwrap())));
}
