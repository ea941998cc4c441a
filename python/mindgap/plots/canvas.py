"""Where pictures are drawn and how they are stored."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from mindgap.errors import InvalidInputError
from mindgap.foundation.files import write_atomically

if TYPE_CHECKING:
    import os

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

FORMATS = ("png", "svg", "pdf")

#: Inches.
SIZE = (7.2, 4.5)


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new figure of pyplot's."""
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=SIZE, layout="constrained")
    return new


def open_sides(ax: Axes) -> None:
    """Leave out the frame where it is no axis."""
    ax.spines[["top", "right"]].set_visible(False)


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
