"""The types of the fixtures in conftest.py that install temporary packages and run new processes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import TypeAlias

Install: TypeAlias = Callable[..., None]
Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
