"""One data set of an experiment: fit it by all methods and measure the fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mindgap import ConstrainedKMeans, InfeasibleError, LowerOnly, Sample, TwoSided, kmeans, mixture
from mindgap.datasets import MODELS
from mindgap.datasets.measures import (
    mean_center_error,
    mean_parameter_error,
    rand_index,
    total_center_error,
    total_size_error,
)
from mindgap_paper.experiments import DELTAS, MOST_ITERATIONS, REGULAR_DELTA, TOLERANCE, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from mindgap import Constraint, KMeansResult, MixtureResult, Parameters
    from mindgap.datasets import Labelled, Model
    from mindgap_paper.experiments import Experiment, FloatArray

    Program = Literal["paper", "exact"]

#: The k-means programs, in the order of the first axis of every result.
PROGRAMS: tuple[Program, Program] = ("paper", "exact")

_NOTHING = np.full(3, np.nan)


def measure(experiment: Experiment, data: Labelled) -> dict[str, FloatArray]:
    """Return what the experiment records of one data set, by name.

    `errors` (program, method, criterion; or curve, δ, criterion), `cost` of the constrained k-means by program, and for
    mixtures `converged` and `crossed` (whether means changed their order). NaN if the paper's program finds nothing.
    """
    return _TRIALS[experiment.kind](experiment, data)


def _kmeans_trial(experiment: Experiment, data: Labelled) -> dict[str, FloatArray]:
    assert experiment.lower is not None
    sample = Sample(data.values)
    plain = _kmeans_errors(kmeans(sample, experiment.k), data)
    constraint = LowerOnly(experiment.lower)
    errors, costs = [], []
    for program in PROGRAMS:
        try:
            result = kmeans(sample, experiment.k, constraint, centers="means", method=program)
        except InfeasibleError:
            if program == "exact":
                raise
            errors.append([plain, _NOTHING])
            costs.append(np.nan)
        else:
            errors.append([plain, _kmeans_errors(result, data)])
            costs.append(result.inertia)
    return {"errors": np.array(errors), "cost": np.array(costs)}


def _kmeans_errors(result: KMeansResult, data: Labelled) -> FloatArray:
    rand = rand_index(result.labels, data.groups)
    return np.array([total_center_error(result, data), total_size_error(result, data), rand])


def _mixture_trial(experiment: Experiment, data: Labelled) -> dict[str, FloatArray]:
    assert experiment.lower is not None
    assert experiment.upper is not None
    sample = Sample(data.values)
    starts = [_start(sample, experiment.k, experiment.lower, program) for program in PROGRAMS]
    constraints = (None, TwoSided(experiment.lower, experiment.upper))
    by_program: list[FloatArray] = []
    for program, start in enumerate(starts):
        if start is None:
            by_program.append(np.full((2, 5), np.nan))
        elif program > 0 and _same(starts[0], start):
            by_program.append(by_program[0])
        else:
            by_program.append(
                np.array([_fit(sample, start, constraint, experiment, data) for constraint in constraints])
            )
    recorded = np.array(by_program)
    return {
        "errors": recorded[..., :3],
        "converged": recorded[..., 3],
        "crossed": recorded[..., 4],
        "cost": np.array([_cost(start, sample) for start in starts]),
    }


def _separation_trial(experiment: Experiment, data: Labelled) -> dict[str, FloatArray]:
    sample = Sample(data.values)
    starts = {delta: [_start(sample, experiment.k, delta, program) for program in PROGRAMS] for delta in DELTAS}

    def fitted(start_delta: float, constraint: Constraint | None) -> FloatArray:
        start = starts[start_delta][0]
        return np.full(5, np.nan) if start is None else _fit(sample, start, constraint, experiment, data)

    regular = fitted(REGULAR_DELTA, None)
    one_sided = [fitted(delta, LowerOnly(delta)) for delta in DELTAS]
    two_sided = [fitted(delta, TwoSided(delta, delta + WIDTH)) for delta in DELTAS]
    recorded = np.array([[regular] * len(DELTAS), one_sided, two_sided])
    costs = [[_cost(starts[delta][program], sample) for delta in DELTAS] for program in range(2)]
    return {
        "errors": recorded[..., :3],
        "converged": recorded[..., 3],
        "crossed": recorded[..., 4],
        "cost": np.array(costs),
    }


_TRIALS: dict[str, Callable[[Experiment, Labelled], dict[str, FloatArray]]] = {
    "k-means": _kmeans_trial,
    "mixture": _mixture_trial,
    "separation": _separation_trial,
}


def _start(sample: Sample, k: int, delta: float, program: Program) -> Parameters | None:
    try:
        return ConstrainedKMeans(delta=delta, method=program, centers="means").start(sample, k, None)
    except InfeasibleError:
        if program == "exact":
            raise
        return None


def _same(one: Parameters | None, two: Parameters) -> bool:
    return one is not None and all(
        np.array_equal(getattr(one, name), getattr(two, name)) for name in ("weights", "means", "variances")
    )


def _cost(start: Parameters | None, sample: Sample) -> float:
    """Return the cost of the k-means solution of a start."""
    return np.nan if start is None else float(start.weights @ start.variances) * len(sample)


def _fit(
    sample: Sample, start: Parameters, constraint: Constraint | None, experiment: Experiment, data: Labelled
) -> FloatArray:
    """Return the three errors of a fit, whether it converged, and whether its means changed their order."""
    result = mixture(
        sample,
        experiment.k,
        constraint,
        init=start,
        method="paper",
        tol=TOLERANCE,
        max_iter=MOST_ITERATIONS,
    )
    errors = mixture_errors(result, MODELS[experiment.model], data)
    crossed = bool((np.diff(result.origins) < 0).any())
    return np.array([*errors, result.converged, crossed])


def mixture_errors(result: MixtureResult, model: Model, data: Labelled) -> tuple[float, float, float]:
    """Return the centre error, the error in all parameters, and the Rand index.

    As in the authors' program, components keep the order of the start, even if the means of regular EM have crossed.
    """
    back = np.argsort(result.origins)
    started = replace(result, weights=result.weights[back], means=result.means[back], variances=result.variances[back])
    parameters = mean_parameter_error(started, model.weights, model.means, np.square(model.deviations))
    return mean_center_error(started, model.means), parameters, rand_index(result.labels, data.groups)
