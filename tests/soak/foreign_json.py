"""Stored results that were tampered with: bytes, fields, lengths, numbers, nesting."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import mindgap as mg
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult

_X = np.random.default_rng(7).normal(0, 3, 30)


class _Given(mg.Constraint):
    """One row for two centres."""

    name = "given"

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows([[1.0, -2.0]], [0.0], [1.0])


_ROWS = _Given()

#: Results of every kind, as they are stored.
STORED: list[tuple[type[KMeansResult] | type[MixtureResult], str]] = [
    (KMeansResult, mg.kmeans(_X, 3, mg.LowerOnly(1.0)).to_json()),
    (KMeansResult, mg.kmeans(_X, 1, sample_weight=np.arange(1.0, 31.0)).to_json()),
    (KMeansResult, mg.kmeans(_X, 2, _ROWS).to_json()),
    (MixtureResult, mg.mixture(_X, 3, mg.TwoSided(1.0, 3.0), max_iter=9).to_json()),
    (MixtureResult, mg.mixture(_X, 1).to_json()),
    (MixtureResult, mg.mixture(_X, 2, _ROWS, max_iter=9, variances="equal").to_json()),
]

#: What may stand where something else did.
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**20, 2**63, 10**400, 0.5, -0.0, 1e308, -1e308, 5e-324, 1e-300, "", "x", "free",
    "converged", "\ud800", "</script>", [], [0], [[]], {}, {"a": 1}, [None], [1e308, -1e308], ["free"], [1] * 100,
)  # fmt: skip

#: What is no JSON, or hardly, in the place of a value.
_TEXTS = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000, "[" * 100_000, '{"a":' * 3000, "1" * 400)


def tampered(rng: np.random.Generator) -> tuple[type[KMeansResult] | type[MixtureResult], str | bytes]:
    """A kind of result, and what is said to be one."""
    kind, text = STORED[rng.integers(len(STORED))]
    document = json.loads(text)
    for _ in range(int(rng.integers(0, 3))):
        alter(rng, document)
    if rng.random() < 0.05:
        kind = STORED[rng.integers(len(STORED))][0]
    text = json.dumps(document)
    if rng.random() < 0.2:
        name = str(rng.choice(list(document)))
        text = text.replace(f'"{name}": ', f'"{name}": {_TEXTS[rng.integers(len(_TEXTS))]}, "{name}": ', 1)
        if rng.random() < 0.5:
            text = text[: text.index(f', "{name}": ')] + "}"
    if rng.random() < 0.7:
        return kind, text
    return kind, cut(rng, text.encode("utf-8", "surrogatepass"))


def alter(rng: np.random.Generator, document: dict[str, Any]) -> None:
    """Change one field."""
    name = str(rng.choice(list(document)))
    kind = rng.integers(7)
    field = document[name]
    if kind == 0:
        del document[name]
    elif kind == 1:
        document[name] = _VALUES[rng.integers(len(_VALUES))]
    elif kind == 2:
        document[name] = document[str(rng.choice(list(document)))]
    elif isinstance(field, list) and field:
        place = int(rng.integers(len(field)))
        if kind == 3:
            field[place] = _VALUES[rng.integers(len(_VALUES))]
        elif kind == 4:
            field.pop(place)
        elif kind == 5:
            field.insert(place, field[place])
        else:
            document[name] = [field[index] for index in rng.permutation(len(field))]
    elif isinstance(field, (int, float)) and abs(field) < 1e300:
        document[name] = field * float(rng.choice([-1, 0, 1e-300, 1e300, 2]))


def cut(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes flipped, left out, put in twice, cut short, or in another encoding."""
    first, last = sorted(int(place) for place in rng.integers(0, len(content) + 1, 2))
    kind = rng.integers(7)
    if kind == 0:
        return content[:first]
    if kind == 1:
        return content[:first] + content[last:]
    if kind == 2:
        return content[:last] + content[first:]
    if kind == 3:
        encoding = str(rng.choice(["utf-16", "utf-32", "utf-16-be", "utf-8-sig"]))
        return content.decode("utf-8", "replace").encode(encoding)
    flipped = bytearray(content)
    for place in rng.integers(0, max(len(content), 1), int(rng.integers(1, 6))).tolist():
        if place < len(flipped):
            flipped[place] = int(rng.integers(256))
    return bytes(flipped)
