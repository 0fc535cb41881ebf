"""The content of a model, and its files: arrays are ``.npy``, vocabularies ``.json``, blobs ``.bin``."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from pathlib import Path
from reprlib import repr as short
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treevote.errors import ModelError
from treevote.store.manifest import JSON, MANIFEST, FileFacts, Manifest, damaged, member

DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
MAX_DIMENSIONS = 4
MAX_DEPTH = 8  # parts within parts
MAX_HEADER = 1 << 10  # bytes of an array header; four dimensions need 128
MAX_WHOLE = 1 << 30  # bytes of a vocabulary or blob: they are read whole, arrays are not
MAX_SHARES = 64  # parts that name one vocabulary: what is made of it takes memory for each of them

_Write: TypeAlias = Callable[[str, Any, BinaryIO], None]  # of a content with a name into a file


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The content of a model.

    Attributes
    ----------
    kind : str
        Kind of the model, such as ``"lr-parser"``.
    facts : mapping of str to JSON
        Configuration, facts of training, scores; keys come back sorted, tuples as lists.
    arrays : mapping of str to ndarray
        Arrays of the types in ``DTYPES``, with at most four dimensions; they come back as read-only memory maps.
    texts : mapping of str to sequence of str
        Vocabularies; they come back as lists. One that several parts have under the same name is written once, and
        comes back as one list, also if each part has a file of its own.
    blobs : mapping of str to bytes
        Data of other libraries, not checked.
    parts : mapping of str to Record
        Records within this one, such as the members of an ensemble; their order is kept.

    Examples
    --------
    >>> Record("ensemble", parts={"first": Record("parser", arrays={"w": np.zeros(3)})}).parts["first"].kind
    'parser'
    """

    kind: str
    facts: Mapping[str, JSON] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    parts: Mapping[str, Record] = field(default_factory=dict)


def write_record(record: Record, folder: Path) -> tuple[dict[str, FileFacts], dict[str, JSON]]:
    """Write the files of a record into an empty folder; ModelError if an array, vocabulary or blob cannot be stored.

    Return the written files, and the record for the manifest, with names of files in place of their content.
    """
    files: dict[str, FileFacts] = {}
    uses = Counter(_identity(name, words) for part in _all_parts(record) for name, words in part.texts.items())
    return files, _Writer(folder, files, uses).entry(record, ())


def read_record(manifest: Manifest, *, verify: bool) -> Record:
    """Read the files of a model, with the checks of `treevote.store.folder.load`."""
    return _Reader(manifest, verify).record(manifest.record, 0)


def open_record(manifest: Manifest) -> Record:
    """Read the files of a model, and those of a part when it is taken from ``parts``, each once; all are verified."""
    reader = _Reader(manifest, verify=True)
    return reader.record(manifest.record, 0, _Parts(reader, manifest.record))


def _all_parts(record: Record) -> Iterator[Record]:
    yield record
    for part in record.parts.values():
        yield from _all_parts(part)


def _identity(name: str, words: Sequence[str]) -> tuple[str, str]:
    return name, hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Writer:
    folder: Path
    files: dict[str, FileFacts]
    uses: Mapping[tuple[str, str], int]
    shared: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def entry(self, record: Record, within: tuple[str, ...]) -> dict[str, JSON]:
        if len(within) > MAX_DEPTH:
            raise ModelError(f"a model has at most {MAX_DEPTH} levels of parts, found more in {within[0]!r}")

        def put(suffix: str, write: _Write, items: Mapping[str, Any]) -> dict[str, JSON]:
            return {name: self.put((*within, name), suffix, write, items[name]) for name in sorted(items)}

        return {
            "kind": record.kind,
            "facts": record.facts,
            "arrays": put(".npy", _write_array, record.arrays),
            "texts": {name: self.text((*within, name), record.texts[name]) for name in sorted(record.texts)},
            "blobs": put(".bin", _write_whole, record.blobs),
            "parts": [{"name": name} | self.entry(part, (*within, name)) for name, part in record.parts.items()],
        }

    def text(self, title: tuple[str, ...], words: Sequence[str]) -> str:
        """Return the file of a vocabulary: one for all parts with the same one."""
        key = _identity(title[-1], words)
        if self.uses[key] == 1:
            return self.put(title, ".json", _write_text, words)
        file, count = self.shared.get(key, ("", MAX_SHARES))
        if count == MAX_SHARES:
            file, count = self.put(title[-1:], ".json", _write_text, words), 0
        self.shared[key] = file, count + 1
        return file

    def put(self, title: tuple[str, ...], suffix: str, write: _Write, content: Any) -> str:
        stem = re.sub("[^A-Za-z0-9._-]", "-", ".".join(title))[:100].lstrip(".") or "-"
        taken = {MANIFEST, *(name.lower() for name in self.files)}  # some file systems ignore case
        marks = ("", *(f"-{k}" for k in range(2, len(taken) + 2)))
        name = next(name for mark in marks if (name := stem + mark + suffix).lower() not in taken)
        with (self.folder / name).open("w+b") as file:
            write(title[-1], content, file)
            file.flush()
            os.fsync(file.fileno())  # a full disk may only be noticed here
            size = file.seek(0, 2)
            file.seek(0)
            self.files[name] = FileFacts(size, hashlib.file_digest(file, "sha256").hexdigest())
        return name


def _write_array(name: str, array: NDArray[Any], file: BinaryIO) -> None:
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in DTYPES or plain.ndim > MAX_DIMENSIONS:
        problem = f"array {name!r} of a model has type {array.dtype} and {array.ndim} dimensions"
        allowed = f"at most {MAX_DIMENSIONS} and one of the types {', '.join(DTYPES)}"
        raise ModelError(f"{problem}; it must have {allowed}")
    np.save(file, plain, allow_pickle=False)


