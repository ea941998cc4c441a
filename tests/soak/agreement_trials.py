"""Trials of what must agree: interfaces, chains of constraints, scales, large data."""

from __future__ import annotations

import contextlib
import io
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

import mindgap as mg
from mindgap.cli import run
from mindgap.sklearn import GaussianMixture1D, KMeans1D
from soak import draw
from soak.draw import Floats
from soak.kmeans_trials import fit_or_none, is_sound, noise, tolerance


def faces(rng: np.random.Generator) -> str:
    """The function, the estimator, the command line and the stored result have the same bits."""
    n = int(rng.integers(3, 120))
    x = draw.values(rng, n)
    w = None if rng.random() < 0.5 else rng.uniform(0.1, 3, n)
    k = draw.clusters(rng, x, 4)
    lower, upper = draw.bounds(rng, x, k)
    spec = f"per-gap:lower={written(lower)},upper={written(upper)}" if k > 1 else "lower-only:delta=0"
    if rng.random() < 0.5:
        centers = str(rng.choice(["means", "free"]))
        fit = fit_or_none(x, k, lower, upper, w, centers=centers)
        told = answer(x, w, "kmeans", "-k", k, "--constraint", spec, "--centers", centers)
        if fit is None:
            assert told == "3", f"the command line ends with {told}"
            return "infeasible"
        estimator = KMeans1D(k, constraint=spec, centers=centers)  # type: ignore[arg-type]
        estimator.fit(x[:, None], sample_weight=w)
        for other in (estimator.result_, mg.KMeansResult.from_json(told), mg.KMeansResult.from_json(fit.to_json())):
            assert np.array_equal(other.centers, fit.centers), "centres differ"
            assert np.array_equal(other.labels, fit.labels), "labels differ"
            assert (other.inertia, other.lower_bound) == (fit.inertia, fit.lower_bound), "costs differ"
        return centers
    constraint = mg.PerGap(lower, upper) if k > 1 else mg.LowerOnly(0)
    mixture = mg.mixture(x, k, constraint, init="ckmeans", max_iter=15, sample_weight=w)
    told = answer(x, w, "mixture", "-k", k, "--constraint", spec, "--init", "ckmeans", "--max-iter", 15)
    model = GaussianMixture1D(k, constraint=spec, init="ckmeans", max_iter=15).fit(x[:, None], sample_weight=w)
    for same in (model.result_, mg.MixtureResult.from_json(told), mg.MixtureResult.from_json(mixture.to_json())):
        for name in ("weights", "means", "variances", "history", "labels"):
            assert np.array_equal(getattr(same, name), getattr(mixture, name)), f"{name} differ"
    return "mixture"


def written(bounds: Floats) -> str:
    """Bounds as a command takes them."""
    return "[" + ",".join(repr(bound) for bound in bounds.tolist()) + "]"


