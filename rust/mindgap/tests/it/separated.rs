//! Exact k-means under gap bounds, against every partition and against a plain program.

use crate::oracle::partitions::{Best, Bounds, atoms, best_partition, largest_smallest_gap};
use crate::oracle::random::Random;
use crate::oracle::tables;
use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansFit, Monitor, Sample, Ties};

/// An instance: ascending points with weights, and bounds for each gap.
struct Instance {
    x: Vec<f64>,
    w: Option<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Instance {
    fn k(&self) -> usize {
        self.lower.len() + 1
    }

    fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// The points that no partition divides, with their weights; `None` if they are fewer than the clusters.
    fn atoms(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let weights = self.w.clone().unwrap_or_else(|| vec![1.0; self.x.len()]);
        Some(atoms(&self.x, &weights)).filter(|atoms| atoms.0.len() >= self.k())
    }

    fn fit(&self) -> Result<KMeansFit, KMeansError> {
        let sample = match &self.w {
            Some(w) => Sample::weighted(&self.x, w),
            None => Sample::new(&self.x),
        };
        let bounds = GapBounds::per_gap(&self.lower, &self.upper).unwrap();
        KMeans::new(self.k()).centers(Centers::Means).constraint(bounds).fit(&sample.unwrap())
    }

    /// Compares a fit with what the oracle found.
    fn check(&self, best: Option<&Best>, note: &str) {
        match (self.fit(), best) {
            (Ok(fit), Some(best)) => {
                let slack = 1e-9 * best.cost.max(1e-12);
                assert!((fit.inertia() - best.cost).abs() <= slack, "{note}: {} not {best:?}", fit.inertia());
                assert!(fit.is_optimal(), "{note}: not proven");
                assert!(fit.lower_bound() <= best.cost + slack, "{note}: bound {} above {best:?}", fit.lower_bound());
                let range = self.x[self.x.len() - 1] - self.x[0];
                for (g, &gap) in fit.gaps().iter().enumerate() {
                    let held = gap >= self.lower[g] - 2e-12 * range && gap <= self.upper[g] + 2e-12 * range;
                    assert!(held, "{note}: gap {g} is {gap}");
                }
            }
            (Err(KMeansError::Infeasible { k, lower, upper, .. }), None) => {
                assert_eq!((k, &lower, &upper), (self.k(), &self.lower, &self.upper), "{note}");
            }
            (Err(KMeansError::TooFewDistinct { .. }), _) => {}
            (result, best) => panic!("{note}: {result:?} but the oracle found {best:?}"),
        }
    }
}

/// Points of many kinds: spread, on a coarse lattice (ties), in clumps, far from zero.
fn points(random: &mut Random, n: usize) -> Vec<f64> {
    let kind = random.below(5);
    let mut x: Vec<f64> = (0..n)
        .map(|_| match kind {
            0 => random.uniform(-5.0, 5.0),
            1 => random.below(8) as f64,
            2 => (random.below(3) * 4) as f64 + random.uniform(0.0, 1.0),
            3 => 1e6 + random.below(20) as f64 * 0.1,
            _ => random.uniform(0.0, 1.0).powi(6) * 100.0,
        })
        .collect();
    x.sort_by(f64::total_cmp);
    x
}

fn instance(random: &mut Random, n: usize, k: usize) -> Instance {
    let x = points(random, n);
    let weight = |random: &mut Random| {
        if random.below(2) == 0 { (1 + random.below(3)) as f64 } else { random.uniform(0.1, 9.0) }
    };
    let w = (random.below(3) == 0).then(|| (0..n).map(|_| weight(random)).collect::<Vec<f64>>());
    let scale = (x[n - 1] - x[0]) / k as f64;
    let kind = random.below(4);
    let same = scale * random.uniform(0.0, 1.6);
    let mut lower = vec![same; k - 1];
    let mut upper = vec![f64::INFINITY; k - 1];
    if kind >= 2 {
        lower = (0..k - 1).map(|_| if random.below(4) == 0 { 0.0 } else { scale * random.uniform(0.0, 1.5) }).collect();
    }
    if kind == 1 {
        upper = vec![same + scale * random.uniform(0.0, 0.8); k - 1];
    }
    if kind == 3 {
        upper = lower
            .iter()
            .map(|l| if random.below(4) == 0 { f64::INFINITY } else { l + scale * random.uniform(0.05, 1.2) })
            .collect();
    }
    Instance { x, w, lower, upper }
}

#[test]
fn every_partition_of_small_data() {
    let mut random = Random::new(1);
    let mut infeasible = 0;
    for trial in 0..5000 {
        let n = 2 + random.below(11);
        let k = 1 + random.below(n.min(5));
        let instance = instance(&mut random, n, k);
        let Some((x, w)) = instance.atoms() else { continue };
        let best = best_partition(&x, &w, k, Some(instance.bounds()));
        infeasible += usize::from(best.is_none());
        instance.check(best.as_ref(), &format!("trial {trial}"));
    }
    assert!((500..4000).contains(&infeasible), "{infeasible} infeasible");
}

#[test]
fn tables_of_medium_data() {
    let mut random = Random::new(2);
    for trial in 0..150 {
        let n = 30 + random.below(370);
        let k = 2 + random.below(6);
        let instance = instance(&mut random, n, k);
        let Some((x, w)) = instance.atoms() else { continue };
        let best = tables::best_partition(&x, &w, instance.bounds());
        instance.check(best.as_ref(), &format!("trial {trial}, n {n}, k {k}"));
    }
}

#[test]
fn the_largest_lower_bound_is_named() {
    let mut random = Random::new(3);
    let mut tried = 0;
    for trial in 0..1500 {
        let n = 3 + random.below(9);
        let k = 2 + random.below(n.min(5) - 1);
        let mut instance = instance(&mut random, n, k);
        let Some((x, w)) = instance.atoms() else { continue };
        let largest = largest_smallest_gap(&x, &w, k);
        let range = instance.x[n - 1] - instance.x[0];
        instance.lower = vec![largest + range * random.uniform(1e-9, 0.5); k - 1];
        instance.upper = vec![f64::INFINITY; k - 1];
        let named = match instance.fit() {
            Err(KMeansError::Infeasible { largest: Some(named), .. }) => named,
            Err(KMeansError::TooFewDistinct { .. }) => continue,
            other => panic!("trial {trial}: {other:?}"),
        };
        // The oracle takes differences of means that may lie far from zero.
        let rounding = 1e-11 * range + 4.0 * f64::EPSILON * instance.x[0].abs();
        assert!((named - largest).abs() <= rounding, "trial {trial}: {named} not {largest}");
        instance.lower = vec![named; k - 1];
        assert!(instance.fit().is_ok(), "trial {trial}: the named bound is not feasible");
        tried += 1;
    }
    assert!(tried > 1000);
}

fn starts(fit: &KMeansFit) -> Vec<usize> {
    let labels = fit.labels();
    (0..labels.len()).filter(|&i| i == 0 || labels[i] != labels[i - 1]).map(|i| i + 1).collect()
}

#[test]
fn where_the_papers_program_misses_the_optimum() {
    for (x, delta) in [([0.0, 2.0, 2.0, 5.0, 6.0], 2.5), ([0.0, 2.0, 2.0, 5.0, 7.0], 3.0)] {
        let fit = KMeans::new(3)
            .centers(Centers::Means)
            .constraint(GapBounds::lower(delta))
            .fit(&Sample::new(&x).unwrap())
            .unwrap();
        assert_eq!((fit.inertia(), starts(&fit)), (6.0, vec![1, 2, 5]));
        assert!(fit.is_optimal());
    }
}

#[test]
fn the_papers_worked_example() {
    let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0]).unwrap();
    let fit = KMeans::new(5).centers(Centers::Means).constraint(GapBounds::lower(1.75)).fit(&sample).unwrap();
    assert_eq!(fit.labels(), [0, 1, 2, 2, 3, 3, 4, 4]);
    assert_eq!(fit.inertia(), 3.0);
}

