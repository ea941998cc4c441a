//! Sums over the points of a cell, in integers: they do not depend on the order or the division of the points.
//!
//! An offset is at most 2⁴⁷ units and a weight is below 2⁶⁴, so sums over fewer than 2³² points fit into 192 bits.

use crate::data::sample::Atom;
use crate::numeric::double::Double;
use crate::numeric::power_of_two;

/// An integer of 192 bits; subtraction wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wide {
    low: u128,
    high: u64,
}

impl Wide {
    #[inline(always)]
    fn add(&mut self, term: u128) {
        let (low, carry) = self.low.overflowing_add(term);
        self.low = low;
        self.high = self.high.wrapping_add(u64::from(carry));
    }

    /// Adds `term · 2⁶⁴`.
    #[inline(always)]
    fn add_shifted(&mut self, term: u128) {
        self.add(term << 64);
        self.high = self.high.wrapping_add((term >> 64) as u64);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.add(other.low);
        self.high = self.high.wrapping_add(other.high);
    }

    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { low, high: self.high.wrapping_sub(other.high).wrapping_sub(u64::from(borrow)) }
    }

    /// The product modulo 2¹⁹².
    fn times(self, factor: u64) -> Self {
        let factor = u128::from(factor);
        let mut product = Self { low: (self.low & u128::from(u64::MAX)) * factor, high: 0 };
        product.add_shifted((self.low >> 64) * factor);
        product.high = product.high.wrapping_add(self.high.wrapping_mul(factor as u64));
        product
    }

    fn is_negative(self) -> bool {
        self.high >> 63 == 1
    }

    /// The value as a double, to a rounding or two.
    fn value(self) -> f64 {
        if self.is_negative() {
            return -Self::default().minus(self).value();
        }
        self.high as f64 * power_of_two(128) + self.low as f64
    }
}

/// Sums over the points of a cell.
pub(super) trait CellSums: Clone + Default + Send + Sync {
    /// Adds a point of this integer weight.
    fn add(&mut self, offset: u64, weight: u64);

    /// Adds the sums of another cell.
    fn merge(&mut self, other: &Self);

    /// Weight, weighted offsets and their squares.
    fn moments(&self) -> CellMoments;
}

/// Weight, weighted offsets and their squares, with the number of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellMoments {
    count: u64,
    weight: u128,
    sum: Wide,
    square: Wide,
}

/// Sums over points of equal weight: 32 bytes, so that many cells stay in cache.
#[derive(Clone, Default)]
pub(super) struct UnitSums {
    /// The number of points in the high bits, the sum of their offsets in the low ones.
    count_and_sum: u128,
    square: u128,
}

/// The bits of a sum of offsets: fewer than 2³² of them, each at most 2⁴⁷.
const SUM_BITS: u32 = 80;

impl CellSums for UnitSums {
    #[inline(always)]
    fn add(&mut self, offset: u64, _: u64) {
        self.count_and_sum += (1 << SUM_BITS) + u128::from(offset);
        self.square += u128::from(offset) * u128::from(offset);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.count_and_sum += other.count_and_sum;
        self.square += other.square;
    }

    fn moments(&self) -> CellMoments {
        let wide = |low| Wide { low, high: 0 };
        let count = (self.count_and_sum >> SUM_BITS) as u64;
        let sum = self.count_and_sum & ((1 << SUM_BITS) - 1);
        CellMoments { count, weight: count.into(), sum: wide(sum), square: wide(self.square) }
    }
}

/// Sums over weighted points; those of weight zero are left out.
#[derive(Clone, Default)]
pub(super) struct WeightedSums {
    count: u64,
    weight: u128,
    sum: Wide,
    square: Wide,
}

impl CellSums for WeightedSums {
    #[inline(always)]
    fn add(&mut self, offset: u64, weight: u64) {
        let (offset, factor) = (u128::from(offset), u128::from(weight));
        let square = offset * offset;
        self.count += u64::from(weight > 0);
        self.weight += factor;
        self.sum.add(offset * factor);
        self.square.add(u128::from(square as u64) * factor);
        self.square.add_shifted((square >> 64) * factor);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.weight += other.weight;
        self.sum.merge(&other.sum);
        self.square.merge(&other.square);
    }

    fn moments(&self) -> CellMoments {
        let Self { count, weight, sum, square } = *self;
        CellMoments { count, weight, sum, square }
    }
}

