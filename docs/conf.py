import shutil
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import matplotlib

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402  (beside this file)

matplotlib.use("agg")

project = "mindgap"
author = "The mindgap authors"
copyright = "2026, The mindgap authors"
release = version = installed_version("mindgap")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "mindgap"
html_copy_source = False
html_show_sourcelink = False
exclude_patterns = ["drawn"]

# Docstrings put names between single backquotes.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_ivar = True
nitpicky = True
# The types in docstrings are words, such as "array-like of n numbers"; only our own names must lead somewhere.
nitpick_ignore_regex = [(r"py:.*", r"(?!mindgap).*")]


def draw(app: Any) -> None:
    """Draw the pictures of the pages by running the code that the pages show."""
    folder = HERE / "drawn"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for page in sorted(HERE.glob("*.md")):
        if pages.pictures(page):
            pages.run(page, folder)


def setup(app: Any) -> None:
    """Have the pictures drawn before Sphinx looks for them."""
    app.connect("builder-inited", draw)
