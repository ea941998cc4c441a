"""The Dask engine at scale: `python dask_scale.py 1e7 1e8`, with the package mindgap-dask installed.

For each number of points: an npy file, a constrained mixture of five components, 20 iterations, on two worker processes
of one thread each and 400 MB. Then iterations of this engine and of the local one in turn, on the same number of points
per core, so that both meet the same neighbours on the machine; the ratio is the median of the turns'. Bytes are what
all processes write to their connections during an iteration; memory is the largest resident set of each process.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import mindgap_dask
import numpy as np
from distributed import Client, LocalCluster

import mindgap as mg

CORES = 2
ITERATIONS = 20
GAP = mg.LowerOnly(1.95)
START = mg.Parameters(np.full(5, 0.2), 2.0 * np.arange(5) + 0.3, np.ones(5))
#: Iterations of a turn, and turns.
TURN, TURNS = 8, 8
#: Points of the largest sample that the local engine is measured with; an iteration's time is proportional to them.
MOST_LOCAL = 2 * 10**7
_PIECE = 10**6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", nargs="*", type=float, default=[1e7])
    parser.add_argument("--chunk", type=int, default=2**22)
    parser.add_argument("--kmeans", action="store_true", help="constrained k-means, too")
    options = parser.parse_args()
    for points in options.points:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(Path(folder), int(points), options.chunk, options.kmeans), indent=1), flush=True)


def measure(folder: Path, n: int, chunk: int, kmeans: bool) -> dict[str, Any]:
    path = write(folder / "values.npy", n)
    size = {"n_workers": CORES, "threads_per_worker": 1, "processes": True, "memory_limit": "400MB"}
    with LocalCluster(**size, dashboard_address=":0", silence_logs=logging.ERROR) as cluster, Client(cluster) as client:
        client.wait_for_workers(CORES)
        install_counter()
        client.run(install_counter)
        engine = Counted(client)
        began = time.perf_counter()
        x = mindgap_dask.read_npy(path, chunk)
        fit = mg.mixture(x, 5, GAP, init=START, max_iter=ITERATIONS, tol=0, engine=engine)
        total = time.perf_counter() - began
        traffic = written(client) - engine.before
        worker, here = max(client.run(peak_megabytes).values()), peak_megabytes()
        passes = [done for done in engine.passes if done.kind == "moments"]
        load = next(done for done in engine.passes if done.kind == "load")
        idle = empty_pass(folder, -(-n // chunk))
        clusters = measure_kmeans(client, path, chunk) if kmeans else {}
        turns = in_turn(client, path, chunk, n)
    seconds = [done.seconds for done in passes]
    return {
        "points": n,
        "chunks": -(-n // chunk),
        "iterations": fit.n_iter,
        "seconds": round(total, 3),
        "first look": round(load.seconds, 3),
        "iteration, median": round(float(np.median(seconds)), 4),
        "iteration, least": round(min(seconds), 4),
        "in turn: dask, local": [round(one, 4) for one in np.median(turns, axis=0).tolist()],
        "in turn, least": [round(one, 4) for one in turns.min(axis=0).tolist()],
        "in turn: ratio": round(float(np.median(turns[:, 0] / turns[:, 1])), 2),
        "pass over as many empty chunks": round(idle, 4),
        "bytes per iteration": round(traffic / len(passes)),
        "graph, bytes": passes[-1].sent,
        "answer, bytes": passes[-1].received,
        "first look, answer": load.received,
        "peak MB, worker": round(worker, 1),
        "peak MB, client and scheduler": round(here, 1),
    } | clusters


def measure_kmeans(client: Client, path: Path, chunk: int) -> dict[str, Any]:
    engine = mindgap_dask.DaskEngine()
    began = time.perf_counter()
    found = mg.kmeans(mindgap_dask.read_npy(path, chunk), 5, GAP, engine=engine)
    return {
        "k-means, seconds": round(time.perf_counter() - began, 3),
        "k-means, optimal": found.optimal,
        "k-means, passes": len(engine.passes),
        "k-means, largest answer": max(done.received for done in engine.passes),
        "k-means, peak MB, worker": round(max(client.run(peak_megabytes).values()), 1),
    }


def write(path: Path, n: int) -> Path:
    """Five groups that overlap, in no order."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (n,)})
        for start in range(0, n, _PIECE):
            count = min(_PIECE, n - start)
            file.write((rng.normal(size=count) + 2.0 * rng.integers(0, 5, count)).tobytes())
    return path


def empty_pass(folder: Path, chunks: int) -> float:
    """The median pass over as many chunks with next to nothing in them: what scheduling alone takes."""
    run = mg.Moments.RUN
    path = write(folder / f"tiny-{chunks}.npy", chunks * run)
    engine = mindgap_dask.DaskEngine()
    mg.mixture(mindgap_dask.read_npy(path, run), 5, GAP, init=START, max_iter=ITERATIONS, tol=0, engine=engine)
    return float(np.median([done.seconds for done in engine.passes[1:]]))


def in_turn(client: Client, path: Path, chunk: int, n: int) -> Any:
    """Seconds of an iteration, by Dask and here, turn by turn."""
    engine = mindgap_dask.DaskEngine(client)
    engine.load(mindgap_dask.read_npy(path, chunk), None)
    few = min(n, MOST_LOCAL)
    sample = mg.Sample(np.load(path, mmap_mode="r")[:few])

    def there() -> float:
        began = time.perf_counter()
        for _ in range(TURN):
            engine.moments(START.weights, START.means, START.variances)
        return (time.perf_counter() - began) / TURN

    def here() -> float:
        moments = []
        for iterations in (1, 1 + TURN):
            began = time.perf_counter()
            mg.mixture(sample, 5, GAP, init=START, max_iter=iterations, tol=0)
            moments.append(time.perf_counter() - began)
        return (moments[1] - moments[0]) / TURN * n / few

    there(), here()
    return np.array([(there(), here()) for _ in range(TURNS)])


def install_counter() -> None:
    """Count what this process writes to its connections."""
    import builtins

    from distributed.comm.tcp import TCP

    plain, counter = TCP.write, [0]

    async def write(self: Any, *arguments: Any, **more: Any) -> int:
        count: int = await plain(self, *arguments, **more)
        counter[0] += count
        return count

    TCP.write = write
    builtins.mindgap_written = counter


def _written_here() -> int:
    import builtins

    return int(builtins.mindgap_written[0])


class Counted(mindgap_dask.DaskEngine):
    """Knows what had been written when the first iteration began."""

    name = "counted"
    before: int | None = None

    def moments(self, weights: Any, means: Any, variances: Any) -> mg.Moments:
        """As ever."""
        if self.before is None:
            self.before = written(self.client)
        return super().moments(weights, means, variances)


def written(client: Client) -> int:
    return _written_here() + sum(client.run(_written_here).values())


def peak_megabytes() -> float:
    """The largest resident set that this process has had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6


if __name__ == "__main__":
    main()
