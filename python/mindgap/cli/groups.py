"""One fit for each group of rows with the same value in a column, shown in one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.cli.labelled import label_columns
from mindgap.cli.reading import Data, Elsewhere
from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.foundation.progress import waiting
from mindgap.results.table import TextTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

#: The most groups; a column with more values is probably not one of groups.
_MOST = 1000


@dataclass(frozen=True)
class Part:
    """The fit of one group.

    Attributes
    ----------
    name : str
        The value that the rows of the group share; empty without groups.
    data : Data or Elsewhere
        The values of the group.
    places : array of int or None
        The indices of the group's values; None for all.
    result : a result or None
        The fit; None if it failed.
    reason : str or None
        Why it failed.
    """

    name: str
    data: Data | Elsewhere
    places: npt.NDArray[np.int64] | None
    result: Any
    reason: str | None = None

    @property
    def title(self) -> str:
        """The name of the group for people."""
        return self.name or "(empty)"


def fit_parts(data: Data | Elsewhere, fit: Callable[[Data | Elsewhere], Any]) -> list[Part]:
    """Fit the data or each group. A failed group has its reason; if all fail, the error is raised."""
    with waiting("fitting"):
        return _fitted(data, fit)


def _fitted(data: Data | Elsewhere, fit: Callable[[Data | Elsewhere], Any]) -> list[Part]:
    if isinstance(data, Elsewhere) or data.groups is None:
        return [Part("", data, None, fit(data))]
    parts, first = [], None
    for name, places in _places(data.groups).items():
        group = replace(
            data,
            values=data.values[places],
            weights=None if data.weights is None else data.weights[places],
            groups=None,
        )
        try:
            parts.append(Part(name, group, places, fit(group)))
        except MindgapError as error:
            first = first or error
            parts.append(Part(name, group, places, None, str(error)))
    if first is not None and all(part.result is None for part in parts):
        raise first
    return parts


def _places(groups: list[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Return the indices of each group, in the order of the names (numbers by size)."""
    names, inverse = np.unique(np.array(groups, dtype=object), return_inverse=True)
    if len(names) > _MOST:
        raise InvalidInputError(f"--group-by has {len(names)} groups; name a column with at most {_MOST} values")
    found = {str(name): np.flatnonzero(inverse == index) for index, name in enumerate(names)}
    return {name: found[name] for name in sorted(found, key=_order)}


def _order(name: str) -> tuple[float, str]:
    try:
        number = float(name)
    except ValueError:
        number = np.inf
    return (number if number == number else np.inf), name


def joined_columns(data: Data | Elsewhere, parts: list[Part]) -> Mapping[str, Any]:
    """Return the columns that `--labels` appends, empty for the values of a group without a fit."""
    if parts[0].places is None:
        return label_columns(data, parts[0].result)
    assert isinstance(data, Data)
    columns: dict[str, Any] = {}
    for part in parts:
        if part.result is not None:
            for name, values in label_columns(part.data, part.result).items():
                column = columns.setdefault(name, np.full(len(data.values), "", dtype=object))
                column[part.places] = np.asarray(values).tolist()
    return columns


def joined_table(parts: list[Part], table_of: Callable[[Any], TextTable]) -> TextTable:
    """Return one table of all fits, with the group in the first column."""
    if parts[0].places is None:
        return table_of(parts[0].result)
    tables = [(part, table_of(part.result)) for part in parts if part.result is not None]
    rows = [[part.title, *row] for part, table in tables for row in table.rows]
    notes = [f"{part.title}: {'; '.join(table.notes)}" for part, table in tables if table.notes]
    notes += [f"{part.title}: no fit: {part.reason}" for part in parts if part.result is None]
    return TextTable(tables[0][1].caption, ("group", *tables[0][1].head), rows, notes)
