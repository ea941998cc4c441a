"""Certificates of mixtures: what they bound, what is refused, and which proofs the checker accepts."""

from __future__ import annotations

import copy
import json
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.foundation.progress import ProgressLine
from mindgap.inference.check_certificate import Refused, check, statement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_line import Command

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


def test_the_command_says_that_a_fit_was_not_certified(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "x.csv"
    np.savetxt(path, VALUES)
    asked = ("mixture", path, "-k", 3, "--variances", "equal", "--certify")
    assert "not certified" in command(*asked, "--time-limit", 1e-9).out
    ended = command(*asked[:3], 1, *asked[4:])
    assert "better by more than 0.1" in ended.out
    assert "not certified" not in ended.out


def test_time_that_runs_out_leaves_the_fit(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="no proof"):
        fit = mg.mixture(VALUES, 3, variances="equal", time_limit=1e-9, proof=tmp_path / "proof.json")
    assert fit.upper_bound is None
    assert not (tmp_path / "proof.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_an_interrupt_ends_the_proof_and_keeps_the_fit() -> None:
    values = mg.datasets.paper_model("C", 500, rng=0).values  # five free components without gaps: minutes
    senders: list[threading.Thread] = []

    def interrupt(step: mg.Step) -> None:
        if step.stage == "certificate" and not senders:
            senders.append(threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)))
            senders[0].start()

    fit = mg.mixture(values, 5, certify=True, callback=interrupt)
    assert senders
    senders[0].join()
    assert fit.upper_bound is None or fit.upper_bound >= fit.log_likelihood
    assert fit.log_likelihood >= mg.mixture(values, 5).log_likelihood


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_an_interrupt_of_a_proof_about_many_points_takes_effect_at_once(tmp_path: Path) -> None:
    values = mg.datasets.paper_model("A", 50_000, rng=0).values  # each batch of regions takes seconds
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timers: list[threading.Timer] = []

    def begin(step: mg.Step) -> None:
        if step.stage == "certificate" and not timers:
            timers.append(threading.Timer(0.1, interrupt))
            timers[0].start()

    with pytest.warns(UserWarning, match="nothing was proven in time"):
        fit = mg.mixture(values, 3, callback=begin, proof=tmp_path / "proof.json")
    assert time.monotonic() - sent[0] < 1.5
    assert fit.upper_bound is None
    timers[0].join()


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("proofs") / "proof.json"
    fit = mg.mixture(VALUES, 2, mg.TwoSided(2.9, 3.2), variances="equal", proof=path)
    result: dict[str, Any] = json.loads(path.read_text())
    return result | {"of_the_fit": fit.upper_bound}


def test_the_checker_accepts_a_proof(proof: dict[str, Any]) -> None:
    assert check(proof, VALUES) == pytest.approx(proof["of_the_fit"], abs=0.02)


def test_the_checker_states_the_constraints_in_the_units_of_the_data(proof: dict[str, Any]) -> None:
    text = statement(proof, check(proof))
    bounds = f"'lower': [{proof['lower'][0]!r}], 'upper': [{proof['upper'][0]!r}], 'variance_ratio': 1.0"
    assert all(part in text for part in ("55 distinct values", "2 means", bounds))
    assert (proof["lower"], proof["upper"]) == (pytest.approx([2.9], rel=1e-8), pytest.approx([3.2], rel=1e-8))
    assert text.endswith(repr(check(proof)))


def test_the_checker_accepts_mixtures_that_vanish_at_a_point(tmp_path: Path) -> None:
    path, values = tmp_path / "proof.json", np.append(VALUES[::3], 60.0)
    fit = mg.mixture(values, 2, variances="equal", proof=path)
    assert check(json.loads(path.read_text()), values) == pytest.approx(fit.upper_bound, abs=0.02)


@pytest.mark.slow
def test_the_checker_accepts_proofs_of_free_spreads_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    values = np.repeat(VALUES, 1 + np.arange(len(VALUES)) % 2)
    fit = mg.mixture(values, 2, mg.LowerOnly(3.1) & mg.SpreadRatio(3.0), proof=path)
    assert check(json.loads(path.read_text()), values) == pytest.approx(fit.upper_bound, abs=0.02)


