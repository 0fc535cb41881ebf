"""Annotation of unlabelled text, chunk by chunk, in constant memory: by a committee of parsers, or by taggers.

Each chunk becomes a file of CoNLL-U, every sentence with its origin, agreement and confidence as comments in front of
its own, and an array of these scores beside it. A chunk whose files are there whole is not annotated again: an
interrupted annotation goes on.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from treevote.adaptation.data import Data
from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import parse_chunk
from treevote.conll.writer import dumps
from treevote.corpus.source import BOM
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.ensemble.streaming import FileChunk, size
from treevote.ensemble.unknown_words import share_of_tokens
from treevote.ensemble.vote import Ballots, vote
from treevote.ensemble.weights import Weights
from treevote.errors import InputError
from treevote.evaluation.agreement import unanimous
from treevote.evaluation.counts import check_same_sentences
from treevote.files.streams import AnyPath, writing
from treevote.kernels import Doubles, Longs
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.checkpoints import is_whole, seal


class NothingKeptError(InputError):
    """No sentence of the text was selected, or there is none."""


Annotator: TypeAlias = Callable[[Treebank], tuple[Treebank, Doubles, Doubles]]  # with agreement and confidence


class Annotation(NamedTuple):
    """Scores of the sentences of a text in their order, shape (n_sentences,), and the files of the chunks."""

    lengths: Longs  # in tokens
    agreed: Doubles  # share of tokens on which the judges agree
    confidence: Doubles  # mean of the arcs, 1 without a model of confidence
    files: tuple[Path, ...]


class ChunkTask(NamedTuple):
    """A chunk to annotate."""

    part: FileChunk[Chunk]
    file: Path  # to write
    name: str  # of its text
    external: tuple[Treebank, ...] = ()  # parses by other parsers


def annotate(model: Path, data: Data, folder: Path, *, jobs: Jobs = ONE_JOB) -> Annotation:
    """Parse unlabelled text with the committee in the folder ``model``, and measure its agreement.

    External parsers agree, too; InputError if their parse has other sentences. The progress is in bytes of the text.
    """
    stored = StoredParser.of(model)
    annotated = jobs.silent.map(
        functools.partial(_annotate_by_committee, stored), _with_external(tasks(data, folder), data)
    )
    annotation = concatenated(annotated, data, "annotation", jobs)
    stored.release()  # a training may follow
    return annotation


def tasks(data: Data, folder: Path) -> Iterator[ChunkTask]:
    """Yield the chunks of the text with their files in a folder."""
    for number, part in enumerate(data.file_chunks()):
        name = os.path.basename(data.names[part.file] if data.names else part.chunk.path)
        yield ChunkTask(part, folder.absolute() / f"chunk-{number:06}.conllu", name)


def concatenated(annotated: Iterator[tuple[int, Annotation]], data: Data, step: str, jobs: Jobs) -> Annotation:
    """Return the annotations of all chunks, each with the bytes read up to its end, as one; tell the progress."""
    total, parts = size(data.unlabelled), []
    for bytes_read, of_chunk in annotated:
        parts.append(of_chunk)
        jobs.tell(step, bytes_read, total)
    lengths, agreed, confidence, files = zip(*parts, strict=True)
    columns = np.concatenate(lengths), np.concatenate(agreed), np.concatenate(confidence)
    return Annotation(*columns, tuple(itertools.chain.from_iterable(files)))


def annotate_chunk(annotator: Annotator, task: ChunkTask) -> tuple[int, Annotation]:
    """Make the files of a chunk unless they are there; return the bytes read up to its end, and its annotation."""
    scores = task.file.with_suffix(".npy")
    if not (is_whole(task.file) and is_whole(scores)):
        treebank, _ = parse_chunk(task.part.chunk, trees="ignored")
        if not treebank.n_sentences:
            return task.part.bytes_read, Annotation(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), ())
        annotated, agreed, confidence = annotator(treebank)
        text = commented(treebank, annotated, task.name, task.part.chunk.first_sentence, agreed, confidence)
        with writing(task.file) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
        with writing(scores) as stream:
            np.save(stream, np.stack([treebank.lengths, agreed, confidence]))
        for file in (task.file, scores):
            seal(file)
    with scores.open("rb") as stream:
        lengths, agreed, confidence = np.lib.format.read_array(stream)
    return task.part.bytes_read, Annotation(lengths.astype(np.int64), agreed, confidence, (task.file,))


def commented(treebank: Treebank, annotated: Treebank, name: str, first: int, agreed: Doubles, sure: Doubles) -> str:
    """Return annotated sentences as CoNLL-U, each with its origin, agreement, confidence, and its own comments.

    ``treebank`` are the sentences of a chunk with their text, ``annotated`` the same with trees or tags. ``name`` is
    that of the text, ``first`` the number of the first sentence in it.
    """
    text = dumps(dataclasses.replace(annotated, source=None))
    blocks = []
    for i, block in enumerate(text.split("\n\n")[:-1]):
        above = (line.removeprefix(BOM.decode()).rstrip("\r") for line in treebank.comments(i))
        comments = "".join(f"{line}\n" for line in above if line.startswith("#"))
        blocks.append(
            f"# source = {name}, sentence {first + i}\n"
            f"# agreement = {float(agreed[i])}\n# confidence = {float(sure[i])}\n{comments}{block}\n\n"
        )
    return "".join(blocks)


def agreement(systems: Sequence[Treebank]) -> Doubles:
    """Return the share of the tokens of each sentence to which all systems give one head and the same label."""
    check_same_sentences(systems)
    return share_of_tokens(unanimous(systems), systems[0])


def mean_confidence(parse: Treebank) -> Doubles:
    """Return the mean confidence of the arcs of each sentence; 1 without a model of confidence."""
    if parse.confidence is None or not parse.n_sentences:
        return np.ones(parse.n_sentences)
    sums = np.add.reduceat(parse.confidence.astype(np.float64), parse.offsets[:-1])
    return np.asarray(sums / np.maximum(parse.lengths, 1))


def _annotate_by_committee(model: StoredParser, task: ChunkTask) -> tuple[int, Annotation]:
    return annotate_chunk(lambda treebank: _parsed(model(), treebank, task.external), task)


def _parsed(
    committee: EnsembleParser, treebank: Treebank, external: Sequence[Treebank]
) -> tuple[Treebank, Doubles, Doubles]:
    """Return the vote of a committee, its agreement and its confidence."""
    parses = committee.parse_members(treebank)
    systems = [*parses.values(), *external]
    agreed = agreement(systems)
    if external:
        parse = vote(systems, Weights.equal(len(systems)), single_root=committee.single_root)
    else:
        parse = committee.combine(parses)
    return parse.only(), agreed, mean_confidence(parse)


def require_parses(data: Data) -> None:
    """Raise the InputError for external parses of other sentences, or without trees, before long work."""
    for task in _with_external(tasks(data, Path()), data):
        if task.external:
            check_same_sentences([parse_chunk(task.part.chunk, trees="ignored")[0], *task.external])


def _with_external(chunk_tasks: Iterator[ChunkTask], data: Data) -> Iterator[ChunkTask]:
    """Yield the tasks with the parses of their sentences by external parsers."""
    others = [_SentenceReader(path, data) for path in data.external]
    for task in chunk_tasks:
        n = parse_chunk(task.part.chunk, trees="ignored")[0].n_sentences if others else 0
        yield task._replace(external=tuple(other.take(n) for other in others))
    for other in others:
        other.finish()


class _SentenceReader:
    """The sentences of an external parse, taken some at a time."""

    def __init__(self, path: AnyPath, data: Data) -> None:
        self._path = os.fspath(path)
        self._parts = self._read(data.format)
        self._rest = Treebank.of([])
        self._taken = 0
        self._parsed = False

    def _read(self, format: Format | Literal["auto"]) -> Iterator[Treebank]:
        for chunk in chunks(self._path, format=format):
            part, _ = parse_chunk(chunk)
            Ballots.of([part])  # no token is its own head
            self._parsed |= bool((part.heads >= 0).any())
            yield part

    def take(self, n: int) -> Treebank:
        while self._rest.n_sentences < n:
            part = next(self._parts, None)
            if part is None:
                found = self._taken + self._rest.n_sentences
                raise self._fault(f"expected a parse of every sentence, found parses of {found:,}")
            self._rest = Treebank.concatenate([self._rest, part])
        self._taken += n
        taken = self._rest.select(range(n))
        self._rest = self._rest.select(range(n, self._rest.n_sentences))
        return dataclasses.replace(taken, name=self._path)

    def finish(self) -> None:
        """Check that there is no sentence left, and that some have trees."""
        left = self._rest.n_sentences + sum(part.n_sentences for part in self._parts)
        if left:
            raise self._fault(f"expected the sentences of the text, found {left:,} more")
        if not self._parsed:
            raise self._fault("expected parses, found no heads at all")

    def _fault(self, problem: str) -> InputError:
        return InputError(problem, path=self._path, remedy="parse the same text")
