"""A Dask engine for mindgap: k-means and mixtures of data on many machines, or larger than memory."""

from __future__ import annotations

from collections.abc import Callable

import mindgap as mg
from mindgap_dask.engine import DaskEngine
from mindgap_dask.npy import read_npy
from mindgap_dask.parquet import read_parquet
from mindgap_dask.passes import Pass

__all__ = ["DaskEngine", "Pass", "read_npy", "read_parquet"]


@mg.hookimpl
def register_engines(register: Callable[[type[mg.Engine]], None]) -> None:
    """Register the engine of this package."""
    register(DaskEngine)
