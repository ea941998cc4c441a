"""The base class of engines: where the data are and the E step runs."""

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
    """Computes on the data, wherever they are: parameters in, moments out. Subclass it and implement both methods.

    A mixture calls `load` once, then `moments` once an iteration, then `finish`, `labels` and `close`. The M step, its
    quadratic program and the decision to stop stay with the fit. K-means, and the starts that it gives, call `load` and
    then `zoom` until the clusters are proven to be the best; where an engine does not answer `zoom`, they are as good
    as what it loaded tells.

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
    """Whether `load` takes a path: then the command line hands FILE over unread, with ``--engine``."""

    # An engine holds data: it is equal to itself alone.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def takes(cls, x: Any) -> bool:
        """Return whether `x` is a kind of data that only this engine can fit, so that ``engine=`` can be left out.

        Asked about types that are not numpy's, pandas', polars', Arrow's or Python's own.
        """
        return False

    def map(self, x: Any, work: Callable[[Any], Any], dtype: npt.DTypeLike, columns: int | None = None) -> Any:
        """Return what `work` makes of the values in `x`, in the form of `x` and lazily: labels, or probabilities.

        `work` takes an array and returns one of that dtype: as long, or with a row for each value and so many columns.
        """
        raise NotImplementedError(f"{type(self).__name__} does not answer map(x, work, dtype, columns)")

    def write(
        self,
        path: Path,
        x: Any,
        columns: Callable[[Any], dict[str, Any]],
        column: str | None,
        keys: tuple[str, ...],
        tell: Callable[[int, int | None], None],
    ) -> int:
        """Write what `columns` makes of the values in `x` as Parquet into a folder, and return the number of rows.

        The values are in `column` where `x` is a table, whose columns `keys` are written too. Call `tell` with the rows
        done and all of them, None where that is not known.
        """
        raise NotImplementedError(f"{type(self).__name__} does not answer write(path, x, columns, column, keys, tell)")

    def load(self, x: Any, sample_weight: Any) -> Sample | Summary:
        """Take the data, and return them or their summary, for k-means, the initializer and the data's scale."""
        raise NotImplementedError(f"{type(self).__name__} does not answer load(x, sample_weight)")

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all the data at these parameters of the mixture."""
        raise NotImplementedError(f"{type(self).__name__} does not answer moments(weights, means, variances)")

    def finish(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments at the fitted parameters, the classification among them: as `moments` unless answered."""
        return self.moments(weights, means, variances)

    def zoom(self, windows: FloatArray) -> list[Summary]:
        """Return the summary of the points in each window: closed intervals, ascending and disjoint, a row each."""
        raise NotImplementedError(f"{type(self).__name__} does not answer zoom(windows)")

    def labels(self, predict: Callable[[Any], npt.NDArray[np.int32]]) -> Any:
        """Return the label of each point, where `predict` has those of an array, or None to leave them out."""
        return None

    def close(self) -> None:
        """Release the data; called once when the fit ends, also after an error."""
