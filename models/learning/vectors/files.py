"""Files of word vectors: text and binary files of word2vec, ``.vec`` of fastText, GloVe; compressed or not.

A text file has a word and its numbers in each line, spaces or tabs between them, with or without a first line of two
numbers: those of words and of dimensions. A binary file has that line, and behind each word and a space 32-bit floats.
Words are sorted by frequency, so the first ones are kept, and of the others those that are asked for; the file is read
as a stream. Of a word that occurs twice the first vector counts. Bytes that are not UTF-8 are read as U+FFFD.
"""

from __future__ import annotations

import codecs
import itertools
import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO, TypeAlias

import numpy as np

from treevote.errors import InputError, warn
from treevote.files.streams import opened, writing
from treevote.kernels import Doubles, Floats
from treevote.models.learning.vectors.vectors import Halves, WordVectors
from treevote.terminal import plural

MOST_WORDS = 50_000  # words that are kept from the beginning of a file, in a treebank or not

MOST_DIMENSIONS = 2_000
LONGEST_LINE, LONGEST_WORD = 1 << 16, 1 << 12  # bytes; a longer word is not written
_BLOCK = 1 << 20
_ROWS = 1 << 12  # vectors of a block
_MOST_DIGITS = 18  # of the numbers in the first line
_LEAST = 1e-30  # of the root mean square: vectors of smaller numbers are as good as 0
_NUMBER = re.compile(rb"[-+]?[\d.]+(?:[eE][-+]?\d+)?|[-+]?(?i:nan|inf)")
_FRACTION = re.compile(rb"-?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|-?\d+[eE][+-]\d+")
_LARGEST = 1e4
"""Largest absolute value of a number, in units of the root mean square of lengths: half precision ends at 65,504."""

Lines: TypeAlias = Iterator[tuple[int, bytes]]


def read_vectors(path: str | os.PathLike[str], words: Collection[str] = (), *, most: int = MOST_WORDS) -> WordVectors:
    """Read the first ``most`` vectors of a file, and those of ``words``, as they are or in lower case.

    They are scaled: the root mean square of their lengths is 1, nearly that of the vectors that a network begins with.
    InputError if the file cannot be read or has a fault.
    """
    with opened(path) as (stream, name, _):
        return vectors_of(lines_of(stream), stream, name, words, most=most)


def lines_of(stream: BinaryIO) -> Lines:
    """Yield lines with their numbers, from 1; a longer one than ``LONGEST_LINE`` in parts."""
    return enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1)


def first_of(lines: Lines) -> tuple[int, bytes]:
    """Return the first line that is not white space, with its number; an empty one if there is none."""
    return next(((number, line) for number, line in lines if not line.isspace()), (1, b""))


def vectors_of(
    lines: Lines, stream: BinaryIO, name: str, words: Collection[str] = (), *, most: int = MOST_WORDS
) -> WordVectors:
    """Return the vectors of a stream, which the lines read; else as `read_vectors`."""
    asked = {*words, *(word.lower() for word in words)}
    found: dict[str, Floats] = {}
    for number, (word, values, at) in enumerate(_entries(lines, stream, name)):
        if word in found or not word or (number >= most and word not in asked):
            continue
        found[word] = _row(values, name, word, at)
    if not found:
        raise InputError("expected word vectors, found none", path=name, remedy="give another file")
    return WordVectors(tuple(found), _scaled(list(found.values())))


def _scaled(rows: Sequence[Floats]) -> Halves:
    """Return vectors in half precision, a block at a time, so that memory is that of the vectors."""
    blocks = [slice(begin, begin + _ROWS) for begin in range(0, len(rows), _ROWS)]
    squares = [np.sum(np.square(np.array(rows[own]), dtype=np.float64), axis=1) for own in blocks]
    scale = np.float32(max(float(np.sqrt(np.mean(np.concatenate(squares)))), _LEAST))
    scaled = np.empty((len(rows), len(rows[0])), np.float16)
    for own in blocks:
        scaled[own] = np.clip(np.array(rows[own]) / scale, -_LARGEST, _LARGEST)
    return scaled


