"""Data of a call in Python: a treebank, a path, a text, or sentences as lists of tokens."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

from treevote.conll.corpora import document_ids
from treevote.conll.plain_text import encoded
from treevote.conll.reader import loads, read, require_text
from treevote.conll.text_chunks import TextChunk, TextFormat, text_chunk, text_chunks, text_format
from treevote.conll.validation import Trees
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.files.streams import path_of

Path_: TypeAlias = "str | os.PathLike[str]"

Data: TypeAlias = "Treebank | Path_ | Iterable[Any]"
"""A treebank; a `Path`, which is a file; a string, which is text where texts are taken, and a path elsewhere; several
paths; sentences as lists of tokens."""

_FILE = "treevote.parse(model, {})"


def running_texts(data: Data, *, has_tokenizer: bool) -> list[TextChunk]:
    """Return data that are running text, or files of it, one chunk for each; none if they are something else.

    A string is running text if it has no tab and the model has a tokenizer.
    """
    if isinstance(data, str):
        if "\t" in data or not has_tokenizer:
            return []
        require_text(data, _FILE)
        return [text_chunk(encoded(data))]
    items: Sequence[Any] = data if isinstance(data, Sequence) and not isinstance(data, Treebank) else [data]
    if not all(isinstance(item, os.PathLike) for item in items):
        return []
    paths = list(map(path_of, items))
    formats = [format for path in paths if (format := text_format(path, "auto")) is not None]
    if len(formats) < len(paths):
        return []
    return [_whole(*file) for file in zip(paths, formats, document_ids(paths), strict=True)]


def _whole(path: str, format: TextFormat, document: str) -> TextChunk:
    chunks = text_chunks(path, format=format, document=document)
    return TextChunk(path, tuple(stretch for chunk in chunks for stretch in chunk.stretches), format, document=document)


def parsed_data(data: Data, trees: Trees = "ignored") -> Treebank:
    """Return data that are to be parsed, and no running text, as a treebank; its trees are ignored, or some kept."""
    if isinstance(data, bytes):
        raise InputError("expected a text, found bytes", remedy="decode it first; for a file give Path(...)")
    if isinstance(data, str):
        require_text(data, _FILE)
        if "\t" not in data:
            raise InputError(
                f"expected a text in CoNLL-U, found {data[:40]!r}",
                remedy="split it into sentences and tagged tokens first, as UDPipe or Stanza do, or train with "
                "--from-text; for a file give Path(...)",
            )
        return loads(data, format="conllu", trees=trees)
    if isinstance(data, Treebank):
        return data
    if isinstance(data, os.PathLike):
        return read(data, trees=trees)
    items: list[Any] = list(data) if _are_several(data) else [data]
    if items and all(isinstance(item, str) for item in items):
        remedy = "give one string with the whole text, lists of tokens, or Path(...) for files"
        raise InputError(f"expected sentences, found the string {items[0][:40]!r}", remedy=remedy)
    if items and all(isinstance(item, os.PathLike) or hasattr(item, "serialize") for item in items):
        return read(items, trees=trees)
    return from_tokens(items)


def training_data(data: Data, trees: Trees) -> Treebank:
    """Return a treebank that is to be learned from, or measured on: itself, a file, a folder, or files of a list."""
    if isinstance(data, Treebank):
        return data
    if isinstance(data, str | os.PathLike):
        return read(data, trees=trees)
    items: list[Any] = list(data) if _are_several(data) else [data]
    if items and all(isinstance(item, str | os.PathLike) or hasattr(item, "serialize") for item in items):
        return read(items, trees=trees)
    others = [type(item).__name__ for item in items if not isinstance(item, str | os.PathLike)]
    place = " in a list" if _are_several(data) else ""
    raise InputError(
        f"expected a treebank or paths, found {others[0] if others else 'nothing'}{place}",
        remedy="give a path, treevote.loads(...) or Treebank.of(...); several treebanks by Treebank.concatenate(...)",
    )


def _are_several(data: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether data are items one by one; those of an open file would be its lines, of a table its columns."""
    is_whole = isinstance(data, bytes) or hasattr(data, "read") or hasattr(data, "columns")
    return isinstance(data, Iterable) and not is_whole


def from_tokens(sentences: Sequence[Sequence[Any]]) -> Treebank:
    """Return sentences of tokens as a treebank without trees; InputError if something is no token."""
    if not sentences:
        raise InputError("expected sentences, found none", remedy="give a list of lists of tokens")
    rows = []
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str) or not isinstance(sentence, Sequence) or not sentence:
            problem = f"expected a list of tokens, found {sentence!r:.60}"
            remedy = "give each sentence as a list of (form, upos) pairs"
            raise InputError(problem, sentence=str(number), remedy=remedy)
        words = [_word(token, number) for token in sentence]
        rows.append((words, [-1] * len(words), [""] * len(words)))
    return Treebank.of(rows)


def _word(token: object, sentence: int) -> Word:
    fields: Any = None
    if isinstance(token, Word) and token != ROOT:
        fields = tuple(token)
    elif isinstance(token, str):
        fields = (token, "_", "_", "_", "_")
    elif isinstance(token, Mapping) and "form" in token and token.keys() <= set(Word._fields):
        fields = tuple(token.get(field, "_") for field in Word._fields)
    elif isinstance(token, tuple | list) and len(token) == 2:
        fields = (token[0], "_", token[1], "_", "_")
    if fields is None or not all(isinstance(field, str) and field for field in fields):
        remedy = "give a form, a pair (form, upos), a Word, or a mapping with form, lemma, upos, xpos, feats"
        raise InputError(f"expected a token, found {token!r:.60}", sentence=str(sentence), remedy=remedy)
    return Word(*fields)
