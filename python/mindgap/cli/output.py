"""Where a command's results go: a table or JSON on standard output, labels and a picture into files."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mindgap.errors import InvalidInputError
from mindgap.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindgap.cli.reading import Data


@dataclass(frozen=True)
class Output:
    """What was asked for beside the table."""

    as_json: bool = False
    labels: str | None = None
    plot: str | None = None

    def check(self) -> None:
        """Refuse what could not be written, before anything is computed."""
        for name in (self.labels, self.plot):
            if name is not None and not Path(name).parent.is_dir():
                raise InvalidInputError(f"there is no folder {Path(name).parent} to write {name} into")
        if self.plot is not None:
            from mindgap.plots.canvas import picture_format

            picture_format(self.plot)

    def write_labels(self, data: Data, columns: Mapping[str, Any]) -> None:
        """Write one line for each row of the source, in its order; rows that were dropped have empty cells."""
        if self.labels is not None:
            write_whole(self.labels, _lines(data, columns).encode())
            click.echo(f"wrote {self.labels}", err=True)

    def draw(self, result: Any, label: str | None = None) -> None:
        """Draw the result if a picture was asked for; `label` says what the data are."""
        if self.plot is not None:
            import matplotlib

            matplotlib.use("agg")
            from mindgap.plots import save

            picture = result.plot()
            if label is not None:
                picture.set_xlabel(label)
            save(picture, self.plot)
            click.echo(f"wrote {self.plot}", err=True)


def _lines(data: Data, columns: Mapping[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([data.name or "value", *columns])
    rows = zip(data.values.tolist(), *(np.asarray(column).tolist() for column in columns.values()), strict=True)
    empty = [""] * (1 + len(columns))
    writer.writerows(next(rows) if kept else empty for kept in data.kept)
    return text.getvalue()
