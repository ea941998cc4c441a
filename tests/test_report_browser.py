"""The report in a real browser, with the network off."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from drawn import a_mixture, a_path
from mindgap.inference import Intervals
from mindgap.report import write_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (group test)")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; tools/browser.sh installs it as root"),
]

HOSTILE = "</script><img src=x onerror=\"console.error('injected')\"><!-- {{style}} & 'quoted'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as driver:
        # Without a sandbox, since a container's root cannot have one; the only page is our own.
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Opened:
    """A report in a page, with everything that it complained of or asked the network for."""

    def __init__(self, browser: Browser, file: Path, width: int = 900) -> None:
        self.context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def close(self) -> None:
        self.context.close()


def report(tmp_path: Path, k: int, *, title: str = "Heights", label: str = "height") -> Path:
    file = tmp_path / f"report{k}.html"
    result = a_mixture(k, per_gap=k == 12)
    intervals = Intervals(
        level=0.95,
        weights=np.column_stack([result.weights * 0.9, result.weights * 1.1]),
        means=np.column_stack([result.means - 0.1, result.means + 0.1]),
        variances=np.column_stack([result.variances * 0.8, result.variances * 1.2]),
        gaps=np.column_stack([result.gaps - 0.1, result.gaps + 0.1]),
    )
    write_report(file, result, title=title, label=label, gap_path=a_path(k), intervals=intervals)
    return file


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_it_draws_offline_without_complaint(browser: Browser, tmp_path: Path, k: int) -> None:
    opened = Opened(browser, report(tmp_path, k))
    page = opened.page
    for picture in ("#fit-picture", "#path-picture"):
        assert page.locator(f"{picture} .curve").count() == k
        assert page.locator(f"{picture} .bracket").count() == k - 1
        assert page.locator(f"{picture} .gap-label").count() == k - 1
    assert page.locator("#history-picture .trace").count() == 1
    assert page.locator("#parameters tbody tr").count() == k
    assert opened.complaints == []
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)
    opened.close()


def test_the_slider_moves_the_fit(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, report(tmp_path, 5))
    page = opened.page

    def drawn() -> tuple[str | None, str | None, int]:
        curve = page.locator("#path-picture .mixture").get_attribute("d")
        return curve, page.locator("#path-table").text_content(), page.locator("#path-picture .bracket.held").count()

    first, table, held = drawn()
    assert page.locator("#delta-value").text_content() == "δ = 0"
    assert held == 0
    page.locator("#delta").focus()
    page.keyboard.press("End")
    assert page.locator("#delta-value").text_content() == "δ = 3"
    last, moved, held = drawn()
    assert last != first
    assert moved != table
    assert held == 4
    page.keyboard.press("Home")
    assert drawn() == (first, table, 0)
    assert opened.complaints == []
    opened.close()


@pytest.mark.parametrize("width", [360, 900, 1600])
@pytest.mark.parametrize("k", [2, 5, 12])
def test_no_text_overlaps_or_is_cut_off(browser: Browser, tmp_path: Path, k: int, width: int) -> None:
    opened = Opened(browser, report(tmp_path, k), width)
    faults = opened.page.evaluate(
        """() => {
          const faults = [];
          for (const svg of document.querySelectorAll("svg")) {
            const frame = svg.getBoundingClientRect();
            const texts = [...svg.querySelectorAll("text")];
            const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
            boxes.forEach(([name, box], index) => {
              const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1
                && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
              if (!inside) faults.push(`${svg.id}: ${name} is cut off`);
              for (const [other, next] of boxes.slice(index + 1)) {
                const apart = box.right <= next.left || next.right <= box.left
                  || box.bottom <= next.top + 1 || next.bottom <= box.top + 1;
                if (!apart) faults.push(`${svg.id}: ${name} overlaps ${other}`);
              }
            });
          }
          const page = document.documentElement;
          if (page.scrollWidth > page.clientWidth) faults.push("the page is wider than the window");
          return faults;
        }"""
    )
    assert faults == []
    opened.close()


def test_text_from_outside_stays_text(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, report(tmp_path, 2, title=HOSTILE, label=HOSTILE))
    page = opened.page
    assert page.title() == HOSTILE
    assert page.locator("h1").text_content() == HOSTILE
    assert page.locator("#fit-picture .name-x").text_content() == HOSTILE
    assert page.locator("img").count() == 0
    assert opened.complaints == []
    opened.close()


def test_it_is_redrawn_for_another_width(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, report(tmp_path, 5))
    page = opened.page
    before = page.locator("#fit-picture").get_attribute("viewBox")
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_function(
        "before => document.getElementById('fit-picture').getAttribute('viewBox') !== before", arg=before
    )
    assert opened.complaints == []
    opened.close()
