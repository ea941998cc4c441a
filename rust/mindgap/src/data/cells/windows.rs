//! [`CellWindows`]: runs of cells that are read again, in one pass over the data: their points are summed in finer
//! cells, or gathered.

use super::sums::{CellSums, UnevenSums, UnitSums, WeightedSums};
use super::{BLOCK, EqualCells, GatheredPoint, Places, UnsortedPoints, WeightKind, fill, pieces, sums_of, within};
use crate::data::sample::AtomGroups;
use crate::parallel::{Workers, map_in_order, threads};
use std::ops::Range;

/// Points that a thread scans before it passes on those gathered, which then need little memory.
const PART: usize = 1 << 18;

/// The slot of a point in no window.
const NONE: u32 = u32::MAX;

/// The most entries of the table of fine cells: eight megabytes.
const MOST_SLOTS: usize = 1 << 21;

/// A window that is read again in cells whose width is that of the coarse ones, halved so many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinerWindow {
    pub(crate) extent: (f64, f64),
    pub(crate) halvings: u32,
}

/// Finds the window, or the finer cell of a window, that a point is in.
pub(crate) struct CellWindows {
    coarse: EqualCells,
    fine: EqualCells,
    /// A coarse cell has `2^halvings` fine ones.
    halvings: u32,
    /// Whether each coarse cell has a window.
    wanted: Vec<bool>,
    /// For each coarse cell the place in `slots` of its first fine cell; zero if it is in no window.
    blocks: Vec<u32>,
    /// The slot of each fine cell of these coarse ones. The first block has no slots.
    slots: Vec<u32>,
    /// The number of slots.
    number: usize,
}

impl CellWindows {
    /// Makes a slot for each window. Windows must begin and end at fine cells (or the ends of the data); `None` if fine
    /// cells are too fine or too many.
    pub(crate) fn new(coarse: &EqualCells, halvings: u32, windows: &[(f64, f64)]) -> Option<Self> {
        let mut found = Self::empty(coarse, halvings)?;
        for &window in windows {
            let slot = found.number as u32;
            found.cells_of(window).try_for_each(|cell| found.insert(cell, slot))?;
            found.number += 1;
        }
        Some(found)
    }

    /// Makes a slot for each finer cell of the windows.
    fn of_finer_cells(coarse: &EqualCells, windows: &[FinerWindow]) -> Option<Self> {
        let most = windows.iter().map(|window| window.halvings).max()?;
        let mut found = Self::empty(coarse, most)?;
        for window in windows {
            let parts = found.parts_of(window);
            for cell in found.cells_of(window.extent) {
                let part = (cell >> (most - window.halvings)) - parts.start;
                found.insert(cell, (found.number + part) as u32)?;
            }
            found.number += parts.len();
        }
        Some(found)
    }

    fn empty(coarse: &EqualCells, halvings: u32) -> Option<Self> {
        let slots = vec![NONE; 1usize.checked_shl(halvings).filter(|&slots| slots <= MOST_SLOTS)?];
        let (fine, wanted, blocks) = (coarse.finer(halvings)?, vec![false; coarse.len()], vec![0; coarse.len()]);
        Some(Self { coarse: *coarse, fine, halvings, wanted, blocks, slots, number: 0 })
    }

    /// The fine cells of a window.
    fn cells_of(&self, (low, high): (f64, f64)) -> Range<usize> {
        self.fine.of(low)..self.fine.of(high) + 1
    }

    /// The finer cells of a window, counted in their own width.
    fn parts_of(&self, window: &FinerWindow) -> Range<usize> {
        let (cells, wider) = (self.cells_of(window.extent), self.halvings - window.halvings);
        cells.start >> wider..((cells.end - 1) >> wider) + 1
    }

    fn insert(&mut self, cell: usize, slot: u32) -> Option<()> {
        let block = &mut self.blocks[cell >> self.halvings];
        if *block == 0 {
            if self.slots.len() + (1 << self.halvings) > MOST_SLOTS {
                return None;
            }
            *block = self.slots.len() as u32;
            self.wanted[cell >> self.halvings] = true;
            self.slots.resize(self.slots.len() + (1 << self.halvings), NONE);
        }
        self.slots[*block as usize + (cell & ((1 << self.halvings) - 1))] = slot;
        Some(())
    }

    /// The slot of a fine cell.
    #[inline(always)]
    fn slot(&self, cell: u64) -> u32 {
        let block = self.blocks[(cell >> self.halvings) as usize];
        self.slots[block as usize + (cell as usize & ((1 << self.halvings) - 1))]
    }

    /// The window of a value; `None` if it is in none.
    pub(crate) fn of(&self, x: f64) -> Option<usize> {
        let slot = self.slot(self.fine.places().cell(x));
        (slot != NONE).then_some(slot as usize)
    }

