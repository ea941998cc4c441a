"""Data sets: a real survey, the paper's models, and simulated data of several fields."""

from mindgap.datasets.fields import dna_content, fish_lengths, photoelectron_counts, repeat_lengths
from mindgap.datasets.labelled import Labelled
from mindgap.datasets.nypans import NYPANS_LOWER, NYPANS_UPPER, nypans_heights
from mindgap.datasets.paper import MODELS, Model, paper_model

__all__ = [
    "MODELS",
    "NYPANS_LOWER",
    "NYPANS_UPPER",
    "Labelled",
    "Model",
    "dna_content",
    "fish_lengths",
    "nypans_heights",
    "paper_model",
    "photoelectron_counts",
    "repeat_lengths",
]
