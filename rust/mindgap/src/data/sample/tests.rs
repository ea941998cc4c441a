use super::*;
use crate::SampleError;

#[test]
fn sorts_and_remembers_the_order() {
    let sample = Sample::new(&[3.0, -1.0, 2.0, -1.0]).unwrap();
    assert_eq!(sample.values(), [-1.0, -1.0, 2.0, 3.0]);
    assert_eq!(sample.order(), [1, 3, 2, 0]);
    assert_eq!(sample.distinct(), 3);
    assert_eq!(sample.total_weight(), 4.0);
}

#[test]
fn points_of_weight_zero_take_no_part() {
    let sample = Sample::weighted(&[3.0, 1.0, 2.0], &[1.0, 0.0, 2.0]).unwrap();
    assert_eq!(sample.values(), [2.0, 3.0]);
    assert_eq!(sample.weights(), Some(&[2.0, 1.0][..]));
    assert_eq!(sample.weightless(), [(1, 1.0)]);
    assert_eq!(sample.input_len(), 3);
}

#[test]
fn what_was_given_comes_back_in_its_order() {
    let (values, weights) = ([3.0, 1.0, 2.0, 1.0], [1.0, 0.0, 2.0, 0.5]);
    assert_eq!(Sample::new(&values).unwrap().given(), (values.to_vec(), None));
    assert_eq!(Sample::weighted(&values, &weights).unwrap().given(), (values.to_vec(), Some(weights.to_vec())));
}

#[test]
fn each_fault_has_its_error() {
    assert_eq!(Sample::new(&[]).unwrap_err(), SampleError::Empty);
    assert!(matches!(Sample::new(&[1.0, f64::NAN]), Err(SampleError::NotFinite { index: 1, .. })));
    assert!(matches!(Sample::new(&[f64::INFINITY]), Err(SampleError::NotFinite { index: 0, .. })));
    assert!(matches!(Sample::new(&[0.0, 1e300]), Err(SampleError::RangeNotSquarable { .. })));
    let weighted = |weights: &[f64]| Sample::weighted(&[1.0, 2.0], weights).unwrap_err();
    assert_eq!(weighted(&[1.0]), SampleError::WeightCount { points: 2, weights: 1 });
    assert_eq!(weighted(&[1.0, -1.0]), SampleError::BadWeight { index: 1, value: -1.0 });
    assert!(matches!(weighted(&[f64::NAN, 1.0]), SampleError::BadWeight { index: 0, .. }));
    assert_eq!(weighted(&[0.0, 0.0]), SampleError::NoWeight);
    assert!(matches!(weighted(&[1e308, 1e308]), SampleError::WeightOverflow { .. }));
}

#[test]
fn prefix_sums_survive_an_outlier() {
    let sample = Sample::new(&[0.0, 1e-6, 2e-6, 1.0, 1e9]).unwrap();
    let block = Prefixes::new(&sample).block(0, 3);
    let cost = sample.frame().leave_square(block.cost);
    assert!((cost - 2e-12).abs() < 1e-15, "{cost:e}");
}

#[test]
fn every_block_agrees_with_two_passes() {
    let x: Vec<f64> = (0..37).map(|i| ((i * i * 7) % 31) as f64 * 0.37).collect();
    let w: Vec<f64> = (0..37).map(|i| 1.0 + (i % 5) as f64).collect();
    let sample = Sample::weighted(&x, &w).unwrap();
    let prefixes = Prefixes::new(&sample);
    for start in 0..sample.len() {
        for end in start + 1..=sample.len() {
            let weight: f64 = (start..end).map(|i| sample.weight(i)).sum();
            let mean = (start..end).map(|i| sample.weight(i) * sample.framed(i)).sum::<f64>() / weight;
            let cost: f64 = (start..end).map(|i| sample.weight(i) * (sample.framed(i) - mean).powi(2)).sum();
            let block = prefixes.block(start, end);
            assert!((block.weight - weight).abs() < 1e-12);
            assert!((block.mean - mean).abs() < 1e-14);
            assert!((block.cost - cost).abs() < 1e-13);
        }
    }
}

#[test]
fn collapsing_gathers_equal_values() {
    let sample = Sample::new(&[2.0, 1.0, 2.0, 2.0]).unwrap();
    let (distinct, ends) = sample.collapsed();
    assert_eq!(distinct.values(), [1.0, 2.0]);
    assert_eq!(distinct.weights(), Some(&[1.0, 3.0][..]));
    assert_eq!(ends, [1, 4]);
}

