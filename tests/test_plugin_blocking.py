"""A broken package is blocked and reported once, with its distribution, version and cause; everything else works."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import mindgap as mg
from made_up import Install, Run
from mindgap.host.manager import PluginHost

GOOD = """
import mindgap as mg

class Wide(mg.Constraint):
    name = "wide"
    def gaps(self, k):
        return mg.GapBounds([2.0] * (k - 1))

@mg.hookimpl
def register_constraints(register):
    register(Wide)
"""

BROKEN = {
    "import": ("raise RuntimeError('no licence')", "importing bad raised RuntimeError: no licence"),
    "syntax": ("def (", "importing bad raised SyntaxError: invalid syntax"),
    "exit": ("import sys; sys.exit(3)", "importing bad raised SystemExit: 3"),
    "dependency": ("import not_there", "importing bad raised ModuleNotFoundError: No module named 'not_there'"),
    "misspelt hook": (
        "import mindgap as mg\n@mg.hookimpl\ndef register_constraint(register): pass",
        "there is no hook 'register_constraint'; did you mean 'register_constraints'? "
        "there are register_constraints, register_initializers, register_engines, register_commands",
    ),
    "unknown argument": (
        "import mindgap as mg\n@mg.hookimpl\ndef register_constraints(registry): pass",
        "'registry'",
    ),
    "no argument": (
        GOOD.replace("(register):\n    register(Wide)", "(): pass"),
        "register_constraints does not take its argument; write register_constraints(register)",
    ),
    "no hook": (
        "def register_constraints(register): pass",
        "it implements no hook; mark register_constraints or register_initializers or register_engines "
        "or register_commands with @mindgap.hookimpl",
    ),
    "taken name": (
        GOOD.replace('"wide"', '"lower-only"'),
        f"the constraint 'lower-only' is taken by mindgap {mg.__version__}; choose another name",
    ),
    "own duplicate": (
        GOOD + "    register(Wide)\n",
        "the constraint 'wide' is taken by bad 1.0; choose another name",
    ),
    "raises": (
        GOOD + "    raise KeyError('colour')\n",
        "register_constraints raised KeyError: 'colour'",
    ),
    "exits": (
        GOOD + "    raise SystemExit(4)\n",
        "register_constraints raised SystemExit: 4",
    ),
    "not a class": (
        GOOD.replace("register(Wide)", "register(Wide())"),
        "Wide() is not a subclass of mindgap.Constraint",
    ),
    "wrong kind": (
        GOOD.replace("register_constraints", "register_initializers"),
        "<class 'bad.Wide'> is not a subclass of mindgap.Initializer",
    ),
    "no name": (
        GOOD.replace('name = "wide"', ""),
        "Wide has the name ''; give it a class attribute such as name = \"my-own\"",
    ),
    "bad name": (
        GOOD.replace('"wide"', '"Wide Gaps"'),
        "Wide has the name 'Wide Gaps'; give it a class attribute such as name = \"my-own\"",
    ),
    "no answer": (
        GOOD.replace("def gaps", "def gap"),
        "Wide does not implement gaps or rows",
    ),
}


def caught(action: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert callable(action)
        action()
    return [str(warning.message) for warning in caught if warning.category is mg.PluginWarning]


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_package_is_blocked_and_named(how: str, install: Install, fresh_host: PluginHost) -> None:
    source, cause = BROKEN[how]
    install("bad", source)
    install("good", GOOD.replace("wide", "good-one"), version="2.5")
    [message] = caught(mg.plugins)
    assert message.startswith("plugin 'bad' of bad 1.0 is blocked: ")
    assert cause in message
    assert "\n" not in message
    [record] = [record for record in mg.plugins() if record.status == "blocked"]
    assert (record.name, record.package, record.version, record.kind) == ("bad", "bad", "1.0", None)
    assert record.cause is not None
    assert cause in record.cause
    assert all(record.name != "wide" for record in mg.plugins()), "half of a broken plugin was registered"
    assert mg.constraint("good-one").gaps(2) == mg.GapBounds([2.0])
    result = mg.kmeans([0, 1, 5, 6], 2, "lower-only:delta=1")
    assert result.labels.tolist() == [0, 0, 1, 1]
    assert caught(mg.plugins) == [], "reported more than once"


def test_of_two_packages_with_one_name_the_second_is_blocked(install: Install, fresh_host: PluginHost) -> None:
    install("twin-a", GOOD)
    install("twin-b", GOOD)
    [message] = caught(mg.plugins)
    assert "the constraint 'wide' is taken by twin-" in message
    assert mg.constraint("wide").gaps(2) == mg.GapBounds([2.0])


def test_entry_points_that_cannot_be_read(install: Install, fresh_host: PluginHost) -> None:
    install("bad", None, entry_points="[mindgap]\nthis line says nothing\n")
    [message] = caught(mg.plugins)
    assert message.startswith("plugin 'bad' of bad 1.0 is blocked: ")
    assert mg.constraint("lower-only:delta=1").gaps(2) == mg.GapBounds([1.0])


def test_unreadable_packages_of_others_are_none_of_our_business(
    install: Install, site: Path, fresh_host: PluginHost
) -> None:
    install("stranger", None, entry_points="[console_scripts]\nnonsense\n")
    (site / "nameless-1.dist-info").mkdir()
    (site / "nameless-1.dist-info" / "entry_points.txt").write_text("[mindgap]\nx = y\n")
    (site / "binary-1.dist-info").mkdir()
    (site / "binary-1.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[mindgap]")
    assert all("stranger" not in message for message in caught(mg.plugins))
    assert mg.constraint("lower-only:delta=1").gaps(2) == mg.GapBounds([1.0])


def test_one_broken_entry_point_leaves_the_others_of_its_package(install: Install, fresh_host: PluginHost) -> None:
    install("mixed", GOOD, entry_points="[mindgap]\nfirst = not_there\nsecond = mixed\n")
    [message] = caught(mg.plugins)
    assert "plugin 'first' of mixed 1.0 is blocked" in message
    assert mg.constraint("wide").gaps(2) == mg.GapBounds([2.0])


def test_the_command_line_reports_it_in_one_line(install: Install, run: Run) -> None:
    install("bad", "raise RuntimeError('no licence')")
    listed = run("-m", "mindgap", "plugins", "--json")
    assert listed.returncode == 0
    [line] = listed.stderr.splitlines()
    assert line == "mindgap: plugin 'bad' of bad 1.0 is blocked: importing bad raised RuntimeError: no licence"
    assert {record["status"] for record in json.loads(listed.stdout)} == {"loaded", "blocked"}


def test_a_new_process_warns_once_and_fits(install: Install, run: Run) -> None:
    install("bad", "raise RuntimeError('no licence')")
    code = (
        "import mindgap as mg\n"
        "for _ in range(3):\n"
        "    mg.plugins()\n"
        "    print(mg.kmeans([0, 1, 5, 6], 2, 'lower-only:delta=1').labels.tolist())"
    )
    done = run("-c", code)
    assert done.stdout == "[0, 0, 1, 1]\n" * 3
    assert done.stderr.count("is blocked") == 1


@pytest.mark.parametrize("name", ["broken", "mindgap-broken"])
def test_a_blocked_plugin_that_is_asked_for_says_why(name: str, install: Install, fresh_host: PluginHost) -> None:
    install("mindgap-broken", "1 / 0")
    with (
        pytest.warns(mg.PluginWarning, match="is blocked"),
        pytest.raises(
            mg.InvalidInputError, match=r"'mindgap-broken' of mindgap-broken 1\.0 is blocked: .*ZeroDivision"
        ),
    ):
        mg.constraint(name)
    with pytest.raises(mg.InvalidInputError, match="`mindgap plugins` lists 1 that are not loaded"):
        mg.constraint("some-other")
