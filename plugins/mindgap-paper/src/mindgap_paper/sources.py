"""The sources of data sets: simulated, each with its own random stream, or the authors' own."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from mindgap import InvalidInputError
from mindgap.datasets import Labelled, paper_model
from mindgap_paper.array_file import read_arrays
from mindgap_paper.experiments import N

if TYPE_CHECKING:
    from mindgap_paper.experiments import Experiment

SEED = 20200406


class Source(Protocol):
    """Data sets of one experiment, by number."""

    #: The identity of this source in stored results.
    identity: str

    def draw(self, repeat: int) -> Labelled:
        """Return a data set."""


class Simulated:
    """Data drawn from the experiment's model; a data set depends on the seed, the experiment and its number only."""

    def __init__(self, experiment: Experiment, seed: int = SEED) -> None:
        self._model = experiment.model
        self._stream = int(experiment.key)
        self._seed = seed
        self.identity = f"seed {seed}"

    def draw(self, repeat: int) -> Labelled:
        """Return a data set."""
        sequence = np.random.SeedSequence(self._seed, spawn_key=(self._stream, repeat))
        return paper_model(self._model, N, np.random.default_rng(sequence))


class Authors:
    """The authors' own data sets of Experiments 1 and 3, as a folder holds them."""

    #: By experiment.
    FILES: ClassVar[dict[str, str]] = {"1": "paper_exp1.npz", "3": "paper_exp3.npz"}

    def __init__(self, experiment: Experiment, folder: str) -> None:
        path = Path(folder) / self.FILES[experiment.key]
        try:
            stored = read_arrays(path)
            self._samples, self._labels = stored["samples"], stored["labels"]
        except OSError as error:
            raise InvalidInputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
        except (KeyError, ValueError) as error:
            raise InvalidInputError(f"{str(path)!r} does not hold the arrays samples and labels: {error}") from error
        if any(array.dtype.kind not in "biuf" for array in (self._samples, self._labels)):
            raise InvalidInputError(f"samples and labels in {str(path)!r} must be numbers")
        if self._samples.ndim != 2 or self._samples.shape != self._labels.shape or len(self._samples) < 2:
            raise InvalidInputError(
                f"samples and labels in {str(path)!r} must be of one shape, two rows (data sets) or more"
            )
        content = self._samples.tobytes() + self._labels.tobytes()
        self.identity = f"sha256 {hashlib.sha256(content).hexdigest()}"

    def __len__(self) -> int:
        return len(self._samples)

    def draw(self, repeat: int) -> Labelled:
        """Return a data set."""
        groups = np.unique(self._labels[repeat], return_inverse=True)[1]
        return Labelled(np.asarray(self._samples[repeat], dtype=np.float64), groups)
