"""`make demo`: the NYPANS heights fitted both ways."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from mindgap_paper.demo import main

ERRORS = (
    "without bounds",
    "with bounds on the growth",
    "midpoints of the bounds",
    "as published",
    "constrained maximum",
)


def test_the_demo_prints_the_papers_table_and_draws_both_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "new" / "nypans.png"
    main(picture)
    plt.close("all")
    out = capsys.readouterr().out
    cells = [line.split()[-3:] for line in out.splitlines() if line.endswith(("yes", "NO"))]
    assert cells == [[figure, figure, "yes"] for figure in ("6.7", "15.6", "0.566", "0.5", "3.2", "0.596", "33", "9")]
    assert f"drawn in {picture}" in out
    errors = [float(line.split()[0]) for line in out.splitlines() if line.endswith(ERRORS) and line[:1] == " "]
    assert errors[1] < min(errors[0], errors[2])
    assert errors[5] < errors[3] < errors[4]
    assert picture.read_bytes().startswith(b"\x89PNG")
