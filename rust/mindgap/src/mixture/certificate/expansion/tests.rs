//! Expansions with any moments against their plain sums.

use super::*;
use crate::dice::Dice;

fn factorial(n: usize) -> f64 {
    (1..=n).map(|i| i as f64).product()
}

/// An expansion whose terms of all degrees count, in a cell of any admissible size.
fn expansion(dice: &mut Dice) -> Expansion {
    let share = 1.0 - 0.9 * dice.unit();
    let mut moments = [0.0; ORDER];
    moments.iter_mut().enumerate().for_each(|(j, moment)| *moment = (2.0 * dice.unit() - 1.0) * factorial(j).sqrt());
    Expansion {
        mean: 10.0 * dice.unit() - 5.0,
        precision_root: 0.2 + 5.0 * dice.unit(),
        moments,
        half: [RADIUS * share * dice.unit(), SPREAD * share * dice.unit()],
        remainder: 1e-6 * dice.unit(),
    }
}

impl Expansion {
    /// The sum of the expansion's terms.
    fn plain(&self, t: f64, e: f64) -> f64 {
        let term = |j: usize, l: usize| {
            self.moments[j + 2 * l] * t.powi(j as i32) / factorial(j) * e.powi(l as i32) / factorial(l)
        };
        (0..ORDER / 2).flat_map(|l| (0..ORDER - 2 * l).map(move |j| (j, l))).map(|(j, l)| term(j, l)).sum()
    }

    /// The point of the data at (t, e).
    fn place(&self, t: f64, e: f64) -> (f64, f64) {
        let deviation = 1.0 / self.precision_root;
        (self.mean + t * deviation, deviation * deviation * (1.0 + 2.0 * e))
    }

    /// How far the expansion is above a piece of a divisor.
    fn above(&self, [constant, a, b]: [f64; 3], t: f64, e: f64) -> f64 {
        let (mean, variance) = self.place(t, e);
        self.plain(t, e) - (constant + a * mean + b / variance)
    }
}

/// A piece with slopes that count as much as those of the expansion.
fn piece(dice: &mut Dice, expansion: &Expansion) -> [f64; 3] {
    let slope = 4.0 * dice.unit() - 2.0;
    [0.0, slope * expansion.precision_root, (8.0 * dice.unit() - 4.0) / expansion.precision_root.powi(2)]
}

#[test]
fn a_tangent_plane_is_below_its_piece_by_its_sag_at_most() {
    let mut dice = Dice(3);
    for _ in 0..500 {
        let expansion = expansion(&mut dice);
        let piece = [2.0 * dice.unit() - 1.0, piece(&mut dice, &expansion)[1], piece(&mut dice, &expansion)[2]];
        let value = |t: f64, e: f64| {
            let (mean, variance) = expansion.place(t, e);
            piece[0] + piece[1] * mean + piece[2] / variance
        };
        let (t, e) = (dice.unit() - 0.5, SPREAD * (dice.unit() - 0.5));
        let s = 0.5 * SPREAD * dice.unit();
        let ([here, slope, rise], sag) = expansion.plane(piece, t, e, s);
        let off = value(t, e) - here;
        assert!((0.0..1e-11).contains(&off), "{off}");
        let step = 1e-5;
        assert!((slope - (value(t + step, e) - value(t - step, e)) / (2.0 * step)).abs() < 1e-6);
        assert!((rise - (value(t, e + step) - value(t, e - step)) / (2.0 * step)).abs() < 1e-6);
        for e_of_end in [e - s, e + s] {
            let below = here + rise * (e_of_end - e) - value(t, e_of_end);
            assert!(below <= sag + 1e-11, "{below} is more than {sag}");
        }
        let most = here - rise * s - value(t, e - s);
        assert!(sag <= 1.5 * most.max(0.0) + 1e-11, "{sag} for {most}");
    }
}

/// The verdict is right however close the expansion comes to the divisor, and clear unless it is very close.
#[test]
fn a_piece_is_above_an_expansion_or_it_is_not() {
    let mut dice = Dice(5);
    let (mut clear, mut rounds) = (0, 0);
    for round in 0..300 {
        let expansion = expansion(&mut dice);
        let mut piece = piece(&mut dice, &expansion);
        let [r, s] = expansion.half;
        let places =
            || (0..=24).flat_map(|i| (0..=24).map(move |j| (f64::from(i - 12) / 12.0, f64::from(j - 12) / 12.0)));
        let values = || places().map(|(i, j)| expansion.above(piece, r * i, s * j));
        let (lowest, highest) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let spread = highest - lowest;
        for margin in [1e-9, 1e-5, 0.02, 0.5] {
            // The highest value of the grid is above minus the remainder.
            piece[0] = highest + expansion.remainder - margin;
            match expansion.bound_piece(piece) {
                Expanded::Below => panic!("round {round}: {margin} above is called below"),
                Expanded::Unclear => {}
                Expanded::Above(mean, variance) => {
                    let t = (mean - expansion.mean) * expansion.precision_root;
                    let e = 0.5 * (variance * expansion.precision_root.powi(2) - 1.0);
                    let inside = t.abs() <= r * (1.0 + 1e-9) + 1e-12 && e.abs() <= s * (1.0 + 1e-9) + 1e-12;
                    assert!(inside, "round {round}: ({t}, {e}) is outside of {r} and {s}");
                    let value = expansion.above(piece, t, e);
                    assert!(value > expansion.remainder - 1e-11, "round {round}: {value} is called above");
                    clear += usize::from(margin > 1e-3);
                }
            }
            rounds += usize::from(margin > 1e-3);
        }
        piece[0] = highest + expansion.remainder + 0.02 * spread + 1e-9;
        let verdict = expansion.bound_piece(piece);
        assert!(matches!(verdict, Expanded::Below), "round {round}: a fiftieth below is not called below");
    }
    assert!(10 * clear > 9 * rounds, "{clear} of {rounds}");
}

/// The first derivatives in the mean and in the variance are the next two moments.
#[test]
fn derivatives_are_those_of_the_plain_sum() {
    let mut dice = Dice(7);
    for _ in 0..50 {
        let expansion = expansion(&mut dice);
        let [t, e] = expansion.half;
        let (derivatives, step) = (expansion.at(t, e), 1e-4);
        let slope = |of: [f64; 2]| {
            let [ahead, back] = [1.0, -1.0].map(|sign| expansion.plain(t + sign * of[0], e + sign * of[1]));
            (ahead - back) / (2.0 * step)
        };
        assert!((derivatives[0] - expansion.plain(t, e)).abs() < 1e-12);
        assert!((expansion.value(t, e) - derivatives[0]).abs() < 1e-12);
        assert!((derivatives[1] - slope([step, 0.0])).abs() < 1e-5);
        assert!((derivatives[2] - slope([0.0, step])).abs() < 1e-5);
    }
}
