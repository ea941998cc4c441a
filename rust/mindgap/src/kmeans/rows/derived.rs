//! Bounds on gaps that linear rows imply: rows on two neighbours, and bounds on single centres; O(k × rows).

use crate::constraint::Rows;
use crate::kmeans::rounding::of_difference;

/// The bounds on the gaps (in data units) that every solution satisfies; `None` if there are none.
pub(super) fn gap_bounds(rows: &Rows) -> Option<Rows> {
    let k = rows.k();
    let mut gaps = vec![(0.0, f64::INFINITY); k - 1];
    let given = rows.gap_lower().iter().copied().zip(rows.gap_upper().iter().copied());
    gaps.iter_mut().zip(given).for_each(|(gap, given)| *gap = given);
    let mut centers = vec![(f64::NEG_INFINITY, f64::INFINITY); k];
    for (linear, row) in rows.linear().iter().flat_map(|linear| (0..linear.len()).map(move |row| (linear, row))) {
        let present: Vec<(usize, f64)> =
            linear.row(row).iter().copied().enumerate().filter(|(_, a)| *a != 0.0).collect();
        let bounds = (linear.lower()[row], linear.upper()[row]);
        match present[..] {
            [(center, a)] => narrow(&mut centers[center], divided(bounds, a)),
            [(left, b), (right, a)] if right == left + 1 && b == -a => narrow(&mut gaps[left], divided(bounds, a)),
            _ => {}
        }
    }
    for (gap, pair) in gaps.iter_mut().zip(centers.windows(2)) {
        narrow(gap, apart(pair[0], pair[1]));
    }
    // The rows are feasible, so bounds cross only by rounding.
    let upper: Vec<f64> = gaps.iter().map(|&(_, upper)| upper.max(0.0)).collect();
    let lower = gaps.iter().zip(&upper).map(|(&(lower, _), &upper)| lower.min(upper)).collect();
    let gaps = Rows::of_gaps(lower, upper);
    (!gaps.are_trivial()).then_some(gaps)
}

fn divided((lower, upper): (f64, f64), a: f64) -> (f64, f64) {
    if a > 0.0 { (lower / a, upper / a) } else { (upper / a, lower / a) }
}

/// The distances between a centre of `left` and one of `right`.
fn apart(left: (f64, f64), right: (f64, f64)) -> (f64, f64) {
    (right.0 - left.1 - of_difference(right.0, left.1), right.1 - left.0 + of_difference(right.1, left.0))
}

fn narrow(bounds: &mut (f64, f64), other: (f64, f64)) {
    // An infinite lower bound is an overflow, and NaN the difference of two: neither is a bound.
    if other.0 > bounds.0 && other.0 < f64::INFINITY {
        bounds.0 = other.0;
    }
    if other.1 < bounds.1 {
        bounds.1 = other.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::LinearRows;

    const INF: f64 = f64::INFINITY;

    fn derived(k: usize, matrix: &[f64], lower: &[f64], upper: &[f64]) -> Option<Rows> {
        gap_bounds(&LinearRows::new(k, matrix, lower, upper).unwrap().rows(k).unwrap())
    }

    #[test]
    fn neighbours_bound_their_gap() {
        let rows = [-2.0, 2.0, 0.0, 0.0, 1.0, -1.0, -1.0, 1.0, 0.0];
        let gaps = derived(3, &rows, &[2.0, -5.0, -INF], &[INF, -1.5, 4.0]).unwrap();
        assert_eq!(gaps, Rows::of_gaps(vec![1.0, 1.5], vec![4.0, 5.0]));
    }

    #[test]
    fn bounds_on_centres_bound_gaps() {
        let gaps = derived(2, &[1.0, 0.0, 0.0, -1.0], &[0.0, -6.0], &[1.0, -5.0]).unwrap();
        assert!((gaps.lower[0] - 4.0).abs() < 1e-14 && gaps.lower[0] <= 4.0);
        assert!((gaps.upper[0] - 6.0).abs() < 1e-14 && gaps.upper[0] >= 6.0);
    }

    #[test]
    fn other_rows_bound_none() {
        assert_eq!(derived(3, &[1.0, -2.0, 1.0], &[0.0], &[0.0]), None);
        assert_eq!(derived(3, &[-1.0, 0.0, 1.0], &[2.0], &[3.0]), None);
        assert_eq!(derived(2, &[-1.0, 2.0], &[2.0], &[3.0]), None);
        assert_eq!(derived(1, &[1.0], &[2.0], &[3.0]), None);
        assert_eq!(derived(2, &[-1.0, 1.0], &[-3.0], &[INF]), None);
    }
}
