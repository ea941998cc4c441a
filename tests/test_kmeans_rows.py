"""K-means under linear rows: alternation with a lower bound."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg

SPACING = Path(__file__).parents[1] / "plugins" / "mindgap-spacing" / "src"


class Rows(mg.Constraint):
    """Whatever rows it is given."""

    name = "rows-of-a-test"

    def __init__(self, matrix: Any, lower: Any, upper: Any) -> None:
        self._answer = mg.LinearRows(matrix, lower, upper)

    def rows(self, k: int) -> mg.LinearRows:
        return self._answer


def equal_spacing(k: int) -> Rows:
    matrix = np.zeros((k - 2, k))
    for row in range(k - 2):
        matrix[row, row : row + 3] = 1, -2, 1
    return Rows(matrix, np.zeros(k - 2), np.zeros(k - 2))


@pytest.fixture
def peaks() -> Any:
    rng = np.random.default_rng(5)
    return np.repeat(np.arange(5) * 2.0, [200, 150, 100, 60, 30]) + rng.normal(0, 0.3, 540)


def test_equal_spacing_is_found_and_held(peaks: Any) -> None:
    result = mg.kmeans(peaks, 5, equal_spacing(5))
    assert np.ptp(result.gaps) <= 1e-10 * np.ptp(peaks)
    assert result.gaps[0] == pytest.approx(2.0, abs=0.05)
    assert result.active == ("both",) * 3
    plain = mg.kmeans(peaks, 5)
    assert result.lower_bound == pytest.approx(plain.inertia, rel=1e-9)
    assert plain.inertia < result.inertia < 1.1 * plain.inertia
    assert not result.optimal
    about = ((peaks - result.centers[result.labels]) ** 2).sum()
    assert result.inertia == pytest.approx(about, rel=1e-9)


def test_both_kinds_of_centres_are_the_same(peaks: Any) -> None:
    means, free = (mg.kmeans(peaks, 5, equal_spacing(5), centers=centers) for centers in ("means", "free"))
    assert means.centers.tolist() == free.centers.tolist()


def test_rows_that_bound_gaps_give_the_free_optimum(peaks: Any) -> None:
    bounds = mg.GapBounds([2.1] * 4, [2.2] * 4)
    rows = bounds.as_rows()
    result = mg.kmeans(peaks, 5, Rows(rows.matrix, rows.lower, rows.upper))
    free = mg.kmeans(peaks, 5, mg.PerGap(bounds.lower, bounds.upper), centers="free")
    assert result.inertia == pytest.approx(free.inertia, rel=1e-9)
    assert result.optimal == free.optimal


def test_rows_that_hold_nothing_back_are_proven(peaks: Any) -> None:
    result = mg.kmeans(peaks, 5, Rows(np.ones((1, 5)), [0], [1e3]))
    assert result.optimal
    assert result.labels.tolist() == mg.kmeans(peaks, 5).labels.tolist()
    assert result.active == ("free",)


def test_weights_and_ties() -> None:
    x, weight = np.array([0.0, 1, 3, 4, 7, 8]), np.array([2, 3, 1, 2, 1, 3])
    weighted = mg.kmeans(x, 4, equal_spacing(4), sample_weight=weight)
    together = mg.kmeans(np.repeat(x, weight), 4, equal_spacing(4), ties="together")
    assert weighted.inertia == pytest.approx(together.inertia, rel=1e-12)
    assert np.repeat(weighted.labels, weight).tolist() == together.labels.tolist()


def test_rows_that_clash_are_named() -> None:
    clash = Rows([[1, 0], [0, 1]], [3, -np.inf], [np.inf, 1])
    message = r"(?s)'rows-of-a-test'.*no ascending centres satisfy rows \[0, 1\] together"
    with pytest.raises(mg.InfeasibleError, match=message) as caught:
        mg.kmeans([0.0, 1, 2, 5], 2, clash)
    assert caught.value.rows == [0, 1]


def test_the_papers_program_takes_no_rows() -> None:
    with pytest.raises(mg.InvalidInputError, match='not linear rows; method="exact"'):
        mg.kmeans([0.0, 1, 2, 5], 3, equal_spacing(3), method="paper", centers="means")


def test_a_result_is_stored_and_shown(peaks: Any) -> None:
    result = mg.kmeans(peaks, 5, equal_spacing(5))
    again = mg.KMeansResult.from_json(result.to_json())
    assert again.active == result.active
    assert again.centers.tolist() == result.centers.tolist()
    assert "the optimum is at least" in result.summary()
    assert result.predict(peaks).tolist() == result.labels.tolist()


def test_a_result_is_drawn(peaks: Any) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    for result in (mg.kmeans(peaks, 5, equal_spacing(5)), mg.mixture(peaks, 5, equal_spacing(5))):
        axes = result.plot()
        axes.figure.canvas.draw()
        drawn: Any = axes.get_legend()
        legend = [text.get_text() for text in drawn.get_texts()]
        # The rows are at their bounds, but they are not bounds on gaps.
        assert "gap" in legend
        assert "gap at its bound" not in legend


def test_a_mixture_is_reported(peaks: Any, tmp_path: Path) -> None:
    from mindgap.report import write_report

    write_report(tmp_path / "report.html", mg.mixture(peaks, 5, equal_spacing(5)))
    assert "gap at its bound" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_it_starts_a_mixture(peaks: Any) -> None:
    fit = mg.mixture(peaks, 5, equal_spacing(5), init="constrained-kmeans")
    assert fit.converged
    assert np.ptp(fit.gaps) <= 1e-10 * np.ptp(peaks)


def test_the_spacing_package_runs(peaks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if not SPACING.is_dir():
        pytest.skip(f"{SPACING} is absent")
    monkeypatch.syspath_prepend(str(SPACING))
    before = set(sys.modules)
    try:
        package = import_module("mindgap_spacing.equal_spacing")
        by_package = mg.kmeans(peaks, 5, package.EqualSpacing())
        given = mg.kmeans(peaks, 5, package.EqualSpacing(2.0))
    finally:
        for name in {name for name in sys.modules if name.startswith("mindgap_spacing")} - before:
            del sys.modules[name]
    assert by_package.inertia == pytest.approx(mg.kmeans(peaks, 5, equal_spacing(5)).inertia, rel=1e-9)
    assert given.gaps == pytest.approx([2.0] * 4, abs=1e-10)
    assert given.optimal
