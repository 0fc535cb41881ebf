"""Alignment of the words of a system with those of the gold file, where sentences, tokens or words are cut differently.

The convention is that of the CoNLL 2017 and 2018 shared tasks (Zeman et al. 2018, section 4). Both files must have
the same characters. Two tokens are the same if they have the same span of characters, and so are two words where
neither side has a range. Around a range, the smallest stretch of text is taken that cuts no token of
either side, and the words in it are aligned by a longest common subsequence of their forms, in lower case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.evaluation.counts import ONE_NORMALIZATION, first_difference, form_numbers
from treevote.evaluation.surface import MultiwordToken, Surface, multiword_tokens, surface_of, without_spaces
from treevote.kernels import Bools, Ints, Longs, kernel

MAX_CELLS = 1 << 24  # pairs of words, gold and system, in a stretch of ranges that cut through each other


class Alignment(NamedTuple):
    """The words of a system beside those of the gold file.

    ``system_slot``, shape (n_gold_slots,), is the slot of the system's word that is a gold word, and ``gold_slot``,
    shape (n_system_slots,), the reverse; -1 if there is none, and in ROOT slots. ``gold_sentence``, shape
    (n_system_slots,), is the gold sentence, from 0, in which a word of the system begins. ``tokens`` and ``sentences``,
    shape (n_gold_sentences, 3), are counts in each gold sentence: on both sides, in the gold file, in the system.
    ``same_words`` tells whether all sentences and words are the same.
    """

    system_slot: Longs
    gold_slot: Longs
    gold_sentence: Longs
    tokens: Longs
    sentences: Longs
    same_words: bool


def align(gold: Treebank, system: Treebank) -> Alignment:
    """Align the words of a system with those of the gold file: the same text, segmented in any way.

    InputError if the texts differ, with the first difference, or if too many ranges overlap.

    >>> gold = Treebank.of([(["can", "not"], [2, 0], ["aux", "root"]), (["yes"], [0], ["root"])])
    >>> system = Treebank.of([(["cannot", "yes"], [0, 1], ["root", "dep"])])
    >>> alignment = align(gold, system)
    >>> alignment.system_slot.tolist(), alignment.tokens.tolist()
    ([-1, -1, -1, -1, 2], [[0, 2, 1], [1, 1, 1]])
    """
    forms: dict[str, int] = {}
    ours, theirs = (form_numbers(treebank, str, forms) for treebank in (gold, system))
    if np.array_equal(gold.offsets, system.offsets) and np.array_equal(ours, theirs):
        ranges = multiword_tokens(gold)
        if ranges == multiword_tokens(system):
            return identity(gold, ranges)

    text, other = surface_of(gold), surface_of(system)
    _require_same_text(gold, system, text, other)
    folded: dict[str, int] = {}
    ours, theirs = _folded_forms(gold, text, folded), _folded_forms(system, other, folded)
    here, there = np.flatnonzero(gold.is_token), np.flatnonzero(system.is_token)
    counterpart = _align(
        *(text.start[here], text.end[here], text.is_multiword[here], ours[here]),
        *(other.start[there], other.end[there], other.is_multiword[there], theirs[there]),
    )
    if len(counterpart) < len(here):
        remedy = "correct the ranges of one of the files"
        problem = "expected ranges of words that can be aligned with the gold words, found too many that overlap"
        raise InputError(problem, path=system.title, remedy=remedy)
    system_slot, gold_slot = np.full(len(ours), -1, np.int64), np.full(len(theirs), -1, np.int64)
    aligned = counterpart >= 0
    system_slot[here[aligned]] = there[counterpart[aligned]]
    gold_slot[there[counterpart[aligned]]] = here[aligned]

    starts, roots = text.start[gold.offsets[:-1]], system.offsets[:-1]
    begins_in = np.maximum(np.searchsorted(starts, other.start, "right") - 1, 0)
    tokens = _common_spans(
        (text.start[text.tokens], text.end[text.tokens], gold.sentence_of[text.tokens]),
        (other.start[other.tokens], other.end[other.tokens], begins_in[other.tokens]),
        gold.n_sentences,
    )
    sentences = _common_spans(
        (starts, text.sentence_end, np.arange(gold.n_sentences)),
        (other.start[roots], other.sentence_end, begins_in[roots]),
        gold.n_sentences,
    )
    same = np.array_equal(gold.offsets, system.offsets) and np.array_equal(system_slot[here], here)
    return Alignment(system_slot, gold_slot, begins_in, tokens, sentences, same)


def identity(treebank: Treebank, ranges: Sequence[MultiwordToken] = ()) -> Alignment:
    """Return the alignment of two treebanks with the same words and ranges."""
    slots = np.where(treebank.is_token, np.arange(len(treebank.tokens)), -1)
    sentence_of = treebank.sentence_of
    n_tokens = treebank.lengths
    for first, last, _ in ranges:
        n_tokens[sentence_of[first]] -= last - first
    tokens = np.repeat(n_tokens[:, None], 3, axis=1)
    return Alignment(slots, slots, sentence_of, tokens, np.ones_like(tokens), same_words=True)


def project(gold: Treebank, system: Treebank, alignment: Alignment) -> Treebank:
    """Return the gold sentences with the trees of a system; a head without counterpart in its sentence is unknown."""
    slot = alignment.system_slot
    aligned = np.flatnonzero(slot >= 0)
    heads, deprels = np.full(len(slot), -1, np.int32), np.full(len(slot), -1, np.int32)
    deprels[aligned] = system.deprels[slot[aligned]]
    heads[aligned] = system.heads[slot[aligned]]
    inner = aligned[heads[aligned] > 0]
    head_slot = alignment.gold_slot[system.starts[slot[inner]] + heads[inner]]
    sentence_of = gold.sentence_of
    inside = (head_slot >= 0) & (sentence_of[head_slot] == sentence_of[inner])
    heads[inner] = np.where(inside, gold.positions[head_slot], -1)
    return gold.with_trees(heads, deprels, system.labels)


def _folded_forms(treebank: Treebank, surface: Surface, numbers: dict[str, int]) -> Ints:
    """Return the forms in lower case; those that are tokens lose their spaces, as in the official scorer."""
    tokens = form_numbers(treebank, lambda form: without_spaces(form).lower(), numbers)
    return np.where(surface.is_multiword, form_numbers(treebank, str.lower, numbers), tokens)


def _require_same_text(gold: Treebank, system: Treebank, text: Surface, other: Surface) -> None:
    if text.text == other.text:
        return
    ours, theirs = (
        np.frombuffer(surface.text.encode("utf-32-le", "surrogatepass"), np.uint32) for surface in (text, other)
    )
    name = gold.title or "the gold trees"
    if not len(theirs):
        raise InputError(f"expected the text of {name}, found none", path=system.title, remedy="parse the same text")
    shorter = min(len(ours), len(theirs))
    differences = np.flatnonzero(ours[:shorter] != theirs[:shorter])
    at = int(differences[0]) if len(differences) else shorter
    windows = [surface.text[at : at + 20] for surface in (text, other)]
    one, another = (unicodedata.normalize("NFC", window)[:1] for window in windows)
    shown, remedy = repr, "give a parse of the same text"
    if one and one == another:  # the same to the eye
        shown, remedy = ascii, ONE_NORMALIZATION
    elif first_difference(gold, system) < 0:
        remedy = "the words are the same, the multiword tokens are not: give both files the same, or compare the words "
        remedy += "alone, by the convention of CoNLL-X (--conllx)"
    expected, found = (shown(window) if window else "the end" for window in windows)
    token = min(int(np.searchsorted(other.end[other.tokens], at, "right")), len(other.tokens) - 1)
    problem = f"expected the text of {name}, here {expected}, found {found}"
    raise system.fault(int(other.tokens[token]), problem, remedy)


def _common_spans(ours: tuple[Longs, Longs, Longs], theirs: tuple[Longs, Longs, Longs], n: int) -> Longs:
    """Count spans (start, end, gold sentence) in ``n`` gold sentences: the same ones, of the gold file, the system."""
    (start, end, sentence), (other_start, other_end, other_sentence) = ours, theirs
    length = max(end.max(initial=0), other_end.max(initial=0)) + 1
    same = np.isin(start * length + end, other_start * length + other_end)
    counts = [np.bincount(which, minlength=n) for which in (sentence[same], sentence, other_sentence)]
    return np.stack(counts, axis=1)


@kernel
def _align(
    start: Longs,
    end: Longs,
    multi: Bools,
    form: Ints,
    other_start: Longs,
    other_end: Longs,
    other_multi: Bools,
    other_form: Ints,
) -> Longs:
    """Return the counterpart of every gold word, -1 for none; nothing if a stretch has more than `MAX_CELLS`."""
    n, m = len(start), len(other_start)
    found = np.full(n, -1, np.int64)
    i = j = 0
    while i < n and j < m:
        if not multi[i] and not other_multi[j]:
            if start[i] == other_start[j] and end[i] == other_end[j]:
                found[i] = j
                i += 1
                j += 1
            elif start[i] <= other_start[j]:
                i += 1
            else:
                j += 1
            continue
        # The stretch begins with this range and ends where no range of either side goes on.
        if multi[i]:
            stop = end[i]
            j += not other_multi[j] and other_start[j] < start[i]
        else:
            stop = other_end[j]
            i += start[i] < other_start[j]
        first, other_first = i, j
        while True:
            inside = i < n and (start[i] < stop if multi[i] else end[i] <= stop)
            other_inside = j < m and (other_start[j] < stop if other_multi[j] else other_end[j] <= stop)
            if not inside and not other_inside:
                break
            if i < n and (j >= m or start[i] <= other_start[j]):
                if multi[i]:
                    stop = max(stop, end[i])
                i += 1
            else:
                if other_multi[j]:
                    stop = max(stop, other_end[j])
                j += 1
        if i == first and j == other_first:  # a range without characters
            if i < n and multi[i]:
                i += 1
            else:
                j += 1
        elif not _link(form[first:i], other_form[other_first:j], found[first:i], other_first):
            return found[:0]
    return found


@kernel
def _link(form: Ints, other: Ints, found: Longs, shift: int) -> bool:
    """Link the words of a longest common subsequence; where there are several, gold words as early as can be."""
    i, n, m = 0, len(form), len(other)
    while i < n and i < m and form[i] == other[i]:
        found[i] = shift + i
        i += 1
    j = i
    if (n - i + 1) * (m - j + 1) > MAX_CELLS:
        return False
    longest = np.zeros((n - i + 1, m - j + 1), np.int16)  # common subsequence of the words from here on
    for a in range(n - i - 1, -1, -1):
        for b in range(m - j - 1, -1, -1):
            if form[i + a] == other[j + b]:
                longest[a, b] = longest[a + 1, b + 1] + 1
            else:
                longest[a, b] = max(longest[a + 1, b], longest[a, b + 1])
    a = b = 0
    while i + a < n and j + b < m:
        if form[i + a] == other[j + b]:
            found[i + a] = shift + j + b
            a += 1
            b += 1
        elif longest[a, b] == longest[a + 1, b]:
            a += 1
        else:
            b += 1
    return True
