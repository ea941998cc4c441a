"""Shell completion."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from mindgap.cli import app


@pytest.fixture
def completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    (tmp_path / "data.csv").write_text("height,grade,weight in kg\n1,2,3\n")
    monkeypatch.chdir(tmp_path)
    shell = ShellComplete(app, {}, "mindgap", "_MINDGAP_COMPLETE")
    return lambda *words: [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


def test_completion(completed: object) -> None:
    assert callable(completed)
    assert "kmeans" in completed("")
    assert completed("mix") == ["mixture"]
    assert "--constraint" in completed("mixture", "--con")
    for option in ("--column", "--weights", "--group-by"):
        assert completed("mixture", "data.csv", option, "") == ["height", "grade", "weight in kg"]
    assert completed("mixture", "data.csv", "--column", "gr") == ["grade"]
    assert completed("mixture", "none.csv", "--column", "") == []
    assert completed("mixture", "data.csv", "--constraint", "lower") == ["lower-only"]
    assert "ckmeans" in completed("mixture", "data.csv", "--init", "")
    assert "equal" in completed("mixture", "data.csv", "--variances", "")
