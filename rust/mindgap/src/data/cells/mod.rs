//! Points in memory, assigned to cells of one width without a sort: O(1) per point, on all threads.
//!
//! The cells are those of [`Grid`]: the width is a power of two and edges are multiples of it. The offset of a point
//! from its cell's edge is then exact, except in the cell left of zero. It is rounded to 2⁻⁴⁸ of the width, which moves
//! no point at least [`NEAR_ZERO`] cells from zero. Sums of offsets are integers ([`sums`]), so they do not depend on
//! the order of the points or the number of threads.

mod sums;
mod windows;

use crate::data::sample::Atom;
use crate::data::summary::grid::Grid;
use crate::numeric::{binary_exponent, power_of_two};
use crate::parallel::{Workers, map_in_order, threads};
use std::ops::Range;
use sums::{CellSums, CellUnits, UnevenSums, UnitSums, WeightedSums};

pub(crate) use windows::{CellWindows, FinerWindow};

/// Bits of an offset: sums of squares of 2³² offsets with weights of 128 bits then fit into 255 bits.
const OFFSET_BITS: i32 = 47;

/// From this cell on, offsets are exact: the last place of a double, 2⁻⁵² of its size, is at least a unit of offset.
const NEAR_ZERO: i64 = 1 << (52 - OFFSET_BITS);

/// The largest ratio of two weights, 2⁷⁵, at which all of them are integers of 128 bits without rounding.
const MOST_UNEVEN: f64 = (1u128 << 75) as f64;

/// The largest ratio of two weights, 2¹⁰, at which they are integers of 64 bits, whose sums take half the time.
pub(crate) const NEARLY_EVEN: f64 = 1024.0;

/// Binary exponents of the largest weight for which units of weight, and their inverses, are normal numbers.
pub(crate) const WEIGHT_EXPONENTS: std::ops::RangeInclusive<i32> = -800..=800;

/// Points whose cells are computed together, in vector code.
const BLOCK: usize = 64;

/// Adding this to a number below 2⁵¹ leaves its nearest integer in the low bits, faster than a cast.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// The numbers of cells are below a power of two of this exponent, so that they are exact in doubles.
const MOST_CELL_BITS: u32 = 53;

/// The low bits that have that integer.
const INTEGER: u64 = (1 << 52) - 1;

/// Values with weights, in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnsortedPoints<'a> {
    pub(crate) values: &'a [f64],
    /// One per value; `None` if all are one.
    pub(crate) weights: Option<&'a [f64]>,
    /// The number of points of positive weight, the smallest and the largest value of those.
    pub(crate) number: usize,
    pub(crate) extent: (f64, f64),
    /// The smallest positive and the largest weight.
    pub(crate) lightest: f64,
    pub(crate) heaviest: f64,
}

/// The sums that weights need.
enum WeightKind {
    /// All are one.
    One,
    Even,
    Uneven,
}

impl UnsortedPoints<'_> {
    /// Whether a point is within the limits of these.
    pub(crate) fn contain(&self, value: f64, weight: f64) -> bool {
        (self.extent.0..=self.extent.1).contains(&value) && (self.lightest..=self.heaviest).contains(&weight)
    }

    /// Whether weights are integers in some unit, so that their sums are exact.
    pub(crate) fn have_exact_sums(&self) -> bool {
        self.heaviest <= self.lightest * MOST_UNEVEN && WEIGHT_EXPONENTS.contains(&binary_exponent(self.heaviest))
    }

    fn kind(&self) -> WeightKind {
        match self.weights {
            None => WeightKind::One,
            Some(_) if self.heaviest <= self.lightest * NEARLY_EVEN => WeightKind::Even,
            Some(_) => WeightKind::Uneven,
        }
    }

    /// The unit of integer weights.
    fn unit(&self) -> f64 {
        let bits = match self.kind() {
            WeightKind::One => return 1.0,
            WeightKind::Even => u64::BITS,
            WeightKind::Uneven => u128::BITS,
        };
        power_of_two(binary_exponent(self.heaviest) + 1 - bits as i32)
    }

    /// Some of the points, with the facts of all.
    fn part(&self, piece: Range<usize>) -> UnsortedPoints<'_> {
        let weights = self.weights.map(|weights| &weights[piece.clone()]);
        UnsortedPoints { values: &self.values[piece], weights, ..*self }
    }
}

/// Cells that cover all points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EqualCells {
    grid: Grid,
    first: i64,
    number: usize,
}

