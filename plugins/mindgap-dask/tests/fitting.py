"""Shared helpers: the mixture that several tests fit, and comparisons of fits."""

import numpy as np

import mindgap as mg

GAP = mg.LowerOnly(1.95)


def fit(x, start, engine="dask", **settings):
    return mg.mixture(
        x, 5, GAP, init=start, engine=engine, **({"method": "paper", "max_iter": 12, "tol": 0.0} | settings)
    )


def bits(result):
    """Every number of a fit."""
    numbers = result.weights, result.means, result.variances, result.history, [result.log_likelihood, result.icl]
    return np.concatenate(numbers).tobytes()


def assert_close(found, expected, rtol=1e-12):
    for name in ("weights", "means", "variances", "history", "log_likelihood", "icl"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=rtol, atol=0, err_msg=name)
