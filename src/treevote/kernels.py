"""The one door to numba: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is cached on disk, so only
the first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic
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
    dispatcher: Any = numba.njit(nogil=True)(function)
    dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]  # what njit(cache=True) does, but for the class
    return cast("Callable[P, R]", dispatcher)


def leaf(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that neither allocates nor returns an array: without counts of references to arrays."""
    dispatcher: Any = numba.njit(nogil=True, _nrt=False)(function)
    dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return cast("Callable[P, R]", dispatcher)


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(context: Any, array: Any, place: Any) -> Any:
    """Ask for a place of an array ahead of its use: the processor goes on and does not wait for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


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

    def _stamp(self) -> None:
        """Stamp the cache file when it is first used: before that, kernels further down may not be defined."""
        if not isinstance(self._cache_file._source_stamp, str):
            self._cache_file._source_stamp = digest(self._py_func)
