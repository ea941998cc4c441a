//! Points in memory, assigned to cells of one width without a sort: O(1) per point, on all threads.
//!
//! The cells are those of [`Grid`]: the width is a power of two and edges are multiples of it. The offset of a point
//! from its cell's edge is then exact, except in the cell left of zero. It is rounded to 2⁻⁴⁸ of the width, which moves
//! no point at least [`NEAR_ZERO`] cells from zero. Sums of offsets are integers ([`sums`]), so they do not depend on
//! the order of the points or the number of threads.

mod sums;

use crate::data::sample::Atom;
use crate::data::summary::grid::Grid;
use crate::numeric::{binary_exponent, power_of_two};
use crate::parallel::{map_in_order, threads};
use std::ops::Range;
use sums::{CellSums, CellUnits, UnitSums, WeightedSums};

/// Bits of an offset: sums of squares of 2³² offsets with weights of [`WEIGHT_BITS`] then fit into 192 bits.
const OFFSET_BITS: i32 = 47;

/// From this cell on, offsets are exact: the last place of a double, 2⁻⁵² of its size, is at least a unit of offset.
const NEAR_ZERO: i64 = 1 << (52 - OFFSET_BITS);

/// Bits of an integer weight: those of a `u64`.
const WEIGHT_BITS: i32 = 64;

/// The largest ratio of two weights, 2¹⁰, at which all of them are integers of [`WEIGHT_BITS`] without rounding.
pub(crate) const MOST_UNEVEN: f64 = 1024.0;

/// Points that a thread scans before it passes on those gathered, which then need little memory.
const PART: usize = 1 << 20;

/// Points whose cells are computed together, in vector code.
const BLOCK: usize = 64;

/// Adding this to a number below 2⁵¹ leaves its nearest integer in the low bits, faster than a cast.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// The low bits that have that integer.
const INTEGER: u64 = (1 << 52) - 1;

/// Values with weights, in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnsortedPoints<'a> {
    pub(crate) values: &'a [f64],
    /// One per value; `None` if all are one.
    pub(crate) weights: Option<&'a [f64]>,
    /// The smallest and the largest value.
    pub(crate) extent: (f64, f64),
    /// The smallest positive and the largest weight.
    pub(crate) lightest: f64,
    pub(crate) heaviest: f64,
}

/// Cells that cover all points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DealtCells {
    grid: Grid,
    first: i64,
    number: usize,
}

impl DealtCells {
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
    pub(crate) fn atoms(&self, points: &UnsortedPoints<'_>) -> Vec<Atom> {
        match points.weights {
            None => self.summed::<UnitSums>(points),
            Some(_) => self.summed::<WeightedSums>(points),
        }
    }

    fn summed<S: CellSums>(&self, points: &UnsortedPoints<'_>) -> Vec<Atom> {
        let exponent = binary_exponent(points.heaviest) + 1 - WEIGHT_BITS;
        let (weight, even) = match points.weights {
            Some(_) => (power_of_two(exponent), points.lightest == points.heaviest),
            None => (1.0, true),
        };
        let deal = |(): &mut (), piece: Range<usize>| {
            let mut sums = vec![S::default(); self.number];
            let weights = points.weights.map(|weights| &weights[piece.clone()]);
            let values = &points.values[piece];
            pulp::Arch::new().dispatch(Deal { places: self.places(), values, weights, unit: weight, sums: &mut sums });
            sums
        };
        let parts = map_in_order(pieces(points.values.len()), deal);
        let cell = |cell: usize| {
            let mut sums = parts[0][cell].clone();
            parts[1..].iter().for_each(|part| sums.merge(&part[cell]));
            let (low, high) = self.extent(cell);
            let units = CellUnits { edge: low, length: self.width() * power_of_two(-OFFSET_BITS), weight };
            let index = self.first + cell as i64;
            let extent = (low.max(points.extent.0), high.min(points.extent.1));
            let atom = sums.moments().atom(units, extent, even)?;
            // Near zero, points of equal offset may differ.
            let exact = index.unsigned_abs() > NEAR_ZERO as u64;
            Some(if exact { atom } else { Atom { low: extent.0, high: extent.1, ..atom } })
        };
        (0..self.number).filter_map(cell).collect()
    }

