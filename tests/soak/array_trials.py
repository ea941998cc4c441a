"""Trials of array-likes: each is fitted as the doubles that it stands for, or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import mindgap as mg
from soak.attempt import attempt, refused
from soak.foreign_arrays import Raises, foreign

_X = np.array([0.0, 1.0, 1.5, 4.0, 5.0, 9.0])
_KMEANS = mg.kmeans(_X, 2)
_MIXTURE = mg.mixture(_X, 2, max_iter=3)

#: Each way into mindgap for numbers, and bits to compare that come out.
WAYS: dict[str, Callable[[Any], Any]] = {
    "kmeans": lambda x: bits(mg.kmeans(x, 2), "centers", "labels"),
    "kmeans-weights": lambda w: bits(mg.kmeans(_X, 2, sample_weight=w), "centers", "labels"),
    "kmeans-bounds": lambda x: bits(mg.kmeans(x, 2, mg.LowerOnly(0.5)), "centers", "labels"),
    "mixture": lambda x: bits(mg.mixture(x, 2, max_iter=5), "means", "variances", "labels"),
    "mixture-weights": lambda w: bits(mg.mixture(_X, 2, max_iter=5, sample_weight=w), "means", "variances"),
    "mixture-start": lambda m: bits(mg.mixture(_X, 2, max_iter=5, init=([0.5, 0.5], m, [1.0, 1.0])), "means"),
    "sample": lambda x: bits(mg.Sample(x), "values"),
    "predict": lambda x: _KMEANS.predict(x).tobytes(),
    "memberships": lambda x: _MIXTURE.predict(x).tobytes() + _MIXTURE.predict_proba(x).tobytes(),
    "densities": lambda x: _MIXTURE.score_samples(x).tobytes(),
    "score": lambda x: str(_MIXTURE.score(x)),
    "score-weights": lambda w: str(_MIXTURE.score(_X, w)),
    "gap-bounds": lambda x: bits(mg.GapBounds(x), "lower", "upper"),
    "per-gap": lambda x: bits(mg.PerGap(x, x), "lower", "upper"),
    "rows": lambda x: bits(mg.LinearRows([[1.0, 0.5]] * 3, x, x), "lower", "upper"),
    "row": lambda x: bits(mg.LinearRows([x], [0.0], [1.0]), "matrix"),
    "moments": lambda x: bits(mg.Moments(x, x, x, 0.0), "weight"),
    "moments-of": lambda x: bits(mg.Moments.of(x, None, [0.5, 0.5], [0.0, 5.0], [1.0, 2.0]), "weight", "first"),
    "summary": lambda x: mg.Summary.of(x).to_json(),
    "windows": lambda x: mg.Summary.of_windows(_X, [x])[0].to_json(),
    "chunks": lambda x: bits(mg.kmeans(mg.Chunks([(x, None)]), 2), "centers", "sizes"),
    "chunks-weights": lambda w: bits(mg.kmeans(mg.Chunks(_X, w, 3), 2), "centers", "sizes"),
    "path": lambda x: bits(mg.gap_path(_X, 2, x, max_iter=2), "deltas", "means"),
}


def bits(answer: Any, *names: str) -> bytes:
    """The bytes of some arrays."""
    return b"|".join(np.ascontiguousarray(getattr(answer, name)).tobytes() for name in names)


def foreign_arrays(rng: np.random.Generator) -> str:
    """Numbers in any dress, through each door."""
    handed, doubles = foreign(rng)
    name = str(rng.choice(list(WAYS)))
    if name in ("row", "windows") and not (isinstance(handed, np.ndarray) and handed.ndim == 1):
        name = "kmeans"
    answer = attempt(lambda: WAYS[name](handed))
    if doubles is None:
        assert refused(answer), f"{name} took {type(handed)}: {answer!r}"
        return "refused"
    plain = attempt(lambda: WAYS[name](np.array(doubles)))
    assert type(answer) is type(plain), f"{name}: {answer!r}, plain {plain!r}"
    assert refused(answer) or answer == plain, f"{name}: another answer than for plain doubles"
    return "refused as plain" if refused(answer) else "as plain"


#: What a setting may be given as.
_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2**70, 10**5000, -(10**5000), 1.5, float("nan"), float("inf"), 5e-324, 1e308, 1j, "",
    "free", "means", "auto", "local", "lower-only:delta=1", "lower-only:delta=" + "-" * 3000 + "1", "x:y='\\d'",
    "per-gap:lower=" + "[" * 90 + "]" * 90, "per-gap:lower=[[1]]", "x:y=1if 1else 2", b"free", [], [1, 2], (1, 2, 3),
    {}, "\ud800", np.float32(0.5), np.int8(2), np.array(2), np.array([2.0]), np.timedelta64(2), np.datetime64("2026"),
    Raises(ZeroDivisionError()), Raises(RecursionError()), int, mg.LowerOnly, mg.LowerOnly(0.5), mg.Ckmeans(),
    mg.Local(), ([0.5, 0.5], [0, 1], [1, 1]), ([1], [1], [1]), lambda *_: None, object(),
)  # fmt: skip
_OF_ALL = ("k", "constraint", "engine", "sample_weight")
_OF_MIXTURES = ("init", "tol", "tol_scale", "max_iter", "variances", "min_variance")
_SETTINGS: dict[Callable[..., Any], tuple[str, ...]] = {
    mg.kmeans: (*_OF_ALL, "centers", "method", "ties"),
    mg.mixture: (*_OF_ALL, *_OF_MIXTURES),
    mg.select: (*_OF_ALL, *_OF_MIXTURES, "criterion"),
    mg.gap_path: (*_OF_ALL, *_OF_MIXTURES, "deltas", "width"),
}


def foreign_settings(rng: np.random.Generator) -> str:
    """Settings that are something else altogether."""
    call = list(_SETTINGS)[rng.integers(len(_SETTINGS))]
    chosen = rng.choice(_SETTINGS[call], int(rng.integers(1, 3)), replace=False)
    given: dict[str, Any] = {name: _VALUES[rng.integers(len(_VALUES))] for name in chosen.tolist()}
    given.setdefault("k", [1, 2] if call is mg.select else 2)
    if call is not mg.kmeans and not isinstance(given.get("max_iter"), int):
        given.setdefault("max_iter", 3)
    if isinstance(given.get("deltas"), int) and given["deltas"] > 1000:
        given["deltas"] = 7
    answer = attempt(lambda: call(_X, **given))
    return "refused" if refused(answer) else "fitted"


TRIALS = {"arrays": foreign_arrays, "settings": foreign_settings}
