"""Certificates of mixtures: what they bound, what is refused, and proofs that the checker accepts or refuses."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.check_certificate import Refused, check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALUES = np.concatenate([np.linspace(0, 1, 25) ** 2, 3 + np.linspace(-1, 1, 30) ** 3])


def test_no_start_ends_above_the_bound() -> None:
    fit = mg.mixture(VALUES, 2, mg.LowerOnly(2.9), variances="equal", certify=True)
    assert fit.upper_bound is not None
    assert fit.log_likelihood <= fit.upper_bound <= fit.log_likelihood + 0.101
    rng = np.random.default_rng(0)
    for _ in range(30):
        start = (np.full(2, 0.5), np.sort(rng.choice(VALUES, 2, replace=False)), np.full(2, rng.uniform(0.01, 2)))
        other = mg.mixture(VALUES, 2, mg.LowerOnly(2.9), variances="equal", init=start)
        assert other.log_likelihood <= fit.upper_bound
    assert "better by more than 0.1" in fit.summary()
    assert mg.MixtureResult.from_json(fit.to_json()).upper_bound == fit.upper_bound


def test_a_fit_without_a_certificate_has_no_bound() -> None:
    fit = mg.mixture(VALUES, 2, variances="equal")
    assert fit.upper_bound is None
    assert "better by" not in fit.summary()


def test_what_has_no_maximum_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="no maximum; ask for equal variances"):
        mg.mixture(VALUES, 2, certify=True, method="paper")
    with pytest.raises(mg.InvalidInputError, match="time_limit"):
        mg.mixture(VALUES, 2, variances="equal", certify=True, time_limit=-1)


def test_time_that_runs_out_leaves_the_fit(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="no proof"):
        fit = mg.mixture(VALUES, 3, variances="equal", time_limit=1e-9, proof=tmp_path / "proof.json")
    assert fit.upper_bound is None
    assert not (tmp_path / "proof.json").exists()


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("proofs") / "proof.json"
    mg.mixture(VALUES, 2, mg.TwoSided(2.9, 3.2), variances="equal", proof=path)
    result: dict[str, Any] = json.loads(path.read_text())
    return result


def test_the_checker_accepts_a_proof(proof: dict[str, Any]) -> None:
    assert check(proof) == pytest.approx(proof["upper_bound"], abs=0.02)


def _lower(proof: dict[str, Any]) -> None:
    proof["upper_bound"] -= 0.2


def _cut_off(proof: dict[str, Any]) -> None:
    del proof["tree"][-1]


def _lengthen(proof: dict[str, Any]) -> None:
    proof["tree"].append(proof["tree"][-1])


def _empty(proof: dict[str, Any]) -> None:
    index = next(i for i, node in enumerate(proof["tree"]) if node.get("leaf") == "bound")
    proof["tree"][index] = {"weights": [], "leaf": "empty"}


def _narrow(proof: dict[str, Any]) -> None:
    for cell in proof["root"]:
        cell[2] *= 50


def _unbalance(proof: dict[str, Any]) -> None:
    for node in proof["tree"]:
        if "terms" in node:
            node["terms"][0][0] += 1.0


@pytest.mark.parametrize("tamper", [_lower, _cut_off, _lengthen, _empty, _narrow, _unbalance])
def test_the_checker_refuses_a_proof_that_was_tampered_with(
    proof: dict[str, Any], tamper: Callable[[dict[str, Any]], None]
) -> None:
    changed = copy.deepcopy(proof)
    tamper(changed)
    with pytest.raises(Refused):
        check(changed)
