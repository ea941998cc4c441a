//! The paper's program: its tables to the letter, and where they miss the optimum.

use crate::oracle::paper_tables;
use crate::oracle::random::Random;
use mindgap::{Centers, GapBounds, KMeans, KMeansError, KMeansFit, KMeansMethod, Sample};

fn paper(x: &[f64], k: usize, delta: f64) -> Result<KMeansFit, KMeansError> {
    KMeans::new(k)
        .centers(Centers::Means)
        .constraint(GapBounds::lower(delta))
        .method(KMeansMethod::Paper)
        .fit(&Sample::new(x).unwrap())
}

fn exact(x: &[f64], k: usize, delta: f64) -> Result<KMeansFit, KMeansError> {
    KMeans::new(k).centers(Centers::Means).constraint(GapBounds::lower(delta)).fit(&Sample::new(x).unwrap())
}

#[test]
fn it_misses_the_optimum() {
    let x = [0.0, 2.0, 2.0, 5.0, 6.0];
    let fit = paper(&x, 3, 2.5).unwrap();
    assert_eq!((fit.inertia(), fit.labels()), (6.5, &[0, 0, 1, 1, 2][..]));
    assert!(!fit.is_optimal());
    assert_eq!(exact(&x, 3, 2.5).unwrap().inertia(), 6.0);
}

#[test]
fn it_finds_nothing_where_there_is_a_solution() {
    let x = [0.0, 2.0, 2.0, 5.0, 7.0];
    assert_eq!(paper(&x, 3, 3.0), Err(KMeansError::PaperFailed { k: 3, delta: 3.0 }));
    assert_eq!(exact(&x, 3, 3.0).unwrap().inertia(), 6.0);
}

#[test]
fn its_worked_example() {
    let fit = paper(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0], 5, 1.75).unwrap();
    assert_eq!((fit.inertia(), fit.labels()), (3.0, &[0, 1, 2, 2, 3, 3, 4, 4][..]));
}

#[test]
fn without_separation_it_is_exact() {
    let mut random = Random::new(1);
    for trial in 0..200 {
        let n = 1 + random.below(40);
        let k = 1 + random.below(n.min(6));
        let x: Vec<f64> = (0..n).map(|_| random.uniform(0.0, 1.0)).collect();
        let (paper, exact) = (paper(&x, k, 0.0).unwrap(), exact(&x, k, 0.0).unwrap());
        assert!((paper.inertia() - exact.inertia()).abs() <= 1e-12 * (1.0 + exact.inertia()), "trial {trial}");
    }
}

#[test]
fn it_is_never_better_than_the_optimum_and_holds_the_bound() {
    let mut random = Random::new(2);
    let mut missed = 0;
    for trial in 0..500 {
        let (n, k) = (20 + random.below(60), 3 + random.below(3));
        let x: Vec<f64> = (0..n).map(|_| random.uniform(0.0, 1.0).powi(2)).collect();
        let delta = random.uniform(0.8, 1.1) / k as f64;
        let Ok(fit) = paper(&x, k, delta) else { continue };
        let best = exact(&x, k, delta).unwrap();
        assert!(fit.inertia() >= best.inertia() * (1.0 - 1e-12), "trial {trial}");
        assert!(fit.gaps().iter().all(|gap| *gap >= delta - 1e-11), "trial {trial}");
        missed += usize::from(fit.inertia() > best.inertia() * (1.0 + 1e-9));
    }
    assert!(missed > 0);
}

#[test]
fn it_follows_the_papers_tables() {
    let mut random = Random::new(3);
    let mut failed = 0;
    for trial in 0..600 {
        let (n, k) = (5 + random.below(45), 2 + random.below(4));
        let mut x: Vec<f64> = (0..n).map(|_| random.uniform(0.0, 1.0).powi(2)).collect();
        x.sort_by(f64::total_cmp);
        let delta = random.uniform(0.3, 1.2) / k as f64;
        match (paper(&x, k, delta), paper_tables::starts(&x, k, delta)) {
            (Ok(fit), Some(starts)) => {
                let labels: Vec<_> = (1..=n).map(|i| starts.iter().filter(|&&start| start <= i).count() - 1).collect();
                let found: Vec<_> = fit.labels().iter().map(|&label| label as usize).collect();
                assert_eq!(found, labels, "trial {trial}");
            }
            (Err(KMeansError::PaperFailed { .. }), None) => failed += 1,
            (found, expected) => panic!("trial {trial}: {found:?}, but the tables give {expected:?}"),
        }
    }
    assert!(0 < failed && failed < 300);
}

#[test]
fn what_it_does_not_take_is_refused() {
    let x = [0.0, 1.0, 2.0, 4.0];
    let sample = Sample::new(&x).unwrap();
    let refused = |problem: KMeans, sample: &Sample, word: &str| match problem.method(KMeansMethod::Paper).fit(sample) {
        Err(KMeansError::Unsupported(why)) => assert!(why.contains(word), "{why}"),
        other => panic!("{other:?}"),
    };
    refused(KMeans::new(3).centers(Centers::Means).constraint(GapBounds::between(1.0, 2.0).unwrap()), &sample, "upper");
    let unequal = GapBounds::per_gap(&[1.0, 2.0], &[f64::INFINITY; 2]).unwrap();
    refused(KMeans::new(3).centers(Centers::Means).constraint(unequal), &sample, "one lower bound");
    refused(KMeans::new(3).centers(Centers::Free), &sample, "centre");
    refused(KMeans::new(3).centers(Centers::Means), &Sample::weighted(&x, &[1.0, 2.0, 1.0, 1.0]).unwrap(), "weights");
    let many: Vec<f64> = (0..10_001).map(f64::from).collect();
    refused(KMeans::new(3).centers(Centers::Means), &Sample::new(&many).unwrap(), "limited here to N = 10000");
}
