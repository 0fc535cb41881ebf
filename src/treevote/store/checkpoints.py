"""Finished steps of long work on disk: a run that was killed goes on from there, to the same bytes.

Each step leaves a file or a folder that appears whole or not at all; a file has its checksum beside it, so that it is
made again if it was damaged since. The folder of the steps belongs to one plan: other data or settings are refused, and
so is a second run at the same time. Only the files of the steps are removed; links are neither followed nor removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from treevote.errors import ConfigError, InputError, ModelError
from treevote.files.streams import writing
from treevote.files.temporaries import is_temporary, lock
from treevote.store.folder import check_folder
from treevote.store.manifest import JSON, MANIFEST, read_manifest

PLAN = "plan.json"

_CHUNK = re.compile(r"chunk-[0-9]+\.(conllu|npy)(\.sha256)?")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The steps of one plan, see `checkpoints`: ``made`` if their folder was made for them, ``steps`` made or found."""

    folder: Path
    made: bool
    steps: list[Path] = field(default_factory=list)

    def step(self, name: str) -> Path:
        """Return the path of a step; ConfigError if there is a link."""
        path = _no_link(self.folder / name)
        if path not in self.steps:
            self.steps.append(path)
        return path

    def file(self, name: str, write: Callable[[Path], None]) -> Path:
        """Return the file of a step, written unless it is there already and whole."""
        path = self.step(name)
        if not is_whole(path):
            write(path)
            seal(path)
        return path

    def chunks(self, name: str) -> Path:
        """Return a folder for the files of a step, which are named ``chunk-N.conllu`` and ``chunk-N.npy``.

        Their checksums may stand beside them.
        """
        path = self.step(name)
        path.mkdir(exist_ok=True)
        return path

    def model(
        self,
        name: str,
        make: Callable[[], _Result],
        load: Callable[[Path], _Result],
        save: Callable[[_Result, Path], None],
    ) -> _Result:
        """Return the model of a step, made unless it is there already and whole."""
        path = self.step(name)
        with suppress(ModelError):
            return load(path)
        save(make(), path)
        return load(path)  # a resumed run gets the same

    @property
    def has_steps(self) -> bool:
        """Whether a step is finished."""
        return any(path.exists() for path in self.steps)

    def clear(self) -> None:
        """Remove the steps, and the plan last: after a kill in between, the same command goes on."""
        for path in (*self.steps, self.folder / PLAN):
            _remove(path)
        if self.made:
            with suppress(OSError):  # it holds something else by now
                self.folder.rmdir()


@contextmanager
def checkpoints(
    folder: Path, plan: Mapping[str, JSON], *, work: Literal["adaptation", "diagnosis", "study"] = "adaptation"
) -> Iterator[Checkpoints]:
    """Open the folder of a plan, with its finished steps.

    The folder is created if it does not exist; else it is empty, or that of the same plan: of the same data and
    settings on which every step depends. It is locked until the end of the block. ConfigError if the folder holds
    another plan or something else, or another run uses it; ModelError as of `treevote.store.folder.check_folder`;
    InputError if it cannot be written to.
    """
    kind = f"{'an' if work[0] in 'aeiou' else 'a'} {work}"
    check_folder(str(folder))
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; name a folder for {kind}")
    try:
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        held = [name for name in os.listdir(folder) if not is_temporary(name)]
    except OSError as error:
        problem, remedy = f"cannot write: {error.strerror or error}", "check the folder and its permissions"
        raise InputError(problem, path=str(folder), remedy=remedy) from error
    if held and PLAN not in held:
        raise ConfigError(f"{folder} holds something else than {kind} ({min(held)!r}); name another folder")
    with lock(folder) as free:
        if not free:
            raise ConfigError(f"another {work} is at work in {folder}; wait for its end, or name another folder")
        if held:
            known = _read_plan(folder / PLAN, work, kind)
            made = made or known["made"] is True
            other = [key for key in {**plan, **known["plan"]} if known["plan"].get(key) != plan.get(key)]
            if other and held != [PLAN]:
                problem = f"{folder} holds {kind} that differs in {', '.join(other)}"
                raise ConfigError(f"{problem}; give the same command, name another folder, or remove it")
        with writing(folder / PLAN) as stream:
            content = {"format": f"treevote {work}", "made": made, "plan": plan}
            stream.write(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False).encode())
        yield Checkpoints(folder, made)


def plan_at(folder: Path, work: Literal["adaptation", "diagnosis", "study"]) -> dict[str, Any] | None:
    """Return the plan that a folder belongs to, None if there is none; ConfigError if it is damaged."""
    path = folder / PLAN
    return dict(_read_plan(path, work, f"a {work}")["plan"]) if path.exists() else None


def _read_plan(path: Path, work: str, kind: str) -> dict[str, Any]:
    """Return the content of a plan; ConfigError if it is damaged or that of another program."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        content = {} if path.is_symlink() else json.loads(path.read_text("utf-8"))
        if content["format"] == f"treevote {work}" and isinstance(content["plan"], dict) and "made" in content:
            return dict(content)
    raise ConfigError(f"{path} is not the plan of {kind}; name another folder, or remove its folder if it is yours")


def _remove(step: Path) -> None:
    """Remove the file, the chunks or the model of a step, but no foreign file in its folder."""
    if step.is_symlink():
        return
    if not step.is_dir():
        for file in (step, _beside(step)):
            if not file.is_symlink():
                file.unlink(missing_ok=True)
        return
    try:
        names = [*read_manifest(step, strict=False).files, MANIFEST]
    except ModelError:
        names = [name for name in os.listdir(step) if _CHUNK.fullmatch(name)]
    for name in names:
        if not (step / name).is_symlink():
            (step / name).unlink(missing_ok=True)
    with suppress(OSError):  # it holds something else by now
        step.rmdir()


def seal(path: Path) -> None:
    """Write the checksum of the finished file of a step beside it; ConfigError if there is a link."""
    with writing(_no_link(_beside(path))) as stream:
        stream.write(checksum(path).encode())


def is_whole(path: Path) -> bool:
    """Tell whether the file of a step is there with the checksum that `seal` wrote; ConfigError if there is a link."""
    beside = _no_link(_beside(path))
    return path.is_file() and beside.is_file() and beside.read_bytes() == checksum(path).encode()


def _no_link(path: Path) -> Path:
    """Return a path; ConfigError if it is a link."""
    if path.is_symlink():
        raise ConfigError(f"{path} is a link; remove it, or name another folder")
    return path


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, or of the manifest of a model folder, which has those of its files in it."""
    try:
        with open(Path(path, MANIFEST) if os.path.isdir(path) else path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        problem, remedy = f"cannot read: {error.strerror or error}", "check the name and the permissions"
        raise InputError(problem, path=os.fspath(path), remedy=remedy) from error
