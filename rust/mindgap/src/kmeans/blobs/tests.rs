//! Fits on blobs against fits on their points, which are tested against every partition elsewhere.

use super::super::Centers;
use super::*;
use crate::constraint::{GapBounds, LinearRows};

/// A linear congruential generator: numbers from 0 to 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (state ^ (state >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The points behind blobs, ascending, those of one value by weight.
#[derive(Debug)]
struct Points {
    x: Vec<f64>,
    w: Vec<f64>,
    weighted: bool,
    /// Into how many blobs a window is shown.
    pieces: usize,
}

impl Points {
    fn new(mut points: Vec<(f64, f64)>, weighted: bool, pieces: usize) -> Self {
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (x, w) = points.into_iter().unzip();
        Self { x, w, weighted, pieces }
    }

    fn sample(&self) -> Sample {
        if self.weighted { Sample::weighted(&self.x, &self.w) } else { Sample::new(&self.x) }.unwrap()
    }

    fn blob(&self, start: usize, end: usize) -> Blob {
        let (x, w) = (&self.x[start..end], &self.w[start..end]);
        let weight: f64 = w.iter().sum();
        let mean = x[0] + x.iter().zip(w).map(|(z, w)| w * (z - x[0])).sum::<f64>() / weight;
        let within = x.iter().zip(w).map(|(z, w)| w * (z - mean).powi(2)).sum();
        Blob { mean, weight, within, low: x[0], high: x[x.len() - 1], count: x.len() as u64, even: !self.weighted }
    }

    /// Cut into blobs after the given positions, equal values kept in one blob.
    fn blobs(&self, range: std::ops::Range<usize>, cuts: impl Iterator<Item = usize>) -> Vec<Blob> {
        let mut blobs = Vec::new();
        let mut start = range.start;
        for cut in cuts.chain([range.end]) {
            let apart = cut == range.end || (cut > start && self.x[cut] > self.x[cut - 1]);
            if apart {
                blobs.push(self.blob(start, cut));
                start = cut;
            }
        }
        blobs
    }

