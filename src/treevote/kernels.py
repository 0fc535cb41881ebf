"""Kernels: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is kept on disk, so only the
first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.

numba compiles them. It is imported at the first call of a kernel, so a command that needs none starts without it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from treevote import compilation, kernel_files
from treevote.kernel_files import KernelFiles, compiling_is_off

Bytes: TypeAlias = NDArray[np.uint8]
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
    return _compiled(function, {})


def leaf(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that makes no array and returns none, without counts of references to arrays.

    Such counts cost time wherever an array is sliced or passed on, more than the work of a small kernel. Kernels that a
    leaf calls are leaves as well. An assignment to a slice makes an array, a loop over it does not. In the kernels that
    call it, its code takes the place of the call.
    """
    return _compiled(function, {"_nrt": False})


def _compiled(function: Callable[P, R], options: Mapping[str, object]) -> Callable[P, R]:
    if compiling_is_off():
        return function
    return cast("Callable[P, R]", Kernel(function, options))


class Kernel:
    """A function that runs as machine code: that of the types of its arguments, from disk or compiled now."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, object]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._options = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, **options}
        self._n_compiled = 0
        self._outer: Any = self._begin  # the numba function for calls from Python, once it was called

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it; results are those of the Python function."""
        try:
            result = self._outer(*arguments, **named)
        except (AttributeError, ImportError, OSError) as error:
            if not isinstance(error, OSError):  # code on disk for classes that have moved; the next process keeps it
                self._files.remove()
            self._files.kept_in = ""  # on a full disk compiled code cannot be kept
            self._outer = self._dispatcher()
            self._compiled, self._n_compiled = self._outer.stats.cache_misses, 0
            result = self._outer(*arguments, **named)
        if len(self._compiled) != self._n_compiled:
            self._keep()
        return result

    def __reduce__(self) -> str:
        """Pickle by qualified name."""
        return self.__qualname__  # type: ignore[no-any-return, attr-defined]

    @functools.cached_property
    def inner(self) -> Any:
        """The numba function for calls from other kernels: not kept on disk, since their code holds its code."""
        return self._dispatcher(no_cpython_wrapper=True, forceinline="_nrt" in self._options)

    def _begin(self, *arguments: Any, **named: Any) -> Any:
        """Run it for the first time; of several processes one compiles what none has kept, and the others wait."""
        with _lock, self._files.locked():
            if not self._files.are_kept():
                compilation.tell(self._files.kept_in)
                if self._files.source and not named and len(arguments) == self.py_func.__code__.co_argcount:
                    self._dispatcher(tuple(map(_numba().typeof, arguments)), cache=True)
                    if self._files.write_checksums():
                        compilation.tell(self._files.kept_in, 1)
            self._outer = self._dispatcher(cache=bool(self._files.source))
        return self._outer(*arguments, **named)

    @functools.cached_property
    def _compiled(self) -> Any:
        """The types that were compiled, as numba counts them: asked for at each call, where `signatures` is slow."""
        return self._outer.stats.cache_misses

    @functools.cached_property
    def _files(self) -> KernelFiles:
        """Its files, looked for when it is first called: before that, kernels further down may not be defined."""
        return KernelFiles(self.py_func, self._options)

    def _dispatcher(self, types: tuple[Any, ...] | None = None, **own: object) -> Any:
        """Return a numba function of it, compiled for types of arguments or when it is called.

        One that is kept on disk is a copy with another name of its source.
        """
        function = cast("FunctionType", self.py_func)
        if own.get("cache"):
            code = function.__code__.replace(co_filename=self._files.source)
            function = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
            function.__qualname__, function.__module__ = self.py_func.__qualname__, self.py_func.__module__
        return cast("Any", _numba().jit)(types, **self._options, **own)(function)

    def _keep(self) -> None:
        """Tell of the code for new types of arguments, and write the checksums of its files."""
        with _lock:
            self._n_compiled = len(self._compiled)
            if self._files.write_checksums():
                compilation.tell(self._files.kept_in, 1)


_lock = threading.RLock()


def prefetch(array: NDArray[Any], place: Any) -> None:
    """Ask for a place of an array ahead of its use, without waiting for it.

    In a kernel this is an instruction of the processor; Python does nothing.
    """


@functools.cache
def _numba() -> Any:
    """Return numba; it knows what a kernel and `prefetch` are within a kernel.

    `prefetch` is the intrinsic function of this name in the language reference of LLVM.
    """
    numba = cast("Any", kernel_files.numba())
    from llvmlite import ir
    from numba.extending import intrinsic, overload, typeof_impl

    def type_of(kernel: Kernel, context: Any) -> Any:
        return numba.typeof(kernel.inner)

    def touch(context: Any, address: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        to_read, keep_close, data = number(0), number(3), number(1)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
            builder.call(function, [builder.inttoptr(arguments[0], byte), to_read, keep_close, data])
            return context.get_dummy_value()

        return numba.types.void(address), generate

    touched = cast("Any", intrinsic)(touch)

    def prefetched(array: Any, place: Any) -> Any:
        def run(array: Any, place: Any) -> None:
            touched(array.ctypes.data + place * array.itemsize)

        return run

    typeof_impl.register(Kernel, type_of)
    cast("Any", overload)(prefetch, jit_options={"_nrt": False, "forceinline": True})(prefetched)
    return numba