    /// The edges of a cell: the smallest and the largest value that can be in it.
    pub(crate) fn extent(&self, cell: usize) -> (f64, f64) {
        let index = self.first + cell as i64;
        (index as f64 * self.width(), ((index + 1) as f64 * self.width()).next_down())
    }

    /// Passes the points of the `wanted` cells, in input order and a part at a time, to `show`, until it fails.
    pub(crate) fn gather<P: GatheredPoint, E>(
        &self,
        points: &UnsortedPoints<'_>,
        wanted: &[bool],
        mut show: impl FnMut(Vec<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        let gather = |(): &mut (), piece: Range<usize>| {
            let mut found = Vec::new();
            let weights = points.weights.map(|weights| &weights[piece.clone()]);
            let values = &points.values[piece];
            pulp::Arch::new().dispatch(GatherPoints {
                places: self.places(),
                values,
                weights,
                wanted,
                found: &mut found,
            });
            found
        };
        let n = points.values.len();
        let each = PART * threads();
        for part in (0..n).step_by(each) {
            let pieces = pieces(each.min(n - part)).into_iter().map(|piece| part + piece.start..part + piece.end);
            map_in_order(pieces.collect(), gather).into_iter().try_for_each(&mut show)?;
        }
        Ok(())
    }
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

/// Divides the input into one piece per thread.
fn pieces(n: usize) -> Vec<Range<usize>> {
    let pieces = threads();
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

struct Deal<'a, S> {
    places: Places,
    values: &'a [f64],
    weights: Option<&'a [f64]>,
    unit: f64,
    sums: &'a mut [S],
}

impl<S: CellSums> pulp::WithSimd for Deal<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: pulp::Simd>(self, _: A) {
        let Self { places, values, weights, unit, sums } = self;
        let scale = 1.0 / unit;
        let (mut cells, mut offsets) = ([0; BLOCK], [0; BLOCK]);
        let mut weights = weights.map(|weights| weights.iter());
        for values in values.chunks(BLOCK) {
            fill(values, &mut cells, |x| places.cell(x));
            fill(values, &mut offsets, |x| places.offset(x));
            let found = cells[..values.len()].iter().zip(&offsets);
            match &mut weights {
                None => found.for_each(|(&cell, &offset)| sums[cell as usize].add(offset, 1)),
                Some(weights) => {
                    for ((&cell, &offset), &weight) in found.zip(weights) {
                        sums[cell as usize].add(offset, (weight * scale) as u64);
                    }
                }
            }
        }
    }
}

struct GatherPoints<'a, P> {
    places: Places,
    values: &'a [f64],
    weights: Option<&'a [f64]>,
    wanted: &'a [bool],
    found: &'a mut Vec<P>,
}

impl<P: GatheredPoint> pulp::WithSimd for GatherPoints<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: pulp::Simd>(self, _: A) {
        let mut cells = [0; BLOCK];
        let mut found = [P::new(0.0, 0.0); BLOCK];
        for (block, values) in self.values.chunks(BLOCK).enumerate() {
            fill(values, &mut cells, |x| self.places.cell(x));
            let mut number = 0;
            for (i, (&x, &cell)) in values.iter().zip(&cells).enumerate() {
                let weight = self.weights.map_or(1.0, |weights| weights[block * BLOCK + i]);
                // Adding zero turns -0.0 into 0.0. No branch: it could not be predicted.
                found[number % BLOCK] = P::new(x + 0.0, weight);
                number += usize::from(self.wanted[cell as usize]);
            }
            self.found.extend_from_slice(&found[..number]);
        }
    }
}

#[cfg(test)]
mod tests;
