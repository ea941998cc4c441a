"""`mindgap reproduce`: repeat the paper's experiments and compare with its figures."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from mindgap import InvalidInputError
from mindgap_paper.command import NAMES, chosen_jobs, finish, reproduce, write
from mindgap_paper.writing import terminal_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mindgap_paper.experiments import Experiment
    from mindgap_paper.running import Job


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  mindgap reproduce
  mindgap reproduce 3 --repeats 100
  mindgap reproduce 1 3 --data authors --out authors-run""",
)
@click.argument("names", nargs=-1, type=click.Choice(NAMES), metavar="[all|1..7|nypans]...")
@click.option(
    "--repeats",
    type=click.IntRange(min=2),
    metavar="R",
    help="The data sets of each experiment.  [default: the paper's, 1000, in 6 and 7 100]",
)
@click.option("--out", default="reproduction", show_default=True, metavar="DIR", help="The folder for the results.")
@click.option("--data", metavar="DIR", help="Run 1 and 3 on the authors' data sets (paper_exp1.npz, paper_exp3.npz).")
@click.option("--docs", metavar="PATH.md", help="Also write the page to this file, with its figure beside it.")
def command(names: tuple[str, ...], repeats: int | None, out: str, data: str | None, docs: str | None) -> None:
    """Repeat the paper's experiments and compare with its figures.

    By default all experiments run. 6 and 7 share their data and their figure, and run together. Results go to the
    terminal and, as results.json, Markdown, PNG and SVG, into a folder. An interrupted run continues when it is started
    again with the same folder.
    """
    wanted = names or ("all",)
    jobs = chosen_jobs(wanted, repeats, data)
    folder, page = Path(out), None if docs is None else Path(docs)
    _check(folder, page)
    if any(job.experiment.kind == "separation" for job in jobs):
        import matplotlib

        matplotlib.use("agg")
    with _bar(jobs) as tick:
        account = reproduce(wanted, jobs, folder, tick=tick)
    written = write(account, folder, _as_typed(wanted, repeats, data), page)
    finish(jobs, folder)
    click.echo(terminal_text(account))
    for path in written:
        click.echo(f"wrote {path}", err=True)


def _check(folder: Path, page: Path | None) -> None:
    """Create the folder and refuse paths that cannot be written, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot make the folder {str(folder)!r}: {error.strerror or error}") from error
    if page is not None and (page.suffix != ".md" or not page.parent.is_dir()):
        raise InvalidInputError(f"--docs is {str(page)!r}; give a file in an existing folder that ends in .md")


def _as_typed(names: Sequence[str], repeats: int | None, data: str | None) -> str:
    """Return the command without the folders, which differ between machines."""
    options = [*([] if repeats is None else ["--repeats", str(repeats)]), *([] if data is None else ["--data", "DIR"])]
    return shlex.join(["mindgap", "reproduce", *names, *options])


@contextmanager
def _bar(jobs: Sequence[Job]) -> Iterator[Callable[[Experiment, float], None]]:
    """Show a bar with the time left on a terminal; progress is measured by the effort of the experiments."""
    columns = [
        TextColumn("{task.description:<19}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    ]
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=sum(job.effort for job in jobs))
        yield lambda experiment, effort: progress.update(task, advance=effort, description=experiment.title)
