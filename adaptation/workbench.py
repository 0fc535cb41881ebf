"""Where an adaptation keeps what is done: killed at any moment, the same command goes on from there.

Every step leaves a file or a model folder that appears whole or not at all. Steps are deterministic, so a run that was
resumed ends in the same bytes as one that was not. A workbench belongs to one plan: other data, another model or other
settings are refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.errors import ConfigError, InputError
from treevote.files import writing
from treevote.store import JSON

PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class Workbench:
    """A folder for the steps of one plan; see `workbench`."""

    folder: Path

    def parser(self, name: str, make: Callable[[], EnsembleParser]) -> EnsembleParser:
        """Return the parser of a step, made unless it is there already."""
        path = self.folder / name
        if not path.exists():
            save(make(), path)
        return load(path)  # even if it has just been made: what is resumed must not differ

    def room(self, name: str) -> Path:
        """Return a folder for the files of a step."""
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    @property
    def has_steps(self) -> bool:
        """Whether something is done of the plan."""
        return any(not name.startswith(".") and name != PLAN for name in os.listdir(self.folder))

    def clear(self) -> None:
        """Remove the steps, and the plan last: who is killed in between can run the same command again."""
        for path in sorted(self.folder.iterdir(), key=lambda path: path.name == PLAN):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        self.folder.rmdir()


def workbench(folder: Path, plan: Mapping[str, JSON]) -> Workbench:
    """Return the workbench of a plan, with what is done of it.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    plan : mapping
        All that the result depends on.

    Raises
    ------
    ConfigError
        If the folder holds another plan, or something else.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as room:
    ...     bench = workbench(Path(room, "work"), {"seed": 1})
    ...     done = bench.room("round-1")
    ...     workbench(Path(room, "work"), {"seed": 2})
    Traceback (most recent call last):
    treevote.errors.ConfigError: ...work holds an adaptation with another seed; finish it with the same command, ...
    """
    text = json.dumps(plan, indent=1, sort_keys=True, ensure_ascii=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(name for name in os.listdir(folder) if not name.startswith("."))  # half-written files
    except OSError as error:
        raise InputError(
            f"cannot write: {error.strerror or error}", path=str(folder), remedy="check the folder and its permissions"
        ) from error
    if held in ([], [PLAN]):  # nothing is done yet
        with writing(folder / PLAN) as stream:
            stream.write(text.encode())
    elif PLAN not in held:
        raise ConfigError(f"{folder} holds something else than an adaptation; move it, or name another folder")
    else:
        try:
            known = json.loads((folder / PLAN).read_text("utf-8"))
            if not isinstance(known, dict):
                raise ValueError("no object")
        except (OSError, ValueError) as error:
            raise ConfigError(f"{folder} holds a damaged plan ({error}); remove the folder") from error
        other = [key for key in {**plan, **known} if known.get(key) != plan.get(key)]
        if other:
            raise ConfigError(
                f"{folder} holds an adaptation with another {other[0]}; finish it with the same command, "
                "or remove the folder"
            )
    return Workbench(folder)


def checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, or of the manifest of a model folder, which has those of its files in it.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    name = Path(path, "manifest.json") if os.path.isdir(path) else Path(path)
    digest = hashlib.sha256()
    try:
        with open(name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", path=os.fspath(path), remedy="check the name and the permissions"
        ) from error
    return digest.hexdigest()
