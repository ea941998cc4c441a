"""Every command line in the help, the README and the docs runs, in a folder with the files that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mindgap as mg
import pages
from mindgap.cli import COMMANDS, app

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

#: What a shell is told beside mindgap's own commands: set-up, which other tests do, and `make`.
FOREIGN = ("make ", "pip ", "pytest ", "source ", "python3 -m venv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    survey = mg.datasets.nypans_heights()
    # Every seventh pupil: some commands refit hundreds of times.
    rows = [f"{9 + grade},{height}" for height, grade in zip(*survey, strict=True)][::7]
    (tmp_path / "heights.csv").write_text("\n".join(["grade,height", *rows]))
    lengths = mg.datasets.paper_model("B", 300, rng=1).values
    (tmp_path / "lengths.csv").write_text("\n".join(["length", *map(str, lengths)]))
    numbers = [str(height) for height in survey.values[::20]]
    (tmp_path / "numbers.txt").write_text("\n".join(numbers))
    (tmp_path / "table.tsv").write_text("\n".join(f"a\t{index}\t{number}" for index, number in enumerate(numbers)))
    return tmp_path


def session(lines: str) -> str:
    """Shell commands as a session; those of other programs left out."""
    joined = re.sub(r"\\\n\s*", "", lines)
    commands = [line.split("  #")[0].strip() for line in joined.splitlines() if line.strip()]
    return "".join(f"$ {command}\n" for command in commands if not command.startswith(FOREIGN))


def recommended_by_help() -> dict[str, str]:
    found = {}
    for name in sorted(COMMANDS):
        command = app.get_command(app.make_context("mindgap", ["plugins"], resilient_parsing=True), name)
        examples = re.search(r"Examples:\n(.*?)\n\n", str(command and command.epilog), flags=re.DOTALL)
        if examples is not None:
            found[f"{name} --help"] = session(examples[1])
    return found


def recommended_by_pages() -> dict[str, str]:
    found = {}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        if commands := session("".join(blocks)):
            found[page.name] = commands
    return found


RECOMMENDED = recommended_by_help() | recommended_by_pages()


def test_every_command_has_examples_in_its_help() -> None:
    assert {f"{name} --help" for name in COMMANDS} <= RECOMMENDED.keys()
    assert "README.md" in RECOMMENDED


@pytest.mark.parametrize("place", RECOMMENDED)
def test_recommended_commands_work(place: str, folder: Path) -> None:
    pages.run_console(RECOMMENDED[place], folder, place)
