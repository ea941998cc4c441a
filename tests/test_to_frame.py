"""Results as data frames, and the error if no library for them is installed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mindgap as mg

X = [1.0, 2.0, 4.0, 5.0, 9.0, 10.0]


def test_kmeans() -> None:
    pytest.importorskip("pandas")
    result = mg.kmeans(X, 3, mg.LowerOnly(2.0))
    frame = result.to_frame()
    assert list(frame.columns) == [
        "cluster",
        "center",
        "size",
        "within",
        "gap_to_next",
        "gap_lower",
        "gap_upper",
        "active",
        "threshold_to_next",
    ]
    assert frame["center"].tolist() == result.centers.tolist()
    assert frame["gap_to_next"].tolist()[:2] == result.gaps.tolist()
    assert math.isnan(frame["gap_to_next"].tolist()[2])
    assert frame["gap_lower"].tolist()[:2] == [2.0, 2.0]
    assert frame["gap_upper"].tolist()[:2] == [math.inf, math.inf]
    free = mg.kmeans(X, 1).to_frame()
    assert len(free) == 1


def test_mixture() -> None:
    pytest.importorskip("pandas")
    result = mg.mixture(np.random.default_rng(0).normal(size=200), 2)
    frame = result.to_frame()
    assert frame["variance"].tolist() == result.variances.tolist()
    assert frame["active"].tolist() == [None, None]
    assert np.isnan(frame["gap_lower"]).all()
    held = mg.mixture(np.random.default_rng(0).normal(size=200), 2, mg.LowerOnly(1), init="ckmeans")
    assert held.to_frame()["active"].tolist() == [*held.active, None]


def test_linear_rows_are_not_gaps() -> None:
    pytest.importorskip("pandas")

    class Sum(mg.Constraint):
        name = "sum"

        def rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows(np.ones((1, k)), [0], [0])

    frame = mg.mixture(np.random.default_rng(0).normal(size=200), 3, Sum()).to_frame()
    assert frame["active"].tolist() == [None, None, None]


def test_polars_where_there_is_no_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("mindgap.results.frames.find_spec", lambda name: True if name == "polars" else None)
    frame = mg.kmeans(X, 2).to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["cluster"].to_list() == [0, 1]
    assert frame["gap_to_next"].to_list()[1] is None


def test_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindgap.results.frames.find_spec", lambda name: None)
    with pytest.raises(mg.MissingExtraError, match=r'pip install "mindgap\[frame\]"'):
        mg.kmeans(X, 2).to_frame()


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_the_library_can_be_named(backend: Any) -> None:
    library = pytest.importorskip(backend)
    values = np.random.default_rng(0).normal(size=60)
    fit = mg.mixture(values, 2, mg.LowerOnly(0.5))
    for result in (
        mg.kmeans(X, 3, mg.LowerOnly(2.0)),
        fit,
        fit.bootstrap(3, 0),
        mg.select(values, [1, 2]),
        mg.gap_path(values, 2, [0.0, 1.0]),
    ):
        frame = result.to_frame(backend=backend)
        assert isinstance(frame, library.DataFrame)
        assert len(frame) > 0
    assert fit.to_frame(backend=backend)["mean"].to_list() == fit.means.tolist()


def test_a_library_that_is_not_known_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="backend must be 'pandas' or 'polars', not 'excel'"):
        mg.kmeans(X, 2).to_frame(backend="excel")  # type: ignore[arg-type]
