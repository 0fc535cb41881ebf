"""The exchange of two folders.

Linux and macOS exchange two folders in one step: at every moment either the old or the new one has the name, also if
the process is killed. Elsewhere, as on some network disks, the old one is renamed first. Its temporary name follows
from that of the folder, so `standing` finds it, and `restore` renames it back.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # RENAME_SWAP of macOS has the same number
_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def put_in_place(new: str | Path, folder: Path) -> None:
    """Give a complete folder its name; the folder that had the name, on the same disk, gets that of the new one.

    If that fails, both folders are unchanged.
    """
    flush(new)
    if not folder.exists():
        os.rename(new, folder)
    elif not exchanged(new, folder):
        aside = _aside(folder)
        try:
            os.rename(folder, aside)
            os.rename(new, folder)
        except BaseException:
            # Ctrl-C too: the old folder must not be left aside.
            restore(folder)
            raise
        with suppress(FileNotFoundError):  # another writer may have cleared it away
            os.rename(aside, new)
    flush(folder.parent)


def exchanged(one: str | Path, other: str | Path) -> bool:
    """Exchange two folders in one step; return False if the system or the disk cannot do that (OSError if it could)."""
    if sys.platform == "linux":
        name, first, second = "renameat2", (_AT_FDCWD, os.fsencode(one)), (_AT_FDCWD, os.fsencode(other))
    elif sys.platform == "darwin":
        name, first, second = "renamex_np", (os.fsencode(one),), (os.fsencode(other),)  # type: ignore[assignment]
    else:
        return False
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        return False
    if function(*first, *second, _RENAME_EXCHANGE) == 0:
        return True
    fault = ctypes.get_errno()
    if fault in _CANNOT:
        return False
    raise OSError(fault, os.strerror(fault), str(other))


def standing(folder: Path) -> Path:
    """Return the folder, or if it is missing, its temporary name after an interrupted exchange."""
    aside = _aside(folder)
    there = os.path.exists  # no fault for a name that is too long
    if there(folder) or not there(aside) or there(folder):  # it may have come back between two looks
        return folder
    return aside


def restore(folder: Path) -> None:
    """Undo an interrupted exchange: the folder has its name again, and the temporary name is free."""
    aside = _aside(folder)
    if not aside.is_dir() or aside.is_symlink():
        return
    if folder.exists():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        os.rename(aside, folder)


def flush(folder: str | Path) -> None:
    """Write the names in a folder to the disk, where the system can."""
    with suppress(OSError):  # Windows opens no folders, and not every disk can
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _aside(folder: Path) -> Path:
    """Return the temporary name of a folder in an exchange of two steps."""
    return folder.parent / f".treevote-{hashlib.sha256(os.fsencode(folder.name)).hexdigest()[:12]}.old"
