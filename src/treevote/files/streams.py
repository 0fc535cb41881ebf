"""Files as bytes: opened, written whole or not at all, in constant memory.

Compression with xz or gzip is recognised by the first bytes, so a file may have any name, or be standard input.
"""

from __future__ import annotations

import functools
import gzip
import io
import itertools
import lzma
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from reprlib import repr as short
from typing import IO, Any, BinaryIO, TypeAlias, cast

from treevote.errors import ConfigError, InputError
from treevote.files.encodings import UTF8, is_utf8, recoded
from treevote.files.exchange import flush
from treevote.files.temporaries import temporary
from treevote.files.xz import MAGIC, MemoryLimitError, decompressed

AnyPath: TypeAlias = str | os.PathLike[str]
Readable: TypeAlias = AnyPath | BinaryIO

_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 16
_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
NO_PATH = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")  # NUL, and halves of characters but those of bytes
_OTHER_COMPRESSION = (".bz2", ".zip", ".zst")
_LINKS = 40  # from one to the next: more are a circle


def is_stream(path: AnyPath) -> bool:
    """Tell whether a path is a standard stream, a descriptor, a pipe or a device: read once, and never replaced.

    >>> is_stream("-"), is_stream(os.devnull), is_stream(__file__), is_stream("missing.conllu"), is_stream(os.curdir)
    (True, True, False, False, False)
    """
    if path == "-" or _descriptor(path) is not None:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def is_standard_output(path: AnyPath | None) -> bool:
    """Tell whether what is written to a path goes to standard output: ``-``, or a name of its descriptor.

    >>> is_standard_output("-"), is_standard_output("/dev/stdout"), is_standard_output("out.conllu")
    (True, True, False)
    """
    return path is not None and (path == "-" or _descriptor(path) == 1)


def _descriptor(path: AnyPath) -> int | None:
    """Return the number of a descriptor by its path, such as ``/dev/stdout``, or by a link; None for another path."""
    name = os.path.normpath(path)
    for _ in range(_LINKS):
        if numbered := re.fullmatch(rf"/(?:dev|proc/(?:thread-self|self|{os.getpid()}))/fd/(\d{{1,9}})", name):
            return int(numbered[1])
        if name in _STANDARD:
            return _STANDARD[name]
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def require_files(paths: Iterable[AnyPath]) -> None:
    """Raise the error that `opened` would raise for the first file that there is not; ``-`` is standard input.

    >>> require_files(["-", "missing.conllu"])
    Traceback (most recent call last):
    treevote.errors.InputError: missing.conllu: cannot read: No such file or directory; check the name and the ...
    """
    for path in paths:
        if path != "-" and not os.path.exists(path):
            with opened(path):
                pass


def require_writable(paths: Iterable[AnyPath | None]) -> None:
    """Raise the error that `writing` would raise for the first folder, or file in no folder that can be written to.

    It is for the outputs of long work. ``-`` and None are no files. A file that is read-only is refused, though another
    could take its place; so is a suffix of another compression.

    >>> require_writable([None, "-", "missing/report.html"])
    Traceback (most recent call last):
    treevote.errors.InputError: missing/report.html: cannot write: no folder 'missing' that can be written to; ...
    >>> require_writable([os.curdir])
    Traceback (most recent call last):
    treevote.errors.InputError: .: expected a file to write, found a folder; name a file in it
    """
    for path in paths:
        if path is None or is_stream(path):
            continue
        if os.path.isdir(path):
            problem = "expected a file to write, found a folder"
            raise InputError(problem, path=os.fspath(path), remedy="name a file in it")
        folder = os.path.dirname(os.path.realpath(path))
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
            shown = folder if os.path.islink(path) else os.path.dirname(path) or os.curdir
            problem = f"cannot write: no folder {shown!r} that can be written to"
            raise InputError(problem, path=os.fspath(path), remedy="make the folder, or name another one")
        if os.path.exists(path) and not os.access(path, os.W_OK):
            problem = "cannot write: the file is read-only"
            raise InputError(problem, path=os.fspath(path), remedy="change its permissions, or name another file")
        if (suffix := os.path.splitext(path)[1]).lower() in _OTHER_COMPRESSION:
            problem = f"cannot write: expected no compression, or that of .gz or .xz, found {suffix}"
            raise InputError(problem, path=os.fspath(path), remedy="name a file without it, and compress it afterwards")


