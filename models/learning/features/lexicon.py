"""The strings of the training data as numbers: the attributes of words for a parser.

Every attribute of a word has its own numbers, counted from 1 in order of first appearance in the training
data; ROOT has number 1 everywhere. 0 is a missing value (``_``) or a value that does not occur in training: it
fires no feature.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints
from treevote.models.learning.clusters.clusters import NONE, Clusters

ATTRIBUTES = (
    "form", "lemma", "upos", "xpos", "feats", "lower", "prefix2", "prefix3", "suffix1", "suffix2", "suffix3",
    "suffix4", "shape", "prefix1", "prefix5",
)  # fmt: skip
"""Attributes with one value for each word. ``lower`` is the form in lower case with every digit as 0."""

MAX_FEATS = 128  # maximum number of values of the split FEATS of a word; further values are left out


class WordColumns(NamedTuple):
    """Distinct words as numbers."""

    values: Ints  # shape (n_words, len(ATTRIBUTES))
    feats: Ints  # the split FEATS of all words, one word after the other, at most ``MAX_FEATS`` of each
    feats_attributes: Ints  # the number of the attribute of each of these values
    feats_offsets: Ints  # shape (n_words + 1,)


def attributes(word: Word) -> tuple[str, ...]:
    """Return the strings of all attributes of a word, in the order of ``ATTRIBUTES``; empty for a missing value.

    >>> attributes(Word("Rome's", "Rome", "PROPN", "_", "Number=Sing"))[:8]
    ("Rome's", 'Rome', 'PROPN', '', 'Number=Sing', "rome's", 'ro', 'rom')
    """
    form, lower = word.form, lowered(word.form)
    lemma, upos, feats = ("" if value == "_" else value for value in (word.lemma, word.upos, word.feats))
    xpos = "" if word.xpos in ("_", word.upos) else word.xpos
    suffixes = (lower[-n:] if len(lower) >= n else "" for n in range(1, 5))
    return (form, lemma, upos, xpos, feats, lower, lower[:2], lower[:3], *suffixes, shape(form), lower[:1], lower[:5])


def lowered(form: str) -> str:
    """Return a form in lower case with every digit as 0; a word is known if this is.

    >>> lowered("Level 42")
    'level 00'
    """
    lower = form.lower()
    return lower if lower.isalpha() else "".join("0" if c.isdigit() else c for c in lower)  # letters are no digits


def shape(form: str) -> str:
    """Return the shape of a form: upper-case ``X``, lower-case ``x``, digit ``0``, runs written once.

    >>> shape("McDonald's"), shape("2011-12"), shape("语言")
    ("XxXx'x", '0-0', 'o')
    """
    if form.isascii() and form.isalpha() and form.islower():
        return "x"
    kinds = (
        "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else "o" if c.isalpha() else c for c in form
    )
    return "".join(itertools.islice((kind for kind, _ in itertools.groupby(kinds)), 8))


_Numbered: TypeAlias = tuple[tuple[str, ...], dict[str, int]]

_known: ContextVar[dict[int, tuple[Sequence[str], _Numbered]] | None] = ContextVar("_known", default=None)


@contextmanager
def strings_shared() -> Iterator[None]:
    """Within the block, lexicons that are made of the same lists of strings share their memory.

    The lists, such as those of a `treevote.store.record.Record`, must not change until the end of the block.
    """
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def _numbered(strings: Sequence[str]) -> _Numbered:
    """Return strings, and the number of each, from 1."""
    known = _known.get()
    if known is None:
        known = {}
    if id(strings) not in known:  # the list must live as long as its address is a key
        known[id(strings)] = strings, (tuple(strings), {string: i for i, string in enumerate(strings, 1)})
    return known[id(strings)][1]


class Lexicon:
    """Numbers for the strings of a training set.

    ``values`` are the strings of each attribute; the string at index ``i`` has number ``i + 1``. ``feats`` are the
    values of split FEATS, likewise; the clusters of a word are further values of them.
    """

    def __init__(self, values: Sequence[Sequence[str]], feats: Sequence[str], clusters: Clusters = NONE) -> None:
        self.clusters = clusters
        *numbered, (self.feats, self._feat_numbers) = map(_numbered, (*values, feats))
        self.values = tuple(strings for strings, _ in numbered)
        self._numbers = tuple(numbers for _, numbers in numbered)
        names: dict[str, int] = {}
        self._feats_attributes = np.array(
            [0, *(names.setdefault(value.partition("=")[0], len(names)) for value in self.feats)], np.int32
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lexicon):
            return False
        return (self.values, self.feats, self.clusters) == (other.values, other.feats, other.clusters)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, treebank: Treebank, clusters: Clusters = NONE) -> Lexicon:
        """Give numbers to the strings of all words of a treebank."""
        return cls.of_words(treebank.words, clusters)

    @classmethod
    def of_words(cls, words: Iterable[Word], clusters: Clusters = NONE) -> Lexicon:
        """Give numbers to the strings of words."""
        numbers: tuple[dict[str, int], ...] = tuple({} for _ in ATTRIBUTES)
        feats: dict[str, int] = {}
        for word in words:
            for known, string in zip(numbers, attributes(word), strict=True):
                if string:
                    known.setdefault(string, len(known))
            for value in itertools.chain(split_feats(word.feats), clusters.feats(word.form)):
                feats.setdefault(value, len(feats))
        return cls([tuple(known) for known in numbers], tuple(feats), clusters)

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return the strings as the texts of a record: one for each of ``ATTRIBUTES``, ``feat``, and the clusters."""
        return dict(zip(ATTRIBUTES, self.values, strict=True)) | {"feat": self.feats} | self.clusters.texts()

    @classmethod
    def from_texts(cls, texts: Mapping[str, Sequence[str]]) -> Lexicon:
        """Make the lexicon of such texts; KeyError if one is missing, ValueError for clusters with a fault."""
        return cls([texts[name] for name in ATTRIBUTES], texts["feat"], Clusters.from_texts(texts))

    def columns(self, words: Sequence[Word]) -> WordColumns:
        """Return the numbers of words, ``words[0]`` being ROOT."""
        rows, offsets = [], [0]
        feats: list[int] = []
        known, known_feats = self._numbers, self._feat_numbers
        for word in words:
            strings = attributes(word)
            rows.append([numbers.get(string, 0) for numbers, string in zip(known, strings, strict=True)])
            values_of_feats = itertools.chain(split_feats(word.feats), self.clusters.feats(word.form))
            numbers_of_feats = (number for value in values_of_feats if (number := known_feats.get(value, 0)))
            feats.extend(itertools.islice(numbers_of_feats, MAX_FEATS))
            offsets.append(len(feats))
        values = np.array(rows, np.int32).reshape(-1, len(ATTRIBUTES))
        numbers = np.array(feats, np.int32)
        return WordColumns(values, numbers, self._feats_attributes[numbers], np.array(offsets, np.int32))


def split_feats(feats: str) -> list[str]:
    """Split FEATS into its values."""
    return [] if feats in ("_", "") else feats.split("|")