def write_vectors(words: Sequence[str], values: Doubles, path: str | os.PathLike[str]) -> int:
    """Write words and their vectors, shape (n_words, size), as a text file of word2vec; return the number of words.

    Words with white space of ASCII in them, which the format cannot hold, are left out with a warning, words of more
    than ``LONGEST_WORD`` bytes without one; InputError if none is left. The file is written whole, or not at all.
    """
    bare = [word.encode() for word in words]
    kept = [row for row, word in enumerate(bare) if len(word.split()) == 1 and len(word) <= LONGEST_WORD]
    if not kept:
        problem = f"expected words without white space, of at most {LONGEST_WORD:,} bytes, found none"
        raise InputError(problem, remedy="give text with such words")
    if spaced := sum(len(word.split()) != 1 for word in bare):
        reason = "have white space in them, which a file of vectors cannot hold; they have no vector"
        warn(f"{spaced:,} of {plural(len(words), 'word')} {reason}")
    with writing(path) as stream:
        stream.write(f"{len(kept)} {values.shape[1]}\n".encode())
        for row in kept:
            stream.write(f"{words[row]} {' '.join(f'{value:.5g}' for value in values[row].tolist())}\n".encode())
    return len(kept)


def _row(values: Floats | list[bytes], name: str, word: str, line: int | None) -> Floats:
    try:
        row = np.array(values, np.float64)
    except ValueError:
        row = np.array([np.nan])
    if not (np.abs(row) <= 1e15).all():
        found = f"expected finite numbers for the word '{word[:40]}', found something else"
        remedy = "give word vectors of word2vec, fastText or GloVe"
        if line == 1 and not word.strip("01"):
            remedy = "word clusters, with a tab behind the path and behind the word, are for --word-clusters"
        raise InputError(found, path=name, line=line, remedy=remedy)
    return row.astype(np.float32)


def _entries(lines: Lines, stream: BinaryIO, name: str) -> Iterator[tuple[str, Floats | list[bytes], int | None]]:
    """Yield words, their values, as text or as numbers, and their lines, if any."""
    first = _, front = first_of(lines)
    if not front:
        return
    header, n_words, size = front.removeprefix(codecs.BOM_UTF8).split(), 0, len(front.split()) - 1
    has_header = len(header) == 2 and all(field.isdigit() and len(field) <= _MOST_DIGITS for field in header)
    if has_header:
        n_words, size = map(int, header)
        first = _, front = first_of(lines)
    if not 1 <= size <= MOST_DIMENSIONS:
        problem = f"expected word vectors of 1 to {MOST_DIMENSIONS:,} dimensions, found {size:,}"
        raise InputError(problem, path=name, remedy="give word vectors of word2vec, fastText or GloVe")
    if has_header and front and not _is_text(front, size):
        yield from _binary(front, stream, n_words, size, name)
        return
    n_found = 0
    for number, line in itertools.chain([first], lines):
        if line.strip():
            word, *values = line.rstrip().rsplit(None, size)
            if len(values) != size or _has_number(word):
                found = line[:40].decode("utf-8", "replace").rstrip()
                problem = f"expected a word and {plural(size, 'number')}, found '{found}'"
                raise InputError(problem, path=name, line=number, remedy="give word vectors")
            yield word.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"), values, number
            n_found += 1
    if n_found < n_words:
        problem = f"expected as many words as the first line says, {n_words:,}, found {n_found:,}"
        raise InputError(problem, path=name, remedy="give the whole file, or correct its first line")


def _has_number(word: bytes) -> bool:
    """Tell whether a word of several parts ends with a fraction: one of more numbers than were expected."""
    _, *parts = word.split()
    return bool(parts) and _FRACTION.fullmatch(parts[-1]) is not None


def _is_text(line: bytes, size: int) -> bool:
    """Tell whether a word has text behind it; numbers of a binary file have control characters and other bytes."""
    values = line.rstrip().rsplit(None, size)[1:]
    if not all(value.isascii() and value.decode().isprintable() for value in values):
        return False
    return (len(values) == size > 1) or (bool(values) and all(_NUMBER.fullmatch(value) for value in values))


def _binary(front: bytes, stream: BinaryIO, n_words: int, size: int, name: str) -> Iterator[tuple[str, Floats, None]]:
    """Yield words and numbers of a binary file, the first bytes of which were read."""
    begin = 0
    for number in range(n_words):
        while (space := front.find(b" ", begin)) < 0 or len(front) < space + 1 + 4 * size:
            more = stream.read(_BLOCK) if space >= 0 or len(front) - begin < LONGEST_WORD else b""
            if not more:
                problem = f"expected {n_words:,} words and {size} numbers for each, found {number:,} words"
                raise InputError(problem, path=name, remedy="give a whole file of word vectors")
            front, begin = front[begin:] + more, 0
        word = front[begin:space].lstrip(b"\n").decode("utf-8", "replace")
        if "\n" in word:
            found = f"expected a word of one line, found '{word[:40]}'"
            raise InputError(found, path=name, remedy="give a whole file of word vectors")
        yield word, np.frombuffer(front, "<f4", size, space + 1), None
        begin = space + 1 + 4 * size
