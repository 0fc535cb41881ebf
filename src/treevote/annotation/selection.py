"""The sentences to annotate next: many doubtful arcs, in words and structures that differ from each other.

Each word has a doubt: the probability that its arc or label is wrong. It is counted for its form, and for its arc (both
parts of speech, label, direction). The value of a set of sentences is the sum, over all forms and arcs, of the square
root of their doubt: the second sentence with the same doubtful words is worth less than the first (a feature-based
submodular function; Wei, Iyer & Bilmes 2015, "Submodularity in data subset selection and active learning"). Sentences
are taken greedily by their gain for their cost.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

import numpy as np

from treevote.annotation.near_duplicates import DistinctSentences
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.kernels import Doubles, Longs

LENGTH_POWER = 0.25
"""Power of the length that a sentence costs where sentences are counted; where tokens are counted it costs them all."""


@dataclass(frozen=True)
class Selection:
    """The chosen sentences of a pool, the most valuable first, with their parses and their text."""

    sentences: Treebank
    doubt: Doubles  # probability that the arc or label of each slot is wrong, shape (n_slots,)
    numbers: Longs  # of the sentences in the pool, from 0
    pool_sentences: int
    pool_tokens: int
    pool_wrong: float  # expected number of wrong arcs in the pool


def doubts(parse: Treebank) -> Doubles:
    """Return the probability that the arc or label of each slot is wrong, 0 for ROOT, shape (n_slots,).

    Of a model without confidence it is the share of the votes against arc and label.
    """
    if parse.label_confidence is not None:
        sure = parse.label_confidence.astype(np.float64)
    else:
        assert parse.support is not None
        assert parse.label_support is not None
        sure = parse.support.astype(np.float64) * parse.label_support
    return np.where(parse.is_token, 1 - sure, 0.0).round(6)  # else one vote of five is less than 0.2


def selected(parse: Treebank, doubt: Doubles, *, sentences: int | None = None, tokens: int | None = None) -> list[int]:
    """Return the numbers of the chosen sentences, from 0, the most valuable first.

    So many sentences are chosen, or sentences of at most so many tokens together. Near-duplicates of a chosen sentence
    are left out. Of equal gains the first sentence is taken.
    """
    left = tokens if sentences is None else sentences
    costs = parse.lengths ** (1.0 if sentences is None else LENGTH_POWER)
    features = _features(parse, doubt)
    covered = np.zeros(1 + max((int(numbers[-1]) for numbers, _ in features), default=0))

    def gain(i: int) -> float:
        numbers, own = features[i]
        before = covered[numbers]
        return float((np.sqrt(before + own) - np.sqrt(before)).sum() / costs[i])

    heap = [(-gain(i), i) for i in range(len(parse))]
    heapq.heapify(heap)
    chosen: list[int] = []
    distinct = DistinctSentences(parse)
    while heap and left:
        i = heapq.heappop(heap)[1]
        now = -gain(i), i
        if heap and now > heap[0]:  # it has lost value since it was put there
            heapq.heappush(heap, now)
            continue
        size = int(parse.lengths[i]) if sentences is None else 1
        if size > left or not distinct.add(i):
            continue
        chosen.append(i)
        left -= size
        numbers, values = features[i]
        covered[numbers] += values
    return chosen


def _features(parse: Treebank, doubt: Doubles) -> list[tuple[Longs, Doubles]]:
    """Return the forms and arcs of each sentence, as ascending numbers, and the doubt of each."""
    forms = encode((word.form.lower() for word in parse.words), {})[parse.tokens].astype(np.int64)
    upos = encode((word.upos for word in parse.words), {})[parse.tokens].astype(np.int64)
    above = upos[parse.starts + np.maximum(parse.heads, 0)]
    columns = np.stack([upos, above, parse.deprels, parse.heads < parse.positions])
    arcs = np.unique(columns, axis=1, return_inverse=True)[1].ravel() + 1 + forms.max(initial=0)
    found = []
    for start, end in itertools.pairwise(parse.offsets.tolist()):
        own = np.concatenate([forms[start + 1 : end], arcs[start + 1 : end]])
        numbers, places = np.unique(own, return_inverse=True)
        sums = np.bincount(places, np.tile(doubt[start + 1 : end], 2), len(numbers)).astype(np.float64)
        found.append((numbers, sums))
    return found
