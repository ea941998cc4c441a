"""Models ranked over K, variances and constraints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindgap as mg
from command_line import Command

RNG = np.random.default_rng(1)
X = np.concatenate([RNG.normal(0, 1, 150), RNG.normal(6, 1, 150)])


def test_every_model_is_the_fit_that_mixture_makes() -> None:
    constraints = {"none": None, "apart": mg.LowerOnly(1.0)}
    models = mg.select(X, [1, 2], constraints, variances=["equal", "free", "bounded"], ratio=2.0)
    assert len(models.results) == 12
    ranked = [models.values[place] for place in models.ranking if models.reasons[place] is None]
    assert ranked == sorted(ranked)
    assert models.best == 2
    assert models.variances[models.ranking[0]] == "equal"
    assert models.best_result is models.results[models.ranking[0]]
    for k, kind, name, fit in zip(models.ks, models.variances, models.constraints, models.results, strict=True):
        assert fit is not None
        held: mg.Constraint | None = constraints[name]
        if kind == "bounded":
            held = mg.SpreadRatio(2.0) if held is None else held & mg.SpreadRatio(2.0)
        alone = mg.mixture(X, k, held, variances="equal" if kind == "equal" else "free")
        assert fit.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-6)
    assert len(models.summary().splitlines()) == 13
    frame = models.to_frame()
    assert frame["variances"].tolist() == list(models.variances)
    assert frame["best"].tolist().index(True) == models.ranking[0]


def test_a_model_that_cannot_be_fitted_comes_last() -> None:
    models = mg.select(X, [1, 2], {"one gap": mg.PerGap([1.0]), "none": None})
    assert models.reasons[0] is not None
    assert models.ranking[-1] == 0
    assert "k = 1, free variances, one gap: 1 clusters have 0 gaps" in models.summary()


def test_equal_spreads_are_one_parameter_however_they_are_asked_for() -> None:
    assert mg.mixture(X, 2, mg.EqualSpreads()).n_parameters == mg.mixture(X, 2, variances="equal").n_parameters == 4
    assert mg.mixture(X, 2, mg.SpreadRatio(1.5)).n_parameters == mg.mixture(X, 2).n_parameters == 5


@pytest.mark.parametrize(
    ("constraint", "fixed"),
    [
        (mg.TwoSided(2.0, 2.0), 2),
        (mg.TwoSided(2.0, 2.5), 0),
        (mg.FixedWeights([0.3, 0.3, 0.4]), 2),
        (mg.WeightBounds([0.2, 0.0, 0.0], [0.2, 1.0, 1.0]), 1),
        (mg.WeightBounds([0.2, 0.2, 0.0], [0.2, 0.2, 1.0]), 2),
        (mg.WeightRatio(0, 1, 2.0), 1),
        (mg.WeightRatio(0, 1, 2.0) & mg.WeightRatio(1, 0, 0.5), 1),
        (mg.FixedSpreads([1.0, None, None]), 1),
        (mg.FixedSpreads([1.0, 1.0, 1.0]), 3),
        (mg.FixedSpreads([1.0, None, None]) & mg.EqualSpreads(), 3),
        (mg.ConstantCV(0.1), 3),
        (mg.ConstantCV(), 2),
        (mg.TwoSided(2.0, 2.0) & mg.FixedWeights([0.3, 0.3, 0.4]) & mg.EqualSpreads(), 6),
    ],
)
def test_each_independent_equality_fixes_a_parameter(constraint: mg.Constraint, fixed: int) -> None:
    fit = mg.mixture(X + 10, 3, constraint)
    assert fit.n_parameters == 8 - fixed
    assert fit.bic == pytest.approx((8 - fixed) * np.log(len(X)) - 2 * fit.log_likelihood)


def test_each_model_is_a_line_of_the_picture() -> None:
    models = mg.select(X, [1, 2, 3], {"none": None, "apart": mg.LowerOnly(1.0)}, variances=["equal", "free"])
    legend = models.plot().get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "equal variances, none",
        "free variances, none",
        "equal variances, apart",
        "free variances, apart",
    ]


def test_what_cannot_be_ranked() -> None:
    with pytest.raises(mg.InvalidInputError, match="variances must be 'free', 'equal' or 'bounded', not 'wide'"):
        mg.select(X, [1], variances=["wide"])  # type: ignore[list-item]
    with pytest.raises(mg.InvalidInputError, match="variances must be"):
        mg.select(X, [1], variances=3)  # type: ignore[arg-type]
    with pytest.raises(mg.InvalidInputError, match="variances is empty"):
        mg.select(X, [1], variances=[])
    with pytest.raises(mg.InvalidInputError, match="give names and constraints"):
        mg.select(X, [1], {})
    with pytest.raises(mg.InvalidInputError, match="ratio is 0"):
        mg.select(X, [1], variances="bounded", ratio=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = [f"{value},{'ab'[index % 2]}" for index, value in enumerate(RNG.permutation(X))]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["x,site", *lines]))
    return path


def test_the_command_ranks_models(file: Path, command: Command) -> None:
    options = ("select", file, "--column", "x", "-k", "1-2", "--variances", "equal,free")
    document = json.loads(command(*options, "--json").out)
    best = document["models"][document["ranking"][0]]
    assert (document["best"], best["k"], best["variances"]) == (2, 2, "equal")
    more = ("--constraint", "lower-only:delta=1", "--against", "none")
    named = [model["constraint"] for model in json.loads(command(*options, *more, "--json").out)["models"]]
    assert named == ["lower-only:delta=1"] * 4 + ["none"] * 4
    ended = command(*options)
    assert ended.code == 0
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "is none of" in command(*options[:-1], "wide").fault


@pytest.mark.parametrize("name", ["select", "path"])
def test_each_group_has_its_own_models(name: str, file: Path, command: Command, tmp_path: Path) -> None:
    options = {"select": ("-k", "1-2"), "path": ("-k", "2", "--deltas", "0,1,2")}[name]
    given = (name, file, "--column", "x", "--group-by", "site", *options)
    document = json.loads(command(*given, "--json", "--plot", tmp_path / "models.svg").out)
    assert list(document["groups"]) == ["a", "b"]
    for group in document["groups"].values():
        assert len(group["models" if name == "select" else "path"]) == (2 if name == "select" else 3)
    shown = command(*given)
    assert shown.code == 0
    assert "group" in shown.out.splitlines()[1]
    assert (tmp_path / "models.svg").stat().st_size > 0


def test_what_is_proven_is_in_the_json(file: Path, command: Command) -> None:
    for name, more in (("select", ("--variances", "equal")), ("path", ("--variances", "equal", "--deltas", "1"))):
        given = (name, file, "--column", "x", "-k", "1", *more, "--certify", "--json")
        document = json.loads(command(*given).out)
        [fit] = document["path"] if name == "path" else [model["fit"] for model in document["models"]]
        assert fit["log_likelihood"] <= fit["upper_bound"] <= fit["log_likelihood"] + 0.2
