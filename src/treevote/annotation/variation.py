"""Variation nuclei: the same two words, with the same words between them, have another analysis elsewhere.

The method is that of Boyd, Dickinson & Meurers (2008), "On detecting errors in dependency treebanks": a nucleus is a
pair of words that are linked somewhere; its analyses are the label and direction of the link, or no link. Most nuclei
that vary by chance differ in their context, so a nucleus here needs more than its words: either the neighbours on both
sides are the same, too (then even a missing link is a variation), or it is linked wherever it varies, and its head has
the same label (the dependency context of the paper).
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.kernels import Ints, Keys, Longs

MAX_DISTANCE = 8  # maximum distance of the two words

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Variation(NamedTuple):
    """The nucleus of each token that speaks most against its arc; shape (n_slots,)."""

    same: Longs  # number of occurrences with the analysis of this one, itself included; 0 without a nucleus
    other: Longs  # number of occurrences with the most frequent other analysis, not smaller
    head: Ints  # head that the token would have with that, -1 without one
    deprel: Ints  # its label, -1 without one
    example: Longs  # slot of a token with that analysis, -1 without a nucleus

    @classmethod
    def of(cls, treebank: Treebank) -> Variation:
        """Find the nuclei that vary, and the tokens whose analysis is in the minority, or one of two equal ones."""
        n = len(treebank.tokens)
        none, nowhere = np.zeros(n, np.int64), np.full(n, -1, np.int32)
        found = cls(none, none.copy(), nowhere, nowhere.copy(), np.full(n, -1, np.int64))
        forms = encode((word.form.lower() for word in treebank.words), {})[treebank.tokens]
        for distance in range(1, MAX_DISTANCE + 1):
            for neighbours in (True, False):
                found._add(Pairs.of(treebank, forms, distance, neighbours), treebank.positions)
        return found

    def _add(self, pairs: Pairs, positions: Longs) -> None:
        """Add nuclei; of several nuclei of a token the one with most other occurrences stays, of equal ones the first.

        Of the other analyses of a nucleus the most frequent one counts, of equal ones that with the smallest number.
        """
        order = np.lexsort((pairs.analyses, pairs.keys))
        left, keys, analyses = pairs.left[order], pairs.keys[order], pairs.analyses[order]
        if not len(keys):
            return
        is_nucleus = np.append(True, keys[1:] != keys[:-1])
        bounds = np.append(np.flatnonzero(is_nucleus | np.append(True, analyses[1:] != analyses[:-1])), len(keys))
        nuclei, sizes = np.cumsum(is_nucleus[bounds[:-1]]), np.diff(bounds).tolist()
        varying = np.flatnonzero(np.bincount(nuclei)[nuclei] > 1).tolist()
        for _, several in itertools.groupby(varying, nuclei.__getitem__):
            groups = list(several)
            for group in groups:
                best = max((other for other in groups if other != group), key=sizes.__getitem__)
                if sizes[best] < sizes[group]:
                    continue
                own, other = int(analyses[bounds[group]]), int(analyses[bounds[best]])
                right = (own if own >= 0 else other) & 1  # the word that is dependent now, or would be
                tokens = left[bounds[group] : bounds[group + 1]] + right * pairs.distance
                tokens = tokens[self.other[tokens] < sizes[best]]
                self.same[tokens], self.other[tokens] = sizes[group], sizes[best]
                self.example[tokens] = left[bounds[best]] + right * pairs.distance
                is_link = other >= 0 and other & 1 == right
                head = tokens - pairs.distance if right else tokens + pairs.distance
                self.head[tokens] = positions[head] if is_link else -1
                self.deprel[tokens] = other >> 1 if is_link else -1


class Pairs(NamedTuple):
    """Pairs of words at a distance, by the slot of the left one; shape (n,)."""

    distance: int
    left: Longs
    keys: Keys  # equal for occurrences of the same nucleus in the same context
    analyses: Longs  # twice the label, plus 1 if the right word is the dependent; -1 without a link

    @classmethod
    def of(cls, treebank: Treebank, forms: Ints, distance: int, neighbours: bool) -> Pairs:
        """List the pairs with the same neighbours as context, or the linked pairs with the label of the head as it."""
        positions, heads, deprels = treebank.positions, treebank.heads, treebank.deprels
        right = np.flatnonzero(positions > distance)
        left = right - distance
        by_right, by_left = heads[right] == positions[left], heads[left] == positions[right]
        analyses = np.where(by_right, 2 * deprels[right] + 1, np.where(by_left, 2 * deprels[left], -1)).astype(np.int64)
        sides = 1 if neighbours else 0
        inside = np.zeros(len(forms) + 1, np.uint64)  # of a neighbour beyond the sentence nothing is known
        inside[:-1] = np.where(treebank.is_token, forms + 1, 0)
        keys = np.zeros(len(left), np.uint64)
        for step in range(-sides, distance + sides + 1):
            keys = _mixed(keys, inside[left + step])
        if neighbours:
            return cls(distance, left, keys, analyses)
        keys = _mixed(keys, (deprels[np.where(by_right, left, right)] + 1).astype(np.uint64))
        linked = analyses >= 0
        return cls(distance, left[linked], keys[linked], analyses[linked])


def _mixed(keys: Keys, values: Keys) -> Keys:
    """Return keys of sequences that are longer by one value."""
    keys = (keys ^ values) * _FACTOR
    return keys ^ (keys >> np.uint64(29))
