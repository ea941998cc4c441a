use super::*;
use crate::data::Sample;
use crate::kmeans::unconstrained::chain::{Precise, StartComparison};
use crate::kmeans::unconstrained::grid::EdgeGrid;
use crate::kmeans::unconstrained::tests::random;

/// How many comparisons by rough sums differ from those by exact ones, and how many were made.
struct Comparisons(usize);

impl CostTask for Comparisons {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> (usize, usize) {
        let (mut wrong, mut made) = (0, 0);
        for end in 2..=costs.last() {
            for rival in 0..end - 1 {
                let start = rival + 1 + (end * 7 + rival * 3) % (end - 1 - rival).max(1);
                if start >= end {
                    continue;
                }
                let exact = costs.cost(start, end) - costs.cost(rival, end);
                // Leads about the one at which both starts are as good, some of them no farther off than rounding.
                for off in [-1.0, -1e-6, -1e-12, 1e-12, 1e-6, 1.0] {
                    let lead = -exact * (1.0 + off) + 1e-3 * off;
                    let less = lead + exact < 0.0;
                    made += 1;
                    wrong += usize::from(
                        StartComparison::<Precise, _>::new(costs, (start, rival), lead, costs.blur()).is_better(end)
                            != less,
                    );
                }
            }
        }
        let usable = costs.blur() < f64::INFINITY;
        assert_eq!(usable, self.0 == 0, "{}", costs.blur());
        (wrong, made)
    }
}

#[test]
fn rough_sums_never_decide_otherwise_than_exact_ones() {
    for case in 0..12 {
        let x: Vec<f64> = (0..60).map(|i| random(i + 100 * case) * if case % 3 == 0 { 1.0 } else { 1e-3 }).collect();
        let light = case % 4 == 3;
        let weights: Vec<f64> =
            (0..60).map(|i| if light && i == 7 { 1e-10 } else { 0.1 + random(i + 7 * case) }).collect();
        let samples = [Sample::new(&x).unwrap(), Sample::weighted(&x, &weights).unwrap()];
        for (sample, useless) in samples.iter().zip([0, usize::from(light)]) {
            let prefixes = Prefixes::new(sample);
            let grid = EdgeGrid::finest(&prefixes, &[]);
            let (wrong, made) = Candidates::gather(&prefixes, grid.edges()).with_costs(Comparisons(useless));
            assert!(wrong == 0 && made > 1000, "case {case}: {wrong} of {made}");
        }
    }
}

#[test]
fn edges_never_part_equal_points() {
    for pieces in 2..30 {
        let x: Vec<f64> = (0..200).map(|i| (12.0 * random(i + pieces)).floor()).collect();
        let sample = Sample::new(&x).unwrap();
        let prefixes = Prefixes::new(&sample);
        let grid = EdgeGrid::even(&prefixes, &[], pieces);
        let inner = &grid.edges()[1..grid.edges().len() - 1];
        let parts = |&&edge: &&u32| sample.values()[edge as usize - 1] == sample.values()[edge as usize];
        assert_eq!(inner.iter().find(parts), None, "{pieces} pieces");
    }
}
