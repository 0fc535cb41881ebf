"""News of the compilation of kernels, which only the first run on a machine needs.

`treevote.kernel_files` tells them, and the terminal shows them; this module imports neither, so a command that needs no
kernel does not load the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class CompilationState(NamedTuple):
    """Kernels that were compiled, each for a kind of arguments; their folder, empty if they cannot be kept.

    ``lost`` of them were not kept.
    """

    done: int = 0
    folder: str = ""
    lost: int = 0


_listeners: list[Callable[[CompilationState], None]] = []
_state = CompilationState()


@contextmanager
def listened(listener: Callable[[CompilationState], None]) -> Iterator[None]:
    """Call a listener before the first kernel is compiled in the block, and after each, in place of an earlier one."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def state() -> CompilationState:
    """Return the state of the compilation."""
    return _state


def tell(folder: str, more: int = 0) -> None:
    """Tell that a kernel is being compiled, or that ``more`` have been."""
    global _state
    _state = CompilationState(_state.done + more, folder, _state.lost + (0 if folder else more))
    if _listeners:
        _listeners[-1](_state)
