"""``treevote clusters``: clusters of words from text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treevote.commands.unlabelled import unlabelled
from treevote.conll.text_chunks import AnyFormat
from treevote.files.streams import paths_of, require_apart
from treevote.models.learning.clusters.files import write_clusters
from treevote.models.learning.clusters.induction import induce
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
    sentences = unlabelled(texts, model=model, format=format, jobs=jobs)
    found = induce(sentences, n_classes=n_classes, least=least, progress=jobs.progress)
    write_clusters(found.clusters, found.counts, output)
    return ClustersSummary(found.n_tokens, len(found.clusters.words), len(set(found.clusters.paths)))
