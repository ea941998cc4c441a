"""Where pictures are drawn and how they are stored."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from mindgap.errors import InvalidInputError
from mindgap.whole_file import write_whole

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def save(picture: Axes | Figure, path: str | os.PathLike[str]) -> None:
    """Store a picture as PNG, SVG or PDF, by the ending of `path`; a file is there whole or not at all."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InvalidInputError(f"{str(path)!r} must end in one of .{', .'.join(FORMATS)}")
    figure = picture.figure if hasattr(picture, "figure") and picture.figure is not None else picture
    buffer = BytesIO()
    # Without dates the same picture is the same file.
    metadata = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    figure.savefig(buffer, format=kind, dpi=200, metadata=metadata)
    write_whole(path, buffer.getvalue())
