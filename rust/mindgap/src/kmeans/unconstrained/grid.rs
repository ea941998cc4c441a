//! Cells of sorted points: a level's candidates are their edges.
//!
//! A cell is open while it may hold a boundary of an optimal partition strictly inside. Cells of equal points are
//! closed from the start: moving a boundary between equal points to the edge of their run costs nothing.

/// Cells between ascending edges, the first 0, the last the number of points.
pub(super) struct Grid<'a> {
    values: &'a [f64],
    edges: Vec<u32>,
    open: Vec<bool>,
}

impl<'a> Grid<'a> {
    /// About `pieces` cells with the same number of points.
    pub(super) fn even(values: &'a [f64], pieces: usize) -> Self {
        let mut grid = Self { values, edges: vec![0], open: Vec::new() };
        grid.push_pieces(0, values.len(), pieces);
        grid
    }

    /// A cell for every distinct value.
    pub(super) fn finest(values: &'a [f64]) -> Self {
        let mut grid = Self { values, edges: vec![0], open: Vec::new() };
        grid.push_distinct(0, values.len());
        grid
    }

    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// Whether cell `cell` may hold a boundary of an optimum strictly inside.
    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.open[cell]
    }

    /// Whether no cell is open: an optimum of the edges is one of the points.
    pub(super) fn is_closed(&self) -> bool {
        !self.open.contains(&true)
    }

    /// Closes the cells neither of whose edges is in `alive` and splits the other open ones, so that their spreads
    /// become even, into `budget` cells in all; into single values if that is not many more. Edges that no boundary of
    /// an optimum can be at, or be moved to, go.
    pub(super) fn refined(&self, alive: &[bool], spreads: &[f64], budget: usize) -> Self {
        let splits = |cell: usize| self.open[cell] && (alive[cell] || alive[cell + 1]);
        let cells = self.open.len();
        let (mut inside, mut roots) = (0, 0.0);
        for cell in (0..cells).filter(|&cell| splits(cell)) {
            inside += (self.edges[cell + 1] - self.edges[cell] - 1) as usize;
            roots += spreads[cell].sqrt();
        }
        let mut grid = Self { values: self.values, edges: vec![0], open: Vec::new() };
        for cell in 0..cells {
            let (start, end) = (self.edges[cell] as usize, self.edges[cell + 1] as usize);
            if !splits(cell) {
                let needed = cell + 1 == cells || alive[cell + 1] || splits(cell + 1);
                if needed {
                    grid.push(end, false);
                }
            } else if inside <= FINISH * budget {
                grid.push_distinct(start, end);
            } else {
                // A piece of a cell cut r times has a spread smaller by r².
                let pieces = (spreads[cell].sqrt() / roots * budget as f64).ceil();
                grid.push_pieces(start, end, if pieces >= 2.0 { pieces as usize } else { 2 });
            }
        }
        grid
    }

    /// Ends a cell at `end`; a closed cell that the last edge was dropped after goes into it.
    fn push(&mut self, end: usize, open: bool) {
        self.edges.push(end as u32);
        self.open.push(open);
    }

    fn push_cell(&mut self, start: usize, end: usize) {
        self.push(end, self.values[start] != self.values[end - 1]);
    }

    /// The points `start..end` as at most `pieces` cells that do not cut equal points apart.
    fn push_pieces(&mut self, start: usize, end: usize, pieces: usize) {
        let count = end - start;
        if pieces >= count {
            return self.push_distinct(start, end);
        }
        let mut last = start;
        for piece in 1..pieces {
            let cut = self.tie_start(last, start + (count as u128 * piece as u128 / pieces as u128) as usize);
            if last < cut {
                self.push_cell(last, cut);
                last = cut;
            }
        }
        // Halving must go on even where every cut fell into the run of equal points at the start.
        let tie_end = start + self.values[start..end].partition_point(|&x| x == self.values[start]);
        if last == start && tie_end < end {
            self.push_cell(start, tie_end);
            last = tie_end;
        }
        self.push_cell(last, end);
    }

    fn push_distinct(&mut self, start: usize, end: usize) {
        let mut last = start;
        for tied in self.values[start..end].chunk_by(|a, b| a == b) {
            last += tied.len();
            self.push(last, false);
        }
    }

    /// The first position from `start` on whose point equals that at `position`.
    fn tie_start(&self, start: usize, position: usize) -> usize {
        let x = self.values[position.max(start)];
        start + self.values[start..position.max(start)].partition_point(|&y| y < x)
    }
}

/// Splitting goes straight to single values when these are at most so many times the budget.
const FINISH: usize = 4;
