"""The data of a fit: a sample in this process, or data that an engine holds."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from mindgap.fit.chunked import Chunked
from mindgap.foundation.errors import InvalidInputError
from mindgap.host import guard, lookup
from mindgap.host.builtin.engines import Local
from mindgap.host.dispatch import engine_for
from mindgap.model.binned import Binned
from mindgap.model.chunks import Chunks
from mindgap.model.engine import Engine
from mindgap.model.sample import Sample, name_of
from mindgap.model.summary import Summary
from mindgap.results.histogram import Histogram, histogram_of
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult
from mindgap.validation import as_choice, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from mindgap.validation import FloatArray

Result = TypeVar("Result", KMeansResult, MixtureResult)

#: Data that a fit accepts: any array-like, or one of mindgap's own types; an engine may accept other types.
Data: TypeAlias = "npt.ArrayLike | Sample | Binned | Summary | Chunks"


@dataclass(frozen=True)
class Loaded:
    """The data of a fit, or the sample of them that an engine returned."""

    sample: Sample
    engine: Engine | None = None
    weighted: bool = False
    present: npt.NDArray[np.bool_] | None = None
    bins: Binned | None = None

    def kept(self) -> Sample | Histogram:
        """Return what a result keeps for pictures: the sample, or a histogram of data in an engine."""
        return self.sample if self.engine is None else histogram_of(self.sample.values, self.sample.weights)

    def labelled(self, result: Result) -> Result:
        """Return the result with the engine's labels, if any, and -1 for points that were left out."""
        if self.present is not None:
            labels = np.full(len(self.present), -1, dtype=np.int32)
            labels[self.present] = result.labels
            return replace(result, labels=labels)
        found = None if self.engine is None else self._labels(self.engine, result)
        return result if found is None else replace(result, labels=found)

    def _labels(self, engine: Engine, result: KMeansResult | MixtureResult) -> Any:
        points = self.sample._core.points
        # Points of weight zero have labels but are not in the sample.
        most = None if self.weighted or self.sample.total_weight != points else points
        return guard.labels(engine, result.predict, result.k, points, most)


def loaded(
    x: Any, sample_weight: Any, engine: Engine | str, missing: str = "error", watch: Any = None
) -> AbstractContextManager[Loaded]:
    """Return a context with the loaded data; at its end the engine, if any, is closed. Passes report to `watch`."""
    if isinstance(x, Binned):
        if sample_weight is not None or not is_local(engine) or missing != "error":
            raise InvalidInputError("Binned data take no sample_weight, engine or missing; leave these out")
        return nullcontext(Loaded(x.sample, bins=x))
    engine = _owner(x, engine)
    if missing != "error":
        as_choice(missing, "missing", ("error", "drop"))
        if not is_local(engine) or isinstance(x, (Chunks, Sample, Summary)):
            raise InvalidInputError("missing='drop' is for arrays and columns; drop the missing values yourself")
        return nullcontext(_present(x, sample_weight))
    if is_local(engine) and not isinstance(x, Chunks):
        return nullcontext(Loaded(Sample.of(x, sample_weight)))
    return _with_engine(x, sample_weight, engine, watch)


class PlainPoints(NamedTuple):
    """Values in this process, and their weights if they have any, for the core to read without a copy."""

    values: FloatArray
    weights: FloatArray | None


def plain_points(x: Any, sample_weight: Any, engine: Engine | str, missing: str) -> PlainPoints | None:
    """Return an array or a column with its weights; None for any other data."""
    if missing != "error" or isinstance(x, (Binned, Chunks, Sample, Summary)) or not is_local(_owner(x, engine)):
        return None
    weights = None if sample_weight is None else as_vector(sample_weight, "sample_weight")
    return PlainPoints(as_vector(x, "x"), weights)


def _owner(x: Any, engine: Engine | str) -> Engine | str:
    """Return the given engine, or the one that the data belong to."""
    if type(x) is np.ndarray or not isinstance(engine, str) or engine != "local":
        return engine
    return engine_for(x) or engine


def _present(x: Any, sample_weight: Any) -> Loaded:
    """Return the points that have a value and a weight."""
    values = as_vector(_with_nan(x), "x")
    weights = None if sample_weight is None else as_vector(_with_nan(sample_weight), "sample_weight")
    present = ~np.isnan(values)
    if weights is not None:
        if len(weights) != len(values):
            raise InvalidInputError(f"sample_weight has {len(weights)} weights for {len(values)} points")
        present &= ~np.isnan(weights)
        weights = weights[present]
    if not present.any():
        raise InvalidInputError(f"all {len(values)} values of x are missing; there is nothing to fit")
    sample = Sample(values[present], weights)
    sample.name = name_of(x)
    return Loaded(sample, present=present)


def _with_nan(x: Any) -> Any:
    """Return the values with NaN for masked values and pandas' NA."""
    if "numpy.ma" in sys.modules and isinstance(x, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(x), np.nan, np.ma.getdata(x))
    if hasattr(x, "isna") and hasattr(x, "to_numpy"):
        try:
            return x.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return x  # `as_vector` raises the error
    return x


def is_local(engine: Engine | str) -> bool:
    """Return whether the engine is the built-in local one, not a subclass of it."""
    return engine == "local" if isinstance(engine, str) else type(engine) is Local


@contextmanager
def _with_engine(x: Any, sample_weight: Any, engine: Engine | str, watch: Any) -> Iterator[Loaded]:
    runner: Engine = Chunked(watch) if isinstance(x, Chunks) else lookup.engine(engine)
    if isinstance(x, Chunks) and not is_local(engine):
        name = lookup.engine(engine).name
        raise InvalidInputError(f"Chunks are read by this process; the engine {name!r} reads its own data")
    with guard.in_use(runner):
        yield Loaded(guard.load(runner, x, sample_weight), runner, sample_weight is not None)


def sorted_once(x: Any, settings: dict[str, Any]) -> Any:
    """Return the data for several fits: a sample of local data, which takes `sample_weight` out of the settings.

    Data of another engine are returned unchanged.
    """
    if isinstance(x, Binned):
        return x
    engine = _owner(x, settings.get("engine", "local"))
    if is_local(engine):
        return Sample.of(x, settings.pop("sample_weight", None))
    settings["engine"] = engine
    return x
