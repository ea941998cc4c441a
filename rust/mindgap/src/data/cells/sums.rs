//! Sums over the points of a cell, in integers: they do not depend on the order or the division of the points.
//!
//! An offset is at most 2⁴⁷ units and a weight is below 2¹²⁸, so sums of squares over fewer than 2³² points fit into
//! 255 bits.

use crate::data::sample::Atom;
use crate::numeric::double::Double;
use crate::numeric::{binary_exponent, power_of_two};

/// An integer of 256 bits; subtraction wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wide {
    low: u128,
    high: u128,
}

impl Wide {
    #[inline(always)]
    fn add(&mut self, term: u128) {
        let (low, carry) = self.low.overflowing_add(term);
        self.low = low;
        self.high = self.high.wrapping_add(u128::from(carry));
    }

    /// Adds `term · 2⁶⁴`.
    #[inline(always)]
    fn add_shifted(&mut self, term: u128) {
        self.add(term << 64);
        self.high = self.high.wrapping_add(term >> 64);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.add(other.low);
        self.high = self.high.wrapping_add(other.high);
    }

    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { low, high: self.high.wrapping_sub(other.high).wrapping_sub(u128::from(borrow)) }
    }

    /// The product modulo 2²⁵⁶.
    fn times(self, factor: u64) -> Self {
        let factor = u128::from(factor);
        let mut product = Self { low: (self.low & u128::from(u64::MAX)) * factor, high: 0 };
        product.add_shifted((self.low >> 64) * factor);
        product.high = product.high.wrapping_add(self.high.wrapping_mul(factor));
        product
    }

    fn is_negative(self) -> bool {
        self.high >> 127 == 1
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
    /// A weight in units.
    type Weight: Copy;

    /// A weight in units of a power of two.
    fn integer(weight: f64, unit: f64) -> Self::Weight;

    /// Adds a point.
    fn add(&mut self, offset: u64, weight: Self::Weight);

    /// Adds the sums of another cell.
    fn merge(&mut self, other: &Self);

    /// The moments of the points; `None` if there are none.
    fn moments(&self) -> Option<CellMoments>;
}

/// Moments of the points of a cell, about an integer near their mean: sums about it are still exact, and small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellMoments {
    count: u64,
    weight: f64,
    center: u64,
    /// The weighted sum of offsets from the centre.
    first: f64,
    /// That of their squares.
    second: f64,
}

/// The integer nearest to a mean offset.
fn center(sum: f64, weight: f64) -> u64 {
    (sum / weight + 0.5) as u64
}

/// Weight, weighted offsets and their squares, with the number of points.
struct WideSums {
    count: u64,
    weight: Wide,
    sum: Wide,
    square: Wide,
}

impl WideSums {
    fn moments(&self) -> Option<CellMoments> {
        let Self { count, weight, sum, square } = *self;
        if count == 0 {
            return None;
        }
        let center = center(sum.value(), weight.value());
        let first = sum.minus(weight.times(center)).value();
        let doubled = sum.times(center).times(2);
        let second = square.minus(doubled.minus(weight.times(center).times(center))).value();
        Some(CellMoments { count, weight: weight.value(), center, first, second })
    }
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
    type Weight = ();

    #[inline(always)]
    fn integer(_: f64, _: f64) {}

    #[inline(always)]
    fn add(&mut self, offset: u64, (): ()) {
        self.count_and_sum += (1 << SUM_BITS) + u128::from(offset);
        self.square += u128::from(offset) * u128::from(offset);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.count_and_sum += other.count_and_sum;
        self.square += other.square;
    }

    /// As [`WideSums::moments`]: a sum of squares is less than 2¹²⁷, so differences are right modulo 2¹²⁸.
    fn moments(&self) -> Option<CellMoments> {
        let count = self.count_and_sum >> SUM_BITS;
        if count == 0 {
            return None;
        }
        let sum = self.count_and_sum & ((1 << SUM_BITS) - 1);
        let weight = count as u64 as f64;
        let center = center(sum as f64, weight);
        let about = u128::from(center);
        let moved = sum.wrapping_sub(count * about);
        // Σ(z - c)² = Σz² - c·(Σz + Σ(z - c)).
        let second = self.square.wrapping_sub(about.wrapping_mul(sum.wrapping_add(moved)));
        Some(CellMoments { count: count as u64, weight, center, first: moved as i128 as f64, second: second as f64 })
    }
}

/// Sums over points whose weights are integers of 64 bits; those of weight zero are left out.
#[derive(Clone, Default)]
pub(super) struct WeightedSums {
    count: u64,
    weight: u128,
    sum: Wide,
    square: Wide,
}

impl CellSums for WeightedSums {
    type Weight = u64;

    #[inline(always)]
    fn integer(weight: f64, unit: f64) -> u64 {
        (weight * (1.0 / unit)) as u64
    }

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

    fn moments(&self) -> Option<CellMoments> {
        let Self { count, weight, sum, square } = *self;
        WideSums { count, weight: Wide { low: weight, high: 0 }, sum, square }.moments()
    }
}

