"""Settings are declared once: the same for functions, estimators, the command line and stored results."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.cli.kmeans import command as kmeans_command
from mindgap.cli.mixture import command as mixture_command
from mindgap.model.settings import KMeansSettings, MixtureSettings
from mindgap.sklearn import GaussianMixture1D, KMeans1D

X = [0.0, 0.1, 0.2, 5.0, 5.1, 5.3]

FACES = [(KMeansSettings, mg.kmeans, KMeans1D), (MixtureSettings, mg.mixture, GaussianMixture1D)]
COMMANDS = [(KMeansSettings, kmeans_command), (MixtureSettings, mixture_command)]


def declared(settings: Any) -> dict[str, Any]:
    return {name: field.default for name, field in settings.__dataclass_fields__.items()}


@pytest.mark.parametrize(("settings", "function", "estimator"), FACES)
def test_function_and_estimator_have_the_settings_with_their_defaults(
    settings: Any, function: Any, estimator: Any
) -> None:
    # The estimator has scikit-learn's names for two; with no random_state, a fit has the function's seed.
    names = {"starts": "n_init", "rng": "random_state"}
    for face, named in ((function, {}), (estimator, names)):
        taken = inspect.signature(face).parameters
        expected = declared(settings) | ({"rng": None} if named and "rng" in declared(settings) else {})
        assert {name: taken[named.get(name, name)].default for name in declared(settings)} == expected


@pytest.mark.parametrize(("settings", "command"), COMMANDS)
def test_every_setting_is_an_option_of_its_command(settings: Any, command: Any) -> None:
    options = {option.name: option for option in command.params}
    for name, default in declared(settings).items():
        assert default is None or f"[default: {default}]" in options[name].help


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (lambda: mg.kmeans(X, 2, centers=3), "centers must be 'free' or 'means', not 3"),  # type: ignore[arg-type]
        (lambda: mg.kmeans(X, 2, time_limit=0), "time_limit is 0; it must be finite and positive"),
        (lambda: mg.kmeans(X, 2, tol=-1), "tol is -1; it must be finite and not negative"),
        (lambda: mg.kmeans(X, 2, method="paper"), 'needs centers="means"'),
        (lambda: mg.mixture(X, 2, variances="same"), "variances must be 'free' or 'equal', not 'same'"),  # type: ignore[arg-type]
        (lambda: mg.mixture(X, 2, max_iter=1.5), "max_iter is 1.5"),  # type: ignore[arg-type]
        (lambda: mg.mixture(X, 2, tol="small"), "tol is 'small'"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_setting_is_refused_by_name(fit: Any, words: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=words):
        fit()


def test_a_stored_mixture_keeps_its_settings() -> None:
    fit = mg.mixture(X, 2, tol=1e-4, max_iter=50, variances="equal")
    again = mg.MixtureResult.from_json(fit.to_json())
    assert again.settings == fit.settings == MixtureSettings(tol=1e-4, max_iter=50, variances="equal")


def test_stored_clusters_keep_their_settings() -> None:
    fit = mg.kmeans(X, 2, mg.LowerOnly(1), centers="means", tol=1e-4, time_limit=60)
    again = mg.KMeansResult.from_json(fit.to_json())
    assert again.settings == fit.settings == KMeansSettings(centers="means", tol=1e-4, time_limit=60)


@pytest.mark.parametrize(("name", "value"), [("tol", "small"), ("variances", "same"), ("max_iter", 0)])
def test_a_stored_setting_that_makes_no_sense_is_refused(name: str, value: Any) -> None:
    document = json.loads(mg.mixture(X, 2).to_json())
    document["settings"][name] = value
    with pytest.raises(mg.InvalidInputError, match=name):
        mg.MixtureResult.from_json(json.dumps(document))


def test_limits_end_fits_early_and_refuse_what_is_too_large() -> None:
    x = np.linspace(0, 1, 3000) ** 2
    hurried = mg.mixture(x, 4, time_limit=1e-9)
    assert (hurried.status, hurried.converged) == ("time-limit", False)
    assert mg.MixtureResult.from_json(hurried.to_json()).status == "time-limit"
    assert hurried.log_likelihood <= mg.mixture(x, 4, time_limit=600).log_likelihood
    for fit in (mg.kmeans, mg.mixture):
        with pytest.raises(mg.OutOfMemoryError):
            fit(x, 4, memory_limit=1000)
        fit(x, 4, memory_limit=1 << 30)
        with pytest.raises(mg.InvalidInputError, match="memory_limit"):
            fit(x, 4, memory_limit=0)
