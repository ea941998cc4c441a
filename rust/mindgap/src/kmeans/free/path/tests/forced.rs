//! Forced ranges against their definition, boundary by boundary.

use super::super::forced::{ForcedRange, ForcedRanges, ForcedRules};
use super::*;

/// The share of a stride by which ranges are widened.
const MARGIN: f64 = 1e-6;

/// The forced range at boundary `j`, and the position of the last centre before it: every space starts a chain of
/// centres that lag behind to its right, and one of centres that are ahead to its left. A chain ends where its centres
/// have caught up with the points to half a stride.
fn by_definition(x: &[f64], rules: ForcedRules, j: usize) -> (Option<ForcedRange>, f64) {
    let stride = (1.0 - MARGIN) * rules.stride;
    let spaces: Vec<usize> = (1..x.len()).filter(|&i| x[i] - x[i - 1] >= stride).collect();
    let (mut back, mut ahead) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut lag = |first: usize, place: f64| {
        let at = |i: usize| place + (i - first) as f64 * stride;
        if (first..=j).all(|i| x[i - 1] >= at(i) + 0.5 * stride) {
            back = back.min(at(j));
        }
    };
    // A space after the first point of a boundary's left side starts a chain at the next boundary.
    spaces.iter().filter(|&&space| space < j).for_each(|&space| lag(space + 1, x[space - 1]));
    rules.ends.into_iter().for_each(|(first, _)| lag(1, first));
    let mut lead = |last: usize, place: f64| {
        let at = |i: usize| place - (last - i) as f64 * stride;
        if (j..=last).all(|i| x[i] <= at(i) - 0.5 * stride) {
            ahead = ahead.max(at(j));
        }
    };
    spaces.iter().filter(|&&space| space > j).for_each(|&space| lead(space - 1, x[space]));
    rules.ends.into_iter().for_each(|(_, last)| lead(x.len() - 1, last));
    let margin = MARGIN * rules.stride;
    let mut range = None::<ForcedRange>;
    if back < f64::INFINITY {
        let farthest = (2.0 * x[j - 1] - back).min(x[j - 1] + 0.5 * rules.upper) + margin;
        range = Some((back + stride, farthest));
    }
    if ahead > f64::NEG_INFINITY {
        let (from, to) = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        range = Some((from.min(x[j]), to.max(ahead + margin)));
    }
    (range, back)
}

#[test]
fn forced_ranges_are_as_defined() {
    let mut random = random(51);
    let (mut forced, mut free) = (0, 0);
    for round in 0..600 {
        let n = 2 + (20.0 * random()) as usize;
        let mut x: Vec<f64> = points(&mut random, n, round).0;
        x.sort_by(f64::total_cmp);
        let (first, last) = (x[0], x[n - 1]);
        let stride = 0.01 + 0.4 * (last - first) * random();
        let off = |random: &mut dyn FnMut() -> f64| 2.0 * stride * (random() - 0.3);
        let ends = (round % 3 > 0).then(|| (first - off(&mut random), last + off(&mut random)));
        let rules = ForcedRules { stride, upper: if round % 2 == 0 { f64::INFINITY } else { 2.0 * stride }, ends };
        let mut ranges = ForcedRanges::new(&x, rules);
        for j in 1..n {
            let (found, (expected, back)) = (ranges.at(j), by_definition(&x, rules, j));
            let same = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9;
            let facts = || format!("{found:?} is not {expected:?} at {j}: {rules:?} {x:?}", rules = (stride, ends));
            assert!(same(ranges.back(), back), "{} is not {back} at {j}", ranges.back());
            match (found, expected) {
                (Some(a), Some(b)) => assert!(same(a.0, b.0) && same(a.1, b.1), "{}", facts()),
                (a, b) => assert!(a.is_none() && b.is_none(), "{}", facts()),
            }
            *(if found.is_some() { &mut forced } else { &mut free }) += 1;
        }
    }
    assert!(forced > 1000 && free > 1000, "{forced} forced, {free} free");
    let rules = ForcedRules { stride: f64::INFINITY, upper: 1.0, ends: Some((0.0, 9.0)) };
    assert_eq!(ForcedRanges::new(&[0.0, 9.0], rules).at(1), None);
}
