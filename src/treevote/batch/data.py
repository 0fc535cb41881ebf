"""Data of a call in Python: a treebank, a path, a text, or sentences as lists of tokens."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from treevote.conll.document_ids import document_ids
from treevote.conll.plain_text import encoded
from treevote.conll.reader import read
from treevote.conll.text_chunks import TextChunk, TextFormat, text_chunks, text_format
from treevote.conll.validation import Trees
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError

Path_: TypeAlias = "str | os.PathLike[str]"

Data: TypeAlias = "Treebank | Path_ | Sequence[Any]"
"""A treebank; a path; CoNLL-U text, which has a tab or line end in it; sentences as lists of tokens."""


def is_path(data: Path_) -> bool:
    """Tell whether data are the name of a file, and not a text: it exists, or it looks like one.

    A name has no spaces, and a suffix in ASCII or a separator of folders, or it is ``-``.
    """
    if isinstance(data, os.PathLike) or data == "-":
        return True
    if any(space in data for space in "\n\t"):
        return False
    with suppress(OSError, ValueError):  # too long for a name, or with a zero byte
        if os.path.exists(data):
            return True
    suffix = os.path.splitext(data)[1]
    return " " not in data and (os.sep in data or "/" in data or (suffix[1:].isascii() and suffix[1:].isalnum()))


def running_text(data: Data, *, has_tokenizer: bool) -> TextChunk | None:
    """Return data that are running text, or a file of it, as one chunk; None if they are something else.

    A string that is no path is running text if it has no tab and the model has a tokenizer.
    """
    if not isinstance(data, str | os.PathLike):
        return None
    source: str | io.BytesIO
    path, document = "", ""
    format: TextFormat | None = "text"
    source = name = os.fspath(data)
    if is_path(data):
        path, format, (document,) = name, text_format(name, "auto"), document_ids([data])
    elif "\t" in name or not has_tokenizer:
        return None
    else:
        source = io.BytesIO(encoded(name))
    if format is None:
        return None
    chunks = text_chunks(source, format=format, document=document)
    return TextChunk(path, tuple(stretch for chunk in chunks for stretch in chunk.stretches), format, document=document)


def treebank_of(data: Data, trees: Trees) -> Treebank:
    """Return data that are no running text as a treebank."""
    if isinstance(data, Treebank):
        return data
    if isinstance(data, os.PathLike) or (isinstance(data, str) and not ("\n" in data or "\t" in data)):
        if not is_path(data):
            raise InputError(
                f"expected a path or a text in CoNLL-U, found {os.fspath(data)[:40]!r}",
                remedy="split a text into sentences and tagged tokens first, as UDPipe or Stanza do, or train with "
                "--from-text",
            )
        return read(data, trees=trees)
    if isinstance(data, str):
        return read(io.BytesIO(encoded(data)), format="conllu", trees=trees)
    items = list(data)
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        parts = [read(item, trees=trees) for item in items]
        return parts[0] if len(parts) == 1 else Treebank.concatenate(parts, " + ".join(part.name for part in parts))
    if items and all(hasattr(item, "serialize") for item in items):
        return read(items, trees=trees)
    if trees == "some":
        raise InputError(
            "expected sentences with trees, found lists of tokens", remedy="give a path, a text, or Treebank.of(...)"
        )
    return from_tokens(items)


def from_tokens(sentences: Sequence[Sequence[Any]]) -> Treebank:
    """Return sentences of tokens as a treebank without trees; InputError if something is no token."""
    if not sentences:
        raise InputError("expected sentences, found none", remedy="give a list of lists of tokens")
    rows = []
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str) or not isinstance(sentence, Sequence) or not sentence:
            raise InputError(
                f"expected a list of tokens, found {sentence!r:.60}",
                sentence=str(number),
                remedy="give each sentence as a list of (form, upos) pairs",
            )
        words = [_word(token, number) for token in sentence]
        rows.append((words, [-1] * len(words), [""] * len(words)))
    return Treebank.of(rows)


def _word(token: object, sentence: int) -> Word:
    fields: Any = None
    if isinstance(token, Word):
        fields = tuple(token)
    elif isinstance(token, str):
        fields = (token, "_", "_", "_", "_")
    elif isinstance(token, Mapping) and "form" in token and token.keys() <= set(Word._fields):
        fields = tuple(token.get(field, "_") for field in Word._fields)
    elif isinstance(token, tuple | list) and len(token) == 2:
        fields = (token[0], "_", token[1], "_", "_")
    if fields is None or not all(isinstance(field, str) and field for field in fields):
        raise InputError(
            f"expected a token, found {token!r:.60}",
            sentence=str(sentence),
            remedy="give a form, a pair (form, upos), a Word, or a mapping with form, lemma, upos, xpos, feats",
        )
    return Word(*fields)
