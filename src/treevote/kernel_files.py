"""Compiled kernels on disk.

numba keeps the code of a function in ``__pycache__`` beside its source, and takes it for stale when that file changes.
A kernel also holds the code of all kernels that it calls, in other files. So each has a folder of its own, named by a
checksum over all of them, with a copy of its source beside which numba keeps the code:
``<cache>/<versions>/<kernel>.<checksum>/kernel.py``. Code is run only from files that belong to the user or the
administrator, that nobody else can write to, and whose checksums are right. A lock on the folder lets one process
compile at a time.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from treevote.errors import TreevoteError
from treevote.files.temporaries import lock, temporary
from treevote.version import __version__

UNUSED_DAYS = 30
"""Days after their last use until the kernels of other sources and versions are removed."""

COMPILED_WITHIN = 60.0
"""Seconds in which another process has compiled a kernel, or else it may have been stopped."""

_CHECKSUMS = "checksums.json"


def digest(function: FunctionType) -> str:
    """Return a checksum of the sources of the compiled code of a kernel.

    These are its own instructions and constants, the constants of its module that it names, and the same of every
    kernel that it calls: numba compiles them all into it.

    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1), digest(lambda x: x + 1) == digest(lambda x: x + 2)
    (True, False)
    """
    content: list[object] = []
    seen: set[FunctionType] = set()
    pending = [function]
    while pending:
        function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        names = set[str]()  # of globals and attributes
        for code in _codes(function.__code__):
            constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
            content.append((function.__qualname__, code.co_code, constants, code.co_names, code.co_varnames))
            names.update(code.co_names)
        for name in sorted(names & set(function.__globals__)):
            value = function.__globals__[name]
            if hasattr(value, "py_func"):
                pending.append(value.py_func)
            elif isinstance(value, type):
                content.append((name, getattr(value, "_fields", None)))
            elif isinstance(value, np.ndarray):
                content.append((name, value.dtype.descr, value.shape, value.tobytes()))
            elif isinstance(value, FunctionType):
                content.append((name, value.__qualname__))
            elif not isinstance(value, ModuleType):
                content.append((name, value))
    return hashlib.sha256(repr(content).encode()).hexdigest()


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def compiling_is_off() -> bool:
    """Return whether kernels are to run as they stand in Python, to look for a fault in one."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class KernelFiles:
    """The folder of a kernel, and the ``source`` beside which numba keeps the code: empty if it cannot be kept.

    ``root`` is the folder of the kernels of all modules, and so is ``kept_in``: empty once some code was not kept.
    """

    def __init__(self, function: Any, options: Mapping[str, object]) -> None:
        self.root = kernels_folder()
        checked = os.environ.get("NUMBA_BOUNDSCHECK", "")  # with another value numba makes other code
        parts = [digest(function), sorted(options.items()), checked]
        if elsewhere := os.environ.get("NUMBA_CACHE_DIR"):  # shared with other roots, whose checksums are not here
            parts += [elsewhere, self.root]
        checksum = hashlib.sha256(repr(parts).encode()).hexdigest()
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._name = f"{name}.{checksum[:16]}"
        self._module = function.__code__.co_filename
        self._folder = Path(self.root, versions(), self._name)
        self.source = os.fspath(self._folder / "kernel.py") if self.root and self._make() else ""
        self.kept_in = self.root if self.source else ""
        self._right: list[Path] = []

    def locked(self) -> AbstractContextManager[object]:
        """Keep other processes from compiling the kernel in a block; wait while one does, and not for ever."""
        return lock(self._folder, COMPILED_WITHIN) if self.source else nullcontext()

    def are_kept(self) -> bool:
        """Tell whether there is code on disk, of any types of arguments; remove files that are not right."""
        if not self.source:
            return False
        with suppress(OSError):
            os.utime(self._folder)
        if self._are_right():
            return True
        self.remove()
        shared = _named_folder()
        if shared is None or os.fspath(shared) == self.root or not is_private(shared):
            return False
        with suppress(OSError):  # an administrator filled it
            shutil.copytree(shared / versions() / self._name, self._folder, dirs_exist_ok=True)
        return self._are_right()

    def remove(self) -> None:
        """Remove the code on disk."""
        for file in self._files():
            file.unlink(missing_ok=True)

    def write_checksums(self) -> bool:
        """Write the checksums of the files, if one was added; return whether one was."""
        if not self.kept_in:  # each is one that is not kept
            return True
        if self._right == list(self._files()) or (found := self._checksums()) == self._read_checksums():
            return False
        try:
            for file in self._files():
                file.chmod(0o644)
            _write(self._folder / _CHECKSUMS, json.dumps(found).encode())
        except OSError:  # on a full disk
            self.kept_in = ""
        with suppress(OSError):
            _remove_unused(Path(self.root))
        return True

    def _make(self) -> bool:
        """Make the folder with the copy of the source; return whether that could be done."""
        source = self._folder / "kernel.py"
        try:
            for folder in (self._folder.parent, self._folder, self._folder / "__pycache__"):
                folder.mkdir(exist_ok=True, mode=0o755)
            if not source.is_file():
                _write(source, Path(self._module).read_bytes() if os.path.isfile(self._module) else b"")
            return is_private(self._folder / "__pycache__")
        except OSError:
            return False

    def _files(self) -> Iterator[Path]:
        """Yield the files that numba keeps: beside the source, or where NUMBA_CACHE_DIR sends them."""
        folders = [self._folder / "__pycache__"]
        if elsewhere := os.environ.get("NUMBA_CACHE_DIR"):
            folders += Path(elsewhere).glob(f"{self._name}*")
        for folder in folders:
            yield from sorted(file for end in ("nbi", "nbc") for file in folder.glob(f"*.{end}"))

    def _checksums(self) -> dict[str, str]:
        files = ((f"{file.parent.name}/{file.name}", file.read_bytes()) for file in self._files())
        return {name: hashlib.sha256(content).hexdigest() for name, content in files}

    def _read_checksums(self) -> object:
        with suppress(OSError, ValueError, RecursionError):
            return json.loads((self._folder / _CHECKSUMS).read_bytes())
        return {}

    def _are_right(self) -> bool:
        """Tell whether there are files, all of them those that were left, and of the user."""
        with suppress(OSError):
            found, files = self._checksums(), list(self._files())
            if found and found == self._read_checksums() and all(map(_is_own, files)):
                self._right = files
                return True
        return False


