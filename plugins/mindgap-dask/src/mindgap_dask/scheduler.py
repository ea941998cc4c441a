"""Run a graph on a cluster or on the threads of this process, without waiting for a cluster that cannot answer."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from typing import Any

import dask.threaded
from dask.highlevelgraph import HighLevelGraph
from distributed import Client, Future, default_client, wait
from distributed import TimeoutError as DaskTimeoutError  # the built-in TimeoutError from Python 3.11 on
from distributed.scheduler import KilledWorker

import mindgap as mg

#: Seconds between two checks of a cluster that has not answered yet.
_LOOK = 1.0

#: The timeout for asking the scheduler for the number of workers, in seconds.
_ANSWER = 10.0


def active_client(given: Client | None) -> Client | None:
    """Return the client that was given, else the one that is active, else None."""
    if given is not None:
        return given
    try:
        return default_client()
    except ValueError:
        return None


def run(client: Client | None, graph: dict[Any, Any], key: Any, patience: float, timeout: float | None) -> Any:
    """Return the value of a key of a graph; on a cluster, within `timeout` seconds if it is given."""
    if client is None:
        return dask.threaded.get(graph, key)
    _expect_running(client)
    # One layer: Dask would hash a plain dict, for a name that is not needed.
    layered = HighLevelGraph({"mindgap": graph}, {"mindgap": set()})
    future: Future[Any] = client.get(layered, key, sync=False)
    try:
        _wait(client, future, patience, timeout)
        return future.result()
    except KilledWorker as error:
        raise mg.PluginError(
            f"several workers died while running a task, and Dask gave up:  {error}; "
            "smaller chunks, or more memory a worker, may help"
        ) from error
    except CancelledError as error:
        raise mg.PluginError(f"Dask cancelled the pass over the data: {error}") from error
    except OSError as error:
        if future.status == "error":
            raise  # raised by a task, such as a missing file
        raise _lost(error) from error
    finally:
        if not future.done():
            future.cancel()
        future.release()


def _wait(client: Client, future: Future[Any], patience: float, timeout: float | None) -> None:
    """Wait until the future is done, as long as there are workers."""
    began = since = time.monotonic()
    while True:
        try:
            wait(future, timeout=_LOOK)
        except DaskTimeoutError:
            _expect_running(client)
            if timeout is not None and time.monotonic() - began > timeout:
                raise mg.PluginError(f"a pass over the data has taken more than {timeout:g} seconds") from None
            if _has_workers(client):
                since = time.monotonic()
            elif time.monotonic() - since > patience:
                raise mg.PluginError(
                    f"the cluster has had no worker for {patience:g} seconds; start some, or raise patience"
                ) from None
        else:
            return


def _has_workers(client: Client) -> bool:
    try:
        return bool(client.sync(client.scheduler.ncores, callback_timeout=_ANSWER))
    except (OSError, DaskTimeoutError, AttributeError) as error:
        raise _lost(error) from error


def _expect_running(client: Client) -> None:
    if client.status != "running":
        raise _lost(f"the client is {client.status}")


def _lost(reason: object) -> mg.PluginError:
    what = f"the connection to Dask's scheduler is lost ({reason})"
    return mg.PluginError(f"{what}; connect a new client and fit again")
