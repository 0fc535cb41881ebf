"""Parsing of files of any length: chunk after chunk, several at a time, the same bytes whatever the number.

And the way back, from a parse to its plain text.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treevote.batch.joint import ChunkParse, ParseJob
from treevote.batch.parsing import stored_parser
from treevote.config import converted
from treevote.conll.chunks import Chunk
from treevote.conll.plain_text import PlainText, text_of
from treevote.conll.reader import OnError
from treevote.conll.text_chunks import AnyFormat, TextChunk
from treevote.corpus.given import Keep
from treevote.corpus.source import BOM, missing_end
from treevote.ensemble.familiarity import Expectation
from treevote.ensemble.streaming import CHUNK_BYTES, any_file_chunks, size
from treevote.errors import InputError
from treevote.files.encodings import UTF8, is_utf8
from treevote.files.streams import is_stream, name_of, path_of, paths_of, require_apart, writing
from treevote.models.text.text_annotator import Tags
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Count


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of `parse_files`.

    Faults are sentences that were left out or kept unparsed, fallbacks bounded searches of members that were cut short
    and completed by a simpler one. The wall-clock time includes the loading of the model.
    """

    sentences: int
    tokens: int
    faults: int
    first_fault: InputError | None
    seconds: float
    fallbacks: int
    expectation: Expectation | None


def parse_files(
    model: str | os.PathLike[str],
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    member: str | None = None,
    support: bool = False,
    confidence: bool = False,
    lights: bool = False,
    on_error: OnError = "stop",
    tags: Tags = "auto",
    keep: Keep | None = None,
    format: AnyFormat = "auto",
    encoding: str = UTF8,
    id_prefix: str = "",
    jobs: int | Jobs = ONE_JOB,
    chunk_bytes: int = CHUNK_BYTES,
    on_doubt: Callable[[str], object] | None = None,
) -> Summary:
    """Parse files into one file, in constant memory.

    Parameters
    ----------
    model : path
        A model folder.
    inputs : path, or sequence of path or "-"
        Their sentences are written one after the other. HEAD and DEPREL are ignored, but for ``keep``.
    output : path or "-"
        Written whole or not at all, see `treevote.files.streams.writing`; a single input may be replaced.
    member : str, optional
        Parse with this member alone; by default all vote.
    support, confidence : bool, default=False
        Write into MISC the share of the votes for each arc and label, see `treevote.conll.writer`; the probability that
        each arc is right, alone and with its label, and that predicted tags are.
    lights : bool, default=False
        Write ``Light=green``, ``yellow`` or ``red`` into MISC, see `treevote.evaluation.lights`.
    on_error : {"stop", "skip", "keep"}, default="stop"
        Treatment of a faulty sentence: raise, leave it out, or write it back unparsed.
    tags : {"auto", "keep", "predict"}, default="auto"
        Lemmas and tags: those of the model where a sentence has no tag at all, if the model has a tagger; those of the
        text; those of the model.
    keep : {"heads", "labels", "all"}, optional
        Keep the given HEAD, the given DEPREL (on whatever head is found), or both, where they are not ``_``: the trees
        are the best of those that hold them.
    format : {"auto", "conllu", "conllx", "text", "lines"}, default="auto"
        See `treevote.conll.chunks.chunks`; ``"text"`` is running text with a blank line after each paragraph,
        ``"lines"`` one with a sentence on each line. ``"auto"`` is running text if the name of a file ends with
        ``.txt``, compressed or not, and it does not begin with columns.
    encoding : str, default="utf-8"
        Encoding of the files, such as ``"latin-1"``; the output is UTF-8.
    id_prefix : str, default=""
        Beginning of the ids of running text, see `treevote.conll.corpora.document_ids`.
    jobs : int or Jobs, default=1
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
        For a faulty sentence if ``on_error`` is ``"stop"`` or all are faulty, an input without sentences, running text
        if the model has no tokenizer, or a file that cannot be read or written.
    ModelError, ConfigError
        If the model cannot be read, or does not have the member, confidence or tagger that is asked for; a member alone
        has neither support nor confidence. If standard input is named twice, the output is one of several inputs,
        standard output leads into an input, or ``chunk_bytes`` is less than 1.
    """
    start, jobs, chunk_bytes = time.monotonic(), Jobs.of(jobs), converted(Count, chunk_bytes, "chunk_bytes")
    inputs, id_prefix = paths_of(inputs), converted(str, id_prefix, "id_prefix")
    require_apart([output] if len(inputs) > 1 or is_stream(path_of(output)) else [], inputs)
    work = ParseJob(stored_parser(model, member), support, confidence, on_error, tags, keep, lights)
    is_utf8(encoding)
    work.check()  # before anything is read or written
    if jobs.n_jobs != 1:  # kernels are compiled once here, not in every process
        work([Chunk("", 1, 1, b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "conllu")])
    if not inputs:
        raise InputError("expected files to parse, found none", remedy="name one or more files")
    total = size(inputs)
    parses, file, last = [ChunkParse()] * len(inputs), 0, b""  # of each file; the file that is written, and its end

    def doubted(path: str | os.PathLike[str], reason: str | None) -> None:
        """Tell the first doubt of the run."""
        nonlocal on_doubt
        if reason and on_doubt is not None:
            tell, on_doubt = on_doubt, None
            tell(f"{name_of(path)}: {reason}")

    with writing(output) as stream:
        tasks = any_file_chunks(inputs, format=format, n_bytes=chunk_bytes, encoding=encoding, id_prefix=id_prefix)
        for parsed, number, bytes_read in jobs.silent.map(functools.partial(_parse_part, work), tasks):
            if parsed.stopped and parsed.first_fault is not None:
                raise parsed.first_fault
            doubted(inputs[number], parsed.doubt)
            parses[number] = parses[number].plus(parsed)
            text = parsed.text
            if number != file:
                stream.write(missing_end(last))
                file, text = number, text.removeprefix(BOM)
            stream.write(text)
            last = text or last
            jobs.tell("parsing", bytes_read, total)
        for path, parse in zip(inputs, parses, strict=True):
            doubted(path, parse.text_counts.doubt(work.stored()))
        for path, parse in zip(inputs, parses, strict=True):
            if not parse.sentences + parse.faults:
                problem = "expected sentences, found none"
                raise InputError(problem, path=name_of(path), remedy="give a file with sentences")
        whole = functools.reduce(ChunkParse.plus, parses)
        if not whole.sentences and whole.first_fault is not None:
            raise whole.first_fault
    expectation = whole.text_counts.expectation(work.stored())
    counts = whole.sentences, whole.tokens, whole.faults, whole.first_fault
    return Summary(*counts, time.monotonic() - start, whole.fallbacks, expectation)


def _parse_part(work: ParseJob, part: tuple[Chunk | TextChunk, int, int]) -> tuple[ChunkParse, int, int]:
    """Parse a chunk; return also its file, and the bytes read up to its end."""
    chunk, file, bytes_read = part
    (parsed,) = work([chunk])
    return parsed, file, bytes_read


def write_text(source: str | os.PathLike[str], output: str | os.PathLike[str], *, lines: bool) -> PlainText:
    """Write the text of a CoNLL-U file; of one that `parse` made of running text, that text byte for byte."""
    text = PlainText(lines)
    size = 0
    with writing(output) as stream:
        for part in text_of(source, text):
            stream.write(part)
            size += len(part)
        if not text.sentences and not size:
            raise InputError(
                "expected sentences, found none", path=name_of(source), remedy="give a file with sentences"
            )
    return text
