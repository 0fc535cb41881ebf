"""Word classes by exchange: each word moves to the class in which the classes predict each other best.

The criterion is the log-likelihood of a text under a bigram model of classes, less what does not depend on them
(Martin, Liermann & Ney 1998, "Algorithms for bigram and trigram word clustering")::

    sum over pairs of classes of N log N  -  sum over classes of left log left + right log right

``N`` counts one class before the other, ``left`` and ``right`` a class as the first and as the second of a pair. Up to
a factor and a constant it is the average mutual information that Brown et al. (1992) maximise by mergers of words.

A pass takes the words in the order of their numbers. Ties go to the class that a word is in, then to the one with the
smaller number. The end of a sentence and rare words are in classes of their own and stay there.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Doubles, Ints, Longs, kernel, leaf
from treevote.models.learning.vectors.bigrams import Bigrams
from treevote.parallel import Progress

PASSES = 10  # at most, over the words
FEW_MOVES = 200  # the passes end when fewer than one of so many words has moved
_TABLE = 1 << 16  # values of n log n that are looked up


def exchange(bigrams: Bigrams, n_classes: int, n_fixed: int = 0, progress: Progress | None = None) -> Ints:
    """Divide words into classes; return the class of each word, from 0, shape (n_words,). A class may be empty.

    Words are in descending order of frequency, but for the last ``n_fixed``, which are in classes of their own, from
    ``n_classes``. At first each other word ``w`` is in class ``w % n_classes``.
    """
    n_words = len(bigrams.counts)
    n_free = n_words - n_fixed
    class_of = (np.arange(n_words) % max(1, n_classes)).astype(np.int32)
    class_of[n_free:] = n_classes + np.arange(n_fixed)
    table = np.arange(_TABLE, dtype=np.float64)
    table[1:] *= np.log(table[1:])
    pairs = bigrams.pairs(class_of, n_classes + n_fixed)
    after, before = pairs, pairs.T.copy()  # never the same memory, as that of one class would be
    reverse = bigrams.reversed()
    for done in range(PASSES):
        moves = one_pass(bigrams, reverse, n_free, n_classes, class_of, after, before, table)
        if progress is not None:
            progress("classes", done + 1, PASSES)
        if moves * FEW_MOVES < n_free:
            break
    return class_of


@kernel
def one_pass(
    following: Bigrams,
    preceding: Bigrams,
    n_free: int,
    n_classes: int,
    class_of: Ints,
    after: Longs,
    before: Longs,
    table: Doubles,
) -> int:
    """Move each word to its best class, and return the number of moves.

    ``after[a, b]`` and ``before[b, a]`` count class ``b`` after class ``a``. They change, and so does ``class_of``.
    """
    n_all = len(after)
    right, left = np.zeros(n_all, np.int64), np.zeros(n_all, np.int64)
    followers, leaders = np.empty(n_all, np.int64), np.empty(n_all, np.int64)
    gain, firsts, seconds = np.empty(n_classes, np.float64), after.sum(axis=1), before.sum(axis=1)
    moves = 0
    for word in range(n_free):
        n_right, own = classes_beside(following, word, class_of, right, followers)
        n_left, _ = classes_beside(preceding, word, class_of, left, leaders)
        begins, ends = right.sum() + own, left.sum() + own
        # take the word out of its class: its bigrams leave N, left and right
        old = class_of[word]
        shift(after, before, old, right, left, own, -1)
        firsts[old], seconds[old] = firsts[old] - begins, seconds[old] - ends
        # gain[k] is the change of the criterion if the word joins class k: first the pair (k, k), which has the bigrams
        # of the word with k on both sides, less those that are added below for each side alone; then left and right
        for k in range(n_classes):
            here = after[k, k]
            beside = n_log_n(here + right[k] + left[k] + own, table) - n_log_n(here, table)
            beside -= n_log_n(here + right[k], table) - n_log_n(here, table) if right[k] else 0.0
            beside -= n_log_n(here + left[k], table) - n_log_n(here, table) if left[k] else 0.0
            totals = n_log_n(firsts[k] + begins, table) - n_log_n(firsts[k], table)
            totals += n_log_n(seconds[k] + ends, table) - n_log_n(seconds[k], table)
            gain[k] = beside - totals
        # the pairs of k with each class that the word has as a neighbour
        for i in range(n_right):
            add_gain(before[followers[i]], int(right[followers[i]]), gain, table)
        for i in range(n_left):
            add_gain(after[leaders[i]], int(left[leaders[i]]), gain, table)
        # put it into the best class; ties go to the old one, then to the smallest number
        best = old
        for k in range(n_classes):
            if gain[k] > gain[best]:
                best = k
        shift(after, before, best, right, left, own, 1)
        firsts[best], seconds[best] = firsts[best] + begins, seconds[best] + ends
        class_of[word] = best
        moves += best != old
        right[:], left[:] = 0, 0
    return moves


@leaf
def classes_beside(beside: Bigrams, word: int, class_of: Ints, times: Longs, found: Longs) -> tuple[int, int]:
    """Count and list the classes beside a word, other than itself; return their number, and how often it is itself.

    ``times`` are zeros and receive the counts, ``found`` the classes.
    """
    n_found, own = 0, 0
    for at in range(beside.first[word], beside.first[word + 1]):
        if beside.words[at] == word:
            own = beside.times[at]
            continue
        k = class_of[beside.words[at]]
        if times[k] == 0:
            found[n_found] = k
            n_found += 1
        times[k] += beside.times[at]
    return n_found, own


@leaf
def shift(after: Longs, before: Longs, k: int, right: Longs, left: Longs, own: int, sign: int) -> None:
    """Add the bigrams of a word to class ``k``, or take them away."""
    for other in range(len(right)):
        if right[other]:
            after[k, other] += sign * right[other]
            before[other, k] += sign * right[other]
        if left[other]:
            after[other, k] += sign * left[other]
            before[k, other] += sign * left[other]
    after[k, k] += sign * own
    before[k, k] += sign * own


@leaf
def add_gain(present: Longs, times: int, gain: Doubles, table: Doubles) -> None:
    """Add what each class gains by more pairs with one class, of which it has ``present``."""
    for k in range(len(gain)):
        gain[k] += n_log_n(present[k] + times, table) - n_log_n(present[k], table)


@leaf
def n_log_n(n: int, table: Doubles) -> float:
    """Return ``n log n``, 0 for 0."""
    return float(table[n] if n < len(table) else n * np.log(np.float64(n)))
