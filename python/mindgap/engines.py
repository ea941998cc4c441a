"""Engines: where the E step runs. The base class of plugins, and the local one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mindgap.arrays import FloatArray
from mindgap.errors import UnusableValueError
from mindgap.frozen import frozen_finite
from mindgap.plugin import Plugin
from mindgap.sample import Sample


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
    """

    weight: FloatArray
    first: FloatArray
    second: FloatArray
    log_likelihood: float

    def __init__(self, weight: Any, first: Any, second: Any, log_likelihood: float) -> None:
        for name, values in {"weight": weight, "first": first, "second": second}.items():
            object.__setattr__(self, name, frozen_finite(values, f"the moments' {name}"))
        try:
            object.__setattr__(self, "log_likelihood", float(log_likelihood))
        except (TypeError, ValueError) as error:
            raise UnusableValueError(f"log_likelihood is {log_likelihood!r}; it must be a number") from error
        self._check()

    def _check(self) -> None:
        sizes = (len(self.weight), len(self.first), len(self.second))
        if len(set(sizes)) > 1:
            raise UnusableValueError("the moments have {} weights, {} first and {} second ones".format(*sizes))
        if (self.weight < 0).any() or (self.second < 0).any():
            raise UnusableValueError(f"a weight or second moment is negative: {self.weight}, {self.second}")
        if not np.isfinite(self.log_likelihood):
            raise UnusableValueError(f"log_likelihood is {self.log_likelihood}; it must be finite")


class Engine(Plugin):
    """Answers for the data, wherever they lie: parameters in, moments out. Subclass it and answer both methods.

    A fit calls `load` once, then `moments` once an iteration, then `close`. The M step, its quadratic program and the
    decision to stop stay with the fit.

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

    def load(self, x: Any, sample_weight: Any) -> Sample:
        """Take the data, and return them or a weighted summary of them, for the initializer and the data's scale."""
        raise NotImplementedError(f"{type(self).__name__} does not answer load(x, sample_weight)")

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all the data at these parameters of the mixture."""
        raise NotImplementedError(f"{type(self).__name__} does not answer moments(weights, means, variances)")

    def close(self) -> None:
        """Let go of the data; called once when the fit ends, whether well or not."""


class Local(Engine):
    """The data in the memory of this process.

    A fit with this engine runs in the core altogether. Its `moments` say the same in numpy, one block at a time, and
    are there to be read, to check other engines against, and to build them from.
    """

    name = "local"
    block = 1 << 16

    def load(self, x: Any, sample_weight: Any) -> Sample:
        """Check and sort the data."""
        self._sample = Sample.of(x, sample_weight)
        return self._sample

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments, in O(n k) time and memory for one block."""
        total = np.zeros((3, len(means)))
        log_likelihood = 0.0
        for first in range(0, len(self._sample), self.block):
            block = slice(first, first + self.block)
            values = self._sample.values[block, None] - means
            masses = 1.0 if self._sample.weights is None else self._sample.weights[block]
            logs = np.log(weights) - 0.5 * (np.log(2 * np.pi * variances) + values**2 / variances)
            peak = logs.max(axis=1, keepdims=True)
            sums = np.exp(logs - peak).sum(axis=1, keepdims=True)
            shares = np.exp(logs - peak) / sums * np.reshape(masses, (-1, 1))
            total += [shares.sum(axis=0), (shares * values).sum(axis=0), (shares * values**2).sum(axis=0)]
            log_likelihood += float(np.sum(masses * (peak + np.log(sums))[:, 0]))
        return Moments(total[0], total[1], total[2], log_likelihood)
