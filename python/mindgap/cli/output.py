"""Where a command's results go: a table or JSON on standard output, labels and a picture into files."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mindgap.cli.reading import Data, Elsewhere
from mindgap.errors import InvalidInputError
from mindgap.foundation.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Output:
    """What was asked for beside the table."""

    as_json: bool = False
    labels: str | None = None
    plot: str | None = None

    def check(self, source: str) -> None:
        """Refuse what could not be written, or would replace the data, before anything is computed."""
        names = [name for name in (self.labels, self.plot) if name is not None]
        for name in names:
            check_target(name, source)
        if len(names) == 2 and os.path.realpath(names[0]) == os.path.realpath(names[1]):
            raise InvalidInputError(f"{names[0]} cannot be both the labels and the picture")
        if self.plot is not None:
            from mindgap.plots.canvas import picture_format

            picture_format(self.plot)

    def write_labels(self, data: Data | Elsewhere, columns: Mapping[str, Any]) -> None:
        """Write one line for each row of the source, in its order; rows that were dropped have empty cells.

        Of a source that an engine has read, the labels alone are known.
        """
        if self.labels is not None:
            write_atomically(self.labels, _lines(data, columns).encode(errors="replace"))
            click.echo(f"wrote {self.labels}", err=True)

    def draw(self, result: Any, label: str | None = None) -> None:
        """Draw the result if a picture was asked for; `label` says what the data are."""
        if self.plot is not None:
            import matplotlib

            matplotlib.use("agg")
            from mindgap.plots import save

            save(result.plot(label=label), self.plot)
            click.echo(f"wrote {self.plot}", err=True)


def check_target(name: str, source: str) -> None:
    """Refuse to write where nothing can be, or onto the file that is read."""
    if "\0" in name:
        raise InvalidInputError(f"cannot write {name!r}: no file has such a name")
    parent = Path(name).parent
    if not os.path.isdir(parent):  # noqa: PTH112  # which says no where a path cannot even be asked for
        raise InvalidInputError(f"there is no folder {parent} to write {name} into")
    if os.path.isdir(name):  # noqa: PTH112
        raise InvalidInputError(f"cannot write {name!r}: it is a folder")
    if source != "-" and os.path.isfile(source) and os.path.realpath(source) == os.path.realpath(name):  # noqa: PTH113
        raise InvalidInputError(f"{name} is the file that the data come from; write to another")


def _lines(data: Data | Elsewhere, columns: Mapping[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if isinstance(data, Elsewhere):
        labels = np.asarray(columns["label"])
        if not len(labels):
            raise InvalidInputError("the engine that reads the data has no labels for them; leave --labels out")
        writer.writerows([["label"], *([label] for label in labels.tolist())])
        return text.getvalue()
    writer.writerow([data.name or "value", *columns])
    rows = zip(data.values.tolist(), *(np.asarray(column).tolist() for column in columns.values()), strict=True)
    empty = [""] * (1 + len(columns))
    writer.writerows(next(rows) if kept else empty for kept in data.kept)
    return text.getvalue()
