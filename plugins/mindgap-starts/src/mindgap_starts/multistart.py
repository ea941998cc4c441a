"""Several starts, a short fit from each, and the best likelihood wins. Costs one short fit for each start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

import mindgap as mg
from mindgap.validation import as_count, as_generator


class Multistart(mg.Initializer):
    """Try several initializers and some random starts, and begin at the best.

    Parameters
    ----------
    starts : sequence of initializers or their names
        What to try; one whose own constraint the data cannot hold is passed over.
    random : int
        How many starts at random points of the data to try beside them.
    iterations : int
        How many iterations of the EM each gets before likelihoods are compared.
    rng : int, Generator or None
        Where the random starts come from: the same seed, the same start.
    """

    name = "multistart"

    def __init__(
        self,
        starts: Sequence[str | mg.Initializer] = ("constrained-kmeans", "ckmeans", "quantile"),
        random: int = 5,
        iterations: int = 20,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        if isinstance(starts, str) or not isinstance(starts, Sequence):
            raise mg.InvalidInputError(f"starts is {starts!r}; give a list of initializers")
        as_generator(rng)  # which refuses what is none
        self.starts = list(starts)
        self.random = as_count(random, "random", least=0)
        self.iterations = as_count(iterations, "iterations")
        self.rng = rng
        if not self.starts and self.random == 0:
            raise mg.InvalidInputError("there are no starts to try; name some, or ask for random ones")

    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> mg.Parameters:
        """Return the parameters that the best of the short fits ended with."""
        fits = [
            mg.mixture(sample, k, constraint, init=start, max_iter=self.iterations)
            for start in self._candidates(sample, k, constraint)
        ]
        if not fits:
            raise mg.InfeasibleError(f"the data hold none of the starts {self.starts} for k = {k}", k=k)
        best = max(fits, key=_rank)
        return mg.Parameters(best.weights, best.means, best.variances)

    def _candidates(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Iterator[mg.Parameters]:
        for given in self.starts:
            initializer = mg.initializer(given)
            try:
                yield initializer.start(sample, k, constraint)
            except mg.InfeasibleError:
                continue
        generator = as_generator(self.rng)
        share = None if sample.weights is None else sample.weights / sample.weights.sum()
        for _ in range(self.random):
            means = np.sort(generator.choice(sample.values, k, p=share))
            yield mg.Parameters(np.full(k, 1 / k), means, np.full(k, sample.variance() / k**2 or 1.0))


def _rank(fit: mg.MixtureResult) -> tuple[bool, float]:
    """A fit with a component that collapsed has a likelihood that means nothing: any other is better."""
    return fit.status in ("converged", "max-iterations"), fit.log_likelihood