#[test]
fn bounds_held_up_to_rounding_are_held() {
    let sample = Sample::new(&[0.1, 0.3]).unwrap();
    let fit = KMeans::new(2).centers(Centers::Means).constraint(GapBounds::lower(0.2)).fit(&sample).unwrap();
    assert_eq!(fit.labels(), [0, 1]);
    assert!(
        KMeans::new(2).centers(Centers::Means).constraint(GapBounds::between(0.2, 0.2).unwrap()).fit(&sample).is_ok()
    );
}

#[test]
fn equal_points_stay_together_on_request() {
    let x = [0.0, 1.0, 1.0, 1.0, 2.0, 5.0];
    let fit = KMeans::new(3)
        .centers(Centers::Means)
        .constraint(GapBounds::lower(1.2))
        .ties(Ties::Together)
        .fit(&Sample::new(&x).unwrap());
    let labels = fit.unwrap().labels().to_vec();
    assert!(labels[1] == labels[2] && labels[2] == labels[3]);
}

#[test]
fn a_watcher_sees_the_search_and_stops_it() {
    let mut random = Random::new(4);
    let x: Vec<f64> = (0..20_000).map(|_| random.uniform(0.0, 1.0).powi(2)).collect();
    let sample = Sample::new(&x).unwrap();
    let problem = KMeans::new(4).centers(Centers::Means).constraint(GapBounds::lower(0.28));
    let mut seen = Vec::new();
    let mut look = |progress: &mindgap::Progress| {
        seen.push(progress.clone());
        std::ops::ControlFlow::Continue(())
    };
    let fit = problem.fit_with(&sample, &mut Monitor::new(&mut look)).unwrap();
    assert!(!seen.is_empty());
    let mut best_bound = 0.0_f64;
    for progress in seen {
        let mindgap::Progress::Search { cost, lower_bound } = progress else { panic!("{progress:?}") };
        best_bound = best_bound.max(lower_bound);
        assert!(lower_bound <= fit.inertia() * (1.0 + 1e-12));
        assert!(cost.is_none_or(|cost| cost >= fit.inertia() * (1.0 - 1e-12)));
    }
    // Only the search itself proves more than the optimum without bounds.
    let bare = KMeans::new(4).fit(&sample).unwrap().inertia();
    assert!(best_bound > bare * (1.0 + 1e-6) && fit.is_optimal(), "{best_bound} for {bare} and {}", fit.inertia());
    let mut stop = |_: &mindgap::Progress| std::ops::ControlFlow::Break(());
    assert_eq!(problem.fit_with(&sample, &mut Monitor::new(&mut stop)), Err(KMeansError::Interrupted));
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let mut random = Random::new(5);
    let x: Vec<f64> = (0..3000).map(|_| random.uniform(-1.0, 1.0).powi(3)).collect();
    let backwards: Vec<f64> = x.iter().rev().copied().collect();
    let fit = |x: &[f64]| {
        let bounds = GapBounds::between(0.4, 0.6).unwrap();
        KMeans::new(4).centers(Centers::Means).constraint(bounds).fit(&Sample::new(x).unwrap()).unwrap()
    };
    let (here, there) = (fit(&x), fit(&backwards));
    assert_eq!(here.centers(), there.centers());
}

