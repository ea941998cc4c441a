"""Fits, reports, pictures and commands use neither the network nor other programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindgap import _core

pytestmark = pytest.mark.slow

#: Raises where Python is about to open a socket, look up a host, or start a program; it cannot be taken off again.
GUARD = """
import sys
watching = True
def refuse(event, details):
    if watching and event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "urllib.")):
        raise SystemError(f"{event} {details}")
sys.addaudithook(refuse)
"""
API = """
import mindgap as mg
from mindgap.report import write_report
x = mg.datasets.nypans_heights().values
mg.kmeans(x, 4, mg.LowerOnly(0.01), ties="together")
fit = mg.mixture(x, 4, mg.LowerOnly(0.01))
write_report("fit.html", fit, gap_path=mg.gap_path(x[:200], 2))
fit.bootstrap(4, rng=1)
mg.plugins()
"""
COMMANDS = [
    ["kmeans", "x.npy", "-k", "3", "--labels", "labels.csv"],
    ["mixture", "x.npy", "-k", "3", "--constraint", "lower-only:delta=1"],
    ["select", "x.npy", "-k", "1-3"],
    ["path", "x.npy", "-k", "2"],
    ["report", "x.npy", "-k", "2", "--out", "report.html"],
    ["plugins"],
    ["new-plugin", "my-own", "--kind", "constraint"],
]


def run_guarded(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", GUARD + code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal([0, 4, 8], 1, (60, 3)).ravel())
    return tmp_path


def test_the_library_needs_none(folder: Path) -> None:
    ended = run_guarded(API, folder)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "fit.html").exists()


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_no_command_needs_it(arguments: list[str], folder: Path) -> None:
    ended = run_guarded(f"from mindgap.cli import run\nrun({json.dumps(arguments)})", folder)
    assert ended.returncode == 0, ended.stderr


def test_pictures_need_none(folder: Path) -> None:
    # matplotlib may start a program to list the fonts when it is first imported on a machine: that is its own.
    code = "watching = False\nimport matplotlib.pyplot\nwatching = True\nfrom mindgap.cli import run\n"
    ended = run_guarded(code + "run(['mixture', 'x.npy', '-k', '3', '--plot', 'fit.png'])", folder)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "fit.png").exists()


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('x', 1)",
        "import subprocess; subprocess.run('true')",
    ],
)
def test_the_guard_guards(code: str, folder: Path) -> None:
    assert "SystemError" in run_guarded(code, folder).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads the names that a library for Linux imports")
def test_the_compiled_module_cannot_speak_nor_start_a_program() -> None:
    content = Path(str(_core.__file__)).read_bytes()

    def imports(name: str) -> bool:
        return f"\0{name}\0".encode() in content

    assert imports("malloc")
    programs = {
        "execve",
        "execv",
        "execvp",
        "fork",
        "vfork",
        "posix_spawn",
        "posix_spawnp",
        "system",
        "popen",
        "dlopen",
    }
    network = {"socket", "connect", "bind", "listen", "accept4", "getaddrinfo", "sendto", "recvfrom"}
    assert not {name for name in programs | network if imports(name)}
