"""Results to draw, built by hand: the parameters of a known mixture and data drawn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.inference import GapPath, Selection
from mindgap.model.bounds import GapBounds
from mindgap.results.histogram import Histogram, histogram_of
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult

if TYPE_CHECKING:
    from mindgap.validation import FloatArray


def gaps_of(k: int) -> FloatArray:
    """Uneven gaps, of which every third is at its lower bound of 2."""
    gaps: FloatArray = 2.0 + 0.9 * np.abs(np.sin(np.arange(k - 1) * 1.7))
    gaps[::3] = 2.0
    return gaps


def bounds_of(k: int, per_gap: bool) -> GapBounds | None:
    if k == 1:
        return None
    if not per_gap:
        return GapBounds(np.full(k - 1, 2.0))
    gaps = gaps_of(k)
    lower = np.where(gaps == 2.0, 2.0, 1.123)
    return GapBounds(lower, np.where(np.arange(k - 1) % 2 == 0, 3.456, np.inf))


def active_of(k: int) -> tuple[str, ...]:
    return tuple("lower" if gap == 2.0 else "free" for gap in gaps_of(k))


def data_of(k: int, n: int = 1500) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Values, weights, means and variances."""
    means = np.concatenate([[0.0], np.cumsum(gaps_of(k))])
    weights = 1 + 0.6 * np.cos(np.arange(k) * 2.3)
    weights /= weights.sum()
    variances = (0.5 + 0.3 * np.sin(np.arange(k))) ** 2
    rng = np.random.default_rng(7)
    component = rng.choice(k, size=n, p=weights)
    return rng.normal(means[component], np.sqrt(variances[component])), weights, means, variances


def a_mixture(k: int, *, per_gap: bool = False, histogram: Histogram | None = None) -> MixtureResult:
    values, weights, means, variances = data_of(k)
    history = -3000.0 - 200.0 * np.exp(-np.arange(20) / 3)
    return MixtureResult(
        weights=weights,
        means=means,
        variances=variances,
        origins=np.arange(k),
        labels=np.zeros(len(values), dtype=np.int32),
        log_likelihood=float(history[-1]),
        history=history,
        n_iter=19,
        status="converged",
        message="converged",
        gaps=np.diff(means),
        active=active_of(k),
        n_parameters=3 * k - 1,
        total_weight=float(len(values)),
        entropy=12.5,
        bounds=bounds_of(k, per_gap),
        data=histogram_of(values) if histogram is None else histogram,
    )


def a_kmeans(k: int, *, per_gap: bool = False) -> KMeansResult:
    values, _, means, _ = data_of(k)
    boundaries = (means[1:] + means[:-1]) / 2
    labels = np.searchsorted(boundaries, values).astype(np.int32)
    return KMeansResult(
        labels=labels,
        centers=means,
        boundaries=boundaries,
        sizes=np.bincount(labels, minlength=k),
        within=np.bincount(labels, (values - means[labels]) ** 2, minlength=k).astype(np.float64),
        inertia=float(((values - means[labels]) ** 2).sum()),
        gaps=np.diff(means),
        active=active_of(k),
        lower_bound=0.0,
        optimal=True,
        weights=np.bincount(labels, minlength=k).astype(np.float64),
        bounds=bounds_of(k, per_gap),
        data=histogram_of(values),
    )


def a_path(k: int) -> GapPath:
    """The means move apart as δ grows beyond their gaps."""
    deltas = np.linspace(0, 3, 16)
    results = []
    for delta in deltas:
        mixture = a_mixture(k)
        gaps = np.maximum(mixture.gaps, delta)
        means = mixture.means[0] + np.concatenate([[0.0], np.cumsum(gaps)])
        fields = {name: getattr(mixture, name) for name in mixture.__dataclass_fields__}
        fields |= {
            "means": means,
            "gaps": gaps,
            "active": tuple("lower" if delta >= gap else "free" for gap in mixture.gaps),
            "bounds": None if k == 1 else GapBounds(np.full(k - 1, delta)),
            "log_likelihood": mixture.log_likelihood - 5 * max(delta - 2.0, 0.0) ** 2 * (k - 1),
        }
        results.append(MixtureResult(**fields))
    return GapPath(deltas, tuple(results))


def a_selection(most: int) -> Selection:
    ks = tuple(range(1, most + 1))
    values = 3000.0 + 900.0 / np.array(ks) ** 2 + 40.0 * np.array(ks)
    nothing = (None,) * most
    return Selection("bic", ks, ("free",) * most, ("none",) * most, nothing, values, nothing)
