"""The second-order model: scores for arcs, siblings and grandparents (Carreras 2007; Koo & Collins 2010).

A first-order model prunes the arcs: every word keeps its few best heads, and its head in the best first-order tree. So
the number of parts is linear in the length of the sentence, and there is always a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Ints, Keys, Shorts, kernel, leaf
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.parsers.graph.arc_labels import label_candidates
from treevote.models.parsers.graph.features import (
    MAX_FEATURES,
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
from treevote.models.parsers.graph.first_order import WeightTable, score_features
from treevote.models.parsers.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.parsers.graph.hill_climbing import improve
from treevote.models.parsers.graph.koo_collins import decode
from treevote.models.parsers.graph.parts import Parts, ScoredParts, is_certain, n_parts, parts_of
from treevote.models.parsers.graph.pruning import Masks, Pruner, mask_of, prune_all
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import TemplateTables
from treevote.models.parsers.labelling.labeller import Labeller
from treevote.store.record import Record

KIND = "second-order-model"


class SecondOrderModel(NamedTuple):
    """Templates, as text and compiled, and their weights."""

    templates: dict[str, tuple[str, ...]]  # those of arcs, siblings and grandparents
    tables: TemplateTables
    weights: HashedWeights

    @classmethod
    def untrained(cls, arcs: Sequence[str], siblings: Sequence[str], grandparents: Sequence[str]) -> SecondOrderModel:
        """Return a model without weights; raises as `treevote.models.parsers.graph.templates.compile_arcs`."""
        templates = {"arcs": tuple(arcs), "siblings": tuple(siblings), "grandparents": tuple(grandparents)}
        return cls(templates, TemplateTables.of(**templates), NO_WEIGHTS)

    def parse(
        self, pruner: Pruner, arc_labeller: Labeller | None, sentences: Sentences, proposals: Sequence[Ints] = ()
    ) -> None:
        """Write the heads of every sentence; those that are there before, and not -1, are given by projective arcs.

        Of ``proposals``, heads of other parsers, no arc is pruned but those that differ from a given one.
        """
        scorer = Scorer(self.weights.table, self.weights.bits, self.tables)
        proposed, end = [np.where(sentences.heads < 0, heads, -1) for heads in proposals], 0
        for batch in sentences.batches():
            masks, start, end = Masks.empty(batch.offsets), end, end + len(batch.tokens)
            prune_all(pruner, batch, masks)
            for heads in proposed:
                masks.allow(heads[start:end], batch.offsets)
            if arc_labeller is not None:
                label_candidates(arc_labeller, batch, masks.allowed)
            find_trees(scorer, batch, masks, 0, len(batch.offsets) - 1, 0.0, batch.heads)

    def record(self) -> Record:
        """Return the model as data."""
        return self.weights.record(KIND, self.templates)

    @classmethod
    def from_record(cls, record: Record) -> SecondOrderModel:
        """Make the model of a record; raises as `treevote.store.validation.rebuild` expects."""
        texts = record.texts
        model = cls.untrained(texts["arcs"], texts["siblings"], texts["grandparents"])
        return model._replace(weights=HashedWeights.from_record(record, KIND))


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


class Scorer(NamedTuple):
    """Weights, rounded or in training, their binary logarithm, and the templates of their features."""

    weights: WeightTable
    bits: int
    tables: TemplateTables


@kernel
def score_parts(scorer: Scorer, keys: PartKeys, parts: Parts, projective: bool) -> ScoredParts:
    """Score the parts of a sentence; the score is 0 for those that all trees have, or none, or no projective one."""
    candidates, siblings, grandparents = parts
    places = np.empty(MAX_FEATURES, np.uint32)
    arc_scores = np.zeros(len(candidates.heads), np.float32)
    sibling_scores = np.zeros(len(siblings.partners), np.float32)
    grandparent_scores = np.zeros(len(grandparents.partners), np.float32)
    scored = ScoredParts(candidates, siblings, grandparents, arc_scores, sibling_scores, grandparent_scores)
    write_scores(scorer, keys, projective, places, scored)
    return scored


@leaf
def write_scores(scorer: Scorer, keys: PartKeys, projective: bool, places: Places, scored: ScoredParts) -> None:
    """Write scores as `score_parts` into arrays of 0; ``places`` has the shape (MAX_FEATURES,)."""
    weights, bits, tables = scorer
    candidates, siblings, grandparents, arc_scores, sibling_scores, grandparent_scores = scored
    heads, dependents, splits = candidates.heads, candidates.dependents, tables.arcs.splits
    beside, above = tables.siblings.n_labelled, tables.grandparents.n_labelled
    for arc in range(len(heads)):  # positions have 64 bits: numba compiles the kernels in here for each width
        h, d, certain = int(np.int64(heads[arc])), int(np.int64(dependents[arc])), is_certain(candidates, arc)
        if not certain:
            count = fire_arc(keys.arcs, splits, bits, h, d, places)
            arc_scores[arc] = score_features(weights, places, count, variants_of_arc(h, d))
        begin, end = siblings.first[arc], siblings.first[arc + 1]
        for i in range(end - begin):  # from the partner next to the dependent to that next to the head, and none
            part = begin if begin + i + 1 == end else (end - 1 - i if h < d else begin + 1 + i)
            partner = siblings.partners[part]
            last = partner < 0 or is_certain(candidates, int(partner))  # it hides those nearer to the head
            if i == 0 and last and certain:
                break
            s = int(np.int64(dependents[partner] if partner >= 0 else -1))
            count = fire_sibling(keys, beside, bits, h, s, d, places)
            sibling_scores[part] = score_features(weights, places, count, variants_of_sibling(h, s, d))
            if last:
                break
        begin, end = grandparents.first[arc], grandparents.first[arc + 1]
        for part in range(end if certain and end == begin + 1 else begin, end):
            partner = grandparents.partners[part]
            g = int(np.int64(heads[partner] if partner >= 0 else -1))
            if g != d and not (projective and (h < g < d or d < g < h)):
                count = fire_grandparent(keys, above, bits, g, h, d, places)
                grandparent_scores[part] = score_features(weights, places, count, variants_of_grandparent(g, h, d))


@kernel
def score_sentences(scorer: Scorer, sentences: Sentences, masks: Masks, begin: int, end: int) -> Floats:
    """Return scores as `score_parts` of sentences ``begin`` to ``end``: of each its arcs, siblings, grandparents."""
    size = 0
    for i in range(begin, end):
        size += n_parts(parts_of(mask_of(masks, i)))
    scores, at = np.zeros(size, np.float32), 0
    for i in range(begin, end):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        mask, tokens = mask_of(masks, i), sentences.tokens[first:last]
        parts = parts_of(mask)
        if len(parts.candidates.heads) == len(tokens) - 1:  # there is one tree
            at += n_parts(parts)
            continue
        keys = keys_of(scorer.tables, tokens, sentences.words, mask)
        scored = score_parts(scorer, keys, parts, sentences.projective)
        for own in (scored.arc_scores, scored.sibling_scores, scored.grandparent_scores):
            scores[at : at + len(own)] = own
            at += len(own)
    return scores


@kernel
def decode_sentences(
    sentences: Sentences, masks: Masks, scores: Floats, begin: int, end: int, cost: float, found: Ints
) -> None:
    """Write the best trees of sentences ``begin`` to ``end``; parameters as for `find_trees`."""
    at = 0
    for i in range(begin, end):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        candidates, siblings, grandparents = parts_of(mask_of(masks, i))
        to_arc = at + len(candidates.heads)
        to_sibling = to_arc + len(siblings.partners)
        to_grandparent = to_sibling + len(grandparents.partners)
        of_arcs, of_siblings = scores[at:to_arc], scores[to_arc:to_sibling]
        of_grandparents = scores[to_sibling:to_grandparent]
        scored = ScoredParts(candidates, siblings, grandparents, of_arcs, of_siblings, of_grandparents)
        if cost > 0:
            for arc in range(len(candidates.heads)):
                if sentences.heads[first + candidates.dependents[arc]] != candidates.heads[arc]:
                    of_arcs[arc] += np.float32(cost)
        decode(scored, sentences.single_root, found[first:last])
        if not sentences.projective:
            improve(scored, sentences.single_root, found[first:last])
        at = to_grandparent


def find_trees(
    scorer: Scorer, sentences: Sentences, masks: Masks, begin: int, end: int, cost: float, found: Ints
) -> None:
    """Write the best projective trees of sentences ``begin`` to ``end``, or local optima of hill climbs from there.

    Arcs that are not in ``sentences.heads`` score ``cost`` more (cost-augmented decoding). A sentence whose
    candidate arcs hold no projective tree keeps the heads in ``found``.
    """
    scores = score_sentences(scorer, sentences, masks, begin, end)
    decode_sentences(sentences, masks, scores, begin, end, cost, found)
