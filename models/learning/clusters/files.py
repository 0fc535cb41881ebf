"""Files of clusters: Brown's ``paths``, and word vectors in the formats of `treevote.models.learning.vectors.files`.

A line of ``paths`` is a path, a word and how often it occurs, separated by tabs. Vectors become clusters
(`treevote.models.learning.clusters.induction`). Of a word that occurs twice the first line counts. A byte order mark is
no part of the first line, and bytes that are not UTF-8 are read as U+FFFD: no word of a treebank has them.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable
from itertools import chain

import numpy as np

from treevote.errors import InputError
from treevote.files.streams import opened, writing
from treevote.kernels import Longs
from treevote.models.learning.clusters.clusters import Clusters, is_path
from treevote.models.learning.clusters.induction import cluster_vectors
from treevote.models.learning.vectors.files import LONGEST_LINE, LONGEST_WORD, first_of, lines_of, vectors_of

MAX_WORDS = 1_000_000  # words that a file may have; of word vectors the first ones are read


def write_clusters(clusters: Clusters, counts: Longs, path: str | os.PathLike[str]) -> int:
    """Write words with paths and counts, in their order; return the number of words.

    Words of more than ``LONGEST_WORD`` bytes are left out. The file is written whole, or not at all.
    """
    rows = zip(clusters.words, clusters.paths, counts.tolist(), strict=True)
    kept = [row for row in rows if len(row[0].encode()) <= LONGEST_WORD]
    with writing(path) as stream:
        for word, own, count in kept:
            stream.write(f"{own}\t{word}\t{count}\n".encode())
    return len(kept)


def read_clusters(path: str | os.PathLike[str], *, n_classes: int = 128) -> Clusters:
    """Read clusters (``paths``), or word vectors, with or without the first line of word2vec, compressed or not.

    Vectors are divided into ``n_classes``. InputError if the file cannot be read or has a fault.
    """
    with opened(path) as (stream, name, _):
        lines = lines_of(stream)
        first = _, front = first_of(lines)
        if not front:
            raise InputError("expected clusters or word vectors, found nothing", path=name, remedy="give another file")
        lines = chain([first], lines)
        if is_path(front.removeprefix(codecs.BOM_UTF8).split(b"\t")[0].decode("utf-8", "replace")):
            return _read_paths(lines, name)
        vectors = vectors_of(lines, stream, name, most=MAX_WORDS)
    return cluster_vectors(vectors.words, vectors.values.astype(np.float32), n_classes=n_classes)


def _read_paths(lines: Iterable[tuple[int, bytes]], name: str) -> Clusters:
    """Return the clusters of lines with their numbers."""
    paths: dict[str, str] = {}
    shared: dict[str, str] = {}
    for number, raw in lines:
        line = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            continue
        path, *rest = line.split("\t")
        if len(raw) > LONGEST_LINE or not rest or not rest[0] or not is_path(path):
            problem = f"expected a path of zeros and ones, a tab and a word, found '{line[:40]}'"
            raise InputError(problem, path=name, line=number, remedy="correct the line")
        paths.setdefault(rest[0], shared.setdefault(path, path))
        if len(paths) > MAX_WORDS:
            problem = f"expected at most {MAX_WORDS:,} words, found more"
            raise InputError(problem, path=name, line=number, remedy="keep the most frequent words")
    return Clusters(tuple(paths), tuple(paths.values()))
