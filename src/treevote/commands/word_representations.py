"""``treevote clusters``, ``treevote vectors``: clusters of words, and word vectors, from text without trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import AnyFormat, TextChunk
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import load
from treevote.ensemble.streaming import any_file_chunks, size
from treevote.errors import InputError, warn
from treevote.files.encodings import not_utf8
from treevote.files.streams import require_apart, require_writable
from treevote.models.learning.clusters.files import write_clusters
from treevote.models.learning.clusters.induction import induce
from treevote.models.learning.vectors.cooccurrence import cooccurrence_vectors
from treevote.models.learning.vectors.files import write_vectors
from treevote.parallel import Jobs


def make_clusters(
    sentences: Iterable[Treebank], output: str | os.PathLike[str], *, n_classes: int, least: int, jobs: Jobs
) -> tuple[int, int, int]:
    """Make clusters of words, and write them: path, word and count, separated by tabs.

    Return the numbers of tokens of the text, of words with a cluster, and of clusters. For those of classes and of
    occurrences see `treevote.models.learning.clusters.induction.induce`.
    """
    clusters, counts, n_tokens = induce(sentences, n_classes=n_classes, least=least, progress=jobs.progress)
    return n_tokens, write_clusters(clusters, counts, output), len(set(clusters.paths))


def make_vectors(
    sentences: Iterable[Treebank], output: str | os.PathLike[str], *, size: int, least: int
) -> tuple[int, int]:
    """Make vectors of words, and write them as text of word2vec; return the numbers of tokens and of words.

    For the numbers of dimensions and of occurrences see
    `treevote.models.learning.vectors.cooccurrence.cooccurrence_vectors`.
    """
    words, values, n_tokens = cooccurrence_vectors(sentences, size=size, least=least)
    return n_tokens, write_vectors(words, values, output)


def unlabelled(
    texts: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    model: str | Path | None,
    format: AnyFormat,
    jobs: Jobs,
) -> Iterator[Treebank]:
    """Yield the sentences of texts in parts, without their trees; the output must be none of the texts.

    InputError if they are running text, and there is no model with a tokenizer.
    """
    require_apart([output], texts)
    require_writable([output])
    annotator = None if model is None else load(model).annotator
    total, doubtful = size(texts), set[str]()
    for chunk, _, bytes_read in any_file_chunks(texts, format=format):
        if isinstance(chunk, TextChunk):
            if annotator is None:
                remedy = "name a model with a tokenizer by --model, or split the text into tokens first"
                raise InputError("expected CoNLL-U, found running text", path=chunk.path, remedy=remedy)
            if chunk.path not in doubtful and (reason := not_utf8(chunk.text, chunk.first_line)):
                doubtful.add(chunk.path)
                warn(f"{chunk.path}: {reason}")
            yield annotator.tokenized(chunk)
        else:
            yield parse_chunk(chunk, trees="ignored")[0]
        jobs.tell("words", bytes_read, total)
