"""The package and the crate agree to the bit: with any number of threads and without, optimised and for debugging."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mindgap as mg

ROOT = Path(__file__).parent.parent
EMBEDDER = ROOT / "rust" / "mindgap" / "tests" / "embedder"
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


LARGE = 70_000

#: How the program is built: what cargo is told, the folder that it builds into, and the points and threads of its runs.
#: Without optimisation a large fit takes minutes.
BUILDS: dict[str, tuple[list[str], str, list[tuple[int, int]]]] = {
    "with threads": (["--release"], "release", [(400, 1), (LARGE, 1), (LARGE, 2), (LARGE, 7)]),
    "without threads": (["--release", "--no-default-features"], "release", [(400, 1), (LARGE, 1)]),
    "for debugging": ([], "debug", [(400, 1), (3_000, 1)]),
}


@pytest.fixture(scope="module", params=BUILDS)
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[tuple[int, int]]]:
    """The program outside the workspace, built in one of the ways, and what it is run with."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not on this machine")
    target = ROOT / "target" / "embedder"
    command = [cargo, "build", "--locked", "--quiet", "--manifest-path", str(EMBEDDER / "Cargo.toml")]
    flags, folder, runs = BUILDS[request.param]
    subprocess.run([*command, *flags], check=True, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    # The next build replaces the program, so that dependencies are built once.
    program = tmp_path_factory.mktemp("embedder") / "embedder"
    shutil.copy2(target / folder / "embedder", program)
    return program, runs


def test_the_package_and_the_crate_agree_to_the_bit(build: tuple[Path, list[tuple[int, int]]], tmp_path: Path) -> None:
    program, runs = build
    for n, threads in runs:
        x = _model_d(n)
        data = tmp_path / "data.f64"
        data.write_bytes(x.astype("<f8").tobytes())
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        command = [str(program), str(data), str(K), str(DELTA)]
        run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        answers = dict(line.split(" ", 1) for line in run.stdout.splitlines())
        # The package reads chunks by an engine of its own: the same to rounding (tests/test_chunks.py).
        del answers["mixture-chunked"]
        assert answers == _of_the_package(x), f"{n} points, {threads} threads"


def _of_the_package(x: np.ndarray) -> dict[str, str]:
    lower, both = mg.LowerOnly(DELTA), mg.TwoSided(DELTA, 1.25 * DELTA)
    chunks = mg.Chunks(x, size=mg.Moments.RUN)
    free = mg.mixture(x, K)
    return {
        "kmeans": _clusters(mg.kmeans(x, K)),
        "kmeans-lower": _clusters(mg.kmeans(x, K, lower)),
        "kmeans-two-sided": _clusters(mg.kmeans(x, K, both)),
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
