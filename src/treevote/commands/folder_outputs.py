"""The outputs of a run over many files, written one after the other, and the summary of the run."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from treevote.batch.joint import ChunkParse
from treevote.batch.manifest import Manifest
from treevote.batch.outputs import Pair
from treevote.batch.reading import FileEnd, Hashing
from treevote.ensemble.familiarity import Expectation
from treevote.ensemble.stored import StoredParser
from treevote.errors import InputError
from treevote.files.streams import compressed


@dataclass(slots=True)
class FolderSummary:
    """Result of `treevote.commands.parse_folder.parse_folder`.

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
    links : list of str
        Links to folders that were not followed.
    sentences, tokens, faults : int
        Of the written files: parsed sentences and tokens, and sentences that were left out or kept unparsed.
    fallbacks : int
        Number of times that a bounded search of a member was cut short and completed by a simpler one.
    expectation : Expectation, optional
        Unknown words of the written files, and the range of LAS to expect.
    seconds : float
        Wall-clock time, loading the model included.
    """

    folder: str
    written: int = 0
    kept: int = 0
    faulty: list[tuple[str, InputError]] = field(default_factory=list)
    doubtful: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    sentences: int = 0
    tokens: int = 0
    faults: int = 0
    fallbacks: int = 0
    expectation: Expectation | None = None
    seconds: float = 0.0


class Outputs:
    """The outputs of a run: results come in order, so that one file is open at a time.

    The file that is being written is in the folder ``scratch``, on the same disk. ``tasks`` are the checksums of the
    tasks, see `treevote.batch.manifest`. If ``strict``, a text that is probably unfit for the model is a fault of its
    file. Results are counted on the summary.
    """

    def __init__(
        self,
        scratch: str,
        files: Sequence[Pair],
        manifest: Manifest,
        tasks: Sequence[str],
        summary: FolderSummary,
        strict: bool,
        model: StoredParser,
    ) -> None:
        self.files, self.manifest, self.tasks, self.summary, self.strict = files, manifest, tasks, summary, strict
        self._model = model
        self.counts = ChunkParse()  # of the files that were written
        self.stopped: set[int] = set()
        self._finished_bytes = self._bytes_read = 0
        self._part = os.path.join(scratch, "part")
        self._lock = threading.Lock()  # tasks may be taken in another thread than results
        self._output: Output | None = None
        self._lines = open(manifest.path, "ab")  # noqa: SIM115

    def keep(self, file: int) -> None:
        """Count a file whose output is there."""
        self.summary.kept += 1
        self._count(file)

    def take(self, file: int, parsed: ChunkParse | FileEnd, bytes_read: int) -> None:
        """Write a piece, given the bytes that were read up to its end; finish its file at the end."""
        if file in self.stopped:
            return
        if not isinstance(parsed, ChunkParse):
            if parsed.fault is not None:
                self._refuse(file, parsed.fault)
            else:
                self._finish(file, parsed.sha256)
            return
        self._bytes_read = bytes_read
        if parsed.stopped and parsed.first_fault is not None:
            self._refuse(file, parsed.first_fault)
        elif not self._is_refused(file, parsed.doubt):
            if self._output is None:
                target = os.path.join(self.summary.folder, self.files[file].name)
                if os.path.exists(target) and not os.access(target, os.W_OK):
                    problem, remedy = f"cannot write: {target} is read-only", "change its permissions"
                    self._refuse(file, InputError(problem, path=self.files[file].input, remedy=remedy))
                    return
                self._output = Output(self._part, target)
            self._output.take(parsed)

    def _is_refused(self, file: int, doubt: str | None) -> bool:
        """Note the first doubt of a file; if strict it is a fault."""
        if doubt is None or (self._output is not None and self._output.counts.doubt is not None):
            return False
        path = self.files[file].input
        if self.strict:
            self._refuse(file, InputError(doubt, path=path, remedy="or leave out --strict"))
            return True
        self.summary.doubtful.append((path, doubt))
        return False

    def _finish(self, file: int, input_sha256: str) -> None:
        (path, name), output = self.files[file], self._output
        if output is None or not output.counts.sentences:
            nothing = InputError("expected sentences, found none", path=path, remedy="give a file with sentences")
            self._refuse(file, nothing if output is None else output.counts.first_fault or nothing)
            return
        counts = output.counts
        if self._is_refused(file, counts.text_counts.doubt(self._model())):
            return
        self._output = None
        output.close()
        os.makedirs(os.path.dirname(output.target), exist_ok=True)
        numbers = counts.sentences, counts.tokens, counts.faults
        self.manifest.add(self._lines, name, self.tasks[file], (input_sha256, output.hashing.sha256), numbers)
        os.replace(self._part, output.target)
        self.summary.written += 1
        self.counts = self.counts.plus(counts)
        self._count(file)

    def _refuse(self, file: int, fault: InputError) -> None:
        self.stopped.add(file)
        if self._output is not None:
            self._output.close()
            self._output = None
        self.summary.faulty.append((self.files[file].input, fault))
        self._count(file)

    def _count(self, file: int) -> None:
        n_bytes = 0
        with suppress(OSError):
            n_bytes = os.path.getsize(self.files[file].input)
        with self._lock:
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


class Output:
    """A file that is being written, and the counts of its pieces."""

    def __init__(self, part: str, target: str) -> None:
        self.target, self.counts = target, ChunkParse()
        self._files = ExitStack()
        self.hashing = Hashing(self._files.enter_context(open(part, "wb")))  # noqa: SIM115
        self._stream = self._files.enter_context(compressed(self.hashing, target))  # type: ignore[arg-type]

    def take(self, parsed: ChunkParse) -> None:
        """Write a piece, and count it."""
        self._stream.write(parsed.text)
        self.counts = self.counts.plus(parsed)

    def close(self) -> None:
        """Complete the file."""
        self._files.close()
