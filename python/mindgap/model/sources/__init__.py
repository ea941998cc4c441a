"""Where the chunks of `Chunks` come from: arrays, files of numpy, tables in files and in memory, functions.

A source cuts its data into pieces, each of which is loaded when it is used: by several threads at once where the data
can be read from any place, one after the other where they cannot.
"""

from __future__ import annotations

from mindgap.model.sources.opening import open_source
from mindgap.model.sources.piece import Loaded, Piece, Source

__all__ = ["Loaded", "Piece", "Source", "open_source"]