impl EqualCells {
    /// Makes the finest cells such that at most `most` of them touch the interval from `low` to `high`.
    pub(crate) fn new((low, high): (f64, f64), most: usize) -> Self {
        let grid = Grid::finest(low, high, most);
        let first = grid.index(low);
        Self { grid, first, number: (grid.index(high) - first + 1) as usize }
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.number
    }

    /// The width of a cell.
    pub(crate) fn width(&self) -> f64 {
        power_of_two(self.grid.exponent())
    }

    /// The largest rounding error of a point's offset.
    pub(crate) fn blur(&self) -> f64 {
        let last = self.first + self.number as i64 - 1;
        let exact = self.first >= NEAR_ZERO || last < -NEAR_ZERO;
        if exact { 0.0 } else { 0.5 * power_of_two(-OFFSET_BITS) * self.width() }
    }

    /// The cell of a value within the extent.
    pub(crate) fn of(&self, x: f64) -> usize {
        (self.grid.index(x) - self.first) as usize
    }

    fn places(&self) -> Places {
        let last = (self.number - 1) as f64;
        Places { scale: power_of_two(-self.grid.exponent()), first: self.first as f64, last }
    }

    /// Sums the points of each occupied cell into an atom.
    pub(crate) fn atoms(&self, points: &UnsortedPoints<'_>, workers: &Workers) -> Vec<Atom> {
        match points.kind() {
            WeightKind::One => self.summed::<UnitSums>(points, workers),
            WeightKind::Even => self.summed::<WeightedSums>(points, workers),
            WeightKind::Uneven => self.summed::<UnevenSums>(points, workers),
        }
    }

    fn summed<S: CellSums>(&self, points: &UnsortedPoints<'_>, workers: &Workers) -> Vec<Atom> {
        let places = self.places();
        let sums = sums_of(points, self.number, workers, |points, sums: &mut [S]| {
            pulp::Arch::new().dispatch(SumIntoCells { places, unit: points.unit(), points, sums });
        });
        // Growth would double the memory.
        let mut atoms = Vec::with_capacity(self.number);
        let atom = |cell: usize| self.atom(cell, &sums[cell], points, within(self.extent(cell), points.extent));
        atoms.extend((0..self.number).filter_map(atom));
        atoms
    }

    /// Points of a cell that lie in `extent`, given by the sums of their offsets, as an atom; `None` if there are none.
    fn atom<S: CellSums>(
        &self,
        cell: usize,
        sums: &S,
        points: &UnsortedPoints<'_>,
        extent: (f64, f64),
    ) -> Option<Atom> {
        let edge = self.extent(cell).0;
        let units = CellUnits { edge, length: self.width() * power_of_two(-OFFSET_BITS), weight: points.unit() };
        let atom = sums.moments()?.atom(units, extent, points.lightest == points.heaviest);
        // Near zero, points of equal offset may differ.
        let exact = (self.first + cell as i64).unsigned_abs() > NEAR_ZERO as u64;
        Some(if exact { atom } else { Atom { low: extent.0, high: extent.1, ..atom } })
    }

    /// Cells that are `2^halvings` times as fine; `None` if their numbers would not be exact.
    fn finer(&self, halvings: u32) -> Option<Self> {
        let exponent = self.grid.exponent() - halvings as i32;
        let farthest = self.first.unsigned_abs() + self.number as u64;
        let exact = u64::BITS - farthest.leading_zeros() + halvings <= MOST_CELL_BITS;
        let grid = Grid::new(exponent);
        (exact && grid.exponent() == exponent).then(|| Self {
            grid,
            first: self.first << halvings,
            number: self.number << halvings,
        })
    }

    /// The edges of a cell: the smallest and the largest value that can be in it.
    pub(crate) fn extent(&self, cell: usize) -> (f64, f64) {
        let index = self.first + cell as i64;
        (index as f64 * self.width(), ((index + 1) as f64 * self.width()).next_down())
    }
}

/// What two extents share.
fn within(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.max(b.0), a.1.min(b.1))
}

/// A point with its weight.
pub(crate) trait GatheredPoint: Copy + Send + Sync {
    fn new(value: f64, weight: f64) -> Self;
    fn value(&self) -> f64;
    fn weight(&self) -> f64;
}

/// A point of weight one.
impl GatheredPoint for f64 {
    #[inline(always)]
    fn new(value: f64, _: f64) -> Self {
        value
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        *self
    }

    #[inline(always)]
    fn weight(&self) -> f64 {
        1.0
    }
}

impl GatheredPoint for (f64, f64) {
    #[inline(always)]
    fn new(value: f64, weight: f64) -> Self {
        (value, weight)
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        self.0
    }

    #[inline(always)]
    fn weight(&self) -> f64 {
        self.1
    }
}

