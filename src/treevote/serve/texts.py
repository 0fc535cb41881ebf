"""Texts tokenized, tagged and parsed as ``treevote parse`` does it, several short ones at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treevote.batch.joint import ChunkParse, ParseJob
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import TextChunk, TextFormat, any_chunks
from treevote.conll.writer import encoded
from treevote.corpus.treebank import Format
from treevote.errors import InputError, TreevoteError
from treevote.serve.queue import Run, Task

CHUNK_BYTES = 1 << 16
"""Approximate length of the text after which a task that nobody waits for any more is given up."""


class ParsedText(NamedTuple):
    """A text with trees as a string in JSON, and the numbers of its sentences and tokens."""

    json: bytes
    sentences: int
    tokens: int


@dataclass(frozen=True)
class TextWork:
    """Work on texts of one format; without ``parse`` they are tokenized and tagged alone.

    A text without sentences gives a text without trees.
    """

    work: ParseJob
    format: Format | TextFormat
    parse: bool = True

    def __call__(self, tasks: Sequence[Task], run: Run) -> list[ParsedText | Exception]:
        """Return the result of each text, or its first fault."""
        cut: list[list[Chunk | TextChunk] | Exception] = []
        for task in tasks:
            try:
                cut.append(list(any_chunks(io.BytesIO(task.data), format=self.format, n_bytes=CHUNK_BYTES)))
            except InputError as fault:
                cut.append(fault)
        parsed: list[list[ChunkParse]] = [[] for _ in tasks]
        try:
            for numbers, chunks in _batches(cut, tasks):
                for number, part in zip(numbers, run(self._done, chunks), strict=True):
                    parsed[number].append(part)
        except TreevoteError as fault:
            return [fault] * len(tasks)
        return [
            found if isinstance(found, Exception) else _joined(parts) for found, parts in zip(cut, parsed, strict=True)
        ]

    def _done(self, chunks: Sequence[Chunk | TextChunk]) -> list[ChunkParse]:
        return self.work(chunks) if self.parse else [self._annotated(chunk) for chunk in chunks]

    def _annotated(self, chunk: Chunk | TextChunk) -> ChunkParse:
        annotator = self.work.stored().annotator
        try:
            found = parse_chunk(chunk, trees="ignored")[0] if isinstance(chunk, Chunk) else annotator.tokenized(chunk)
            tagged = annotator.tagged(found, self.work.tags)
        except InputError as fault:
            return ChunkParse(b"", first_fault=fault, stopped=True)
        return ChunkParse(encoded(tagged.only()), tagged.n_sentences, tagged.n_tokens)


def _batches(
    cut: Sequence[Sequence[Chunk | TextChunk] | Exception], tasks: Sequence[Task]
) -> Iterator[tuple[list[int], list[Chunk | TextChunk]]]:
    """Yield chunks with the numbers of their texts: those of short texts together, each of a longer one alone."""
    first = [(i, chunks[0]) for i, chunks in enumerate(cut) if not isinstance(chunks, Exception) and len(chunks) == 1]
    if first:
        yield [i for i, _ in first], [chunk for _, chunk in first]
    for i, chunks in enumerate(cut):
        for chunk in [] if isinstance(chunks, Exception) or len(chunks) == 1 else chunks:
            if tasks[i].is_wanted:
                yield [i], [chunk]


def _joined(parts: Sequence[ChunkParse]) -> ParsedText | Exception:
    """Return the result of a text from those of its chunks."""
    for part in parts:
        if part.stopped and part.first_fault is not None:
            return part.first_fault
    text = b"".join(part.text for part in parts).decode()
    literal = json.dumps(text, ensure_ascii=False).encode()
    return ParsedText(literal, sum(part.sentences for part in parts), sum(part.tokens for part in parts))
