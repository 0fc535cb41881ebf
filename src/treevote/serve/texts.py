"""Texts tokenized, tagged and parsed as ``treevote parse`` does it, several short ones at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple, TypeAlias

from treevote.batch.joint import ChunkParse, ParseJob
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import TextChunk, TextFormat, any_chunks
from treevote.conll.writer import encoded
from treevote.corpus.treebank import Format
from treevote.errors import InputError, TreevoteError
from treevote.serve.queue import Run, Task, Work, separately

CHUNK_BYTES = 1 << 16
"""Approximate length of the text after which a task that nobody waits for any more is given up."""


class ParsedText(NamedTuple):
    """A text with trees as a string in JSON, and the numbers of its sentences and tokens."""

    json: bytes
    sentences: int
    tokens: int


Parse: TypeAlias = Callable[[Work, bytes], Awaitable[ParsedText]]
"""Gives the result of work on a text, when the queue has done it."""


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
        if sum(len(task.data) for task in tasks) > CHUNK_BYTES:
            return separately(partial(self._in_parts, run), tasks)
        try:
            done: list[ParsedText | Exception] = run(self._together, [task.data for task in tasks])
            return done
        except TreevoteError as fault:
            return [fault] * len(tasks)

    def _together(self, texts: Sequence[bytes]) -> list[ParsedText | Exception]:
        """Return the result of each of several short texts, which are parsed at once."""
        cut = separately(self._cut, texts)
        chunks = [chunk for found in cut if not isinstance(found, Exception) for chunk in found]
        parsed = iter(self._done(chunks) if chunks else [])
        return [found if isinstance(found, Exception) else _joined([next(parsed) for _ in found]) for found in cut]

    def _in_parts(self, run: Run, task: Task) -> ParsedText | Exception:
        """Return the result of a text, one chunk after the other as long as it is wanted."""
        chunks = self._cut(task.data)
        return _joined([part for chunk in chunks if task.is_wanted for part in run(self._done, [chunk])])

    def _cut(self, text: bytes) -> list[Chunk | TextChunk]:
        return list(any_chunks(io.BytesIO(text), format=self.format, n_bytes=CHUNK_BYTES))

    def _done(self, chunks: Sequence[Chunk | TextChunk]) -> list[ChunkParse]:
        return self.work(chunks) if self.parse else [self._annotated(chunk) for chunk in chunks]

    def _annotated(self, chunk: Chunk | TextChunk) -> ChunkParse:
        annotator = self.work.stored().annotator
        try:
            found = parse_chunk(chunk, trees="ignored")[0] if isinstance(chunk, Chunk) else annotator.tokenized(chunk)
            tagged = annotator.tagged(found, self.work.tags)
        except InputError as fault:
            return ChunkParse(first_fault=fault, stopped=True)
        return ChunkParse(encoded(tagged.only()), tagged.n_sentences, tagged.n_tokens)


def _joined(parts: Sequence[ChunkParse]) -> ParsedText | Exception:
    """Return the result of a text from those of its chunks."""
    whole = reduce(ChunkParse.plus, parts, ChunkParse())
    if whole.stopped and whole.first_fault is not None:
        return whole.first_fault
    text = b"".join(part.text for part in parts).decode()
    return ParsedText(json.dumps(text, ensure_ascii=False).encode(), whole.sentences, whole.tokens)
