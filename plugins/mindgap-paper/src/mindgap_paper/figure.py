"""The paper's figure: three panels against δ, black regular, red one-sided, blue two-sided EM, with 90% bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mindgap.plots  # which says what to install where matplotlib is missing

import matplotlib.pyplot as plt  # isort: skip

from mindgap_paper.experiments import CURVES, DELTAS, TRUE_GAP

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from mindgap_paper.curves import Curves

#: The paper's colours; dashes tell the lines apart where there is no colour.
_STYLES = (("black", (0, ())), ("#d62728", (0, (6, 1.5))), ("#1f5fd0", (0, (1.5, 1))))
#: The colour of lines that guide the eye.
_GUIDE = "#8a8a8a"
_PANELS = ("(a) error of the centers", "(b) error of all parameters", "(c) Rand index")


def draw(curves: Curves) -> Figure:
    """Draw the three panels side by side into a new figure of pyplot's."""
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 4.2), layout="constrained")
    for panel, (ax, title) in enumerate(zip(axes, _PANELS, strict=True)):
        ax.axvline(TRUE_GAP, color=_GUIDE, linestyle=":", linewidth=1.4)
        for curve, (colour, dashes) in enumerate(_STYLES):
            for values, width in ((curves.mean, 2.4), (curves.low, 0.9), (curves.high, 0.9)):
                ax.plot(
                    DELTAS,
                    values[curve, :, panel],
                    color=colour,
                    linestyle=dashes,
                    linewidth=width,
                    label=CURVES[curve] if width > 1 else None,
                )
        ax.set_title(title, fontsize=11)
        ax.set_xlabel("δ")
        ax.spines[["top", "right"]].set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    caption = f"thick: mean of {curves.n} data sets; thin: 5% and 95% quantiles; dotted: the true gap"
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=3,
        frameon=False,
        handlelength=4,
        title=caption,
        title_fontsize=9,
    )
    return figure


def save_figure(curves: Curves, *paths: Path) -> None:
    """Draw the figure and store it under each of the paths, by their endings."""
    figure = draw(curves)
    for path in paths:
        mindgap.plots.save(figure, path)
    plt.close(figure)
