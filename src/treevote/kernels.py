"""The one door to numba: compiled loops over integer arrays.

A kernel releases the interpreter lock, is single-threaded (parallelism is joblib's) and is kept on disk, so only the
first run on a machine pays for compilation. Each has a slow, obvious twin in ``tests/reference``.

Compiled kernels lie beside their source in ``__pycache__``; where that cannot be written to, in the cache folder of the
user; or where the environment variable ``NUMBA_CACHE_DIR`` says. Without any such folder every run compiles.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile, NullCache
from numba.core.codegen import ll as binding  # type: ignore[attr-defined]
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]
from numba.extending import intrinsic
from numpy.typing import NDArray

from treevote import compilation

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
    compilation.know(_package(function))
    options = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True, **own}
    dispatcher: Any = _Kernel(function, targetoptions=options)
    dispatcher._cache = _Cache(function, options)  # what njit(cache=True) does, but for the class
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


class _Kernel(CPUDispatcher):
    """A kernel, compiled for calls from Python or, in less time, for calls from other kernels.

    Code for calls from Python unpacks each array and tuple of the arguments, which is much code: a fifth of all
    compilation. So a kernel that is first called from another one is compiled without it; if Python calls it later, it
    is compiled again, and that code serves both.
    """

    _inner = False  # whether it is being compiled for another kernel
    _cache: _Cache
    _compiler: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile it for another kernel, unless it is compiled already.

        It is compiled for numbers of 64 bits, not again for each constant and shorter number that it is called with.
        """
        args = tuple(map(_widened, args))
        with global_compiler_lock:
            self._compile_as(inner=True)
            try:
                return super().get_call_template(args, kws)
            finally:
                self._compile_as(inner=False)

    def compile(self, sig: Any) -> Any:
        """Return the code for arguments of some types; compile it if there is none of the form that is needed."""
        with global_compiler_lock:
            if not self._inner and sig in self._of_inner:
                del self.overloads[sig]
                self._of_inner.remove(sig)
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Keep compiled code; Python does not get to see that for other kernels."""
        if self._inner:
            self.overloads[cres.signature.args] = cres
            self._of_inner.add(cres.signature.args)
        else:
            super().add_overload(cres)

    @functools.cached_property
    def _of_inner(self) -> set[Any]:
        """The types of arguments for which there is code for other kernels only."""
        return set()

    def _compile_as(self, *, inner: bool) -> None:
        self._inner = inner
        self._compiler.targetoptions = self.targetoptions | {"no_cpython_wrapper": inner}
        self._cache.inner = inner


def _widened(kind: Any) -> Any:
    """Return the type that an argument is converted to."""
    plain: Any = cast("Any", types).unliteral(kind)
    return types.int64 if getattr(plain, "signed", False) else plain


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


class _Cache(NullCache):
    """The compiled code of a kernel on disk, used only if it was made from the present sources.

    numba checks whether the file of a kernel has changed, and not those of the kernels that it calls; here the `digest`
    of the kernel is checked. Each kind of arguments has a file of its own, named by all that its code depends on: of
    processes that compile the same kernel at once, each leaves a whole file, and none takes the other's for its own.
    """

    def __init__(self, function: Callable[..., object], options: Mapping[str, object]) -> None:
        self._function: Any = function
        self._options = options
        self.inner = False  # whether code for other kernels is looked for

    @property
    def cache_path(self) -> Any:
        """The folder where its files are kept; empty if none can be written to."""
        return self._files.folder

    @functools.cached_property
    def _files(self) -> _Files:
        """Its files, found when the kernel is first called: before that, kernels further down may not be defined."""
        return _Files(self._function, self._options)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        compilation.need(_package(self._function))
        found = self._files.read(sig, target_context, self.inner)
        if found is None:
            compilation.tell(_around(self.cache_path))
        return found

    def save_overload(self, sig: Any, cres: Any) -> None:
        with suppress(OSError):  # such as a full disk: the next run compiles it again
            self._files.keep(sig, cres, self.inner)
        compilation.tell(_around(self.cache_path), 1)


def _package(function: Any) -> str:
    return str(function.__module__.rpartition(".")[0])


def kernels_folder() -> str:
    """Return the folder where compiled kernels are kept; empty if they cannot be kept."""
    return _around(_Cache(kernels_folder, {}).cache_path)


def _around(folder: str) -> str:
    """Return the folder of the compiled kernels of all modules, given that of one of them."""
    if not folder:
        return ""
    beside = os.path.basename(folder) == "__pycache__"
    return os.path.dirname(os.path.abspath(__file__ if beside else folder))


class _Files(IndexDataCacheFile):
    """The files of a kernel: one for each kind of arguments and of processor."""

    def __init__(self, function: Any, options: Mapping[str, object]) -> None:
        self.folder = ""
        with suppress(RuntimeError, OSError):  # there is no folder that can be written to
            self._implementation: Any = CompileResultCacheImpl(function)  # type: ignore[no-untyped-call]
            self.folder = str(self._implementation.locator.get_cache_path())
        source = os.path.abspath(function.__code__.co_filename)
        self._folders = dict.fromkeys((self.folder, os.path.join(os.path.dirname(source), "__pycache__")))
        self._digest = hashlib.sha256(repr((digest(function), sorted(options.items()))).encode()).hexdigest()
        version = f"{sys.implementation.cache_tag}.{numba.__version__}"
        self._stem = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}.{version}."
        super().__init__(self.folder, self._stem, self._digest)  # type: ignore[no-untyped-call]

    def read(self, sig: Any, target_context: Any, inner: bool) -> Any:
        """Return the code for arguments of some types, None if there is none.

        It may also lie beside the source where that folder cannot be written to, as in a container.
        """
        name = self._name(sig, target_context.codegen(), inner)
        for folder in filter(None, self._folders):
            with suppress(Exception):  # there is none, it was not written to its end, or it names types of long ago
                payload = self._load_data(os.path.join(folder, name))  # type: ignore[no-untyped-call]
                if payload[3].args == tuple(sig):
                    _name_helpers()
                    rebuild: Any = CompileResult._rebuild if inner else _ready
                    return rebuild(target_context, *payload)
        return None

    def keep(self, sig: Any, compiled: Any, inner: bool) -> None:
        """Write code, and remove that of other sources."""
        if not self.folder or not self._implementation.check_cachable(compiled):
            return
        self._implementation.locator.ensure_cache_path()
        name = self._name(sig, compiled.codegen, inner)
        self._save_data(name, _lean(*self._implementation.reduce(compiled)))  # type: ignore[no-untyped-call]
        for other in os.listdir(self.folder):
            if other.startswith(self._stem) and not other.startswith(self._stem + self._digest[:16]):
                with suppress(OSError):  # another process was faster
                    os.unlink(os.path.join(self.folder, other))

    def _name(self, sig: Any, codegen: Any, inner: bool) -> str:
        kind = hashlib.sha256(repr((str(sig), codegen.magic_tuple(), inner)).encode()).hexdigest()
        return f"{self._stem}{self._digest[:16]}.{kind[:16]}.nbc"


def _lean(
    library: Any,
    names: Any,
    environment: Any,
    signature: Any,
    objectmode: Any,
    lifted: Any,
    annotation: Any,
    reload_init: Any,
    environments: Any,
) -> tuple[Any, ...]:
    """Return what is to be kept of a compiled kernel.

    That is not the list of its types, for people, nor the empty environments of the functions of numba that were
    compiled into it: to read them, numba would import the modules of these functions, and with them SciPy.
    """
    used = tuple(each for each in environments if each.consts)
    return library, names, environment, signature, objectmode, lifted, "", reload_init, used


def _ready(target_context: Any, library: Any, names: Any, *others: Any) -> Any:
    """Return code from disk, ready to be called from Python.

    numba would first load all that it can compile, and parse the code in the form in which other kernels take it in.
    Most processes never compile, and both would double their start and take 40 MB.
    """
    name, kind, (machine_code, for_linking) = library
    target_context.codegen()._engine._defined_symbols |= {names.llvm_func_name, names.llvm_cpython_wrapper_name}
    library = name, kind, (machine_code, _nothing())
    code: Any = CompileResult._rebuild(target_context, library, names, *others)  # type: ignore[no-untyped-call]
    code.library._shared_module = None
    code.library._get_module_for_linking = functools.cache(lambda: binding.parse_bitcode(for_linking))
    return code


@functools.cache
def _name_helpers() -> None:
    """Tell the linker the addresses of the functions that take memory for arrays and give it back."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


@functools.cache
def _nothing() -> bytes:
    """Return a module without code."""
    return bytes(binding.parse_assembly("").as_bitcode())
