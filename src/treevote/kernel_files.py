"""Compiled kernels on disk.

They lie beside their source in ``__pycache__``; where that cannot be written to, in the cache folder of the user; or
where the environment variable ``NUMBA_CACHE_DIR`` says. Without any such folder every run compiles.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

from treevote.machine_code import MachineCode, numba_folder, processor

_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX", "NUMBA_OPT")
"""Environment variables that change machine code."""


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


def compiling_is_off() -> bool:
    """Return whether kernels are to run as they stand in Python, to look for a fault in one."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def package_of(function: Any) -> str:
    """Return the name of the package of a function."""
    return str(function.__module__.rpartition(".")[0])


def kernels_folder() -> str:
    """Return the folder where compiled kernels are kept; empty if they cannot be kept."""
    return KernelFiles(kernels_folder, {}).root


class KernelFiles:
    """The files of a kernel: one for each kind of arguments and of processor.

    A file is used only if it was made from the present sources, see `digest`. It is named by all that its code depends
    on: of processes that compile the same kernel at once, each leaves a whole file, and none takes the other's for its
    own.
    """

    def __init__(self, function: Any, options: Mapping[str, object]) -> None:
        source = os.path.abspath(function.__code__.co_filename)
        self._folders = _folders(source) if os.path.exists(source) else []
        self._digest = hashlib.sha256(repr((digest(function), sorted(options.items()))).encode()).hexdigest()
        version = f"{sys.implementation.cache_tag}.{_compiler()[:8]}"
        self._stem = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}.{version}."

    @functools.cached_property
    def folder(self) -> str:
        """The folder where they are kept; empty if none can be written to."""
        return next(filter(_can_be_written_to, self._folders), "")

    @property
    def root(self) -> str:
        """The folder of the compiled kernels of all modules; empty if they cannot be kept."""
        if not self.folder:
            return ""
        beside = os.path.basename(self.folder) == "__pycache__"
        return os.path.dirname(os.path.abspath(__file__ if beside else self.folder))

    def read(self, kinds: object) -> MachineCode | None:
        """Return the code for kinds of arguments, None if there is none.

        It may also lie beside the source where that folder cannot be written to, as in a container.
        """
        name = self._name(kinds)
        for folder in self._folders:
            with suppress(OSError, ValueError), open(os.path.join(folder, name), "rb") as stream:
                about, checksum = json.loads(stream.readline())
                code = stream.read()
                if zlib.crc32(code) == checksum:  # it was written to its end
                    return MachineCode(code, *about)
        return None

    def keep(self, kinds: object, made: MachineCode) -> None:
        """Write code, and remove that of other sources."""
        if not self.folder:
            return
        with suppress(OSError):  # such as a full disk: the next run compiles it again
            number, path = tempfile.mkstemp(dir=self.folder, prefix=f"{self._stem}{self._digest[:16]}.")
            with open(number, "wb") as stream:
                stream.write(json.dumps((made[1:], zlib.crc32(made.code))).encode() + b"\n")
                stream.write(made.code)
            os.replace(path, os.path.join(self.folder, self._name(kinds)))
        for other in os.listdir(self.folder):
            if other.startswith(self._stem) and not other.startswith(self._stem + self._digest[:16]):
                with suppress(OSError):  # another process was faster
                    os.unlink(os.path.join(self.folder, other))

    def _name(self, kinds: object) -> str:
        kind = hashlib.sha256(repr((_by_name(kinds), processor(), [*map(os.environ.get, _SETTINGS)])).encode())
        return f"{self._stem}{self._digest[:16]}.{kind.hexdigest()[:16]}.nbc"


def _folders(source: str) -> list[str]:
    """Return the folders where kernels of a source file may lie, the best first."""
    place = os.path.dirname(source)
    own = f"{os.path.basename(place)}_{hashlib.sha256(place.encode()).hexdigest()[:16]}"
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return [os.path.join(named, own)]
    of_user = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return [os.path.join(place, "__pycache__"), os.path.join(of_user, "numba", own)]


def _can_be_written_to(folder: str) -> bool:
    """Tell whether a folder is there, or could be made, and takes files."""
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@functools.cache
def _compiler() -> str:
    """Return a checksum of the version of numba, without its import."""
    with open(os.path.join(numba_folder(), "_version.py"), "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


def _by_name(kinds: Any) -> object:
    """Return kinds of arguments as text: a class as its name and its fields."""
    if isinstance(kinds, tuple):
        return tuple(map(_by_name, kinds))
    if isinstance(kinds, type):
        return kinds.__module__, kinds.__qualname__, getattr(kinds, "_fields", ())
    return kinds
