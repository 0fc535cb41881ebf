"""The second-order model: scores for arcs, siblings and grandparents (Carreras 2007; Koo & Collins 2010).

A first-order model prunes the arcs: every word keeps its few best heads, and its head in the best first-order tree. So
the number of parts is linear in the length of the sentence, and there is always a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Ints, kernel, leaf
from treevote.models.parsers.graph.arc_labels import label_candidates
from treevote.models.parsers.graph.features import (
    MAX_FEATURES,
    Places,
    fire_arc,
    variants_of_arc,
    variants_of_grandparent,
    variants_of_sibling,
)
from treevote.models.parsers.graph.first_order import WeightTable, score_features
from treevote.models.parsers.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.parsers.graph.hill_climbing import improve
from treevote.models.parsers.graph.koo_collins import decode
from treevote.models.parsers.graph.part_features import (
    PartKeys,
    TemplateTables,
    fire_grandparent,
    fire_part,
    fire_sibling,
    keys_of,
)
from treevote.models.parsers.graph.parts import Parts, ScoredParts, find_parts, is_certain, n_parts, parts_of
from treevote.models.parsers.graph.pruning import Masks, Pruner, mask_of, prune_all
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import GRANDPARENT_ROLES, SIBLING_ROLES, compile_arcs, compile_pairs
from treevote.models.parsers.graph.update import AveragedWeights, SparseVector, UpdateRule, extend, update
from treevote.models.parsers.labelling.labeller import Labeller
from treevote.store.record import Record

KIND = "second-order-model"


class SecondOrderModel(NamedTuple):
    """Templates, as text and compiled, and their weights."""

    arcs: tuple[str, ...]
    siblings: tuple[str, ...]
    grandparents: tuple[str, ...]
    tables: TemplateTables
    weights: HashedWeights

    @classmethod
    def untrained(cls, arcs: Sequence[str], siblings: Sequence[str], grandparents: Sequence[str]) -> SecondOrderModel:
        """Return a model without weights; raises as `treevote.models.parsers.graph.templates.compile_arcs`."""
        tables = TemplateTables(
            compile_arcs(arcs), compile_pairs(siblings, SIBLING_ROLES), compile_pairs(grandparents, GRANDPARENT_ROLES)
        )
        return cls(tuple(arcs), tuple(siblings), tuple(grandparents), tables, NO_WEIGHTS)

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
        templates = {"arcs": self.arcs, "siblings": self.siblings, "grandparents": self.grandparents}
        return self.weights.record(KIND, templates)

    @classmethod
    def from_record(cls, record: Record) -> SecondOrderModel:
        """Make the model of a record; raises as `treevote.store.validation.rebuild` expects."""
        texts = record.texts
        model = cls.untrained(texts["arcs"], texts["siblings"], texts["grandparents"])
        return model._replace(weights=HashedWeights.from_record(record, KIND))


@kernel
def ends_of(parts: Parts, kind: int, arc: int, part: int) -> tuple[int, int, int]:
    """Return head and dependent of an arc, and the third word of one of its parts, -1 for none."""
    h, d = int(np.int64(parts.candidates.heads[arc])), int(np.int64(parts.candidates.dependents[arc]))
    other = int(np.int64(-1))
    if kind == 1 and parts.siblings.partners[part] >= 0:
        other = int(parts.candidates.dependents[parts.siblings.partners[part]])
    elif kind == 2 and parts.grandparents.partners[part] >= 0:
        other = int(parts.candidates.heads[parts.grandparents.partners[part]])
    return h, d, other


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


@kernel
def learn(
    averaged: AveragedWeights,
    rule: UpdateRule,
    tables: TemplateTables,
    sentences: Sentences,
    masks: Masks,
    i: int,
    found: Ints,
    progress: float,
) -> None:
    """Update the weights by the gold tree of sentence ``i`` and the one in ``found``, if they differ."""
    first, last = sentences.offsets[i], sentences.offsets[i + 1]
    mistakes, used = (found[first + 1 : last] != sentences.heads[first + 1 : last]).sum(), 0
    if mistakes == 0:
        return
    mask = mask_of(masks, i)
    parts, keys = parts_of(mask), keys_of(tables, sentences.tokens[first:last], sentences.words, mask)
    places = np.empty(MAX_FEATURES, np.uint32)
    difference = SparseVector(np.empty(1 << 12, np.int64), np.empty(1 << 12, np.float32))
    right, wrong = find_parts(parts, sentences.heads[first:last]), find_parts(parts, found[first:last])
    for sign in (1.0, -1.0):
        own, other = (right, wrong) if sign > 0 else (wrong, right)
        for d in range(1, last - first):
            for kind in range(3):
                if own[d, kind] != other[d, kind]:
                    ends = ends_of(parts, kind, own[d, 0], own[d, kind])
                    count, variants = fire_part(tables, keys, averaged.bits, kind, ends, places)
                    difference, used = extend(difference, used, places, count, variants, sign)
    update(rule, averaged, difference, used, mistakes, progress)
