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
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.kernels import Doubles, Longs

LENGTH_POWER = 0.25
"""Power of the length that a sentence costs where sentences are counted; where tokens are counted it costs them all."""

SIMILAR = 0.5  # share of common pairs of neighbouring words, of all pairs of both, that makes a near-duplicate


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
    return np.where(parse.is_token, 1 - sure, 0.0)


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


class DistinctSentences:
    """Sentences of a treebank, no two of which are near-duplicates: have many pairs of neighbouring words in common.

    A sentence of a pairs and a near-duplicate of b pairs have at least c in common. So one of the a - c + 1 rarest
    pairs of the sentence is among them, and only the sentences that have one of these are compared with it (the prefix
    filter; Bayardo, Ma & Srikant 2007, "Scaling up all pairs similarity search"). Pairs that nearly all sentences have,
    such as a word before the full stop, are hardly ever looked up.
    """

    def __init__(self, treebank: Treebank) -> None:
        words = treebank.tokens.astype(np.int64)
        ending_here = np.roll(words, 1) * len(treebank.words) + words  # the first word stands beside ROOT
        _, numbers, counts = np.unique(ending_here, return_inverse=True, return_counts=True)
        self._pairs = np.argsort(np.argsort(counts, kind="stable"))[numbers]  # numbered from the rarest
        self._offsets = treebank.offsets
        self._with_pair: dict[int, defaultdict[int, list[frozenset[int]]]] = {}  # by the number of their pairs

    def add(self, i: int) -> bool:
        """Add a sentence unless it is a near-duplicate of one of these; tell whether it was added."""
        own = frozenset(self._rarest_first(i))
        if any(len(own & other) >= least for other, least in self.compared(i)):
            return False
        with_pair = self._with_pair.setdefault(len(own), defaultdict(list))
        for pair in own:
            with_pair[pair].append(own)
        return True

    def compared(self, i: int) -> Iterator[tuple[frozenset[int], int]]:
        """Yield the sentences that one is compared with, and how many pairs it has in common with a near-duplicate."""
        own = self._rarest_first(i)
        for n, with_pair in self._with_pair.items():
            least = math.ceil(SIMILAR * (len(own) + n) / (1 + SIMILAR))
            if least <= min(len(own), n):
                rare = own[: len(own) - least + 1]
                yield from ((other, least) for other in {other for pair in rare for other in with_pair.get(pair, ())})

    def _rarest_first(self, i: int) -> list[int]:
        numbers: list[int] = np.unique(self._pairs[self._offsets[i] + 1 : self._offsets[i + 1]]).tolist()
        return numbers
