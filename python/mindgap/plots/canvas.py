"""The axes of pictures, and how pictures are stored."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import write_atomically
from mindgap.foundation.messages import printable
from mindgap.results.palette import INK, colour

if TYPE_CHECKING:
    import os

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from mindgap.validation import FloatArray

FORMATS = ("png", "svg", "pdf")

#: The size of a figure in inches.
SIZE = (7.2, 4.5)


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the given axes, or those of a new pyplot figure, without the top and right frame."""
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=SIZE, layout="constrained")
    open_sides(new)
    return new


def open_sides(ax: Axes) -> None:
    """Remove the top and right frame."""
    ax.spines[["top", "right"]].set_visible(False)


def name_axes(ax: Axes, x: str, y: str) -> None:
    """Label the axes, unless the caller has; dollar signs are escaped, since they begin a formula."""
    if not ax.get_xlabel():
        ax.set_xlabel(printable(x).replace("$", r"\$"))
    if not ax.get_ylabel():
        ax.set_ylabel(y)


def mark_centers(ax: Axes, centers: FloatArray, size: float, edge: float) -> None:
    """Draw a triangle on the axis at each centre, in its colour."""
    colours = [colour(number) for number in range(len(centers))]
    level = np.zeros(len(centers))
    ax.scatter(centers, level, marker="^", s=size, c=colours, edgecolors=INK, linewidths=edge, zorder=5, clip_on=False)


def show_between(ax: Axes, low: float, high: float, *, empty: bool) -> None:
    """Set the limits to this range, extended by what the caller has drawn."""
    if not empty:
        before = ax.get_xlim()
        low, high = min(low, *before), max(high, *before)
    ax.set_xlim(low, high)


def picture_format(path: str | os.PathLike[str]) -> str:
    """Return the format for the suffix of a path, or raise InvalidInputError."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InvalidInputError(f"{str(path)!r} must end in one of .{', .'.join(FORMATS)}")
    return kind


def save(picture: Artist, path: str | os.PathLike[str]) -> None:
    """Store a picture as PNG, SVG or PDF. The same picture gives the same bytes.

    Parameters
    ----------
    picture : Axes or Figure
        The picture, or axes in it.
    path : path
        The file to write, atomically; its suffix is the format.

    Examples
    --------
    >>> from mindgap import plots
    >>> plots.save(mg.kmeans([1, 2, 8, 9], 2).plot(), "clusters.svg")  # doctest: +SKIP
    """
    kind = picture_format(path)
    figure = picture.get_figure(root=True)
    if figure is None:
        raise InvalidInputError("these axes have been removed from their figure, so there is nothing to store")
    buffer = BytesIO()
    metadata = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with plt.rc_context({"svg.hashsalt": "mindgap"}):
        figure.savefig(buffer, format=kind, dpi=200, metadata=metadata)
    write_atomically(path, buffer.getvalue())
