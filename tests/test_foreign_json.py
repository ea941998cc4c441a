"""Untrusted stored results: valid ones are read, all others are refused with the name of the field."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.report.page import Part, report_html
from soak.json_trials import use

X = np.random.default_rng(7).normal(0, 3, 30)
KMEANS = mg.kmeans(X, 3, mg.LowerOnly(1.0))
MIXTURE = mg.mixture(X, 3, mg.TwoSided(1.0, 3.0), max_iter=9)


def changed(result: Any, **fields: Any) -> str:
    return json.dumps(json.loads(result.to_json()) | fields)


def test_a_sound_one_is_read() -> None:
    for result in (KMEANS, MIXTURE):
        use(type(result).from_json(changed(result)))


NO_DOCUMENTS: tuple[Any, ...] = (
    b"", b"\xff\xfe", bytearray(b"{}"), memoryview(b"{}"), None, 3, "", {}, [], "\ud800", "null", "[]", '"x"', "3",
)  # fmt: skip


@pytest.mark.parametrize("document", NO_DOCUMENTS, ids=range(len(NO_DOCUMENTS)))
def test_what_is_no_document_is_refused(document: Any) -> None:
    for result in (KMEANS, MIXTURE):
        with pytest.raises(mg.InvalidInputError):
            type(result).from_json(document)


@pytest.mark.parametrize(
    ("result", "fields"),
    [
        (KMEANS, {"centers": KMEANS.centers[::-1].tolist()}),
        (KMEANS, {"boundaries": [1.0, -1.0]}),
        (KMEANS, {"within": [1.0, -1.0, 1.0]}),
        (KMEANS, {"inertia": -1.0}),
        (KMEANS, {"gaps": [1.0, 1.0]}),
        (KMEANS, {"active": ["free"]}),
        (KMEANS, {"active": []}),
        (KMEANS, {"inertia": 1e301}),
        (KMEANS, {"histogram": {"counts": [1e308, 1e308], "edges": [0.0, 1.0, 2.0]}}),
        (KMEANS, {"histogram": {"counts": [1.0], "edges": [0.0, 5e-324]}}),
        (KMEANS, {"version": True}),
        (MIXTURE, {"means": MIXTURE.means[::-1].tolist()}),
        (MIXTURE, {"weights": [0.5, 0.5, 0.5]}),
        (MIXTURE, {"weights": [1.5, -0.5, 0.0]}),
        (MIXTURE, {"variances": [1.0, 0.0, 1.0]}),
        (MIXTURE, {"variances": [1.0, -1.0, 1.0]}),
        (MIXTURE, {"total_weight": 0.0}),
        (MIXTURE, {"total_weight": -3.0}),
        (MIXTURE, {"log_likelihood": 1e308}),
        (MIXTURE, {"n_parameters": 10**400}),
        (MIXTURE, {"n_parameters": -1}),
        (MIXTURE, {"n_iter": -1, "history": []}),
        (MIXTURE, {"history": []}),
        (MIXTURE, {"active": ["free"] * 3}),
    ],
)
def test_what_is_not_sound_is_refused(result: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(mg.InvalidInputError, match=r"has a bad|histogram|version"):
        type(result).from_json(changed(result, **fields))


@pytest.mark.parametrize("thing", [None, 3, {}, [], memoryview(b"{}"), "\ud800", "[" * 100_000, "9" * 5000])
def test_what_is_no_text_is_refused(thing: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="this is not"):
        mg.KMeansResult.from_json(thing)


def test_a_field_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="'inertia' appears twice"):
        mg.KMeansResult.from_json(KMEANS.to_json()[:-1] + ', "inertia": 3}')


def test_a_start_without_a_likelihood_is_kept() -> None:
    stored = changed(MIXTURE, history=[None, *MIXTURE.history[1:].tolist()])
    result = mg.MixtureResult.from_json(stored)
    assert result.history[0] == -np.inf
    use(result)


def test_a_report_does_without_a_criterion_that_is_not_known() -> None:
    result = mg.MixtureResult.from_json(changed(MIXTURE, entropy=None))
    page = report_html([Part(result)], "title", "label", {}, None)
    assert "<dt>BIC</dt>" in page
    assert "<dt>ICL</dt>" not in page
