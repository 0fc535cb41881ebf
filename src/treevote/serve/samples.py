"""Samples of Arborator-Grew parsed with some columns kept: each as a whole, where it is filled, or not at all."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from treevote.batch.joint import ChunkParse
from treevote.batch.parsing import parse_sentences, trees_of
from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import parse_chunk
from treevote.conll.writer import encoded, with_words
from treevote.corpus.given import Keep
from treevote.corpus.sentence import Word
from treevote.corpus.source import missing_end
from treevote.corpus.treebank import Treebank
from treevote.ensemble.stored import StoredParser
from treevote.errors import InputError
from treevote.serve.queue import Run, Task, separately
from treevote.serve.texts import CHUNK_BYTES, ParsedText

Kept: TypeAlias = Literal["NONE", "EXISTING", "ALL"]
"""What is kept of a column: nothing; values, but for ``_``; all of it, also ``_``."""

COLUMNS = ("lemmas", "upos", "xpos", "feats", "heads", "deprels")
"""Columns by their names in ``keep_...``; the first four are those of a word behind its form."""

_PLACES = {"heads": 6, "deprels": 7}  # of columns in a line


@dataclass(frozen=True, eq=False)
class SampleWork:
    """Work that parses samples, by name, with a setting for each column."""

    stored: StoredParser
    samples: Mapping[str, bytes]
    kept: Mapping[str, Kept]

    def __call__(self, tasks: Sequence[Task], run: Run) -> list[ParsedText | Exception]:
        """Return the samples with trees, as an object in JSON."""
        return separately(partial(self._parsed, run), tasks)

    def _parsed(self, run: Run, task: Task) -> ParsedText:
        parsed, sentences, tokens = dict[str, str](), 0, 0
        for name, sample in self.samples.items():
            parts = []
            for chunk in sample_chunks(name, sample):
                if not task.is_wanted:
                    break
                part: ChunkParse = run(_parse, self.stored, chunk, self.kept)
                parts.append(part.text)
                sentences, tokens = sentences + part.sentences, tokens + part.tokens
            parsed[name] = b"".join(parts).decode()
        return ParsedText(json.dumps(parsed, ensure_ascii=False).encode(), sentences, tokens)


def _parse(stored: StoredParser, chunk: Chunk, kept: Mapping[str, Kept]) -> ChunkParse:
    """Return a chunk with trees, and with what is kept of its columns."""
    ensemble = stored().trees_alone
    whole = kept["heads"] == kept["deprels"] == "ALL"
    heads, labels = (kept[column] != "NONE" and not whole for column in ("heads", "deprels"))
    keep: Keep | None = "all" if heads and labels else "heads" if heads else "labels" if labels else None
    treebank, _ = parse_chunk(chunk, trees=trees_of(ensemble, keep))
    if any(kept[column] != "ALL" for column in COLUMNS[:4]) and ensemble.annotator.tagger is not None:
        treebank = _with_kept(treebank, ensemble.annotator.tagged(treebank, "predict"), kept)
    parse = treebank if whole else parse_sentences(ensemble, treebank, keep=keep)[0]
    return ChunkParse(_text(parse, chunk, kept), parse.n_sentences, parse.n_tokens)


def sample_chunks(name: str, sample: bytes) -> Iterator[Chunk]:
    """Yield a sample in chunks; errors name it."""
    for chunk in chunks(io.BytesIO(sample), format="conllu", n_bytes=CHUNK_BYTES):
        yield dataclasses.replace(chunk, path=name)


def joined(samples: Mapping[str, bytes]) -> bytes:
    """Return samples as one text to train on; InputError if one of them has a fault, or none has a tree."""
    parts, trees = [], 0
    for name, sample in samples.items():
        for chunk in sample_chunks(name, sample):
            treebank, _ = parse_chunk(chunk, trees="partial")
            trees += int((treebank.heads >= 0).any())
            parts.append(chunk.bare_text + missing_end(chunk.bare_text))
    if not trees:
        raise InputError("expected trees, found samples without", remedy="choose samples, and a user, with trees")
    return b"".join(parts)


def _with_kept(own: Treebank, found: Treebank, kept: Mapping[str, Kept]) -> Treebank:
    """Return sentences with predicted lemmas and tags, but for what is kept of their own."""
    pairs, numbers = np.unique(np.stack([own.tokens, found.tokens]), axis=1, return_inverse=True)
    vocabulary = dict[Word, int]()
    number_of = [
        vocabulary.setdefault(_word(own.words[i], found.words[j], kept), len(vocabulary)) for i, j in pairs.T.tolist()
    ]
    return with_words(own, tuple(vocabulary), np.array(number_of, np.int32)[numbers.reshape(-1)])


def _word(own: Word, found: Word, kept: Mapping[str, Kept]) -> Word:
    columns = [
        mine if kept[column] == "ALL" or (kept[column] == "EXISTING" and mine != "_") else other
        for column, mine, other in zip(COLUMNS, own[1:], found[1:], strict=False)
    ]
    return Word(own.form, *columns)


def _text(parse: Treebank, chunk: Chunk, kept: Mapping[str, Kept]) -> bytes:
    """Return the text of a parse, with those columns of the trees as they were that are kept as a whole."""
    places = [place for column, place in _PLACES.items() if kept[column] == "ALL"]
    text = encoded(parse.only())
    if not places or len(places) == len(_PLACES):
        return text
    lines, before = text.split(b"\n"), chunk.text.split(b"\n")
    assert parse.source is not None, "read from a text"
    for line in parse.source.line_of[parse.is_token].tolist():
        columns, own = lines[line].split(b"\t"), before[line].split(b"\t")
        for place in places:
            columns[place] = own[place]
        lines[line] = b"\t".join(columns)
    return b"\n".join(lines)
