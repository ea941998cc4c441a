//! Fits on atoms against fits on their points, which are tested against every partition elsewhere.

mod limits;

use super::super::free::budget::MOST_STEPS;
use super::super::{Centers, Ties};
use super::*;
use crate::constraint::{GapBounds, LinearRows};
use crate::monitor::COUNTED;

/// A linear congruential generator: numbers from 0 to 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (state ^ (state >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The points behind atoms, ascending, those of one value by weight.
#[derive(Debug)]
struct PointsBehind {
    x: Vec<f64>,
    w: Vec<f64>,
    weighted: bool,
    /// Into how many atoms a window is shown.
    pieces: usize,
}

impl PointsBehind {
    fn new(mut points: Vec<(f64, f64)>, weighted: bool, pieces: usize) -> Self {
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (x, w) = points.into_iter().unzip();
        Self { x, w, weighted, pieces }
    }

    fn sample(&self) -> Sample {
        if self.weighted { Sample::weighted(&self.x, &self.w) } else { Sample::new(&self.x) }.unwrap()
    }

    fn atom(&self, start: usize, end: usize) -> Atom {
        let (x, w) = (&self.x[start..end], &self.w[start..end]);
        let weight: f64 = w.iter().sum();
        let mean = x[0] + x.iter().zip(w).map(|(z, w)| w * (z - x[0])).sum::<f64>() / weight;
        let within = x.iter().zip(w).map(|(z, w)| w * (z - mean).powi(2)).sum();
        Atom {
            mean,
            rest: 0.0,
            weight,
            within,
            low: x[0],
            high: x[x.len() - 1],
            count: x.len() as u64,
            even: !self.weighted,
        }
    }

    /// Cut into atoms after the given positions, equal values kept in one atom.
    fn atoms(&self, range: std::ops::Range<usize>, cuts: impl Iterator<Item = usize>) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let mut start = range.start;
        for cut in cuts.chain([range.end]) {
            let apart = cut == range.end || (cut > start && self.x[cut] > self.x[cut - 1]);
            if apart {
                atoms.push(self.atom(start, cut));
                start = cut;
            }
        }
        atoms
    }

    fn zoom(&self, windows: &[(f64, f64)]) -> Vec<Vec<Atom>> {
        windows
            .iter()
            .map(|&(low, high)| {
                let start = self.x.partition_point(|&x| x < low);
                let end = self.x.partition_point(|&x| x <= high);
                if low == high && self.weighted {
                    return (start..end).map(|i| self.atom(i, i + 1)).collect();
                }
                let pieces = self.pieces.min(end - start);
                let mut cuts: Vec<usize> = (1..pieces).map(|p| start + (end - start) * p / pieces).collect();
                // Two at least where values differ.
                cuts.push(self.x.partition_point(|&x| x <= low));
                cuts.sort_unstable();
                self.atoms(start..end, cuts.into_iter())
            })
            .collect()
    }

    /// The cost of the partition at these boundaries, with these centres.
    fn cost(&self, fit: &KMeansFit) -> f64 {
        let mut start = 0;
        let clusters = fit.sizes().iter().zip(fit.centers()).map(|(&size, &center)| {
            let points = start..start + size;
            start += size;
            points.map(|i| self.w[i] * (self.x[i] - center).powi(2)).sum::<f64>()
        });
        clusters.sum()
    }
}

/// Random points and atoms of them.
fn case(random: &mut impl FnMut() -> f64, most: usize) -> (PointsBehind, Vec<Atom>) {
    let n = 2 + (random() * (most - 1) as f64) as usize;
    let lattice = [4.0, 9.0, 1e6][(3.0 * random()) as usize];
    let power = if random() < 0.5 { 1 } else { 3 };
    let weighted = random() < 0.4;
    let points = (0..n)
        .map(|_| ((random().powi(power) * lattice).floor(), if weighted { 0.1 + 4.0 * random() } else { 1.0 }))
        .collect();
    let points = PointsBehind::new(points, weighted, 2 + (3.0 * random()) as usize);
    let share = random();
    let cuts: Vec<usize> = (1..n).filter(|_| random() < share).collect();
    let atoms = points.atoms(0..n, cuts.into_iter());
    (points, atoms)
}

fn gaps(random: &mut impl FnMut() -> f64, k: usize, range: f64) -> GapBounds {
    let scale = 1.4 * range / k as f64;
    let each = random() < 0.3;
    let one = scale * random();
    let lower: Vec<f64> = (1..k).map(|_| if each { scale * random() } else { one }).collect();
    let bounded = random();
    let upper: Vec<f64> = lower
        .iter()
        .map(|lower| match bounded {
            b if b < 0.5 => f64::INFINITY,
            b if b < 0.6 => *lower,
            _ => lower + scale * random(),
        })
        .collect();
    GapBounds::per_gap(&lower, &upper).unwrap()
}

