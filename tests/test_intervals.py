"""Rounded, binned and truncated data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from command_line import Command


def drawn(n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.4, rng.normal(0, 0.8, n), rng.normal(3.5, 1.2, n))


def probability(fit: mg.MixtureResult, low: float, high: float) -> float:
    """Return what the mixture gives an interval, by the library's error function."""
    roots = np.sqrt(2 * fit.variances)
    ends = [np.array([math.erf(z) for z in (end - fit.means) / roots]) for end in (low, high)]
    return float(fit.weights @ (ends[1] - ends[0]) / 2)


def test_rounded_values_have_the_likelihood_of_their_intervals() -> None:
    x = np.rint(drawn(500))
    fit = mg.mixture(x, 2, resolution=1.0)
    values, counts = np.unique(x, return_counts=True)
    expected = sum(n * math.log(probability(fit, v - 0.5, v + 0.5)) for v, n in zip(values, counts, strict=True))
    assert fit.log_likelihood == pytest.approx(expected, rel=1e-10)
    assert np.array_equal(fit.labels, fit.predict(x))
    # Sheppard's correction: rounding adds a twelfth of the step's square to the variance of one component.
    one, plain = mg.mixture(x, 1, resolution=1.0), mg.mixture(x, 1)
    assert one.variances[0] == pytest.approx(plain.variances[0] - 1 / 12, rel=1e-2)


def test_bins_are_rounded_values_in_another_form() -> None:
    x = np.rint(drawn(500))
    edges = np.arange(x.min() - 0.5, x.max() + 1)
    binned = mg.Binned(edges, np.histogram(x, edges)[0])
    fit, rounded = mg.mixture(binned, 2), mg.mixture(x, 2, resolution=1.0)
    assert fit.log_likelihood == pytest.approx(rounded.log_likelihood, abs=1e-7)
    assert fit.means == pytest.approx(rounded.means, abs=1e-5)
    assert len(fit.labels) == len(binned)


def test_open_ends_and_huge_counts() -> None:
    edges = [-np.inf, -1, 0, 1, 2, 3, 4, 5, np.inf]
    counts = np.array([10, 60, 90, 40, 60, 100, 70, 0])
    fit, many = mg.mixture(mg.Binned(edges, counts), 2), mg.mixture(mg.Binned(edges, counts * 1e12), 2)
    assert many.means == pytest.approx(fit.means, abs=1e-6)
    again = mg.MixtureResult.from_json(fit.to_json())
    assert again.data == fit.data
    assert len(again.bootstrap(4, rng=1)) == 4
    assert fit.bootstrap(4, rng=1).replicates.means.tolist() == again.bootstrap(4, rng=1).replicates.means.tolist()


def test_a_support_gives_back_the_whole_mixture() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(1, 2, 20_000)
    fit = mg.mixture(x[x > 0], 1, support=(0, np.inf))
    assert fit.means[0] == pytest.approx(1, abs=0.15)
    assert np.sqrt(fit.variances[0]) == pytest.approx(2, abs=0.1)
    assert fit.seen == pytest.approx(probability(fit, 0, np.inf), abs=1e-12)
    values, _ = fit.sample(500, rng=1)
    assert values.min() >= 0
    assert fit.score(x[x > 0]) == pytest.approx(fit.log_likelihood / (x > 0).sum(), rel=1e-12)
    assert fit.score_samples([-0.1])[0] == -np.inf
    again = mg.MixtureResult.from_json(fit.to_json())
    assert again.settings == fit.settings
    assert len(again.bootstrap(3, rng=2)) == 3


def test_the_probability_of_a_support_in_the_tail_keeps_its_digits() -> None:
    values = 1 / np.arange(1, 200)
    for sign in (1, -1):
        support = (0, 1) if sign == 1 else (-1, 0)
        fit = mg.mixture(sign * values, 1, mg.FixedSpreads([1.0]), support=support)
        assert fit.seen < 1e-18
        assert fit.score(sign * values) == pytest.approx(fit.log_likelihood / len(values), rel=1e-6)


def test_constraints_choices_and_pictures_work_for_intervals(tmp_path: Path) -> None:
    x = np.rint(drawn(400))
    known = mg.LowerOnly(2) & mg.FixedWeights([0.4, 0.6]) & mg.SpreadRatio(2)
    fit = mg.mixture(x, 2, known, resolution=1.0)
    assert fit.weights.tolist() == [0.4, 0.6]
    assert mg.select(x, range(1, 4), resolution=1.0).best == 2
    binned = mg.Binned(np.arange(-5.5, 10), np.histogram(x, np.arange(-5.5, 10))[0])
    assert mg.select(binned, range(1, 4)).best == 2
    assert mg.compare(fit, mg.mixture(x, 2, resolution=1.0), n_bootstrap=3, rng=1).statistic >= 0
    with pytest.raises(mg.InvalidInputError, match="differ in resolution"):
        mg.compare(fit, mg.mixture(x, 2), n_bootstrap=3)
    assert len(fit.bootstrap(3, rng=1, x=x)) == 3
    pytest.importorskip("matplotlib")
    for result in (fit, mg.mixture(binned, 2), mg.mixture(x, 2, support=(-5, 9), resolution=1.0)):
        result.plot()
    mg.report.write_report(tmp_path / "report.html", fit)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "FixedWeights(weights=[0.4, 0.6])" in page
    assert "resolution" in page


