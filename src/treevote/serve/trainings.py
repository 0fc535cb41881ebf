"""Models that clients train: one at a time, in a process of its own, in a folder that is removed with the server.

No name of a request becomes a path: folders are numbered, and the text goes to ``treevote train`` through a pipe. The
folder is locked while the server lives: that of a server that was killed is removed by the next one with trainings.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from treevote.ensemble.stored import StoredParser
from treevote.errors import ModelError
from treevote.files.temporaries import temporary
from treevote.serve.answers import RequestError
from treevote.serve.limits import Limits
from treevote.store import folder as store

COMMAND = ("train", "-", "--format", "conllu", "--fast", "--from-tokens", "--folds", "3", "--output")
"""Words of the command, without the folder: one parser with its taggers, measured on folds of the training data."""

TARGET = "treevote-serve"
"""Name, never of a file, by which the folders of all servers are known as such."""

MAX_MODEL = 256 << 20
"""Maximum size of a model in bytes."""

FAILED = 16
"""Number of failed trainings whose reason is kept."""


class TrainedModel(NamedTuple):
    """A model in the folder of its server, and its facts."""

    stored: StoredParser
    facts: Mapping[str, Any]


@dataclass(eq=False)
class Training:
    """A model that is trained, or was: the task ends with the model, or with the reason why there is none."""

    number: int
    folder: Path
    task: asyncio.Task[TrainedModel]

    @property
    def has_failed(self) -> bool:
        """Whether it ended without a model."""
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)

    @property
    def model(self) -> TrainedModel | None:
        """The model; None while it is trained, RequestError with the reason if there is none."""
        return self.task.result() if self.task.done() else None


class Trainings:
    """The trainings of a server by project and model; used by the thread of the event loop alone."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.named: dict[tuple[str, str], Training] = {}
        self._count = 0
        self._end = ExitStack()
        self._folder = Path()
        if limits.models:
            self._folder = Path(self._end.enter_context(temporary(Path(tempfile.gettempdir(), TARGET), folder=True)))
            os.chmod(self._folder, 0o700)

    def require_room(self) -> None:
        """Raise a RequestError, with 403 or 429, if no training can be started."""
        if not self.limits.models:
            raise RequestError(403, "This server trains no models; its owner may start it with --train 1.")
        kept = [training for training in self.named.values() if not training.has_failed]
        if not all(training.task.done() for training in kept):
            raise RequestError(429, "A model is being trained already; try again when it is ready.")
        if len(kept) >= self.limits.models:
            raise RequestError(429, f"The server keeps {self.limits.models} trained models at most; remove one first.")

    def start(self, name: tuple[str, str], text: bytes) -> Training:
        """Start a training on sentences in CoNLL-U; RequestError as of `require_room`."""
        self.require_room()
        for old in [name for name, training in self.named.items() if training.has_failed][:-FAILED]:
            del self.named[old]
        self._count += 1
        folder = self._folder / str(self._count)
        training = Training(self._count, folder, asyncio.create_task(self._train(folder, text)))
        training.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # which nobody may ask for
        self.named[name] = training
        return training

    def remove(self, name: tuple[str, str]) -> None:
        """Remove a model, or end its training; KeyError if there is none of the name."""
        training = self.named.pop(name)
        if not training.task.cancel() and not training.has_failed:
            training.task.result().stored.release()
        shutil.rmtree(training.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove all models, when the event loop has ended."""
        self._end.close()

    async def _train(self, folder: Path, text: bytes) -> TrainedModel:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "treevote", *COMMAND, str(folder)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder.parent,
            start_new_session=True,  # Ctrl-C is for the server
        )
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, folder, ignore_errors=True)
            try:
                async with asyncio.timeout(self.limits.training):
                    _, said = await process.communicate(text)
            except TimeoutError:
                sentence = f"The training did not end within {self.limits.training} seconds; train on less text."
                raise RequestError(503, sentence) from None
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()
            if process.returncode:
                raise RequestError(400, _reason(said))
            try:
                if (size := sum(store.sizes(folder).values())) > MAX_MODEL:
                    found = f"{size >> 20} MiB, more than {MAX_MODEL >> 20}"
                    raise RequestError(413, f"The model has {found}; train on less text.")
                stored = StoredParser.of(folder)
                model = TrainedModel(stored, (await asyncio.to_thread(stored)).facts)
            except ModelError as fault:  # it names the folder
                print(f"treevote: {fault}", file=sys.stderr)
                raise RequestError(500, "The training made no model that can be read; the log tells why.") from None
            undone.pop_all()
            return model


def _reason(said: bytes) -> str:
    """Return the sentence in which a command named its fault."""
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.startswith("treevote: ")]
    return f"{re.sub('^treevote: (<stdin>[,:] )?', '', lines[-1])}." if lines else "The training failed."
