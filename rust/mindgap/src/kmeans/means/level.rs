//! The dynamic program over cells: the bounds of every state, the best path to it and the best path from it.
//!
//! O(1) per state. With cells of one position and no Lagrangian, the bounds and the program are exact.

use super::bound::{Charge, Sides, State, state};
use super::cells::{BoundaryCell, BoundaryCells};
use super::lagrangian::Lagrangian;
use super::states::StateTable;
use super::window::Window;
use crate::constraint::Rows;
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::monitor::Monitor;

/// The states of one cluster with their bounds.
struct Layer {
    table: StateTable,
    low: Vec<f64>,
    high: Vec<f64>,
    cost: Vec<f64>,
    /// The least cost of a path that ends with the state.
    reached: Vec<f64>,
}

/// All states over some cells.
pub(super) struct StateLevel<'a> {
    cells: &'a BoundaryCells,
    gaps: &'a Rows,
    layers: Vec<Layer>,
    constant: f64,
}

/// The number of states of the program over `cells`.
pub(super) fn states(cells: &BoundaryCells) -> usize {
    cells.0.windows(2).map(|pair| StateTable::between(&pair[0], &pair[1], &cells.1).len()).sum()
}

impl<'a> StateLevel<'a> {
    /// Bounds every state and finds the best path to each.
    pub(super) fn new(
        prefixes: &Prefixes<'_>,
        cells: &'a BoundaryCells,
        gaps: &'a Rows,
        lagrangian: &Lagrangian,
        monitor: &mut Monitor<'_>,
    ) -> Result<Self, KMeansError> {
        let mut sides: Vec<Vec<Sides>> = cells.0.iter().map(|cells| vec![Sides::NONE; cells.len()]).collect();
        let mut coreless = Vec::new();
        let mut layers = Vec::with_capacity(cells.clusters());
        let arch = pulp::Arch::new();
        for (m, pair) in cells.0.windows(2).enumerate() {
            let mut layer = Layer::empty(StateTable::between(&pair[0], &pair[1], &cells.1));
            let (before, after) = sides.split_at_mut(m + 1);
            let (right_of, left_of) = (&mut before[m], &mut after[0]);
            for (s, start) in pair[0].iter().enumerate() {
                // Compiled for the processor: double-double products use its fused multiply-add.
                arch.dispatch(|| {
                    for e in layer.table.ends(s) {
                        let state = state(prefixes, start, &pair[1][e], lagrangian.kappa[m]);
                        match &state.centers {
                            Some(centers) => {
                                right_of[s].add_right(centers);
                                left_of[e].add_left(centers);
                            }
                            None => coreless.push((m as u32, s as u32, e as u32)),
                        }
                        layer.push(&state);
                    }
                });
                monitor.spend((layer.table.ends(s).len()) as u64)?;
            }
            layers.push(layer);
        }
        let mut level = Self { cells, gaps, layers, constant: lagrangian.constant };
        level.charge_cells(prefixes, &sides, &coreless);
        level.reach(monitor)?;
        Ok(level)
    }

    /// Adds the charges of the cells' points: each state has that of its end, corrected for states without a core.
    fn charge_cells(&mut self, prefixes: &Prefixes<'_>, sides: &[Vec<Sides>], coreless: &[(u32, u32, u32)]) {
        if self.cells.are_single() {
            return;
        }
        let charge = |(sides, cells): (&Vec<Sides>, &Vec<BoundaryCell>)| -> Vec<Charge> {
            sides.iter().zip(cells).map(|(sides, cell)| sides.charge(prefixes, cell)).collect()
        };
        let charges: Vec<Vec<Charge>> = sides.iter().zip(&self.cells.0).map(charge).collect();
        for (m, layer) in self.layers.iter_mut().enumerate() {
            for s in 0..self.cells.0[m].len() {
                let ends = layer.table.ends(s);
                for (state, end) in layer.table.states(s).zip(ends) {
                    layer.cost[state] += charges[m + 1][end].both;
                }
            }
        }
        for &(m, s, e) in coreless {
            let (m, s, e) = (m as usize, s as usize, e as usize);
            let layer = &mut self.layers[m];
            layer.cost[layer.table.state(s, e)] += charges[m][s].without + charges[m + 1][e].without;
        }
    }

