"""``treevote parse --output-dir``: one output for each of many files, in a run that can be killed and goes on."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any

from treevote import visibility
from treevote.batch.joint import Parsed, Work
from treevote.batch.manifest import Manifest, entry, task_of
from treevote.batch.outputs import Pair, pairs
from treevote.batch.reading import TASK_BYTES, Done, Piece, hashed, parse_task, pieces, tasks
from treevote.conll.reader import OnError
from treevote.conll.text_chunks import AnyFormat
from treevote.ensemble.reader import Tags
from treevote.ensemble.stored import StoredParser
from treevote.ensemble.streaming import size
from treevote.errors import ConfigError, InputError
from treevote.files.streams import compressed
from treevote.files.temporaries import lock, temporary
from treevote.parallel import ONE_JOB, Jobs


@dataclass(slots=True)
class Status:
    """How far a run is: finished files, tokens, and bytes of the input, and how many files and bytes there are."""

    files: int = 0
    n_files: int = 0
    tokens: int = 0
    n_bytes: int = 0
    total_bytes: int = 0


@dataclass(slots=True)
class FolderSummary:
    """Result of `parse_folder`.

    Attributes
    ----------
    folder : str
        The output folder.
    written, kept : int
        Numbers of outputs that were made, and that were there already.
    faulty : list of (str, InputError)
        Inputs without an output, and the reason.
    doubtful : list of (str, str)
        Inputs whose text may be unfit for the model, and the reason.
    sentences, tokens, faults : int
        Of the written files: parsed sentences and tokens, and sentences that were left out or kept unparsed.
    fallbacks : int
        Number of times that a bounded search of a member was cut short and completed by a simpler one.
    seconds : float
        Wall-clock time, loading the model included.
    """

    folder: str
    written: int = 0
    kept: int = 0
    faulty: list[tuple[str, InputError]] = field(default_factory=list)
    doubtful: list[tuple[str, str]] = field(default_factory=list)
    sentences: int = 0
    tokens: int = 0
    faults: int = 0
    fallbacks: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        """Return it as a sentence."""
        speed = f" ({self.tokens / self.seconds:,.0f} tokens/s)" if self.seconds and self.tokens else ""
        parts = [
            f"{self.folder}: wrote {_files(self.written)}, {self.sentences:,} sentences, {self.tokens:,} tokens "
            f"in {self.seconds:.1f} s{speed}"
        ]
        if self.kept:
            parts.append(f"{_files(self.kept)} of the same model and input {'was' if self.kept == 1 else 'were'} there")
        if self.faults:
            parts.append(f"{self.faults:,} faulty sentences left out or unparsed")
        if self.faulty:
            parts.append(f"{_files(len(self.faulty))} with a fault, not parsed")
        return "; ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        return {
            "folder": self.folder,
            "written": self.written,
            "kept": self.kept,
            "faulty": [{"input": path, "reason": str(fault), "line": fault.line} for path, fault in self.faulty],
            "doubtful": [{"input": path, "reason": reason} for path, reason in self.doubtful],
            "sentences": self.sentences,
            "tokens": self.tokens,
            "faulty_sentences": self.faults,
            "fallbacks": self.fallbacks,
            "seconds": round(self.seconds, 3),
        }


def as_json(summary: FolderSummary) -> str:
    """Return a summary as JSON."""
    return visibility.as_json(summary.as_dict())


def _files(number: int) -> str:
    return f"{number:,} {'file' if number == 1 else 'files'}"


def parse_folder(
    model: str | os.PathLike[str],
    inputs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    suffix: str = "",
    force: bool = False,
    member: str | None = None,
    support: bool = False,
    confidence: bool = False,
    on_error: OnError = "stop",
    tags: Tags = "auto",
    strict: bool = False,
    format: AnyFormat = "auto",
    jobs: Jobs = ONE_JOB,
    task_bytes: int = TASK_BYTES,
    progress: Callable[[Status], object] | None = None,
) -> FolderSummary:
    """Parse each of many files into a file of its own; what is there already is not made again.

    Parameters
    ----------
    model : path
        A model folder.
    inputs : sequence of path
        Files, folders and patterns, see `treevote.batch.outputs.pairs`.
    folder : path
        The output folder; it is made if it does not exist, and locked during the run. Each file appears whole or not
        at all. The manifest in it, see `treevote.batch.manifest`, tells which outputs belong to the same model,
        version, options and input.
    suffix : str, default=""
        Suffix of the outputs, in place of that of the inputs; it decides on compression.
    force : bool, default=False
        Make all outputs again, and replace files that are not in the manifest.
    member, support, confidence, on_error, tags, format
        As for `treevote.commands.parse.parse_files`. A fault that would stop it is a fault of its file here.
    strict : bool, default=False
        Whether a text that is probably unfit for the model is a fault of its file.
    jobs : Jobs, optional
        The bytes do not depend on them.
    task_bytes : int, default=1 MiB
        Approximate size of the text of a task; the bytes do not depend on it.
    progress : callable, optional
        Called after each task; the status is one object, which changes.

    Raises
    ------
    ModelError
        If the model cannot be read, here or by a worker.
    ConfigError
        If inputs and outputs collide, a file is in the way, another run uses the folder, or options do not go together.
    InputError
        If a folder or pattern has no file, or an output cannot be written, as on a full disk: finished files stay.
    """
    start = time.monotonic()
    where = os.fspath(folder)
    found = pairs(inputs, folder, suffix, format)
    work = Work(StoredParser.of(model, member), support, confidence, on_error, tags)
    work.check()
    task = task_of(
        {
            "model": work.stored.sha256,
            "treevote": work.stored.version,
            "member": member,
            "support": support,
            "confidence": confidence,
            "on_error": on_error,
            "tags": tags,
            "strict": strict,
            "format": format,
        }
    )
    with _sentence(where):
        os.makedirs(where, exist_ok=True)
    with _sentence(where), lock(where) as free:
        if not free:
            raise ConfigError(f"another run writes into {where}; wait for its end, or name another folder")
        manifest = Manifest(where)
        if not force:
            _require_own(where, found, manifest)
        summary = FolderSummary(where)
        with temporary(os.path.join(where, "parses"), folder=True) as scratch:
            manifest.write()  # without lines that were cut off
            status = Status(n_files=len(found), total_bytes=size([path for path, _ in found]))
            with closing(_Run(where, scratch, found, manifest, task, summary, strict)) as run:
                source = _source(found, run, force, format, task_bytes)
                for results in jobs.silent.map(functools.partial(parse_task, work), tasks(source, task_bytes)):
                    for done in results:
                        run.take(done)
                    if progress is not None:
                        status.files, status.tokens, status.n_bytes = run.finished, run.tokens, run.n_bytes
                        progress(status)
            if hasattr(os, "sync"):  # not on Windows
                os.sync()
            manifest.write()
    summary.seconds = time.monotonic() - start
    return summary


def _require_own(where: str, found: Sequence[Pair], manifest: Manifest) -> None:
    """Refuse to replace files that no earlier run of the command wrote."""
    for _, name in found:
        path = os.path.join(where, name)
        if os.path.lexists(path) and not manifest.knows(name):
            raise ConfigError(
                f"{path} is in the way and was not written by this command; move it, name another folder, "
                "or replace it with --force"
            )


def _source(found: Sequence[Pair], run: _Run, force: bool, format: AnyFormat, n_bytes: int) -> Iterator[Piece]:
    """Yield the pieces of all files whose outputs are not there."""
    for number, (path, name) in enumerate(found):
        made = False
        if not force:
            with suppress(OSError):  # which reading will tell
                made = run.manifest.is_made(run.folder, name, run.task, path)
        if made:
            run.keep(number)
        else:
            yield from pieces(path, number, format=format, n_bytes=n_bytes, stopped=run.stopped)


class _Run:
    """The outputs of a run: results come in order, so that one file is open at a time."""

    def __init__(
        self,
        folder: str,
        scratch: str,
        found: Sequence[Pair],
        manifest: Manifest,
        task: str,
        summary: FolderSummary,
        strict: bool,
    ) -> None:
        self.folder, self.found, self.manifest, self.task, self.summary = folder, found, manifest, task, summary
        self.strict = strict
        self.stopped: set[int] = set()
        self.finished = self.tokens = self._finished_bytes = self._bytes_read = 0
        self._part = os.path.join(scratch, "part")
        self._lock = threading.Lock()  # tasks may be taken in another thread than results
        self._output: _Output | None = None
        self._lines = open(manifest.path, "ab")  # noqa: SIM115

    def keep(self, file: int) -> None:
        """Count a file whose output is there."""
        self.summary.kept += 1
        self._count(file)

    def take(self, done: Done) -> None:
        """Write a piece; finish its file at the end."""
        if done.file in self.stopped:
            return
        path, _ = self.found[done.file]
        if done.parsed is not None:
            self._bytes_read = done.bytes_read
            self._take(done.file, path, done.parsed)
        elif done.end is not None and done.end.fault is not None:
            self._refuse(done.file, path, done.end.fault)
        elif done.end is not None:
            if self._output is None or not self._output.sentences + self._output.faults:
                fault = InputError("expected sentences, found none", path=path, remedy="give a file with sentences")
                self._refuse(done.file, path, fault)
            else:
                self._finish(done.file, done.end.sha256)

    def _take(self, file: int, path: str, parsed: Parsed) -> None:
        if parsed.stopped and parsed.first_fault is not None:
            self._refuse(file, path, parsed.first_fault)
            return
        if parsed.doubt and (self._output is None or not self._output.doubtful):
            if self.strict:
                fault = InputError(parsed.doubt, path=path, remedy="or leave out --strict")
                self._refuse(file, path, fault)
                return
            self.summary.doubtful.append((path, parsed.doubt))
        if self._output is None:
            self._output = _Output(self._part, os.path.join(self.folder, self.found[file].name))
        self._output.take(parsed)
        self.tokens += parsed.tokens

    def _finish(self, file: int, input_sha256: str) -> None:
        output = self._output
        assert output is not None
        self._output = None
        output.close()
        counts = output.sentences, output.tokens, output.faults
        made = entry(self.found[file].name, self.task, (input_sha256, output.sha256), counts)
        os.makedirs(os.path.dirname(output.target), exist_ok=True)
        self.manifest.add(made, self._lines)
        os.replace(self._part, output.target)
        summary = self.summary
        summary.written += 1
        summary.sentences += output.sentences
        summary.tokens += output.tokens
        summary.faults += output.faults
        summary.fallbacks += output.fallbacks
        self._count(file)

    def _refuse(self, file: int, path: str, fault: InputError) -> None:
        self.stopped.add(file)
        if self._output is not None:
            self._output.close()
            self._output = None
        self.summary.faulty.append((path, fault))
        self._count(file)

    def _count(self, file: int) -> None:
        n_bytes = 0
        with suppress(OSError):
            n_bytes = os.path.getsize(self.found[file].input)
        with self._lock:
            self.finished += 1
            self._finished_bytes += n_bytes
            self._bytes_read = 0

    @property
    def n_bytes(self) -> int:
        """Bytes of the input that are done with."""
        return self._finished_bytes + self._bytes_read

    def close(self) -> None:
        """Close the open files."""
        if self._output is not None:
            self._output.close()
        self._lines.close()


class _Output:
    """A file that is being written, and the counts of its pieces."""

    def __init__(self, part: str, target: str) -> None:
        self.target = target
        self.sentences = self.tokens = self.faults = self.fallbacks = 0
        self.doubtful = False
        self._file = open(part, "wb")  # noqa: SIM115
        self._hashing = hashed(self._file)
        self._compressed = compressed(self._hashing, target)  # type: ignore[arg-type]
        self._stream: IO[bytes] = self._compressed.__enter__()

    def take(self, parsed: Parsed) -> None:
        self._stream.write(parsed.text)
        self.sentences += parsed.sentences
        self.tokens += parsed.tokens
        self.faults += parsed.faults
        self.fallbacks += parsed.fallbacks
        self.doubtful = self.doubtful or parsed.doubt is not None

    def close(self) -> None:
        if not self._file.closed:
            try:
                self._compressed.__exit__(None, None, None)
            finally:
                self._file.close()

    @property
    def sha256(self) -> str:
        return self._hashing.sha256


@contextmanager
def _sentence(folder: str) -> Iterator[None]:
    """Turn an error of the system while writing into one sentence."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot write: {error.strerror or error}",
            path=os.fspath(error.filename or folder),
            remedy="check the folder, its permissions and the space on the disk; finished files stay",
        ) from error
