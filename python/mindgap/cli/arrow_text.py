"""Read columns of a large text file with Arrow's CSV reader, if pyarrow is installed and accepts the file."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mindgap.cli.delimited import DelimitedText
    from mindgap.validation import FloatArray


def read_numbers(
    table: DelimitedText, text: bytes, places: Sequence[int], missing: Collection[str], decimal: str
) -> list[FloatArray] | None:
    """Return columns of numbers, with NaN for missing cells; None if Arrow cannot read them."""
    words = [form for word in missing for form in (word, word.upper(), word.capitalize())]
    kinds = {_name(place): "float64" for place in places}
    found = _read(table, text, kinds, null_values=sorted({*words, "NaN", "N/A"}), decimal_point=decimal)
    return found and [column.to_numpy() for column in found]


def read_texts(table: DelimitedText, text: bytes, place: int) -> list[str] | None:
    """Return a column as text; None if Arrow cannot read it."""
    found = _read(table, text, {_name(place): "string"}, strings_can_be_null=False)
    return found and found[0].to_pylist()


def _name(place: int) -> str:
    return f"{place}"


def _read(table: DelimitedText, text: bytes, kinds: dict[str, str], **conversion: Any) -> list[Any] | None:
    if find_spec("pyarrow") is None:
        return None
    arrow, reader = import_module("pyarrow"), import_module("pyarrow.csv")
    try:
        found = reader.read_csv(
            arrow.BufferReader(text),
            read_options=reader.ReadOptions(
                column_names=[_name(place) for place in range(table.width)], skip_rows=int(table.header)
            ),
            parse_options=reader.ParseOptions(
                delimiter=table.separator, newlines_in_values=b'"' in text, ignore_empty_lines=table.width > 1
            ),
            convert_options=reader.ConvertOptions(
                column_types={name: arrow.type_for_alias(kind) for name, kind in kinds.items()},
                include_columns=list(kinds),
                **conversion,
            ),
        )
    except (arrow.ArrowException, ValueError):
        return None
    return [found.column(name) for name in kinds] if found.num_rows else None
