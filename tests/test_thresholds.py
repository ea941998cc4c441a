"""Thresholds between neighbouring groups, in results, stored results and pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindgap as mg
from mindgap.results.thresholds import crossings

mpl.use("Agg")

import matplotlib.pyplot as plt

POSITIVE = st.floats(1e-3, 1e3)


@given(st.lists(st.tuples(POSITIVE, POSITIVE, POSITIVE), min_size=2, max_size=5))
def test_components_are_equally_likely_at_a_threshold(parts: list[tuple[float, float, float]]) -> None:
    weights, gaps, variances = map(np.array, zip(*parts, strict=True))
    means = np.cumsum(gaps)
    found = crossings(weights / weights.sum(), means, variances)
    for index, threshold in enumerate(found):
        pair = slice(index, index + 2)

        def ahead(at: float, pair: slice = pair) -> Any:
            logs = np.log(weights[pair]) - np.log(variances[pair]) / 2 - (at - means[pair]) ** 2 / variances[pair] / 2
            return logs[0] - logs[1]

        ends = ahead(means[index]), ahead(means[index + 1])
        if threshold is None:
            assert ends[0] <= 1e-9 or ends[1] >= -1e-9
        else:
            assert means[index] <= threshold <= means[index + 1]
            scale = 1 + max(map(abs, ends))
            assert abs(ahead(threshold)) <= 1e-6 * scale


def test_thresholds_divide_the_labels_and_are_stored() -> None:
    x = np.concatenate([np.linspace(-1, 1, 50), np.linspace(4, 6, 50)])
    fit = mg.mixture(x, 2)
    (threshold,) = fit.thresholds
    assert threshold is not None
    assert fit.predict([threshold - 1e-6, threshold + 1e-6]).tolist() == [0, 1]
    stored = json.loads(fit.to_json())
    assert stored["thresholds"] == [threshold]
    assert (stored["bic"], stored["aic"], stored["icl"], stored["k"]) == (fit.bic, fit.aic, fit.icl, 2)
    clusters = mg.kmeans(x, 2)
    assert clusters.thresholds == tuple(clusters.boundaries)
    assert json.loads(clusters.to_json())["thresholds"] == clusters.boundaries.tolist()
    lost = replace(fit, weights=np.array([1.0, 0.0]))
    assert lost.thresholds == (None,)


def test_pictures_leave_the_axes_of_a_caller_as_they_are() -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(np.concatenate([np.linspace(-1, 1, 50), np.linspace(4, 6, 50)]), name="cost in $")
    fit, clusters = mg.mixture(series, 2), mg.kmeans(series, 2)
    results = [fit, clusters, mg.gap_path(series, 2, [0, 1]), mg.select(series, [1, 2])]
    for result in results:
        figure, ax = plt.subplots()
        (line,) = ax.plot([-20.0, 20.0], [0.0, 1.0])
        ax.set_xlabel("mine")
        ax.set_title("title")
        clip = line.get_clip_path()
        assert result.plot(ax, label="other") is ax  # type: ignore[attr-defined]
        assert (ax.get_xlabel(), ax.get_title()) == ("mine", "title")
        assert line.get_clip_path() is clip or repr(line.get_clip_path()) == repr(clip)
        assert ax.spines["top"].get_visible()
        plt.close(figure)
    assert fit.plot().get_xlabel() == r"cost in \$"
    assert mg.MixtureResult.from_json(fit.to_json()).plot().get_xlabel() == r"cost in \$"
    assert clusters.plot(label="euros").get_xlabel() == "euros"
    plt.close("all")
