"""`mindgap reproduce` without its command line: choose, run and write."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from mindgap import InvalidInputError
from mindgap.host import write_atomically
from mindgap_paper.account import Account, Part
from mindgap_paper.document import document
from mindgap_paper.experiments import EXPERIMENTS
from mindgap_paper.nypans import nypans
from mindgap_paper.running import Job, forget, run, workers
from mindgap_paper.sources import SEED, Authors, Simulated
from mindgap_paper.writing import markdown_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mindgap_paper.experiments import Experiment

NAMES = ("all", "1", "2", "3", "4", "5", "6", "7", "nypans")


def chosen_jobs(names: Sequence[str], repeats: int | None, data: str | None) -> list[Job]:
    """Return the requested simulations; 6 and 7 share their data and are one."""
    wanted = {"6" if name == "7" else name for name in names}
    experiments = [item for item in EXPERIMENTS if "all" in wanted or item.key in wanted]
    if data is not None and not any(item.key in Authors.FILES for item in experiments):
        raise InvalidInputError("--data serves Experiments 1 and 3, of which the authors' data are; choose one of them")
    return [_job(item, repeats, data) for item in experiments]


def _job(experiment: Experiment, repeats: int | None, data: str | None) -> Job:
    if data is None or experiment.key not in Authors.FILES:
        return Job(experiment, Simulated(experiment), repeats or experiment.repeats)
    authors = Authors(experiment, data)
    if repeats is not None and repeats > len(authors):
        raise InvalidInputError(f"--repeats is {repeats}, but there are {len(authors)} of the authors' data sets")
    return Job(experiment, authors, repeats or len(authors), authors=True)


def reproduce(
    names: Sequence[str],
    jobs: Sequence[Job],
    out: Path,
    *,
    threads: int | None = None,
    tick: Callable[[Experiment, float], None] = lambda experiment, effort: None,
) -> Account:
    """Run the experiments; continue an interrupted run in the same folder."""
    began, worked = time.perf_counter(), time.process_time()
    outcomes = run(jobs, out / "unfinished", threads=threads, tick=tick)
    heights = nypans() if {"all", "nypans"} & set(names) else None
    parts = [Part.of(outcome) for outcome in outcomes]
    resumed = sum(outcome.resumed for outcome in outcomes)
    took = time.perf_counter() - began, time.process_time() - worked
    return Account(parts, heights, SEED, threads or workers(), *took, resumed)


def write(account: Account, out: Path, command: str, page: Path | None) -> list[Path]:
    """Write results.json, the page and the figure into the folder, and the page with its figure to `page` as well."""
    written = [out / "results.json"]
    write_atomically(written[0], document(account).encode())
    for place in (out / "reproduction.md", page):
        if place is not None:
            figure = place.with_suffix(".svg")
            write_atomically(place, markdown_page(account, command, figure.name).encode())
            written += [place, *_figure(account, figure, figure.with_suffix(".png") if place is not page else None)]
    return written


def finish(jobs: Sequence[Job], out: Path) -> None:
    """Remove the files for continuing an interrupted run."""
    forget(jobs, out / "unfinished")


def _figure(account: Account, *paths: Path | None) -> list[Path]:
    wanted = [path for path in paths if path is not None]
    if account.curves is None:
        return []
    from mindgap_paper.figure import save_figure

    save_figure(account.curves, *wanted)
    return wanted
