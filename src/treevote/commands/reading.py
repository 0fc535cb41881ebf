"""Data of an adaptation as the model reads them: raw text as CoNLL-U, with the tags that it predicts."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treevote.batch.joint import conllu_of, tagged
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import AnyFormat
from treevote.conll.writer import dump
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.reader_trainer import ReaderTrainer
from treevote.ensemble.streaming import any_parts
from treevote.files.streams import writing
from treevote.parallel import Jobs
from treevote.store.checkpoints import Checkpoints


def read_text(
    model: EnsembleParser, paths: Sequence[str | os.PathLike[str]], steps: Checkpoints, format: AnyFormat
) -> list[str]:
    """Return CoNLL-U files of texts, read by a model that has a reader; each is a step."""
    write = functools.partial(_write, model, format)
    return [
        os.fspath(steps.file(f"text-{number}.conllu", functools.partial(write, path)))
        for number, path in enumerate(paths, start=1)
    ]


def _write(model: EnsembleParser, format: AnyFormat, path: str | os.PathLike[str], output: Path) -> None:
    with writing(output) as stream:
        for chunk, _, _ in any_parts([path], format=format):
            own = chunk if isinstance(chunk, Chunk) else conllu_of(model, chunk)
            dump(tagged(model, parse_chunk(own, trees="ignored")[0], "auto"), stream)


def read_treebank(model: EnsembleParser, treebank: Treebank | None) -> Treebank | None:
    """Return a treebank with the tags that a model predicts, if it has a tagger."""
    return treebank if treebank is None or not _has_tagger(model) else tagged(model, treebank, "predict")


def read_training_data(model: EnsembleParser, treebank: Treebank, seed: int, jobs: Jobs) -> Treebank:
    """Return the training data of a model with the tags that its parsers were trained on."""
    reading: Any = model.facts.get("reading")
    if not _has_tagger(model) or not isinstance(reading, dict) or reading.get("tags") != "predicted":
        return treebank
    bare = dataclasses.replace(treebank, source=None)
    return ReaderTrainer().tagged(bare, seed=seed, jobs=jobs)


def _has_tagger(model: EnsembleParser) -> bool:
    return model.reader is not None and model.reader.tagger is not None