#[test]
fn many_clusters_come_with_a_certificate() {
    let mut random = Random::new(6);
    let x: Vec<f64> = (0..600).map(|_| random.uniform(0.0, 100.0)).collect();
    let sample = Sample::new(&x).unwrap();
    let free = KMeans::new(80).fit(&sample).unwrap();
    let smallest = free.gaps().iter().copied().fold(f64::INFINITY, f64::min);
    // A bound that the optimum holds anyway changes nothing; a tighter one costs, and no less than proven.
    let loose =
        KMeans::new(80).centers(Centers::Means).constraint(GapBounds::lower(0.99 * smallest)).fit(&sample).unwrap();
    assert!(loose.is_optimal() && loose.labels() == free.labels());
    let tight = KMeans::new(80).centers(Centers::Means).constraint(GapBounds::lower(1.05)).fit(&sample).unwrap();
    assert!(tight.is_optimal() && tight.gaps().iter().all(|&gap| gap >= 1.05 - 1e-10));
    assert!(free.inertia() <= tight.lower_bound() * (1.0 + 1e-12) && tight.lower_bound() <= tight.inertia());
}

/// Hundreds of clusters under bounds that raise the cost are proven, and within limits what is proven is true.
#[test]
fn hundreds_of_clusters_are_proven() {
    let mut random = Random::new(8);
    // Nearly normal.
    let x: Vec<f64> = (0..4096).map(|_| (0..6).map(|_| random.uniform(-1.0, 1.0)).sum()).collect();
    let sample = Sample::new(&x).unwrap();
    let free = KMeans::new(256).fit(&sample).unwrap();
    let mut gaps = free.gaps().to_vec();
    gaps.sort_by(f64::total_cmp);
    let problem = |upper: f64| {
        let bounds = GapBounds::between(gaps[76], upper).unwrap();
        KMeans::new(256).centers(Centers::Means).constraint(bounds)
    };
    let fit = problem(f64::INFINITY).fit(&sample).unwrap();
    assert!(fit.is_optimal() && fit.inertia() > 1.02 * free.inertia());
    assert!(fit.gaps().iter().all(|&gap| gap >= gaps[76] - 1e-10));
    let both = problem(2.0 * gaps[254]).fit(&sample).unwrap();
    assert!(both.is_optimal() && both.inertia() >= fit.inertia());
    let short = problem(f64::INFINITY).memory_limit(1 << 20).fit(&sample);
    match short {
        Ok(short) => assert!(short.lower_bound() <= fit.inertia() && fit.inertia() <= short.inertia() * (1.0 + 1e-12)),
        Err(error) => assert!(matches!(error, KMeansError::OutOfMemory(_)), "{error}"),
    }
}

