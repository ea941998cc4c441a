"""Shared fixtures: temporary installed packages, and a plugin host that has loaded nothing."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from command_line import Command, command_runner
from made_up import Install, Run
from mindgap.host import dispatch, guard, lookup
from mindgap.host.manager import PluginHost

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same cases every time, on however slow a machine; the soak is for new ones.
hypothesis.settings.register_profile("the same", derandomize=True, deadline=None)
hypothesis.settings.load_profile("the same")


@pytest.fixture(scope="session", autouse=True)
def ctrl_c() -> None:
    """Take Ctrl-C also in the background, where a shell has a program ignore it, and whatever that starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def pictures() -> Iterator[None]:
    """Close what a test has drawn: matplotlib warns of many open figures, whichever tests share a process."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory for made-up installed packages."""
    directory = tmp_path / "site"
    directory.mkdir()
    return directory


@pytest.fixture
def install(site: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package of one module, with real metadata, where this process finds it."""
    monkeypatch.syspath_prepend(str(site))

    def install(
        package: str,
        source: str | None,
        *,
        version: str = "1.0",
        entry_points: str | None = None,
        requires: str | None = None,
        into: Path = site,
    ) -> None:
        module = package.replace("-", "_")
        metadata = into / f"{module}-{version}.dist-info"
        metadata.mkdir(parents=True)
        needs = "" if requires is None else f"Requires-Dist: {requires}\n"
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{needs}")
        (metadata / "entry_points.txt").write_text(entry_points or f"[mindgap]\n{package} = {module}\n")
        if source is not None:
            (into / f"{module}.py").write_text(source)
            monkeypatch.delitem(sys.modules, module, raising=False)
        importlib.invalidate_caches()

    return install


@pytest.fixture
def fresh_host(monkeypatch: pytest.MonkeyPatch) -> PluginHost:
    """A host that has loaded nothing yet, in the place of the process's own."""
    monkeypatch.delenv("MINDGAP_LOAD_PLUGINS", raising=False)
    monkeypatch.delenv("MINDGAP_TRACE_PLUGINS", raising=False)
    host = PluginHost()
    for module in (dispatch, lookup, guard):
        monkeypatch.setattr(module, "host", host)
    return host


@pytest.fixture
def run(site: Path) -> Run:
    """Run this Python in a new process that sees the made-up packages."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MINDGAP_")}
        path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
        variables = clean | {"PYTHONPATH": path, "COLUMNS": "80", "NO_COLOR": "1"} | environment
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process."""
    return command_runner(monkeypatch, capsys)