def kernels_folder() -> str:
    """Return the folder of the kernels of all modules; empty if they cannot be kept.

    The first that can be written to of the folder that ``TREEVOTE_CACHE_DIR`` names (TreevoteError unless it is an
    absolute path) and the cache folder of the user. If there is no other, but kernels in the named one can be read, it
    is a temporary folder of this process.
    """
    return _kernels_folder(_named_folder())


@functools.cache
def _kernels_folder(named: Path | None) -> str:
    from platformdirs import user_cache_path

    own = None
    with suppress(RuntimeError):  # no home folder is known
        own = user_cache_path("treevote", appauthor=False)
    for folder in (named, own):
        if folder is not None and folder.is_absolute() and _can_be_written_to(folder) and is_private(folder):
            return os.fspath(folder)
    return _temporary().name if named is not None and named.is_dir() else ""


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="treevote-")


def _named_folder() -> Path | None:
    named = os.environ.get("TREEVOTE_CACHE_DIR")
    if named and not os.path.isabs(named):
        raise TreevoteError(f"TREEVOTE_CACHE_DIR is '{named}', expected an absolute path; write the path from the root")
    return Path(named) if named else None


@functools.cache
def versions() -> str:
    """Return the name of the folder of the kernels of this version of treevote, numba and Python."""
    return f"{__version__}-numba-{numba().__version__}-{sys.implementation.cache_tag}"


@functools.cache
def numba() -> ModuleType:
    """Return numba, which takes long to import; TreevoteError if it does not start."""
    try:
        import numba
    except Exception as fault:  # a setting that it refuses, or a library that is missing or broken
        remedy = "check the variables of the environment that begin with NUMBA_, or install numba again"
        raise TreevoteError(f"numba, which compiles the kernels, does not start ({fault}); {remedy}") from fault
    return numba


def is_private(folder: Path) -> bool:
    """Tell whether only the user and the administrator can put files into a folder, or another in its place."""
    with suppress(OSError):
        return _is_own(folder) and all(_is_own(parent, sticky=True) for parent in folder.resolve().parents)
    return False


def _is_own(path: Path, *, sticky: bool = False) -> bool:
    """Tell whether a path belongs to the user or the administrator, and nobody else can write to it.

    With ``sticky`` others may add files, as in a folder for temporary files, but not replace any.
    """
    if os.name == "nt":
        return True
    state = path.stat()
    others = stat.S_IWOTH | (0 if state.st_gid == state.st_uid else stat.S_IWGRP)  # a group of one user is that user
    if sticky and state.st_mode & stat.S_ISVTX:
        others = 0
    return state.st_uid in (0, os.getuid()) and not state.st_mode & others


def _can_be_written_to(folder: Path) -> bool:
    """Tell whether a folder is there, or could be made, and takes files."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _write(path: Path, content: bytes) -> None:
    """Write a file that others may read, at once or not at all."""
    with temporary(path) as name:
        Path(name).write_bytes(content)
        os.chmod(name, 0o644)
        os.replace(name, path)


@functools.cache
def _remove_unused(root: Path) -> None:
    """Remove the kernels that no process has used for `UNUSED_DAYS`, once in a process, and no other folder."""
    for version in root.glob("[0-9]*-numba-*"):  # see `versions`
        for folder in version.iterdir():
            if time.time() - folder.stat().st_mtime > UNUSED_DAYS * 24 * 3600:
                shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # it has kernels
            version.rmdir()
