"""Machine code of kernels from disk, made ready to run without the compiler.

What such code needs of numba at run time is in two of its extension modules: memory of arrays, their way from and to
Python. They are loaded by themselves, since to import numba takes longer than all else at the start of a parse.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding


class MachineCode(NamedTuple):
    """A compiled kernel.

    Attributes
    ----------
    code : bytes
        An object file.
    entry : str
        The symbol that Python calls.
    environments : mapping
        From the symbols of environments to the dtypes, as strings, of the arrays that the code returns.
    classes : mapping
        From checksums of pickles in the code to the classes that they stand for, such as ``numpy.ndarray``: module and
        name. Only numba reads other pickles.
    """

    code: bytes
    entry: str
    environments: Mapping[str, Sequence[str]]
    classes: Mapping[str, tuple[str, str]]


class _Environment:
    """What numba's type of this name is in memory: behind the head of all objects two references, in this order."""

    __slots__ = ("_globals", "consts")

    def __init__(self, dtypes: Sequence[str]) -> None:
        self._globals: dict[str, object] = {}
        self.consts = [np.dtype(name) for name in dtypes]


_CALL = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
_UNPICKLE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)

_lock = threading.Lock()
_environments: list[_Environment] = []  # kept, since code refers to them
_classes: dict[bytes, type] = {}


def ready(made: MachineCode) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function of a tuple of arguments that runs machine code.

    The arguments must be of the kinds that the code was compiled for: it does not check that.
    """
    if b"svml" in made.code:  # vector mathematics of Intel, where numba finds it
        importlib.import_module("numba")
    with _lock:
        engine = _engine()
        engine.add_object_file(binding.ObjectFileRef.from_data(made.code))
        engine.finalize_object()
        for name, dtypes in made.environments.items():
            place = engine.get_global_value_address(name)
            if place:
                _environments.append(_Environment(dtypes))
                ctypes.c_void_p.from_address(place).value = id(_environments[-1])
        for digest, (module, name) in made.classes.items():
            with suppress(ImportError, AttributeError):  # of a function, or a script: numba finds it
                _classes[bytes.fromhex(digest)] = attrgetter(name)(importlib.import_module(module))
        call = _CALL(engine.get_function_address(made.entry))
    return lambda arguments: call(None, arguments, None)


@functools.cache
def numba_folder() -> str:
    """Return the folder of numba, without its import."""
    spec = importlib.util.find_spec("numba")
    assert spec is not None
    assert spec.origin is not None
    return os.path.dirname(spec.origin)


@functools.cache
def processor() -> tuple[str, str, str]:
    """Return the kind of machine, its processor and what that can do."""
    return binding.get_process_triple(), binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@functools.cache
def _engine() -> Any:
    """Return LLVM's linker; it finds what machine code refers to."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(jit=True, codemodel="jitdefault")
    _name_functions()
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _name_functions() -> None:
    """Tell LLVM where the functions are that numba's code calls, as numba does."""
    binding.add_symbol("_Py_NoneStruct", id(None))
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            binding.add_symbol(f"PyExc_{name}", id(value))
    for name, address in _extension("numba._helperlib").c_helpers.items():
        binding.add_symbol(f"numba_{name}", address)
        if not binding.address_of_symbol(name):  # a function of mathematics
            binding.add_symbol(name, address)
    memory = _extension("numba.core.runtime._nrt_python")
    memory.memsys_use_cpython_allocator()
    for name, address in memory.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    binding.add_symbol("numba_unpickle", ctypes.cast(_unpickler, ctypes.c_void_p).value)


def _extension(name: str) -> Any:
    """Return an extension module of numba without numba."""
    if name in sys.modules:
        return sys.modules[name]
    *folders, _ = name.split(".")[1:]
    spec = importlib.machinery.PathFinder.find_spec(name, [os.path.join(numba_folder(), *folders)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)  # numba, if it is imported later, finds it anew, and the same in memory
    return module


def _unpickle(address: int, length: int, digest: int) -> object:
    """Return the object of a pickle in machine code."""
    name = ctypes.string_at(digest, 20)
    found = _classes.get(name)
    if found is None:  # an error of a kernel
        numba: Any = importlib.import_module("numba.core.serialize")
        return numba._numba_unpickle(address, ctypes.string_at(address, length), name)
    return found


_unpickler = _UNPICKLE(_unpickle)  # kept, since code calls it