/// The edge of a cell and its units, in those of the data.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellUnits {
    /// The edge from which offsets are counted.
    pub(super) edge: f64,
    /// One unit of offset.
    pub(super) length: f64,
    /// One unit of weight.
    pub(super) weight: f64,
}

impl CellMoments {
    /// The points as an atom between `low` and `high`; `None` if there are none. `even`: all of them weigh the same.
    pub(super) fn atom(&self, units: CellUnits, (low, high): (f64, f64), even: bool) -> Option<Atom> {
        if self.count == 0 {
            return None;
        }
        let weight = self.weight as f64;
        // Sums about an integer near the mean are still exact, and small.
        let center = (self.sum.value() / weight + 0.5) as u64;
        let all = Wide { low: self.weight, high: 0 };
        let first = self.sum.minus(all.times(center)).value();
        let doubled = self.sum.times(center).times(2);
        let second = self.square.minus(doubled.minus(all.times(center).times(center))).value();
        let place = Double::sum(units.edge, center as f64 * units.length);
        let mean = place.value();
        let rest = place.minus(Double::from(mean)) + first / weight * units.length;
        let within = (second - first / weight * first).max(0.0);
        let (low, high) = if first == 0.0 && second == 0.0 { (mean, mean) } else { (low, high) };
        Some(Atom {
            mean,
            rest,
            weight: weight * units.weight,
            within: within * units.weight * units.length * units.length,
            low,
            high,
            count: self.count,
            even: even || self.count == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_integers_add_subtract_and_multiply() {
        let mut a = Wide::default();
        a.add(u128::MAX);
        a.add(u128::MAX);
        assert_eq!(a, Wide { low: u128::MAX - 1, high: 1 });
        let mut b = a;
        b.add_shifted(u128::MAX);
        assert_eq!(b.minus(a), Wide { low: u128::from(u64::MAX) << 64, high: u64::MAX });
        assert_eq!(a.times(3), {
            let mut c = a;
            c.merge(&a);
            c.merge(&a);
            c
        });
        assert_eq!(Wide::default().minus(Wide { low: 5, high: 0 }).value(), -5.0);
        assert_eq!(Wide { low: 0, high: 1 }.value(), 2f64.powi(128));
    }

    #[test]
    fn weights_of_one_are_points_without_weights() {
        let units = CellUnits { edge: 3.0, length: 0.25, weight: 1.0 };
        let (mut plain, mut weighted) = (UnitSums::default(), WeightedSums::default());
        for offset in [0, 5, 5, (1 << 47) - 3, 1 << 47] {
            plain.add(offset, 1);
            weighted.add(offset, 1);
        }
        assert_eq!(plain.moments(), weighted.moments());
        let atom = plain.moments().atom(units, (3.0, 1e14), true).unwrap();
        assert_eq!((atom.count, atom.weight), (5, 5.0));
    }

    #[test]
    fn moments_are_those_of_the_points() {
        let units = CellUnits { edge: -2.0, length: 0.5, weight: 0.25 };
        let points = [(1u64, 3u64), (2, 1), (7, u64::MAX), (11, 5), (12, 0)];
        let mut sums = WeightedSums::default();
        points.iter().for_each(|&(offset, weight)| sums.add(offset, weight));
        let atom = sums.moments().atom(units, (-2.0, 4.0), false).unwrap();
        let weight = points.iter().map(|p| p.1 as f64).sum::<f64>();
        let mean = points.iter().map(|p| p.1 as f64 * p.0 as f64).sum::<f64>() / weight;
        assert_eq!((atom.count, atom.weight), (4, 0.25 * weight));
        assert!((atom.mean + atom.rest - (-2.0 + 0.5 * mean)).abs() < 1e-15);
        let squares = points.iter().map(|p| p.1 as f64 * (p.0 as f64 - 7.0).powi(2)).sum::<f64>() * 0.25 * 0.25;
        assert!((atom.within - squares).abs() <= 1e-14 * squares, "{} {squares}", atom.within);
    }

    #[test]
    fn equal_points_have_no_width_and_no_points_no_atom() {
        let units = CellUnits { edge: 1.0, length: 0.5, weight: 1.0 };
        let mut sums = UnitSums::default();
        assert_eq!(sums.moments().atom(units, (1.0, 9.0), true), None);
        (0..3).for_each(|_| sums.add(4, 1));
        let atom = sums.moments().atom(units, (1.0, 9.0), true).unwrap();
        assert_eq!((atom.mean, atom.low, atom.high, atom.within, atom.count), (3.0, 3.0, 3.0, 0.0, 3));
    }
}
