//! Allowances for the roundings of the exact program, from sums over the points.

use super::*;

/// Eight roundings of the cost and of the largest values of the curves: each cluster of all the points that it may have,
/// about the middle of its centre's interval, and moved by the width of an interval beside it.
#[test]
fn the_exact_program_allows_for_the_largest_values_of_its_curves() {
    let mut random = random(61);
    for _ in 0..100 {
        let (n, k) = (8 + (20.0 * random()) as usize, 1 + (4.0 * random()) as usize);
        let (x, w): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (random(), 0.1 + random())).unzip();
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![0.0; k - 1], vec![f64::INFINITY; k - 1]));
        let centers: Vec<(f64, f64)> = (0..k).map(|_| (random() - 1.0, random())).collect();
        let ends: Vec<Vec<usize>> = (0..k)
            .map(|c| if c + 1 == k { vec![n] } else { (c + 1 + (2.0 * random()) as usize..n - k + c + 1).collect() })
            .collect();
        let cost = random();
        let mut sum = cost;
        for c in 0..k {
            let points = if c == 0 { 0 } else { ends[c - 1][0] }..*ends[c].last().unwrap();
            let middle = 0.5 * (centers[c].0 + centers[c].1);
            let beside = &centers[c.saturating_sub(1)..k.min(c + 2)];
            let width = beside.iter().map(|(from, to)| to - from).fold(0.0, f64::max);
            sum +=
                points.map(|i| sample.weight(i) * ((sample.framed(i) - middle).powi(2) + width * width)).sum::<f64>();
        }
        let rounding = SearchRegion { centers, ends, rests: Vec::new() }.rounding(&problem, cost);
        assert!((rounding / (8.0 * f64::EPSILON * sum) - 1.0).abs() < 1e-9, "{rounding} for {sum}");
    }
}