def _write_text(name: str, text: Sequence[str], file: BinaryIO) -> None:
    lines = json.dumps(list(text), ensure_ascii=False, indent=0)  # one word a line, for people
    try:
        _write_whole(name, lines.encode(), file)
    except UnicodeEncodeError:
        word = next(word for word in text if not is_unicode(word))
        problem = f"vocabulary {name!r} of a model holds {word!r}, which is no valid Unicode"
        raise ModelError(f"{problem}; correct it") from None


def is_unicode(word: str) -> bool:
    """Tell whether a string can be written in UTF-8: not if it holds half of a surrogate pair."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write_whole(name: str, content: bytes, file: BinaryIO) -> None:
    if len(content) > MAX_WHOLE:
        raise ModelError(f"{name!r} of a model has {len(content)} bytes; it must have at most {MAX_WHOLE}")
    file.write(content)


@dataclass(slots=True)
class _Text:
    """A vocabulary, and the number of parts that have it."""

    words: list[str]
    uses: int = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    manifest: Manifest
    verify: bool
    seen: set[str] = field(default_factory=set)
    files: dict[tuple[str, str], _Text] = field(default_factory=dict)
    latest: dict[str, _Text] = field(default_factory=dict)

    def open(self, name: object, limit: int) -> AbstractContextManager[BufferedReader]:
        if not isinstance(name, str) or name in self.seen:  # a file used twice could fill the memory
            path = self.manifest.folder / MANIFEST
            what = "a file not named before" if isinstance(name, str) else "the name of a listed file"
            raise damaged(path, f"expected {what}, found {short(name)}")
        self.seen.add(name)
        return self.manifest.open(name, limit=limit, verify=self.verify)

    def record(self, entry: object, depth: int, parts: _Parts | None = None) -> Record:
        path = self.manifest.folder / MANIFEST
        if depth > MAX_DEPTH:
            raise damaged(path, f"expected at most {MAX_DEPTH} levels of parts, found more")
        get = partial(member, entry, path=path)
        return Record(
            get("kind", str),
            get("facts", dict),
            {name: self.array(file) for name, file in get("arrays", dict).items()},
            {name: self.text(name, file) for name, file in get("texts", dict).items()},
            {name: self.whole(file) for name, file in get("blobs", dict).items()},
            dict(_Parts(self, entry, depth)) if parts is None else parts,
        )

    def array(self, name: object) -> NDArray[Any]:
        path = self.manifest.folder / str(name)
        with self.open(name, sys.maxsize) as file:
            try:
                if np.lib.format.read_magic(file) != (1, 0):
                    raise ValueError("not .npy format 1.0")
                shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=MAX_HEADER)
            except Exception:  # numpy hands the header to Python's parser, which raises many kinds
                raise damaged(path, "expected the header of an array, found something else") from None
            if dtype.str not in DTYPES or fortran or len(shape) > MAX_DIMENSIONS:
                raise damaged(path, f"expected numbers in C order, found {dtype} and shape {shape}")
            start, size = file.tell(), file.seek(0, 2)
            if start + math.prod(shape) * dtype.itemsize != size:
                raise damaged(path, f"its header claims {dtype} and shape {shape}, its size is {size} bytes")
            try:
                return np.memmap(file, dtype, "r", start, shape)
            except (ValueError, OverflowError):  # negative, or no element and yet too large
                raise damaged(path, f"expected a shape that numpy can have, found {shape}") from None

    def text(self, title: str, name: object) -> list[str]:
        """Return a vocabulary; one list if parts have it under the same title, in one file or in one each."""
        known = self.files.get((title, name)) if isinstance(name, str) else None
        if known is None or known.uses == MAX_SHARES:
            words, latest = self.words(name), self.latest.get(title)
            same = latest is not None and latest.words == words and latest.uses < MAX_SHARES
            known = latest if latest is not None and same else _Text(words)
            self.files[title, str(name)] = self.latest[title] = known
        known.uses += 1
        return known.words

    def words(self, name: object) -> list[str]:
        path = self.manifest.folder / str(name)
        try:
            raw = self.whole(name)
            words = json.loads(raw.decode())
        except (ValueError, RecursionError) as fault:
            raise damaged(path, f"expected a JSON list of strings ({fault})") from None
        if not isinstance(words, list) or set(map(type, words)) - {str}:
            raise damaged(path, "expected a JSON list of strings, found something else")
        if (b"\\ud" in raw or b"\\uD" in raw) and not all(map(is_unicode, words)):
            raise damaged(path, "expected valid Unicode, found half of a surrogate pair")
        return words

    def whole(self, name: object) -> bytes:
        with self.open(name, MAX_WHOLE) as file:
            return file.read()


class _Parts(Mapping[str, Record]):
    """The parts of a record, read when they are taken."""

    def __init__(self, reader: _Reader, entry: object, depth: int = 0) -> None:
        self._reader, self._depth, path = reader, depth, reader.manifest.folder / MANIFEST
        self._entries = {member(part, "name", str, path): part for part in member(entry, "parts", list, path)}
        if not all(map(is_unicode, self._entries)):
            raise damaged(path, "expected the name of a part in valid Unicode, found half of a surrogate pair")

    def __getitem__(self, name: str) -> Record:
        return self._reader.record(self._entries[name], self._depth + 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:  # without reading the part
        return name in self._entries
