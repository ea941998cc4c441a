"""The sources of `Chunks`: arrays, numpy files, tables in files and in memory, functions.

A source cuts its data into pieces. Each piece is loaded when it is used: by several threads at once if the source has
random access, else one after the other.
"""

from __future__ import annotations

from mindgap.model.sources.opening import open_source
from mindgap.model.sources.piece import Loaded, Piece, Source

__all__ = ["Loaded", "Piece", "Source", "open_source"]
