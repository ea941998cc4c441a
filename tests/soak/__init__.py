"""Random trials of every solver, for minutes or hours: ``make soak``.

A trial draws one problem from a generator, solves it and compares with a slow oracle or with another route to the same
answer. It raises where they disagree, and says what kind of case it was where they agree. Each case has a seed of its
own, so that a failure is repeated by one command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from soak import (
    agreement_trials,
    array_trials,
    chunk_trials,
    command_trials,
    json_trials,
    kmeans_trials,
    mixture_trials,
    plugin_trials,
    report_trials,
)

Trial: TypeAlias = Callable[[np.random.Generator], str]

TRIALS: dict[str, Trial] = {
    **kmeans_trials.TRIALS,
    **mixture_trials.TRIALS,
    **agreement_trials.TRIALS,
    **chunk_trials.TRIALS,
    **array_trials.TRIALS,
    **plugin_trials.TRIALS,
    **json_trials.TRIALS,
    **command_trials.TRIALS,
    **report_trials.TRIALS,
}