def require_apart(outputs: Iterable[AnyPath | None], inputs: Iterable[AnyPath | None]) -> None:
    """Raise a ConfigError if a file to write is one to read, or is named for two outputs, or ``-`` for two inputs.

    Standard output and descriptors are the files that they were opened on, as by ``>>``; pipes and devices are no
    files; None is none at all.

    >>> require_apart(["report.html", "gold.conllu"], ["gold.conllu", None])
    Traceback (most recent call last):
    treevote.errors.ConfigError: gold.conllu is both read and written; name another output
    """
    given = [path_of(path) for path in inputs if path is not None]
    if given.count("-") > 1:
        raise ConfigError("standard input is named for two inputs, and can be read once; name a file for one of them")
    read = {os.path.realpath(path) for path in given}
    opened_on = {_regular_file(path, 0): "standard input" if path == "-" else path for path in given}
    written: set[str] = set()
    for path in outputs:
        if path is None:
            continue
        if is_stream(name := path_of(path)):
            if (file := _regular_file(name, 1)) and file in opened_on:  # what is written would be read, without end
                raise ConfigError(f"{opened_on[file]} is both read and written; name another output")
            continue
        if (real := os.path.realpath(name)) in read:
            raise ConfigError(f"{name} is both read and written; name another output")
        if real in written:
            raise ConfigError(f"{name} is named for two outputs; name another file for one of them")
        written.add(real)


def _regular_file(path: AnyPath, standard: int) -> tuple[int, int] | None:
    """Return device and number of a regular file, also of that of a descriptor; None for anything else.

    ``-`` is a standard stream, given as its descriptor.
    """
    number = standard if path == "-" else _descriptor(path)
    try:
        found = os.stat(path if number is None else number)
    except OSError:  # which reading or writing will tell
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def paths_of(paths: AnyPath | Iterable[AnyPath]) -> list[str]:
    """Return paths as strings, see `path_of`; a single one is a list of one.

    >>> paths_of("a.conllu"), paths_of(["a", "b"])
    (['a.conllu'], ['a', 'b'])
    """
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        return [path_of(paths)]
    return [path_of(path) for path in paths]


def path_of(path: AnyPath) -> str:
    """Return a path as a string; a `Path` is a file, also if it is named as standard input or output are.

    InputError for anything else, for an empty string, and for what no path has: a NUL character, half of a character.

    >>> import pathlib
    >>> path_of("-"), path_of(pathlib.PurePosixPath("-"))
    ('-', './-')
    >>> path_of(None)
    Traceback (most recent call last):
    treevote.errors.InputError: expected a path, found None; name a file or folder: a string or Path, ...
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or not name or NO_PATH.search(name):
        remedy = "name a file or folder: a string or Path, of whole characters and without NUL"
        raise InputError(f"expected a path, found {short(path)}", remedy=remedy)
    return name if name != "-" or isinstance(path, str) else os.path.join(os.curdir, name)


def stem(name: str) -> tuple[str, str]:
    """Return the name of a file without its suffixes, and its suffix without that of compression.

    >>> stem("a.b.txt.gz"), stem("a.conllu"), stem("a")
    (('a.b', '.txt'), ('a', '.conllu'), ('a', ''))
    """
    return os.path.splitext(uncompressed(name))


def uncompressed(name: str) -> str:
    """Return the name of a file without the suffix of its compression, in letters of either case.

    >>> uncompressed("a.conllu.xz"), uncompressed("A.TXT.GZ"), uncompressed("a.gz.txt")
    ('a.conllu', 'A.TXT', 'a.gz.txt')
    """
    return re.sub(r"(?:\.xz)?(?:\.gz)?\Z", "", name, flags=re.IGNORECASE)


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of an input in a message."""
    return "<stdin>" if path == "-" else os.fspath(path)


