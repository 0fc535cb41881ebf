"""Notebooks: how to tell them, trees in them, and progress in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

_drawings: list[Callable[[Iterable[Any]], str]] = []


def draw_with(drawing: Callable[[Iterable[Any]], str]) -> None:
    """Set what draws the first of some sentences as SVG: treebanks do not know it, since drawings are made of them."""
    _drawings[:] = [drawing]


def drawing(sentences: Iterable[Any]) -> str:
    """Return a drawing of the first sentences as SVG."""
    (draw,) = _drawings
    return draw(sentences)


def in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class OneLine:
    """A text stream on which each line takes the place of the one before."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._width = stream, 0

    def isatty(self) -> bool:
        """Return False."""
        return False

    def write(self, text: str) -> int:
        """Write a line in place of the last one."""
        for line in filter(None, text.splitlines()):
            self._stream.write("\r" + line.ljust(self._width))
            self._width = max(self._width, len(line))
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()