    /// Finds the best path to each state.
    fn reach(&mut self, monitor: &mut Monitor<'_>) -> Result<(), KMeansError> {
        self.layers[0].reached = self.layers[0].cost.clone();
        let mut window = Window::default();
        let mut into = IncomingStates::default();
        for m in 1..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(m);
            let (before, layer) = (&before[m - 1], &mut rest[0]);
            layer.reached = vec![f64::INFINITY; layer.cost.len()];
            let bounds = (self.gaps.lower[m - 1], self.gaps.upper[m - 1]);
            for a in 0..self.cells.0[m].len() {
                into.gather(before, a);
                window.restart();
                for state in layer.table.states(a) {
                    let (limit, floor) = (layer.high[state] - bounds.0, layer.low[state] - bounds.1);
                    while window.next() < into.low.len() && into.low[window.next()] <= limit {
                        window.enter(before.reached[into.state[window.next()]]);
                    }
                    window.drop_while(|i| into.high[i] < floor);
                    layer.reached[state] = layer.cost[state] + window.least();
                }
                monitor.spend((into.low.len() + layer.table.states(a).len()) as u64)?;
            }
        }
        Ok(())
    }

    /// The least cost of a path; infinity if there is none.
    pub(super) fn least(&self) -> f64 {
        let last = &self.layers[self.layers.len() - 1];
        self.constant + last.reached.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The cells of the best path without the fixed ends; of equal paths, the one with the leftmost boundaries.
    pub(super) fn best_path(&self) -> Option<Vec<BoundaryCell>> {
        let k = self.layers.len();
        let mut path = Vec::with_capacity(k);
        let last = &self.layers[k - 1];
        let (mut a, mut state) = (0..self.cells.0[k - 1].len())
            .filter(|&a| !last.table.ends(a).is_empty())
            .map(|a| (a, last.table.state(a, 0)))
            .min_by(|x, y| last.reached[x.1].total_cmp(&last.reached[y.1]))?;
        if last.reached[state] == f64::INFINITY {
            return None;
        }
        let mut into = IncomingStates::default();
        for m in (1..k).rev() {
            path.push(self.cells.0[m][a]);
            let (before, layer) = (&self.layers[m - 1], &self.layers[m]);
            into.gather(before, a);
            let limit = layer.high[state] - self.gaps.lower[m - 1];
            let floor = layer.low[state] - self.gaps.upper[m - 1];
            let starts = before.table.starts(a);
            let admissible =
                (0..into.low.len()).filter(|&i| into.low[i] <= limit && into.high[i] >= floor).map(|i| into.state[i]);
            state = admissible.min_by(|&x, &y| before.reached[x].total_cmp(&before.reached[y]))?;
            a = starts.clone().find(|&s| before.table.state(s, a) == state)?;
        }
        path.reverse();
        Some(path)
    }

    /// The cells on paths of cost at most `limit`.
    pub(super) fn survivors(&self, limit: f64, monitor: &mut Monitor<'_>) -> Result<BoundaryCells, KMeansError> {
        let limit = limit - self.constant;
        let k = self.layers.len();
        let mut kept: Vec<Vec<BoundaryCell>> = vec![self.cells.0[k].clone()];
        let mut after = vec![0.0; self.layers[k - 1].cost.len()];
        let mut window = Window::default();
        let mut into = IncomingStates::default();
        for m in (0..k).rev() {
            kept.push(self.keep(m, &after, limit));
            if m == 0 {
                break;
            }
            let (before, layer) = (&self.layers[m - 1], &self.layers[m]);
            let bounds = (self.gaps.lower[m - 1], self.gaps.upper[m - 1]);
            let mut next_after = vec![f64::INFINITY; before.cost.len()];
            for a in 0..self.cells.0[m].len() {
                into.gather(before, a);
                window.restart();
                let states = layer.table.states(a);
                for i in (0..into.low.len()).rev() {
                    // From the right, so that the window moves one way.
                    let end = |next: usize| states.end - 1 - next;
                    while window.next() < states.len() && into.low[i] <= layer.high[end(window.next())] - bounds.0 {
                        let state = end(window.next());
                        window.enter(layer.cost[state] + after[state]);
                    }
                    window.drop_while(|next| into.high[i] < layer.low[end(next)] - bounds.1);
                    next_after[into.state[i]] = window.least();
                }
                monitor.spend((into.low.len() + states.len()) as u64)?;
            }
            after = next_after;
        }
        kept.reverse();
        Ok(BoundaryCells(kept, self.cells.1))
    }

    /// The cells of boundary `m` in which some surviving state starts, with the range of its ends.
    fn keep(&self, m: usize, after: &[f64], limit: f64) -> Vec<BoundaryCell> {
        let layer = &self.layers[m];
        let mut kept = Vec::new();
        for (a, cell) in self.cells.0[m].iter().enumerate() {
            let first_end = layer.table.ends(a).start;
            let states = layer.table.states(a);
            let survives = |&state: &usize| layer.reached[state] + after[state] <= limit;
            let (Some(first), Some(last)) = (states.clone().find(survives), states.clone().rfind(survives)) else {
                continue;
            };
            let end = |state: usize| &self.cells.0[m + 1][first_end + state - states.start];
            kept.push(BoundaryCell { next: (end(first).low, end(last).high), ..*cell });
        }
        kept
    }
}

impl Layer {
    fn empty(table: StateTable) -> Self {
        let space = || Vec::with_capacity(table.len());
        Self { low: space(), high: space(), cost: space(), reached: Vec::new(), table }
    }

    #[inline]
    fn push(&mut self, state: &State) {
        self.low.push(state.low);
        self.high.push(state.high);
        self.cost.push(state.cost);
    }
}

/// The states that end in one cell, by ascending start.
#[derive(Default)]
struct IncomingStates {
    state: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl IncomingStates {
    fn gather(&mut self, layer: &Layer, end: usize) {
        self.state.clear();
        self.low.clear();
        self.high.clear();
        for start in layer.table.starts(end) {
            let state = layer.table.state(start, end);
            self.state.push(state);
            self.low.push(layer.low[state]);
            self.high.push(layer.high[state]);
        }
    }
}