/// How a family of cases went.
#[derive(Debug, Default)]
struct Outcomes {
    solved: usize,
    infeasible: usize,
    optimal: usize,
    proven_at_once: usize,
    undecided: usize,
}

/// Fits on atoms, with and without zooming, against the fit on their points.
fn compare(kmeans: &KMeans, points: &PointsBehind, atoms: &[Atom], tally: &mut Outcomes, facts: &str) {
    let truth = kmeans.fit(&points.sample());
    let sample = Sample::of_atoms(atoms.to_vec()).unwrap();
    match (kmeans.fit(&sample), &truth) {
        (Ok(fit), Ok(truth)) => {
            let scale = truth.inertia().max(1e-12 * fit.inertia());
            assert!(
                fit.lower_bound() <= truth.inertia() + 1e-9 * scale,
                "{} {} {facts}",
                fit.lower_bound(),
                truth.inertia()
            );
            assert!(
                fit.inertia() >= truth.lower_bound() * (1.0 - 1e-9),
                "{} {} {facts}",
                fit.inertia(),
                truth.inertia()
            );
            assert!((fit.inertia() - points.cost(&fit)).abs() <= 1e-9 * fit.inertia() + 1e-20, "{facts}");
            assert!(fit.labels().is_empty());
            tally.proven_at_once += usize::from(fit.is_optimal());
        }
        (Ok(_), Err(fault)) => panic!("{fault}: {facts}"),
        (Err(KMeansError::Infeasible { .. }), Err(KMeansError::Infeasible { .. })) => {}
        (Err(KMeansError::Undecided | KMeansError::TooCoarse { .. }), _) => tally.undecided += 1,
        (Err(fault), truth) => assert!(same_kind(&fault, truth.as_ref().err()), "{fault} is not {truth:?}: {facts}"),
    }
    let mut zoom = |windows: &[(f64, f64)]| Ok(points.zoom(windows));
    match (kmeans.fit_refining(sample, &mut zoom, &mut Monitor::default()), truth) {
        (Ok((fit, _)), Ok(truth)) => {
            tally.solved += 1;
            tally.optimal += usize::from(fit.is_optimal());
            let close = (fit.inertia() - truth.inertia()).abs() <= 1e-9 * truth.inertia() + 1e-20;
            assert!(close, "{} is not {}: {facts}", fit.inertia(), truth.inertia());
            assert!(
                fit.is_optimal() || !truth.is_optimal(),
                "{} not proven by {}: {facts}",
                fit.inertia(),
                fit.lower_bound()
            );
            assert!((fit.inertia() - points.cost(&fit)).abs() <= 1e-9 * fit.inertia() + 1e-20, "{facts}");
            if fit.sizes() != truth.sizes() {
                // Another partition must cost the same.
                assert!((points.cost(&fit) - points.cost(&truth)).abs() <= 1e-12 * truth.inertia() + 1e-20, "{facts}");
            }
        }
        (Err(KMeansError::Infeasible { .. }), Err(KMeansError::Infeasible { .. })) => tally.infeasible += 1,
        (Ok(_), Err(fault)) => panic!("{fault}: {facts}"),
        (Err(fault), truth) => assert!(same_kind(&fault, truth.as_ref().err()), "{fault} is not {truth:?}: {facts}"),
    }
}

fn same_kind(fault: &KMeansError, other: Option<&KMeansError>) -> bool {
    other.is_some_and(|other| std::mem::discriminant(fault) == std::mem::discriminant(other))
}

fn run(cases: u64, most: usize, mut settings: impl FnMut(&mut dyn FnMut() -> f64, usize, f64) -> KMeans) -> Outcomes {
    let mut tally = Outcomes::default();
    for seed in 0..cases {
        let mut random = random(seed);
        let (points, atoms) = case(&mut random, most);
        let k = 1 + (random() * 5.0) as usize;
        let range = points.x[points.x.len() - 1] - points.x[0];
        let kmeans = settings(&mut random, k, range);
        let facts = format!("seed {seed} k {k} {points:?} {atoms:?}");
        compare(&kmeans, &points, &atoms, &mut tally, &facts);
    }
    tally
}

fn ties(random: &mut dyn FnMut() -> f64) -> Ties {
    if random() < 0.3 { Ties::Together } else { Ties::Split }
}

