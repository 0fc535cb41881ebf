"""Attributes of a pair of words in rules: those of the two words, and of the words around and below them.

A feature is a place, an attribute and a value, such as ``left.upos=DET``. Places:

- ``left``, ``right``: the two words;
- ``left-1``, ``left+1``, ``right-1``, ``right+1``, and so on up to ``context``: their neighbours in the sentence, those
  between the two only as far as the other word;
- ``left.ldep``, ``left.rdep``, ``left.head``, and the same of ``right``: their leftmost dependent, rightmost dependent
  and head in the linkage, if already found;
- ``before``, ``after``: the nearest words without a head on either side of the trees of the two.

Every parser has these attributes besides its own: ``deprel``, the label of the link to the head of a word; ``no
place`` for an empty place; ``distance`` of the two words; and ``between.upos``, the tags of the words between them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError, require_known
from treevote.kernels import Ints, Longs, leaf
from treevote.models.learning.features.atoms import bin_distance
from treevote.models.learning.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.learning.features.lexicon import Lexicon, WordColumns
from treevote.models.parsers.decision_list.linkage import Linkage
from treevote.models.parsers.given_arcs import NOTHING, GivenArcs

ATTRIBUTES = ("form", "lemma", "upos", "xpos", "feats", "suffix", "shape")
"""Attributes of words. ``feats`` are the single values of FEATS, ``suffix`` stands for suffixes of several lengths."""

LINKED = ("left", "right", "left.ldep", "left.rdep", "left.head", "right.ldep", "right.rdep", "right.head")
DISTANCES = ("1", "2", "3", "4", "5-6", "7-10", "11 or more")
FAR = 10  # largest distance of the sixth bin

COLUMN, FEATS, DEPREL, ABSENT, DISTANCE, BETWEEN = range(6)
UPOS = COLUMNS.index("upos")


class AttributeTable(NamedTuple):
    """Compiled attributes; the numbers of features are below ``n_features``."""

    rows: Ints  # shape (n_rows, 4): place, kind, column of the lexicon or 0, number of the value 0; these ascend
    context: int  # neighbours on either side
    n_places: int
    n_features: int
    n_between: int  # possible tags of the words between two words


class Text(NamedTuple):
    """Encoded sentences and the features of their pairs."""

    tokens: Ints  # shape (n_slots,): row of each token in ``words``
    offsets: Longs  # shape (n_sentences + 1,): slot of ROOT of each sentence, and the number of slots
    words: WordColumns
    table: AttributeTable
    single_root: bool
    given: GivenArcs = NOTHING


def check_attributes(attributes: Sequence[str]) -> None:
    """Raise ConfigError unless these are different attributes, at least one."""
    for attribute in attributes:
        require_known("attribute", attribute, ATTRIBUTES)
    if not attributes or len(set(attributes)) < len(attributes):
        raise ConfigError(f"attributes should be one or more, each once, found {list(attributes)}")


def places_of(context: int) -> list[str]:
    """Return the names of all places, such as ``left``, ``before`` and ``right+1``."""
    near = [f"{word}{sign}{k}" for word in ("left", "right") for sign in "-+" for k in range(1, context + 1)]
    return [*LINKED, "before", "after", *near]


def compile_attributes(
    attributes: Sequence[str], suffixes: int, context: int, lexicon: Lexicon, n_labels: int
) -> AttributeTable:
    """Give numbers to all features, for suffixes of up to ``suffixes`` characters and ``context`` neighbours a side."""
    sizes = {column: len(values) + 1 for column, values in zip(COLUMNS, lexicon.values, strict=True)}
    rows: list[tuple[int, int, int, int]] = []  # place, kind, column of the lexicon, number of values
    places = places_of(context)
    for place, name in enumerate(places):
        for attribute in attributes:
            if attribute == "feats":
                rows.append((place, FEATS, 0, len(lexicon.feats) + 1))
            else:
                columns = [f"suffix{k}" for k in range(1, suffixes + 1)] if attribute == "suffix" else [attribute]
                rows += [(place, COLUMN, COLUMNS.index(column), sizes[column]) for column in columns]
        if name in LINKED:
            rows.append((place, DEPREL, 0, n_labels))
        rows.append((place, ABSENT, 0, 1))
    rows += [(0, DISTANCE, 0, len(DISTANCES)), (0, BETWEEN, UPOS, sizes["upos"])]
    *offsets, n_features = itertools.accumulate((size for *_, size in rows), initial=0)
    numbered = [(*row[:3], offset) for row, offset in zip(rows, offsets, strict=True)]
    return AttributeTable(np.array(numbered, np.int32), context, len(places), n_features, sizes["upos"])


def feature_name(feature: int, table: AttributeTable, lexicon: Lexicon, labels: tuple[str, ...]) -> str:
    """Return a feature as text: place, attribute and value, such as ``left.upos=DET`` or ``no left``."""
    place, kind, column, offset = table.rows[np.searchsorted(table.rows[:, 3], feature, side="right") - 1].tolist()
    name, number = places_of(table.context)[place], feature - offset
    if kind == COLUMN:
        return f"{name}.{COLUMNS[column]}={lexicon.values[column][number - 1]}"
    if kind == FEATS:
        return f"{name}.feats={lexicon.feats[number - 1]}"
    if kind == DEPREL:
        return f"{name}.deprel={labels[number]}"
    if kind == ABSENT:
        return f"no {name}"
    return f"distance={DISTANCES[number]}" if kind == DISTANCE else f"between.upos={lexicon.values[UPOS][number - 1]}"


@leaf
def room_for_features(table: AttributeTable, words: WordColumns) -> int:
    """Return the maximum number of features of a pair."""
    most = 0
    for word in range(len(words.values)):
        most = max(most, words.feats_offsets[word + 1] - words.feats_offsets[word])
    return len(table.rows) * (1 + most) + table.n_between


@leaf
def locate(here: Linkage, left: int, right: int, before: int, after: int, context: int, positions: Ints) -> None:
    """Write the positions of all places, in the order of ``places_of``, -1 for an empty place."""
    positions[0], positions[1] = left, right
    positions[2], positions[3], positions[4] = here.ldep[left], here.rdep[left], here.heads[left]
    positions[5], positions[6], positions[7] = here.ldep[right], here.rdep[right], here.heads[right]
    positions[8], positions[9] = before, after
    for k in range(1, context + 1):
        at = 9 + k
        positions[at] = left - k if left >= k else -1
        positions[at + context] = left + k if left + k < right else -1
        positions[at + 2 * context] = right - k if right - k > left else -1
        positions[at + 3 * context] = right + k if right + k < len(here.heads) else -1


@leaf
def describe(
    here: Linkage,
    tokens: Ints,
    text: Text,
    left: int,
    right: int,
    before: int,
    after: int,
    places: Ints,
    features: Ints,
) -> int:
    """Write the features of a pair of words of a sentence, and return their number.

    ``tokens`` are those of the sentence, ``before`` and ``after`` the roots around their trees; ``places``, shape
    (table.n_places,), is a scratch array. ``features`` has the shape (room_for_features(table, words),). A feature can
    occur twice if a value occurs twice in FEATS.
    """
    words, table = text.words, text.table
    locate(here, left, right, before, after, table.context, places)
    n = 0
    for row in range(len(table.rows)):
        place, kind, column, offset = table.rows[row]
        position = places[place]
        if kind == ABSENT:
            if position < 0:
                features[n] = offset
                n += 1
        elif position < 0:
            continue
        elif kind == COLUMN:
            number = words.values[tokens[position], column]
            if number > 0:
                features[n] = offset + number
                n += 1
        elif kind == FEATS:
            word = tokens[position]
            for k in range(words.feats_offsets[word], words.feats_offsets[word + 1]):
                features[n] = offset + words.feats[k]
                n += 1
        elif kind == DEPREL:
            if here.classes[position] > 0:
                features[n] = offset + (here.classes[position] - 1) // 2
                n += 1
        elif kind == DISTANCE:
            features[n] = offset + bin_distance(places[1] - places[0], FAR) - 1
            n += 1
        else:
            first = n
            for between in range(places[0] + 1, places[1]):
                feature = offset + words.values[tokens[between], column]
                known = feature == offset
                for k in range(first, n):
                    known = known or features[k] == feature
                if not known:
                    features[n] = feature
                    n += 1
    return n
