"""Trials of mixtures: what every fit guarantees, and units that change no bit."""

from __future__ import annotations

import numpy as np

import mindgap as mg
from soak import draw
from soak.draw import Floats


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


TRIALS = {"mixture-promises": promises, "mixture-units": units}
