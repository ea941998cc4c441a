"""Data are never executed: nothing is unpickled or evaluated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command_line import Command


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
