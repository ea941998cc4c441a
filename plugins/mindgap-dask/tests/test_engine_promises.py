"""What mindgap requires of every engine; and one engine object for one fit at a time."""

import threading

import dask.array as da
import mindgap_dask
import numpy as np
import pytest

import mindgap as mg
from mindgap.testing import check_engine


@pytest.mark.parametrize("chunk", [7, 1000])
def test_it_answers_as_the_core_does(chunk):
    def as_input(x, sample_weight):
        return tuple(None if part is None else da.from_array(part, chunks=chunk) for part in (x, sample_weight))

    check_engine(mindgap_dask.DaskEngine(), as_input=as_input)


def test_one_engine_object_serves_one_fit_at_a_time(values):
    computing, go_on = threading.Event(), threading.Event()

    def slow(block):
        computing.set()
        assert go_on.wait(60)
        return block

    engine, found = mindgap_dask.DaskEngine(), []
    x = da.from_array(values[:500], chunks=500).map_blocks(slow, dtype=float, meta=np.empty(0))
    fit = threading.Thread(target=lambda: found.append(mg.kmeans(x, 2, engine=engine)))
    fit.start()
    assert computing.wait(60)
    with pytest.raises(mg.InvalidInputError, match="is in use by another fit"):
        mg.kmeans(values, 3, engine=engine)
    go_on.set()
    fit.join(60)
    assert found[0].inertia == pytest.approx(mg.kmeans(values[:500], 2).inertia)