/// Sums over points whose weights are integers of 128 bits; those of weight zero are left out.
#[derive(Clone, Default)]
pub(super) struct UnevenSums {
    count: u64,
    weight: Wide,
    sum: Wide,
    square: Wide,
}

/// The bits of a double's fraction.
const FRACTION_BITS: i32 = 52;

impl CellSums for UnevenSums {
    type Weight = u128;

    #[inline(always)]
    fn integer(weight: f64, unit: f64) -> u128 {
        // By a shift, because a cast of a large double takes long. Borrowed data may have changed to any weight.
        let shift = (binary_exponent(weight) - binary_exponent(unit) - FRACTION_BITS).clamp(0, 127 - FRACTION_BITS);
        let fraction = (weight.to_bits() & ((1 << FRACTION_BITS) - 1)) | (1 << FRACTION_BITS);
        if weight > 0.0 { u128::from(fraction) << shift } else { 0 }
    }

    #[inline(always)]
    fn add(&mut self, offset: u64, weight: u128) {
        let offset = u128::from(offset);
        let square = offset * offset;
        let [low, high] = [weight as u64, (weight >> 64) as u64].map(u128::from);
        let [square_low, square_high] = [square as u64, (square >> 64) as u64].map(u128::from);
        self.count += u64::from(weight > 0);
        self.weight.add(weight);
        self.sum.add(offset * low);
        self.sum.add_shifted(offset * high);
        self.square.add(square_low * low);
        self.square.add_shifted(square_low * high);
        self.square.add_shifted(square_high * low);
        self.square.high += square_high * high;
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.weight.merge(&other.weight);
        self.sum.merge(&other.sum);
        self.square.merge(&other.square);
    }

    fn moments(&self) -> Option<CellMoments> {
        let Self { count, weight, sum, square } = *self;
        WideSums { count, weight, sum, square }.moments()
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
    /// The points as an atom between `low` and `high`. `even`: all of them weigh the same.
    pub(super) fn atom(&self, units: CellUnits, (low, high): (f64, f64), even: bool) -> Atom {
        let Self { count, weight, center, first, second } = *self;
        let place = Double::sum(units.edge, center as f64 * units.length);
        let mean = place.value();
        let rest = place.minus(Double::from(mean)) + first / weight * units.length;
        let within = (second - first / weight * first).max(0.0);
        let (low, high) = if first == 0.0 && second == 0.0 { (mean, mean) } else { (low, high) };
        Atom {
            mean,
            rest,
            weight: weight * units.weight,
            within: within * units.weight * units.length * units.length,
            low,
            high,
            count,
            even: even || count == 1,
        }
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
        assert_eq!(b.minus(a), Wide { low: u128::from(u64::MAX) << 64, high: u128::from(u64::MAX) });
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
            plain.add(offset, ());
            weighted.add(offset, 1);
        }
        assert_eq!(plain.moments(), weighted.moments());
        let atom = plain.moments().unwrap().atom(units, (3.0, 1e14), true);
        assert_eq!((atom.count, atom.weight), (5, 5.0));
    }

    #[test]
    fn large_weights_are_multiples_of_small_ones() {
        let (mut small, mut large) = (WeightedSums::default(), UnevenSums::default());
        for (offset, weight) in [(0, 3), (1 << 47, u64::MAX), ((1 << 47) - 5, u64::MAX - 7), (12_345, 0), (77, 1 << 63)]
        {
            small.add(offset, weight);
            large.add(offset, u128::from(weight) << 63);
        }
        assert_eq!(small.count, large.count);
        let weight = Wide { low: small.weight, high: 0 };
        for (small, large) in [(weight, large.weight), (small.sum, large.sum), (small.square, large.square)] {
            assert_eq!(small.times(1 << 63), large);
        }
    }

    #[test]
    fn weights_are_integers_without_rounding() {
        let unit = power_of_two(-90);
        for weight in [power_of_two(-37), 0.1, 1.0, 1.5, 1e9 + 0.125, power_of_two(38).next_down()] {
            let integer = UnevenSums::integer(weight, unit);
            assert_eq!(integer as f64 * unit, weight);
        }
        assert_eq!(UnevenSums::integer(0.0, unit), 0);
        // Borrowed data may change to weights of any size.
        for strange in [f64::NAN, f64::INFINITY, -1.0, 5e-324, f64::MAX] {
            assert!(UnevenSums::integer(strange, unit) < u128::MAX);
        }
    }

    #[test]
    fn moments_are_those_of_the_points() {
        let units = CellUnits { edge: -2.0, length: 0.5, weight: 0.25 };
        let points = [(1u64, 3u64), (2, 1), (7, u64::MAX), (11, 5), (12, 0)];
        let mut sums = WeightedSums::default();
        points.iter().for_each(|&(offset, weight)| sums.add(offset, weight));
        let atom = sums.moments().unwrap().atom(units, (-2.0, 4.0), false);
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
        assert_eq!(sums.moments(), None);
        (0..3).for_each(|_| sums.add(4, ()));
        let atom = sums.moments().unwrap().atom(units, (1.0, 9.0), true);
        assert_eq!((atom.mean, atom.low, atom.high, atom.within, atom.count), (3.0, 3.0, 3.0, 0.0, 3));
    }
}
