"""Data are never run: nothing is unpickled or evaluated, no program is started, and only the host imports plugins."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from command_line import Command
from sources import ROOT, calls, imported, name_of, sources

#: Modules that execute what they read, start programs, or speak to other machines.
REFUSED = frozenset(
    [
        "asyncio",
        "cloudpickle",
        "code",
        "codeop",
        "ctypes",
        "dill",
        "ftplib",
        "http",
        "imaplib",
        "joblib",
        "marshal",
        "multiprocessing",
        "pickle",
        "pickletools",
        "poplib",
        "pty",
        "requests",
        "runpy",
        "shelve",
        "smtplib",
        "socket",
        "socketserver",
        "ssl",
        "subprocess",
        "telnetlib",
        "urllib",
        "webbrowser",
        "xmlrpc",
    ]
)
BUILT_INS = frozenset({"eval", "exec", "compile", "__import__"})
STARTS = re.compile(r"os\.(system|popen|exec\w+|spawn\w+|posix_spawnp?|startfile|fork\w*)|\w*\.(read|to)_pickle")
#: The places that import what they are told by a name that is not written out there, and why they may.
IMPORTERS = {
    "python/mindgap/cli/__init__.py": "the module of a command in its own table",
    "python/mindgap/host/manager.py": "the built-in plugins, by its own list",
    "python/mindgap/results/frames.py": "pandas or polars",
}
#: The places that pickle, to measure what Dask sends, and never unpickle.
PICKLERS = frozenset({"plugins/mindgap-dask/src/mindgap_dask/engine.py"})


def faults(tree: ast.AST, pickles: bool = False) -> list[str]:
    """What a source does that could run what it is given."""
    allowed_here = {"pickle", "cloudpickle"} if pickles else set()
    found = [f"imports {module}" for module in imported(tree) if module.partition(".")[0] in REFUSED - allowed_here]
    found += [f"calls {name}" for name, _ in calls(tree) if re.fullmatch(r"\w*pickle\.(loads?|Unpickler)", name)]
    for name, call in calls(tree):
        if name in BUILT_INS or STARTS.fullmatch(name):
            found.append(f"calls {name}")
        if name in {"np.load", "numpy.load"}:
            keywords = {keyword.arg: keyword.value for keyword in call.keywords}
            allowed = keywords.get("allow_pickle")
            if not (isinstance(allowed, ast.Constant) and allowed.value is False):
                found.append("np.load without allow_pickle=False")
    return found


def imports_by_variable(tree: ast.AST) -> bool:
    return any(
        name in {"import_module", "importlib.import_module"} and not isinstance(call.args[0], ast.Constant)
        for name, call in calls(tree)
    )


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_a_source_runs_nothing_that_it_is_given(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert faults(tree, pickles=name_of(path) in PICKLERS) == []
    assert not imports_by_variable(tree) or name_of(path) in IMPORTERS


def test_the_sources_are_found() -> None:
    assert len(sources()) > 100


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from urllib.request import urlopen",
        "def f():\n    import subprocess as s",
        "eval(text)",
        "exec(compile(text, '', 'exec'))",
        "os.system('true')",
        "pd.read_pickle(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=flag)",
    ],
)
def test_a_source_that_did_would_be_found_out(code: str) -> None:
    assert faults(ast.parse(code))


def test_who_may_pickle_may_not_unpickle() -> None:
    assert not faults(ast.parse("import pickle\npickle.dumps(x)"), pickles=True)
    assert faults(ast.parse("import cloudpickle\ncloudpickle.loads(text)"), pickles=True)


def test_entry_points_are_loaded_in_one_place() -> None:
    loading = [name_of(path) for path in sources() if "entry_point.load()" in path.read_text(encoding="utf-8")]
    assert loading == ["python/mindgap/host/manager.py"]


def test_the_crates_open_no_file_no_socket_and_no_process() -> None:
    crates = [path for crate in ("mindgap", "mindgap-python") for path in (ROOT / "rust" / crate / "src").rglob("*.rs")]
    assert len(crates) > 50
    used = re.compile(r"\bstd::(net|process|fs|env)\b|\blibloading\b")
    assert [name_of(path) for path in crates if used.search(path.read_text(encoding="utf-8"))] == []


class Armed:
    """Unpickling it would leave a file."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.trace,)


def test_an_array_of_objects_is_refused_unread(tmp_path: Path, command: Command) -> None:
    trace = tmp_path / "trace"
    np.save(tmp_path / "armed.npy", np.array([Armed(trace), 1.0], dtype=object), allow_pickle=True)
    ended = command("kmeans", tmp_path / "armed.npy", "-k", "1")
    assert ended.code == 2
    assert "armed.npy" in ended.fault
    assert not trace.exists()


@pytest.mark.parametrize(
    "value", ["__import__('os').abort()", "(lambda: 1)()", "open('x')", "[x for x in (1,)]", "f'{1}'"]
)
def test_parameters_on_the_command_line_are_not_evaluated(value: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "x.csv").write_text("1\n2\n3\n")
    ended = command("kmeans", tmp_path / "x.csv", "-k", "2", "--constraint", f"lower-only:delta={value}")
    assert ended.code == 2
    assert "delta" in ended.fault
