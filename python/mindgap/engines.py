"""Engines: where the E step runs. The base class of plugins, and the local one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.arrays import FloatArray
from mindgap.errors import UnusableValueError
from mindgap.host.frozen import frozen_finite
from mindgap.host.plugin import Plugin
from mindgap.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.summary import Summary


@dataclass(frozen=True, eq=False)
class Moments:
    """What the M step needs of the data: for each component k, with responsibilities r and sample weights w.

    Parameters
    ----------
    weight : array-like of k floats
        The sums of w·r.
    first : array-like of k floats
        The sums of w·r·(x - mean), about the means that were given.
    second : array-like of k floats
        The sums of w·r·(x - mean)².
    log_likelihood : float
        The weighted log-likelihood of the data at the parameters that were given.
    classification : float, optional
        The sums of w·log(max r), from which `icl` is known.
    """

    weight: FloatArray
    first: FloatArray
    second: FloatArray
    log_likelihood: float
    classification: float | None

    def __init__(
        self, weight: Any, first: Any, second: Any, log_likelihood: float, classification: float | None = None
    ) -> None:
        for name, values in {"weight": weight, "first": first, "second": second}.items():
            object.__setattr__(self, name, frozen_finite(values, f"the moments' {name}"))
        object.__setattr__(self, "log_likelihood", _finite(log_likelihood, "log_likelihood"))
        known = None if classification is None else _finite(classification, "classification")
        object.__setattr__(self, "classification", known)
        self._check()

    def _check(self) -> None:
        sizes = (len(self.weight), len(self.first), len(self.second))
        if len(set(sizes)) > 1:
            raise UnusableValueError("the moments have {} weights, {} first and {} second ones".format(*sizes))
        if (self.weight < 0).any() or (self.second < 0).any():
            raise UnusableValueError(f"a weight or second moment is negative: {self.weight}, {self.second}")


def _finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise UnusableValueError(f"{name} is {value!r}; it must be a number") from error
    if not np.isfinite(number):
        raise UnusableValueError(f"{name} is {number}; it must be finite")
    return number


class Engine(Plugin):
    """Answers for the data, wherever they lie: parameters in, moments out. Subclass it and answer both methods.

    A mixture calls `load` once, then `moments` once an iteration, then `labels` and `close`. The M step, its quadratic
    program and the decision to stop stay with the fit. K-means, and the starts that it gives, call `load` and then
    `zoom` until the clusters are proven to be the best; where an engine does not answer `zoom`, they are as good as
    what it loaded tells.

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
    ...         a, b = (part.moments(weights, means, variances) for part in self.parts)
    ...         return mg.Moments(a.weight + b.weight, a.first + b.first, a.second + b.second,
    ...                           a.log_likelihood + b.log_likelihood)
    """

    def load(self, x: Any, sample_weight: Any) -> Sample | Summary:
        """Take the data, and return them or their summary, for k-means, the initializer and the data's scale."""
        raise NotImplementedError(f"{type(self).__name__} does not answer load(x, sample_weight)")

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all the data at these parameters of the mixture."""
        raise NotImplementedError(f"{type(self).__name__} does not answer moments(weights, means, variances)")

    def zoom(self, windows: FloatArray) -> list[Summary]:
        """Return the summary of the points in each window: closed intervals, ascending and disjoint, a row each."""
        raise NotImplementedError(f"{type(self).__name__} does not answer zoom(windows)")

    def labels(self, predict: Callable[[Any], npt.NDArray[np.int32]]) -> Any:
        """Return the label of each point, where `predict` has those of an array, or None to leave them out."""
        return None

    def close(self) -> None:
        """Let go of the data; called once when the fit ends, whether well or not."""


class Local(Engine):
    """The data in the memory of this process.

    A fit with this engine runs in the core altogether. Its `moments` are there to build other engines from: load a part
    of the data into each of many, and add what they answer.
    """

    name = "local"

    def load(self, x: Any, sample_weight: Any) -> Sample:
        """Check and sort the data."""
        self._sample = Sample.of(x, sample_weight)
        return self._sample

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments, by the core's threads."""
        return Moments(*_core.moments(self._sample._core, (weights, means, variances)))