    /// Passes the points of positive weight in the windows, in input order and a part at a time, to `show`, until it
    /// fails.
    pub(crate) fn gather<P: GatheredPoint, E>(
        &self,
        points: &UnsortedPoints<'_>,
        mut show: impl FnMut(Vec<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        let gather = |(): &mut (), piece: Range<usize>| {
            let mut found = Vec::new();
            let points = points.part(piece);
            pulp::Arch::new().dispatch(GatherPoints {
                windows: self,
                places: self.fine.places(),
                points,
                found: &mut found,
            });
            found
        };
        let n = points.values.len();
        let each = PART * threads();
        for part in (0..n).step_by(each) {
            let pieces =
                pieces(each.min(n - part), threads()).into_iter().map(|piece| part + piece.start..part + piece.end);
            map_in_order(pieces.collect(), gather).into_iter().try_for_each(&mut show)?;
        }
        Ok(())
    }
}

impl EqualCells {
    /// The number of finer cells that the windows touch; `None` if those are too fine.
    pub(crate) fn number_of_finer(&self, windows: &[FinerWindow]) -> Option<usize> {
        let number = |window: &FinerWindow| {
            let (fine, (low, high)) = (self.finer(window.halvings)?, window.extent);
            Some(fine.of(high) - fine.of(low) + 1)
        };
        windows.iter().map(number).sum()
    }

    /// Sums the points of each window in its finer cells; `None` if those are too fine. Windows must begin and end at
    /// these cells, or the ends of the data.
    pub(crate) fn atoms_of_windows(
        &self,
        points: &UnsortedPoints<'_>,
        windows: &[FinerWindow],
        workers: &Workers,
    ) -> Option<AtomGroups> {
        let cells = CellWindows::of_finer_cells(self, windows)?;
        Some(match points.kind() {
            WeightKind::One => cells.summed::<UnitSums>(points, windows, workers),
            WeightKind::Even => cells.summed::<WeightedSums>(points, windows, workers),
            WeightKind::Uneven => cells.summed::<UnevenSums>(points, windows, workers),
        })
    }
}

impl CellWindows {
    fn summed<S: CellSums>(
        &self,
        points: &UnsortedPoints<'_>,
        windows: &[FinerWindow],
        workers: &Workers,
    ) -> AtomGroups {
        let sums = sums_of(points, self.number, workers, |points, sums: &mut [S]| {
            let unit = points.unit();
            pulp::Arch::new().dispatch(SumIntoWindows { windows: self, points, unit, sums });
        });
        let mut groups = AtomGroups::default();
        // Growth would double the memory.
        groups.atoms.reserve_exact(self.number);
        let mut sums = sums.iter();
        for window in windows {
            let wider = self.halvings - window.halvings;
            let atom = |(part, sums): (usize, &S)| {
                let (first, last) = (part << wider, ((part + 1) << wider) - 1);
                let extent = (self.fine.extent(first).0, self.fine.extent(last).1);
                self.coarse.atom(first >> self.halvings, sums, points, within(extent, window.extent))
            };
            groups.push(self.parts_of(window).zip(&mut sums).filter_map(atom));
        }
        groups
    }
}

/// The points of a block that are in coarse cells with a window: their indices, and how many they are.
#[inline(always)]
fn in_some_window(windows: &CellWindows, cells: &[u64], inside: &mut [u8; BLOCK]) -> usize {
    let mut number = 0;
    for (i, &cell) in cells.iter().enumerate() {
        inside[number % BLOCK] = i as u8;
        // No branch: it could not be predicted.
        number += usize::from(windows.wanted[(cell >> windows.halvings) as usize]);
    }
    number
}

struct GatherPoints<'a, P> {
    windows: &'a CellWindows,
    places: Places,
    points: UnsortedPoints<'a>,
    found: &'a mut Vec<P>,
}

impl<P: GatheredPoint> pulp::WithSimd for GatherPoints<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: pulp::Simd>(self, _: A) {
        let Self { windows, places, points, found } = self;
        let (mut cells, mut inside) = ([0; BLOCK], [0; BLOCK]);
        for (block, values) in points.values.chunks(BLOCK).enumerate() {
            fill(values, &mut cells, |x| places.cell(x));
            let number = in_some_window(windows, &cells[..values.len()], &mut inside);
            for i in inside[..number].iter().map(|&i| usize::from(i)) {
                let weight = points.weights.map_or(1.0, |weights| weights[block * BLOCK + i]);
                if windows.slot(cells[i]) != NONE && weight > 0.0 {
                    // Adding zero turns -0.0 into 0.0.
                    found.push(P::new(values[i] + 0.0, weight));
                }
            }
        }
    }
}

struct SumIntoWindows<'a, S> {
    windows: &'a CellWindows,
    points: UnsortedPoints<'a>,
    unit: f64,
    sums: &'a mut [S],
}

impl<S: CellSums> pulp::WithSimd for SumIntoWindows<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: pulp::Simd>(self, _: A) {
        let Self { windows, points, unit, sums } = self;
        // Offsets are those in coarse cells, which have finer cells of several widths.
        let (fine, coarse) = (windows.fine.places(), windows.coarse.places());
        let (mut cells, mut offsets, mut inside) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
        for (block, values) in points.values.chunks(BLOCK).enumerate() {
            fill(values, &mut cells, |x| fine.cell(x));
            fill(values, &mut offsets, |x| coarse.offset(x));
            let number = in_some_window(windows, &cells[..values.len()], &mut inside);
            for i in inside[..number].iter().map(|&i| usize::from(i)) {
                let slot = windows.slot(cells[i]);
                if slot != NONE {
                    let weight = points.weights.map_or(1.0, |weights| weights[block * BLOCK + i]);
                    sums[slot as usize].add(offsets[i], S::integer(weight, unit));
                }
            }
        }
    }
}
