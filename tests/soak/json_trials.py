"""Trials of stored results: if one is read, all its methods work; otherwise it is refused."""

from __future__ import annotations

import json

import numpy as np

from mindgap.report.page import Part, report_html
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult
from soak.attempt import attempt, refused
from soak.foreign_json import tampered

_AT = np.array([-1e300, -3.0, -0.0, 0.1, 2.0, 1e300])


def stored_results(rng: np.random.Generator) -> str:
    """A stored result that was tampered with."""
    kind, text = tampered(rng)
    result = attempt(lambda: kind.from_json(text))
    if refused(result):
        return "refused"
    attempted = attempt(lambda: use(result))
    assert not refused(attempted), f"read, but of no use: {attempted!r}"
    return "read"


def use(result: KMeansResult | MixtureResult) -> None:
    """Call whatever a result can do."""
    again = type(result).from_json(result.to_json())
    assert again.to_json() == result.to_json(), "a round trip changes it"
    json.loads(result.to_json(), parse_constant=lambda name: 1 / 0)
    assert result.summary()
    assert repr(result)
    assert result._repr_html_()
    result.to_frame()
    if result.histogram is not None:
        assert np.isfinite(result.histogram.density()).all()
    labels = result.predict(_AT)
    assert labels.min() >= 0
    assert labels.max() < result.k
    assert (np.diff(labels) >= 0).all() or isinstance(result, MixtureResult)
    if isinstance(result, MixtureResult):
        use_mixture(result)


def use_mixture(result: MixtureResult) -> None:
    """Call what mixtures alone can do."""
    memberships = result.predict_proba(_AT)
    assert np.allclose(memberships.sum(axis=1), 1), memberships
    assert np.isfinite(result.score(_AT[1:-1]))
    assert all(np.isfinite((result.bic, result.aic, 0.0 if result.entropy is None else result.icl)))
    values, components = result.sample(5, 1)
    assert np.isfinite(values).all()
    assert components.max() < result.k
    page = report_html([Part(result)], "title", "label", {}, None)
    assert page.count("</script>") == 2


TRIALS = {"stored-results": stored_results}
