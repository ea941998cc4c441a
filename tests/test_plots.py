"""Pictures: their contents, their limits, and that no labels overlap."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pytest

import mindgap as mg
from drawn import a_kmeans, a_mixture, a_path, a_selection
from mindgap import InvalidInputError, datasets
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.text import Text

from mindgap import plots
from mindgap.plots.brackets import GapBrackets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

KS = [1, 2, 5, 12]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """All texts that can be seen, with their boxes; those of ticks beyond the axes cannot."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    found = []
    hidden = {id(text) for ax in figure.axes for text in unseen_ticks(ax)}
    for artist in figure.findobj(Text):
        assert isinstance(artist, Text)
        if artist.get_visible() and artist.get_text().strip() and id(artist) not in hidden:
            found.append((artist.get_text(), artist.get_window_extent(renderer)))
    return found


def unseen_ticks(ax: Axes) -> list[Artist]:
    unseen: list[Artist] = []
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if not axis.get_visible():
            unseen += axis.findobj(Text)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            if not low <= tick.get_loc() <= high:
                unseen += tick.findobj(Text)
    return unseen


def check_layout(figure: Figure) -> None:
    seen = texts(figure)
    width, height = figure.canvas.get_width_height()
    for text, box in seen:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
        assert inside, f"{text!r} is cut off"
    for (first, box), (second, other) in combinations(seen, 2):
        # A pixel of touching is the space around glyphs.
        apart = box.x1 <= other.x0 + 1 or other.x1 <= box.x0 + 1 or box.y1 <= other.y0 + 1 or other.y1 <= box.y0 + 1
        assert apart, f"{first!r} overlaps {second!r}"


def brackets(ax: Axes) -> GapBrackets:
    [found] = ax.findobj(GapBrackets)
    assert isinstance(found, GapBrackets)
    return found


def drawable(kind: str, k: int) -> KMeansResult | MixtureResult:
    per_gap = kind.endswith("per gap")
    return a_mixture(k, per_gap=per_gap) if kind.startswith("mixture") else a_kmeans(k, per_gap=per_gap)


KINDS = ["mixture", "mixture per gap", "k-means", "k-means per gap"]


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_gap_has_a_bracket_and_a_label(kind: str, k: int) -> None:
    result = drawable(kind, k)
    ax = result.plot()
    check_layout(ax.get_figure(root=True))  # type: ignore[arg-type]
    drawn = brackets(ax)
    assert len(drawn.lines) == k - 1
    assert [label.get_visible() for label in drawn.labels] == [True] * (k - 1)
    bold = [label.get_fontweight() == "bold" for label in drawn.labels]
    assert bold == [state != "free" for state in result.active]
    if kind.endswith("per gap") and k > 2:
        assert "≥ 1.12" in drawn.labels[1].get_text()


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("kind", KINDS)
def test_brackets_span_the_gaps_and_stay_above_the_data(kind: str, k: int) -> None:
    result = drawable(kind, k)
    ax = result.plot()
    ax.figure.canvas.draw()
    centers = result.means if isinstance(result, MixtureResult) else result.centers
    ends = ax.transData.transform(np.column_stack([centers, np.zeros(k)]))[:, 0]
    bars = max(patch.get_window_extent().y1 for patch in ax.patches)
    for gap, line in enumerate(brackets(ax).lines):
        xs, ys = line.get_xdata(), line.get_ydata()
        assert np.min(xs) == pytest.approx(ends[gap], abs=3)
        assert np.max(xs) == pytest.approx(ends[gap + 1], abs=3)
        assert np.min(ys) > bars


