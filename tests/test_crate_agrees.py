"""The package and the crate have the same bits: optimised with threads, and debug builds without them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mindgap as mg

ROOT = Path(__file__).parent.parent
K, DELTA = 5, 1.95


def _model_d(n: int) -> np.ndarray:
    """Points of the paper's Model D."""
    rng = np.random.default_rng(0)
    component = rng.choice(5, size=n, p=[0.1, 0.2, 0.4, 0.2, 0.1])
    return rng.normal(2.0 * component, np.array([0.25, 0.75, 1.25, 0.75, 0.25])[component])


class _EqualSpacing(mg.Constraint):
    def rows(self, k: int) -> mg.LinearRows:
        matrix = np.zeros((k - 2, k))
        for row in range(k - 2):
            matrix[row, row : row + 3] = (1.0, -2.0, 1.0)
        return mg.LinearRows(matrix, np.zeros(k - 2), np.zeros(k - 2))


@pytest.fixture(scope="module")
def program() -> Path:
    """The program that embeds the crate without its threads, with the optimisation and the checks of a test."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not on this machine")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    subprocess.run([cargo, "build", "--locked", "--quiet", "-p", "embedder"], check=True, cwd=ROOT)
    return target / "debug" / "embedder"


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 30_000])
def test_the_package_and_the_crate_agree_to_the_bit(n: int, program: Path, tmp_path: Path) -> None:
    x = _model_d(n)
    data = tmp_path / "data.f64"
    data.write_bytes(x.astype("<f8").tobytes())
    command = [str(program), str(data), str(K), str(DELTA)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    answers = dict(line.split(" ", 1) for line in run.stdout.splitlines())
    # The package reads chunks by an engine of its own: the same to rounding (tests/test_chunks.py).
    del answers["mixture-chunked"]
    assert answers == _of_the_package(x)


def _of_the_package(x: np.ndarray) -> dict[str, str]:
    lower, both = mg.LowerOnly(DELTA), mg.TwoSided(DELTA, 1.25 * DELTA)
    chunks = mg.Chunks(x, size=mg.Moments.RUN)
    free = mg.mixture(x, K)
    return {
        "kmeans": _clusters(mg.kmeans(x, K)),
        "kmeans-lower": _clusters(mg.kmeans(x, K, lower, centers="means")),
        "kmeans-two-sided": _clusters(mg.kmeans(x, K, both, centers="means")),
        "kmeans-free": _clusters(mg.kmeans(x, K, lower, centers="free")),
        "kmeans-rows": _clusters(mg.kmeans(x, K, _EqualSpacing())),
        "kmeans-chunked": _clusters(mg.kmeans(chunks, K, lower)),
        "mixture": _components(free),
        "mixture-at-points": _hex(np.concatenate([free.score_samples(x[:100]), free.predict_proba(x[:100]).ravel()])),
        "mixture-lower": _components(mg.mixture(x, K, lower)),
        "mixture-two-sided": _components(mg.mixture(x, K, both)),
        "mixture-rows": _components(mg.mixture(x, K, _EqualSpacing())),
    }


def _clusters(fit: mg.KMeansResult) -> str:
    sizes = " ".join(str(size) for size in fit.sizes)
    return f"{_hex(fit.centers)} {_hex([fit.inertia, fit.lower_bound])} {sizes}"


def _components(fit: mg.MixtureResult) -> str:
    parameters = np.concatenate([fit.weights, fit.means, fit.variances, [fit.log_likelihood]])
    return f"{_hex(parameters)} {fit.n_iter}"


def _hex(numbers: object) -> str:
    return " ".join(f"{bits:016x}" for bits in np.asarray(numbers, dtype=np.float64).view(np.uint64))
