//! The paper's table of real data: heights of 9980 students in four grades (CDC, NYPANS 2010, public domain).

use mindgap::MixtureMethod;
use mindgap::{Ckmeans, Constraint, GapBounds, Mixture, MixtureFit, Sample, Unconstrained};

/// Students of grades 9 to 12 at each height, in inches (0.0254 m).
const COUNTS: [(u32, [u32; 4]); 32] = [
    (51, [0, 0, 0, 2]),
    (52, [4, 0, 0, 1]),
    (54, [0, 1, 1, 1]),
    (55, [0, 0, 1, 0]),
    (56, [5, 1, 5, 1]),
    (57, [7, 4, 3, 5]),
    (58, [28, 25, 16, 17]),
    (59, [60, 51, 39, 20]),
    (60, [109, 58, 71, 56]),
    (61, [164, 151, 110, 88]),
    (62, [231, 187, 168, 152]),
    (63, [262, 217, 202, 204]),
    (64, [274, 276, 212, 223]),
    (65, [283, 237, 207, 228]),
    (66, [244, 248, 231, 216]),
    (67, [245, 250, 209, 205]),
    (68, [214, 196, 220, 206]),
    (69, [169, 178, 203, 179]),
    (70, [121, 138, 156, 183]),
    (71, [89, 106, 135, 137]),
    (72, [46, 95, 89, 124]),
    (73, [23, 36, 72, 65]),
    (74, [15, 30, 40, 49]),
    (75, [5, 12, 22, 21]),
    (76, [4, 13, 9, 14]),
    (77, [1, 4, 1, 7]),
    (78, [2, 1, 5, 4]),
    (79, [1, 2, 1, 1]),
    (80, [1, 1, 2, 1]),
    (81, [0, 2, 1, 4]),
    (82, [1, 0, 2, 0]),
    (83, [0, 0, 2, 3]),
];

fn height(inch: u32) -> f64 {
    f64::from(inch) * 0.0254
}

fn fit(constraint: impl Constraint + 'static) -> MixtureFit {
    let heights: Vec<f64> = COUNTS.iter().map(|&(inch, _)| height(inch)).collect();
    let counts: Vec<f64> = COUNTS.iter().map(|(_, grades)| f64::from(grades.iter().sum::<u32>())).collect();
    let mixture = Mixture::new(4).constraint(constraint).init(Ckmeans).method(MixtureMethod::Paper);
    mixture.fit(&Sample::weighted(&heights, &counts).unwrap()).unwrap()
}

/// Mean errors of the means and of all parameters, times 100, and the Rand index.
fn figures(fit: &MixtureFit) -> (f64, f64, f64) {
    let total: f64 = COUNTS.iter().flat_map(|(_, grades)| grades).map(|&n| f64::from(n)).sum();
    let (mut centers, mut others) = (0.0, 0.0);
    for grade in 0..4 {
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            COUNTS.iter().map(|&(inch, grades)| f64::from(grades[grade]) * f(height(inch))).sum()
        };
        let (n, mean) = (sum(&|_| 1.0), sum(&|x| x) / sum(&|_| 1.0));
        let variance = sum(&|x| (x - mean).powi(2)) / n;
        centers += (fit.means()[grade] - mean).abs();
        others += (fit.weights()[grade] - n / total).abs() + (fit.variances()[grade] - variance).abs();
    }
    let pairs = |n: f64| n * (n - 1.0) / 2.0;
    let mut table = [[0.0; 4]; 4];
    for (&(_, grades), &label) in COUNTS.iter().zip(fit.labels()) {
        (0..4).for_each(|grade| table[grade][label as usize] += f64::from(grades[grade]));
    }
    let cells: f64 = table.iter().flatten().map(|&n| pairs(n)).sum();
    let rows: f64 = table.iter().map(|row| pairs(row.iter().sum())).sum();
    let columns: f64 = (0..4).map(|c| pairs(table.iter().map(|row| row[c]).sum())).sum();
    let rand = 1.0 + (2.0 * cells - rows - columns) / pairs(total);
    (100.0 * centers / 4.0, 100.0 * (centers + others) / 4.0, rand)
}

#[test]
fn regular_em_gives_the_table() {
    let fit = fit(Unconstrained);
    let (centers, all, rand) = figures(&fit);
    assert_eq!(fit.n_iter(), 33);
    assert_eq!(
        (format!("{centers:.2}"), format!("{all:.2}"), format!("{rand:.4}")),
        ("6.70".into(), "15.60".into(), "0.5665".into())
    );
}

#[test]
fn constrained_em_gives_the_table() {
    let bounds = GapBounds::per_gap(&[0.019023, 0.00895, 0.00154], &[0.029023, 0.01895, 0.01154]).unwrap();
    let fit = fit(bounds);
    let (centers, all, rand) = figures(&fit);
    assert_eq!(fit.n_iter(), 9);
    assert_eq!(
        (format!("{centers:.3}"), format!("{all:.2}"), format!("{rand:.4}")),
        ("0.460".into(), "3.18".into(), "0.5957".into())
    );
}

#[test]
fn every_student_apart_gives_the_same_fit() {
    let together = fit(Unconstrained);
    let heights: Vec<f64> = COUNTS
        .iter()
        .flat_map(|&(inch, grades)| std::iter::repeat_n(height(inch), grades.iter().sum::<u32>() as usize))
        .collect();
    let start = Mixture::new(4).init(together.parameters().clone()).max_iter(3).tol(0.0);
    let apart = start.fit(&Sample::new(&heights).unwrap()).unwrap();
    assert_eq!(apart.labels().len(), 9980);
    assert!((apart.history()[0] - together.log_likelihood()).abs() <= 1e-9 * together.log_likelihood().abs());
}
