"""Every hook has a test, and the docs have its exact signature."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mindgap as mg
import pages
from mindgap.host import hookspecs
from mindgap.host.manager import PluginHost
from mindgap.host.registry import COMMAND, KINDS

ROOT = Path(__file__).parents[1]
HOOKS = [name for name in vars(hookspecs) if name.startswith("register_")]


def code_blocks(page: str) -> list[str]:
    return [block.code for block in pages.blocks(ROOT / "docs" / page) if block.language == "python"]


def signature(hook: str) -> str:
    return f"{hook}({', '.join(inspect.signature(getattr(hookspecs, hook)).parameters)})"


def test_there_are_hooks_and_each_has_its_kind() -> None:
    assert sorted(HOOKS) == sorted(kind.hook for kind in (*KINDS.values(), COMMAND))


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_signature(hook: str) -> None:
    page = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    assert f"\n## {signature(hook)}\n" in page
    assert inspect.getdoc(getattr(hookspecs, hook)), f"{hook} has no docstring"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test(hook: str) -> None:
    tests = [path for path in (ROOT / "tests").glob("test_*.py") if path != Path(__file__)]
    assert any(re.search(rf"\n\s*def {hook}\(", path.read_text(encoding="utf-8")) for path in tests)


@pytest.mark.parametrize("hook", HOOKS)
def test_the_example_of_every_hook_works(hook: str, fresh_host: PluginHost) -> None:
    [block] = [block for block in code_blocks("hooks.md") if f"def {hook}(" in block]
    module = ModuleType("example")
    exec(block, vars(module))
    before = {record.name for record in mg.plugins()}
    mg.register(module)
    [new] = [record for record in mg.plugins() if record.name not in before]
    assert new.hooks == (hook,)
    mg.unregister(module)
    assert {record.name for record in mg.plugins()} == before


def test_the_page_on_writing_plugins_runs(fresh_host: PluginHost, monkeypatch: pytest.MonkeyPatch) -> None:
    *script, hook = code_blocks("writing_plugins.md")
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    for block in script:
        pages.run_python(block, module, "writing_plugins.md")
    with pytest.raises(mg.InvalidInputError, match="ratio is 0"):
        mg.constraint("shrinking-gaps:ratio=0")
    assert len(mg.constraint("shrinking-gaps").rows(1) or ()) == 0
    mg.unregister(module.ShrinkingGaps)
    exec(hook, vars(module))
    mg.register(module)
    assert isinstance(mg.constraint("shrinking-gaps"), module.ShrinkingGaps)
