"""Every road for large data in one table: `python large_data.py 1e7 1e8`, with mindgap-dask[parquet] installed.

Each job runs in a process of its own, on the same points in a npy and a Parquet file: exact k-means with a gap, K = 5,
to its proof, then ten EM iterations from one start. Peak memory is the largest resident set, with what the process had
before the data; of Dask, the client's with the scheduler, plus that of both workers.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import mindgap as mg

GAP = mg.LowerOnly(1.95)
START = mg.Parameters(np.full(5, 0.2), 2.0 * np.arange(5) + 0.3, np.ones(5))
ITERATIONS = 10
JOBS = ("memory", "chunks npy", "chunks parquet", "dask npy", "dask parquet", "summary")
#: Points of a chunk for Dask, and of a row group.
CHUNK, GROUP = 2**22, 2**20
_PIECE = 10**6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", nargs="*", type=float, default=[1e7])
    parser.add_argument("--job", nargs=2, metavar=("NAME", "FOLDER"), help="run one job on files that are there")
    options = parser.parse_args()
    if options.job:
        print(json.dumps(measure(options.job[0], Path(options.job[1]))))
        return
    print("| points | road | k-means, s | optimal | mixture, ms an iteration | peak MB |\n|---|---|---|---|---|---|")
    for points in options.points:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), int(points))
            for job in JOBS:
                ended = subprocess.run(
                    [sys.executable, __file__, "--job", job, folder], capture_output=True, text=True, check=True
                )
                one = json.loads(ended.stdout.splitlines()[-1])
                row = f"{one['kmeans']:.2f} | {one['optimal']} | {1e3 * one['iteration']:.0f} | {one['peak']:.0f}"
                print(f"| {points:.0e} | {job} | {row} |", flush=True)


def write(folder: Path, n: int) -> None:
    """Five groups that overlap, in no order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema([("x", pa.float64())])
    with (folder / "x.npy").open("wb") as file, pq.ParquetWriter(folder / "x.parquet", schema) as table:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (n,)})
        for start in range(0, n, _PIECE):
            count = min(_PIECE, n - start)
            values = rng.normal(size=count) + 2.0 * rng.integers(0, 5, count)
            file.write(values.tobytes())
            table.write_table(pa.table({"x": values}), row_group_size=GROUP)


def measure(job: str, folder: Path) -> dict[str, Any]:
    if job.startswith("dask"):
        return on_dask(job, folder)
    if job == "memory":
        return fitted(lambda: np.load(folder / "x.npy"))
    chunks = mg.Chunks(folder / "x.parquet", column="x") if "parquet" in job else mg.Chunks(folder / "x.npy")
    return fitted(lambda: summary_of(chunks) if job == "summary" else chunks)


def summary_of(chunks: mg.Chunks) -> mg.Summary:
    """What a stream would have become: one read-through on one thread."""
    summary = mg.Summary()
    for values, _ in chunks:
        summary.add(values)
    return summary


def on_dask(job: str, folder: Path) -> dict[str, Any]:
    import mindgap_dask
    from distributed import Client, LocalCluster

    read = {
        "dask npy": lambda: mindgap_dask.read_npy(folder / "x.npy", CHUNK),
        "dask parquet": lambda: mindgap_dask.read_parquet(folder / "x.parquet", "x"),
    }[job]
    size: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**size, dashboard_address=":0", silence_logs=logging.ERROR) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        found = fitted(read)
        return found | {"peak": peak_megabytes() + sum(client.run(peak_megabytes).values())}


def fitted(load: Any) -> dict[str, Any]:
    began = time.perf_counter()
    data = load()
    clusters = mg.kmeans(data, 5, GAP)
    kmeans = time.perf_counter() - began
    times = []
    for iterations in (1, 1 + ITERATIONS):
        began = time.perf_counter()
        mg.mixture(data, 5, GAP, init=START, method="paper", tol=0, max_iter=iterations)
        times.append(time.perf_counter() - began)
    iteration = (times[1] - times[0]) / ITERATIONS
    return {"kmeans": kmeans, "optimal": clusters.optimal, "iteration": iteration, "peak": peak_megabytes()}


def peak_megabytes() -> float:
    """The largest resident set that this process has had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6


if __name__ == "__main__":
    main()
