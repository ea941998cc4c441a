"""Damaged, re-encoded and unusual files, with the numbers that they hold where that is certain."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from soak.draw import Floats
from soak.foreign_json import cut


class File(NamedTuple):
    """A file's content, what to say of it on the command line, and its numbers; None: they may be refused."""

    content: bytes
    options: tuple[str, ...] = ()
    values: list[float] | None = None


def numbers(rng: np.random.Generator) -> Floats:
    """A few numbers as people write them down."""
    n = int(rng.integers(2, 12))
    return np.round(rng.normal(0, 10.0 ** rng.integers(0, 5), n), int(rng.integers(0, 4)))


def table(rng: np.random.Generator) -> File:
    """A sound table in text: any separator, ends of lines, quotes, encoding, header."""
    x = numbers(rng).tolist()
    separator = str(rng.choice([",", ";", "\t"]))
    end = str(rng.choice(["\n", "\r\n"]))
    quote = '"' if rng.random() < 0.3 else ""
    rows = [["alpha", "größe", "=1+1"]] if rng.random() < 0.5 else []
    rows += [["1", repr(value), "text" if rng.random() < 0.2 and rows else "2"] for value in x]
    text = end.join(separator.join(f"{quote}{cell}{quote}" for cell in row) for row in rows)
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16"]))
    return File((text + end * int(rng.integers(0, 3))).encode(encoding), ("--column", "2"), x)


def column(rng: np.random.Generator) -> File:
    """One number a line."""
    x = numbers(rng).tolist()
    head = [] if rng.random() < 0.5 else ["x"]
    return File("\n".join([*head, *map(repr, x)]).encode(), (), x)


_CELLS = (
    "1,5", "1.234,5", "1,234.5", "1 234", "1_000", "$5", "5%", "=1+1", "@SUM(A1:A9)", "+5", "-", "'5", "0x1F", "1e5",
    "1e999", "NaN", "inf", "-Infinity", "NULL", "", " ", "\x00", "\x1b[31mred", "\u202eevil", "١٢", "½",
    "1\u00a0000", '"', '""', '"1', "TRUE", "2026-01-01", "#N/A", "1" * 400, "x" * 200_000, ",,,", ";", "\t", "é",
    "\ufeff7", "\u2028", "--labels", "{{style}}",
)  # fmt: skip


def odd_cells(rng: np.random.Generator) -> File:
    """A column in which something else stands here and there, by itself on its line."""
    x = [repr(value) for value in numbers(rng).tolist()]
    for _ in range(int(rng.integers(1, 3))):
        x[rng.integers(len(x))] = _CELLS[rng.integers(len(_CELLS))]
    return File("\n".join(x if rng.random() < 0.5 else ["x", *x]).encode(), ("--drop-missing",) * int(rng.integers(2)))


def ragged(rng: np.random.Generator) -> File:
    """Rows of any length."""
    rows = [",".join(str(cell) for cell in rng.integers(0, 9, int(rng.integers(0, 5)))) for _ in range(6)]
    return File("\n".join(rows).encode(), ("--column", str(rng.integers(0, 6))))


def wide(rng: np.random.Generator) -> File:
    """One row of very many columns, or a line without end."""
    text = ",".join(["1"] * 50_000) + "\n" if rng.random() < 0.5 else "1" * 300_000
    return File(text.encode(), ("--column", str(rng.choice(["1", "50000", "50001", "1" * 5000, "²"]))))


def npy(rng: np.random.Generator) -> File:
    """A stored array of any kind; objects are never unpickled."""
    x = numbers(rng)
    arrays: tuple[Any, ...] = (
        x, x.astype(">f4"), x.astype(np.int16), np.asfortranarray(np.stack([x, x], 1)), x[:, None],
        x.astype(complex), x.astype(object), x.astype("M8[s]"), x.astype("U9"), np.zeros(3, "f8,i4"),
        np.zeros((0, 2)), np.zeros((2, 0)), np.array(3.0), np.zeros((1, 2, 3)), x.astype(bool),
        np.zeros(2, [("x\x1b", "f8", (2,))]), np.array([2**63], "u8"), x.astype("g"), np.array([np.nan, 1.0]),
        np.zeros((3, 2), "f8,i4"),
    )  # fmt: skip
    stored = io.BytesIO()
    np.save(stored, arrays[rng.integers(len(arrays))], allow_pickle=True)
    options = ((), ("--column", "1"), ("--column", "2"), ("--column", "f0"))
    return File(stored.getvalue(), options[rng.integers(len(options))])


_HEADERS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "{'descr': '<f8', 'fortran_order': 3, 'shape': 5}",
    "[" * 5000, "{'descr': '<f8', 'fortran_order': False, 'shape': (10**99,), }",
    "{'descr': '|V0', 'fortran_order': False, 'shape': (9,), }",
    "{'descr': [('a', '<f8'), ('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': 'zz', 'fortran_order': False, 'shape': ()}",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
    "{'descr': [('\\ud800', '<f8')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (30000000000,), }", "__import__('os').system('true')",
    "{'descr': None, 'fortran_order': False, 'shape': (1,), }", "-" * 3000 + "1", "{}", "",
)  # fmt: skip


def npy_header(rng: np.random.Generator) -> File:
    """A header that claims what is not there."""
    header = _HEADERS[rng.integers(len(_HEADERS))].encode() + b"\n"
    version = bytes([int(rng.integers(0, 5)), 0]) if rng.random() < 0.2 else b"\x01\x00"
    return File(b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + b"\0" * int(rng.integers(0, 40)))


def parquet(rng: np.random.Generator) -> File:
    """A table of Arrow's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    x = numbers(rng)
    columns: tuple[Any, ...] = (
        pa.array(x), pa.array(x.astype(np.int32)), pa.array([*x[:-1].tolist(), None]), pa.array(["1"] * len(x)),
        pa.nulls(len(x)), pa.array([{"a": 1.0}] * len(x)), pa.array([[1.0]] * len(x)), pa.array(x.astype(bool)),
        pa.array([2**53 + 1] * len(x)), pa.array(x.astype("M8[s]")), pa.array(x.astype(np.float16)),
        pa.array(["a"] * len(x)).dictionary_encode(), pa.array([None] * len(x), pa.decimal128(9, 2)),
    )  # fmt: skip
    names = ["x", str(rng.choice(["x", "a.b", "", "\x1b[31m", "<script>", "y"]))]
    made = pa.table([columns[rng.integers(len(columns))] for _ in names], names=names)
    stored = io.BytesIO()
    pq.write_table(made, stored)
    return File(stored.getvalue(), ("--column", str(rng.choice(["1", "2", "x", "a.b", "3"]))))


def random_bytes(rng: np.random.Generator) -> File:
    """Noise, with or without a beginning that promises something."""
    begin = (b"", b"\x93NUMPY\x01\x00", b"PAR1", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04")
    return File(begin[rng.integers(len(begin))] + rng.bytes(int(rng.integers(0, 200))))


SOUND: tuple[Callable[[np.random.Generator], File], ...] = (table, column)
FILES = (table, column, odd_cells, odd_cells, ragged, npy, npy, npy_header, parquet, random_bytes)


def file(rng: np.random.Generator) -> File:
    """A file, as it was written or tampered with."""
    choice = rng.random()
    if choice < 0.01:
        return wide(rng)
    if choice < 0.3:
        return SOUND[rng.integers(len(SOUND))](rng)
    made = FILES[rng.integers(len(FILES))](rng)
    return File(cut(rng, made.content), made.options) if rng.random() < 0.4 else made._replace(values=None)
