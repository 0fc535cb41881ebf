"""The manifest of a model folder: the kind and structure of the model, and size and SHA-256 of each of its files.

In every version the keys ``format``, ``version`` and ``files`` have the same meaning, so any treevote can name, and
replace, a model of another. The checksum of the manifest covers its canonical JSON without that entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from reprlib import repr as short
from typing import Any, NamedTuple, TypeAlias, TypeVar

from treevote.config import check_nesting
from treevote.errors import ModelError
from treevote.files.exchange import standing
from treevote.files.streams import AnyPath

JSON: TypeAlias = "Mapping[str, JSON] | Sequence[JSON] | str | int | float | bool | None"
"""The content of a JSON document; no NaN and no infinity."""

FORMAT = "treevote model"
FORMAT_VERSION: int = 3
READ_BEFORE = "1"  # the version of treevote that may no longer read these formats
READABLE_VERSIONS = (1, 2, 3)  # 1: each part has the vocabularies of its own; 2: keys of features have 64 bits
MANIFEST = "manifest.json"
MAX_MANIFEST = 1 << 24  # bytes
MAX_DIGITS = 300  # of a whole number: any shorter one can become a float

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_T = TypeVar("_T")


class FileFacts(NamedTuple):
    """Size of a file in bytes, and its SHA-256 in hexadecimal, as the manifest states them."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest: the folder of the model, its version, its other files by plain name, and its record, not checked."""

    folder: Path
    version: int
    files: Mapping[str, FileFacts]
    record: Mapping[str, Any]

    @contextmanager
    def open(self, name: str, *, limit: int, verify: bool) -> Iterator[BufferedReader]:
        """Open a file of at most ``limit`` bytes by its name in ``files``, after a comparison with the manifest.

        With ``verify`` the checksum is compared, too. ModelError if the file is not listed or not there, is no regular
        file, or size or checksum differ.
        """
        facts = self.files.get(name)
        if facts is None:
            raise damaged(self.folder / MANIFEST, f"expected the name of a listed file, found {short(name)}")
        path = self.folder / name
        with _open_regular(path, limit) as file:
            size = file.seek(0, 2)
            if size != facts.size:
                raise damaged(path, f"expected {facts.size} bytes, found {size}")
            file.seek(0)
            if verify and hashlib.file_digest(file, "sha256").hexdigest() != facts.sha256:
                raise damaged(path, "its content does not have the checksum that the manifest states")
            file.seek(0)
            yield file


def damaged(path: Path, problem: str) -> ModelError:
    """Return the error for a damaged file of a model."""
    return ModelError(f"{path}: {problem}; the model is damaged: train it again or copy it again")


def member(mapping: object, key: str, kind: type[_T], path: Path) -> _T:
    """Return ``mapping[key]`` if that is a ``kind``; else raise `ModelError` about the file ``path``."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    if not isinstance(value, kind):
        raise damaged(path, f"expected {key!r} of type {kind.__name__}, found {type(value).__name__}")
    return value


def require_manifest(path: AnyPath) -> None:
    """Raise the error that reading a model would raise if there is no folder, or no model in it."""
    with read_errors(path):
        folder = standing(Path(os.path.realpath(path)))
        if not folder.exists():
            raise ModelError(f"{path}: there is no such model folder; check the path, or train a model first")
        if not (folder / MANIFEST).exists():
            raise ModelError(f"{path}: not a treevote model, it has no {MANIFEST}; name a folder that treevote wrote")


def read_errors(path: AnyPath) -> AbstractContextManager[None]:
    """Turn an error of the system while a model is read into a `ModelError`."""
    return as_model_error(f"{path}: cannot read the model", "check the path and its permissions")


@contextmanager
def as_model_error(problem: str, remedy: str) -> Iterator[None]:
    """Turn an error of the system into a `ModelError`."""
    try:
        yield
    except OSError as fault:
        raise ModelError(f"{problem} ({fault.strerror or fault}); {remedy}") from fault


def read_manifest(folder: Path, *, strict: bool = True) -> Manifest:
    """Read and check the manifest of a model folder.

    ``strict`` demands a version that can be read, and the checksum; without it ``record`` is empty. ModelError if there
    is no folder, it is no model, is of another version, or the manifest is damaged.
    """
    path = folder / MANIFEST
    require_manifest(folder)
    with _open_regular(path, MAX_MANIFEST) as file:
        raw = file.read()
    try:
        content = _parse(raw.decode())
        found = digest(content)
    except (ValueError, AttributeError, RecursionError) as fault:
        raise damaged(path, f"expected a JSON object, found something else ({fault})") from None
    if content.get("format") != FORMAT:
        raise ModelError(f"{folder}: not a treevote model, its {MANIFEST} is another program's; check the path")
    version = member(content, "version", int, path)
    if strict and version not in READABLE_VERSIONS:
        *others, last = READABLE_VERSIONS
        expected = f"a model of format version {', '.join(map(str, others))} or {last}"
        remedy = "train it again, or use the treevote that wrote it"
        raise ModelError(f"{folder}: expected {expected}, found version {version}; {remedy}")
    if strict and content.get("checksum") != found:
        raise damaged(path, "its content does not have the checksum that it states")
    files = {}
    for name, facts in member(content, "files", dict, path).items():
        if not _PLAIN_NAME.fullmatch(name):
            raise damaged(path, f"expected plain file names, found {short(name)}")
        files[name] = FileFacts(member(facts, "bytes", int, path), member(facts, "sha256", str, path))
    return Manifest(folder, version, files, member(content, "record", dict, path) if strict else {})


def write_manifest(folder: Path, files: Mapping[str, FileFacts], record: Mapping[str, JSON]) -> None:
    """Write the manifest of a model folder; keys sorted, no time of day: the same model gives the same bytes.

    ModelError if the record is not plain JSON (NaN is not), or the manifest would be too large to be read again.
    """
    content: dict[str, JSON] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "files": {name: {"bytes": facts.size, "sha256": facts.sha256} for name, facts in files.items()},
        "record": record,
    }
    try:
        content["checksum"] = digest(content)
        text = json.dumps(content, sort_keys=True, allow_nan=False, indent=1).encode() + b"\n"
        _parse(text.decode())
    except (TypeError, ValueError, RecursionError) as fault:
        problem = f"the facts of a model must be plain JSON ({fault}); correct or leave out that fact"
        raise ModelError(problem) from fault
    if len(text) > MAX_MANIFEST:
        problem = f"the facts of a model must take at most {MAX_MANIFEST} bytes, found {len(text)}"
        raise ModelError(f"{problem}; store what is long as arrays or texts")
    with (folder / MANIFEST).open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _open_regular(path: Path, limit: int) -> BufferedReader:
    """Open a regular file of at most ``limit`` bytes: a link could lead out of the folder, a device hang."""
    try:
        facts = path.lstat()
    except FileNotFoundError:
        raise damaged(path, "expected a file, found none") from None
    if not stat.S_ISREG(facts.st_mode):
        raise damaged(path, "expected a regular file, found a folder, a link or a device")
    if facts.st_size > limit:
        raise damaged(path, f"expected at most {limit} bytes, found {facts.st_size}")
    return path.open("rb")


def _parse(text: str) -> Any:
    """Return the content of a JSON document; ValueError or RecursionError if it is none, or goes beyond its limits."""
    content = json.loads(text, parse_int=_integer)
    check_nesting(content)
    return content


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def digest(content: Mapping[str, object]) -> str:
    """Return the SHA-256 of the canonical JSON of a mapping, without its entry ``checksum``."""
    body = {key: value for key, value in content.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode()).hexdigest()
