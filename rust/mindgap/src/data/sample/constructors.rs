//! Constructors of [`Sample`] from slices and vectors, sorted or not.

use super::checks::{check_finite, check_number, check_sort, check_total, check_weights};
use super::unsorted::{MANY_POINTS, Unsorted, are_nearly_even, extent};
use super::{Sample, sort};
use crate::data::frame::Frame;
use crate::error::SampleError;
use std::borrow::Cow;
use std::sync::Arc;

impl Sample {
    /// Checks and sorts `values`, each of weight one.
    ///
    /// # Errors
    /// Empty data, values that are not finite, and ranges whose squares overflow or vanish.
    pub fn new(values: &[f64]) -> Result<Self, SampleError> {
        check_number(values)?;
        if values.len() >= MANY_POINTS {
            return Self::of_unsorted(Unsorted::new(values.to_vec(), None)?);
        }
        let extent = extent(values)?;
        check_sort(values.len())?;
        let (sorted, order) = sort::by_value(values, extent);
        Self::of_sorted(sorted, None, order, Vec::new())
    }

    /// Checks and sorts single-precision values, each of weight one; converting them to doubles loses nothing.
    ///
    /// ```
    /// let sample = mindgap::Sample::from_f32(&[0.5, 2.0, 1.0])?;
    /// assert_eq!(sample.values(), [0.5, 1.0, 2.0]);
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn from_f32(values: &[f32]) -> Result<Self, SampleError> {
        Self::from_vec(values.iter().map(|&x| f64::from(x)).collect())
    }

    /// As [`Sample::new`], for an owned vector: many values, and ascending ones, are not copied.
    ///
    /// ```
    /// let sample = mindgap::Sample::from_vec(vec![2.0, 1.0])?;
    /// assert_eq!(sample.values(), [1.0, 2.0]);
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn from_vec(values: Vec<f64>) -> Result<Self, SampleError> {
        if values.is_sorted() {
            return Self::from_sorted(values);
        }
        if values.len() < MANY_POINTS {
            return Self::new(&values);
        }
        check_number(&values)?;
        Self::of_unsorted(Unsorted::new(values, None)?)
    }

    /// As [`Sample::new`], for an owned vector of ascending values, without a copy or a sort.
    ///
    /// ```
    /// use mindgap::{Sample, SampleError};
    ///
    /// assert_eq!(Sample::from_sorted(vec![1.0, 2.0, 2.0])?.distinct(), 2);
    /// assert_eq!(Sample::from_sorted(vec![1.0, 3.0, 2.0]).unwrap_err(), SampleError::NotSorted { index: 2 });
    /// # Ok::<(), SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::new`]; also values that do not ascend.
    pub fn from_sorted(mut values: Vec<f64>) -> Result<Self, SampleError> {
        check_number(&values)?;
        check_finite(&values)?;
        check_sort(values.len())?;
        if let Some(index) = values.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(SampleError::NotSorted { index: index + 1 });
        }
        // Adding zero turns -0.0 into 0.0.
        values.iter_mut().for_each(|x| *x += 0.0);
        let order = (0..values.len() as u32).collect();
        Self::of_sorted(values, None, order, Vec::new())
    }

    /// Checks and sorts `values` with one weight each.
    ///
    /// # Errors
    /// As [`Sample::new`]; also weights that are negative, not finite, of another number, or all zero.
    pub fn weighted(values: &[f64], weights: &[f64]) -> Result<Self, SampleError> {
        Self::of_weighted(values.into(), weights.into())
    }

    /// As [`Sample::weighted`], for owned vectors: many values are not copied.
    ///
    /// ```
    /// let sample = mindgap::Sample::weighted_from_vec(vec![2.0, 1.0], vec![0.5, 3.0])?;
    /// assert_eq!((sample.values(), sample.weights()), (&[1.0, 2.0][..], Some(&[3.0, 0.5][..])));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::weighted`].
    pub fn weighted_from_vec(values: Vec<f64>, weights: Vec<f64>) -> Result<Self, SampleError> {
        Self::of_weighted(values.into(), weights.into())
    }

    fn of_weighted(values: Cow<'_, [f64]>, weights: Cow<'_, [f64]>) -> Result<Self, SampleError> {
        check_number(&values)?;
        check_finite(&values)?;
        if check_weights(values.len(), &weights)? == 0.0 {
            return Err(SampleError::NoWeight);
        }
        if values.len() >= MANY_POINTS && are_nearly_even(&weights) {
            return Self::of_unsorted(Unsorted::new(values.into_owned(), Some(weights.into_owned()))?);
        }
        check_sort(values.len())?;
        let sorted = sort::by_value_and_weight(&values, &weights);
        Self::of_sorted(sorted.values, Some(sorted.weights), sorted.order, sorted.weightless)
    }

    pub(super) fn of_sorted(
        values: Vec<f64>,
        weights: Option<Vec<f64>>,
        order: Vec<u32>,
        weightless: Vec<(u32, f64)>,
    ) -> Result<Self, SampleError> {
        let range = values[values.len() - 1] - values[0];
        let frame = Frame::of_sorted(&values).ok_or(SampleError::RangeNotSquarable { range })?;
        let total_weight = weights.as_ref().map_or(values.len() as f64, |w| w.iter().sum());
        check_total(total_weight, range)?;
        Ok(Self::of_parts(values, weights, order, weightless, frame, total_weight))
    }

    pub(super) fn of_parts(
        values: Vec<f64>,
        weights: Option<Vec<f64>>,
        order: Vec<u32>,
        weightless: Vec<(u32, f64)>,
        frame: Frame,
        total_weight: f64,
    ) -> Self {
        let distinct = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let (rests, widths, unsorted) = (Vec::new(), None, None);
        Self { values, weights, rests, order, weightless, frame, distinct, total_weight, widths, unsorted }
    }

    /// Makes a sample whose points are sorted on first use.
    fn of_unsorted(unsorted: Unsorted) -> Result<Self, SampleError> {
        let facts = unsorted.facts()?;
        Ok(Self { unsorted: Some(Arc::new(unsorted)), ..facts })
    }
}
