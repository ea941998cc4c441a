//! Detects the step that values were rounded to, such as heights to the inch.

use super::Sample;

/// With fewer distinct values than this, a common grid may be chance, or each value a group of its own.
const FEWEST: usize = 5;

/// The least weight per distinct value of data that count as rounded: rounded values repeat.
const REPEATED: f64 = 2.0;

/// The tolerance of a value on the grid, in steps: decimals such as 0.0254 are not doubles.
const OFF: f64 = 1e-6;

/// Neighbours closer than this fraction of the largest value count as one: arithmetic has rounded them apart.
const SAME: f64 = 1.0 / (1u64 << 40) as f64;

impl Sample {
    /// The step that the values look rounded to: few distinct values, all on one grid. `None` for other data.
    ///
    /// ```
    /// use mindgap::Sample;
    ///
    /// let inches: Vec<f64> = (0..200).map(|i| 1.5 + 0.0254 * f64::from(i * i % 17)).collect();
    /// assert!((Sample::new(&inches)?.rounding_step().unwrap() - 0.0254).abs() < 1e-12);
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    pub fn rounding_step(&self) -> Option<f64> {
        let distinct = self.distinct();
        if self.has_widths() || distinct < FEWEST || distinct as f64 * REPEATED > self.total_weight() {
            return None;
        }
        let largest = self.values()[0].abs().max(self.values()[self.len() - 1].abs());
        let size = self.frame().enter_length(largest);
        // First doubles exactly on a grid, then decimals, which are only near one.
        let step = self.grid(0.0, 0.0).or_else(|| self.grid(SAME * size, 4.0 * f64::EPSILON * size));
        step.map(|step| self.frame().leave_length(step))
    }

    /// The step of a grid that all values are on, in frame units; gaps up to `same` count as zero, and values have
    /// errors up to `off`.
    fn grid(&self, same: f64, off: f64) -> Option<f64> {
        let apart = |pair: &[f64]| self.frame().enter(pair[1]) - self.frame().enter(pair[0]);
        let nearest = self.values().windows(2).map(apart).filter(|gap| *gap > same).fold(f64::INFINITY, f64::min);
        let first = self.framed(0);
        let span = self.framed(self.len() - 1) - first;
        let step = span / (span / nearest).round();
        let tolerance = OFF + off / step;
        let on_grid = |x: &f64| {
            let steps = (self.frame().enter(*x) - first) / step;
            (steps - steps.round()).abs() <= tolerance
        };
        (tolerance < 0.1 && self.values().iter().all(on_grid)).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(values: impl Iterator<Item = f64>) -> Option<f64> {
        Sample::new(&values.collect::<Vec<_>>()).unwrap().rounding_step()
    }

    #[test]
    fn steps_are_found_whatever_the_units_and_only_on_grids() {
        for unit in [1.0, 0.0254, 1e-140, 1e140, 3.7e9] {
            let found = step((0..500).map(|i| unit * f64::from(i * i % 23)));
            assert!((found.unwrap() / unit - 1.0).abs() < 1e-9, "{unit}");
        }
        for shift in [1e8, -1e12, 1e15] {
            assert_eq!(step((0..500).map(|i| shift + 0.25 * f64::from(i * i % 23))), Some(0.25), "{shift}");
        }
        assert_eq!(step((0..500).map(f64::from)), None, "nothing repeats");
        assert_eq!(step((0..500).map(|i| f64::from(i % 4))), None, "four groups");
        assert_eq!(step((0..500).map(|i| f64::from(i % 23).sqrt())), None, "no grid");
        assert_eq!(step((0..500).map(|_| 7.0)), None, "one value");
    }

    #[test]
    fn multiples_of_the_step_may_be_missing() {
        let found = step((0..500).map(|i| [0.0, 3.0, 4.0, 10.0, 11.0, 40.0][i % 6]));
        assert_eq!(found, Some(1.0));
    }
}
