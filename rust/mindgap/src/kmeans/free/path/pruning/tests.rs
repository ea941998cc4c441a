//! The hull of low sums against the sum itself at many places.

use super::*;
use crate::kmeans::free::tests::random;

/// Convex pieces side by side.
fn curve(random: &mut impl FnMut() -> f64) -> Curve {
    let mut end = 2.0 * random() - 2.0;
    let mut piece = || {
        let from = end;
        end += 0.1 + random();
        let (slope, level) = (4.0 * random() - 2.0, 2.0 * random());
        Quadratic { start: from, end, level, slope, bend: 0.05 + random(), origin: 0 }
    };
    (0..4).map(|_| piece()).collect()
}

fn at(curve: &[Quadratic], t: f64) -> f64 {
    let here = curve.iter().filter(|piece| piece.start <= t && t <= piece.end);
    here.map(|piece| piece.at(t)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_hull_holds_every_low_place_and_ends_at_one() {
    let mut random = random(5);
    let mut found = 0;
    for _ in 0..400 {
        let prefix = curve(&mut random);
        let suffix = curve(&mut random);
        let (shift, run) = (2.0 * random() - 2.0, (2.0 * random() - 1.0, 3.0 * random()));
        let sum = CurveSum { suffix: &suffix, shift, level: -6.0 * random(), run };
        let total = |t: f64| at(&prefix, t) + at(&suffix, -t - shift) + run.1 * (t - run.0).powi(2) + sum.level;
        let hull = sum.hull(&prefix);
        for step in 0..2000 {
            let t = -4.0 + 0.004 * step as f64;
            let inside = hull.is_some_and(|(from, to)| from - 1e-9 <= t && t <= to + 1e-9);
            assert!(inside || total(t) >= -1e-9, "{t} is low, and outside {hull:?}");
        }
        if let Some((from, to)) = hull {
            found += 1;
            // An end of a piece belongs to both its neighbours, and is rounded where the suffix is mirrored.
            let lowest_near = |t: f64| [t - 1e-9, t, t + 1e-9].map(total).into_iter().fold(f64::INFINITY, f64::min);
            assert!(lowest_near(from) <= 1e-6 && lowest_near(to) <= 1e-6, "{hull:?} is wider than need be");
        }
    }
    assert!(found > 100, "{found} of 400 have a hull");
}
