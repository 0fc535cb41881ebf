"""Notebooks: how to tell them, and trees in them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

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
