"""Where pictures are drawn and how they are stored."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import write_atomically
from mindgap.foundation.messages import printable

if TYPE_CHECKING:
    import os

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

FORMATS = ("png", "svg", "pdf")

#: Inches.
SIZE = (7.2, 4.5)


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new figure of pyplot's, without the frame where it is no axis."""
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=SIZE, layout="constrained")
    open_sides(new)
    return new


def open_sides(ax: Axes) -> None:
    """Leave out the frame where it is no axis."""
    ax.spines[["top", "right"]].set_visible(False)


def name_axes(ax: Axes, x: str, y: str) -> None:
    """Name the axes, unless the caller has; a dollar would begin a formula."""
    if not ax.get_xlabel():
        ax.set_xlabel(printable(x).replace("$", r"\$"))
    if not ax.get_ylabel():
        ax.set_ylabel(y)


def show_between(ax: Axes, low: float, high: float, *, empty: bool) -> None:
    """Show this part of the line; beside what the caller has drawn, that as well."""
    if not empty:
        before = ax.get_xlim()
        low, high = min(low, *before), max(high, *before)
    ax.set_xlim(low, high)


def picture_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the ending of a path stands for, or say which there are."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InvalidInputError(f"{str(path)!r} must end in one of .{', .'.join(FORMATS)}")
    return kind


def save(picture: Artist, path: str | os.PathLike[str]) -> None:
    """Store the figure of a picture (axes, or the figure itself) as PNG, SVG or PDF, by the ending of `path`.

    The file is there whole or not at all, and the same picture gives the same file.
    """
    kind = picture_format(path)
    figure = picture.get_figure(root=True)
    if figure is None:
        raise InvalidInputError("these axes have been removed from their figure; there is nothing to store")
    buffer = BytesIO()
    metadata = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with plt.rc_context({"svg.hashsalt": "mindgap"}):
        figure.savefig(buffer, format=kind, dpi=200, metadata=metadata)
    write_atomically(path, buffer.getvalue())
