"""The base class of engines, which hold the data and run the E step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mindgap.model.moments import Moments
    from mindgap.model.sample import Sample
    from mindgap.model.summary import Summary
    from mindgap.validation import FloatArray


class Engine(Plugin):
    """An engine holds the data and computes their moments. Subclass it and implement `load` and `moments`.

    A mixture calls `load` once, then `moments` once per iteration, then `finish`, `labels` and `close`. The M step, its
    quadratic program and the stopping rule stay with the fit. K-means, and starts by k-means, call `load` and then
    `zoom` until the clusters are proven optimal. Without `zoom`, they are as good as what `load` returned.

    Examples
    --------
    >>> class Halves(mg.Engine):
    ...     name = "halves"
    ...     def load(self, x, sample_weight):
    ...         self.parts = [mg.Local(), mg.Local()]
    ...         for part, values in zip(self.parts, np.array_split(x, 2)):
    ...             part.load(values, None)
    ...         return mg.Local().load(x, sample_weight)
    ...     def moments(self, weights, means, variances):
    ...         first, second = (part.moments(weights, means, variances) for part in self.parts)
    ...         return first + second
    """

    reads_files: ClassVar[bool] = False
    """Whether `load` takes a path. If so, the command line passes FILE to ``--engine`` without reading it."""

    # An engine holds data, so it is equal only to itself.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def takes(cls, x: Any) -> bool:
        """Return whether only this engine can fit `x`, so that ``engine=`` can be left out.

        Called for types that are not from numpy, pandas, polars, Arrow or the standard library.
        """
        return False

    def map(self, x: Any, work: Callable[[Any], Any], dtype: npt.DTypeLike, columns: int | None = None) -> Any:
        """Apply `work` to the values in `x`, lazily, and return the result in the form of `x`.

        `work` takes an array of n values and returns n numbers of type `dtype`, or n rows of `columns` numbers.
        """
        raise NotImplementedError(f"{type(self).__name__} does not implement map(x, work, dtype, columns)")

    def write(
        self,
        path: Path,
        x: Any,
        columns: Callable[[Any], dict[str, Any]],
        column: str | None,
        keys: tuple[str, ...],
        tell: Callable[[int, int | None], None],
    ) -> int:
        """Write the columns that `columns` computes from the values in `x` as Parquet files; return the number of rows.

        If `x` is a table, the values are in `column`, and the columns `keys` are written too. Call `tell` with the
        number of rows written and the total, or None if that is not known.
        """
        call = "write(path, x, columns, column, keys, tell)"
        raise NotImplementedError(f"{type(self).__name__} does not implement {call}")

    def load(self, x: Any, sample_weight: Any) -> Sample | Summary:
        """Load the data, and return them or their summary, for k-means, the initializer and the data's scale."""
        raise NotImplementedError(f"{type(self).__name__} does not implement load(x, sample_weight)")

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all the data at these parameters of the mixture."""
        raise NotImplementedError(f"{type(self).__name__} does not implement moments(weights, means, variances)")

    def finish(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments at the fitted parameters, with the classification; by default `moments`."""
        return self.moments(weights, means, variances)

    def zoom(self, windows: FloatArray) -> list[Summary]:
        """Return a summary of the points in each window; `windows` is as in `Summary.of_windows`."""
        raise NotImplementedError(f"{type(self).__name__} does not implement zoom(windows)")

    def labels(self, predict: Callable[[Any], npt.NDArray[np.int32]]) -> Any:
        """Return the labels of all points, or None for none; `predict` computes the labels of an array."""
        return None

    def close(self) -> None:
        """Release the data. Called once when the fit ends, even after an error."""