def answer(x: Floats, w: Floats | None, *arguments: object) -> str:
    """What a command prints as JSON, or the code that it ends with."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "data.csv"
        rows = zip(x.tolist(), (np.ones(len(x)) if w is None else w).tolist(), strict=True)
        table.write_text("\n".join(["x,w", *(f"{value!r},{weight!r}" for value, weight in rows)]))
        weights = [] if w is None else ["--weights", "w"]
        command, *more = map(str, arguments)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                run([command, str(table), "--column", "x", *weights, *more, "--json"])
            except SystemExit as end:
                code = end.code
        assert code in {0, 3}, f"exit code {code}: {errors.getvalue()}"
        return out.getvalue() if code == 0 else str(code)


def refinements(rng: np.random.Generator) -> str:
    """Whatever asks for more costs no less: nothing, a bound, a larger one, an upper one too, both alike."""
    n = int(10 ** rng.uniform(0.5, 3.3))
    x = draw.values(rng, n)
    w = draw.weights(rng, n)
    k = draw.clusters(rng, x, 6)
    unit = float(np.ptp(x)) / max(k - 1, 1)
    low = np.sort(rng.uniform(0, 0.7, (2, k - 1)), axis=0) * unit
    none = np.full(k - 1, np.inf)
    wide = low[1] + rng.uniform(0.2, 1, k - 1) * unit
    narrow = low[1] + 0.5 * (wide - low[1])
    chain = [(np.zeros(k - 1), none), (low[0], none), (low[1], none), (low[1], wide), (low[1], narrow)]
    rough = noise(x, np.ones(n) if w is None else w)
    ended = 0
    for centers in ("means", "free"):
        fits = [fit_or_none(x, k, *bounds, w, centers=centers) for bounds in chain]
        for before, after in pairwise(fits):
            assert before is not None or after is None, f"{centers}: asking for more makes it feasible"
            if before is None or after is None:
                continue
            ended += 1
            # A slack of the bounds may be worth a little; a bound that is not proven is a bound all the same.
            assert before.lower_bound <= after.inertia * (1 + 1e-9) + rough + slope(x, w, after), f"{centers}: bound"
            if before.optimal:
                assert before.inertia <= after.inertia * (1 + 1e-9) + rough + slope(x, w, after), f"{centers}: cost"
    return f"{ended // 4 * 4}+ steps"


def slope(x: Floats, w: Floats | None, fit: mg.KMeansResult) -> float:
    """What the tolerance of the bounds may be worth."""
    total = float(len(x) if w is None else w.sum())
    return float(4 * tolerance(x) * np.sqrt(fit.inertia) * np.sqrt(total))


def scales(rng: np.random.Generator) -> str:
    """Any scale from subnormal to 1e300 and any shift: a clear error, or the fit of the same data at scale one."""
    n = int(rng.integers(2, 60))
    x = np.round(rng.normal(0, 3, n) * 64) / 64
    if rng.random() < 0.3:
        x += 2.0 ** rng.integers(10, 45)
    k = draw.clusters(rng, x, 3)
    exponent = int(rng.integers(-1074, 1010))
    factor = np.ldexp(1.0, exponent)
    delta = float(np.round(rng.uniform(0, 0.5) * np.ptp(x) / k * 64) / 64)
    with np.errstate(over="ignore"):
        scaled = x * factor
    kind = str(rng.choice(["means", "free", "mixture"]))

    def fit(data: Floats, bound: float) -> mg.KMeansResult | mg.MixtureResult | None:
        try:
            if kind == "mixture":
                return mg.mixture(data, k, mg.LowerOnly(bound), init="ckmeans", max_iter=5)
            return mg.kmeans(data, k, mg.LowerOnly(bound), centers=kind)  # type: ignore[arg-type]
        except mg.InfeasibleError:
            return None

    plain = fit(x, delta)
    try:
        other = fit(scaled, delta * factor)
    except mg.InvalidInputError as error:
        span = float(np.ptp(x))
        lost = not np.array_equal(scaled / factor, x) or not np.all(np.isfinite(scaled))
        extreme = not 1e-140 < span * float(factor) < 1e140 if span > 0 else lost
        if not (extreme or lost):
            raise AssertionError(f"refused at {factor:e}") from error
        return "refused"
    if exponent < -460 or exponent > 460:
        # Beyond what is promised: an answer is a finite one.
        assert other is None or np.all(np.isfinite(other.gaps)), "not finite"
        return "at the edge"
    if plain is None or other is None:
        assert plain is other, "the scale decides feasibility"
        return "infeasible"
    assert np.array_equal(plain.labels, other.labels), f"labels move at {factor:e}"
    assert np.array_equal(plain.gaps * factor, other.gaps), f"gaps move at {factor:e}"
    return kind


def large(rng: np.random.Generator) -> str:
    """N to a million under bounds: what a result says of itself is true, and no constraint is cheaper than none."""
    n = int(10 ** rng.uniform(4.3, 6))
    x = draw.values(rng, n)
    k = draw.clusters(rng, x, 6)
    delta = float(rng.uniform(0, 0.6) * np.ptp(x) / max(k - 1, 1))
    least, none = np.full(k - 1, delta), np.full(k - 1, np.inf)
    free = mg.kmeans(x, k, mg.LowerOnly(delta), centers="free")
    is_sound(x, None, free, least, none)
    floor = mg.kmeans(x, k)
    rough = noise(x, np.ones(n))
    assert floor.lower_bound <= free.inertia * (1 + 1e-9) + rough, "a constraint made it cheaper"
    fit = fit_or_none(x, k, least, none, None)
    if fit is None:
        return "infeasible"
    is_sound(x, None, fit, least, none)
    assert free.lower_bound <= fit.inertia * (1 + 1e-9) + rough, "the bound of free centres is above the means'"
    if free.optimal:
        assert free.inertia <= fit.inertia * (1 + 1e-9) + rough + slope(x, None, fit), "means are cheaper than free"
    return "proven" if fit.optimal and free.optimal else "not proven"


TRIALS = {
    "faces": faces,
    "refinements": refinements,
    "scales": scales,
    "large": large,
}
