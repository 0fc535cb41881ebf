"""Text without trees, for commands that learn from its words: CoNLL-U, or running text and the tokenizer of a model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import AnyFormat, TextChunk
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import load
from treevote.ensemble.streaming import any_file_chunks, size
from treevote.errors import InputError
from treevote.parallel import Jobs


def unlabelled(
    texts: Sequence[str | os.PathLike[str]], *, model: str | Path | None, format: AnyFormat, jobs: Jobs
) -> Iterator[Treebank]:
    """Yield the sentences of texts in parts; trees and tags are not read. InputError if a tokenizer is missing."""
    annotator = None if model is None else load(model).annotator
    total = size(texts)
    for chunk, _, bytes_read in any_file_chunks(texts, format=format):
        if isinstance(chunk, TextChunk):
            if annotator is None:
                remedy = "name a model with a tokenizer by --model, or split the text into tokens first"
                raise InputError("expected CoNLL-U, found running text", path=chunk.path, remedy=remedy)
            yield annotator.tokenized(chunk)
        else:
            yield parse_chunk(chunk, trees="ignored")[0]
        jobs.tell("words", bytes_read, total)
