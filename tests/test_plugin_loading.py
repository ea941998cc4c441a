"""When plugins of installed packages are loaded, which of them, and how to trace it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import mindgap as mg
from made_up import Install, Run
from mindgap.host.discovery import unmet_requirement
from mindgap.host.manager import PluginHost

SOURCE = """
import mindgap as mg

class {cls}(mg.Constraint):
    name = "{name}"
    def __init__(self, size, factor=2):
        self.size, self.factor = size, factor
    def gaps(self, k):
        return mg.GapBounds([self.size * self.factor] * (k - 1))

@mg.hookimpl
def register_constraints(register):
    register({cls})
"""


@pytest.fixture
def packages(install: Install) -> None:
    install("acme-one", SOURCE.format(cls="One", name="one"), version="3.1")
    install("acme-two", SOURCE.format(cls="Two", name="two"))


def loaded() -> set[str]:
    return {record.name for record in mg.plugins() if record.status == "loaded"} & {"one", "two"}


@pytest.mark.usefixtures("fresh_host")
def test_a_name_imports_only_the_package_whose_entry_point_has_it(install: Install) -> None:
    install("acme-one", SOURCE.format(cls="One", name="one"), entry_points="[mindgap]\none = acme_one\n")
    install("acme-two", SOURCE.format(cls="Two", name="two"))
    assert mg.constraint("one:size=3").gaps(2) == mg.GapBounds([6.0])
    assert "acme_two" not in sys.modules
    assert mg.constraint("two:size=3").gaps(2) == mg.GapBounds([6.0])


@pytest.mark.usefixtures("fresh_host")
def test_two_entry_points_may_name_one_module(install: Install) -> None:
    source = SOURCE.format(cls="One", name="one") + "    register(type('Two', (One,), {'name': 'two'}))\n"
    install("acme-one", source, entry_points="[mindgap]\none = acme_one\ntwo = acme_one\n")
    assert mg.constraint("two:size=3").gaps(2) == mg.GapBounds([6.0])
    assert loaded() == {"one", "two"}


@pytest.mark.usefixtures("packages", "fresh_host")
def test_fits_with_built_in_parts_import_nothing() -> None:
    mg.mixture([0.0, 1.0, 5.0, 6.5], 2, "lower-only:delta=1", init="ckmeans", engine="local")
    mg.select([0.0, 1.0, 5.0, 6.5], [1, 2])
    mg.register(type("Own", (mg.LowerOnly,), {"name": "own"}))
    assert not {"acme_one", "acme_two"} & sys.modules.keys()


@pytest.mark.usefixtures("fresh_host")
def test_a_hook_of_a_later_version_may_be_optional(install: Install) -> None:
    source = SOURCE.format(cls="One", name="one")
    install("acme-one", source + "@mg.hookimpl(optionalhook=True)\ndef register_colours(register): pass\n")
    assert mg.constraint("one:size=3").gaps(2) == mg.GapBounds([6.0])


@pytest.mark.usefixtures("fresh_host")
def test_a_plugin_that_registers_nothing_is_listed(install: Install) -> None:
    install("acme-none", "import mindgap as mg\n@mg.hookimpl\ndef register_engines(register): pass")
    [record] = [record for record in mg.plugins() if record.package == "acme-none"]
    assert (record.kind, record.status, record.cause) == (None, "loaded", "it registers nothing")


@pytest.mark.usefixtures("fresh_host")
@pytest.mark.parametrize("requirement", ["mindgap>=99", "mindgap (>=99.1)", "mindgap[cli]~=99.0", "mindgap<0.0.1"])
def test_a_plugin_for_another_mindgap_is_blocked(requirement: str, install: Install) -> None:
    install("acme-new", "raise RuntimeError('imported')", requires=requirement)
    with pytest.warns(mg.PluginWarning, match=rf"it needs mindgap.*, but this is mindgap {mg.__version__}"):
        mg.plugins()


@pytest.mark.parametrize(
    "requirement", ["mindgap", "mindgap>=0.1", "mindgap[cli]>=0.0.9,<99", "mindgap-dask>=99", "mindgap; extra == 'x'"]
)
def test_requirements_that_are_met(requirement: str) -> None:
    assert unmet_requirement([requirement], "0.1.0") is None


def test_what_a_plugin_prints_is_no_output(install: Install, run: Run) -> None:
    source = SOURCE.format(cls="One", name="one")
    hook = "def register_constraints(register):\n"
    install("acme-one", "print('imported')\n" + source.replace(hook, hook + "    print('registered')\n"))
    listed = run("-m", "mindgap", "plugins", "--json")
    assert {record["name"] for record in json.loads(listed.stdout)} >= {"one"}
    assert listed.stderr == "imported\nregistered\n"


@pytest.mark.usefixtures("packages")
def test_a_record_says_all_about_a_plugin(fresh_host: PluginHost) -> None:
    [record] = [record for record in mg.plugins() if record.name == "one"]
    assert record == mg.PluginRecord(
        name="one",
        kind="constraint",
        package="acme-one",
        version="3.1",
        hooks=("register_constraints",),
        status="loaded",
        parameters=("size", "factor=2"),
        cause=None,
    )


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("value", "expected"),
    [("", set()), ("acme-one", {"one"}), ("ACME_One", {"one"}), (" acme.one , acme-two ", {"one", "two"})],
)
def test_the_environment_restricts(
    value: str, expected: set[str], fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDGAP_LOAD_PLUGINS", value)
    assert loaded() == expected
    disabled = [record for record in mg.plugins() if record.status == "disabled"]
    assert {record.package for record in disabled} >= {"acme-one", "acme-two"} - {f"acme-{name}" for name in expected}
    assert all(record.cause == "MINDGAP_LOAD_PLUGINS leaves it out" for record in disabled)
    assert mg.constraint("lower-only:delta=1").gaps(2) == mg.GapBounds([1.0])


@pytest.mark.usefixtures("packages")
def test_without_the_variable_all_are_loaded(fresh_host: PluginHost) -> None:
    assert loaded() == {"one", "two"}


def test_a_package_that_is_asked_for_and_absent(fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDGAP_LOAD_PLUGINS", "not-there")
    with pytest.warns(mg.PluginWarning, match="names 'not-there', but no installed package of that name"):
        mg.plugins()


def test_the_first_on_the_path_counts(
    install: Install, tmp_path: Path, fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("acme-one", SOURCE.format(cls="One", name="one"), version="1.0")
    second = tmp_path / "second"
    install("acme-one", SOURCE.format(cls="One", name="one"), version="9.0", into=second)
    monkeypatch.setattr(sys, "path", [*sys.path, str(second)])
    assert [record.version for record in mg.plugins() if record.package == "acme-one"] == ["1.0"]


@pytest.mark.usefixtures("packages")
def test_hook_calls_can_be_watched(run: Run) -> None:
    code = "import mindgap as mg; mg.plugins()"
    assert run("-c", code).stderr == ""
    lines = run("-c", code, MINDGAP_TRACE_PLUGINS="1").stderr.splitlines()
    assert "mindgap: register_constraints of acme-one:acme-one" in lines
    assert "mindgap: register_engines of mindgap.host.builtin.engines" in lines


def test_importing_loads_no_plugin_and_nothing_heavy(install: Install, run: Run) -> None:
    install("acme-one", "raise RuntimeError('imported')")
    code = (
        "import sys, numpy, threading; before = set(sys.modules)\n"
        "import mindgap\n"
        "new = set(sys.modules) - before\n"
        "heavy = {'scipy', 'matplotlib', 'pandas', 'polars', 'pyarrow', 'sklearn', 'click', 'rich', 'email',\n"
        "    'concurrent.futures', 'importlib.metadata'}\n"
        "assert not heavy & new, heavy & new\n"
        "print(len([name for name in new if not name.startswith(('mindgap', 'pluggy'))]))"
    )
    done = run("-c", code)
    assert (done.stderr, done.returncode) == ("", 0)
    assert int(done.stdout) <= 25, "importing mindgap brings in more and more of the standard library"


def test_built_ins_come_through_the_same_hooks(fresh_host: PluginHost) -> None:
    own = [record for record in mg.plugins() if record.package == "mindgap"]
    assert {(record.kind, record.name) for record in own} >= {
        ("constraint", "lower-only"),
        ("constraint", "two-sided"),
        ("constraint", "per-gap"),
        ("constraint", "spread-ratio"),
        ("initializer", "constrained-kmeans"),
        ("initializer", "ckmeans"),
        ("engine", "local"),
    }
    assert all(record.hooks == (f"register_{record.kind}s",) for record in own)


def test_a_plugin_that_registers_itself_while_another_thread_loads_it_keeps_nobody_waiting(
    install: Install, run: Run
) -> None:
    eager = """