@pytest.mark.slow
def test_the_checker_accepts_a_least_spread(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    x = np.round(np.append(rng.normal(0, 1.0, 60), rng.normal(6, 1.2, 60)))
    fit = mg.mixture(x, 3, proof=tmp_path / "proof.json")
    assert fit.upper_bound is not None
    assert fit.log_likelihood <= fit.upper_bound <= fit.log_likelihood + 0.101
    assert mg.mixture(x, 3, mg.SpreadRatio(10)).log_likelihood > fit.upper_bound
    proof = json.loads((tmp_path / "proof.json").read_text())
    assert check(proof, x) == pytest.approx(fit.upper_bound, abs=0.02)
    with pytest.raises(Refused):
        check({**proof, "least_variance": 0.0}, x)


def test_the_checker_refuses_a_proof_about_other_data(proof: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="other data"):
        check(proof, VALUES + np.linspace(0, 1e-6, len(VALUES)))


def _lower(proof: dict[str, Any]) -> None:
    proof["upper_bound"] -= 0.2


def _cut_off(proof: dict[str, Any]) -> None:
    del proof["tree"][-1]


def _lengthen(proof: dict[str, Any]) -> None:
    proof["tree"].append(proof["tree"][-1])


def _bound_leaf(proof: dict[str, Any]) -> int:
    return next(i for i, node in enumerate(proof["tree"]) if "atoms" in node)


def _empty(proof: dict[str, Any]) -> None:
    proof["tree"][_bound_leaf(proof)] = {"leaf": "void"}


def _narrow(proof: dict[str, Any]) -> None:
    proof["smallest_variance"] *= 50


def _unbalance(proof: dict[str, Any]) -> None:
    for node in proof["tree"]:
        if "atoms" in node:
            node["precisions"][0] -= 1.0


def _of_weights(proof: dict[str, Any]) -> list[dict[str, Any]]:
    splits = [node for node in proof["tree"] if node.get("axis") == "weight"]
    assert splits
    return splits


def _tighten(proof: dict[str, Any]) -> None:
    for split in _of_weights(proof):
        split["at"] -= 0.1


def _loosen(proof: dict[str, Any]) -> None:
    for split in _of_weights(proof):
        split["at"] += 0.1


def _turn(proof: dict[str, Any]) -> None:
    for node in proof["tree"]:
        if "atoms" in node:
            node["weights"] = [-reward for reward in node["weights"]]


def _stretch(proof: dict[str, Any]) -> None:
    # As if the weights were known better.
    for node in proof["tree"]:
        if "atoms" in node:
            node["scales"] = [[0.9 * up, 1.1 * down] for up, down in node["scales"]]


def _leave_open(proof: dict[str, Any]) -> None:
    proof["tree"][_bound_leaf(proof)] = {"leaf": "open"}


def _split_nowhere(proof: dict[str, Any]) -> None:
    node = next(node for node in proof["tree"] if "at" in node)
    node["at"] = None


def _drop_subtree(proof: dict[str, Any]) -> None:
    del proof["tree"][1 : 1 + _bound_leaf(proof)]


def _move_atoms(proof: dict[str, Any]) -> None:
    for node in proof["tree"]:
        for atom in node.get("atoms", []):
            atom[0] += 0.05


def _widen_gap(proof: dict[str, Any]) -> None:
    proof["lower"] = [0.5 * bound for bound in proof["lower"]]


def _drop_point(proof: dict[str, Any]) -> None:
    proof["weights"][0] = -1.0


def _name_no_component(proof: dict[str, Any]) -> None:
    _of_weights(proof)[0]["component"] = 2


def _borrow(proof: dict[str, Any]) -> None:
    # A weight is said to be small, by nothing or by a bound that does not hold.
    leaf = _bound_leaf(proof)
    proof["tree"].insert(leaf, {"component": 0, "axis": "weight", "at": 1e-9})
    proof["tree"].insert(leaf + 2, {"leaf": "void"})


def _borrow_much(proof: dict[str, Any]) -> None:
    leaf = _bound_leaf(proof)
    beyond = proof["tree"][leaf] | {"weights": [1e12, 0.0]}
    proof["tree"].insert(leaf, {"component": 0, "axis": "weight", "at": 1e-9})
    proof["tree"].insert(leaf + 2, beyond)


def _nan(proof: dict[str, Any]) -> None:
    proof["upper_bound"] = float("nan")


def _infinite(proof: dict[str, Any]) -> None:
    proof["tree"][_bound_leaf(proof)]["weights"][0] = float("inf")


def _narrow_without_a_bound(proof: dict[str, Any]) -> None:
    # No number is above NaN, so that the root's smallest variance would need no reason.
    _narrow(proof)
    proof["least_variance"] = float("nan")


def _narrow_ratio(proof: dict[str, Any]) -> None:
    proof["variance_ratio"] = 0.5


def _shorten(proof: dict[str, Any]) -> None:
    for node in proof["tree"]:
        node.get("precisions", []).clear()


def _merge_points(proof: dict[str, Any]) -> None:
    proof["weights"] = [sum(proof["weights"])]


def _forget_an_upper_bound(proof: dict[str, Any]) -> None:
    # A multiplier of a bound that does not exist.
    proof["upper"] = [None]
    for node in proof["tree"]:
        if "gaps" in node:
            node["gaps"] = [-1.0]


TAMPERED = [
    _lower,
    _cut_off,
    _lengthen,
    _empty,
    _narrow,
    _unbalance,
    _tighten,
    _turn,
    _leave_open,
    _move_atoms,
    _widen_gap,
    _drop_point,
    _name_no_component,
    _borrow,
    _borrow_much,
    _loosen,
    _stretch,
    _nan,
    _split_nowhere,
    _drop_subtree,
    _infinite,
    _narrow_without_a_bound,
    _narrow_ratio,
    _shorten,
    _merge_points,
    _forget_an_upper_bound,
]


@pytest.mark.parametrize("tamper", TAMPERED)
def test_the_checker_refuses_a_proof_that_was_tampered_with(
    proof: dict[str, Any], tamper: Callable[[dict[str, Any]], None]
) -> None:
    changed = copy.deepcopy(proof)
    tamper(changed)
    with pytest.raises(Refused):
        check(changed)


def test_the_checker_counts_no_discount_of_a_component_without_multipliers(tmp_path: Path) -> None:
    mg.mixture(VALUES, 1, variances="equal", proof=tmp_path / "proof.json")
    proof = json.loads((tmp_path / "proof.json").read_text())
    check(proof)
    proof["upper_bound"] -= 0.2
    proof["smallest_variance"] *= 0.9
    for node in proof["tree"]:
        if "zeros" in node:
            node["zeros"][0] -= 1.0
    with pytest.raises(Refused):
        check(proof)


def test_a_better_optimum_of_the_tree_becomes_the_fit() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(center, 1, 40) for center in (0, 6, 30)])
    poor = ([0.6, 0.2, 0.2], [3.0, 29.5, 30.5], [4.0, 4.0, 4.0])
    climbed = mg.mixture(values, 3, variances="equal", init=poor)
    certified = mg.mixture(values, 3, variances="equal", init=poor, certify=True)
    best = mg.mixture(values, 3, variances="equal")
    assert climbed.log_likelihood < best.log_likelihood - 1
    assert certified.log_likelihood == pytest.approx(best.log_likelihood, abs=1e-4)
    assert certified.upper_bound is not None
    assert best.log_likelihood <= certified.upper_bound