def test_a_mixture_has_each_component_and_their_sum() -> None:
    result = a_mixture(5)
    ax = result.plot()
    curves = [line for line in ax.lines if len(np.asarray(line.get_xdata())) > 100]
    assert len(curves) == 6
    assert len({str(line.get_color()) for line in curves}) == 6
    points, heights = np.asarray(curves[-1].get_xdata()), np.asarray(curves[-1].get_ydata())
    expected = sum(
        weight * np.exp(-((points - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
        for weight, mean, variance in zip(result.weights, result.means, result.variances, strict=True)
    )
    np.testing.assert_allclose(heights, expected, rtol=1e-12, atol=1e-300)


def test_bars_of_k_means_change_colour_at_the_boundaries() -> None:
    result = a_kmeans(5)
    ax = result.plot()
    sides: dict[int, set[object]] = {}
    for bar in ax.patches:
        middle = bar.get_x() + bar.get_width() / 2  # type: ignore[attr-defined]
        sides.setdefault(int(result.predict([middle])[0]), set()).add(bar.get_facecolor())
    assert sorted(sides) == [0, 1, 2, 3, 4]
    assert all(len(colours) == 1 for colours in sides.values())


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("size", [(3.2, 2.6), (5.0, 3.0), (12.0, 8.0)])
def test_pictures_are_laid_out_at_any_size(k: int, size: tuple[float, float]) -> None:
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    assert a_mixture(k, per_gap=True).plot(ax) is ax
    check_layout(figure)


def test_a_crowd_of_gaps_keeps_the_labels_that_fit() -> None:
    figure, ax = plt.subplots(figsize=(3.2, 3.0), layout="constrained")
    a_mixture(12, per_gap=True).plot(ax)
    figure.canvas.draw()
    shown = [label.get_text() for label in brackets(ax).labels if label.get_visible()]
    assert 4 <= len(shown) < 11
    assert [label.get_visible() for label in brackets(ax).labels][::3] == [True] * 4, "gaps at their bounds come first"
    assert not any("\n" in text for text in shown)


def test_zooming_in_leaves_out_the_gaps_that_are_not_seen() -> None:
    ax = a_mixture(5).plot()
    ax.set_xlim(-1, 3)
    ax.figure.canvas.draw()
    assert [line.get_visible() for line in brackets(ax).lines] == [True, False, False, False]


@pytest.mark.parametrize("kind", ["mixture", "k-means"])
def test_a_result_without_histogram_is_drawn(kind: str) -> None:
    result = drawable(kind, 5)
    stored = result.to_json().replace('"histogram"', '"other"')
    ax = type(result).from_json(stored).plot()
    assert len(brackets(ax).lines) == 4
    check_layout(ax.get_figure(root=True))  # type: ignore[arg-type]


def test_a_collapsed_component_does_not_flatten_the_rest() -> None:
    result = replace(a_mixture(2), variances=np.array([1e-12, 1.0]))
    assert result.histogram is not None
    assert result.plot().get_ylim()[1] < 10 * result.histogram.density().max()


@pytest.mark.parametrize("k", KS)
def test_the_path_has_means_gaps_and_likelihood(k: int) -> None:
    figure = plots.plot_path(a_path(k)).get_figure(root=True)
    assert figure is not None
    check_layout(figure)
    means, *gaps, likelihood = figure.axes
    bite = 0 if k == 1 else 1
    assert len(means.lines) == k + bite
    assert len(likelihood.lines) == 1 + bite
    assert [len(panel.lines) for panel in gaps] == ([] if k == 1 else [k - 1 + 1 + bite])
    assert ("from δ = 2" in means.get_title(loc="left")) == (k > 1)


@pytest.mark.parametrize("most", KS)
def test_the_selection_marks_the_best(most: int) -> None:
    selection = a_selection(most)
    ax = plots.plot_selection(selection)
    check_layout(ax.get_figure(root=True))  # type: ignore[arg-type]
    assert list(np.asarray(ax.lines[0].get_ydata())) == list(selection.values)
    assert list(np.asarray(ax.lines[1].get_xdata())) == [selection.best]
    assert f"K = {selection.best}" in ax.get_title(loc="left")


@pytest.mark.parametrize("k", KS)
def test_two_fits_side_by_side_share_their_axes(k: int) -> None:
    left, right = a_mixture(k), a_mixture(k, per_gap=True)
    figure = plots.side_by_side(left, right, ("regular", "constrained"), truth=left.means + 0.1, label="height")
    check_layout(figure)
    first, second = figure.axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert [ax.get_title() for ax in figure.axes] == ["regular", "constrained"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_stored_picture_is_the_same_file_each_time(tmp_path: Path, ending: str) -> None:
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        plots.save(a_mixture(3).plot(), file)
    first, second = (file.read_bytes() for file in files)
    assert len(first) > 1000
    assert first == second
    assert sorted(tmp_path.iterdir()) == files


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"must end in one of \.png, \.svg, \.pdf"):
        plots.save(a_mixture(2).plot(), tmp_path / "fit.docx")
    assert list(tmp_path.iterdir()) == []


def test_a_fit_of_real_data_is_drawn() -> None:
    values = datasets.nypans_heights().values
    bounds = mg.PerGap(datasets.NYPANS_LOWER, datasets.NYPANS_UPPER)
    for result in (mg.kmeans(values, 4), mg.mixture(values, 4, bounds, init="ckmeans")):
        ax = result.plot()
        check_layout(ax.get_figure(root=True))  # type: ignore[arg-type]
        assert len(ax.patches) >= len(np.unique(values))


def test_a_missing_matplotlib_says_what_to_install() -> None:
    script = """
import sys
sys.modules["matplotlib"] = None
import mindgap as mg
assert not [name for name in sys.modules if name.startswith("mindgap.plots")]
try:
    mg.kmeans([1.0, 2.0, 5.0], 2).plot()
except mg.MissingExtraError as error:
    print(error)
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == 'this needs matplotlib; install it with: pip install "mindgap[plot]"'
