"""Running text of an adaptation as CoNLL-U: tokens and sentences, by the tokenizer of the model."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path

from treevote.batch.joint import tokenized
from treevote.conll.text_chunks import AnyFormat, TextFormat, text_chunks, text_format
from treevote.conll.writer import dump
from treevote.ensemble.parser import EnsembleParser
from treevote.files.streams import writing
from treevote.store.checkpoints import Checkpoints


def split(
    model: EnsembleParser, paths: Sequence[str | os.PathLike[str]], steps: Checkpoints, format: AnyFormat
) -> list[str]:
    """Return the paths of texts; for a running text that of its tokens, which are a step, without tags."""
    found = []
    for number, path in enumerate(paths, start=1):
        text = text_format(os.fspath(path), format)
        if text is not None:
            path = steps.file(f"text-{number}.conllu", functools.partial(_write, model, os.fspath(path), text))
        found.append(os.fspath(path))
    return found


def _write(model: EnsembleParser, path: str, format: TextFormat, output: Path) -> None:
    with writing(output) as stream:
        for chunk in text_chunks(path, format=format):
            dump(tokenized(model, chunk), stream)
