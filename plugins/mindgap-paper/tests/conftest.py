from __future__ import annotations

import pytest

from command_line import Command, command_runner


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process."""
    return command_runner(monkeypatch, capsys)
