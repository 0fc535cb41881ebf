"""``treevote clusters``: clusters of words from text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import AnyFormat, TextChunk
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import load
from treevote.ensemble.streaming import any_file_chunks, size
from treevote.errors import InputError
from treevote.files.streams import paths_of, require_apart
from treevote.models.learning.clusters.files import write_clusters
from treevote.models.learning.clusters.induction import induce
from treevote.models.text.text_annotator import TextAnnotator
from treevote.parallel import ONE_JOB, Jobs


@dataclass(frozen=True, slots=True)
class ClustersSummary:
    """Numbers of tokens of the text, of words with a cluster, and of different paths."""

    tokens: int
    words: int
    classes: int


def make_clusters(
    texts: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    model: str | Path | None = None,
    n_classes: int = 128,
    least: int = 2,
    format: AnyFormat = "auto",
    jobs: Jobs = ONE_JOB,
) -> ClustersSummary:
    """Make clusters of the words of texts, and write them: path, word and count, separated by tabs.

    Trees and tags are not read. Running text needs a model with a tokenizer. For the numbers of classes and of
    occurrences see `treevote.models.learning.clusters.induction.induce`.
    """
    texts = paths_of(texts)
    require_apart([output], texts)
    annotator = None if model is None else load(model).annotator
    found = induce(_sentences(texts, format, annotator, jobs), n_classes=n_classes, least=least, progress=jobs.progress)
    write_clusters(found.clusters, found.counts, output)
    return ClustersSummary(found.n_tokens, len(found.clusters.words), len(set(found.clusters.paths)))


def _sentences(
    texts: Sequence[str | os.PathLike[str]], format: AnyFormat, annotator: TextAnnotator | None, jobs: Jobs
) -> Iterator[Treebank]:
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