def test_a_selection_is_certified() -> None:
    path = mg.select(VALUES, [1, 2], variances="equal", certify=True)
    bounds = [result.upper_bound for result in path.results if result is not None]
    assert len(bounds) == 2
    assert all(
        result is not None and result.upper_bound is not None and result.log_likelihood <= result.upper_bound
        for result in path.results
    )
    assert "upper_bound" in path.to_frame()
    assert "proven within" in path.summary()
    with pytest.raises(mg.InvalidInputError, match="one file"):
        mg.select(VALUES, [1, 2], variances="equal", proof="proof.json")


def test_a_gap_path_is_certified() -> None:
    path = mg.gap_path(VALUES, 2, [0.0, 2.9, 3.3], variances="equal", certify=True)
    for result in path.results:
        assert result.upper_bound is not None
        assert result.log_likelihood <= result.upper_bound <= result.log_likelihood + 0.101
    assert "proven within" in path.summary()
    assert all(result.upper_bound is None for result in mg.gap_path(VALUES, 2, [0.0], variances="equal").results)


def test_an_interruption_leaves_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []

    class Interrupting(ProgressLine):
        def __call__(self, kind: str, *numbers: Any) -> None:
            if kind == "certificate":
                seen.append(numbers)
                raise KeyboardInterrupt

    monkeypatch.setattr("mindgap.fit.watching.ProgressLine", Interrupting)
    values = mg.datasets.paper_model("C", 300, rng=1).values
    fit = mg.mixture(values, 5, certify=True, progress=True)
    assert fit.upper_bound is None
    assert len(fit.means) == 5
    nodes, open_nodes, epsilon, log_likelihood = seen[0]
    assert (nodes, open_nodes, epsilon) == (0, 1, pytest.approx(0.1))
    assert log_likelihood == pytest.approx(fit.log_likelihood, abs=1e-6)