def test_weights_count_as_so_many_points() -> None:
    x = np.rint(drawn(300))
    values, counts = np.unique(x, return_counts=True)
    one, two = mg.mixture(x, 2, resolution=1.0), mg.mixture(values, 2, resolution=1.0, sample_weight=counts)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-9)


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (lambda: mg.mixture([1, 2, 3], 1, resolution=10), "closer than half the resolution"),
        (lambda: mg.mixture([1, 2, 3], 1, resolution=0), "resolution is 0"),
        (lambda: mg.mixture([1, 2, 3], 1, support=(1.5, 4)), "outside the support"),
        (lambda: mg.mixture([1, 2, 3], 1, support=(4, 1.5)), "its low end must be below"),
        (lambda: mg.mixture([1, 2, 3], 1, support=3), "the low end and the high end"),  # type: ignore[arg-type]
        (lambda: mg.Binned([0, 1], [1, 2]), "one edge more"),
        (lambda: mg.Binned([0, 2, 1], [1, 2]), "edges must ascend"),
        (lambda: mg.Binned([0, 1, 2], [0, 0]), "at least one must be positive"),
        (lambda: mg.Binned([-np.inf, np.inf], [3]), "no edge is finite"),
        (lambda: mg.mixture(mg.Binned([0, 1, 2], [3, 4]), 3), "distinct"),
        (lambda: mg.mixture(mg.Binned([0, 1, 2], [3, 4]), 1, resolution=1), "bins have widths of their own"),
        (lambda: mg.kmeans(mg.Binned([0, 1, 2], [3, 4]), 2), "Binned is for mixture"),
        (lambda: mg.mixture(mg.Summary.of([1.0, 2, 3], cells=2), 1, resolution=1), "resolution"),
        (lambda: mg.mixture(mg.Chunks([[1.0, 2, 3]]), 1, support=(0, 4)), "only data in memory"),
    ],
)
def test_what_makes_no_sense_is_refused(fit: Any, words: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=words):
        fit()


def test_one_interval_for_everything() -> None:
    fit = mg.mixture([2.0] * 7, 1, resolution=0.5)
    assert fit.means[0] == pytest.approx(2, abs=0.25)
    assert fit.log_likelihood > -0.1


def test_rounded_looking_data_get_a_hint() -> None:
    x = np.rint(drawn(400) * 4) / 4
    fit = mg.mixture(x, 2)
    assert fit.hint is not None
    assert "resolution=0.25" in fit.hint
    assert fit.hint in fit.summary()
    assert mg.mixture(x, 2, resolution=0.25).hint is None
    assert mg.mixture(drawn(400), 2).hint is None


def test_the_command_line_takes_both(command: Command, tmp_path: Path) -> None:
    x = np.rint(drawn(300))
    file = tmp_path / "x.csv"
    np.savetxt(file, x)
    ended = command("mixture", file, "-k", 2, "--resolution", 1, "--support", -9, 20, "--json")
    found = json.loads(ended.out)
    fit = mg.mixture(x, 2, resolution=1, support=(-9, 20))
    assert found["means"] == pytest.approx(fit.means.tolist(), abs=1e-9)
    assert found["settings"]["support"] == [-9, 20]


def test_a_constant_coefficient_of_variation() -> None:
    rng = np.random.default_rng(8)
    x = np.concatenate([m * (1 + 0.1 * rng.normal(size=200)) for m in (10, 20, 40)])
    fit = mg.mixture(x, 3, mg.ConstantCV())
    cv = np.sqrt(fit.variances) / fit.means
    assert np.ptp(cv) < 1e-12
    assert cv[0] == pytest.approx(0.1, abs=0.02)
    assert fit.converged
    given = mg.mixture(x, 3, "lower-only:delta=5 & constant-cv:c=0.12")
    assert np.sqrt(given.variances) / given.means == pytest.approx(0.12, abs=1e-12)
    assert fit.n_parameters == 6
    with pytest.raises(mg.InfeasibleError, match="coefficient of variation"):
        mg.mixture(x, 3, mg.ConstantCV() & mg.SpreadRatio(2))
    with pytest.raises(mg.InfeasibleError, match="coefficients of variation"):
        mg.mixture(x, 3, mg.ConstantCV(0.1) & mg.ConstantCV(0.2))
    with pytest.raises(mg.InvalidInputError, match="positive data"):
        mg.mixture(x - 50, 3, mg.ConstantCV())
    with pytest.raises(mg.InvalidInputError, match="weights or spreads"):
        mg.kmeans(x, 3, mg.ConstantCV())


def test_a_stored_result_keeps_its_constraint() -> None:
    x = drawn(300) + 10
    for known in (
        mg.LowerOnly(2) & mg.FixedWeights([0.3, 0.7]) & mg.SpreadRatio(1.5),
        mg.WeightRatio(0, 1, 0.5) & mg.FixedSpreads([0.9, None]),
        mg.LowerOnly(1) & mg.ConstantCV(),
        mg.ConstantCV(0.2),
    ):
        fit = mg.mixture(x, 2, known)
        again = mg.MixtureResult.from_json(fit.to_json())
        assert repr(again.constraint) == repr(known)
        assert again.to_json() == mg.MixtureResult.from_json(again.to_json()).to_json()
        mine, theirs = (one.bootstrap(4, rng=3).replicates for one in (fit, again))
        assert mine.weights.tolist() == theirs.weights.tolist()
        assert mine.variances.tolist() == theirs.variances.tolist()


def test_a_component_without_weight_is_tried_with_other_spreads() -> None:
    heights = mg.datasets.nypans_heights().values
    growth = mg.PerGap(mg.datasets.NYPANS_LOWER, mg.datasets.NYPANS_UPPER)
    from_points = mg.mixture(heights, 4, growth, resolution=0.0254, init=mg.mixture(heights, 4, growth))
    assert mg.mixture(heights, 4, growth, resolution=0.0254).log_likelihood >= from_points.log_likelihood - 1e-3
