"""Likely labels of arcs before there is a tree, as features of siblings and grandparents.

The second stage labels the arcs of a tree (`labelling`). Before there is one, a small labeller gives
every arc that was not pruned a label by its words and their neighbours alone. So the parser learns that a verb has one
subject, that a determiner has no dependents, whatever the words are.
"""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Shorts, kernel
from treevote.models.learning.features.firing import scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.features.weights import Weights, best_class, score
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.labelling.features import Sentence, fire, max_features
from treevote.models.parsers.labelling.labeller import Labeller, train_labeller
from treevote.models.parsers.labelling.surroundings import LINKS
from treevote.parallel import Progress

_LINES = """
d.lower d.lemma d.upos d.xpos d.feats d.suffix3 d.suffix2 d.feat h.lemma h.upos h.xpos h.feats
distance d.upos+distance h.upos+distance d.upos+h.upos+distance
d.upos+h.upos d.lower+h.upos d.lemma+h.upos d.upos+h.lemma d.lemma+h.lemma d.xpos+h.xpos
d.feats+h.upos d.feats+h.feats d.feat+h.upos d.feats+h.lemma d.suffix3+h.upos
d.upos+h.upos+between d.upos+h.upos+agree d.prev.upos d.next.upos d.prev.lemma d.next.lemma
d.upos+h.upos+d.prev.upos d.upos+h.upos+d.next.upos d.upos+h.upos+h.prev.upos d.upos+h.upos+h.next.upos
"""
TEMPLATES = tuple(_LINES.split())
"""The words of an arc and their neighbours in the sentence: no step into the tree, no label of another arc."""

MOST = 32_767  # largest number of a label, from 1; labels behind it count as one


def train_arc_labeller(trees: Treebank, words: WordColumns, seed: int, *, progress: Progress | None = None) -> Labeller:
    """Learn to label arcs by their words, as `train_labeller`."""
    return train_labeller(trees, words, seed=seed, progress=progress, templates=TEMPLATES)


def label_candidates(labeller: Labeller, sentences: Sentences, allowed: Shorts) -> None:
    """Write the number of the likely label, from 1, of each arc that is not 0 in ``allowed``, as in `pruning.Masks`."""
    to_root, to_token, weights = labeller.to_root, labeller.to_token, labeller.guide.weights
    label_arcs(labeller.table, weights, to_root, to_token, sentences, allowed)


@kernel
def label_arcs(
    table: TemplateTable, weights: Weights, to_root: Bools, to_token: Bools, sentences: Sentences, allowed: Shorts
) -> None:
    """Write the labels of the arcs of all sentences, as `label_candidates`."""
    room, at, offsets = scratch(table), 0, sentences.offsets
    keys, rows = np.empty(max_features(table), np.uint64), np.empty(max_features(table), np.int64)
    scores = np.empty(len(weights.bias), np.int32)
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        n_slots = last - first
        heads, unknown = np.full(n_slots, -1, np.int32), np.full(n_slots, -1, np.int32)
        tokens, links = sentences.tokens[first:last], np.full((n_slots, len(LINKS)), -1, np.int32)
        own = Sentence(tokens, heads, unknown, links)
        for d in range(n_slots):
            for h in range(n_slots):
                if d > 0 and h != d and allowed[at] != 0:
                    heads[d] = h
                    score(weights, keys, fire(own, d, sentences.words, table, room, keys), rows, scores)
                    label = best_class(scores, to_root if h == 0 else to_token)
                    allowed[at] = min(label + 1, MOST)
                at += 1
