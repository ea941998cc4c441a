"""Compare the bits of fits on this processor with those on others, emulated by qemu; `make processors` runs it.

The program of `tests/test_crate_agrees.py` fits the same files on each. Where both processors have a fused
multiply-add, or neither has, every bit must agree; else those of k-means must, and mixtures to rounding. What is not
installed is named, and the others are tried all the same; either makes the run fail.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "target" / "processors"

#: What the crate calls the vectors of a processor; all but the last have a fused multiply-add.
VECTORS = {"V4": "AVX-512", "V3": "AVX2", "Neon": "NEON", "Scalar": "none"}

ARM = "aarch64-unknown-linux-gnu"

#: How far mixtures may be apart with and without a fused multiply-add, relative to the number or to the data's range.
ROUNDING = 1e-12


class Processor(NamedTuple):
    """A kind of processor, and how to come by one."""

    name: str
    target: str | None = None
    emulator: str | None = None
    options: tuple[str, ...] = ()


PROCESSORS = [
    Processor("this one"),
    Processor("x86-64 with AVX2 and FMA", None, "qemu-x86_64", ("-cpu", "Haswell")),
    Processor("x86-64 with AVX, without FMA", None, "qemu-x86_64", ("-cpu", "SandyBridge")),
    Processor("x86-64 without AVX", None, "qemu-x86_64", ("-cpu", "Nehalem")),
    Processor("aarch64", ARM, "qemu-aarch64", ("-L", "/usr/aarch64-linux-gnu")),
]


class Problem(NamedTuple):
    """Data, and what is asked of them."""

    name: str
    x: list[float]
    weights: list[float] | None = None
    k: int = 5
    delta: float = 1.95
    iterations: int = 20


class MissingToolError(Exception):
    """Something that is not on this machine."""


def normal(rng: random.Random) -> float:
    """Nearly a normal deviate, without a logarithm, so that every machine has the same data and the same digest."""
    return math.fsum(rng.random() for _ in range(12)) - 6.0


def model_d(rng: random.Random, n: int) -> list[float]:
    """Points of the paper's Model D."""
    components = rng.choices(range(5), [0.1, 0.2, 0.4, 0.2, 0.1], k=n)
    return [2.0 * c + [0.25, 0.75, 1.25, 0.75, 0.25][c] * normal(rng) for c in components]


def problems() -> Iterator[Problem]:
    """Every number of points up to more than the widest vectors hold, larger ones, weights, ties, tails and shifts."""
    rng = random.Random(0)
    for n in range(1, 71):
        x, weights = model_d(rng, n), [rng.choice([0.5, 1.0, 3.7]) for _ in range(n)]
        yield Problem(f"{n} points", x, None, min(n, 3), 0.3)
        yield Problem(f"{n} points, weighted", x, weights, min(n, 3), 0.3)
    x = model_d(rng, 1000)
    weights = [rng.random() for _ in x]
    yield Problem("1000 points", x)
    yield Problem("1000 points, weighted", x, weights)
    yield Problem("ties", [round(value * 4) / 4 for value in x], weights)
    yield Problem("far tails", [value / (rng.random() * rng.random()) for value in x], weights, 4)
    yield Problem("outliers", [*x, -1e6, 1e6, 1e7], None, 6)
    yield Problem("narrow clusters", [round(value / 2) + 1e-6 * value for value in x], None, 4, 0.9)
    yield Problem("far from zero", [1e9 + value for value in x])
    x = model_d(rng, 100_000)
    yield Problem("100000 points", x, iterations=2)
    yield Problem("100000 points, weighted", x, [rng.random() for _ in x], iterations=1)


