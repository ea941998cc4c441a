"""Spec strings: a registered name with parameters, as in ``"per-gap:lower=[1,2],upper=[3,inf]"``.

Values are numbers, inf, true, false, none, text (quotes are optional for words) and lists of these. Nothing is
evaluated.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from mindgap.foundation.errors import InvalidInputError

_WORDS: dict[str, Any] = {"inf": float("inf"), "nan": float("nan"), "true": True, "false": False, "none": None}
_BARE_TEXT = re.compile(r"[A-Za-z_][\w-]*")
_EXAMPLE = "write it like per-gap:lower=[1,2],upper=[3,inf]"


class UnnamedValueError(InvalidInputError):
    """A spec string has a value without a name.

    Attributes
    ----------
    name : str
        The name at the beginning of the spec string.
    """

    def __init__(self, spec: str) -> None:
        self.name = spec.partition(":")[0].strip()
        super().__init__(f"{spec!r} has a value without a name; {_EXAMPLE}")


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a spec string."""
    name, colon, text = spec.partition(":")
    name = name.strip()
    if not name:
        raise InvalidInputError(f"{spec!r} has no name; {_EXAMPLE}")
    if not colon:
        return name, {}
    return name, _parameters(spec, text)


def _parameters(spec: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInputError(f"{spec!r} cannot be read; {_EXAMPLE}") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UnnamedValueError(spec)
    try:
        return _by_name(spec, call, f"_({text})")
    except RecursionError as error:
        raise InvalidInputError(f"{spec[:80]!r}... cannot be read; {_EXAMPLE}") from error


def _by_name(spec: str, call: ast.Call, source: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise UnnamedValueError(spec)
        if keyword.arg in parameters:
            raise InvalidInputError(f"{spec!r} gives {keyword.arg} twice")
        parameters[keyword.arg] = _value(keyword.value, source, keyword.arg)
    return parameters


def _value(node: ast.expr, source: str, name: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str, type(None))):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item, source, name) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _value(node.operand, source, name)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return -number if isinstance(node.op, ast.USub) else number
    text = ast.get_source_segment(source, node) or ""
    if isinstance(node, (ast.Name, ast.BinOp)) and _BARE_TEXT.fullmatch(text):
        return _WORDS.get(text.lower(), text)
    raise InvalidInputError(f"{name}={text} is neither a number, text nor a list of these; {_EXAMPLE}")
