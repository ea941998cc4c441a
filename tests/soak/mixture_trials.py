"""Trials of mixtures: one iteration against one written out, and what every fit promises."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import mindgap as mg
from soak import draw
from soak.draw import Floats
from soak.mean_program import Rows, best_means, expectation


class Given(mg.Constraint):
    """Rows that are given."""

    name = "given"

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def rows(self, k: int) -> mg.LinearRows:
        """Return the rows, whatever k is."""
        return mg.LinearRows(*self._rows)


def random_rows(rng: np.random.Generator, x: Floats, k: int) -> Rows:
    """Rows through one point, so that they can be held; some say the same twice, to rounding alone."""
    point = np.sort(rng.uniform(x.min(), x.max(), k))
    count = int(rng.integers(1, 4))
    matrix = rng.integers(-3, 4, (count, k)) * rng.choice([1.0, 0.1, 0.7])
    matrix[np.arange(count), rng.integers(0, k, count)] = 1.0
    if rng.random() < 0.5:
        matrix *= 10.0 ** rng.uniform(-4, 4, (count, 1))
    if rng.random() < 0.3:
        matrix *= 10.0 ** rng.uniform(-4, 4, (count, k))
    if count > 1 and rng.random() < 0.4:
        matrix[-1] = rng.choice([3.0, -0.3, 1.0]) * matrix[0] + (matrix[1] if count > 2 else 0)
    matrix[~matrix.any(axis=1), 0] = 1.0
    value = matrix @ point
    room = np.abs(matrix).sum(axis=1) * np.ptp(x) * 10.0 ** rng.uniform(-3, 0, count)
    kind = rng.integers(0, 4, count)
    lower = np.where(kind == 2, -np.inf, np.where(kind == 0, value, value - room * rng.random(count)))
    upper = np.where(kind == 1, np.inf, np.where(kind == 0, value, value + room * rng.random(count)))
    return Rows(matrix, lower, upper)


def random_start(rng: np.random.Generator, x: Floats, k: int) -> tuple[Floats, Floats, Floats]:
    """Parameters of the data's size, feasible or not."""
    weights = rng.uniform(0.2, 1, k)
    means = np.sort(rng.uniform(x.min(), x.max(), k))
    return weights / weights.sum(), means, ((np.ptp(x) or 1.0) * rng.uniform(0.1, 0.6, k)) ** 2


def data(rng: np.random.Generator, k: int) -> tuple[Floats, Floats | None]:
    """Data with room for k components, and their weights."""
    while True:
        n = int(rng.integers(k, 200))
        x = draw.values(rng, n)
        if len(np.unique(x)) >= k:
            return x, draw.weights(rng, n)


def gap_rows(lower: Floats, upper: Floats) -> Rows:
    return Rows(np.diff(np.eye(len(lower) + 1), axis=0), lower, upper)


