"""The built-in engine, and the hook that registers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindgap import _core
from mindgap.host.hookspecs import hookimpl
from mindgap.model.engine import Engine
from mindgap.model.moments import Moments
from mindgap.model.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.validation import FloatArray


class Local(Engine):
    """The default engine, with the data in the memory of this process.

    A fit with this engine runs entirely in the core. Its `moments` are for building other engines: load a part of the
    data into each of several, and add their moments.

    Examples
    --------
    >>> part = mg.Local()
    >>> _ = part.load([0.0, 1.0, 5.0], None)
    >>> part.moments(np.array([1.0]), np.array([2.0]), np.array([1.0])).weight.tolist()
    [3.0]
    """

    name = "local"

    def load(self, x: Any, sample_weight: Any) -> Sample:
        """Check and sort the data."""
        self._sample = Sample.of(x, sample_weight)
        return self._sample

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments, computed by the core."""
        return Moments(*_core.moments(self._sample._core, (weights, means, variances)))


@hookimpl
def register_engines(register: Callable[[type[Engine]], None]) -> None:
    """Register the built-in engine."""
    register(Local)
