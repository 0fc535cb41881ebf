"""Distinct words as numbers: attributes, values of FEATS, letters, and vectors that were learned elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.sentence import Word
from treevote.kernels import Floats, Ints, Longs
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns
from treevote.models.learning.vectors.vectors import WordVectors

WORDS = ("form", "lower", "lemma")
"""Attributes of many values: they have larger vectors, and rare ones are dropped more often."""

UNKNOWN, BEGIN, END = 0, 1, 2
"""Numbers of a letter outside the training data, and of the edges of a word; known letters follow."""

MOST_LETTERS = 40  # letters of a word from its beginning; further ones are left out
RARE = 2  # letters that occur in fewer distinct words are not known


class Words(NamedTuple):
    """Words as numbers, one row each; runs of word ``i`` are ``starts[i] : starts[i + 1]``."""

    attributes: Ints  # shape (n_words, n_attributes), 0 for an unknown or missing value
    feats: Ints
    feats_starts: Longs
    letters: Ints
    letters_starts: Longs
    vectors: Floats  # shape (n_words, size): those of a file, 0 for a word that it does not have


def attributes_of(names: Iterable[str], lexicon: Lexicon) -> Mapping[str, int]:
    """Return the attributes that occur in a lexicon, with the number of their values, the unknown one included."""
    counts: dict[str, int] = {name: len(own) for name, own in zip(ATTRIBUTES, lexicon.values, strict=True)}
    return {name: counts[name] + 1 for name in names if counts[name] > 1}


def letters_of(words: Sequence[Word]) -> tuple[str, ...]:
    """Return the letters that a parser trained on some words knows, in order of first appearance."""
    counts = Counter(letter for word in words for letter in dict.fromkeys(word.form))
    return tuple(letter for letter, count in counts.items() if count >= RARE)


def words_of(
    words: Sequence[Word],
    rows: Ints,
    columns: WordColumns,
    attributes: Sequence[str],
    letters: Sequence[str],
    vectors: WordVectors,
) -> Words:
    """Return words, whose rows in the columns are ``rows``, as numbers; ROOT has no letters."""
    chosen = columns.values[rows][:, [ATTRIBUTES.index(name) for name in attributes]]
    begins, ends = columns.feats_offsets[rows], columns.feats_offsets[rows + 1]
    feats_starts = np.append(0, np.cumsum(ends - begins, dtype=np.int64))
    feats = columns.feats[np.repeat(begins - feats_starts[:-1], ends - begins) + np.arange(feats_starts[-1])]
    numbers = {letter: number for number, letter in enumerate(letters, END + 1)}
    spelled: list[int] = []
    lengths = []
    for word, row in zip(words, rows.tolist(), strict=True):
        own = [BEGIN, *(numbers.get(letter, UNKNOWN) for letter in word.form[:MOST_LETTERS]), END] if row else []
        spelled += own
        lengths.append(len(own))
    letters_starts, found = np.append(0, np.cumsum(lengths, dtype=np.int64)), vectors.of([word.form for word in words])
    return Words(chosen, feats, feats_starts, np.array(spelled, np.int32), letters_starts, found)
