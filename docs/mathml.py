"""Formulas as MathML, by docutils' own converter: browsers draw it by themselves, so the site needs no network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_log = logging.getLogger(__name__)


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_converted(node, as_block=False))
    raise nodes.SkipNode


def _display(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_converted(node, as_block=True)}</div>')
    raise nodes.SkipNode


def _converted(node: nodes.Element, *, as_block: bool) -> str:
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        _log.warning("%s in the formula %s", error, node.astext(), location=node)
        return f"<code>{escape(node.astext())}</code>"
