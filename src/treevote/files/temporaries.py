"""Temporary files and folders beside their target: never mistaken for it, and never left behind.

Each is locked by its process as long as it is in use. Those of a killed process are not locked, and the next writer of
the same target removes them. Where the system has no such locks (Windows), they stay.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PENDING: set[str] = set()
"""The temporary files and folders of this process."""


@contextmanager
def temporary(target: str | os.PathLike[str], *, folder: bool = False) -> Iterator[str]:
    """Make an empty temporary file, or folder, beside a target, which it will replace; the folder around must exist.

    Yield its path: the name is hidden and at most 35 characters long. At the end it is removed, unless it was renamed.
    """
    directory, name = os.path.split(os.path.abspath(os.fspath(target)))
    prefix = f".treevote-{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}-"
    _remove_leftovers(directory, prefix)
    path, lock = _locked(os.path.join(directory, prefix), folder)
    try:
        yield path
    finally:
        _remove(path)
        _PENDING.discard(path)
        if lock is not None:
            os.close(lock)


def is_temporary(name: str) -> bool:
    """Tell whether a file name has the form of a temporary one.

    >>> is_temporary(".treevote-0123456789ab-01234567"), is_temporary(".ssh")
    (True, False)
    """
    return re.fullmatch(r"\.treevote-[0-9a-f]{12}-[0-9a-f]{8}", name) is not None


def remove_pending() -> None:
    """Remove all temporary files and folders of this process, before it ends without unwinding."""
    for path in list(_PENDING):
        _remove(path)


@contextmanager
def lock(path: str | os.PathLike[str], seconds: float = 0.0) -> Iterator[bool]:
    """Lock a file or folder until the end of the block.

    Yield False if it is locked already, by this process or another, and stays so for the ``seconds``; True where the
    system has no locks. A process that was forked within the block has the lock as well.
    """
    if fcntl is None:
        yield True
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        end = time.monotonic() + seconds
        while not (is_locked := _lock(descriptor)) and time.monotonic() < end:
            time.sleep(0.02)
        yield is_locked
    finally:
        os.close(descriptor)


def _locked(stem: str, folder: bool) -> tuple[str, int | None]:
    """Make a file or folder and lock it; return its path and the descriptor of the lock."""
    while True:
        path = stem + os.urandom(4).hex()
        _PENDING.add(path)
        try:
            descriptor = _made(path, folder)
        except OSError:
            _PENDING.discard(path)
            raise
        if fcntl is None or (descriptor is not None and _lock(descriptor) and os.path.exists(path)):
            return path, descriptor
        # Another writer took it for a leftover before it was locked.
        if descriptor is not None:
            os.close(descriptor)
        _PENDING.discard(path)


def _made(path: str, folder: bool) -> int | None:
    """Make a file or folder; return a descriptor to lock it by, if there is one."""
    if not folder:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if fcntl is not None:
            return descriptor
        os.close(descriptor)
        return None
    os.mkdir(path)
    if fcntl is not None:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY)
    return None


def _lock(descriptor: int) -> bool:
    """Lock a file; return False if another process holds the lock, True also on a disk without locks."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def _remove_leftovers(directory: str, prefix: str) -> None:
    """Remove the temporary files and folders of killed writers of the same target."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(directory):
            path = os.path.join(directory, name)
            if not name.startswith(prefix) or path in _PENDING or os.path.islink(path):
                continue
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(path)
                finally:
                    os.close(descriptor)


def _remove(path: str) -> None:
    with suppress(OSError):
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
