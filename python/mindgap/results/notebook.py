"""Results as small HTML tables, which notebooks show in place of the repr."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: A longer table shows this many rows and says how many there are besides.
MOST_ROWS = 30


def notebook_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], footer: str) -> str:
    """Return an HTML table, every text in it escaped; it takes its colours from the page around it."""
    body = [f"<tr>{_cells('td', row)}</tr>" for row in rows]
    if len(body) > MOST_ROWS:
        rest = _spanning("td", f"… and {len(body) - MOST_ROWS} more", len(head))
        body = [*body[:MOST_ROWS], rest]
    return (
        f'<table class="mindgap"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{_cells('th', head)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody>"
        f"<tfoot>{_spanning('td', footer, len(head))}</tfoot></table>"
    )


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f'<{tag} style="text-align: right">{escape(text)}</{tag}>' for text in texts)


def _spanning(tag: str, text: str, columns: int) -> str:
    return f'<tr><{tag} colspan="{columns}" style="text-align: left">{escape(text)}</{tag}></tr>'