#[test]
fn equal_points_of_unequal_weight_are_one() {
    let (x, w) = ([0.0, 0.0, 0.0, 2.0, 3.0, 3.0, 3.0], [1.0, 3.0, 5.0, 5.0, 3.0, 3.0, 4.0]);
    let sample = Sample::weighted(&x, &w).unwrap();
    let problem = |delta: f64| KMeans::new(3).centers(Centers::Means).constraint(GapBounds::lower(delta));
    assert!(matches!(problem(1.036).fit(&sample), Err(KMeansError::Infeasible { .. })));
    let fit = problem(0.9).fit(&sample).unwrap();
    assert!(fit.is_optimal() && fit.labels() == [0, 0, 0, 1, 2, 2, 2]);
    // Where all weigh the same it does not matter which of them is where.
    let even = Sample::weighted(&[0.0, 1.0, 1.0, 4.0, 5.0], &[2.0; 5]).unwrap();
    let fit = KMeans::new(3).centers(Centers::Means).constraint(GapBounds::lower(2.0)).fit(&even).unwrap();
    assert_eq!((fit.inertia(), fit.sizes()), (10.0, &[2, 2, 1][..]));
}

#[test]
fn predictions_are_the_nearest_centre_unless_the_labels_forbid() {
    let mut random = Random::new(9);
    let (mut moved, mut midway) = (0, 0);
    for trial in 0..600 {
        let (n, k) = (4 + random.below(40), 2 + random.below(3));
        let instance = instance(&mut random, n, k);
        let (sample, centers) = (Sample::new(&instance.x).unwrap(), [Centers::Means, Centers::Free][trial % 2]);
        let bounds = GapBounds::per_gap(&instance.lower, &instance.upper).unwrap();
        let Ok(fit) = KMeans::new(k).centers(centers).ties(Ties::Together).constraint(bounds).fit(&sample) else {
            continue;
        };
        assert_eq!(fit.predict(&instance.x), fit.labels(), "trial {trial}");
        for (boundary, pair) in fit.boundaries().iter().zip(fit.centers().windows(2)) {
            let middle = 0.5 * pair[0] + 0.5 * pair[1];
            let beside = |x: &f64| *x == *boundary || x.next_down() == *boundary;
            moved += usize::from(*boundary != middle);
            midway += usize::from(*boundary == middle);
            assert!(*boundary == middle || instance.x.iter().any(beside), "trial {trial}: {boundary} {middle}");
        }
    }
    assert!(moved > 10 && midway > 100, "{moved} moved, {midway} midway");
}
