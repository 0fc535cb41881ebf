"""The treebank that comes with treevote: the Turkish Web Treebank, two kinds of text in one annotation scheme.

It is the package ``turkish-treebanks`` of the extra ``quickstart``, which gives its list of files and is never
imported: its files lie in a folder called ``data``, a name that anyone may use.
"""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path
from typing import Literal

from treevote.errors import InputError, extra

PACKAGE = "turkish-treebanks"


def default_treebank(part: Literal["web", "wiki"]) -> Path:
    """Return the path of the web part (2,541 sentences of forums, blogs and news) or the wiki part (2,310 sentences).

    ConfigError if the package is not installed, InputError if it is without its data.

    >>> default_treebank("web").name
    'web.conllu'
    """
    with extra("quickstart", f"the default treebank is the package {PACKAGE}"):
        found = files(PACKAGE) or ()
    for file in found:
        if file.name == f"{part}.conllu" and (path := Path(str(file.locate()))).is_file():
            return path
    problem = f"expected the file {part}.conllu of the package {PACKAGE}, found none"
    raise InputError(problem, remedy=f"install it: pip install --force-reinstall {PACKAGE}")
