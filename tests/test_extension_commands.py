"""Commands that extension packages add to the command line through `register_commands`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import mindgap as mg
from command_line import Command
from made_up import Install, Run
from mindgap.cli import COMMANDS
from mindgap.host import discovery
from mindgap.host.commands import BUILT_IN
from mindgap.host.known import PACKAGES
from mindgap.host.manager import PluginHost

GREET = """
import click
import mindgap as mg

@click.command("greet")
@click.argument("name")
@click.option("--loud", is_flag=True)
def greet(name, loud):
    "Greet somebody."
    if name == "nobody":
        raise mg.InvalidInputError("there is nobody to greet")
    click.echo(f"hello {name}")

@mg.hookimpl
def register_commands(cli):
    cli.add_command(greet)
"""

BROKEN = {
    "import": ("raise RuntimeError('no licence')", "importing bad raised RuntimeError: no licence"),
    "raises": (GREET + "    raise KeyError('colour')\n", "register_commands raised KeyError: 'colour'"),
    "taken by mindgap": (GREET.replace('"greet"', '"kmeans"'), "the command 'kmeans' is mindgap's own"),
    "no command": (
        "import mindgap as mg\n@mg.hookimpl\ndef register_commands(cli):\n    cli.commands['greet'] = print\n",
        "is not a click.Command",
    ),
    "unknown argument": ("import mindgap as mg\n@mg.hookimpl\ndef register_commands(app): pass", "'app'"),
}


def test_the_names_that_are_taken_are_those_of_the_command_line() -> None:
    assert tuple(COMMANDS) == BUILT_IN


def test_a_command_is_listed_and_runs(install: Install, run: Run) -> None:
    install("acme-greet", GREET)
    # Other installed packages may have longer names.
    assert re.search("greet +Greet somebody.", run("-m", "mindgap", "--help").stdout)
    assert run("-m", "mindgap", "greet", "Ada").stdout == "hello Ada\n"
    refused = run("-m", "mindgap", "greet", "nobody")
    assert (refused.returncode, refused.stderr) == (2, "mindgap: there is nobody to greet\n")
    misspelt = run("-m", "mindgap", "greeet")
    assert (misspelt.returncode, "did you mean 'greet'?" in misspelt.stderr) == (2, True)


@pytest.mark.usefixtures("fresh_host")
def test_a_record_says_all_about_a_command(install: Install) -> None:
    install("acme-greet", GREET)
    [record] = [record for record in mg.plugins() if record.kind == "command" and record.package == "acme-greet"]
    assert (record.name, record.hooks, record.parameters) == ("greet", ("register_commands",), ("name", "--loud"))


def test_other_commands_import_no_package(install: Install, run: Run) -> None:
    install("acme-greet", GREET)
    data = "import sys, io; sys.stdin = io.TextIOWrapper(io.BytesIO(b'1\\n2\\n9\\n'));"
    ran = f"{data} sys.argv[1:] = ['kmeans', '-', '-k', '2']; from mindgap.__main__ import main\ntry: main()\n"
    done = run("-W", "error", "-c", ran + "finally: assert 'acme_greet' not in sys.modules")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_package_is_reported_and_stops_no_other_command(how: str, install: Install, run: Run) -> None:
    source, cause = BROKEN[how]
    install("bad", source)
    install("acme-greet", GREET)
    helped = run("-m", "mindgap", "--help")
    assert helped.returncode == 0
    assert "greet" in helped.stdout
    [line] = helped.stderr.splitlines()
    assert line.startswith("mindgap: plugin 'bad' of bad 1.0 is blocked: ")
    assert cause in line
    assert run("-m", "mindgap", "greet", "Ada").stdout == "hello Ada\n"
    listed = json.loads(run("-m", "mindgap", "plugins", "--json").stdout)
    assert [record["status"] for record in listed if record["name"] == "bad"] == ["blocked"]
    assert run("-W", "error", "-m", "mindgap", "kmeans", "--help").stderr == ""


@pytest.mark.usefixtures("fresh_host")
def test_of_two_packages_with_one_command_the_second_is_blocked(install: Install) -> None:
    install("twin-a", GREET)
    install("twin-b", GREET)
    with pytest.warns(mg.PluginWarning, match="the command 'greet' is taken by twin-"):
        assert [record.name for record in mg.plugins()].count("greet") == 1


@pytest.mark.parametrize(
    ("kind", "name", "package"),
    [
        ("constraint", "equal-spacing", "mindgap-spacing"),
        ("engine", "dask", "mindgap-dask"),
    ],
)
def test_a_name_of_a_known_package_says_where_it_is(
    kind: str, name: str, package: str, fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "find", list)  # as if nothing were installed
    with pytest.raises(mg.InvalidInputError) as refused:
        getattr(mg, kind)(name)
    assert f"{name!r} is in {package}, which is not installed" in str(refused.value)
    assert f"pip install ./plugins/{package}" in str(refused.value)


@pytest.mark.usefixtures("fresh_host")
def test_a_command_of_a_known_package_says_where_it_is(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "find", list)  # as if nothing were installed
    ended = command("reproduce", "1")
    assert ended.code == 2
    assert "'reproduce' is in mindgap-paper, which is not installed" in ended.fault
    assert "pip install ./plugins/mindgap-paper" in ended.fault


def test_a_known_package_that_is_broken_says_why(install: Install, run: Run) -> None:
    install("mindgap-paper", "raise RuntimeError('no licence')")
    done = run("-m", "mindgap", "reproduce")
    assert done.returncode == 2
    assert "'mindgap-paper' of mindgap-paper 1.0 is blocked: importing mindgap_paper raised" in done.stderr


def test_known_names_are_those_of_the_packages() -> None:
    folder = Path(__file__).parents[1] / "plugins"
    assert {package for names in PACKAGES.values() for package in names.values()} == {
        path.parent.name for path in folder.glob("*/pyproject.toml")
    }
