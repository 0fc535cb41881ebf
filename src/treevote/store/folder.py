"""A model on disk: data, never code.

A model is one folder of plain files: a manifest, a ``.npy`` file for each array, a ``.json`` file for each
vocabulary and a ``.bin`` file for each blob; those of a part have the name of the part in front.

Reading trusts nothing: names, sizes and array headers are checked before memory is taken, nothing is unpickled, and
arrays are memory maps. Indices are checked where a parser is built from a `Record`, since kernels do not check them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from treevote.errors import ConfigError, ModelError
from treevote.files.exchange import put_in_place, restore, standing
from treevote.files.streams import AnyPath, path_of
from treevote.files.temporaries import temporary
from treevote.store.manifest import MANIFEST, as_model_error, read_errors, read_manifest, write_manifest
from treevote.store.packages import model_folder
from treevote.store.record import Record, open_record, read_record, write_record

_Read = TypeVar("_Read")


def save(record: Record, path: AnyPath) -> None:
    """Write a model folder, whole or not at all; the same record gives the same bytes.

    A model at ``path`` is replaced once the new one is complete: a reader finds the old one or the new one, even if the
    writer is killed. Missing parent folders are made. ModelError if `check_target` refuses the path, the record holds
    something that cannot be stored, or writing fails, as on a full disk; a model at ``path`` is kept then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save(Record("parser", texts={"labels": ["det", "root"]}), folder + "/model")
    ...     load(folder + "/model").texts["labels"]
    ['det', 'root']
    """
    check_target(path)
    folder = Path(os.path.realpath(path))
    with as_model_error(f"{path}: cannot write the model", "nothing was changed: make room, or name another folder"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        restore(folder)
        with temporary(folder, folder=True) as new:
            write_manifest(Path(new), *write_record(record, Path(new)))
            put_in_place(new, folder)


def check_target(path: AnyPath) -> None:
    """Raise the ModelError that `save` would raise for this path, before a long training.

    The path must not exist, or be an empty folder or a treevote model of any version without other files; and the
    folder around it must be one that can be written to, and not in a model. It is not standard output, ``"-"``, and not
    the working folder: a process whose folder was replaced finds no file any more.
    """
    if str(path) == "-":
        raise ModelError("expected a folder for the model, found -, which is standard output; name a folder")
    with as_model_error(f"{path}: cannot be examined", "name another folder"):
        folder = standing(Path(os.path.realpath(path_of(path))))
        if folder == Path(os.path.realpath(os.curdir)):
            raise ModelError(f"{path}: found the working folder, which a model would replace; name a folder in it")
        if folder.exists() and not folder.is_dir():
            raise ModelError(f"{path}: expected a folder for the model, found a file; name another folder")
        if folder.exists():
            try:
                own = {MANIFEST, *read_manifest(folder, strict=False).files}
            except ModelError:
                own = set()
            foreign = [name for name in sorted(os.listdir(folder)) if name not in own]
            if foreign:
                raise ModelError(f"{path}: found {foreign[0]!r}, no part of a model; move it or name another folder")
        _require_no_model(path, folder.parents)
        around = next(above for above in folder.parents if above.exists())
        if not (around.is_dir() and os.access(around, os.W_OK | os.X_OK)):
            raise ModelError(f"{path}: '{around}' is not a folder that you may write to; name another folder")


def check_apart(path: AnyPath, work: AnyPath) -> None:
    """Raise a ConfigError if the folder of a model to write and that of its finished work are one within the other."""
    model, folder = Path(os.path.realpath(path)), Path(os.path.realpath(work))
    if folder.is_relative_to(model) or model.is_relative_to(folder):
        raise ConfigError(f"the model {path} and the folder {work} for the work must be apart; name another folder")


def check_folder(path: AnyPath) -> None:
    """Raise a ModelError if a folder for other files than a model, or one around it, is a model, or for ``"-"``."""
    if path == "-":
        raise ModelError("expected a folder, found -, which is standard output; name a folder")
    folder = Path(os.path.realpath(path))
    _require_no_model(path, (folder, *folder.parents))


def _require_no_model(path: AnyPath, folders: Iterable[Path]) -> None:
    if model := next(filter(_is_model, folders), None):
        raise ModelError(f"{path}: '{model}' is a model, and holds nothing else; name a folder outside")


def _is_model(folder: Path) -> bool:
    """Tell whether a folder is a model; other programs have a file of the name of the manifest, too."""
    try:
        read_manifest(folder, strict=False)
    except (ModelError, OSError):
        return False
    return True


def load(path: AnyPath, *, verify: bool = True) -> Record:
    """Read a model by its path or its installed name; arrays are mapped into memory, not read.

    With ``verify`` the SHA-256 of every file is compared; that of the manifest is always compared. ModelError if there
    is no such folder, it is not a model, is of another version, or is damaged.
    """
    return read_whole(path, lambda folder: read_record(read_manifest(folder), verify=verify))


def build(path: AnyPath, make: Callable[[Record], _Read]) -> _Read:
    """Build an object from the record of a model; build it again if the folder was replaced meanwhile.

    Its parts are read when they are taken from it, each once: those that are not taken cost nothing, and those dropped
    again free their memory.
    """
    return read_whole(path, lambda folder: make(open_record(read_manifest(folder))))


def version(path: AnyPath) -> int:
    """Return the format version of a model; ModelError if its manifest cannot be read."""
    return read_whole(path, lambda folder: read_manifest(folder).version)


def sizes(path: AnyPath) -> dict[str, int]:
    """Return the size in bytes of each file of a model, the manifest included."""

    def read(folder: Path) -> dict[str, int]:
        files = read_manifest(folder).files
        return {MANIFEST: (folder / MANIFEST).stat().st_size} | {name: facts.size for name, facts in files.items()}

    return read_whole(path, read)


def read_whole(path: AnyPath, read: Callable[[Path], _Read]) -> _Read:
    """Read a model folder, again if it was replaced meanwhile: its files are opened one by one. Errors name it."""
    path = model_folder(path)
    while True:
        with read_errors(path):
            before = _stamp(path)
        try:
            with read_errors(path):
                result = read(before[0])
        except ModelError as fault:
            if _stamp(path) == before:
                raise fault if str(path) in str(fault) else ModelError(f"{path}: {fault}") from fault
        else:
            if _stamp(path) == before:
                return result


def _stamp(path: AnyPath) -> tuple[Path, tuple[int, ...]]:
    """Return the folder of a model, and the identity of its manifest on disk."""
    folder = Path(path)
    if not os.path.exists(folder):
        folder = standing(Path(os.path.realpath(path)))
    try:
        facts = (folder / MANIFEST).stat()
    except OSError:
        return folder, ()
    return folder, (facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size)