import sys
import mindgap as mg
main = sys.modules["__main__"]

class Eager(mg.Constraint):
    name = "eager"
    def gaps(self, k):
        return mg.GapBounds([1.0] * (k - 1))

# Another thread loads all plugins meanwhile, and so waits for this module.
main.importing.set()
main.time.sleep(0.5)
mg.register(Eager)
"""
    install("acme-eager", eager)
    script = """
import importlib, os, threading, time
import mindgap as mg

importing = threading.Event()
work = [lambda: importlib.import_module("acme_eager"), mg.plugins]
threads = [threading.Thread(target=task) for task in work]
threads[0].start()
importing.wait(20)
threads[1].start()
for thread in threads:
    thread.join(10)
print("waiting" if any(thread.is_alive() for thread in threads) else mg.constraint("eager").gaps(2), flush=True)
os._exit(0)
"""
    assert run("-W", "ignore", "-c", script).stdout.strip() == "GapBounds(lower=[1.0], upper=[inf])"


@pytest.mark.usefixtures("fresh_host")
def test_a_plugin_may_use_what_is_built_in_while_it_is_imported(install: Install) -> None:
    source = SOURCE.format(cls="Keen", name="keen") + "BOUNDS = mg.constraint('lower-only:delta=2').gaps(3)\n"
    install("acme-keen", source)
    assert mg.constraint("keen:size=3").gaps(2) == mg.GapBounds([6.0])
