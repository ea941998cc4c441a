"""The parameters of a mixture: the weight, mean and variance of each component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import SolverError, UnusableValueError
from mindgap.validation import RNG, FloatArray, as_count, as_generator, frozen_finite

if TYPE_CHECKING:
    import numpy.typing as npt

#: The largest allowed difference between the sum of the weights and one.
WEIGHT_TOLERANCE = 1e-8

#: The most times that points outside a support are drawn again: enough if a thousandth of the mixture is inside.
_MOST_REDRAWS = 50_000

#: The peak memory of a draw: the component of each point, its mean and deviation, and the value.
_BYTES_A_POINT = 4 * 8


@dataclass(frozen=True, eq=False, repr=False)
class Parameters:
    """The parameters of a mixture, ordered by mean: the start of a fit, for example.

    They need not satisfy the constraint of a fit.

    Parameters
    ----------
    weights : array-like of k floats
        Not negative; they sum to one. A component that starts with the weight zero keeps it.
    means : array-like of k floats
        Finite and ascending.
    variances : array-like of k floats
        Positive and finite.

    Examples
    --------
    >>> start = mg.Parameters([0.5, 0.5], [0.0, 4.0], [1.0, 1.0])
    >>> mg.mixture([-0.5, 0.3, 3.8, 4.4], 2, init=start).k
    2
    """

    weights: FloatArray
    means: FloatArray
    variances: FloatArray

    def __init__(self, weights: npt.ArrayLike, means: npt.ArrayLike, variances: npt.ArrayLike) -> None:
        given = {"weights": weights, "means": means, "variances": variances}
        for name, values in given.items():
            object.__setattr__(self, name, frozen_finite(values, f"the start's {name}"))
        self._check()

    def _check(self) -> None:
        sizes = (len(self.weights), len(self.means), len(self.variances))
        if len(set(sizes)) > 1 or sizes[0] == 0:
            text = "{} weights, {} means and {} variances".format(*sizes)
            raise UnusableValueError(f"the start has {text}; give one of each for every component")
        _refuse(self.weights < 0, self.weights, "weight", "it must not be negative")
        _refuse(self.variances <= 0, self.variances, "variance", "it must be positive")
        total = float(self.weights.sum())
        if abs(total - 1) > WEIGHT_TOLERANCE:
            raise UnusableValueError(f"the weights of the start sum to {total}; they must sum to one")
        if (np.diff(self.means) < 0).any():
            raise UnusableValueError(f"the start's means {self.means.tolist()} do not ascend; sort its components")

    @property
    def k(self) -> int:
        """The number of components."""
        return len(self.means)

    def __repr__(self) -> str:
        return f"Parameters({self.weights.tolist()}, {self.means.tolist()}, {self.variances.tolist()})"


def _refuse(wrong: npt.NDArray[np.bool_], values: FloatArray, name: str, demand: str) -> None:
    if wrong.any():
        index = int(np.argmax(wrong))
        raise UnusableValueError(f"the start has the {name} {values[index]} in component {index}; {demand}")


def draw_mixture(
    n: int,
    weights: npt.ArrayLike,
    means: npt.ArrayLike,
    deviations: npt.ArrayLike,
    rng: RNG,
    support: tuple[float, float] | None = None,
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Draw `n` values from a mixture of normal distributions; return them and their components."""
    generator, count = as_generator(rng), as_count(n, "n")
    _core.check_memory(f"a draw of {count} points", count * _BYTES_A_POINT)
    shares = np.asarray(weights, dtype=np.float64)
    groups = generator.choice(len(shares), size=count, p=shares / shares.sum())
    values = generator.normal(np.asarray(means)[groups], np.asarray(deviations)[groups])
    for _ in range(0 if support is None else _MOST_REDRAWS):
        lost = np.flatnonzero((values < support[0]) | (values > support[1]))  # type: ignore[index]
        if len(lost) == 0:
            break
        again = generator.choice(len(shares), size=len(lost), p=shares / shares.sum())
        groups[lost] = again
        values[lost] = generator.normal(np.asarray(means)[again], np.asarray(deviations)[again])
    else:
        if support is not None:
            raise SolverError(f"almost none of the mixture lies in its support {support}; no values can be drawn")
    return values, groups
