"""Every way to ask for a mixture gives the same fit, and related problems agree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mindgap as mg
from command_line import Command
from mindgap.datasets import paper_model
from mindgap.sklearn import GaussianMixture1D

#: Along a path the likelihood may go the wrong way by this share: two fits each stop 1e-8 below their top.
ROUNDING = 1e-9


def drawn(seed: int) -> np.ndarray:
    """Draw a few hundred points of two to five groups, some of them rounded."""
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(2, 6))
    means, spreads = np.cumsum(rng.uniform(0.5, 5, groups)), np.exp(rng.normal(0, 0.5, groups))
    component = rng.choice(groups, 150, p=rng.dirichlet(np.full(groups, 2.0)))
    x = means[component] + spreads[component] * rng.normal(size=150)
    return x.round(1) if seed % 3 == 0 else x


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4))
def test_a_tighter_bound_never_gains_likelihood(seed: int, k: int) -> None:
    path = mg.gap_path(drawn(seed), k, deltas=6)
    heights = path.log_likelihoods
    assert (np.diff(heights) <= ROUNDING * np.abs(heights[1:])).all()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), delta=st.sampled_from([0.0, 1.0, 3.0]))
def test_one_more_component_never_costs_likelihood(seed: int, delta: float) -> None:
    path = mg.select(drawn(seed), range(1, 6), mg.LowerOnly(delta))
    heights = np.array([result.log_likelihood for result in path.results if result is not None])
    assert (np.diff(heights) >= -ROUNDING * np.abs(heights[1:])).all()


@pytest.mark.parametrize(("model", "k", "delta"), [("A", 2, 2.5), ("B", 3, 1.9), ("D", 5, 1.95)])
def test_every_way_to_ask_gives_the_same_fit(
    model: str, k: int, delta: float, tmp_path: Path, command: Command
) -> None:
    x = paper_model(model, 300, rng=2).values
    constraint = mg.LowerOnly(delta)
    fit = mg.mixture(x, k, constraint)
    file = tmp_path / "x.csv"
    file.write_text("x\n" + "\n".join(map(repr, x.tolist())), encoding="utf-8")
    spec = f"lower-only:delta={delta!r}"
    printed = command("mixture", file, "-k", k, "--constraint", spec, "--json").out
    means = {
        "select": mg.select(x, [k], constraint).results[0].means,  # type: ignore[union-attr]
        "gap_path": mg.gap_path(x, k, deltas=[delta]).results[0].means,
        "estimator": GaussianMixture1D(k, constraint=spec).fit(x.reshape(-1, 1)).means_.ravel(),
        "command line": np.array(json.loads(printed)["means"]),
        "bootstrap": fit.bootstrap(2, rng=0).estimate.means,
    }
    for name, found in means.items():
        np.testing.assert_allclose(found, fit.means, rtol=1e-12, err_msg=name)


CONSTRAINTS = [
    None,
    "lower-only:delta=2.2",
    "two-sided:lower=1.9,upper=2.1",
    "per-gap:lower=[1.5,2.5]",
    "equal-spreads",
    "lower-only:delta=2 & spread-ratio:ratio=2",
]


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_a_report_holds_one_answer(constraint: str | None, tmp_path: Path, command: Command) -> None:
    x = paper_model("B", 200, rng=2).values
    np.save(tmp_path / "x.npy", x)
    held = () if constraint is None else ("--constraint", constraint)
    ended = command("report", tmp_path / "x.npy", "-k", 3, "--bootstrap", 0, "--out", tmp_path / "x.html", *held)
    assert ended.code == 0, ended.fault
    page = (tmp_path / "x.html").read_text("utf-8")
    content = json.loads(page.partition('id="content">')[2].partition("</script>")[0])
    fit = mg.mixture(x, 3, constraint)
    assert content["fit"]["logLikelihood"] >= fit.log_likelihood - 1e-7
    np.testing.assert_allclose(content["fit"]["means"], fit.means, atol=1e-5)
    # The slider stands at the fit itself, and no larger least gap gains likelihood.
    chosen = int(page.partition('<input id="delta"')[2].partition('value="')[2].partition('"')[0])
    assert content["path"]["fits"][chosen] == content["fit"]
    heights = np.array([other["logLikelihood"] for other in content["path"]["fits"]])
    assert (np.diff(heights) <= ROUNDING * np.abs(heights[1:])).all()
    assert content["path"]["deltas"][0] == 0


def test_a_slider_ends_where_the_constraint_does(tmp_path: Path, command: Command) -> None:
    np.save(tmp_path / "x.npy", paper_model("B", 200, rng=2).values)
    held = ("--constraint", "two-sided:lower=1.9,upper=2.1", "--deltas", "1,2,3", "--out", tmp_path / "x.html")
    assert command("report", tmp_path / "x.npy", "-k", 3, "--bootstrap", 0, *held).code == 0
    page = (tmp_path / "x.html").read_text("utf-8")
    content = json.loads(page.partition('id="content">')[2].partition("</script>")[0])
    assert content["path"]["deltas"] == [0, 1, 2]


def test_a_comparison_climbs_each_fit_from_the_other() -> None:
    x = paper_model("B", 300, rng=2).values
    held = mg.mixture(x, 3, mg.LowerOnly(2.5))
    stuck = mg.mixture(x, 3, init=([0.98, 0.01, 0.01], [2.0, 40.0, 41.0], [4.0, 1.0, 1.0]))
    best = mg.compare(held, mg.mixture(x, 3))
    assert mg.compare(held, stuck).statistic <= best.statistic + 1e-6
    assert best.statistic >= 0