/// The memory of sums, for all threads together: this many bytes, or one for each point. Fewer threads sum more cells.
const SUM_BYTES: usize = 1 << 22;

/// Fewer points are not worth a thread.
const POINTS_A_PIECE: usize = 1 << 14;

/// Sums pieces of the points on all threads and merges the sums. The calling thread allocates them, because memory that
/// other threads free stays with them.
fn sums_of<S: CellSums>(
    points: &UnsortedPoints<'_>,
    number: usize,
    workers: &Workers,
    sum: impl Fn(UnsortedPoints<'_>, &mut [S]) + Sync,
) -> Vec<S> {
    let n = points.values.len();
    let most = (n.max(SUM_BYTES) / (number * size_of::<S>()).max(1)).min(n / POINTS_A_PIECE);
    let ranges = pieces(n, workers.run(threads).min(most).max(1));
    let tables: Vec<_> = ranges.into_iter().map(|range| (range, vec![S::default(); number])).collect();
    let sum = |(): &mut (), (range, mut sums): (Range<usize>, Vec<S>)| {
        sum(points.part(range), &mut sums);
        sums
    };
    let mut tables = workers.run(|| map_in_order(tables, sum)).into_iter();
    let mut all = tables.next().unwrap_or_default();
    tables.for_each(|table| all.iter_mut().zip(&table).for_each(|(all, sums)| all.merge(sums)));
    all
}

/// Divides the input.
fn pieces(n: usize, pieces: usize) -> Vec<Range<usize>> {
    (0..pieces).map(|piece| n * piece / pieces..n * (piece + 1) / pieces).collect()
}

/// Computes the cells of values, in vector code where it is inlined.
#[derive(Clone, Copy)]
struct Places {
    scale: f64,
    first: f64,
    /// The number of the last cell.
    last: f64,
}

impl Places {
    /// The value in units of the width, and rounded down.
    #[inline(always)]
    fn scaled(self, x: f64) -> (f64, f64) {
        let t = x * self.scale;
        // A negative value that underflows in units of the width is still left of zero.
        (t, if (x < 0.0) & (t == 0.0) { -1.0 } else { t.floor() })
    }

    /// The cell of `x`. Cells begin at integer multiples of their width, so the subtraction is exact. A value outside
    /// all cells, which another thread may have written into borrowed data, goes to the nearest.
    #[inline(always)]
    fn cell(self, x: f64) -> u64 {
        (between(self.scaled(x).1 - self.first, self.last) + TO_INTEGER).to_bits() & INTEGER
    }

    /// The offset of `x` in its cell, in units: exact, except in the cell left of zero.
    #[inline(always)]
    fn offset(self, x: f64) -> u64 {
        let (t, floor) = self.scaled(x);
        (between(t - floor, 1.0) * power_of_two(OFFSET_BITS) + TO_INTEGER).to_bits() & INTEGER
    }
}

/// Clamps `x` to `0..=most`; zero for NaN.
#[inline(always)]
fn between(x: f64, most: f64) -> f64 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < most { x } else { most }
}

/// Finds something of each of at most a block of values.
#[inline(always)]
fn fill(values: &[f64], found: &mut [u64; BLOCK], find: impl Fn(f64) -> u64) {
    match <&[f64; BLOCK]>::try_from(values) {
        // A length known at compile time: no bounds checks, vector code.
        Ok(values) => (0..BLOCK).for_each(|i| found[i] = find(values[i])),
        Err(_) => found.iter_mut().zip(values).for_each(|(found, &x)| *found = find(x)),
    }
}

struct SumIntoCells<'a, S> {
    places: Places,
    points: UnsortedPoints<'a>,
    unit: f64,
    sums: &'a mut [S],
}

impl<S: CellSums> pulp::WithSimd for SumIntoCells<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: pulp::Simd>(self, _: A) {
        let Self { places, points, unit, sums } = self;
        let (mut cells, mut offsets) = ([0; BLOCK], [0; BLOCK]);
        let mut weights = points.weights.map(|weights| weights.iter());
        for values in points.values.chunks(BLOCK) {
            fill(values, &mut cells, |x| places.cell(x));
            fill(values, &mut offsets, |x| places.offset(x));
            let found = cells[..values.len()].iter().zip(&offsets);
            match &mut weights {
                None => found.for_each(|(&cell, &offset)| sums[cell as usize].add(offset, S::integer(1.0, unit))),
                Some(weights) => {
                    for ((&cell, &offset), &weight) in found.zip(weights) {
                        sums[cell as usize].add(offset, S::integer(weight, unit));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
