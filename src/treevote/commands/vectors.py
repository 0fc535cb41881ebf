"""``treevote vectors``: word vectors from text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treevote.commands.unlabelled import unlabelled
from treevote.conll.text_chunks import AnyFormat
from treevote.files.streams import paths_of, require_apart
from treevote.models.learning.vectors.cooccurrence import cooccurrence_vectors
from treevote.models.learning.vectors.files import write_vectors
from treevote.parallel import ONE_JOB, Jobs


@dataclass(frozen=True, slots=True)
class VectorsSummary:
    """Numbers of tokens of the text, and of words with a vector."""

    tokens: int
    words: int


def make_vectors(
    texts: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    model: str | Path | None = None,
    size: int = 100,
    least: int = 3,
    format: AnyFormat = "auto",
    jobs: Jobs = ONE_JOB,
) -> VectorsSummary:
    """Make vectors of the words of texts, and write them as text of word2vec.

    Trees and tags are not read. Running text needs a model with a tokenizer. For the numbers of dimensions and of
    occurrences see `treevote.models.learning.vectors.cooccurrence.cooccurrence_vectors`.
    """
    texts = paths_of(texts)
    require_apart([output], texts)
    found = cooccurrence_vectors(unlabelled(texts, model=model, format=format, jobs=jobs), size=size, least=least)
    return VectorsSummary(found.n_tokens, write_vectors(found.words, found.values, output))
