r"""Files of clusters: Brown's ``paths``, and word vectors in the text format of word2vec.

A line of ``paths`` is a path, a word and how often it occurs, separated by tabs. Vectors become clusters
(`clusters.vectors`). Of a word that occurs twice the first line counts. A byte order mark is no part of
the first line, and bytes that are not UTF-8 are read as U+FFFD: no word of a treebank has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from treevote.errors import InputError
from treevote.files.streams import opened, writing
from treevote.kernels import Floats, Longs
from treevote.models.learning.clusters.clusters import Clusters, is_path

MAX_WORDS = 1_000_000
MAX_DIMENSIONS = 2_000
MAX_LINE = 1 << 16  # bytes
MAX_DIGITS = 9  # of a number of words or dimensions

Line = tuple[int, str]  # its number, from 1, and the line without its end


def write_clusters(clusters: Clusters, counts: Longs, path: str | os.PathLike[str]) -> None:
    """Write words with paths and counts, in their order; the file is written whole or not at all."""
    with writing(path) as stream:
        for word, own, count in zip(clusters.words, clusters.paths, counts.tolist(), strict=True):
            stream.write(f"{own}\t{word}\t{count}\n".encode())


def read_clusters(path: str | os.PathLike[str], *, n_classes: int = 128) -> Clusters:
    """Read clusters (``paths``), or word vectors, with or without the first line of word2vec, compressed or not.

    Vectors are divided into ``n_classes``. InputError if the file cannot be read or has a fault.
    """
    with opened(path) as (stream, name, _):
        lines = _lines(iter(lambda: stream.readline(MAX_LINE + 1), b""), name)
        front = list(islice(lines, 1))
        if not front:
            raise InputError("expected clusters or word vectors, found nothing", path=name, remedy="give another file")
        if "\t" in front[0][1] and is_path(front[0][1].split("\t")[0]):
            return _read_paths(chain(front, lines), name)
        words, vectors = _read_vectors(chain(front, lines), name)
    from treevote.models.learning.clusters.vectors import cluster_vectors

    return cluster_vectors(words, vectors, n_classes=n_classes)


def _lines(stream: Iterator[bytes], name: str) -> Iterator[Line]:
    for number, raw in enumerate(stream, 1):
        if len(raw) > MAX_LINE:
            problem = f"expected a line of at most {MAX_LINE:,} bytes, found a longer one"
            raise InputError(problem, path=name, line=number, remedy="give clusters or word vectors")
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace").rstrip("\r\n")
        if line:
            yield number, line


def _read_paths(lines: Iterator[Line], name: str) -> Clusters:
    paths: dict[str, str] = {}
    shared: dict[str, str] = {}
    for number, line in lines:
        path, *rest = line.split("\t")
        if not rest or not rest[0] or not is_path(path):
            problem = f"expected a path of zeros and ones, a tab and a word, found '{line[:40]}'"
            raise InputError(problem, path=name, line=number, remedy="correct the line")
        paths.setdefault(rest[0], shared.setdefault(path, path))
        _require_few(len(paths), name, number)
    return Clusters(tuple(paths), tuple(paths.values()))


def _read_vectors(lines: Iterator[Line], name: str) -> tuple[Sequence[str], Floats]:
    words: dict[str, int] = {}
    rows: list[Floats] = []
    size: int | None = None
    for number, line in lines:
        word, *values = line.rstrip(" ").split(" ")
        if number == 1 and len(values) == 1 and all(n.isdecimal() and len(n) <= MAX_DIGITS for n in (word, *values)):
            size = int(values[0])  # the number of words, and of the values of each
            continue
        size = len(values) if size is None else size
        try:
            row = np.array(values, np.float64)
        except ValueError:
            row = np.array([np.nan])
        if len(row) != size or not 0 < size <= MAX_DIMENSIONS or not (np.abs(row) <= 1e30).all():
            numbers = f"{size} numbers" if number > 1 else "numbers"
            problem = f"expected a path, a tab and a word; or a word and {numbers}; found '{line[:40]}'"
            raise InputError(problem, path=name, line=number, remedy="give clusters or word vectors")
        if word and word not in words:
            words[word] = len(words)
            rows.append(row.astype(np.float32))
        _require_few(len(words), name, number)
    if not rows:
        raise InputError("expected word vectors, found none", path=name, remedy="give another file")
    return tuple(words), np.array(rows, np.float32)


def _require_few(n_words: int, name: str, line: int) -> None:
    if n_words > MAX_WORDS:
        problem = f"expected at most {MAX_WORDS:,} words, found more"
        raise InputError(problem, path=name, line=line, remedy="keep the most frequent words")
