"""The base class of initializers, which give a mixture fit its starting point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from mindgap.model.constraint import Constraint
    from mindgap.model.parameters import Parameters
    from mindgap.model.sample import Sample


class Initializer(Plugin):
    """An initializer returns the starting point of a mixture fit. Subclass it and implement `start`.

    Examples
    --------
    >>> class Even(mg.Initializer):
    ...     name = "even"
    ...     def start(self, sample, k, constraint):
    ...         means = np.linspace(sample.values[0], sample.values[-1], k + 2)[1:-1]
    ...         return mg.Parameters(np.full(k, 1 / k), means, np.full(k, sample.variance() / k**2))
    """

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Parameters:
        """Return the start for k components; it need not satisfy the constraint."""
        raise NotImplementedError(f"{type(self).__name__} does not implement start(sample, k, constraint)")
