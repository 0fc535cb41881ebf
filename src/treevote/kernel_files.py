"""Compiled kernels on disk.

They lie beside their source in ``__pycache__``; where that cannot be written to, in the cache folder of the user; or
where the environment variable ``NUMBA_CACHE_DIR`` says. Without any such folder every run compiles.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile, NullCache
from numba.core.codegen import ll as binding  # type: ignore[attr-defined]
from numba.core.compiler import CompileResult
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]

from treevote import compilation


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


class Cache(NullCache):
    """The compiled code of a kernel on disk, used only if it was made from the present sources.

    numba checks whether the file of a kernel has changed, and not those of the kernels that it calls; here the `digest`
    of the kernel is checked. Each kind of arguments has a file of its own, named by all that its code depends on: of
    processes that compile the same kernel at once, each leaves a whole file, and none takes the other's for its own.
    """

    def __init__(self, function: Callable[..., object], options: Mapping[str, object]) -> None:
        self._function: Any = function
        self._options = options
        self.inner = False  # whether it is compiled for another kernel

    @property
    def cache_path(self) -> Any:
        """The folder where its files are kept; empty if none can be written to."""
        return self._files.folder

    @functools.cached_property
    def _files(self) -> KernelFiles:
        """Its files, found when the kernel is first called: before that, kernels further down may not be defined."""
        return KernelFiles(self._function, self._options)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for arguments of some types; None if there is none, and for other kernels."""
        if self.inner:
            return None
        compilation.need(package_of(self._function))
        found = self._files.read(sig, target_context)
        if found is None:
            compilation.tell(_around(self.cache_path))
        return found

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep code that Python can call."""
        if self.inner:
            return
        with suppress(OSError):  # such as a full disk: the next run compiles it again
            self._files.keep(sig, cres)
        compilation.tell(_around(self.cache_path), 1)


def package_of(function: Any) -> str:
    """Return the name of the package of a function."""
    return str(function.__module__.rpartition(".")[0])


def kernels_folder() -> str:
    """Return the folder where compiled kernels are kept; empty if they cannot be kept."""
    return _around(Cache(kernels_folder, {}).cache_path)


def _around(folder: str) -> str:
    """Return the folder of the compiled kernels of all modules, given that of one of them."""
    if not folder:
        return ""
    beside = os.path.basename(folder) == "__pycache__"
    return os.path.dirname(os.path.abspath(__file__ if beside else folder))


class KernelFiles(IndexDataCacheFile):
    """The files of a kernel: one for each kind of arguments and of processor."""

    def __init__(self, function: Any, options: Mapping[str, object]) -> None:
        self.folder = ""
        with suppress(RuntimeError, OSError):  # there is no folder that can be written to
            self._implementation: Any = CompileResultCacheImpl(function)  # type: ignore[no-untyped-call]
            self.folder = str(self._implementation.locator.get_cache_path())
        source = os.path.abspath(function.__code__.co_filename)
        beside = os.path.join(os.path.dirname(source), "__pycache__")
        self._folders = dict.fromkeys((self.folder, "" if numba.config.CACHE_DIR else beside))  # type: ignore[attr-defined]
        self._digest = hashlib.sha256(repr((digest(function), sorted(options.items()))).encode()).hexdigest()
        version = f"{sys.implementation.cache_tag}.{numba.__version__}"
        self._stem = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}.{version}."
        super().__init__(self.folder, self._stem, self._digest)  # type: ignore[no-untyped-call]

    def read(self, sig: Any, target_context: Any) -> Any:
        """Return the code for arguments of some types, None if there is none.

        It may also lie beside the source where that folder cannot be written to, as in a container; not if the
        environment names another folder.
        """
        name = self._name(sig, target_context.codegen())
        for folder in filter(None, self._folders):
            with suppress(Exception):  # there is none, it was not written to its end, or it names types of long ago
                payload = self._load_data(os.path.join(folder, name))  # type: ignore[no-untyped-call]
                if payload[3].args == tuple(sig):
                    _name_helpers()
                    return _ready(target_context, *payload)
        return None

    def keep(self, sig: Any, compiled: Any) -> None:
        """Write code, and remove that of other sources."""
        if not self.folder or not self._implementation.check_cachable(compiled):
            return
        self._implementation.locator.ensure_cache_path()
        name = self._name(sig, compiled.codegen)
        self._save_data(name, _lean(*self._implementation.reduce(compiled)))  # type: ignore[no-untyped-call]
        for other in os.listdir(self.folder):
            if other.startswith(self._stem) and not other.startswith(self._stem + self._digest[:16]):
                with suppress(OSError):  # another process was faster
                    os.unlink(os.path.join(self.folder, other))

    def _name(self, sig: Any, codegen: Any) -> str:
        kind = hashlib.sha256(repr((str(sig), codegen.magic_tuple())).encode()).hexdigest()
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
