"""The results of a run, before they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

from mindgap import __version__
from mindgap_paper.comparing import Comparison, Misses, compare
from mindgap_paper.curves import Curves
from mindgap_paper.experiments import MOST_ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindgap_paper.experiments import Experiment
    from mindgap_paper.nypans import Iterations, Line
    from mindgap_paper.running import Outcome


@dataclass(frozen=True)
class Part:
    """One experiment: its figures with the paper's, or its curves."""

    experiment: Experiment
    repeats: int
    authors: bool
    misses: Misses
    comparisons: tuple[Comparison, ...]
    curves: Curves | None
    unconverged: dict[str, int]
    crossed: dict[str, int]

    @classmethod
    def of(cls, outcome: Outcome) -> Part:
        """Summarise the data sets of an experiment."""
        experiment = outcome.job.experiment
        figure = experiment.kind == "separation"
        return cls(
            experiment,
            outcome.job.repeats,
            outcome.job.authors,
            Misses.of(outcome),
            () if figure else tuple(compare(outcome)),
            Curves.of(outcome) if figure else None,
            _fits(outcome, "converged", 0),
            _fits(outcome, "crossed", 1),
        )

    @property
    def heading(self) -> str:
        """The experiment, its settings, and what it ran on."""
        whose = "of the authors' data sets" if self.authors else "data sets"
        return f"{self.experiment.title}: {self.experiment.settings}, {self.repeats} {whose}"

    def notes(self) -> list[str]:
        """Return how often the paper's program misses, and other notes on the fits."""
        notes = [str(self.misses)]
        notes += [
            f"Fits of {method} that did not converge (a component collapsed, or {MOST_ITERATIONS} iterations were not "
            f"enough): {count}."
            for method, count in self.unconverged.items()
        ]
        notes += [
            f"Fits of {method} whose means changed their order on the way: {count}. As in the authors' program, errors "
            "are taken in the order of the start."
            for method, count in self.crossed.items()
        ]
        return notes

    def faults(self) -> list[str]:
        """Return the figures that are too far from the paper's, each with the reason."""
        found = []
        for line in self.comparisons:
            if self.authors:
                found += [] if line.met else [f"{line.name}: not met to the last digit"]
            else:
                found += [f"{line.name}: {fault}" for fault in line.faults()]
        return found


@dataclass(frozen=True)
class Account:
    """A whole run: its parts, what it ran with, and the time it took."""

    parts: Sequence[Part]
    heights: tuple[list[Line], list[Iterations]] | None
    seed: int
    threads: int
    seconds: float
    processor_seconds: float
    resumed: int
    versions: dict[str, str] = field(
        default_factory=lambda: {"mindgap": __version__, "Python": python_version(), "numpy": np.__version__}
    )

    @property
    def curves(self) -> Curves | None:
        """The curves of Experiments 6 and 7, if they were run."""
        return next((part.curves for part in self.parts if part.curves is not None), None)

    def provenance(self) -> str:
        """Return a description of the run: versions, seed and time."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        resumed = f", {self.resumed} data sets taken up from an interrupted run" if self.resumed else ""
        time = f"{self.seconds:.0f} seconds in {self.threads} threads, {self.processor_seconds:.0f} of processor time"
        seed = "" if all(part.authors for part in self.parts) else f"seed {self.seed}; "
        return f"{versions}; {seed}{time}{resumed}"

    def faults(self) -> list[str]:
        """Return every figure and claim of the paper that this run does not confirm, with the reason."""
        found = [fault for part in self.parts for fault in part.faults()]
        if self.heights is not None:
            found += [f"NYPANS, {line.method}, {line.criterion}: not met" for line in self.heights[0] if not line.met]
        if self.curves is not None:
            found += [f"{claim.text}: {claim.evidence}" for claim in self.curves.claims() if not claim.holds]
        return found


def _fits(outcome: Outcome, name: str, value: int) -> dict[str, int]:
    """Count by method the fits from the paper's program with this value; methods without any are left out."""
    recorded = outcome.recorded.get(name)
    if recorded is None:
        return {}
    separation = outcome.job.experiment.kind == "separation"
    by_method = recorded if separation else recorded[:, 0]
    methods = outcome.job.experiment.methods
    # Regular EM does not depend on δ: it is one fit, recorded at every one.
    counts = [
        int(
            (by_method[:, place, :1] == value).sum()
            if separation and place == 0
            else (by_method[:, place] == value).sum()
        )
        for place in range(len(methods))
    ]
    return {method: count for method, count in zip(methods, counts, strict=True) if count}
