use super::*;
use crate::numeric::exact_sum::ExactSum;

fn random(i: usize) -> f64 {
    let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x ^ (x >> 32)) >> 11) as f64 / (1u64 << 53) as f64
}

fn points<'a>(values: &'a [f64], weights: Option<&'a [f64]>) -> UnsortedPoints<'a> {
    let of = |values: &[f64]| values.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    let (lightest, heaviest) = weights.map_or((1.0, 1.0), of);
    UnsortedPoints { values, weights, number: values.len(), extent: of(values), lightest, heaviest }
}

fn gathered<P: GatheredPoint>(cells: &EqualCells, points: &UnsortedPoints<'_>, windows: &[(f64, f64)]) -> Vec<P> {
    let mut found = Vec::new();
    let show = |part: Vec<P>| {
        found.extend(part);
        Ok::<(), ()>(())
    };
    CellWindows::new(cells, 0, windows).unwrap().gather(points, show).unwrap();
    found
}

/// Data on both sides of zero, on one, far from it, next to it, equal and far apart.
fn sources() -> Vec<Vec<f64>> {
    let of = |value: fn(f64) -> f64| (0..3000).map(|i| value(random(i))).collect::<Vec<f64>>();
    vec![
        of(|u| u - 0.5),
        of(|u| 1e9 + u),
        of(|u| -7.0 - u),
        of(|u| (u - 0.5).powi(9)),
        of(|u| (40.0 * u).floor() - 20.0),
        of(|u| if u < 0.5 { 0.0 } else { 1e-200 * u }),
        of(|u| if u < 0.01 { -1e140 } else { 1e-200 * (u - 0.5) }),
        vec![3.25; 100],
        vec![-0.0, 0.0, 5e-324, -5e-324],
    ]
}

#[test]
fn every_point_is_in_one_cell_whose_sums_are_right() {
    for values in sources() {
        let weights: Vec<f64> = (0..values.len()).map(|i| 0.2 + random(i + 5000)).collect();
        for weights in [None, Some(&weights[..])] {
            let points = points(&values, weights);
            let cells = EqualCells::new(points.extent, 64);
            let atoms = cells.atoms(&points, &Workers::none());
            assert_eq!(atoms.iter().map(|atom| atom.count).sum::<u64>(), values.len() as u64);
            assert!(atoms.windows(2).all(|pair| cells.of(pair[0].low) < cells.of(pair[1].low)));
            for atom in atoms {
                let cell = cells.of(atom.low);
                let found: Vec<(f64, f64)> = gathered(&cells, &points, &[(atom.low, atom.high)]);
                assert_eq!(atom.count, found.len() as u64);
                assert!(found.iter().all(|&(x, _)| atom.low <= x && x <= atom.high && cells.of(x) == cell));
                let sum = |term: &dyn Fn(f64) -> f64| {
                    ExactSum::of(&found.iter().map(|&(x, w)| w * term(x - atom.mean)).collect::<Vec<f64>>()).round()
                };
                let (weight, first) = (sum(&|_| 1.0), sum(&|x| x));
                let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-14 * size + cells.blur() * weight;
                assert!((atom.weight - weight).abs() <= 1e-14 * weight);
                assert!(near(atom.rest * weight, first, weight * (atom.high - atom.low)), "{atom:?} {first:e}");
                let within = sum(&|x| (x - atom.rest).powi(2));
                assert!(
                    (atom.within.sqrt() - within.sqrt()).abs() <= 1e-14 * within.sqrt() + cells.blur() * weight.sqrt()
                );
            }
        }
    }
}

#[test]
fn equal_points_are_points() {
    let values = [5.5, 1.0, 5.5, 5.5, 900.0];
    let points = points(&values, None);
    let atoms: Vec<Atom> = EqualCells::new(points.extent, 1 << 10).atoms(&points, &Workers::none());
    assert_eq!(atoms.len(), 3);
    assert_eq!((atoms[2].low, atoms[2].high, atoms[2].count), (900.0, 900.0, 1));
    // Five cells from zero, values are not all told apart by their offsets.
    assert!(atoms[1].low < 5.5 && atoms[1].high > 5.5 && atoms[1].count == 3);
}

