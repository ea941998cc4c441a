"""What the results of both fits have in common: data for pictures, tables, labels in files, and the stored form."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mindgap.results import archive
from mindgap.results.histogram import Histogram
from mindgap.results.label_files import write_labels
from mindgap.results.table import Tabular
from mindgap.validation import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from mindgap.model.binned import Binned
    from mindgap.model.sample import Sample
    from mindgap.results.label_files import Columns


class FitResult(Frozen, Tabular):
    """The base class of `KMeansResult` and `MixtureResult`."""

    data: Sample | Binned | Histogram | None

    def _label_columns(self) -> Columns:
        """Return the function that computes the columns of `write_labels`."""
        raise NotImplementedError

    @cached_property
    def histogram(self) -> Histogram | None:
        """The histogram of the data; None if the data are not known."""
        return Histogram.of(self.data)

    @property
    def name(self) -> str | None:
        """The name of the column with the data, if it has one."""
        return None if self.data is None else self.data.name

    def write_labels(
        self,
        path: str | PathLike[str],
        x: Any,
        *,
        keys: Iterable[str] = (),
        column: str | None = None,
        progress: bool | Callable[[int, int | None], Any] = False,
    ) -> int:
        """Write the label of each point as Parquet, chunk by chunk, and return the number of rows.

        The columns are ``label`` and, for a mixture, ``probability``, the probability of the label in single precision.
        The rows are in the order of the data. Needs ``mindgap[parquet]``.

        Parameters
        ----------
        path : path
            The file to write; for Dask data a folder, which gets one file for each chunk.
        x : Chunks, what `Chunks` takes, or a Dask collection
            The data to label.
        keys : iterable of str
            Other columns of the data to write before the labels.
        column : str, optional
            The column of the values, if the data are a table and not `Chunks`.
        progress : bool or callable
            Whether to show a line on standard error; or a function to call with the number of points done and the total
            (None if that is not known).
        """
        return write_labels(path, x, self._label_columns(), column, keys, progress)

    def to_json(self) -> str:
        """Return the result as JSON text for `from_json`."""
        return archive.dump(self)  # type: ignore[arg-type]  # one of the two subclasses
