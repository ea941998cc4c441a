"""The search against the best known likelihoods: 240 random starts of a plain EM, and certified maxima."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg

ORACLE = Path(__file__).parents[2] / "shared" / "oracle" / "mixtures.json"

#: What a fit may be lower by, in log units.
SHORTFALL = 1e-3


def entries() -> list[dict[str, Any]]:
    if not ORACLE.exists():
        pytest.skip(f"{ORACLE} is absent")
    known: list[dict[str, Any]] = json.loads(ORACLE.read_text(encoding="utf-8"))
    return known


@pytest.mark.slow
def test_every_entry_is_reached() -> None:
    known = entries()
    data = {entry["data"]: np.array(entry["values"]) for entry in known if "values" in entry}
    problems = [entry for entry in known if "k" in entry]
    assert len(problems) > 100
    low = []
    for entry in problems:
        constraint: mg.Constraint = mg.LowerOnly(entry["delta"])
        equal = entry["ratio"] == 1
        if not equal:
            constraint = constraint & mg.SpreadRatio(entry["ratio"])
        fit = mg.mixture(
            data[entry["data"]],
            entry["k"],
            constraint if entry["delta"] > 0 or not equal else None,
            variances="equal" if equal else "free",
        )
        assert fit.converged
        below = entry["log_likelihood"] - fit.log_likelihood
        if below > SHORTFALL:
            low.append((entry["data"], entry["k"], entry["delta"], entry["ratio"], below))
    assert low == []


@pytest.mark.parametrize(("n", "seed"), [(2000, 0), (10_000, 0), (10_000, 2)])
def test_a_chain_that_is_shorter_than_the_data_is_put_at_the_better_end(n: int, seed: int) -> None:
    values = mg.datasets.paper_model("D", n, rng=seed).values
    fit = mg.mixture(values, 3, mg.TwoSided(1.9, 2.1) & mg.SpreadRatio(10))
    # Certificates bound these maxima to 0.1 log units.
    certified = {(2000, 0): -4441.381, (10_000, 0): -22_190.846, (10_000, 2): -22_231.196}[n, seed]
    assert certified - 0.101 < fit.log_likelihood <= certified


def test_moves_that_lead_back_do_not_hide_the_chain_at_the_other_end() -> None:
    values = mg.datasets.paper_model("D", 500, rng=2).values
    assert mg.mixture(values, 3, mg.TwoSided(1.9, 2.1)).log_likelihood > -1109.5749 - 1e-3