#[test]
fn atoms_lead_to_the_optimum_of_their_points() {
    let tally = run(6000, 14, |random, k, _| KMeans::new(k).ties(ties(random)));
    assert!(tally.solved > 3500 && tally.optimal == tally.solved, "{tally:?}");
    let tally = run(300, 400, |random, k, _| KMeans::new(4 * k).ties(ties(random)));
    assert!(tally.solved > 100 && tally.optimal == tally.solved, "{tally:?}");
}

#[test]
fn atoms_lead_to_the_optimum_whose_means_hold_bounds() {
    let settings = |random: &mut dyn FnMut() -> f64, k: usize, range: f64| {
        let ties = ties(random);
        KMeans::new(k).centers(Centers::Means).ties(ties).constraint(gaps(&mut &mut *random, k, range))
    };
    let tally = run(6000, 14, settings);
    assert!(tally.solved > 2000 && tally.optimal == tally.solved && tally.infeasible > 500, "{tally:?}");
    let tally = run(300, 400, settings);
    assert!(tally.solved > 100 && tally.optimal == tally.solved, "{tally:?}");
}

/// Free centres by closer looks, on `few` problems of up to 14 points and `more` of up to 300.
fn assert_atoms_lead_to_the_best_free_centres(few: u64, more: u64) {
    let settings = |random: &mut dyn FnMut() -> f64, k: usize, range: f64| {
        let ties = ties(random);
        KMeans::new(k).ties(ties).centers(Centers::Free).constraint(gaps(&mut &mut *random, k, range))
    };
    let tally = run(few, 14, settings);
    assert!(tally.solved > few as usize / 2 && tally.optimal == tally.solved, "{tally:?}");
    let tally = run(more, 300, settings);
    assert!(tally.solved > more as usize / 2 && tally.optimal == tally.solved, "{tally:?}");
}

#[test]
fn atoms_lead_to_the_best_free_centres() {
    assert_atoms_lead_to_the_best_free_centres(300, 4);
}

#[test]
#[ignore = "slow"]
fn atoms_lead_to_the_best_free_centres_many_times() {
    assert_atoms_lead_to_the_best_free_centres(2000, 40);
}

/// Normal lumps of points, in atoms of about equal width.
fn lumps(n: usize, pieces: usize) -> (PointsBehind, Vec<Atom>) {
    let mut random = random(7);
    let mut normal = || (0..12).map(|_| random()).sum::<f64>() - 6.0;
    let points = (0..n).map(|i| ([0.0, 2.5, 4.0, 9.0, 10.5][i % 5] + normal(), 1.0)).collect();
    let points = PointsBehind::new(points, false, pieces);
    let (low, high) = (points.x[0], points.x[n - 1]);
    let edges = (1..1000).map(|e| low + (high - low) * e as f64 / 1000.0);
    let cuts: Vec<usize> = edges.map(|edge| points.x.partition_point(|&x| x < edge)).collect();
    let atoms = points.atoms(0..n, cuts.into_iter().filter(|&cut| cut < n));
    (points, atoms)
}

/// Zooms to the optimum of the points, and says in how many passes.
fn passes(kmeans: &KMeans, points: &PointsBehind, atoms: &[Atom]) -> usize {
    let truth = kmeans.fit(&points.sample()).unwrap();
    let mut passes = 0;
    let mut zoom = |windows: &[(f64, f64)]| {
        passes += 1;
        Ok(points.zoom(windows))
    };
    let sample = Sample::of_atoms(atoms.to_vec()).unwrap();
    let (fit, last) = kmeans.fit_refining(sample, &mut zoom, &mut Monitor::default()).unwrap();
    assert!(fit.is_optimal() && last.len() < points.x.len() / 2, "{} atoms, {fit:?}", last.len());
    assert!((fit.inertia() - truth.inertia()).abs() <= 1e-12 * truth.inertia());
    assert_eq!(fit.sizes(), truth.sizes());
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
    assert!(fit.boundaries().iter().zip(truth.boundaries()).all(close), "{fit:?} {truth:?}");
    passes
}

#[test]
fn many_points_take_few_passes() {
    let (points, atoms) = lumps(100_000, 16);
    let bounds = GapBounds::lower(0.7 * (points.x[points.x.len() - 1] - points.x[0]) / 5.0);
    let kinds = [
        KMeans::new(5),
        KMeans::new(50),
        KMeans::new(5).centers(Centers::Means).constraint(bounds.clone()),
        KMeans::new(5).constraint(bounds).centers(Centers::Free),
    ];
    for kmeans in &kinds {
        let passes = passes(kmeans, &points, &atoms);
        assert!(passes <= 3, "{passes} passes for k = {}", kmeans.k);
    }
}