fn atom(points: &[f64]) -> Atom {
    let mean = points.iter().sum::<f64>() / points.len() as f64;
    Atom {
        rest: 0.0,
        mean,
        weight: points.len() as f64,
        within: points.iter().map(|x| (x - mean).powi(2)).sum(),
        low: points[0],
        high: points[points.len() - 1],
        count: points.len() as u64,
        even: true,
    }
}

#[test]
fn runs_of_atoms_cost_what_their_points_cost() {
    let points = [-3.0, -2.5, 0.0, 1.0, 1.0, 4.0, 6.0, 7.5];
    let cuts = [0, 2, 5, 6, 8];
    let atoms = cuts.windows(2).map(|cut| atom(&points[cut[0]..cut[1]])).collect();
    let (sample, whole) = (Sample::of_atoms(atoms).unwrap(), Sample::new(&points).unwrap());
    let (by_atom, by_point) = (Prefixes::new(&sample), Prefixes::new(&whole));
    for a in 0..4 {
        for b in a + 1..=4 {
            let (atoms, points) = (by_atom.block(a, b), by_point.block(cuts[a], cuts[b]));
            let mean = |sample: &Sample, block: &Block| sample.frame().leave(block.mean);
            assert_eq!(atoms.weight, points.weight);
            assert!((mean(&sample, &atoms) - mean(&whole, &points)).abs() < 1e-14);
            assert!((atoms.cost - points.cost).abs() < 1e-14);
        }
    }
    assert_eq!((sample.distinct(), sample.total_weight()), (7, 8.0));
}

#[test]
fn atoms_keep_their_mean_and_spread_within_their_extent() {
    let (a, b) = (atom(&[1.0, 2.0]), atom(&[3.0]));
    assert_eq!(Sample::of_atoms(Vec::new()).unwrap_err(), SampleError::Empty);
    let off = Atom { mean: 2.0 + 1e-15, within: 0.5 + 1e-15, ..a };
    let sample = Sample::of_atoms(vec![off, b, b]).unwrap();
    assert_eq!((sample.values(), sample.atom(0).within), (&[2.0, 3.0, 3.0][..], 0.5));
}

#[test]
fn sums_over_a_narrow_cluster_far_from_the_median_keep_their_digits() {
    let sample = Sample::new(&[0.1, 0.2, 0.7, 1e9, 2e9, 3e9]).unwrap();
    let block = Prefixes::new(&sample).block(0, 3);
    let cost = sample.frame().leave_square(block.cost);
    assert!((cost / (0.62 / 3.0) - 1.0).abs() < 1e-10, "{cost}");
}

#[test]
fn sums_of_blocks_side_by_side_are_those_of_one_after_the_other() {
    for n in [1, 8, 63, 64, 65, 200, 1000] {
        let x: Vec<f64> = (0..n).map(|i| 1e3 + (f64::from(i) * 0.7).sin() * 1e-3 * f64::from(i * i)).collect();
        // Points with weights are summed one by one.
        let (unit, ones) = (Sample::new(&x).unwrap(), Sample::weighted(&x, &vec![1.0; x.len()]).unwrap());
        let (side, one) = (Prefixes::new(&unit), Prefixes::new(&ones));
        let dense = Prefixes::dense(&unit);
        for i in 0..=x.len() {
            let parts = |prefix: Prefix| [prefix.weight, prefix.sum, prefix.square].map(Double::parts);
            assert_eq!(parts(side.at(i)), parts(one.at(i)), "{n} points, {i}");
            assert_eq!(parts(dense.at(i)), parts(one.at(i)), "{n} points, {i}");
        }
    }
}

#[test]
fn a_limit_of_memory_refuses_to_sort() {
    let sample = Sample::from_vec((0..MANY_POINTS).map(|i| ((i * 7919) % 10_007) as f64).collect()).unwrap();
    let refused = OutOfMemory { what: "a sorted copy of the data", bytes: sample.sort_bytes() };
    assert!(refused.bytes > 0);
    let limit = refused.bytes - 1;
    let error = crate::Mixture::new(2).memory_limit(limit).fit(&sample).unwrap_err();
    assert!(matches!(error, crate::MixtureError::OutOfMemory(found) if found == refused));
    let error = crate::KMeans::new(2).min_size(10.0).memory_limit(limit).fit(&sample).unwrap_err();
    assert!(matches!(error, crate::KMeansError::OutOfMemory(found) if found == refused));
    assert_eq!(sample.sort_bytes(), refused.bytes, "it is not sorted");
}
