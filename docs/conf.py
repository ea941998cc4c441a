from importlib.metadata import version as installed_version

project = "mindgap"
author = "The mindgap authors"
copyright = "2026, The mindgap authors"
release = version = installed_version("mindgap")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "mindgap"
nitpicky = False
