"""Append to the rows of a source the label, its probability and the distance from the centre."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.cli.delimited import DelimitedText
from mindgap.cli.reading import Data, Elsewhere
from mindgap.foundation.errors import InvalidInputError
from mindgap.results.mixture import MixtureResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mindgap.results.kmeans import KMeansResult


def label_columns(data: Data | Elsewhere, result: KMeansResult | MixtureResult) -> dict[str, Any]:
    """Return the columns to append, one entry per value; only the labels if an engine has read the data."""
    if isinstance(data, Elsewhere):
        return {"label": result.labels}
    if isinstance(result, MixtureResult):
        labels = result.predict(data.values)
        likely = result.predict_proba(data.values)[np.arange(len(labels)), labels]
        return {"label": labels, "probability": likely, "distance": np.abs(data.values - result.means[labels])}
    # Not `predict`: equal values may be in different clusters.
    labels = result.labels if len(result.labels) == len(data.values) else result.predict(data.values)
    return {"label": labels, "distance": np.abs(data.values - result.centers[labels])}


def labelled_text(data: Data | Elsewhere, columns: Mapping[str, Any]) -> str:
    """Return the table as CSV with the columns appended; they are empty for rows that were left out.

    A text file keeps its separator and its decimal mark.
    """
    text = io.StringIO()
    if isinstance(data, Elsewhere):
        labels = np.asarray(columns["label"])
        if not len(labels):
            raise InvalidInputError("the engine that reads the data has no labels for them; leave --labels out")
        csv.writer(text, lineterminator="\n").writerows([["label"], *([label] for label in labels.tolist())])
        return text.getvalue()
    table, separator = data.table, ","
    if isinstance(table, DelimitedText) and not table.aligned:
        separator = table.separator
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    names = table.titles
    writer.writerow([*names, *new_names(names, columns)])
    marks = data.decimal
    appended = zip(*(_cells(column, marks) for column in columns.values()), strict=True)
    empty = [""] * len(columns)
    writer.writerows(
        [*row, *(next(appended) if kept else empty)] for row, kept in zip(table.rows(), data.kept.tolist(), strict=True)
    )
    return text.getvalue()


def new_names(names: list[str], columns: Iterable[str]) -> list[str]:
    """Return names for the columns to append that the table does not have."""
    found = []
    for name in columns:
        while name in names:
            name = f"{name}_"
        found.append(name)
    return found


def _cells(column: Any, decimal: str) -> list[str]:
    cells = [f"{cell}" for cell in np.asarray(column).tolist()]
    return [cell.replace(".", decimal) for cell in cells] if decimal != "." else cells
