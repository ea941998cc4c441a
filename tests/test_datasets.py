"""The data sets have the properties that they document."""

from __future__ import annotations

import numpy as np
import pytest

import mindgap as mg
from mindgap import datasets


def test_nypans_has_the_counts_of_the_survey() -> None:
    heights = datasets.nypans_heights()
    assert len(heights.values) == 9980
    assert len(np.unique(heights.values)) == 32
    assert np.all(np.diff(heights.means()) > 0)


@pytest.mark.parametrize("name", datasets.MODELS)
def test_models_have_their_means_and_spread(name: str) -> None:
    model = datasets.MODELS[name]
    drawn = datasets.paper_model(name, 200_000, rng=1)
    assert drawn.means() == pytest.approx(model.means, abs=0.05)
    assert np.sqrt(drawn.variances()) == pytest.approx(model.deviations, rel=0.05)
    assert drawn.shares() == pytest.approx(model.weights, abs=0.01)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="there is no model 'E'"):
        datasets.paper_model("E")


def test_a_seed_repeats_the_draw() -> None:
    for generate in (
        datasets.dna_content,
        datasets.fish_lengths,
        datasets.photoelectron_counts,
        datasets.repeat_lengths,
    ):
        assert np.array_equal(generate(100, 3).values, generate(100, 3).values)
        assert not np.array_equal(generate(100, 3).values, generate(100, 4).values)


def test_fields_have_the_spacing_they_name() -> None:
    assert np.diff(datasets.photoelectron_counts(200_000, gain=2.0).means()) == pytest.approx(2.0, abs=0.05)
    assert np.diff(datasets.repeat_lengths(200_000, unit=3.0).means()) == pytest.approx(3.0, abs=0.05)
    g1, _, g2 = datasets.dna_content(200_000).means()
    assert g2 / g1 == pytest.approx(2.0, abs=0.01)
    growth = np.diff(datasets.fish_lengths(200_000, ratio=0.6).means())
    assert growth[1:] / growth[:-1] == pytest.approx(0.6, abs=0.05)