#[test]
fn the_order_of_the_points_does_not_show() {
    for values in sources() {
        let weights: Vec<f64> = (0..values.len()).map(|i| 0.2 + random(i + 5000)).collect();
        let turned = |from: &[f64]| from.iter().rev().copied().collect::<Vec<f64>>();
        let (back, back_weights) = (turned(&values), turned(&weights));
        let cells = EqualCells::new(points(&values, None).extent, 100);
        let atoms = |values: &[f64], weights| cells.atoms(&points(values, weights), &Workers::none());
        assert_eq!(atoms(&values, None), atoms(&back, None));
        assert_eq!(atoms(&values, Some(&weights)), atoms(&back, Some(&back_weights)));
    }
}

/// Borrowed data may change after the extent is known.
#[test]
fn values_outside_of_all_cells_are_put_into_one() {
    let values: Vec<f64> = (0..1000).map(|i| random(i) - 0.5).collect();
    let mut changed = values.clone();
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e9, 7.0, -0.0, 5e-324];
    strange.iter().enumerate().for_each(|(i, &x)| changed[100 * i] = x);
    let now = UnsortedPoints { values: &changed, ..points(&values, None) };
    for most in [1, 7, 256] {
        let cells = EqualCells::new(now.extent, most.max(2));
        let atoms = cells.atoms(&now, &Workers::none());
        assert_eq!(atoms.iter().map(|atom| atom.count).sum::<u64>(), 1000);
        let inside = |x: f64| (now.extent.0..=now.extent.1).contains(&x);
        assert!(atoms.iter().all(|atom| inside(atom.low) && inside(atom.mean) && inside(atom.high)));
        assert_eq!(gathered::<f64>(&cells, &now, &[now.extent]).len(), 1000);
    }
}

/// Weights of many sizes, some of them zero, and what they are in cells read again in finer ones.
#[test]
fn finer_cells_of_windows_have_the_points_of_the_windows() {
    for values in sources() {
        let even: Vec<f64> = (0..values.len()).map(|i| 0.2 + random(i + 5000)).collect();
        let uneven: Vec<f64> =
            (0..values.len()).map(|i| if i % 5 == 0 { 0.0 } else { (40.0 * random(i + 5000) - 20.0).exp() }).collect();
        for weights in [None, Some(&even[..]), Some(&uneven[..])] {
            let mut points = points(&values, weights);
            let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
            points.lightest = (0..values.len()).map(weight).filter(|&weight| weight > 0.0).fold(f64::MAX, f64::min);
            let cells = EqualCells::new(points.extent, 32);
            let coarse = cells.atoms(&points, &Workers::none());
            // Each window in cells of its own width.
            for halvings in [[1, 1], [3, 3], [2, 5], [6, 1]] {
                let window = |(i, atom): (usize, &Atom)| FinerWindow {
                    extent: (atom.low, atom.high),
                    halvings: halvings[i % 2],
                };
                let windows: Vec<FinerWindow> = coarse.iter().step_by(2).enumerate().map(window).collect();
                let Some(finer) = cells.atoms_of_windows(&points, &windows, &Workers::none()) else {
                    continue;
                };
                let most: usize = windows.iter().map(|window| 1 << window.halvings).sum();
                assert!(finer.atoms.len() <= most && cells.number_of_finer(&windows).unwrap() <= most);
                for (atom, group) in coarse.iter().step_by(2).zip(finer.iter()) {
                    let joined = Atom::joined(group);
                    assert_eq!(joined.count, atom.count);
                    assert!((joined.weight - atom.weight).abs() <= 1e-14 * atom.weight);
                    assert!((joined.mean - atom.mean).abs() <= 1e-13 * (atom.high - atom.low) + 2.0 * cells.blur());
                    assert!(group.iter().all(|part| atom.low <= part.low && part.high <= atom.high));
                    assert!(group.windows(2).all(|pair| pair[0].high < pair[1].low));
                }
            }
        }
    }
}

#[test]
fn tables_of_too_many_fine_cells_are_refused() {
    let cells = EqualCells::new((-1.0, 1.0), 1 << 12);
    let windows: Vec<(f64, f64)> = (0..cells.len()).map(|cell| cells.extent(cell)).collect();
    assert!(CellWindows::new(&cells, 5, &windows).is_some() && CellWindows::new(&cells, 20, &windows[..1]).is_some());
    for (halvings, windows) in [(10, &windows[..]), (22, &windows[..1]), (63, &windows[..1]), (200, &windows[..1])] {
        assert!(CellWindows::new(&cells, halvings, windows).is_none(), "{halvings}");
    }
}
