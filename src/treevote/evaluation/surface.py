"""Sentences as running text: the characters of a treebank and where in them its tokens, words and sentences are.

A *token* is a piece of the text, a *word* a node of a tree: the token ``don't`` may stand for two words, in CoNLL-U a
range such as ``1-2``. A position is the number of characters before it without those of the Unicode category Zs
(spaces), so it does not depend on the tokenization (Zeman et al. 2018, section 4).
"""

from __future__ import annotations

import itertools
import unicodedata
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Longs

MultiwordToken: TypeAlias = tuple[int, int, str]
"""The first and the last slot of the words that a token stands for, and its form."""


class Surface(NamedTuple):
    """The text of a treebank, without spaces.

    ``start`` and ``end``, shape (n_slots,), are the span of the token that a word belongs to; a ROOT slot has the empty
    span at the begin of its sentence. ``is_multiword``, shape (n_slots,), marks the words of ranges. ``tokens`` has the
    first slot of each token, and ``sentence_end`` the end of each sentence; it begins where its ROOT slot does.
    """

    text: str
    start: Longs
    end: Longs
    is_multiword: Bools
    tokens: Longs
    sentence_end: Longs


def surface_of(treebank: Treebank) -> Surface:
    """Return the text of a treebank; ranges are known only if it has a source.

    >>> surface = surface_of(Treebank.of([(["New York", "!"], [0, 1], ["root", "punct"])]))
    >>> surface.text, surface.start.tolist(), surface.end.tolist()
    ('NewYork!', [0, 0, 7], [0, 7, 8])
    """
    forms = [without_spaces(word.form) for word in treebank.words]
    pieces = [forms[token] for token in treebank.tokens.tolist()]
    is_first, is_multiword = treebank.is_token, np.zeros(len(pieces), np.bool_)
    for root in treebank.offsets[:-1].tolist():
        pieces[root] = ""
    ranges = multiword_tokens(treebank)
    for first, last, form in ranges:
        pieces[first : last + 1] = [without_spaces(form), *[""] * (last - first)]
        is_first[first + 1 : last + 1] = False
        is_multiword[first : last + 1] = True
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    end = np.cumsum(lengths)
    start = end - lengths
    for first, last, _ in ranges:
        start[first : last + 1], end[first : last + 1] = start[first], end[first]
    last_words = treebank.offsets[1:] - 1
    return Surface("".join(pieces), start, end, is_multiword, np.flatnonzero(is_first), end[last_words])


def multiword_tokens(treebank: Treebank) -> list[MultiwordToken]:
    """Return the ranges of a treebank, in order, as its source has them."""
    if treebank.source is None:
        return []
    lines = treebank.source.lines
    slots = np.flatnonzero(treebank.is_token)
    line_of = treebank.source.line_of[slots]
    sentence_line = treebank.source.line_of[treebank.starts[slots]]
    holds_word = np.zeros(len(lines), np.bool_)
    holds_word[line_of] = True
    found = [
        (line, lines[line].split("\t", 2))
        for line in itertools.compress(range(len(lines)), (~holds_word).tolist())
        if lines[line][:1].isdigit() and lines[line].count("\t") > 1
    ]
    following = np.searchsorted(line_of, np.array([line for line, _ in found], np.int32)).tolist()
    ranges = []
    for (line, (ends, form, _)), word in zip(found, following, strict=True):
        first, dash, last = ends.partition("-")
        if dash and word < len(slots) and sentence_line[word] <= line:  # else of a faulty sentence that was kept
            ranges.append((int(slots[word]), int(slots[word]) + int(last) - int(first), form))
    return ranges


def without_spaces(form: str) -> str:
    """Return a form without its characters of the Unicode category Zs."""
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")
