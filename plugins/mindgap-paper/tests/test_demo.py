"""`make demo`: the NYPANS heights fitted both ways."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from mindgap_paper.demo import main


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
    assert picture.read_bytes().startswith(b"\x89PNG")
