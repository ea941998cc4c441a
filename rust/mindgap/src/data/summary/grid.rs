//! [`Grid`]: the cells that all summaries share; cell `i` of exponent `e` has the values from `i·2^e` up to
//! `(i+1)·2^e`.
//!
//! The exponent depends only on the extent of the data and the limit on cells, so summaries of parts merge to the same
//! cells in any order.

use crate::data::frame::RANGE_EXPONENTS;
use crate::numeric::{binary_exponent, power_of_two};

/// Exponents whose powers of two, and their inverses, are normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i32> = -1000..=1000;

/// The most bits of a cell's index: more would separate no further values and not be exact.
const DIGITS: i32 = 52;

/// The cells of one exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) struct Grid {
    exponent: i32,
}

impl Grid {
    /// Whether the squares of data from `low` to `high` neither overflow nor vanish, as every fit requires.
    pub(in crate::data) fn can_span(low: f64, high: f64) -> bool {
        (high - low).is_finite() && binary_exponent(high - low) <= *RANGE_EXPONENTS.end()
    }

    /// The finest grid on which `low..=high` touches at most `cells` cells (at least two); [`can_span`](Self::can_span)
    /// must be true.
    pub(in crate::data) fn finest(low: f64, high: f64, cells: usize) -> Self {
        let mut grid = Self::new(binary_exponent(low.abs().max(high.abs())) - DIGITS);
        let range = binary_exponent(high - low);
        grid.exponent = grid.exponent.max(range - cells.ilog2() as i32 - 1);
        while grid.index(high) - grid.index(low) >= cells as i64 {
            grid.exponent += 1;
        }
        grid
    }

    /// The grid of the exponent, clamped to the valid range.
    pub(in crate::data) fn new(exponent: i32) -> Self {
        Self { exponent: exponent.clamp(*EXPONENTS.start(), *EXPONENTS.end()) }
    }

    pub(in crate::data) fn exponent(self) -> i32 {
        self.exponent
    }

    /// The cell of `x`.
    #[inline(always)]
    pub(in crate::data) fn index(self, x: f64) -> i64 {
        let place = x * power_of_two(-self.exponent);
        // A cast truncates without a call, unlike `floor` on a baseline processor; negative values are then rounded
        // down. One that underflows in units of the width is not in cell 0 either. No branch: signs cannot be
        // predicted.
        let index = place as i64;
        index - i64::from((place < index as f64) | ((x < 0.0) & (index == 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_touches_as_many_cells_as_allowed_and_more_on_the_next_finer_grid() {
        for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (1e8, 1e8 + 3.0), (-7.5, -7.25), (-1e-300, 1e140), (0.1, 1e12)] {
            for cells in [2, 3, 100, 1 << 14] {
                let grid = Grid::finest(low, high, cells);
                assert!(grid.index(high) - grid.index(low) < cells as i64, "{low} {high} {cells}");
                let finer = Grid::new(grid.exponent - 1);
                let digits = binary_exponent(low.abs().max(high.abs())) - DIGITS;
                assert!(finer.exponent < digits || finer.index(high) - finer.index(low) >= cells as i64);
            }
        }
    }

    #[test]
    fn a_value_lies_in_its_cell() {
        for x in [0.0, -0.0, 1.5, -1.5, 1e300, -1e300, 5e-324, f64::MAX, f64::MIN, 1e15 + 0.125] {
            let grid = Grid::finest(x, x, 2);
            let (index, width) = (grid.index(x), power_of_two(grid.exponent));
            assert!(index as f64 * width <= x && (index + 1) as f64 * width >= x, "{x}");
        }
    }
}
