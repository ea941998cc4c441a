"""Seeds: the same one gives the same numbers, on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindgap.errors import InvalidInputError
from mindgap.foundation.messages import brief
from mindgap.validation import is_whole


def seed_sequence(seed: Any) -> np.random.SeedSequence:
    """Return the sequence of a seed: a whole number that is not negative, or a sequence, which is copied."""
    if isinstance(seed, np.random.SeedSequence):
        # Spawning counts up in a sequence; a copy gives the same children each time.
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    if not is_whole(seed) or seed < 0:
        raise InvalidInputError(f"seed is {brief(seed)}; it must be a whole number that is not negative")
    return np.random.SeedSequence(int(seed))


def generator(seed: Any) -> np.random.Generator:
    """Return the generator itself where it is one, else that of the seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_sequence(seed))
