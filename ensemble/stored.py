"""A stored parser as data: its path and checksum travel to other processes and machines, which load it once each."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import dataclass, field
from typing import Self

from treevote.config import converted
from treevote.ensemble.members import RESERVED, packages_of
from treevote.ensemble.parser import EnsembleParser, load, load_member
from treevote.errors import ModelError
from treevote.store.checkpoints import checksum
from treevote.store.folder import load as read_record
from treevote.store.manifest import MANIFEST
from treevote.store.packages import model_folder
from treevote.version import __version__

MAX_LOADED = 4  # models that a process keeps in memory; the one least recently used leaves for another


@dataclass(frozen=True)
class StoredParser:
    """The path of a model folder, its checksum, and the version of treevote that is to use it.

    It is a few hundred bytes when it is pickled. Calling it gives the parser: a process loads it at the first call, by
    one thread, and refuses another model, or another version of treevote, in one sentence. It keeps ``MAX_LOADED``
    parsers, those most recently called, and those that are held.

    Attributes
    ----------
    path : str
        Absolute path of the model folder: the same on all machines.
    sha256 : str
        Checksum of the manifest, which has the checksums of all files of the model.
    member : str, optional
        Name of a member that is the whole parser; the others are not loaded.
    version : str
    travelled : bool
        Whether it was pickled in another process; errors name the machine then.

    Examples
    --------
    >>> import pickle
    >>> stored = StoredParser("/models/news", "00ff")
    >>> pickle.loads(pickle.dumps(stored)) == stored
    True
    """

    path: str
    sha256: str
    member: str | None = None
    version: str = __version__
    travelled: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        converted(str | None, self.member, "member")

    @classmethod
    def of(cls, path: str | os.PathLike[str], member: str | None = None) -> Self:
        """Return the reference to a model, by path or installed name, or to a member; it is loaded at the first call.

        Raises
        ------
        ModelError
            If it is not a model folder.
        """
        path = model_folder(path)
        if not os.path.isfile(os.path.join(path, MANIFEST)):
            load(path)  # which raises the error for what is there instead
        return cls(os.path.abspath(path), checksum(path), member)

    @property
    def packages(self) -> dict[str, str]:
        """Return the packages of the plug-ins of its members, and their versions here; ModelError if it is damaged."""
        members = (part for name, part in read_record(self.path, verify=False).parts.items() if name not in RESERVED)
        return packages_of(part.kind for part in members)

    def __call__(self) -> EnsembleParser:
        """Return the parser.

        Raises
        ------
        ModelError
            If the folder is missing here, damaged, or holds another model, or treevote has another version here.
        ConfigError
            If there is no member of the name.
        """
        try:
            if self.version != __version__:
                raise ModelError(
                    f"expected treevote {self.version}, found {__version__}; install the same version on all machines"
                )
            with _LOCK:
                place = _PLACES.pop(self._key, None) or _Place()
                _PLACES[self._key] = place
                free = [key for key, each in _PLACES.items() if not each.held]
                for key in free[: max(len(free) - MAX_LOADED, 0)]:
                    del _PLACES[key]
            with place.lock:
                if place.parser is None:
                    place.parser = self._load()
                return place.parser
        except ModelError as error:
            if not self.travelled:
                raise
            raise ModelError(f"a worker on {socket.gethostname()}: {error}") from error

    def hold(self) -> EnsembleParser:
        """Return the parser, which this process keeps in memory until `release`, however many others are called."""
        parser = self()
        with _LOCK:
            _PLACES.setdefault(self._key, _Place(parser)).held = True
        return parser

    def release(self) -> None:
        """Give up the parser that this process keeps in memory, until the next call."""
        with _LOCK:
            _PLACES.pop(self._key, None)

    def __reduce__(self) -> tuple[object, ...]:
        return StoredParser, (self.path, self.sha256, self.member, self.version, True)

    def __copy__(self, memo: object = None) -> Self:
        return self

    __deepcopy__ = __copy__

    @property
    def _key(self) -> tuple[str, str, str | None]:
        return self.path, self.sha256, self.member

    def _load(self) -> EnsembleParser:
        parser = load(self.path) if self.member is None else load_member(self.path, self.member)
        if (found := checksum(self.path)) != self.sha256:
            raise ModelError(
                f"{self.path}: expected the model with checksum {self.sha256[:12]}, found {found[:12]}; "
                "it was replaced, or is another one on this machine: copy the model again, or start again"
            )
        return parser


@dataclass(eq=False)
class _Place:
    """The place of a parser in memory, whether it stays there, and the lock of the thread that loads it."""

    parser: EnsembleParser | None = None
    held: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


_PLACES: dict[tuple[str, str, str | None], _Place] = {}  # in the order of their last use
_LOCK = threading.Lock()  # guards the places, and is never held while a parser is loaded


def _unlock() -> None:
    """Give a forked process locks of its own: a thread that is not there any more may have held the inherited ones."""
    global _LOCK
    _LOCK = threading.Lock()
    for place in _PLACES.values():
        place.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)