    fn zoom(&self, windows: &[(f64, f64)]) -> Vec<Vec<Blob>> {
        windows
            .iter()
            .map(|&(low, high)| {
                let start = self.x.partition_point(|&x| x < low);
                let end = self.x.partition_point(|&x| x <= high);
                if low == high && self.weighted {
                    return (start..end).map(|i| self.blob(i, i + 1)).collect();
                }
                let pieces = self.pieces.min(end - start);
                let mut cuts: Vec<usize> = (1..pieces).map(|p| start + (end - start) * p / pieces).collect();
                // Two at least where values differ.
                cuts.push(self.x.partition_point(|&x| x <= low));
                cuts.sort_unstable();
                self.blobs(start..end, cuts.into_iter())
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

/// Random points and blobs of them.
fn case(random: &mut impl FnMut() -> f64, most: usize) -> (Points, Vec<Blob>) {
    let n = 2 + (random() * (most - 1) as f64) as usize;
    let lattice = [4.0, 9.0, 1e6][(3.0 * random()) as usize];
    let power = if random() < 0.5 { 1 } else { 3 };
    let weighted = random() < 0.4;
    let points = (0..n)
        .map(|_| ((random().powi(power) * lattice).floor(), if weighted { 0.1 + 4.0 * random() } else { 1.0 }))
        .collect();
    let points = Points::new(points, weighted, 2 + (3.0 * random()) as usize);
    let share = random();
    let cuts: Vec<usize> = (1..n).filter(|_| random() < share).collect();
    let blobs = points.blobs(0..n, cuts.into_iter());
    (points, blobs)
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
struct Tally {
    solved: usize,
    infeasible: usize,
    optimal: usize,
    proven_at_once: usize,
    undecided: usize,
}

/// Fits on blobs, with and without zooming, against the fit on their points.
fn compare(kmeans: &KMeans, points: &Points, blobs: &[Blob], tally: &mut Tally, facts: &str) {
    let truth = kmeans.fit(&points.sample());
    let sample = Sample::of_blobs(blobs.to_vec()).unwrap();
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
        (Err(KMeansError::Undecided), _) => tally.undecided += 1,
        (Err(fault), truth) => assert!(same_kind(&fault, truth.as_ref().err()), "{fault} is not {truth:?}: {facts}"),
    }
    let mut zoom = |windows: &[(f64, f64)]| Ok(points.zoom(windows));
    match (kmeans.fit_zooming(sample, &mut zoom, None), truth) {
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

fn run(cases: u64, most: usize, mut settings: impl FnMut(&mut dyn FnMut() -> f64, usize, f64) -> KMeans) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..cases {
        let mut random = random(seed);
        let (points, blobs) = case(&mut random, most);
        let k = 1 + (random() * 5.0) as usize;
        let range = points.x[points.x.len() - 1] - points.x[0];
        let kmeans = settings(&mut random, k, range);
        let facts = format!("seed {seed} k {k} {points:?} {blobs:?}");
        compare(&kmeans, &points, &blobs, &mut tally, &facts);
    }
    println!("{tally:?}");
    tally
}

fn ties(random: &mut dyn FnMut() -> f64) -> Ties {
    if random() < 0.3 { Ties::Together } else { Ties::Split }
}

#[test]
fn blobs_lead_to_the_optimum_of_their_points() {
    let tally = run(6000, 14, |random, k, _| KMeans::new(k).ties(ties(random)));
    assert!(tally.solved > 3500 && tally.optimal == tally.solved, "{tally:?}");
    let tally = run(300, 400, |random, k, _| KMeans::new(4 * k).ties(ties(random)));
    assert!(tally.solved > 100 && tally.optimal == tally.solved, "{tally:?}");
}

#[test]
fn blobs_lead_to_the_optimum_whose_means_hold_bounds() {
    let settings = |random: &mut dyn FnMut() -> f64, k: usize, range: f64| {
        let ties = ties(random);
        KMeans::new(k).ties(ties).constraint(gaps(&mut &mut *random, k, range))
    };
    let tally = run(6000, 14, settings);
    assert!(tally.solved > 2000 && tally.optimal == tally.solved && tally.infeasible > 500, "{tally:?}");
    let tally = run(300, 400, settings);
    assert!(tally.solved > 100 && tally.optimal == tally.solved, "{tally:?}");
}

#[test]
fn blobs_lead_to_the_best_free_centres() {
    let settings = |random: &mut dyn FnMut() -> f64, k: usize, range: f64| {
        let ties = ties(random);
        KMeans::new(k).ties(ties).centers(Centers::Free).constraint(gaps(&mut &mut *random, k, range))
    };
    let tally = run(3000, 14, settings);
    assert!(tally.solved > 1500 && tally.optimal == tally.solved, "{tally:?}");
    let tally = run(60, 300, settings);
    assert!(tally.solved > 40, "{tally:?}");
}

/// Normal lumps of points, in blobs of about equal width.
fn lumps(n: usize, pieces: usize) -> (Points, Vec<Blob>) {
    let mut random = random(7);
    let mut normal = || (0..12).map(|_| random()).sum::<f64>() - 6.0;
    let points = (0..n).map(|i| ([0.0, 2.5, 4.0, 9.0, 10.5][i % 5] + normal(), 1.0)).collect();
    let points = Points::new(points, false, pieces);
    let (low, high) = (points.x[0], points.x[n - 1]);
    let edges = (1..1000).map(|e| low + (high - low) * e as f64 / 1000.0);
    let cuts: Vec<usize> = edges.map(|edge| points.x.partition_point(|&x| x < edge)).collect();
    let blobs = points.blobs(0..n, cuts.into_iter().filter(|&cut| cut < n));
    (points, blobs)
}

fn zoomed(name: &str, kmeans: &KMeans, points: &Points, blobs: &[Blob]) {
    let sample = Sample::of_blobs(blobs.to_vec()).unwrap();
    let clock = std::time::Instant::now();
    let truth = kmeans.fit(&points.sample()).unwrap();
    let local = clock.elapsed();
    let (mut passes, mut windows) = (0, Vec::new());
    let mut zoom = |asked: &[(f64, f64)]| {
        passes += 1;
        windows.push(asked.len());
        Ok(points.zoom(asked))
    };
    let clock = std::time::Instant::now();
    let at_once = kmeans.fit(&sample).unwrap();
    let once = clock.elapsed();
    let clock = std::time::Instant::now();
    let (fit, last) = kmeans.fit_zooming(sample, &mut zoom, None).unwrap();
    println!(
        "{name}: {passes} passes {windows:?}, {} to {} blobs, local {local:?} once {once:?} (gap {:.1e}) zoomed {:?}, optimal {} same {} gap {:.1e}",
        blobs.len(),
        last.len(),
        1.0 - at_once.lower_bound() / at_once.inertia(),
        clock.elapsed(),
        fit.is_optimal(),
        fit.sizes() == truth.sizes(),
        (fit.inertia() - truth.inertia()) / truth.inertia()
    );
}

#[test]
fn many_points_take_few_passes() {
    for pieces in [4, 64] {
        let (points, blobs) = lumps(100_000, pieces);
        for k in [5, 50] {
            let spread = points.x[points.x.len() - 1] - points.x[0];
            zoomed(&format!("plain k {k}"), &KMeans::new(k), &points, &blobs);
            let bounds = GapBounds::lower(0.7 * spread / k as f64);
            zoomed(&format!("means k {k}"), &KMeans::new(k).constraint(bounds.clone()), &points, &blobs);
            zoomed(&format!("free k {k}"), &KMeans::new(k).constraint(bounds).centers(Centers::Free), &points, &blobs);
        }
    }
}
