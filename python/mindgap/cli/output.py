"""The output of a command: a table or JSON on standard output, labels and a picture in files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import grouped_json, run_facts
from mindgap.cli.groups import Part, joined_columns, joined_table
from mindgap.cli.labelled import labelled_text
from mindgap.cli.printing import print_data, print_json, print_table
from mindgap.cli.reading import Data, Elsewhere, Request
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import write_atomically
from mindgap.foundation.messages import printable
from mindgap.foundation.progress import waiting
from mindgap.model.chunks import Chunks
from mindgap.model.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.results.table import TextTable

#: The most panels of a picture.
_MOST_PANELS = 24


@dataclass(frozen=True)
class Output:
    """The requested output."""

    as_json: bool = False
    labels: str | None = None
    plot: str | None = None

    def check(self, source: str) -> None:
        """Refuse files that cannot be written, or that would replace the data, before anything is computed."""
        names = [name for name in (self.labels, self.plot) if name is not None]
        for name in names:
            check_target(name, source)
        if len(names) == 2 and os.path.realpath(names[0]) == os.path.realpath(names[1]):
            raise InvalidInputError(f"{names[0]} cannot be both the labels and the picture")
        if self.plot is not None:
            from mindgap.plots.canvas import picture_format

            picture_format(self.plot)

    def write_labels(self, data: Data | Elsewhere, parts: list[Part], request: Request | None = None) -> None:
        """Write the rows of the source with labels appended, as Parquet or text.

        For a source that an engine has read, only the labels are written; a summary has none.
        """
        if self.labels is not None:
            from mindgap.cli.label_table import write_chunks, write_parquet  # not needed without labels

            with waiting("writing the labels"):
                if isinstance(data.values, Summary):
                    raise InvalidInputError("a summary has no rows to label; leave --labels out")
                if isinstance(data.values, Chunks) and request is not None:
                    write_chunks(self.labels, request, data.values, parts[0].result)
                elif self.labels.lower().endswith(".parquet"):
                    write_parquet(self.labels, data, joined_columns(data, parts))
                else:
                    text = labelled_text(data, joined_columns(data, parts))
                    write_atomically(self.labels, text.encode(errors="replace"))
            click.echo(f"wrote {self.labels}", err=True)

    def show(
        self,
        request: Request,
        data: Data | Elsewhere,
        parts: list[Part],
        document: Callable[[Part], dict[str, Any]],
        table_of: Callable[[Any], TextTable],
        **facts: Any,
    ) -> None:
        """Print the fits as JSON, with the facts about the run, or as a table."""
        if self.as_json:
            print_json(grouped_json(parts, document, run_facts(request, data, **facts)))
            return
        print_data(data)
        print_table(joined_table(parts, table_of))

    def draw(self, parts: list[Part], label: str | None = None) -> None:
        """Draw the fits, one below the other, if a picture was requested."""
        if self.plot is not None:
            with waiting("drawing"):
                self._draw(self.plot, parts, label)
            click.echo(f"wrote {self.plot}", err=True)

    def _draw(self, target: str, parts: list[Part], label: str | None) -> None:
        import matplotlib

        matplotlib.use("agg")
        from mindgap.plots import save

        drawn = [part for part in parts if part.result is not None]
        if len(drawn) == 1:
            picture = drawn[0].result.plot(label=label)
        else:
            picture = _panels(drawn[:_MOST_PANELS], label)
            if len(drawn) > _MOST_PANELS:
                click.echo(f"mindgap: {target} shows the first {_MOST_PANELS} of {len(drawn)} groups", err=True)
        save(picture, target)


def check_target(name: str, source: str) -> None:
    """Refuse a path that cannot be written, or that is the input file."""
    if "\0" in name:
        raise InvalidInputError(f"cannot write {name!r}: this is not a valid name of a file")
    if name == "-":
        raise InvalidInputError("this output needs a file, not standard output: give its name (./- for a file named -)")
    parent = Path(name).parent
    if not os.path.isdir(parent):  # noqa: PTH112  # which says no where a path cannot even be asked for
        raise InvalidInputError(f"there is no folder {parent} to write {name} into")
    if os.path.isdir(name):  # noqa: PTH112
        raise InvalidInputError(f"cannot write {name!r}: it is a folder")
    if source != "-" and os.path.isfile(source) and os.path.realpath(source) == os.path.realpath(name):  # noqa: PTH113
        raise InvalidInputError(f"{name} is the input file; write to another")


def _panels(parts: list[Part], label: str | None) -> Any:
    """Return a figure with a panel for each group."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(parts), 1, figsize=(7.2, 3.6 * len(parts)), sharex=True, layout="constrained")
    for ax, part in zip(axes, parts, strict=True):
        part.result.plot(ax, label=label)
        ax.set_title(printable(part.title).replace("$", r"\$"), loc="left", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    return figure
