"""News of the compilation of kernels, which only the first run on a machine needs.

`treevote.kernels` tells them, and the terminal shows them; this module imports neither, so a command that needs no
kernel does not load the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Listener: TypeAlias = Callable[[int, str], None]
"""Called with the number of kernels that this process has compiled, and the folder where they are kept.

It is called before the first of them, with 0, and after each. The folder is empty if they cannot be kept.
"""

_listeners: list[Listener] = []
_compiled = 0


@contextmanager
def listened(listener: Listener) -> Iterator[None]:
    """Call a listener within the block, in place of an earlier one.

    Examples
    --------
    >>> with listened(lambda compiled, folder: print(compiled, folder)):
    ...     tell_compiled("/cache")
    1 /cache
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def n_compiled() -> int:
    """Return the number of kernels that this process has compiled, each for a kind of arguments."""
    return _compiled


def tell_compiling(folder: str) -> None:
    """Tell that a kernel is being compiled."""
    if _listeners and not _compiled:
        _listeners[-1](_compiled, folder)


def tell_compiled(folder: str) -> None:
    """Tell that a kernel has been compiled."""
    global _compiled
    _compiled += 1
    if _listeners:
        _listeners[-1](_compiled, folder)