def main() -> int:
    """Print a row for each processor; 1 if one differs or is not to be had."""
    tried = list(problems())
    written = [write(index, problem) for index, problem in enumerate(tried)]
    print(f"{len(tried)} data sets; differences are relative to the number or to the range of the data, the larger\n")
    row = "{:<30} {:<8} {:<14} {:>5} {:>19} {:>20} {:>11}"
    differ = "k-means that differ", "mixtures that differ"
    print(row.format("processor", "vectors", "digest of bits", "fits", *differ, "by at most"))
    native: tuple[bool, list[list[str]]] | None = None
    faults = []
    for processor in PROCESSORS:
        try:
            command = prepare(processor)
        except MissingToolError as missing:
            print(f"{processor.name:<30} not tried: {missing}")
            faults.append(f"{processor.name} was not tried")
            continue
        vectors = VECTORS[run([*command, "--vectors"]).strip()]
        answers = [run([*command, *arguments]).splitlines() for arguments in written]
        fused = vectors != "none"
        native = native or (fused, answers)
        kmeans, mixtures, most = compare(tried, native[1], answers)
        lines = [line for answer in answers for line in answer]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
        print(row.format(processor.name, vectors, digest, len(lines), kmeans, mixtures, f"{most:.1e}"), flush=True)
        if kmeans or (mixtures and fused == native[0]) or most > ROUNDING:
            faults.append(f"{processor.name} has other bits than promised")
    print("\n" + ("; ".join(faults) if faults else "as promised"))
    return bool(faults)


def write(index: int, problem: Problem) -> list[str]:
    """Write the data of a problem; return what the program is told."""
    WORK.mkdir(parents=True, exist_ok=True)
    arguments = [str(problem.k), str(problem.delta), str(problem.iterations)]
    paths = []
    for kind, numbers in [("points", problem.x), ("weights", problem.weights)]:
        if numbers is not None:
            paths.append(WORK / f"{index}.{kind}")
            paths[-1].write_bytes(struct.pack(f"<{len(numbers)}d", *numbers))
    return [str(paths[0]), *arguments, *map(str, paths[1:])]


def prepare(processor: Processor) -> list[str]:
    """Build the program, and return how it is called."""
    prefix = []
    if processor.emulator:
        found = shutil.which(f"{processor.emulator}-static") or shutil.which(processor.emulator)
        if not found:
            raise MissingToolError(f"{processor.emulator} is not installed (Debian: qemu-user-static)")
        prefix = [found, *processor.options]
    build = ["cargo", "build", "--locked", "--quiet", "--release", "-p", "embedder", "--features", "threads"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK)}
    if processor.target:
        installed = run(["rustc", "--target", processor.target, "--print", "target-libdir"]).strip()
        if not Path(installed).is_dir():
            raise MissingToolError(f"Rust cannot compile for it (rustup target add {processor.target})")
        linker = "aarch64-linux-gnu-gcc"
        if not shutil.which(linker):
            raise MissingToolError(f"{linker} is not installed (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)")
        build += ["--target", processor.target]
        environment["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER"] = linker
    subprocess.run(build, check=True, cwd=ROOT, env=environment)
    return [*prefix, str(WORK / (processor.target or "") / "release" / "embedder")]


def run(command: list[str]) -> str:
    """What a command prints; qemu's warnings are not of interest unless it fails."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        sys.exit(f"{' '.join(command)} failed with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def compare(tried: list[Problem], native: list[list[str]], answers: list[list[str]]) -> tuple[int, int, float]:
    """The fits of k-means and the mixtures that differ, and the largest difference."""
    kmeans, mixtures, most = 0, 0, 0.0
    for problem, expected, found in zip(tried, native, answers, strict=True):
        span = max(problem.x) - min(problem.x)
        for a, b in zip(expected, found, strict=True):
            if a != b:
                kmeans += a.startswith("kmeans")
                mixtures += not a.startswith("kmeans")
                most = max(most, difference(a, b, span))
    return kmeans, mixtures, most


def difference(a: str, b: str, span: float) -> float:
    """The largest difference of two lines; infinite where they differ in more than doubles."""
    words = list(zip(a.split(), b.split(), strict=False))
    if len(a.split()) != len(b.split()) or any(len(s) != 16 or len(t) != 16 for s, t in words if s != t):
        return math.inf
    pairs = [(double(s), double(t)) for s, t in words if s != t]
    return max(abs(s - t) / max(span, abs(s), abs(t)) for s, t in pairs)


def double(digits: str) -> float:
    """The number with these bits."""
    number: float = struct.unpack(">d", bytes.fromhex(digits))[0]
    return number


if __name__ == "__main__":
    sys.exit(main())
