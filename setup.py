"""What ``pyproject.toml`` has no words for: links in the sdist, and a README for the page of a package index."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.sdist import sdist


class SourceDistribution(sdist):
    """The sdist with the links in ``src/treevote``: setuptools takes files only."""

    def make_release_tree(self, base_dir: Any, files: Iterable[Any]) -> None:
        """Write the files, then the links."""
        super().make_release_tree(base_dir, files)
        for path in Path("src/treevote").iterdir():
            if path.is_symlink():
                (Path(base_dir) / path).symlink_to(path.readlink())


setup(
    cmdclass={"sdist": SourceDistribution},
    # on the page of a package index, links to files would lead nowhere
    long_description=re.sub(
        r"\[([^]]+)\]\((?!https?:)([^)#]+)[^)]*\)", r"\1 (`\2`)", Path("README.md").read_text("utf-8")
    ),
    long_description_content_type="text/markdown",
)
