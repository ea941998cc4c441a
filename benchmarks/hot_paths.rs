//! The hot paths, on the data that `benchmarks/` measures peers on: Model D of the paper, δ = 1.95.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mindgap::{Centers, Engine, GapBounds, KMeans, LinearRows, LocalEngine, Mixture, Parameters, Sample};
use std::hint::black_box;

#[path = "../rust/mindgap/tests/it/oracle/random.rs"]
#[allow(dead_code, reason = "the tests draw more kinds of numbers")]
mod random;

const DELTA: f64 = 1.95;
const WEIGHTS: [f64; 5] = [0.1, 0.2, 0.4, 0.2, 0.1];
const MEANS: [f64; 5] = [0.0, 2.0, 4.0, 6.0, 8.0];
const DEVIATIONS: [f64; 5] = [0.25, 0.75, 1.25, 0.75, 0.25];

/// `n` points of Model D, from seed 0.
fn model_d(n: usize) -> Vec<f64> {
    let mut random = random::Random::new(0);
    let point = |_| {
        let mut at = random.unit();
        let component = WEIGHTS.iter().position(|weight| {
            at -= weight;
            at < 0.0
        });
        let component = component.unwrap_or(WEIGHTS.len() - 1);
        MEANS[component] + DEVIATIONS[component] * random.normal()
    };
    (0..n).map(point).collect()
}

fn sample(n: usize) -> Sample {
    Sample::new(&model_d(n)).expect("Model D is finite")
}

fn start() -> Parameters {
    Parameters::new(&WEIGHTS, &MEANS, &DEVIATIONS.map(|deviation| deviation * deviation)).expect("Model D is a mixture")
}

fn sorting(c: &mut Criterion) {
    let mut group = c.benchmark_group("sample");
    for n in [10_000, 1_000_000] {
        let x = model_d(n);
        let w: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::new("new", n), &x, |b, x| b.iter(|| Sample::new(black_box(x))));
        group.bench_with_input(BenchmarkId::new("weighted", n), &x, |b, x| {
            b.iter(|| Sample::weighted(black_box(x), &w))
        });
    }
}

fn clustering(c: &mut Criterion) {
    let mut group = c.benchmark_group("kmeans");
    let lower = GapBounds::lower(DELTA);
    let both = GapBounds::between(DELTA, DELTA + 0.2).expect("the bounds are in order");
    let problems = [
        ("unconstrained", KMeans::new(5)),
        ("unconstrained-50", KMeans::new(50)),
        ("separated", KMeans::new(5).constraint(lower.clone()).centers(Centers::Means)),
        ("separated-two-sided", KMeans::new(5).constraint(both).centers(Centers::Means)),
        ("free", KMeans::new(5).constraint(lower)),
    ];
    for n in [10_000, 100_000] {
        let sample = sample(n);
        for (name, problem) in &problems {
            group.bench_with_input(BenchmarkId::new(*name, n), &sample, |b, sample| b.iter(|| problem.fit(sample)));
        }
    }
}

fn e_step(c: &mut Criterion) {
    let mut group = c.benchmark_group("e-step");
    for n in [500, 100_000, 1_000_000] {
        let (sample, start) = (sample(n), start());
        let mut engine = LocalEngine::new(&sample);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| b.iter(|| engine.moments(black_box(&start))));
    }
}

/// So few points that the quadratic program of the means is most of an iteration.
fn mean_program(c: &mut Criterion) {
    let mut group = c.benchmark_group("ten-iterations-500-points");
    let sample = sample(500);
    let spacing = [1.0, -2.0, 1.0, 0.0, 0.0, 0.0, 1.0, -2.0, 1.0, 0.0, 0.0, 0.0, 1.0, -2.0, 1.0];
    let rows = LinearRows::new(5, &spacing, &[0.0; 3], &[0.0; 3]).expect("the rows are sound");
    let mixture = || Mixture::new(5).init(start()).max_iter(10).tol(0.0);
    let problems = [
        ("no-program", mixture()),
        ("gaps", mixture().constraint(GapBounds::lower(2.01))),
        ("rows", mixture().constraint(rows)),
    ];
    for (name, problem) in &problems {
        group.bench_function(*name, |b| b.iter(|| problem.fit(&sample)));
    }
}

criterion_group! {
    name = hot_paths;
    config = Criterion::default().sample_size(10);
    targets = sorting, clustering, e_step, mean_program
}
criterion_main!(hot_paths);
