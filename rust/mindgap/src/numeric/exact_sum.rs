//! [`ExactSum`]: a sum of doubles without rounding, which does not depend on the order of its terms.
//!
//! Shewchuk's expansions: the sum of a few doubles that do not overlap. An addition costs six operations for each of
//! them; there are two to four if the terms are of similar size.

/// The exact sum of the doubles added so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExactSum {
    /// By ascending magnitude; only the last may be zero.
    parts: Vec<f64>,
}

impl ExactSum {
    /// The sum of any doubles.
    pub(crate) fn of(terms: &[f64]) -> Self {
        let mut sum = Self::default();
        terms.iter().for_each(|&term| sum.add(term));
        sum
    }

    /// Adds one term. A sum that overflows stays infinite or NaN.
    pub(crate) fn add(&mut self, term: f64) {
        let mut carried = term;
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let part = self.parts[i];
            let sum = carried + part;
            let taken = sum - carried;
            let rest = (carried - (sum - taken)) + (part - taken);
            if rest != 0.0 {
                self.parts[kept] = rest;
                kept += 1;
            }
            carried = sum;
        }
        // A sum that is not finite stays so; its rounding errors are NaN and would grow the parts by one per addition.
        self.parts.truncate(if carried.is_finite() { kept } else { 0 });
        self.parts.push(carried);
    }

    /// The doubles that together are the sum.
    pub(crate) fn parts(&self) -> &[f64] {
        &self.parts
    }

    /// The double nearest to the sum; halfway between two, the even one.
    pub(crate) fn round(&self) -> f64 {
        let Some((&last, mut below)) = self.parts.split_last() else {
            return 0.0;
        };
        let mut high = last;
        let mut low = 0.0;
        while let Some((&part, rest)) = below.split_last() {
            below = rest;
            let sum = high + part;
            low = part - (sum - high);
            high = sum;
            if low != 0.0 {
                break;
            }
        }
        // `low` is exactly half a unit: the next part decides.
        if let Some(&next) = below.last()
            && (low < 0.0) == (next < 0.0)
        {
            let doubled = 2.0 * low;
            let away = high + doubled;
            if away - high == doubled {
                high = away;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// Doubles of very different scales, the same for one seed.
    fn terms(seed: u64) -> Vec<f64> {
        let mut dice = Dice(seed + 1);
        (0..200).map(|_| (dice.below(1 << 31) as f64 - 1e9) * (dice.below(80) as f64).exp2()).collect()
    }

    #[test]
    fn integers_add_up_as_integers_do() {
        for seed in 0..50 {
            let terms = terms(seed);
            let whole: i128 = terms.iter().map(|&term| term as i128).sum();
            // `as` rounds to the nearest, ties to even.
            assert_eq!(ExactSum::of(&terms).round(), whole as f64);
        }
    }

    #[test]
    fn order_and_grouping_do_not_show() {
        for seed in 0..50 {
            let mut terms = terms(seed);
            terms.iter_mut().for_each(|term| *term *= 1e-9);
            let expected = ExactSum::of(&terms).round();
            terms.reverse();
            assert_eq!(ExactSum::of(&terms).round(), expected);
            let mut whole = ExactSum::default();
            for piece in terms.chunks(7) {
                ExactSum::of(piece).parts().iter().for_each(|&part| whole.add(part));
            }
            assert_eq!(whole.round(), expected);
        }
    }

    #[test]
    fn halves_go_to_the_even_neighbour_unless_something_is_left() {
        let half = f64::EPSILON / 2.0;
        assert_eq!(ExactSum::of(&[1.0, half]).round(), 1.0);
        assert_eq!(ExactSum::of(&[1.0, half, 1e-300]).round(), 1.0 + f64::EPSILON);
        assert_eq!(ExactSum::of(&[1.0, half, -1e-300]).round(), 1.0);
        assert_eq!(ExactSum::of(&[1.0 + f64::EPSILON, half]).round(), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(ExactSum::of(&[1.0 + f64::EPSILON, half, -1e-300]).round(), 1.0 + f64::EPSILON);
        assert_eq!(ExactSum::of(&[]).round(), 0.0);
    }

    #[test]
    fn overflow_is_seen() {
        assert!(!ExactSum::of(&[f64::MAX, f64::MAX, -1.0]).round().is_finite());
        assert!(!ExactSum::of(&[f64::NAN, 1.0]).round().is_finite());
    }

    #[test]
    fn what_is_no_number_takes_no_more_room_each_time() {
        for fault in [f64::NAN, f64::INFINITY] {
            let mut sum = ExactSum::of(&[1.0, 1e-300]);
            (0..100).for_each(|_| sum.add(fault));
            assert_eq!(sum.parts().len(), 1);
            assert!(!sum.round().is_finite());
        }
    }
}
