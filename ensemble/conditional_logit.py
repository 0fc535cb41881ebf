"""The conditional logit: probabilities of the candidates of each token, and their likelihood.

A token chooses one of its candidates, or none of them, in proportion to the exponentials of their sums of weights; the
sum of none is 0 (McFadden 1974, "Conditional logit analysis of qualitative choice behavior"). Candidates are sorted by
slot.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, kernel


def softmax(slots: Ints, sums: Doubles) -> Doubles:
    """Return the probability of each candidate, given the sum of its weights.

    Examples
    --------
    >>> softmax(np.array([1, 1, 2], np.int32), np.array([0.0, 0.0, 0.0])).round(2).tolist()
    [0.33, 0.33, 0.5]
    """
    probabilities = np.empty(len(sums))
    normalise(slots, sums, probabilities)
    return probabilities


@kernel
def normalise(slots: Ints, sums: Doubles, probabilities: Doubles) -> None:
    """Write the softmax of the sums of each slot, among themselves and a candidate with sum 0."""
    begin = 0
    while begin < len(slots):
        end, top = begin, 0.0
        while end < len(slots) and slots[end] == slots[begin]:
            top = max(top, sums[end])
            end += 1
        total = np.exp(-top)
        for c in range(begin, end):
            probabilities[c] = np.exp(sums[c] - top)
            total += probabilities[c]
        for c in range(begin, end):
            probabilities[c] /= total
        begin = end


@kernel
def negative_log_likelihood(slots: Ints, sums: Doubles, right: Bools, slope: Doubles) -> float:
    """Write the derivatives of the negative log-likelihood by the sums, and return it.

    Of the candidates of a slot several may be right (labels that differ in a subtype), or none.
    """
    normalise(slots, sums, slope)
    lost, begin = 0.0, 0
    while begin < len(slots):
        end, total, hit, found = begin, 0.0, 0.0, False
        while end < len(slots) and slots[end] == slots[begin]:
            total += slope[end]
            if right[end]:
                hit, found = hit + slope[end], True
            end += 1
        hit = max(hit, 1e-300)
        lost -= np.log(hit if found else max(1 - total, 1e-300))
        for c in range(begin, end):
            if right[c]:
                slope[c] -= slope[c] / hit
        begin = end
    return lost
