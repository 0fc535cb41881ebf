"""Features of the parts of a sentence: the keys of its words in every role, and the likely labels of its arcs."""

from __future__ import annotations

from typing import NamedTuple

from treevote.kernels import Ints, Keys, Shorts, kernel, leaf
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.parsers.graph.features import (
    ArcKeys,
    Places,
    Variants,
    arc_keys,
    fire_arc,
    fire_pair,
    variants_of_arc,
    variants_of_grandparent,
    variants_of_sibling,
    word_keys,
)
from treevote.models.parsers.graph.templates import ArcTable, PairTable


class TemplateTables(NamedTuple):
    """Compiled templates of a second-order model."""

    arcs: ArcTable
    siblings: PairTable
    grandparents: PairTable


class PartKeys(NamedTuple):
    """Keys of the words of a sentence in every role of every kind of part, and the likely labels of its arcs."""

    arcs: ArcKeys
    siblings: Keys
    grandparents: Keys
    labels: Shorts  # shape (n + 1, n + 1), as in `treevote.models.parsers.graph.pruning.Masks`


@kernel
def keys_of(tables: TemplateTables, tokens: Ints, words: WordColumns, labels: Shorts) -> PartKeys:
    """Hash the words of a sentence in every role of every kind of part."""
    return PartKeys(
        arc_keys(tables.arcs, tokens, words),
        word_keys(tables.siblings.columns, tokens, words),
        word_keys(tables.grandparents.columns, tokens, words),
        labels,
    )


@leaf
def fire_sibling(keys: PartKeys, n_labelled: int, bits: int, h: int, s: int, d: int, places: Places) -> int:
    """Write the places of the features of a sibling part, and return their number; ``s`` is -1 for none."""
    row = s if s >= 0 else len(keys.siblings) - 1  # the last row is that of a missing word
    other = int(keys.labels[s, h]) if s >= 0 else 0
    return fire_pair(keys.siblings, n_labelled, bits, h, row, d, int(keys.labels[d, h]), other, places)


@leaf
def fire_grandparent(keys: PartKeys, n_labelled: int, bits: int, g: int, h: int, d: int, places: Places) -> int:
    """Write the places of the features of a grandparent part, and return their number; ``g`` is -1 for none."""
    row = g if g >= 0 else len(keys.grandparents) - 1
    other = int(keys.labels[h, g]) if g >= 0 else 0
    return fire_pair(keys.grandparents, n_labelled, bits, row, h, d, int(keys.labels[d, h]), other, places)


@leaf
def fire_part(
    tables: TemplateTables, keys: PartKeys, bits: int, kind: int, ends: tuple[int, int, int], places: Places
) -> tuple[int, Variants]:
    """Write the places of the features of an arc (0), sibling (1) or grandparent (2); return number and variants.

    ``ends`` are the head, the dependent and the third word, -1 for none.
    """
    h, d, other = ends
    if kind == 0:
        return fire_arc(keys.arcs, tables.arcs.splits, bits, h, d, places), variants_of_arc(h, d)
    if kind == 1:
        count = fire_sibling(keys, tables.siblings.n_labelled, bits, h, other, d, places)
        return count, variants_of_sibling(h, other, d)
    count = fire_grandparent(keys, tables.grandparents.n_labelled, bits, other, h, d, places)
    return count, variants_of_grandparent(other, h, d)
