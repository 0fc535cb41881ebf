"""Annotation of unlabelled text by a committee of parsers, chunk by chunk: constant memory, any number of jobs.

Each chunk becomes a file of CoNLL-U: every sentence with the tree of the vote, and with its agreement and confidence as
comments in front of its own. A chunk whose file exists is not parsed again, so an interrupted annotation goes on.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from treevote.adaptation.agreement import agreement
from treevote.conll.chunks import BOM, chunks
from treevote.conll.reader import parse_chunk
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.ensemble.streaming import CHUNK_BYTES, Part, parts, size
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import InputError
from treevote.files.streams import writing
from treevote.kernels import Doubles, Longs
from treevote.parallel import ONE_JOB, Jobs


class Annotation(NamedTuple):
    """Agreement and confidence of a committee on each sentence, in the order of the text; and the files of the chunks.

    ``lengths`` are in tokens, ``agreed`` is the share of tokens on which the committee agrees, and ``confidence`` the
    mean confidence of the arcs, 1 without a model of confidence; shape (n_sentences,) each.
    """

    lengths: Longs
    agreed: Doubles
    confidence: Doubles
    files: tuple[Path, ...]


NOTHING = Annotation(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), ())
"""The annotation of a chunk without sentences."""


def annotate(
    model: Path,
    unlabelled: Sequence[str | os.PathLike[str]],
    folder: Path,
    *,
    external: Sequence[str | os.PathLike[str]] = (),
    format: Format | Literal["auto"] = "auto",
    names: Sequence[str] = (),
    chunk_bytes: int = CHUNK_BYTES,
    jobs: Jobs = ONE_JOB,
) -> Annotation:
    """Parse unlabelled text with the members of a model, and measure their agreement.

    Parameters
    ----------
    model, folder : Path
        Folders of the committee, an ensemble, and of the annotated chunks; existing chunks are not parsed again.
    unlabelled : sequence of path
        Text of the new domain; trees in it are ignored.
    external : sequence of path
        Parses by further members of the sentences of ``unlabelled``, of all files one after the other.
    format, chunk_bytes
        See `treevote.conll.chunks.chunks`.
    names : sequence of str, optional
        What the annotations call the files; by default their own names.
    jobs : Jobs, optional
        Their progress is in bytes of ``unlabelled``.

    Raises
    ------
    InputError
        If a file cannot be read, or an external parse has other sentences.
    ModelError
        If the committee cannot be read.
    """
    stored = StoredParser.of(model)
    work = functools.partial(_annotate_part, stored)
    tasks = _tasks(parts(unlabelled, format=format, n_bytes=chunk_bytes), external, folder, format, names)
    total = size(unlabelled)
    annotated: list[Annotation] = []
    for bytes_read, of_chunk in jobs.silent.map(work, tasks):
        annotated.append(of_chunk)
        jobs.tell("annotation", bytes_read, total)
    stored.release()  # a training may follow
    return collected(annotated, unlabelled)


def collected(annotated: Sequence[Annotation], unlabelled: Sequence[str | os.PathLike[str]]) -> Annotation:
    """Return the annotations of all chunks as one.

    Raises
    ------
    InputError
        If there is no sentence.
    """
    if not any(of_chunk.files for of_chunk in annotated):
        raise InputError(
            "expected sentences, found none", path=os.fspath(unlabelled[0]), remedy="give a file with sentences in it"
        )
    lengths, agreed, confidence, files = zip(*annotated, strict=True)
    columns = np.concatenate(lengths), np.concatenate(agreed), np.concatenate(confidence)
    return Annotation(*columns, tuple(itertools.chain.from_iterable(files)))


class _Task(NamedTuple):
    """A chunk, its file, the parses of its sentences by other parsers, and the name of the text."""

    part: Part
    file: Path
    external: tuple[Treebank, ...]
    name: str


def _tasks(
    unlabelled: Iterator[Part],
    external: Sequence[str | os.PathLike[str]],
    folder: Path,
    format: Format | Literal["auto"],
    names: Sequence[str],
) -> Iterator[_Task]:
    others = [_Sentences(path, format) for path in external]
    for number, part in enumerate(unlabelled):
        n = parse_chunk(part.chunk, trees="ignored")[0].n_sentences if others else 0
        file, name = folder.absolute() / f"chunk-{number:06}.conllu", name_of(part, names)
        yield _Task(part, file, tuple(other.take(n) for other in others), name)
    for other in others:
        other.finish()


class _Sentences:
    """The sentences of a file, taken some at a time."""

    def __init__(self, path: str | os.PathLike[str], format: Format | Literal["auto"]) -> None:
        self._path = os.fspath(path)
        self._parts = (parse_chunk(chunk)[0] for chunk in chunks(path, format=format))
        self._rest = Treebank.of([])

    def take(self, n: int) -> Treebank:
        """Return the next ``n`` sentences."""
        while self._rest.n_sentences < n:
            part = next(self._parts, None)
            if part is None:
                problem = f"expected a parse of every sentence, {n - self._rest.n_sentences} are missing"
                raise InputError(problem, path=self._path, remedy="parse the same text")
            self._rest = Treebank.concatenate([self._rest, part])
        taken = self._rest.select(range(n))
        self._rest = self._rest.select(range(n, self._rest.n_sentences))
        return dataclasses.replace(taken, name=self._path)

    def finish(self) -> None:
        """Check that there is no sentence left."""
        left = self._rest.n_sentences + sum(part.n_sentences for part in self._parts)
        if left:
            raise InputError(
                f"expected the sentences of the text, found {left} more", path=self._path, remedy="parse the same text"
            )


def _annotate_part(model: StoredParser, task: _Task) -> tuple[int, Annotation]:
    """Make the file of a chunk unless it is there; return the bytes read up to its end, and its annotation."""
    if not task.file.exists():
        treebank, _ = parse_chunk(task.part.chunk, trees="ignored")
        if not treebank.n_sentences:
            return task.part.bytes_read, NOTHING
        text = _annotated(model(), treebank, task)
        with writing(task.file) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
    return task.part.bytes_read, scores_of(task.file)


def _annotated(committee: EnsembleParser, treebank: Treebank, task: _Task) -> str:
    """Return the sentences as CoNLL-U, each with its origin, agreement and confidence."""
    parses = committee.parse_members(treebank)
    systems = [*parses.values(), *task.external]
    agreed = agreement(systems)
    if task.external:
        parse = vote(systems, Weights.equal(len(systems)), single_root=committee.single_root)
    else:
        parse = committee.combine(parses)
    sure = np.ones(treebank.n_sentences)
    if parse.confidence is not None:
        sums = np.add.reduceat(parse.confidence.astype(np.float64), treebank.offsets[:-1])
        sure = sums / np.maximum(treebank.lengths, 1)
    return commented(treebank, parse.only(), task.name, task.part.chunk.first_sentence, agreed, sure)


def name_of(part: Part, names: Sequence[str]) -> str:
    """Return the name of the text that a chunk is from: that of its file if there are no others."""
    return os.path.basename(names[part.file] if names else part.chunk.path)


def commented(treebank: Treebank, annotated: Treebank, name: str, first: int, agreed: Doubles, sure: Doubles) -> str:
    """Return annotated sentences as CoNLL-U, each with its origin, agreement, confidence, and its own comments.

    Parameters
    ----------
    treebank, annotated : Treebank
        The sentences of a chunk with their text, and the same with trees or tags.
    name : str
        Name of the text, as `name_of` gives it.
    first : int
        Number of the first sentence in the text.
    agreed, sure : ndarray of float64, shape (n_sentences,)
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


def scores_of(file: Path) -> Annotation:
    """Return length, agreement and confidence of each sentence of a chunk, the latter two from its comments."""
    lengths: list[int] = []
    agreed: list[float] = []
    confidence: list[float] = []
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        for _ in lines:  # the comment source
            agreed.append(float(next(lines).rpartition(" = ")[2]))
            confidence.append(float(next(lines).rpartition(" = ")[2]))
            rest = itertools.takewhile(lambda line: line != "\n", lines)
            lengths.append(sum(not line.startswith("#") for line in rest))
    return Annotation(np.array(lengths, np.int64), np.array(agreed), np.array(confidence), (file,))
