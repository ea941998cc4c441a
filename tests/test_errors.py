"""The classes of errors and how they nest."""

import pytest

import mindgap as mg


@pytest.mark.parametrize("error", [mg.InvalidInputError, mg.InfeasibleError, mg.SolverError, mg.PluginError])
def test_every_error_is_a_mindgap_error(error: type[Exception]) -> None:
    assert issubclass(error, mg.MindgapError)


def test_invalid_input_is_a_value_error() -> None:
    assert issubclass(mg.InvalidInputError, ValueError)
    assert not issubclass(mg.InfeasibleError, ValueError)
