"""The one door to numba: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is kept on disk, so only the
first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.

`treevote.compiler` compiles them, `treevote.kernel_files` keeps them.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from treevote import compilation
from treevote.compiler import Kernel
from treevote.kernel_files import Cache, package_of

Shorts: TypeAlias = NDArray[np.int16]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

if "colorama.initialise" in sys.modules:  # numba has it write an escape sequence at the end of every process
    atexit.unregister(sys.modules["colorama.initialise"].reset_all)

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
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    compilation.know(package_of(function))
    options = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True, **own}
    dispatcher: Any = Kernel(function, targetoptions=options)
    dispatcher._cache = Cache(function, options)  # what njit(cache=True) does, but for the class
    return cast("Callable[P, R]", dispatcher)


def _prefetch(context: Any, array: Any, place: Any) -> Any:
    ir: Any = cast("Any", cgutils).ir  # LLVM's intermediate representation

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        insert: Any = cgutils.get_or_insert_function
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        function = insert(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, number(0), number(3), number(1)])  # to read, keep close, data
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch: Callable[[NDArray[Any], Any], None] = cast("Any", intrinsic)(_prefetch)
"""Ask for a place of an array ahead of its use, without waiting for it: ``prefetch(array, place)`` in a kernel."""
