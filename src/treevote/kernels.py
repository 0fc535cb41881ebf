"""Kernels: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is kept on disk, so only the
first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.

`treevote.compiler` compiles them, `treevote.kernel_files` keeps them, `treevote.machine_code` makes kept ones ready.
The compiler is loaded when something is to be compiled, and not before: that takes 0.15 s, a third of a short parse.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from treevote import compilation
from treevote.kernel_files import KernelFiles, compiling_is_off, package_of
from treevote.machine_code import ready

Shorts: TypeAlias = NDArray[np.int16]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

Index = np.uint32
"""An index that is not negative: for any other, numba asks at each access whether it counts from the end.

For the innermost loops; it may come from an array or from a range that does not begin with a constant.
"""

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over arrays and numbers; floating point stays exact, so results repeat bit by bit."""
    return _compiled(function)


def leaf(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that makes no array and returns none, without counts of references to arrays.

    Such counts cost time wherever an array is sliced or passed on, more than the work of a small kernel. Kernels that a
    leaf calls are leaves as well. An assignment to a slice makes an array, a loop over it does not.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Callable[P, R], **own: bool) -> Callable[P, R]:
    if compiling_is_off():
        return function
    compilation.know(package_of(function))
    options = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True, **own}
    return cast("Callable[P, R]", Kernel(function, options))


class Kernel:
    """A function that runs as machine code: that of the kinds of its arguments, from disk or compiled now."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, object]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._options = options
        self._codes: dict[Any, Callable[[tuple[Any, ...]], Any]] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it; results are those of the Python function."""
        if named or len(arguments) != self.py_func.__code__.co_argcount:
            bound = inspect.signature(self.py_func).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        kinds = kind_of(arguments)
        code = self._codes.get(kinds)
        if code is None:
            with self._lock:
                code = self._codes.get(kinds) or self._code(kinds, arguments)
                self._codes[kinds] = code
        return code(arguments)

    def __reduce__(self) -> str:
        """Pickle it as the name that it has in its module."""
        return self.__qualname__  # type: ignore[no-any-return, attr-defined]

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The kinds of arguments that it was called with."""
        return tuple(self._codes)

    @functools.cached_property
    def files(self) -> KernelFiles:
        """Its files, found when it is first called: before that, kernels further down may not be defined."""
        return KernelFiles(self.py_func, self._options)

    @functools.cached_property
    def compiler(self) -> Any:
        """What compiles it, also into other kernels."""
        from treevote.compiler import Compiler

        return Compiler(self.py_func, targetoptions=dict(self._options))

    @property
    def _numba_type_(self) -> Any:
        """Its type where another kernel calls it."""
        return self.compiler._numba_type_

    def _code(self, kinds: Any, arguments: tuple[Any, ...]) -> Callable[[tuple[Any, ...]], Any]:
        compilation.need(package_of(self.py_func))
        kept = self.files.read(kinds)
        if kept is not None:
            return ready(kept)
        compilation.tell(self.files.root)
        code, made = self.compiler.code(arguments)
        if made is not None:
            self.files.keep(kinds, made)
        compilation.tell(self.files.root, 1)
        return lambda arguments: code(*arguments)


_NUMBERS = {bool: "bool", np.bool_: "bool", int: "int", np.int64: "int", float: "float", np.float64: "float"}


def kind_of(value: Any) -> Any:
    """Return what decides which machine code fits a value: hashable, and the same in each process.

    Examples
    --------
    >>> kind_of((1, np.zeros(2, np.int32)))
    ('tuple', 'int', ('<i4', 1, 1, 1280))
    """
    kind = type(value)
    if kind is np.ndarray:
        flags = value.flags.num
        return value.dtype.str, value.ndim, flags & 1 or flags & 2, flags & 0x500  # rows, columns; aligned, writeable
    if kind is tuple:
        return ("tuple", *map(kind_of, value))
    if issubclass(kind, tuple):
        return (kind, *map(kind_of, value))
    if kind is int and value >= 1 << 63:
        return "unsigned"
    return _NUMBERS.get(kind, kind)


class _Prefetch:
    """See `prefetch`; the compiler puts an instruction of the processor in its place, Python does nothing."""

    def __call__(self, array: NDArray[Any], place: Any) -> None:
        pass

    def __repr__(self) -> str:
        return "prefetch"

    @property
    def _numba_type_(self) -> Any:
        from treevote.compiler import prefetch_type

        return prefetch_type()


prefetch: Callable[[NDArray[Any], Any], None] = _Prefetch()
"""Ask for a place of an array ahead of its use, without waiting for it: ``prefetch(array, place)`` in a kernel."""
