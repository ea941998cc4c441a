"""The data of a fit: a sample in this process, or with an engine."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

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

Result = TypeVar("Result", KMeansResult, MixtureResult)

#: What a fit takes: numbers in any form that numpy knows, or what stands for them; an engine may take anything else.
Data: TypeAlias = "npt.ArrayLike | Sample | Binned | Summary | Chunks"


@dataclass(frozen=True)
class Loaded:
    """What a fit works on: the data, or what an engine lets it see of them."""

    sample: Sample
    engine: Engine | None = None
    weighted: bool = False
    present: npt.NDArray[np.bool_] | None = None
    bins: Binned | None = None

    def kept(self) -> Sample | Histogram:
        """What a result keeps for its pictures; of data that lie elsewhere, no way back to them."""
        return self.sample if self.engine is None else histogram_of(self.sample.values, self.sample.weights)

    def labelled(self, result: Result) -> Result:
        """The result with the engine's labels, if it gives any, and -1 for points that were left out."""
        if self.present is not None:
            labels = np.full(len(self.present), -1, dtype=np.int32)
            labels[self.present] = result.labels
            return replace(result, labels=labels)
        found = None if self.engine is None else self._labels(self.engine, result)
        return result if found is None else replace(result, labels=found)

    def _labels(self, engine: Engine, result: KMeansResult | MixtureResult) -> Any:
        points = self.sample._core.points
        # Points of weight zero have labels too, but are not in the sample.
        most = None if self.weighted or self.sample.total_weight != points else points
        return guard.labels(engine, result.predict, result.k, points, most)


def loaded(
    x: Any, sample_weight: Any, engine: Engine | str, missing: str = "error", watch: Any = None
) -> AbstractContextManager[Loaded]:
    """Return the data in this process, or bring them to the engine for as long as a fit takes; passes tell `watch`."""
    if isinstance(x, Binned):
        if sample_weight is not None or not is_local(engine) or missing != "error":
            raise InvalidInputError("Binned counts are weights and lie in memory; leave the other arguments out")
        return nullcontext(Loaded(x.sample, bins=x))
    engine = _owner(x, engine)
    if as_choice(missing, "missing", ("error", "drop")) == "drop":
        if not is_local(engine) or isinstance(x, (Chunks, Sample, Summary)):
            raise InvalidInputError("missing='drop' is for arrays and columns; drop the missing values yourself")
        return nullcontext(_present(x, sample_weight))
    if is_local(engine) and not isinstance(x, Chunks):
        return nullcontext(Loaded(Sample.of(x, sample_weight)))
    return _with_engine(x, sample_weight, engine, watch)


def _owner(x: Any, engine: Engine | str) -> Engine | str:
    """Return the engine that was named, or else the one that the data belong to."""
    return (engine_for(x) or engine) if isinstance(engine, str) and engine == "local" else engine


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
    """Return what it holds with NaN for what is masked, or NA to pandas."""
    if "numpy.ma" in sys.modules and isinstance(x, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(x), np.nan, np.ma.getdata(x))
    if hasattr(x, "isna") and hasattr(x, "to_numpy"):
        try:
            return x.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return x  # for `as_vector` to say what is wrong
    return x


def is_local(engine: Engine | str) -> bool:
    """Whether an engine is this process itself; a subclass of the local engine wants to be asked."""
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
    """Return the data for many fits: a sample where they are local, which takes `sample_weight` out of the settings.

    Another engine gets what it was given, since only it knows where the data are.
    """
    if isinstance(x, Binned):
        return x
    engine = _owner(x, settings.get("engine", "local"))
    if is_local(engine):
        return Sample.of(x, settings.pop("sample_weight", None))
    settings["engine"] = engine
    return x
