"""The simulation models A to D of Jiang and Arias-Castro."""

from __future__ import annotations

from typing import NamedTuple

from mindgap.datasets.labelled import Labelled, from_components
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import shorten
from mindgap.validation import RNG


class Model(NamedTuple):
    """A mixture of normal distributions.

    Parameters
    ----------
    weights, means, deviations : tuple of float
        The weight, the mean and the standard deviation of each component.

    Examples
    --------
    >>> mg.datasets.MODELS["A"].means
    (0, 2)
    """

    weights: tuple[float, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]


MODELS = {
    "A": Model((0.333, 0.667), (0, 2), (1, 1)),
    "B": Model((0.45, 0.1, 0.45), (0, 2, 4), (0.75, 1.5, 0.75)),
    "C": Model((0.2, 0.2, 0.2, 0.2, 0.2), (0, 2, 4, 6, 8), (1, 1, 1, 1, 1)),
    "D": Model((0.1, 0.2, 0.4, 0.2, 0.1), (0, 2, 4, 6, 8), (0.25, 0.75, 1.25, 0.75, 0.25)),
}


def paper_model(name: str, n: int = 500, rng: RNG = 0) -> Labelled:
    """Draw points from a simulation model of the paper.

    Parameters
    ----------
    name : str
        "A", "B", "C" or "D"; `MODELS` has their parameters.
    n : int
        The number of points.
    rng : int, Generator or None
        The source of random numbers; the default is a fixed seed.

    Examples
    --------
    >>> data = mg.datasets.paper_model("B", 500, rng=1)
    >>> len(data.values), sorted(set(data.groups.tolist()))
    (500, [0, 1, 2])
    """
    if not isinstance(name, str) or name not in MODELS:
        raise InvalidInputError(f"there is no model {shorten(name)}; the paper's models are {', '.join(MODELS)}")
    return from_components(n, *MODELS[name], rng)
