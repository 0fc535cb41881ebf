"""The one door to numba: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is cached on disk, so only
the first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numpy.typing import NDArray

Shorts: TypeAlias = NDArray[np.int16]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over arrays and numbers; floating point stays exact, so results repeat bit by bit."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    options = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}
    dispatcher: Any = _Kernel(function, targetoptions=options)  # type: ignore[no-untyped-call]
    dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]  # what njit(cache=True) does, but for the class
    return cast("Callable[P, R]", dispatcher)


class _Kernel(CPUDispatcher):
    """A kernel, compiled for calls from Python or, in less time, for calls from other kernels.

    Code for calls from Python unpacks each array and tuple of the arguments, which is much code: a fifth of all
    compilation. So a kernel that is first called from another one is compiled without it; if Python calls it later, it
    is compiled again, and that code serves both.
    """

    _inner = False  # whether it is being compiled for another kernel

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile it for another kernel, unless it is compiled already."""
        with global_compiler_lock:
            self._compile_as(inner=True)
            try:
                return super().get_call_template(args, kws)  # type: ignore[no-untyped-call]
            finally:
                self._compile_as(inner=False)

    def compile(self, sig: Any) -> Any:
        """Return the code for arguments of some types; compile it if there is none, or only some for other kernels."""
        with global_compiler_lock:
            if not self._inner and sig in self._of_inner:
                del self.overloads[sig]
                self._of_inner.remove(sig)
            return super().compile(sig)  # type: ignore[no-untyped-call]

    def add_overload(self, code: Any) -> None:
        """Keep compiled code; Python does not get to see that for other kernels."""
        if self._inner:
            self.overloads[code.signature.args] = code
            self._of_inner.add(code.signature.args)
        else:
            super().add_overload(code)  # type: ignore[no-untyped-call]

    @functools.cached_property
    def _of_inner(self) -> set[Any]:
        """The types of arguments for which there is code for other kernels only."""
        return set()

    def _compile_as(self, *, inner: bool) -> None:
        self._inner = inner
        self._compiler.targetoptions = self.targetoptions | {"no_cpython_wrapper": inner}
        self._cache.inner = inner


def digest(function: FunctionType) -> str:
    """Return a checksum of the sources of the compiled code of a kernel.

    These are its own instructions and constants, the constants of its module that it names, and the same of every
    kernel that it calls: numba compiles them all into it.

    Examples
    --------
    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1), digest(lambda x: x + 1) == digest(lambda x: x + 2)
    (True, False)
    """
    content: list[str] = []
    seen: set[FunctionType] = set()
    pending = [function]
    while pending:
        function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        for code in _codes(function.__code__):
            constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
            content.append(repr((function.__qualname__, code.co_code, constants, code.co_names, code.co_varnames)))
            for name in sorted(set(code.co_names) & set(function.__globals__)):
                value = function.__globals__[name]
                if hasattr(value, "py_func"):
                    pending.append(value.py_func)
                elif isinstance(value, type):
                    content.append(repr((name, getattr(value, "_fields", None))))
                elif not isinstance(value, ModuleType):
                    content.append(repr((name, value)))
    return hashlib.sha256("\n".join(content).encode()).hexdigest()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class _Cache(FunctionCache):
    """Compiled code on disk, used only if it was made from the present sources.

    numba checks whether the file of a kernel has changed, and not those of the kernels that it calls; here the `digest`
    of the kernel is checked. Code from another release, with types that no longer exist, is compiled again.
    """

    inner = False
    """Whether code for other kernels is looked for."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._stamp()
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except (ImportError, AttributeError):
            self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        self._stamp()
        super().save_overload(sig, data)  # type: ignore[no-untyped-call]

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (self.inner, *super()._index_key(sig, codegen))  # type: ignore[no-untyped-call]

    def _stamp(self) -> None:
        """Stamp the cache file when it is first used: before that, kernels further down may not be defined."""
        if not isinstance(self._cache_file._source_stamp, str):
            self._cache_file._source_stamp = digest(self._py_func)
