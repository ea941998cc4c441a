//! Unconstrained k-means against every partition and against the plain dynamic program.

mod oracle;

use mindgap::{KMeans, Sample};
use oracle::partitions;

#[test]
fn a_few_points_against_every_partition() {
    let x = [-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0];
    for k in 1..=8 {
        let fit = KMeans::new(k).fit(&Sample::new(&x).unwrap()).unwrap();
        let best = partitions::best_partition(&x, &[1.0; 8], k, None).unwrap();
        assert!((fit.inertia() - best.cost).abs() <= 1e-12 * (1.0 + best.cost), "k = {k}");
    }
}
