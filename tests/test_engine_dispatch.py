"""Data that belong to an engine reach it without `engine=`, and are never collected silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.host.manager import PluginHost

X = np.random.default_rng(3).normal(size=400) + 5 * np.repeat([0, 1], 200)


class Boxed:
    """Numbers that only the engine below can reach."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("collected")


class Boxes(mg.Local):
    name = "boxes"

    @classmethod
    def takes(cls, x: Any) -> bool:
        return isinstance(x, Boxed)

    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        return super().load(x.values, sample_weight)

    def map(self, x: Any, work: Callable[[Any], Any], dtype: Any, columns: int | None = None) -> Any:
        return Boxed(work(x.values))


class Lazy:
    """Looks like a Dask collection."""

    def __dask_graph__(self) -> dict[str, int]:
        return {}

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("collected")


@pytest.fixture
def boxes(fresh_host: PluginHost) -> type[Boxes]:
    return mg.register(Boxes)


def test_a_fit_goes_to_the_engine_that_takes_the_data(boxes: type[Boxes]) -> None:
    assert mg.kmeans(Boxed(X), 2).inertia == mg.kmeans(X, 2).inertia
    fit = mg.mixture(Boxed(X), 2)
    np.testing.assert_allclose(fit.means, mg.mixture(X, 2).means, rtol=1e-6)
    assert mg.select(Boxed(X), [1, 2]).best == 2


def test_predictions_keep_the_form_of_the_data(boxes: type[Boxes]) -> None:
    clusters, fit = mg.kmeans(X, 2), mg.mixture(X, 2)
    for ask in (clusters.predict, fit.predict, fit.predict_proba, fit.score_samples):
        found: Any = ask(Boxed(X))
        assert isinstance(found, Boxed)
        np.testing.assert_array_equal(found.values, ask(X))


def test_two_engines_for_the_same_data_are_named(boxes: type[Boxes]) -> None:
    class Others(Boxes):
        name = "others"

    mg.register(Others)
    with pytest.raises(mg.InvalidInputError, match="'boxes' and 'others' both take a Boxed; name one"):
        mg.kmeans(Boxed(X), 2)
    assert mg.kmeans(Boxed(X), 2, engine="others").k == 2


def test_an_engine_that_cannot_say_stops_nobody(boxes: type[Boxes]) -> None:
    class Broken(Boxes):
        name = "broken"

        @classmethod
        def takes(cls, x: Any) -> bool:
            raise RuntimeError("no idea")

    mg.register(Broken)
    with pytest.warns(mg.PluginWarning, match="'broken' raised RuntimeError: no idea"):
        assert mg.kmeans(Boxed(X), 2).k == 2


def test_lazy_data_without_their_engine_are_refused_with_what_to_do(
    fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh_host, "_found", [])
    lazy: Any = Lazy()
    fit = mg.mixture(X, 2)
    for ask in (lambda: mg.kmeans(lazy, 2), lambda: mg.mixture(lazy, 2), lambda: fit.predict_proba(lazy)):
        with pytest.raises(mg.InvalidInputError, match=r"pip install mindgap-dask.*compute\(\)"):
            ask()
    for other in (lambda: mg.Sample(lazy), lambda: mg.Summary.of(lazy), lambda: mg.kmeans(X, 2, sample_weight=lazy)):
        with pytest.raises(mg.InvalidInputError, match="not in this process"):
            other()


def test_arrays_ask_no_engine(fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(package: str) -> None:
        raise AssertionError(f"asked about {package}")

    monkeypatch.setattr(fresh_host, "engines_near", refuse)
    fit = mg.kmeans(X.tolist(), 2)
    assert fit.predict(X).shape == X.shape
