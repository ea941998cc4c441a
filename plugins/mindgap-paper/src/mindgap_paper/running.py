"""Run all data sets of the chosen experiments in threads (the core releases the GIL); a run can be resumed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindgap_paper.stored import Store, build_digest
from mindgap_paper.trials import measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mindgap_paper.experiments import Experiment, FloatArray
    from mindgap_paper.sources import Source

#: The number of data sets that are done and stored at a time.
CHUNK = 25


@dataclass(frozen=True)
class Job:
    """An experiment to be run: on which data, and on how many data sets of them."""

    experiment: Experiment
    source: Source
    repeats: int
    authors: bool = False

    @property
    def effort(self) -> float:
        """The time of all data sets relative to other jobs."""
        return self.experiment.effort * self.repeats


@dataclass(frozen=True)
class Outcome:
    """The records of all data sets (the first axis), and how many of them an earlier run had done."""

    job: Job
    recorded: dict[str, FloatArray]
    resumed: int


def workers() -> int:
    """Return the number of data sets that are processed at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    jobs: Sequence[Job],
    folder: Path,
    *,
    threads: int | None = None,
    tick: Callable[[Experiment, float], None] = lambda experiment, effort: None,
) -> list[Outcome]:
    """Run all jobs; `tick` is called with the effort of each chunk that is done. Stored chunks are kept in `folder`."""
    build = build_digest()
    stores = [Store(folder / _name(job), f"{build} {job.experiment} {job.source.identity}") for job in jobs]
    chunks = [_Chunk(job, store, first) for job, store in zip(jobs, stores, strict=True) for first in _firsts(job)]
    with ThreadPoolExecutor(threads or workers()) as pool:
        futures = {pool.submit(chunk.results): chunk for chunk in chunks}
        try:
            for future in as_completed(futures):
                future.result()
                chunk = futures[future]
                tick(chunk.job.experiment, chunk.job.experiment.effort * (chunk.end - chunk.first))
        except BaseException:
            # On an interrupt, too: cancel what has not begun.
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    done: dict[int, list[tuple[_Chunk, dict[str, FloatArray], bool]]] = {}
    for future, chunk in futures.items():
        done.setdefault(id(chunk.job), []).append((chunk, *future.result()))
    return [_gathered(job, done[id(job)]) for job in jobs]


def forget(jobs: Sequence[Job], folder: Path) -> None:
    """Remove the stored chunks of a run whose results have been written."""
    for job in jobs:
        Store(folder / _name(job), "").clear()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _name(job: Job) -> str:
    return f"experiment-{job.experiment.key}{'-authors' if job.authors else ''}"


def _firsts(job: Job) -> range:
    return range(0, job.repeats, CHUNK)


class _Chunk:
    def __init__(self, job: Job, store: Store, first: int) -> None:
        self.job = job
        self.first = first
        self.end = min(first + CHUNK, job.repeats)
        self._store = store

    def results(self) -> tuple[dict[str, FloatArray], bool]:
        """Return the records of the data sets, and whether they had been stored."""
        stored = self._store.load(self.first, self.end)
        if stored is not None:
            return stored, True
        trials = [measure(self.job.experiment, self.job.source.draw(r)) for r in range(self.first, self.end)]
        results = {name: np.stack([trial[name] for trial in trials]) for name in trials[0]}
        self._store.save(self.first, self.end, results)
        return results, False


def _gathered(job: Job, chunks: list[tuple[_Chunk, dict[str, FloatArray], bool]]) -> Outcome:
    ordered = sorted(chunks, key=lambda item: item[0].first)
    names = ordered[0][1]
    recorded = {name: np.concatenate([results[name] for _, results, _ in ordered]) for name in names}
    return Outcome(job, recorded, sum(chunk.end - chunk.first for chunk, _, stored in ordered if stored))