@contextmanager
def opened(source: Readable, encoding: str = UTF8) -> Iterator[tuple[BinaryIO, str, Callable[[], int]]]:
    """Open a file to be read, and decompress it if it is xz or gzip; ``-`` is standard input, a file object stays open.

    Yield its content in UTF-8, the name in messages (the path, ``<stdin>``, or the name of the file object), and a
    function that returns the number of bytes of the file, compressed or not, read so far. InputError when the file
    cannot be opened or read, has bytes of another encoding, or the compressed data is damaged or takes too much memory.
    """
    path = "<stdin>"
    try:
        with ExitStack() as stack:
            if not isinstance(source, str | os.PathLike) and hasattr(source, "read"):
                file, path = source, str(getattr(source, "name", ""))
                if getattr(file, "closed", False):
                    raise InputError("expected an open file, found a closed one", path=path, remedy="open it again")
            elif source == "-":
                file = sys.stdin.buffer
            else:
                path = path_of(cast("str", source))  # or something that is no path
                file = stack.enter_context(open(path, "rb"))
            front = _first_bytes(file, len(MAGIC))
            rest = iter(functools.partial(file.read, _BLOCK), b"")
            whole = _Blocks(itertools.chain([front], rest))  # a pipe cannot be rewound
            stream: Any = stack.enter_context(io.BufferedReader(whole))
            if front.startswith(MAGIC):
                stream = stack.enter_context(io.BufferedReader(_Blocks(decompressed(stream))))
            elif front.startswith(_GZIP):
                stream = stack.enter_context(gzip.GzipFile(fileobj=stream))
            if not is_utf8(encoding):
                stream = stack.enter_context(io.BufferedReader(_Blocks(recoded(stream, encoding, path))))
            yield stream, path, lambda: whole.bytes_read
    except (lzma.LZMAError, zlib.error, gzip.BadGzipFile, EOFError) as error:
        problem = f"expected a whole compressed file, found one that is damaged or cut off ({error})"
        raise InputError(problem, path=path, remedy="fetch or compress it again") from error
    except MemoryLimitError as error:
        raise InputError(str(error), path=path, remedy="compress the file again, with a smaller dictionary") from error
    except IsADirectoryError as error:
        raise InputError("expected a file, found a folder", path=path, remedy="name the files in it") from error
    except OSError as error:
        problem, remedy = f"cannot read: {error.strerror or error}", "check the name and the permissions"
        raise InputError(problem, path=path, remedy=remedy) from error


def _first_bytes(file: BinaryIO, n: int) -> bytes:
    """Return the first ``n`` bytes, fewer only at the end of the file; a pipe may give them one by one."""
    front = b""
    while len(front) < n and (more := file.read(n - len(front))):
        if not isinstance(more, bytes):
            raise InputError("expected a file opened in binary mode, found one opened as text")
        front += more
    return front


class _Blocks(io.RawIOBase):
    """A file of blocks that are made when they are needed."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks, self._ready = filter(None, blocks), memoryview(b"")
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._ready = self._ready or memoryview(next(self._blocks, b""))
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        self.bytes_read += len(data)
        return len(data)


@contextmanager
def writing(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open a file to be written whole or not at all.

    The bytes go to a temporary file in the same folder, which takes the place of ``path`` once it is on the disk. On
    any error it is removed, and ``path`` is as it was. By the suffixes ``.xz`` and ``.gz`` they are compressed; the
    same content gives the same bytes. ``-`` is standard output. A symbolic link is followed; a device, pipe
    or descriptor, such as ``/dev/stdout``, is written to as it is. InputError when the file cannot be written, as on a
    full disk; BrokenPipeError if the reader of a pipe is gone.
    """
    name = path_of(path)
    require_writable([name])
    other: OSError | None = None
    try:
        with _target(name) as stream:
            try:
                yield stream
            except OSError as error:
                other = error if error.filename else None
                raise
    except OSError as error:
        if error is other or isinstance(error, BrokenPipeError):
            raise  # not a fault of this file
        problem, place = f"cannot write: {error.strerror or error}", "<stdout>" if name == "-" else name
        remedy = "check the folder, its permissions and the space on the disk"
        raise InputError(problem, path=place, remedy=remedy) from error


@contextmanager
def _target(name: str) -> Iterator[IO[bytes]]:
    """Open standard output, a descriptor, a device or pipe, or a temporary file that replaces a file at the end."""
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif is_stream(name):
        number = _descriptor(name)
        with open(name if number is None else number, "wb", closefd=number is None) as file:
            yield file
    else:
        target = os.path.realpath(name)
        with temporary(target) as part:
            with open(part, "wb") as file:
                with compressed(file, target) as stream:
                    yield stream
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(target):
                shutil.copymode(target, part)
            os.replace(part, target)
        flush(os.path.dirname(target))


def compressed(file: IO[bytes], path: str) -> AbstractContextManager[IO[bytes]]:
    """Compress the written bytes by suffix, without name or time."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".xz":
        return lzma.LZMAFile(file, "wb")
    if suffix == ".gz":
        return cast("AbstractContextManager[IO[bytes]]", gzip.GzipFile("", "wb", fileobj=file, mtime=0))
    return nullcontext(file)
