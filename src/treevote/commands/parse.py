"""Parsing of files of any length: chunk after chunk, several at a time, the same bytes whatever the number."""

from __future__ import annotations

import dataclasses
import functools
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from treevote.batch.joint import CONFIDENCE, SUPPORT, missing_end
from treevote.commands.answer import answer
from treevote.conll.chunks import BOM, Chunk
from treevote.conll.reader import OnError, parse_chunk
from treevote.conll.writer import encoded
from treevote.corpus.treebank import Format
from treevote.ensemble.familiarity import doubt
from treevote.ensemble.parser import parse_counted
from treevote.ensemble.streaming import CHUNK_BYTES, Part, StoredModel, parts, size
from treevote.errors import ConfigError, InputError
from treevote.files.streams import writing
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Parser


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of `parse_files`.

    Attributes
    ----------
    sentences, tokens : int
        Numbers of parsed sentences and tokens.
    faults : int
        Sentences that were left out or kept unparsed.
    first_fault : InputError, optional
        Fault of the first of them.
    seconds : float
        Wall-clock time, loading the model included.
    fallbacks : int
        Number of times that a bounded search of a member was cut short and completed by a simpler one.
    """

    sentences: int = 0
    tokens: int = 0
    faults: int = 0
    first_fault: InputError | None = None
    seconds: float = 0.0
    fallbacks: int = 0

    def __str__(self) -> str:
        """Return it as a sentence."""
        speed = f" ({self.tokens / self.seconds:,.0f} tokens/s)" if self.seconds else ""
        done = f"parsed {self.sentences:,} sentences, {self.tokens:,} tokens in {self.seconds:.1f} s{speed}"
        return f"{done}; {self.faults:,} with faults, first {self.first_fault}" if self.faults else done


def as_json(summary: Summary, output: str | os.PathLike[str], command: str = "") -> str:
    """Return a summary as JSON."""
    facts = {field.name: getattr(summary, field.name) for field in dataclasses.fields(summary)}
    first = None if summary.first_fault is None else str(summary.first_fault)
    return answer("parsing", {"output": os.fspath(output), **facts, "first_fault": first}, command)


def parse_files(
    model: str | os.PathLike[str],
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    member: str | None = None,
    support: bool = False,
    confidence: bool = False,
    on_error: OnError = "stop",
    format: Format | Literal["auto"] = "auto",
    jobs: Jobs = ONE_JOB,
    chunk_bytes: int = CHUNK_BYTES,
    on_doubt: Callable[[str], object] | None = None,
) -> Summary:
    """Parse files into one file, in constant memory.

    Parameters
    ----------
    model : path
        A model folder.
    inputs : sequence of path or "-"
        Their sentences are written one after the other. HEAD and DEPREL are ignored.
    output : path or "-"
        Written whole or not at all, see `treevote.files.streams.writing`; it may be one of the inputs.
    member : str, optional
        Parse with this member alone; by default all vote.
    support : bool, default=False
        Write the share of the votes for each arc and label into MISC, see `treevote.conll.writer`.
    confidence : bool, default=False
        Write the probability that each arc is right, alone and with its label, into MISC.
    on_error : {"stop", "skip", "keep"}, default="stop"
        Treatment of a faulty sentence: raise, leave it out, or write it back unparsed.
    format : {"auto", "conllu", "conllx"}, default="auto"
        See `treevote.conll.chunks.chunks`.
    jobs : Jobs, optional
        The output does not depend on them. Their progress is called with the number of finished input bytes and the
        total, which is 0 if an input is not a regular file.
    chunk_bytes : int, default=512 KiB
        Approximate size of the text that is parsed at a time; the output does not depend on it.
    on_doubt : callable, optional
        Called once with a message if a text is probably unfit for the model, see `treevote.ensemble.familiarity`; an
        exception from it stops the parsing.

    Raises
    ------
    InputError
        For a faulty sentence if ``on_error`` is ``"stop"``; for an input without sentences; if a file cannot
        be read or written.
    ModelError
        If the model cannot be read.
    ConfigError
        If the member does not exist, support or confidence is asked of a single one, or confidence of a model that
        was trained without development data.
    """
    start = time.monotonic()
    marks = (SUPPORT if support else ()) + (CONFIDENCE if confidence else ())
    if marks and member is not None:
        raise ConfigError(
            f"support and confidence belong to a vote, not to {member} alone; leave out --member, or these two options"
        )
    stored = StoredModel.load(model, member)  # before anything is read or written
    if confidence and stored().confidence is None:
        raise ConfigError("the model has no confidence; train it with a development set (--dev), or with --folds")
    work = functools.partial(_parse_part, stored, marks, on_error)
    if jobs.n_jobs != 1:  # kernels are compiled once here, not in every process
        work(Part(Chunk("", 1, 1, b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "conllu"), 0, 0))
    total = size(inputs)
    sentences, tokens, faults = [0] * len(inputs), 0, [0] * len(inputs)
    first_fault: InputError | None = None
    fallbacks, file, last, doubted = 0, 0, b"", False
    with writing(output) as stream:
        for done in jobs.silent.map(work, parts(inputs, format=format, n_bytes=chunk_bytes)):
            if done.doubt and on_doubt and not doubted:
                doubted = True
                on_doubt(f"{name_of(inputs[done.file])}: {done.doubt}")
            text = done.text
            if done.file != file:
                stream.write(missing_end(last))
                file, text = done.file, text.removeprefix(BOM)
            stream.write(text)
            last = text or last
            sentences[file] += done.sentences
            faults[file] += done.faults
            tokens += done.tokens
            first_fault = first_fault or done.first_fault
            fallbacks += done.fallbacks
            jobs.tell("parsing", done.bytes_read, total)
        for path, found in zip(inputs, map(sum, zip(sentences, faults, strict=True)), strict=True):
            if not found:
                problem = "expected sentences, found none"
                raise InputError(problem, path=name_of(path), remedy="give a file with sentences")
    return Summary(sum(sentences), tokens, sum(faults), first_fault, time.monotonic() - start, fallbacks)


class _Done(NamedTuple):
    """The text of a chunk with trees; file and bytes as in the part; counts and findings of the chunk."""

    text: bytes
    file: int
    bytes_read: int
    sentences: int
    tokens: int
    faults: int
    first_fault: InputError | None
    fallbacks: int
    doubt: str | None


def _parse_part(model: StoredModel, marks: Sequence[str], on_error: OnError, part: Part) -> _Done:
    """Read, parse and write a chunk."""
    treebank, faults = parse_chunk(part.chunk, trees="ignored", on_error=on_error)
    ensemble = model()
    parser: Parser = ensemble
    if model.member is not None:
        parser = ensemble.members[model.member]
    elif "confidence" not in marks:
        parser = dataclasses.replace(ensemble, confidence=None)
    parse, fallbacks = parse_counted(parser, treebank) if treebank.n_sentences else (treebank, 0)
    text = encoded(parse.only(*marks))
    size, reason = (treebank.n_sentences, treebank.n_tokens), doubt(ensemble, treebank)
    return _Done(text, part.file, part.bytes_read, *size, len(faults), next(iter(faults), None), fallbacks, reason)


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of an input for a message."""
    return "<stdin>" if path == "-" else os.fspath(path)
