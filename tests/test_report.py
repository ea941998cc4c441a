"""The text of a report: self-contained, escaped, complete."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from drawn import a_mixture, a_path
from mindgap import InvalidInputError, kmeans
from mindgap.report import write_report

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</script><script>alert(1)</script><!-- & \" ' \u2028 {{style}}"


def written(tmp_path: Path, **settings: object) -> str:
    file = tmp_path / "report.html"
    write_report(file, a_mixture(4), **settings)  # type: ignore[arg-type]
    return file.read_text(encoding="utf-8")


def content(text: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="content">(.*?)</script>', text, re.S)
    assert found is not None
    loaded: dict[str, object] = json.loads(found[1])
    return loaded


def test_nothing_in_it_comes_from_elsewhere(tmp_path: Path) -> None:
    text = written(tmp_path, gap_path=a_path(4))
    assert "://" not in text
    assert re.findall(r"@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")|<script[^>]*src", text) == []
    assert "default-src 'none'" in text


def test_the_same_fit_gives_the_same_report(tmp_path: Path) -> None:
    assert written(tmp_path, gap_path=a_path(4)) == written(tmp_path, gap_path=a_path(4))


def test_text_from_outside_is_escaped(tmp_path: Path) -> None:
    text = written(tmp_path, title=HOSTILE, label=HOSTILE)
    assert "alert(1)</script>" not in text
    assert text.count("</script>") == 2
    assert content(text)["label"] == HOSTILE
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert "{{style}}" in text, "what is filled in is not looked at for places to fill in"


def test_the_message_of_a_stored_result_is_escaped(tmp_path: Path) -> None:
    stored = a_mixture(2).to_json().replace('"message": "converged"', f'"message": {json.dumps(HOSTILE)}')
    result = type(a_mixture(2)).from_json(stored)
    assert result.message == HOSTILE
    write_report(tmp_path / "report.html", result)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    assert "<script>alert" not in result._repr_html_()


def test_it_holds_the_numbers_of_the_fit(tmp_path: Path) -> None:
    path = a_path(4)
    loaded = content(written(tmp_path, gap_path=path))
    result = a_mixture(4)
    assert loaded["fit"]["means"] == result.means.tolist()  # type: ignore[index]
    assert loaded["history"]["values"] == result.history.tolist()  # type: ignore[index]
    fits = loaded["path"]["fits"]  # type: ignore[index]
    assert [fit["means"] for fit in fits] == [result.means.tolist() for result in path.results]
    assert loaded["path"]["bitesAt"] == 2.0  # type: ignore[index]


def test_what_is_no_mixture_is_refused(tmp_path: Path) -> None:
    for given in (kmeans([1.0, 2.0, 9.0], 2), [a_mixture(2)], "fit"):
        with pytest.raises(InvalidInputError, match="a report takes a result of mixture, or several as Part, not"):
            write_report(tmp_path / "page.html", given)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_without_a_path_there_is_no_slider(tmp_path: Path) -> None:
    text = written(tmp_path)
    assert '<input id="delta"' not in text
    assert content(text)["path"] is None


def test_a_long_history_is_thinned_and_keeps_its_ends(tmp_path: Path) -> None:
    result = a_mixture(2)
    object.__setattr__(result, "history", np.concatenate([[-np.inf], np.linspace(-9.0, -1.0, 100_000)]))
    write_report(tmp_path / "long.html", result)
    history = content((tmp_path / "long.html").read_text(encoding="utf-8"))["history"]
    assert isinstance(history, dict)
    assert len(history["values"]) == len(history["iterations"]) == 2000
    assert history["iterations"][-1] == 100_000
    assert history["values"][0] is None
    assert history["values"][-1] == -1.0


def test_it_needs_no_extra() -> None:
    script = """
import sys
sys.modules["matplotlib"] = sys.modules["click"] = sys.modules["rich"] = None
import os
from mindgap.results.mixture import MixtureResult
from mindgap.report import write_report
write_report(os.devnull, MixtureResult.from_json(sys.stdin.read()))
print("written")
"""
    stored = a_mixture(2).to_json()
    shown = subprocess.run([sys.executable, "-c", script], input=stored, capture_output=True, text=True, check=True)
    assert shown.stdout == "written\n"