/// Passes, windows, atoms at the end, and units of work of closer looks, in counts that are the same on every machine.
fn looks(kmeans: &KMeans) -> [u64; 4] {
    COUNTED.set([0; 2]);
    let [mut passes, mut windows, mut left] = [0; 3];
    for (n, pieces) in [(3000, 2), (20_000, 16)] {
        let (points, atoms) = lumps(n, pieces);
        let mut zoom = |asked: &[(f64, f64)]| {
            (passes, windows) = (passes + 1, windows + asked.len() as u64);
            Ok(points.zoom(asked))
        };
        let sample = Sample::of_atoms(atoms).unwrap();
        let (fit, last) = kmeans.fit_refining(sample, &mut zoom, &mut Monitor::default()).unwrap();
        assert!(fit.is_optimal());
        left += last.len() as u64;
    }
    [passes, windows, left, COUNTED.get()[0]]
}

/// Bounds that keep too many atoms open are valid; they show in how often and where they look. A hundredth above what
/// was counted.
#[test]
fn closer_looks_stay_within_what_was_counted() {
    let bounds = GapBounds::lower(2.2);
    let both = GapBounds::between(2.2, 2.6).unwrap();
    let kinds = [
        (KMeans::new(5), [6, 105, 85, 21_223]),
        (KMeans::new(30), [5, 2_539, 2_701, 327_292]),
        (KMeans::new(5).centers(Centers::Means).constraint(bounds.clone()), [5, 196, 2_577, 1_199_008]),
        (KMeans::new(5).constraint(bounds), [4, 37, 1_929, 2_118_725]),
        (KMeans::new(4).constraint(both), [5, 57, 1_832, 1_044_419]),
    ];
    let counted: Vec<[u64; 4]> = kinds.iter().map(|(kmeans, _)| looks(kmeans)).collect();
    let within =
        |(counted, (_, limits)): (&[u64; 4], &(KMeans, [u64; 4]))| counted.iter().zip(limits).all(|(a, b)| a <= b);
    assert!(counted.iter().zip(&kinds).all(within), "counted {counted:?}");
}

#[test]
fn a_search_that_runs_out_of_steps_looks_closer_no_more_than_once() {
    let (points, atoms) = lumps(100_000, 16);
    let bounds = GapBounds::lower(0.7 * (points.x[points.x.len() - 1] - points.x[0]) / 5.0);
    let kmeans = KMeans::new(5).constraint(bounds).centers(Centers::Free);
    let best = kmeans.fit(&points.sample()).unwrap().inertia();
    let mut passes = 0;
    let mut zoom = |windows: &[(f64, f64)]| {
        passes += 1;
        Ok(points.zoom(windows))
    };
    MOST_STEPS.set(1 << 10);
    let (fit, _) = kmeans.fit_refining(Sample::of_atoms(atoms).unwrap(), &mut zoom, &mut Monitor::default()).unwrap();
    assert!(!fit.is_optimal() && fit.lower_bound() <= best && fit.inertia() >= best * (1.0 - 1e-12), "{fit:?}");
    assert!(passes <= 1, "{passes} passes");
}

#[test]
fn rows_are_bounded_by_the_optimum_without_them() {
    for seed in 0..300 {
        let mut random = random(seed + 5000);
        let (points, atoms) = case(&mut random, 40);
        let range = points.x[points.x.len() - 1] - points.x[0] + 1.0;
        let rows = LinearRows::new(3, &[1.0, -2.0, 1.0], &[range * (random() - 0.5)], &[f64::INFINITY]).unwrap();
        let kmeans = KMeans::new(3).constraint(rows);
        let sample = Sample::of_atoms(atoms).unwrap();
        let mut zoom = |windows: &[(f64, f64)]| Ok(points.zoom(windows));
        let (Ok(truth), Ok((fit, _))) =
            (kmeans.fit(&points.sample()), kmeans.fit_refining(sample, &mut zoom, &mut Monitor::default()))
        else {
            continue;
        };
        assert!(fit.lower_bound() <= truth.inertia() * (1.0 + 1e-9) + 1e-20, "seed {seed}");
        assert!(fit.inertia() >= truth.lower_bound() * (1.0 - 1e-9), "seed {seed}");
        assert!((fit.inertia() - points.cost(&fit)).abs() <= 1e-9 * fit.inertia() + 1e-20, "seed {seed}");
    }
}