def one_step(rng: np.random.Generator) -> str:
    """One iteration from a given start, under gap bounds or rows."""
    k = int(rng.integers(1, 4))
    x, w = data(rng, k)
    start = random_start(rng, x, k)
    by_rows = bool(rng.random() < 0.6)
    rows = random_rows(rng, x, k) if by_rows else gap_rows(*draw.bounds(rng, x, k))
    constraint = Given(rows) if by_rows else mg.PerGap(rows.lower, rows.upper)
    try:
        fit = mg.mixture(x, k, constraint, init=start, tol=0, max_iter=1, sample_weight=w)
    except mg.InfeasibleError as error:
        raise AssertionError(f"rows through {rows} are called infeasible: {error}") from error
    except mg.InvalidInputError as error:
        # Rows of lopsided coefficients can pass through the data and yet be out of reach when rounded.
        if "million times" not in str(error):
            raise
        return "off scale"
    shift, reach = float(np.sort(x)[len(x) // 2]), float(np.ptp(x)) or 1.0
    step = expectation(x - shift, np.ones(len(x)) if w is None else w, (start[0], start[1] - shift, start[2]))
    held = rows.about(shift).ascending() if by_rows or np.any(rows.lower > 0) or np.any(rows.upper < np.inf) else None
    size = np.abs(rows.matrix).sum(axis=1)
    # Bounds are known to a few roundings of the data's own size.
    known = 1e-10 * reach + 16 * np.finfo(float).eps * float(np.abs(x).max())
    missed = rows.about(shift).misses(fit.means - shift) / size if held else np.zeros(1)
    # Means come back in the data's units, rounded to them.
    assert np.all(missed <= known), f"rows are missed by {missed} of {known}"
    if step.shares.min() < 1e-6:
        return "a component is lost"
    # Components come by ascending mean, so those whose means tie or cross may have changed places.
    agree_arrays(np.sort(fit.weights), np.sort(step.shares), 1e-9, "weights")
    if held is None:
        return "nothing asked"
    if all_but_parallel(held.matrix):
        # Rounding decides what such rows ask.
        return "ill-conditioned"
    slack = np.concatenate([size, np.full(k - 1, 2.0)]) * (1e-12 * reach + 16 * np.finfo(float).eps * abs(shift))
    expected = best_means(step.means, step.stiffness, held, slack)
    assert expected is not None, "the oracle finds no means"
    cost, least = (float(np.sum(step.stiffness * (means - step.means) ** 2)) for means in (fit.means - shift, expected))
    rough = float(np.sum(step.stiffness) * (known**2 + known * np.sqrt(least / np.sum(step.stiffness))))
    assert cost <= least * (1 + 1e-7) + 100 * rough, f"means {fit.means - shift}, {cost}; oracle {expected}, {least}"
    return "rows" if by_rows else "gaps"


def all_but_parallel(matrix: Floats) -> bool:
    """Whether some rows nearly depend on each other, but do not."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    subsets = (subset for size in range(2, unit.shape[1] + 1) for subset in combinations(range(len(unit)), size))
    least = [np.linalg.svd(unit[list(subset)], compute_uv=False)[-1] for subset in subsets]
    return any(1e-14 < angle < 1e-4 for angle in least)


def agree_arrays(left: Floats, right: Floats, tolerance: float, what: str) -> None:
    """Raise unless the arrays are the same to a tolerance."""
    if not np.all(np.abs(left - right) <= tolerance):
        raise AssertionError(f"{what}: {left} and {right}")


def promises(rng: np.random.Generator) -> str:
    """Whole fits: the likelihood rises, the bounds are held, every number is one, `predict` gives the labels."""
    k = int(rng.integers(1, 6))
    x, w = data(rng, k)
    lower, upper = draw.bounds(rng, x, k)
    constraint = mg.PerGap(lower, upper) if rng.random() < 0.8 else None
    variances = "equal" if rng.random() < 0.3 else "free"
    init = str(rng.choice(["auto", "ckmeans"]))
    try:
        fit = mg.mixture(
            x,
            k,
            constraint,
            init=init,
            max_iter=60,
            sample_weight=w,
            variances=variances,  # type: ignore[arg-type]
        )
    except mg.InfeasibleError:
        assert init == "auto", "only the start by constrained k-means can fail"
        return "no start"
    for name in ("weights", "means", "variances", "history"):
        assert np.all(np.isfinite(getattr(fit, name))), f"{name}: {getattr(fit, name)}"
    assert np.all(fit.variances > 0), "variances"
    assert np.all(np.diff(fit.means) >= 0), "means ascend"
    assert abs(fit.weights.sum() - 1) < 1e-12, "weights"
    reach = float(np.ptp(x))
    if constraint is not None:
        assert np.all(fit.gaps >= lower - 1e-10 * reach), f"gaps {fit.gaps} under {lower}"
        assert np.all(fit.gaps <= upper + 1e-10 * reach), f"gaps {fit.gaps} over {upper}"
    size = np.abs(fit.history).max() + (len(x) if w is None else w.sum())
    falls = -np.diff(fit.history[1:])
    assert np.all(falls <= 1e-10 * size), f"the likelihood falls by {falls.max() / size} of itself"
    assert np.array_equal(fit.predict(x), fit.labels), "predict gives the labels"
    chances = fit.predict_proba(x)
    assert np.all(np.abs(chances.sum(axis=1) - 1) < 1e-12), "probabilities"
    return fit.status if isinstance(fit.status, str) else str(fit.status)


def units(rng: np.random.Generator) -> str:
    """A power of two as the unit, and the order of the input: not one bit moves."""
    k = int(rng.integers(1, 5))
    x = draw.plain(rng, int(rng.integers(20, 300)))
    lower, upper = draw.bounds(rng, x, k)
    start = random_start(rng, x, k)
    scale = 2.0 ** rng.integers(-300, 300)
    one = mg.mixture(x, k, mg.PerGap(lower, upper), init=start, max_iter=20)
    turned = rng.permutation(len(x))
    other = mg.mixture(
        x[turned] * scale,
        k,
        mg.PerGap(lower * scale, upper * scale),
        init=(start[0], start[1] * scale, start[2] * scale**2),
        max_iter=20,
    )
    assert np.array_equal(one.weights, other.weights), "weights move"
    assert np.array_equal(one.means * scale, other.means), "means move"
    assert np.array_equal(one.variances * scale**2, other.variances), "variances move"
    assert np.array_equal(one.labels[turned], other.labels), "labels move"
    return "same"


TRIALS = {"mixture-step": one_step, "mixture-promises": promises, "mixture-units": units}
