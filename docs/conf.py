"""The documentation site: ``sphinx-build -W -b html docs docs/_build``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

import treevote  # noqa: E402

project = "treevote"
author = "The treevote authors"
copyright = author
version = release = treevote.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "commands", "settings"]
exclude_patterns = ["_build"]
smartquotes = False  # two hyphens are an option

html_theme = "furo"
html_title = f"treevote {version}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_preserve_defaults = True  # as they stand in the code
autodoc_typehints = "none"  # docstrings name the types, with shapes
default_role = "py:obj"
numpydoc_class_members_toctree = False
numpydoc_show_inherited_class_members = False
