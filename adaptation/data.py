"""Data of an adaptation: as they are given, and as the parsers of a model see them, with the tags of its tagger."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import parse_chunk
from treevote.conll.writer import encoded
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.streaming import FileChunk, file_chunks, size
from treevote.files.streams import AnyPath, writing
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.text.tagging.tagger import TaggerTrainer
from treevote.models.text.text_annotator import TextAnnotator
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.checkpoints import Checkpoints


@dataclass(frozen=True)
class Data:
    """Data of an adaptation.

    Sentences of the text without tags are tagged by the model if it has a tagger. The text may be empty if there are
    labelled sentences of the new domain to train on.
    """

    source: Treebank  # labelled sentences of the old domain; they always stay in the training data
    unlabelled: Sequence[AnyPath]  # text of the new domain
    source_dev: Treebank | None = None  # labelled sentences that are not trained on
    target_dev: Treebank | None = None
    external: Sequence[AnyPath] = ()  # parses of the text by members that are not retrained
    format: Format | Literal["auto"] = "auto"  # of the text and of the external parses
    names: Sequence[str] = ()  # of the files of the text in silver data and in messages; by default their own
    target_train: Treebank | None = None  # a few labelled sentences of the new domain to train on
    clusters: Clusters | None = None  # in place of those of the model

    @property
    def titles(self) -> Sequence[str]:
        """The names of the files of the text, as the user gave them."""
        return self.names or [os.fspath(path) for path in self.unlabelled]

    def file_chunks(self) -> Iterator[FileChunk[Chunk]]:
        """Yield the unlabelled text in chunks."""
        return file_chunks(self.unlabelled, format=self.format)

    def text(self) -> Iterator[Treebank]:
        """Yield the unlabelled text part by part."""
        for part in self.file_chunks():
            yield parse_chunk(part.chunk, trees="ignored")[0]


def has_tagger(model: EnsembleParser) -> bool:
    """Tell whether a model tags sentences."""
    return model.annotator.tagger is not None


def tagged(model: EnsembleParser, treebank: Treebank) -> Treebank:
    """Return labelled sentences with the tags that a model predicts, if it has a tagger."""
    return treebank if not has_tagger(model) else model.annotator.tagged(treebank, "predict")


def annotator_trainer(model: EnsembleParser, data: Data) -> AnnotatorTrainer:
    """Return the trainer of the annotator of a model, with the clusters of the data, or else those of the model."""
    tagger, trainer = model.annotator.tagger, TaggerTrainer()
    if tagger is not None:
        neural = None if tagger.neural is None else tagger.neural.trainer
        trainer = TaggerTrainer(neural=neural, clusters=tagger.clusters)
    return AnnotatorTrainer(
        tagger=trainer if data.clusters is None else dataclasses.replace(trainer, clusters=data.clusters)
    )


def training_data(model: EnsembleParser, data: Data, jobs: Jobs) -> Treebank:
    """Return the labelled sentences of the old domain with the tags that the parsers of a model are trained on."""
    facts: Any = model.facts
    if not has_tagger(model) or facts.get("reading", {}).get("tags") != "predicted":
        return data.source
    bare = dataclasses.replace(data.source, source=None)
    return annotator_trainer(model, data).tagged(bare, seed=int(facts.get("seed", 0)), jobs=jobs)


def with_predicted_tags(
    model: EnsembleParser, data: Data, source: Treebank, steps: Checkpoints, name: str, jobs: Jobs = ONE_JOB
) -> Data:
    """Return data as the parsers of a model see them; without a tagger, they stay as they are.

    ``source`` is the result of `training_data`; each file of the text becomes a step whose name begins with ``name``.
    """
    if not has_tagger(model):
        return data
    texts: list[str] = []
    for number, path in enumerate(data.unlabelled, 1):
        is_conllx = any(chunk.format == "conllx" for chunk in itertools.islice(chunks(path, format=data.format), 1))
        write = functools.partial(_write_tagged, model.annotator, path, data, jobs)
        texts.append(os.fspath(steps.file(f"{name}-{number}.{'conll' if is_conllx else 'conllu'}", write)))
    gold = {"source_dev": data.source_dev, "target_dev": data.target_dev, "target_train": data.target_train}
    predicted: Any = {name: None if own is None else tagged(model, own) for name, own in gold.items()}
    return dataclasses.replace(data, source=source, unlabelled=texts, **predicted)


def _write_tagged(annotator: TextAnnotator, path: AnyPath, data: Data, jobs: Jobs, output: Path) -> None:
    with writing(output) as stream:
        for part in file_chunks([path], format=data.format):
            treebank, _ = parse_chunk(part.chunk, trees="ignored")
            stream.write(encoded(annotator.tagged(treebank).only()))
            jobs.tell("tags of the text", part.bytes_read, size([path]))
