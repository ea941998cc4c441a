"""Models ranked over K, spreads and constraints."""

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
    apart = mg.LowerOnly(1.0)
    ranking = mg.rank_models(X, [1, 2], {"none": None, "apart": apart}, spreads=["equal", "free", "bounded"], ratio=2.0)
    assert len(ranking.models) == 12
    sound = [model for model in ranking.models if model.reason is None]
    values = [model.value for model in sound]
    assert values == sorted(values)  # type: ignore[type-var]
    assert (ranking.best.k, ranking.best.spreads) == (2, "equal")
    for model in sound:
        assert model.result is not None
        held = {"none": None, "apart": apart}[model.constraint]
        if model.spreads == "bounded":
            held = mg.SpreadRatio(2.0) if held is None else held & mg.SpreadRatio(2.0)  # type: ignore[assignment]
        alone = mg.mixture(X, model.k, held, variances="equal" if model.spreads == "equal" else "free")
        assert model.result.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-6)
        assert model.value == model.result.bic
    assert len(ranking.summary().splitlines()) >= 13


def test_what_cannot_be_ranked() -> None:
    with pytest.raises(mg.InvalidInputError, match="spreads"):
        mg.rank_models(X, [1], variances="equal")
    with pytest.raises(mg.InvalidInputError, match="spreads must be"):
        mg.rank_models(X, [1], spreads=["wide"])  # type: ignore[list-item]
    with pytest.raises(mg.InvalidInputError, match="no models to rank"):
        mg.rank_models(X, [1], spreads=[])


def test_the_command(tmp_path: Path, command: Command) -> None:
    np.save(tmp_path / "data.npy", X)
    options = ("select", tmp_path / "data.npy", "-k", "1-2", "--spreads", "equal,free")
    document = json.loads(command(*options, "--json").out)
    assert (document["models"][0]["k"], document["models"][0]["spreads"]) == (2, "equal")
    ended = command(*options)
    assert ended.code == 0
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "is none of" in command(*options[:-1], "wide").fault
