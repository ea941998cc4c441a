"""The commands `plugins` and `new-plugin`, and errors of the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import mindgap as mg
from made_up import Install, Run
from mindgap.cli.new_plugin import TEMPLATE_KINDS, write_package


def test_plugins_as_tables(run: Run) -> None:
    listed = run("-m", "mindgap", "plugins", MINDGAP_LOAD_PLUGINS="")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert max(map(len, listed.stdout.splitlines())) <= 80
    assert " \n" not in listed.stdout
    assert "\x1b" not in listed.stdout
    for name in ("constraints", "lower-only", "upper=None", "constrained-kmeans", "local", mg.__version__):
        assert name in listed.stdout


def test_plugins_as_json(run: Run) -> None:
    listed = run("-m", "mindgap", "plugins", "--json", MINDGAP_LOAD_PLUGINS="")
    [record] = [record for record in json.loads(listed.stdout) if record["name"] == "per-gap"]
    assert record == {
        "name": "per-gap",
        "kind": "constraint",
        "package": "mindgap",
        "version": mg.__version__,
        "hooks": ["register_constraints"],
        "status": "loaded",
        "parameters": ["lower", "upper=None"],
        "cause": None,
    }


def test_what_was_not_loaded_is_shown_with_its_cause(install: Install, run: Run) -> None:
    install("bad", "raise RuntimeError('no [bold] licence')", version="7.0")
    blocked = run("-m", "mindgap", "plugins")
    assert "bad of bad 7.0 is blocked: importing bad raised RuntimeError: no [bold]" in " ".join(blocked.stdout.split())
    disabled = run("-m", "mindgap", "plugins", MINDGAP_LOAD_PLUGINS="")
    assert "bad of bad 7.0 is disabled: MINDGAP_LOAD_PLUGINS leaves it out" in disabled.stdout
    assert disabled.stderr == ""


@pytest.mark.parametrize("kind", TEMPLATE_KINDS)
def test_new_plugin_writes_a_package(kind: str, run: Run, tmp_path: Path) -> None:
    written = run("-m", "mindgap", "new-plugin", "mindgap-fine-one", "--kind", kind, "--dir", str(tmp_path / "new"))
    assert (written.returncode, written.stderr) == (0, "")
    root = tmp_path / "new" / "mindgap-fine-one"
    assert {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()} == {
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "src/mindgap_fine_one/__init__.py",
        "src/mindgap_fine_one/py.typed",
        "tests/test_mindgap_fine_one.py",
    }
    for path in root.rglob("*.*"):
        assert path.is_dir() or "${" not in path.read_text(encoding="utf-8")
    assert 'fine-one = "mindgap_fine_one"' in (root / "pyproject.toml").read_text(encoding="utf-8")
    again = run("-m", "mindgap", "new-plugin", "fine-one", "--kind", kind, "--dir", str(tmp_path / "new"))
    assert again.returncode == 2
    assert again.stderr.endswith("exists already; choose another name or --dir\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEMPLATE_KINDS)
def test_a_new_plugin_is_typed(kind: str, run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (group lint)")
    write_package("typed", kind, tmp_path)
    checked = run("-m", "mypy", "--strict", str(tmp_path / "mindgap-typed" / "src"))
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("name", ["Fine", "fine_one", "1st", "-", "a--b", "../up", "ü"])
def test_new_plugin_refuses_bad_names(name: str, run: Run, tmp_path: Path) -> None:
    refused = run("-m", "mindgap", "new-plugin", "--kind", "engine", "--dir", str(tmp_path / "new"), "--", name)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"mindgap: {name!r} is not a valid plugin name")
    assert not (tmp_path / "new").exists()


def test_usage(run: Run) -> None:
    helped = run("-m", "mindgap", "--help")
    assert helped.returncode == 0
    assert "new-plugin" in helped.stdout
    assert "Example" in run("-m", "mindgap", "new-plugin", "--help").stdout
    assert run("-m", "mindgap", "--version").stdout == f"mindgap, version {mg.__version__}\n"
    wrong = run("-m", "mindgap", "plugin")
    assert wrong.returncode == 2
    assert "there is no command" in wrong.stderr
    assert run("-m", "mindgap", "new-plugin", "x", "--kind", "colour").returncode == 2


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_its_extra_it_says_what_to_install(missing: str, run: Run) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from mindgap.__main__ import main; main()"
    failed = run("-c", code, "plugins")
    assert failed.returncode == 1
    assert failed.stderr == f"mindgap: the command line needs {missing}; install it with: pip install 'mindgap[cli]'\n"


def test_the_command_is_installed() -> None:
    assert (Path(sys.executable).parent / "mindgap").exists()


def test_a_name_that_is_taken_is_refused(run: Run, tmp_path: Path) -> None:
    refused = run("-m", "mindgap", "new-plugin", "lower-only", "--kind", "constraint", "--dir", str(tmp_path))
    assert refused.returncode == 2
    assert f"the constraint 'lower-only' is taken by mindgap {mg.__version__}; choose another name" in refused.stderr
    reserved = run("-m", "mindgap", "new-plugin", "auto", "--kind", "initializer", "--dir", str(tmp_path))
    assert reserved.returncode == 2
    assert "the initializer name 'auto' has a meaning of its own" in reserved.stderr
    assert list(tmp_path.glob("mindgap-*")) == []
